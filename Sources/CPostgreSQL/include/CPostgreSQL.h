// PostgreSQL's client library, as far as it is used. It is loaded by name when the first connection is made, so that no
// program is linked to it and none needs its headers to be built.
#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H
#include <stddef.h>
#include <stdint.h>

typedef struct cpg_connection cpg_connection;
typedef struct cpg_result cpg_result;
typedef struct cpg_cancel cpg_cancel;

/// Results of a statement, with libpq's numbers.
enum {
    CPG_EMPTY_QUERY = 0,
    CPG_COMMAND_OK = 1,
    CPG_TUPLES_OK = 2,
    CPG_COPY_OUT = 3,
    CPG_COPY_IN = 4,
    CPG_BAD_RESPONSE = 5,
    CPG_NONFATAL_ERROR = 6,
    CPG_FATAL_ERROR = 7,
    CPG_PIPELINE_SYNC = 10,
    CPG_PIPELINE_ABORTED = 11,
};

/// What to wait for before `cpg_connect_poll` is called next.
enum { CPG_POLLING_FAILED = 0, CPG_POLLING_READING = 1, CPG_POLLING_WRITING = 2, CPG_POLLING_OK = 3 };

/// Parts of an error: its SQLSTATE, its message, and the place in the statement.
enum { CPG_SQLSTATE = 'C', CPG_MESSAGE_PRIMARY = 'M' };

/// Whether the library and all functions that are used were found; loads it at the first call. From any thread.
int cpg_load(void);
/// What was not found, for messages; an empty text where all was.
const char *cpg_load_failure(void);
/// The version of the library, such as 150003; 0 before it is loaded.
int cpg_library_version(void);

// MARK: Connections. All but `cpg_cancel_*` by one thread at a time.

/// Begins to connect to where a connection string leads, with text in UTF-8: for writing to the first server that can be
/// written, unless the string says something else. Null where there is no memory.
cpg_connection *cpg_connect_start(const char *address, int is_for_writing);
/// Goes on connecting: CPG_POLLING_….
int cpg_connect_poll(cpg_connection *connection);
void cpg_finish(cpg_connection *connection);
/// Whether the connection is up.
int cpg_is_connected(const cpg_connection *connection);
/// The last message of the library. It may name hosts and users, never passwords.
const char *cpg_error_message(const cpg_connection *connection);
/// The socket; negative where there is none.
int cpg_socket(const cpg_connection *connection);
/// A setting that the server reports, such as `server_encoding`; null for others.
const char *cpg_parameter_status(const cpg_connection *connection, const char *name);
/// The version of the server, such as 150018.
int cpg_server_version(const cpg_connection *connection);
/// 0 idle, 1 active, 2 in a transaction, 3 in one that failed, 4 unknown.
int cpg_transaction_status(const cpg_connection *connection);
/// The process of the server.
int cpg_backend_process(const cpg_connection *connection);
int cpg_set_nonblocking(cpg_connection *connection);
/// Leaves the library's notices untold, which would go to the standard error output.
void cpg_silence(cpg_connection *connection);

/// Visits the parts of a connection string; 0 where it is none.
int cpg_parse(
    const char *text, void *context, void (*visit)(void *context, const char *keyword, const char *value));

// MARK: Statements

/// Whether the connection gathers statements into a pipeline from now on.
int cpg_enter_pipeline(cpg_connection *connection);
int cpg_exit_pipeline(cpg_connection *connection);
/// Sends a statement with parameters in binary form, results in binary form. A parameter without a value has a null
/// pointer. 1 where it was sent or waits to be.
int cpg_send(
    cpg_connection *connection, const char *statement, int count, const uint32_t *types, const char *const *values,
    const int *lengths);
/// Has the server keep a statement under a name, which is a statement of its own with a result.
int cpg_send_prepare(
    cpg_connection *connection, const char *name, const char *statement, int count, const uint32_t *types);
/// Sends what `cpg_send` does of a statement that the server keeps.
int cpg_send_prepared(
    cpg_connection *connection, const char *name, int count, const char *const *values, const int *lengths);
/// Marks the end of the statements that fail together.
int cpg_pipeline_sync(cpg_connection *connection);
/// Sends what waits: 0 all is sent, 1 some waits, -1 the connection is lost.
int cpg_flush(cpg_connection *connection);
/// Takes what the socket has; 0 where the connection is lost.
int cpg_consume(cpg_connection *connection);
/// Whether the next result would be waited for.
int cpg_is_busy(cpg_connection *connection);
/// The next result; null at the end of those of a statement.
cpg_result *cpg_next_result(cpg_connection *connection);

// MARK: Results

void cpg_clear(cpg_result *result);
int cpg_status(const cpg_result *result);
/// CPG_SQLSTATE or CPG_MESSAGE_PRIMARY of an error; null where there is none.
const char *cpg_error_field(const cpg_result *result, int field);
int cpg_row_count(const cpg_result *result);
int cpg_column_count(const cpg_result *result);
int cpg_is_null(const cpg_result *result, int row, int column);
/// The bytes of a value, which the result owns.
const char *cpg_value(const cpg_result *result, int row, int column);
int cpg_length(const cpg_result *result, int row, int column);
/// Rows that a command changed, as digits.
const char *cpg_command_rows(cpg_result *result);

// MARK: Copying, notifications, cancellation

/// Hands over bytes of COPY FROM STDIN: 1 taken, 0 the socket is full, -1 an error.
int cpg_put_copy(cpg_connection *connection, const char *bytes, int count);
/// Ends COPY FROM STDIN; with a message the server gives it up.
int cpg_end_copy(cpg_connection *connection, const char *failure);
/// Calls with the channel and payload of the next notification; 0 where none waits.
int cpg_next_notification(
    cpg_connection *connection, void *context,
    void (*visit)(void *context, const char *channel, const char *payload));
/// What cancels statements of a connection, from any thread; null where there is no memory.
cpg_cancel *cpg_make_cancel(cpg_connection *connection);
/// Tells the server to give up what it does: 1 when it was told.
int cpg_cancel_send(cpg_cancel *cancel);
void cpg_free_cancel(cpg_cancel *cancel);

/// Waits for a socket: 1 ready, 0 after the time, -1 for an error.
///
/// - Parameters milliseconds: Negative for any time.
int cpg_wait(int socket, int for_reading, int for_writing, int milliseconds);
#endif
