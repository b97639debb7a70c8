// Loads PostgreSQL's client library and calls its functions. The declarations are the library's documented ones, which
// stay the same for all versions of libpq.so.5.
#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// The beginning of PGnotify, whose fields are public.
typedef struct {
    char *channel;
    int process;
    char *payload;
} notification;

// PQconninfoOption, whose fields are public.
typedef struct {
    char *keyword;
    char *environment;
    char *compiled;
    char *value;
    char *label;
    char *display;
    int size;
} option;

typedef void (*notice_processor)(void *context, const char *message);

// Every function that is used: what it returns, its name, its parameters.
#define FUNCTIONS(F)                                                                                                  \
    F(int, PQlibVersion, (void))                                                                                      \
    F(cpg_connection *, PQconnectStartParams, (const char *const *, const char *const *, int))                        \
    F(int, PQconnectPoll, (cpg_connection *))                                                                         \
    F(void, PQfinish, (cpg_connection *))                                                                             \
    F(int, PQstatus, (const cpg_connection *))                                                                        \
    F(char *, PQerrorMessage, (const cpg_connection *))                                                               \
    F(int, PQsocket, (const cpg_connection *))                                                                        \
    F(const char *, PQparameterStatus, (const cpg_connection *, const char *))                                        \
    F(int, PQserverVersion, (const cpg_connection *))                                                                 \
    F(int, PQtransactionStatus, (const cpg_connection *))                                                             \
    F(int, PQbackendPID, (const cpg_connection *))                                                                    \
    F(int, PQsetnonblocking, (cpg_connection *, int))                                                                 \
    F(notice_processor, PQsetNoticeProcessor, (cpg_connection *, notice_processor, void *))                           \
    F(option *, PQconninfoParse, (const char *, char **))                                                             \
    F(void, PQconninfoFree, (option *))                                                                               \
    F(int, PQenterPipelineMode, (cpg_connection *))                                                                   \
    F(int, PQexitPipelineMode, (cpg_connection *))                                                                    \
    F(int, PQpipelineSync, (cpg_connection *))                                                                        \
    F(int, PQsendQueryParams,                                                                                         \
        (cpg_connection *, const char *, int, const uint32_t *, const char *const *, const int *, const int *, int))  \
    F(int, PQsendPrepare, (cpg_connection *, const char *, const char *, int, const uint32_t *))                      \
    F(int, PQsendQueryPrepared,                                                                                       \
        (cpg_connection *, const char *, int, const char *const *, const int *, const int *, int))                    \
    F(int, PQflush, (cpg_connection *))                                                                               \
    F(int, PQconsumeInput, (cpg_connection *))                                                                        \
    F(int, PQisBusy, (cpg_connection *))                                                                              \
    F(cpg_result *, PQgetResult, (cpg_connection *))                                                                  \
    F(void, PQclear, (cpg_result *))                                                                                  \
    F(int, PQresultStatus, (const cpg_result *))                                                                      \
    F(char *, PQresultErrorField, (const cpg_result *, int))                                                          \
    F(int, PQntuples, (const cpg_result *))                                                                           \
    F(int, PQnfields, (const cpg_result *))                                                                           \
    F(int, PQgetisnull, (const cpg_result *, int, int))                                                               \
    F(char *, PQgetvalue, (const cpg_result *, int, int))                                                             \
    F(int, PQgetlength, (const cpg_result *, int, int))                                                               \
    F(char *, PQcmdTuples, (cpg_result *))                                                                            \
    F(int, PQputCopyData, (cpg_connection *, const char *, int))                                                      \
    F(int, PQputCopyEnd, (cpg_connection *, const char *))                                                            \
    F(notification *, PQnotifies, (cpg_connection *))                                                                 \
    F(void, PQfreemem, (void *))                                                                                      \
    F(cpg_cancel *, PQgetCancel, (cpg_connection *))                                                                  \
    F(int, PQcancel, (cpg_cancel *, char *, int))                                                                     \
    F(void, PQfreeCancel, (cpg_cancel *))

#define MEMBER(result, name, parameters) result(*name) parameters;
static struct {
    FUNCTIONS(MEMBER)
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256];
static int is_loaded;

static void load(void) {
    void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(failure, sizeof failure, "the library libpq.so.5 is not there");
        return;
    }
    // A pointer to an object and one to a function have one form here, as POSIX demands of dlsym.
