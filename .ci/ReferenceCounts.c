// What the thread sanitizer cannot see: the counts of references order a copy on write after the last look at the
// storage it takes over. Swift's runtime keeps them with atomics and is not instrumented, so optimised code, into which
// the standard library's arrays and dictionaries are compiled, would be reported wherever two threads share one by value.
// Loaded before the runtime; passes every call on.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

#define NEXT(NAME, TYPE) \
    static __typeof__(TYPE) next; \
    if (!next) next = (__typeof__(TYPE))dlsym(RTLD_NEXT, NAME)

// The object of a reference with spare bits in use, or NULL where it counts nothing.
static void *counted(void *reference) {
    uintptr_t bits = (uintptr_t)reference;
    return bits >> 63 ? NULL : (void *)(bits & 0x0FFFFFFFFFFFFFF8);
}

static size_t count(void *object) {
    NEXT("swift_retainCount", size_t(*)(void *));
    return next(object);
}

// All that this thread did with the object comes before what the one that takes it over does; whoever gives up the last
// reference takes it over.
static void releasing(void *reference, uint32_t references) {
    void *object = counted(reference);
    if (!object || !__tsan_release) return;
    __tsan_release(object);
    if (count(object) <= references) __tsan_acquire(object);
}

static bool owning(void *reference, bool isUnique) {
    if (isUnique && __tsan_acquire && counted(reference)) __tsan_acquire(counted(reference));
    return isUnique;
}

void swift_release(void *reference) {
    NEXT("swift_release", void (*)(void *));
    releasing(reference, 1);
    next(reference);
}

void swift_release_n(void *reference, uint32_t references) {
    NEXT("swift_release_n", void (*)(void *, uint32_t));
    releasing(reference, references);
    next(reference, references);
}

void swift_bridgeObjectRelease(void *reference) {
    NEXT("swift_bridgeObjectRelease", void (*)(void *));
    releasing(reference, 1);
    next(reference);
}

void swift_bridgeObjectRelease_n(void *reference, int references) {
    NEXT("swift_bridgeObjectRelease_n", void (*)(void *, int));
    releasing(reference, (uint32_t)references);
    next(reference, references);
}

bool swift_isUniquelyReferenced_native(void *reference) {
    NEXT("swift_isUniquelyReferenced_native", bool (*)(void *));
    return owning(reference, next(reference));
}

bool swift_isUniquelyReferenced_nonNull_native(void *reference) {
    NEXT("swift_isUniquelyReferenced_nonNull_native", bool (*)(void *));
    return owning(reference, next(reference));
}
