// Records the calls to the system that change files, for tests: loaded before the C library by LD_PRELOAD.
//
// What concerns files under RECORD_FOLDER goes to the file RECORD_FILE, in the order in which it happened: calls wait
// for each other. What the process prints is recorded too: it tells what it has acknowledged by then. An entry is its
// kind and a flag, the number of the file, an offset or length, and the lengths of a path, of a second one and of
// bytes, which follow. Paths are those of the folders that calls reached, however they named them. CallRecord.swift
// reads all that.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    MARK = 1, CREATE, WRITE, TRUNCATE, EXTEND, SYNC, RENAME, LINK, UNLINK, MAKE_FOLDER, REMOVE_FOLDER, MAP, SYNC_ALL
};
// Of a write: it is on the disk when the call returns. Of a renaming: two files exchange their names.
enum { FLAG_SYNCED = 1, FLAG_EXCHANGES = 1 };

struct entry {
    uint32_t kind, flag;
    uint64_t file, offset;
    uint32_t path_length, target_length;
    uint64_t byte_count;
};

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

// The C library's own function of a name.
#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int real_open(const char *path, int flags, mode_t mode) {
    static int (*real)(const char *, int, ...);
    if (!real) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    return real(path, flags, mode);
}

static void put(uint32_t kind, uint32_t flag, uint64_t file, uint64_t offset, const char *path, const char *target,
                const void *bytes, size_t count) {
    static int record = -1;
    static ssize_t (*real_writev)(int, const struct iovec *, int);
    const char *name = getenv("RECORD_FILE");
    if (record < 0 && name) {
        record = real_open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        real_writev = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
    }
    if (record < 0) return;
    struct entry entry = {kind, flag, file, offset, (uint32_t)strlen(path), (uint32_t)strlen(target), count};
    struct iovec parts[] = {
        {&entry, sizeof entry},
        {(void *)path, entry.path_length},
        {(void *)target, entry.target_length},
        {(void *)bytes, count},
    };
    ssize_t all = (ssize_t)(sizeof entry + entry.path_length + entry.target_length + count);
    // A record with a gap would pass for a shorter one.
    if (real_writev(record, parts, 4) != all) abort();
}

// The path of an open file or folder; 0 when there is none.
static int path_of(int descriptor, char path[4096]) {
    char link[64];
    if (descriptor < 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, 4095);
    if (count < 0) return 0;
    path[count] = 0;
    return 1;
}

// Whether a path lies in the recorded folder.
static int is_inside(const char *path) {
    const char *folder = getenv("RECORD_FOLDER");
    size_t count = folder ? strlen(folder) : 0;
    return count > 0 && strncmp(path, folder, count) == 0 && (path[count] == 0 || path[count] == '/');
}

// The path of a name in a folder, without links on the way; 0 where it does not lie in the recorded folder.
static int resolve(int folder, const char *name, char path[8192]) {
    char above[4096], found[4096];
    if (!name || strlen(name) >= sizeof above) return 0;
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - name) + 1 : 1, slash ? name : ".");
    int saved = errno, descriptor = openat(folder, above, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int is_there = path_of(descriptor, found);
    if (descriptor >= 0) close(descriptor);
    errno = saved;
    if (!is_there || !*last) return 0;
    snprintf(path, 8192, "%s/%s", found, last);
    return is_inside(path);
}

// The path of an open file in the recorded folder.
static int concerns(int descriptor, char path[4096]) {
    int saved = errno, is_concerned = path_of(descriptor, path) && is_inside(path);
    errno = saved;
    return is_concerned;
}

