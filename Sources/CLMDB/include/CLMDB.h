// LMDB's environments, transactions and cursors, as far as they are used. Functions return 0, an errno, or one of the
// negative numbers of CLMDB_*.
#ifndef CLMDB_H
#define CLMDB_H
#include <stddef.h>
#include <stdint.h>

typedef struct clmdb_environment clmdb_environment;
typedef struct clmdb_transaction clmdb_transaction;
typedef struct clmdb_cursor clmdb_cursor;

enum {
    CLMDB_NOT_FOUND = -30798,
    CLMDB_PAGE_NOT_FOUND = -30797,
    CLMDB_CORRUPTED = -30796,
    CLMDB_PANIC = -30795,
    CLMDB_VERSION_MISMATCH = -30794,
    CLMDB_INVALID = -30793,
    CLMDB_MAP_FULL = -30792,
    CLMDB_READERS_FULL = -30790,
    CLMDB_MAP_RESIZED = -30785,
};

enum {
    CLMDB_READ_ONLY = 1,
    CLMDB_NO_LOCK = 2,
    /// A commit waits until its pages are on the disk, and not until the page that names them is.
    CLMDB_NO_META_SYNC = 4,
    /// A commit does not wait for the disk.
    CLMDB_NO_SYNC = 8,
};

enum {
    /// Readers that there may be at a time, where the list of readers is made anew; others have the list that is there.
    CLMDB_READERS = 1022,
};

/// Opens the environment of a folder, and forgets readers whose processes are gone. When this fails, nothing is left open.
int clmdb_open(const char *path, size_t map_size, unsigned options, clmdb_environment **environment);
void clmdb_close(clmdb_environment *environment);
/// Waits until everything that was committed is on the disk.
int clmdb_sync(clmdb_environment *environment);
/// Sets the size of the map; 0 takes over the size that another process set. No transaction may be open.
int clmdb_set_map_size(clmdb_environment *environment, size_t map_size);
size_t clmdb_map_size(clmdb_environment *environment);
/// Forgets readers whose processes are gone.
int clmdb_forget_dead_readers(clmdb_environment *environment);
/// Writes a copy of one state into a folder that exists.
int clmdb_copy(clmdb_environment *environment, const char *path);
/// Number and size of all pages that were ever used.
int clmdb_sizes(clmdb_environment *environment, uint64_t *used_pages, uint64_t *page_size);

/// Begins a transaction; a writing one waits for the one before it, and belongs to its thread. Where the list of readers is
/// full, those whose processes are gone are forgotten first.
int clmdb_begin(clmdb_environment *environment, int is_read_only, clmdb_transaction **transaction);
/// Ends a transaction, whatever the result.
int clmdb_commit(clmdb_transaction *transaction);
void clmdb_abort(clmdb_transaction *transaction);
/// The number of the last commit that the transaction sees; of a writing one, its own.
uint64_t clmdb_number(clmdb_transaction *transaction);

/// Finds a table by its name, or makes it.
int clmdb_table(clmdb_transaction *transaction, const char *name, int makes, unsigned *table);
/// Bytes of the pages of a table, and its entries.
int clmdb_table_sizes(clmdb_transaction *transaction, unsigned table, uint64_t *bytes, uint64_t *entries);
/// Bytes of the pages that no table has and later transactions may take.
int clmdb_free_bytes(clmdb_transaction *transaction, uint64_t *bytes);
/// The value of a key; valid until the transaction writes or ends.
int clmdb_get(clmdb_transaction *transaction, unsigned table, const void *key, size_t key_length, const void **value,
              size_t *value_length);
/// Room for the value of a key, which replaces an earlier one; to be filled at once.
int clmdb_reserve(clmdb_transaction *transaction, unsigned table, const void *key, size_t key_length, void **value,
                  size_t value_length);
int clmdb_delete(clmdb_transaction *transaction, unsigned table, const void *key, size_t key_length);

int clmdb_cursor_open(clmdb_transaction *transaction, unsigned table, clmdb_cursor **cursor);
void clmdb_cursor_close(clmdb_cursor *cursor);
/// The next entry in order of keys, the first one after opening. After a deletion, the one behind the deleted.
int clmdb_cursor_next(clmdb_cursor *cursor, const void **key, size_t *key_length, const void **value,
                      size_t *value_length);
/// The first entry whose key is not before the given one.
int clmdb_cursor_seek(clmdb_cursor *cursor, const void *from, size_t from_length, const void **key, size_t *key_length,
                      const void **value, size_t *value_length);
/// The last entry.
int clmdb_cursor_last(clmdb_cursor *cursor, const void **key, size_t *key_length, const void **value,
                      size_t *value_length);
/// Deletes the entry that came last.
int clmdb_cursor_delete(clmdb_cursor *cursor);

/// Which file has a name: its number in the file system, and when it was made, in nanoseconds since 1970; 0 where the file
/// system does not say.
int clmdb_file_origin(const char *path, uint64_t *number, int64_t *made);

/// Takes room on the disk for the first bytes of a file, whose length stays.
int clmdb_take_room(int descriptor, size_t size);

enum {
    CLMDB_NO_USERS,
    CLMDB_SOME_USERS,
    /// The file system cannot tell, or it is not known whether it is right.
    CLMDB_USERS_UNKNOWN,
};

/// Whether anybody else, of any process, has a file open or mapped that this process has open for reading and writing: one
/// of CLMDB_*USERS*.
int clmdb_other_users(int descriptor);

#endif
