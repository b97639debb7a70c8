// Fails chosen calls to the system, for tests: loaded before the C library by LD_PRELOAD.
//
// Calls that concern files under FAULT_FOLDER are counted from 1. Call number FAULT_CALL fails, with FAULT_MODE=on every
// call after it too; FAULT_ERRNO is the error. FAULT_MODE=short writes or reads half of what is asked for instead, where
// that can be. FAULT_NAME counts the calls of that name alone. FAULT_MODE=list fails none and writes the names of all calls
// that are counted to FAULT_LOG, with the paths of their files. FAULT_MODE=kill ends the process in front of the call, FAULT_MODE=torn behind half of it. FAULT_KIND picks the calls: write (what changes files), read, look (at what is there) or lock (the folder). The name of what failed goes to FAULT_LOG.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

static int is_mode(const char *name) {
    const char *mode = getenv("FAULT_MODE");
    return mode && strcmp(mode, name) == 0;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int concerns_path(const char *path) {
    const char *folder = getenv("FAULT_FOLDER");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static __thread char last_path[8192];

static int concerns(int descriptor) {
    char link[64], path[4096];
    if (descriptor < 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count < 0) return 0;
    path[count] = 0;
    snprintf(last_path, sizeof last_path, "%s", path);
    return concerns_path(path);
}

// What a call by a descriptor and a name is about; a name that begins with a slash is a path.
static const char *path_at(int folder, const char *name, char *room, size_t size) {
    char link[64];
    const char *own = "/proc/self/fd/";
    const char *rest = name;
    if (name[0] == '/' && strncmp(name, own, strlen(own)) != 0) return name;
    if (name[0] == '/') {
        folder = atoi(name + strlen(own));
        rest = strchr(name + strlen(own), '/');
        rest = rest ? rest + 1 : "";
    } else if (folder == AT_FDCWD) {
        return name;
    }
    snprintf(link, sizeof link, "%s%d", own, folder);
    ssize_t count = readlink(link, room, size - 1);
    if (count < 0) return name;
    snprintf(room + count, size - (size_t)count, "/%s", rest);
    return room;
}

static int concerns_at(int folder, const char *name) {
    char room[8192];
    const char *path = path_at(folder, name, room, sizeof room);
    snprintf(last_path, sizeof last_path, "%s", path);
    return concerns_path(path);
}

static void tell(const char *name, long number) {
    const char *path = getenv("FAULT_LOG");
    if (!path) return;
    char line[9000];
    int count = snprintf(line, sizeof line, "%s %ld %s\n", name, number, last_path);
    int (*real_open)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    ssize_t (*real_write)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    int log = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (log < 0) return;
    if (real_write(log, line, (size_t)count) < 0) errno = 0;
    close(log);
}

enum { GOES_ON, FAILS, IS_SHORT };

// What becomes of a call.
static int fate(const char *name, const char *kind, int is_concerned, int may_be_short) {
    const char *wanted = getenv("FAULT_KIND"), *call = getenv("FAULT_CALL"), *only = getenv("FAULT_NAME");
    if (only && strcmp(only, name) != 0) return GOES_ON;
    if (!is_concerned || !call || (wanted && strcmp(wanted, kind) != 0)) return GOES_ON;
    int is_short = is_mode("short") || is_mode("torn");
    // Calls that cannot be short are not counted.
    if (is_short && !may_be_short) return GOES_ON;
    long number = atomic_fetch_add(&calls, 1) + 1, first = atol(call);
    if (is_mode("list")) {
        tell(name, number);
        return GOES_ON;
    }
    if (number != first && !(is_mode("on") && number > first)) return GOES_ON;
    if (number == first) tell(name, number);
    if (is_mode("kill")) kill(getpid(), SIGKILL);
    const char *error = getenv("FAULT_ERRNO");
    errno = error ? atoi(error) : EIO;
    return is_short ? IS_SHORT : FAILS;
}

// The end of a process that wrote or read a part.
static ssize_t part(ssize_t count) {
    if (is_mode("torn")) kill(getpid(), SIGKILL);
    return count;
}

#define WRITES(name, concerned) \
    if (fate(name, "write", concerned, 0) == FAILS) return -1
#define READS(name, concerned) \
    if (fate(name, "read", concerned, 0) == FAILS) return -1

static const char *kind_of(int flags) { return flags & (O_WRONLY | O_RDWR | O_CREAT) ? "write" : "read"; }

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = (mode_t)va_arg(rest, int); \
        va_end(rest); \
        REAL(name); \
        if (fate(#name, kind_of(flags), concerns_at(AT_FDCWD, path), 0) == FAILS) return -1; \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPEN_AT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = (mode_t)va_arg(rest, int); \
        va_end(rest); \
        REAL(name); \
        if (fate(#name, kind_of(flags), concerns_at(folder, path), 0) == FAILS) return -1; \
        return real(folder, path, flags, mode); \
    }
OPEN_AT(openat)
OPEN_AT(openat64)

#define TRANSFER(name, kind, buffer, offset_type) \
    ssize_t name(int descriptor, buffer bytes, size_t count, offset_type offset) { \
        REAL(name); \
        switch (fate(#name, kind, concerns(descriptor), count > 1)) { \
        case FAILS: return -1; \
        case IS_SHORT: return part(real(descriptor, bytes, count / 2, offset)); \
        default: return real(descriptor, bytes, count, offset); \
        } \
    }
TRANSFER(pwrite, "write", const void *, off_t)
TRANSFER(pwrite64, "write", const void *, off64_t)
TRANSFER(pread, "read", void *, off_t)
TRANSFER(pread64, "read", void *, off64_t)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(write);
    switch (fate("write", "write", concerns(descriptor), count > 1)) {
    case FAILS: return -1;
    case IS_SHORT: return part(real(descriptor, bytes, count / 2));
    default: return real(descriptor, bytes, count);
    }
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    REAL(read);
    switch (fate("read", "read", concerns(descriptor), count > 1)) {
    case FAILS: return -1;
    case IS_SHORT: return part(real(descriptor, bytes, count / 2));
    default: return real(descriptor, bytes, count);
    }
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    REAL(writev);
    WRITES("writev", concerns(descriptor));
    return real(descriptor, parts, count);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    REAL(pwritev);
    WRITES("pwritev", concerns(descriptor));
    return real(descriptor, parts, count, offset);
}

ssize_t sendfile(int out, int in, off_t *offset, size_t count) {
    REAL(sendfile);
    WRITES("sendfile", concerns(out));
    return real(out, in, offset, count);
}

int fsync(int descriptor) {
    REAL(fsync);
    WRITES("fsync", concerns(descriptor));
    return real(descriptor);
}

int fdatasync(int descriptor) {
    REAL(fdatasync);
    WRITES("fdatasync", concerns(descriptor));
    return real(descriptor);
}

int msync(void *start, size_t count, int flags) {
    REAL(msync);
    WRITES("msync", 1);
    return real(start, count, flags);
}

int ftruncate(int descriptor, off_t length) {
    REAL(ftruncate);
    WRITES("ftruncate", concerns(descriptor));
    return real(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
    REAL(ftruncate64);
    WRITES("ftruncate64", concerns(descriptor));
    return real(descriptor, length);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    WRITES("rename", concerns_at(AT_FDCWD, to));
    return real(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    REAL(renameat);
    WRITES("renameat", concerns_at(to_folder, to));
    return real(from_folder, from, to_folder, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    REAL(linkat);
    WRITES("linkat", concerns_at(to_folder, to));
    return real(from_folder, from, to_folder, to, flags);
}

int unlink(const char *path) {
    REAL(unlink);
    WRITES("unlink", concerns_at(AT_FDCWD, path));
    return real(path);
}

int unlinkat(int folder, const char *path, int flags) {
    REAL(unlinkat);
    WRITES("unlinkat", concerns_at(folder, path));
    return real(folder, path, flags);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    WRITES("mkdir", concerns_at(AT_FDCWD, path));
    return real(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(mkdirat);
    WRITES("mkdirat", concerns_at(folder, path));
    return real(folder, path, mode);
}

// Gives the number of the error, unlike the others.
int posix_fallocate(int descriptor, off_t offset, off_t count) {
    REAL(posix_fallocate);
    if (fate("posix_fallocate", "write", concerns(descriptor), 0) == FAILS) return errno;
    return real(descriptor, offset, count);
}

int fallocate(int descriptor, int mode, off_t offset, off_t count) {
    REAL(fallocate);
    WRITES("fallocate", concerns(descriptor));
    return real(descriptor, mode, offset, count);
}

// Of the folder itself alone: a store that cannot lock its own file has no writer.
int flock(int descriptor, int operation) {
    REAL(flock);
    const char *folder = getenv("FAULT_FOLDER");
    int is_folder = concerns(descriptor) && strcmp(last_path, folder) == 0;
    if (fate("flock", "lock", is_folder, 0) == FAILS) return -1;
    return real(descriptor, operation);
}

#define LOOKS(name, concerned) \
    if (fate(name, "look", concerned, 0) == FAILS) return -1

int access(const char *path, int mode) {
    REAL(access);
    LOOKS("access", concerns_at(AT_FDCWD, path));
    return real(path, mode);
}

int stat(const char *path, struct stat *status) {
    REAL(stat);
    LOOKS("stat", concerns_at(AT_FDCWD, path));
    return real(path, status);
}

int lstat(const char *path, struct stat *status) {
    REAL(lstat);
    LOOKS("lstat", concerns_at(AT_FDCWD, path));
    return real(path, status);
}

int fstatat(int folder, const char *path, struct stat *status, int flags) {
    REAL(fstatat);
    LOOKS("fstatat", concerns_at(folder, path));
    return real(folder, path, status, flags);
}

DIR *opendir(const char *path) {
    REAL(opendir);
    if (fate("opendir", "look", concerns_at(AT_FDCWD, path), 0) == FAILS) return NULL;
    return real(path);
}

struct dirent *readdir(DIR *folder) {
    REAL(readdir);
    if (fate("readdir", "look", concerns(dirfd(folder)), 0) == FAILS) return NULL;
    return real(folder);
}

struct dirent64 *readdir64(DIR *folder) {
    REAL(readdir64);
    if (fate("readdir64", "look", concerns(dirfd(folder)), 0) == FAILS) return NULL;
    return real(folder);
}

int fstat(int descriptor, struct stat *status) {
    REAL(fstat);
    READS("fstat", concerns(descriptor));
    return real(descriptor, status);
}

int fstat64(int descriptor, struct stat64 *status) {
    REAL(fstat64);
    READS("fstat64", concerns(descriptor));
    return real(descriptor, status);
}

#define MAP(name, offset_type) \
    void *name(void *start, size_t count, int protection, int flags, int descriptor, offset_type offset) { \
        REAL(name); \
        int is_concerned = !(flags & MAP_ANONYMOUS) && concerns(descriptor); \
        if (is_concerned && fate(#name, "read", 1, 0) == FAILS) return MAP_FAILED; \
        return real(start, count, protection, flags, descriptor, offset); \
    }
MAP(mmap, off_t)
MAP(mmap64, off64_t)
