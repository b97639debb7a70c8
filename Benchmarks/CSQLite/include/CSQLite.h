// SQLite as a peer of the benchmarks, and as a format that the command reads: the calls used, opaque. Never linked into
// a library product.
#ifndef CSQLITE_H
#define CSQLITE_H
#include <stddef.h>
#include <stdint.h>

typedef struct csqlite csqlite;
typedef struct csqlite_statement csqlite_statement;

/// An empty database in memory with the functions of the workload (hav, fold_cd, has_bytes, regexp_full), or NULL.
csqlite *csqlite_open(void);
/// As csqlite_open, in a file.
csqlite *csqlite_open_file(const char *path);
/// A database in a file that is there, only to read; NULL where it cannot be opened.
csqlite *csqlite_open_to_read(const char *path);
void csqlite_close(csqlite *database);
/// The library's version, for example "3.40.1".
const char *csqlite_version(void);
/// What the last failed call said.
const char *csqlite_message(const csqlite *database);
/// Bytes that SQLite has allocated.
int64_t csqlite_memory_used(void);

/// Runs statements without results. Returns 0, or the error code.
int csqlite_execute(csqlite *database, const char *sql);
/// A statement to run many times, or NULL.
csqlite_statement *csqlite_prepare(csqlite *database, const char *sql);
/// A statement to run once, or NULL.
csqlite_statement *csqlite_prepare_once(csqlite *database, const char *sql);
/// As csqlite_prepare; NULL when anything but blanks and comments follows the first statement, or there is none.
csqlite_statement *csqlite_prepare_single(csqlite *database, const char *sql);
void csqlite_finalize(csqlite_statement *statement);

// Parameters count from 1; a text must live until the statement was run.
void csqlite_bind_null(csqlite_statement *statement, int parameter);
void csqlite_bind_int64(csqlite_statement *statement, int parameter, int64_t value);
void csqlite_bind_double(csqlite_statement *statement, int parameter, double value);
/// Binds text that is copied.
void csqlite_bind_text(csqlite_statement *statement, int parameter, const char *bytes, size_t length);
/// Runs a statement without results and makes it ready again. Returns 0, or the error code.
int csqlite_run(csqlite_statement *statement);

/// The first column of the first row; -1 on error.
int64_t csqlite_count(csqlite_statement *statement);
/// Copies the first column of every row into the statement's buffer and says how many rows there were; -1 on error.
int64_t csqlite_ids(csqlite_statement *statement);
/// As csqlite_ids for the `limit` points nearest to a place, nearest first. The statement has the four parameters least
/// and greatest latitude, least and greatest longitude, and the columns id, latitude, longitude.
int64_t csqlite_nearest(csqlite_statement *statement, double latitude, double longitude, int64_t limit);
/// Sum of the numbers that the last csqlite_ids or csqlite_nearest delivered, modulo 2^64.
uint64_t csqlite_ids_sum(const csqlite_statement *statement);
/// One of those numbers; -1 outside of them.
int64_t csqlite_id(const csqlite_statement *statement, int64_t position);
/// The next row: 1 when there is one, 0 at the end, -1 on error.
int csqlite_step(csqlite_statement *statement);
/// Makes a statement that was stepped ready for other values. Returns 0, or the error code of the last step.
int csqlite_reset(csqlite_statement *statement);
/// A whole number of the row's column, from 0.
int64_t csqlite_column_int64(csqlite_statement *statement, int column);
/// A number of the row's column, from 0.
double csqlite_column_double(csqlite_statement *statement, int column);
/// How many columns the rows have.
int csqlite_column_count(csqlite_statement *statement);
/// The name of a column, from 0.
const char *csqlite_column_name(csqlite_statement *statement, int column);
/// The type that a table declares for a column, from 0; NULL where there is none.
const char *csqlite_column_declared_type(csqlite_statement *statement, int column);
/// What the value of a column of the row is: 1 a whole number, 2 a number, 3 a text, 4 bytes, 5 none.
int csqlite_column_kind(csqlite_statement *statement, int column);
/// The bytes of a column of the row, good until the next step; NULL for none.
const void *csqlite_column_blob(csqlite_statement *statement, int column, size_t *length);
/// The text of a column of the row, and its bytes; NULL for no value. Both are good until the next step.
const char *csqlite_column_text(csqlite_statement *statement, int column, size_t *length);
#endif
