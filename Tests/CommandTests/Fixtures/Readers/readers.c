// Processes that read the tables of a store and do not come to an end of it, for tests: readers FOLDER COUNT die|stay.
//
// Each of COUNT processes opens the tables and begins to read; then it is killed, or stays until the input ends. Prints how
// many of them could begin.
#include <lmdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int begin(const char *folder) {
    MDB_env *env;
    MDB_txn *txn;
    if (mdb_env_create(&env) || mdb_env_set_maxdbs(env, 8) || mdb_env_set_mapsize(env, (size_t)1 << 30))
        return 0;
    return mdb_env_open(env, folder, MDB_RDONLY, 0644) == 0 && mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) == 0;
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    int wanted = atoi(arguments[2]), stays = strcmp(arguments[3], "stay") == 0, begun = 0, told[2], rest[2];
    // `rest` ends with the first process, and with it all others.
    if (pipe(told) || pipe(rest)) return 3;
    for (int index = 0; index < wanted; index++) {
        pid_t child = fork();
        if (child < 0) return 4;
        if (child == 0) {
            char byte = (char)begin(arguments[1]);
            close(rest[1]);
            if (write(told[1], &byte, 1) != 1) _exit(5);
            if (stays && read(rest[0], &byte, 1) != 0) _exit(6);
            kill(getpid(), SIGKILL);
        }
        char byte = 0;
        if (read(told[0], &byte, 1) != 1) return 7;
        begun += byte;
        if (!stays) waitpid(child, NULL, 0);
    }
    printf("%d\n", begun);
    fflush(stdout);
    char byte;
    if (stays && read(0, &byte, 1) != 0) return 8;
    // Whoever waits for this one finds the list without them.
    close(rest[1]);
    while (wait(NULL) > 0) {
    }
    return 0;
}