#define RESOLVE(result, name, parameters)                                                                             \
    {                                                                                                                 \
        void *address = dlsym(handle, #name);                                                                         \
        if (!address) {                                                                                               \
            snprintf(failure, sizeof failure, "libpq.so.5 has no function " #name ": version 14 or later is needed"); \
            return;                                                                                                   \
        }                                                                                                             \
        memcpy(&library.name, &address, sizeof address);                                                              \
    }
    FUNCTIONS(RESOLVE)
    is_loaded = 1;
}

int cpg_load(void) {
    pthread_once(&once, load);
    return is_loaded;
}

const char *cpg_load_failure(void) { return failure; }
int cpg_library_version(void) { return is_loaded ? library.PQlibVersion() : 0; }

cpg_connection *cpg_connect_start(const char *address, int is_for_writing) {
    // "dbname" may be a whole connection string: it overrides what comes before, and what comes behind overrides it.
    // A keyword without a value is as if it were not there.
    const char *keywords[] = {"keepalives_idle",      "keepalives_interval", "keepalives_count", "tcp_user_timeout",
                              "target_session_attrs", "dbname",              "client_encoding",  NULL};
    const char *values[] = {"15", "5", "3", "30000", is_for_writing ? "read-write" : NULL, address, "UTF8", NULL};
    return library.PQconnectStartParams(keywords, values, 1);
}
int cpg_connect_poll(cpg_connection *connection) { return library.PQconnectPoll(connection); }
void cpg_finish(cpg_connection *connection) { library.PQfinish(connection); }
int cpg_is_connected(const cpg_connection *connection) { return library.PQstatus(connection) == 0; }
const char *cpg_error_message(const cpg_connection *connection) { return library.PQerrorMessage(connection); }
int cpg_socket(const cpg_connection *connection) { return library.PQsocket(connection); }
const char *cpg_parameter_status(const cpg_connection *connection, const char *name) {
    return library.PQparameterStatus(connection, name);
}
int cpg_server_version(const cpg_connection *connection) { return library.PQserverVersion(connection); }
int cpg_transaction_status(const cpg_connection *connection) { return library.PQtransactionStatus(connection); }
int cpg_backend_process(const cpg_connection *connection) { return library.PQbackendPID(connection); }
int cpg_set_nonblocking(cpg_connection *connection) { return library.PQsetnonblocking(connection, 1) == 0; }

static void leave_untold(void *context, const char *message) {
    (void)context;
    (void)message;
}
void cpg_silence(cpg_connection *connection) { library.PQsetNoticeProcessor(connection, leave_untold, NULL); }

int cpg_parse(
    const char *text, void *context, void (*visit)(void *context, const char *keyword, const char *value)) {
    char *message = NULL;
    option *options = library.PQconninfoParse(text, &message);
    // The message repeats parts of the text, which may be a password.
    if (message) library.PQfreemem(message);
    if (!options) return 0;
    for (option *next = options; next->keyword; next++) {
        if (next->value) visit(context, next->keyword, next->value);
    }
    library.PQconninfoFree(options);
    return 1;
}

int cpg_enter_pipeline(cpg_connection *connection) { return library.PQenterPipelineMode(connection); }
int cpg_exit_pipeline(cpg_connection *connection) { return library.PQexitPipelineMode(connection); }

// More parameters than any statement has: the protocol counts them in 16 bits.
enum { MOST_PARAMETERS = 65535 };
static int formats[MOST_PARAMETERS];
static pthread_once_t formats_once = PTHREAD_ONCE_INIT;
static void set_formats(void) {
    for (int index = 0; index < MOST_PARAMETERS; index++) formats[index] = 1;
}

int cpg_send(
    cpg_connection *connection, const char *statement, int count, const uint32_t *types, const char *const *values,
    const int *lengths) {
    if (count < 0 || count > MOST_PARAMETERS) return 0;
    pthread_once(&formats_once, set_formats);
    return library.PQsendQueryParams(connection, statement, count, types, values, lengths, formats, 1);
}

int cpg_send_prepare(
    cpg_connection *connection, const char *name, const char *statement, int count, const uint32_t *types) {
    return library.PQsendPrepare(connection, name, statement, count, types);
}

int cpg_send_prepared(
    cpg_connection *connection, const char *name, int count, const char *const *values, const int *lengths) {
    if (count < 0 || count > MOST_PARAMETERS) return 0;
    pthread_once(&formats_once, set_formats);
    return library.PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1);
}

int cpg_pipeline_sync(cpg_connection *connection) { return library.PQpipelineSync(connection); }
int cpg_flush(cpg_connection *connection) { return library.PQflush(connection); }
int cpg_consume(cpg_connection *connection) { return library.PQconsumeInput(connection); }
int cpg_is_busy(cpg_connection *connection) { return library.PQisBusy(connection); }
cpg_result *cpg_next_result(cpg_connection *connection) { return library.PQgetResult(connection); }

void cpg_clear(cpg_result *result) { library.PQclear(result); }
int cpg_status(const cpg_result *result) { return library.PQresultStatus(result); }
const char *cpg_error_field(const cpg_result *result, int field) { return library.PQresultErrorField(result, field); }
int cpg_row_count(const cpg_result *result) { return library.PQntuples(result); }
int cpg_column_count(const cpg_result *result) { return library.PQnfields(result); }
int cpg_is_null(const cpg_result *result, int row, int column) { return library.PQgetisnull(result, row, column); }
const char *cpg_value(const cpg_result *result, int row, int column) { return library.PQgetvalue(result, row, column); }
int cpg_length(const cpg_result *result, int row, int column) { return library.PQgetlength(result, row, column); }
const char *cpg_command_rows(cpg_result *result) { return library.PQcmdTuples(result); }

int cpg_put_copy(cpg_connection *connection, const char *bytes, int count) {
    return library.PQputCopyData(connection, bytes, count);
}
int cpg_end_copy(cpg_connection *connection, const char *message) { return library.PQputCopyEnd(connection, message); }

int cpg_next_notification(
    cpg_connection *connection, void *context,
    void (*visit)(void *context, const char *channel, const char *payload)) {
    notification *next = library.PQnotifies(connection);
    if (!next) return 0;
    visit(context, next->channel, next->payload);
    library.PQfreemem(next);
    return 1;
}

cpg_cancel *cpg_make_cancel(cpg_connection *connection) { return library.PQgetCancel(connection); }
int cpg_cancel_send(cpg_cancel *cancel) {
    char message[256];
    return library.PQcancel(cancel, message, sizeof message);
}
void cpg_free_cancel(cpg_cancel *cancel) { library.PQfreeCancel(cancel); }

int cpg_wait(int socket, int for_reading, int for_writing, int milliseconds) {
    struct pollfd wanted = {.fd = socket, .events = (short)((for_reading ? POLLIN : 0) | (for_writing ? POLLOUT : 0))};
    int count = poll(&wanted, 1, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -1;
    return count > 0;
}
