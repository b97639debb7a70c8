// What Linux alone knows of files: when one was made, room behind its end, and who uses one. The C library shows both under _GNU_SOURCE.
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

int clmdb_take_room(int descriptor, size_t size) {
    return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, (off_t)size) == 0 ? 0 : errno;
}

int clmdb_has_no_other_user(int descriptor) {
    // A lease for writing is given to the only user of a file.
    if (fcntl(descriptor, F_SETLEASE, F_WRLCK) != 0) return 0;
    fcntl(descriptor, F_SETLEASE, F_UNLCK);
    return 1;
}
