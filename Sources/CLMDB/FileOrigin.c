// When a file was made: Linux tells it by `statx` alone, which the C library shows under _GNU_SOURCE.
#define _GNU_SOURCE
#include "CLMDB.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

int clmdb_file_origin(const char *path, uint64_t *number, int64_t *made) {
    struct statx status;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &status) != 0) return errno;
    *number = status.stx_ino;
    int is_known = (status.stx_mask & STATX_BTIME) != 0;
    *made = is_known ? status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec : 0;
    return 0;
}
