// LMDB behind functions of our own: its header stays out of the Swift modules.
#include "CLMDB.h"

#include <fcntl.h>
#include <lmdb.h>
#include <string.h>

_Static_assert(CLMDB_NOT_FOUND == MDB_NOTFOUND && CLMDB_PAGE_NOT_FOUND == MDB_PAGE_NOTFOUND &&
                   CLMDB_CORRUPTED == MDB_CORRUPTED && CLMDB_PANIC == MDB_PANIC &&
                   CLMDB_VERSION_MISMATCH == MDB_VERSION_MISMATCH && CLMDB_INVALID == MDB_INVALID &&
                   CLMDB_MAP_FULL == MDB_MAP_FULL && CLMDB_READERS_FULL == MDB_READERS_FULL &&
                   CLMDB_MAP_RESIZED == MDB_MAP_RESIZED,
               "the numbers of errors are LMDB's");

static MDB_env *env(clmdb_environment *environment) { return (MDB_env *)environment; }
static MDB_txn *txn(clmdb_transaction *transaction) { return (MDB_txn *)transaction; }
static MDB_cursor *cur(clmdb_cursor *cursor) { return (MDB_cursor *)cursor; }

int clmdb_open(const char *path, size_t map_size, unsigned options, clmdb_environment **environment) {
    MDB_env *made = NULL;
    int status = mdb_env_create(&made);
    if (status != 0) return status;
    unsigned flags = 0;
    if (options & CLMDB_READ_ONLY) flags |= MDB_RDONLY;
    if (options & CLMDB_NO_LOCK) flags |= MDB_NOLOCK;
    if (options & CLMDB_NO_META_SYNC) flags |= MDB_NOMETASYNC;
    if (options & CLMDB_NO_SYNC) flags |= MDB_NOSYNC;
    status = mdb_env_set_maxdbs(made, 8);
    if (status == 0) status = mdb_env_set_maxreaders(made, CLMDB_READERS);
    if (status == 0) status = mdb_env_set_mapsize(made, map_size);
    if (status == 0) status = mdb_env_open(made, path, flags, 0644);
    if (status != 0) {
        mdb_env_close(made);
        return status;
    }
    // LMDB 0.9 leaves its file open in programs that this one starts; they would keep a disk busy.
    mdb_filehandle_t file;
    if (mdb_env_get_fd(made, &file) == 0) (void)fcntl(file, F_SETFD, FD_CLOEXEC);
    *environment = (clmdb_environment *)made;
    // What they kept is not worth an error: whoever needs their places asks again.
    (void)clmdb_forget_dead_readers(*environment);
    return 0;
}

void clmdb_close(clmdb_environment *environment) { mdb_env_close(env(environment)); }

int clmdb_sync(clmdb_environment *environment) { return mdb_env_sync(env(environment), 1); }

int clmdb_set_map_size(clmdb_environment *environment, size_t map_size) {
    return mdb_env_set_mapsize(env(environment), map_size);
}

size_t clmdb_map_size(clmdb_environment *environment) {
    MDB_envinfo info;
    return mdb_env_info(env(environment), &info) == 0 ? info.me_mapsize : 0;
}

int clmdb_forget_dead_readers(clmdb_environment *environment) {
    int dead = 0;
    return mdb_reader_check(env(environment), &dead);
}

int clmdb_copy(clmdb_environment *environment, const char *path) {
    return mdb_env_copy2(env(environment), path, 0);
}

int clmdb_sizes(clmdb_environment *environment, uint64_t *used_pages, uint64_t *page_size) {
    MDB_envinfo info;
    MDB_stat stat;
    int status = mdb_env_info(env(environment), &info);
    if (status == 0) status = mdb_env_stat(env(environment), &stat);
    if (status != 0) return status;
    *used_pages = info.me_last_pgno + 1;
    *page_size = stat.ms_psize;
    return 0;
}

int clmdb_begin(clmdb_environment *environment, int is_read_only, clmdb_transaction **transaction) {
    MDB_txn *made = NULL;
    const unsigned flags = is_read_only ? MDB_RDONLY : 0;
    int status = mdb_txn_begin(env(environment), NULL, flags, &made);
    if (status == MDB_READERS_FULL && clmdb_forget_dead_readers(environment) == 0)
        status = mdb_txn_begin(env(environment), NULL, flags, &made);
    if (status == 0) *transaction = (clmdb_transaction *)made;
    return status;
}

int clmdb_commit(clmdb_transaction *transaction) { return mdb_txn_commit(txn(transaction)); }
void clmdb_abort(clmdb_transaction *transaction) { mdb_txn_abort(txn(transaction)); }
uint64_t clmdb_number(clmdb_transaction *transaction) { return mdb_txn_id(txn(transaction)); }