static uint64_t number_of(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

static uint64_t number_at(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 ? status.st_ino : 0;
}

#define ORDERED pthread_mutex_lock(&order)
#define DONE pthread_mutex_unlock(&order)

// MARK: Opening

// Whether a call may make a file or cut one off.
static int makes(int flags) { return (flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE; }

static int opened(int descriptor, int flags, const char *path, int was_there) {
    if (descriptor < 0) return descriptor;
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        put(CREATE, 0, number_of(descriptor), 0, "", "", NULL, 0);
    } else if (!was_there) {
        put(CREATE, 0, number_of(descriptor), 0, path, "", NULL, 0);
    } else if (flags & O_TRUNC) {
        put(TRUNCATE, 0, number_of(descriptor), 0, path, "", NULL, 0);
    }
    return descriptor;
}

#define OPENED(folder, call) \
    char place[8192]; \
    if (!makes(flags) || !resolve(folder, path, place)) return call; \
    ORDERED; \
    int was_there = number_at(place) != 0, result = opened(call, flags, place, was_there); \
    DONE; \
    return result

#define MODE \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = (mode_t)va_arg(rest, int); \
    va_end(rest)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        MODE; \
        REAL(name); \
        OPENED(AT_FDCWD, real(path, flags, mode)); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        MODE; \
        REAL(name); \
        OPENED(folder, real(folder, path, flags, mode)); \
    }
OPENAT(openat)
OPENAT(openat64)

int creat(const char *path, mode_t mode) { return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

// MARK: Bytes

// Records what stands in a file after a call that wrote so many bytes.
static void wrote(int descriptor, const char *path, off_t offset, const void *bytes, ssize_t count) {
    if (count <= 0) return;
    int flags = fcntl(descriptor, F_GETFL);
    void *copy = NULL;
    if (!bytes) {
        char link[64];
        static ssize_t (*real_pread)(int, void *, size_t, off_t);
        if (!real_pread) real_pread = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        int reader = real_open(link, O_RDONLY | O_CLOEXEC, 0);
        copy = malloc((size_t)count);
        if (reader < 0 || !copy || real_pread(reader, copy, (size_t)count, offset) != count) abort();
        close(reader);
        bytes = copy;
    }
    uint32_t flag = (flags & O_DSYNC) ? FLAG_SYNCED : 0;
    put(WRITE, flag, number_of(descriptor), (uint64_t)offset, path, "", bytes, (size_t)count);
    free(copy);
}

// Where the next byte goes of a call that has written; `count` bytes ago.
static off_t start(int descriptor, ssize_t count) { return lseek(descriptor, 0, SEEK_CUR) - count; }

#define WROTE(call, offset, bytes) \
    char path[4096]; \
    if (!concerns(descriptor, path)) return call; \
    ORDERED; \
    ssize_t result = call; \
    int saved = errno; \
    wrote(descriptor, path, offset, bytes, result); \
    errno = saved; \
    DONE; \
    return result

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(write);
    if (descriptor == 1) {
        ORDERED;
        put(MARK, 0, 0, 0, "", "", bytes, count);
        DONE;
    }
    WROTE(real(descriptor, bytes, count), start(descriptor, result), bytes);
}

#define PWRITE(name, offset_type) \
    ssize_t name(int descriptor, const void *bytes, size_t count, offset_type offset) { \
        REAL(name); \
        WROTE(real(descriptor, bytes, count, offset), offset, bytes); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    REAL(writev);
    WROTE(real(descriptor, parts, count), start(descriptor, result), NULL);
}

#define PWRITEV(name, offset_type) \
    ssize_t name(int descriptor, const struct iovec *parts, int count, offset_type offset) { \
        REAL(name); \
        WROTE(real(descriptor, parts, count, offset), offset, NULL); \
    }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

#define SENDFILE(name, offset_type) \
    ssize_t name(int descriptor, int in, offset_type *offset, size_t count) { \
        REAL(name); \
        WROTE(real(descriptor, in, offset, count), start(descriptor, result), NULL); \
    }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

ssize_t copy_file_range(int in, off64_t *from, int descriptor, off64_t *to, size_t count, unsigned flags) {
    REAL(copy_file_range);
    WROTE(real(in, from, descriptor, to, count, flags), (to ? *to - result : start(descriptor, result)), NULL);
}

// MARK: Lengths

#define SIZED(kind, length, call, is_done) \
    char path[4096]; \
    if (!concerns(descriptor, path)) return call; \
    ORDERED; \
    int result = call; \
    if (is_done) put(kind, 0, number_of(descriptor), (uint64_t)(length), path, "", NULL, 0); \
    DONE; \
    return result

#define FTRUNCATE(name, offset_type) \
    int name(int descriptor, offset_type length) { \
        REAL(name); \
        SIZED(TRUNCATE, length, real(descriptor, length), result == 0); \
    }
FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

#define ALLOCATE(name, offset_type) \
    int name(int descriptor, offset_type offset, offset_type length) { \
        REAL(name); \
        SIZED(EXTEND, offset + length, real(descriptor, offset, length), result == 0); \
    }
ALLOCATE(posix_fallocate, off_t)
ALLOCATE(posix_fallocate64, off64_t)

#define FALLOCATE(name, offset_type) \
    int name(int descriptor, int mode, offset_type offset, offset_type length) { \
        REAL(name); \
        if (mode != 0) return real(descriptor, mode, offset, length); \
        SIZED(EXTEND, offset + length, real(descriptor, mode, offset, length), result == 0); \
    }
FALLOCATE(fallocate, off_t)
FALLOCATE(fallocate64, off64_t)

// Bytes that go through a map are not seen: only that there is one.
#define MMAP(name, offset_type) \
    void *name(void *start, size_t count, int protection, int flags, int descriptor, offset_type offset) { \
        REAL(name); \
        char path[4096]; \
        int is_seen = (protection & PROT_WRITE) && (flags & MAP_SHARED) && !(flags & MAP_ANONYMOUS); \
        if (is_seen && concerns(descriptor, path)) { \
            ORDERED; \
            put(MAP, 0, number_of(descriptor), 0, path, "", NULL, 0); \
            DONE; \
        } \
        return real(start, count, protection, flags, descriptor, offset); \
    }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

// MARK: Waiting for the disk

#define SYNCING(name) \
    int name(int descriptor) { \
        REAL(name); \
        SIZED(SYNC, 0, real(descriptor), result == 0); \
    }
SYNCING(fsync)
SYNCING(fdatasync)

int syncfs(int descriptor) {
    REAL(syncfs);
    SIZED(SYNC_ALL, 0, real(descriptor), result == 0);
}

// MARK: Names

#define NAMED(kind, flag, from, target, call) \
    ORDERED; \
    int result = call, saved = errno; \
    if (result == 0) put(kind, flag, number_at(*(target) ? (target) : (from)), 0, from, target, NULL, 0); \
    errno = saved; \
    DONE; \
    return result

int renameat2(int old_folder, const char *old, int new_folder, const char *new, unsigned flags) {
    REAL(renameat2);
    char from[8192], target[8192];
    int is_concerned = resolve(new_folder, new, target);
    if (!(resolve(old_folder, old, from) | is_concerned)) return real(old_folder, old, new_folder, new, flags);
    uint32_t flag = (flags & RENAME_EXCHANGE) ? FLAG_EXCHANGES : 0;
    NAMED(RENAME, flag, from, target, real(old_folder, old, new_folder, new, flags));
}

int rename(const char *old, const char *new) { return renameat2(AT_FDCWD, old, AT_FDCWD, new, 0); }

int renameat(int old_folder, const char *old, int new_folder, const char *new) {
    return renameat2(old_folder, old, new_folder, new, 0);
}

int linkat(int old_folder, const char *old, int new_folder, const char *new, int flags) {
    REAL(linkat);
    char target[8192];
    if (!resolve(new_folder, new, target)) return real(old_folder, old, new_folder, new, flags);
    NAMED(LINK, 0, "", target, real(old_folder, old, new_folder, new, flags));
}

int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }

int unlinkat(int folder, const char *name, int flags) {
    REAL(unlinkat);
    char path[8192];
    if (!resolve(folder, name, path)) return real(folder, name, flags);
    ORDERED;
    uint64_t number = number_at(path);
    int result = real(folder, name, flags);
    if (result == 0) put((flags & AT_REMOVEDIR) ? REMOVE_FOLDER : UNLINK, 0, number, 0, path, "", NULL, 0);
    DONE;
    return result;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int remove(const char *path) {
    int result = unlink(path);
    return result != 0 && (errno == EISDIR || errno == EPERM) ? rmdir(path) : result;
}

int mkdirat(int folder, const char *name, mode_t mode) {
    REAL(mkdirat);
    char path[8192];
    if (!resolve(folder, name, path)) return real(folder, name, mode);
    NAMED(MAKE_FOLDER, 0, path, "", real(folder, name, mode));
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
