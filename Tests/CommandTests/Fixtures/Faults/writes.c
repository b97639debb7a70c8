// Writes files in every way that record.c tells of, in the folder that is its operand.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define CHECK(call) \
    if ((call) < 0) { \
        perror(#call); \
        return 1; \
    }

int main(int count, char **arguments) {
    char bytes[10000], link[64];
    for (size_t index = 0; index < sizeof bytes; index++) bytes[index] = (char)(index * 7);
    struct iovec parts[] = {{bytes, 100}, {bytes + 500, 4000}};
    if (count != 2) return 2;
    CHECK(chdir(arguments[1]));
    CHECK(mkdir("folder", 0755));
    int folder = open("folder", O_RDONLY | O_DIRECTORY);
    CHECK(mkdirat(folder, "inner", 0755));
    int first = openat(folder, "first.new", O_RDWR | O_CREAT | O_EXCL, 0644);
    CHECK(write(first, bytes, 5000));
    CHECK(writev(first, parts, 2));
    CHECK(pwrite(first, bytes + 1, 10, 4091));
    CHECK(pwritev(first, parts, 2, 9000));
    CHECK(ftruncate(first, 12000));
    CHECK(fsync(first));
    CHECK(renameat2(folder, "first.new", AT_FDCWD, "folder/inner/../first", RENAME_NOREPLACE));
    CHECK(fsync(folder));
    int second = open("second", O_WRONLY | O_CREAT | O_DSYNC, 0644);
    CHECK(lseek(first, 0, SEEK_SET));
    CHECK(sendfile(second, first, NULL, 3000));
    CHECK(lseek(second, 0, SEEK_SET));
    CHECK(write(second, "head", 4));
    CHECK(posix_fallocate(second, 0, 9000));
    CHECK(close(second));
    // A name that is taken stays as it is.
    if (linkat(AT_FDCWD, "second", folder, "first", 0) == 0) return 3;
    CHECK(linkat(AT_FDCWD, "second", folder, "linked", 0));
    int nameless = open(arguments[1], O_RDWR | O_TMPFILE, 0644);
    CHECK(write(nameless, bytes, 77));
    snprintf(link, sizeof link, "/proc/self/fd/%d", nameless);
    CHECK(linkat(AT_FDCWD, link, folder, "named", AT_SYMLINK_FOLLOW));
    loff_t from = 10, to = 50;
    CHECK(copy_file_range(first, &from, nameless, &to, 400, 0));
    CHECK(fdatasync(nameless));
    CHECK(unlinkat(folder, "linked", 0));
    CHECK(unlinkat(folder, "inner", AT_REMOVEDIR));
    // The number of a file that is gone may be that of the next one.
    for (int round = 0; round < 3; round++) {
        int again = creat("again", 0644);
        CHECK(write(again, bytes, (size_t)round + 1));
        CHECK(close(again));
        if (round < 2) CHECK(unlink("again"));
    }
    int last = open("second", O_WRONLY | O_APPEND);
    CHECK(write(last, "tail", 4));
    CHECK(rename("again", "folder/again"));
    CHECK(write(1, "done", 4));
    return 0;
}