int clmdb_table(clmdb_transaction *transaction, const char *name, int makes, unsigned *table) {
    return mdb_dbi_open(txn(transaction), name, makes ? MDB_CREATE : 0, table);
}

int clmdb_table_sizes(clmdb_transaction *transaction, unsigned table, uint64_t *bytes, uint64_t *entries) {
    MDB_stat stat;
    int status = mdb_stat(txn(transaction), table, &stat);
    if (status != 0) return status;
    *bytes = (uint64_t)(stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages) * stat.ms_psize;
    *entries = stat.ms_entries;
    return 0;
}

int clmdb_free_bytes(clmdb_transaction *transaction, uint64_t *bytes) {
    // LMDB's own table of free pages: by transaction, their number and the pages.
    const MDB_dbi free_pages = 0;
    MDB_cursor *cursor = NULL;
    MDB_stat stat;
    MDB_val key, pages;
    uint64_t count = 0;
    int status = mdb_stat(txn(transaction), free_pages, &stat);
    if (status == 0) status = mdb_cursor_open(txn(transaction), free_pages, &cursor);
    if (status != 0) return status;
    while ((status = mdb_cursor_get(cursor, &key, &pages, MDB_NEXT)) == 0) {
        size_t number = 0;
        if (pages.mv_size < sizeof number) break;
        memcpy(&number, pages.mv_data, sizeof number);
        count += number;
    }
    mdb_cursor_close(cursor);
    *bytes = count * stat.ms_psize;
    return status == MDB_NOTFOUND ? 0 : status;
}

int clmdb_get(clmdb_transaction *transaction, unsigned table, const void *key, size_t key_length, const void **value,
              size_t *value_length) {
    MDB_val name = {key_length, (void *)key}, found;
    int status = mdb_get(txn(transaction), table, &name, &found);
    if (status != 0) return status;
    *value = found.mv_data;
    *value_length = found.mv_size;
    return 0;
}

int clmdb_reserve(clmdb_transaction *transaction, unsigned table, const void *key, size_t key_length, void **value,
                  size_t value_length) {
    MDB_val name = {key_length, (void *)key}, room = {value_length, NULL};
    int status = mdb_put(txn(transaction), table, &name, &room, MDB_RESERVE);
    if (status == 0) *value = room.mv_data;
    return status;
}

int clmdb_delete(clmdb_transaction *transaction, unsigned table, const void *key, size_t key_length) {
    MDB_val name = {key_length, (void *)key};
    return mdb_del(txn(transaction), table, &name, NULL);
}

int clmdb_cursor_open(clmdb_transaction *transaction, unsigned table, clmdb_cursor **cursor) {
    MDB_cursor *made = NULL;
    int status = mdb_cursor_open(txn(transaction), table, &made);
    if (status == 0) *cursor = (clmdb_cursor *)made;
    return status;
}

void clmdb_cursor_close(clmdb_cursor *cursor) { mdb_cursor_close(cur(cursor)); }

static int move(clmdb_cursor *cursor, MDB_cursor_op direction, const void **key, size_t *key_length,
                const void **value, size_t *value_length) {
    MDB_val name, found;
    int status = mdb_cursor_get(cur(cursor), &name, &found, direction);
    if (status != 0) return status;
    *key = name.mv_data;
    *key_length = name.mv_size;
    *value = found.mv_data;
    *value_length = found.mv_size;
    return 0;
}

int clmdb_cursor_next(clmdb_cursor *cursor, const void **key, size_t *key_length, const void **value,
                      size_t *value_length) {
    return move(cursor, MDB_NEXT, key, key_length, value, value_length);
}

int clmdb_cursor_seek(clmdb_cursor *cursor, const void *from, size_t from_length, const void **key, size_t *key_length,
                      const void **value, size_t *value_length) {
    MDB_val name = {from_length, (void *)from}, found;
    int status = mdb_cursor_get(cur(cursor), &name, &found, MDB_SET_RANGE);
    if (status != 0) return status;
    *key = name.mv_data;
    *key_length = name.mv_size;
    *value = found.mv_data;
    *value_length = found.mv_size;
    return 0;
}

int clmdb_cursor_last(clmdb_cursor *cursor, const void **key, size_t *key_length, const void **value,
                      size_t *value_length) {
    return move(cursor, MDB_LAST, key, key_length, value, value_length);
}

int clmdb_cursor_delete(clmdb_cursor *cursor) { return mdb_cursor_del(cur(cursor), 0); }
