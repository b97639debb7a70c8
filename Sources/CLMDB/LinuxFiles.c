// What Linux alone knows of files: when one was made, room behind its end, and who uses one. The C library shows both under _GNU_SOURCE.
#define _GNU_SOURCE
#include "CLMDB.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

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

/// Whether a file system keeps the files of its users itself. One that lies over another, as overlayfs does, maps the files
/// below, and takes who has mapped one and closed it for no user.
static int counts_users(int descriptor) {
    struct statfs system;
    if (fstatfs(descriptor, &system) != 0) return 0;
    switch ((unsigned long)system.f_type) {
    case BTRFS_SUPER_MAGIC:
    case EXT4_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case XFS_SUPER_MAGIC: return 1;
    default: return 0;
    }
}

int clmdb_other_users(int descriptor) {
    if (!counts_users(descriptor)) return CLMDB_USERS_UNKNOWN;
    // A lease for writing is given to the only user of a file.
    if (fcntl(descriptor, F_SETLEASE, F_WRLCK) != 0) return errno == EAGAIN ? CLMDB_SOME_USERS : CLMDB_USERS_UNKNOWN;
    fcntl(descriptor, F_SETLEASE, F_UNLCK);
    return CLMDB_NO_USERS;
}
