// An HTTP/1.1 server for one machine: libevent's evhttp, as far as it is used. One thread runs the server and is told of
// requests; replies may be given from any thread.
#ifndef CHTTP_H
#define CHTTP_H
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct chttp_server chttp_server;
/// A request, for as long as the handler that is told of it runs.
typedef struct chttp_call chttp_call;

struct chttp_settings {
    /// The port; 0 for one that is free.
    uint16_t port;
    /// Bytes of a request's headers, and of its body.
    size_t header_limit, body_limit;
    /// Seconds after which a connection is closed: until its first request is whole, and after a reply until the next
    /// one is.
    int request_seconds, idle_seconds;
    /// Told of a request whose body has arrived. Runs on the server's thread.
    void (*handler)(void *_Nullable context, uint64_t number, const chttp_call *call);
    /// Told of a request whose reader is gone before its reply was given. Runs on the server's thread. A browser that
    /// closes its side of a connection is gone; other programs may close theirs and read on.
    void (*closed)(void *_Nullable context, uint64_t number);
    void *_Nullable context;
};

/// Listens on 127.0.0.1. Returns NULL and an errno when that fails.
chttp_server *_Nullable chttp_listen(const struct chttp_settings *settings, int *error);
uint16_t chttp_port(const chttp_server *server);
/// Serves until `chttp_stop`, which may be called from any thread and from signal handlers. Then it closes all
/// connections and no longer listens. It is called once.
void chttp_run(chttp_server *server);
void chttp_stop(chttp_server *server);
/// Frees a server that does not run, with what was not sent.
void chttp_free(chttp_server *server);

/// Words of the request; its texts are NUL-terminated.
const char *chttp_method(const chttp_call *call);
const char *chttp_target(const chttp_call *call);
const uint8_t *_Nullable chttp_body(const chttp_call *call, size_t *length);
/// Calls a function with each header, in order.
void chttp_headers(const chttp_call *call, void (*body)(void *context, const char *name, const char *value), void *context);

/// Begins a reply; `headers` are names and values, one behind the other. A length of -1 is one that is not known yet.
void chttp_begin(
    chttp_server *server, uint64_t number, int status, const char *_Nullable const *_Nonnull headers, size_t count,
    int64_t length);
/// Continues a reply. Returns the bytes that wait to be sent; -1 when nobody reads it any more.
int64_t chttp_write(chttp_server *server, uint64_t number, const uint8_t *_Nullable bytes, size_t length);
/// The bytes of a reply that wait to be sent; -1 when nobody reads it any more.
int64_t chttp_pending(chttp_server *server, uint64_t number);
void chttp_end(chttp_server *server, uint64_t number);

#pragma clang assume_nonnull end
#endif
