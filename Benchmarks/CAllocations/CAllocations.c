// Allocation functions that count and hand on to the C library's own.
#include "CAllocations.h"
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int is_counting;
static _Atomic uint64_t count;

void callocations_begin(void) {
    atomic_store(&count, 0);
    atomic_store(&is_counting, 1);
}

void callocations_end(void) { atomic_store(&is_counting, 0); }

uint64_t callocations_count(void) { return atomic_load(&count); }

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
int callocations_counts(void) { return 0; }
#else
int callocations_counts(void) { return 1; }

// The C library's functions under their second names; a program may define the first names itself
// (GNU C Library manual, "Replacing malloc").
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void note(void) {
    if (atomic_load_explicit(&is_counting, memory_order_relaxed))
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    note();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    note();
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    note();
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}
#endif
