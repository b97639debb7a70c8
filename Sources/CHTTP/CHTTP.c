// libevent's evhttp behind a few functions. Four of its traps are met here: it does not see a reader hang up while a
// reply is worked on (and reading on would let a second request end the process), its own event for that turns in
// circles when a connection is reset, it writes head and body apart, and at the limit of open files it tries to accept
// connections as fast as it can.
#include "CHTTP.h"
#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <event2/util.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/// A request that is being answered.
struct live {
    uint64_t number;
    struct evhttp_request *request;
    /// The request's, which evhttp takes from it when a connection fails. The buffer is held.
    struct evhttp_connection *connection;
    struct bufferevent *buffer;
    int fd;
    struct evbuffer_cb_entry *tally;
    chttp_server *server;
    int is_begun, is_chunked, is_of_page, status;
    struct evbuffer *body;
    /// Bytes that were given and not sent. Guarded by the server's lock.
    int64_t pending;
    struct live *next;
};

/// A connection whose next request is not whole. Its buffer is held, so that it outlives the connection.
struct waiting {
    struct bufferevent *buffer;
    time_t deadline;
    struct waiting *next;
};

/// What another thread wants done on the server's.
struct post {
    enum { BEGIN, WRITE, END } kind;
    uint64_t number;
    int status;
    int64_t length;
    size_t count;
    uint8_t *bytes;
    struct post *next;
};

struct chttp_server {
    struct chttp_settings settings;
    struct event_base *base;
    /// NULL when it no longer serves.
    struct evhttp *http;
    struct evconnlistener *listener;
    struct event *wake, *sweep, *gone;
    int wake_fd;
    /// An epoll of its own, which tells of readers who hang up without reading what they sent.
    int gone_fd;
    uint16_t port;
    uint64_t last;
    struct waiting *waiting;
    atomic_int stops;
    pthread_mutex_t lock;
    /// Guarded by the lock, as is what waits: changed by the server's thread alone.
    struct live *live;
    struct post *first, **end;
};

struct chttp_call {
    struct evhttp_request *request;
};

static time_t seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static struct live *find(chttp_server *s, uint64_t number) {
    for (struct live *l = s->live; l; l = l->next)
        if (l->number == number) return l;
    return NULL;
}

// Connections that wait

/// Closes a connection unless its next request is whole by then.
static void await_request(chttp_server *s, struct bufferevent *buffer, int limit) {
    struct waiting *w = calloc(1, sizeof *w);
    if (!w) return;
    bufferevent_incref(buffer);
    *w = (struct waiting){.buffer = buffer, .deadline = seconds() + limit, .next = s->waiting};
    s->waiting = w;
}

static void stop_awaiting(chttp_server *s, struct bufferevent *buffer) {
    for (struct waiting **p = &s->waiting; *p; p = &(*p)->next) {
        struct waiting *w = *p;
        if (w->buffer != buffer) continue;
        *p = w->next;
        bufferevent_decref(w->buffer);
        free(w);
        return;
    }
}

/// Whether connections have taken all files but those that are kept for the rest of the process: where none is free,
/// Dispatch ends the process when it looks after its threads.
static int is_crowded(const chttp_server *s) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY) return 0;
    rlim_t kept = limit.rlim_cur < 128 ? limit.rlim_cur / 4 : 32;
    // A new file gets the lowest number that is free.
    int lowest = fcntl(s->wake_fd, F_DUPFD_CLOEXEC, 0);
    if (lowest >= 0) close(lowest);
    return lowest < 0 || (rlim_t)lowest >= limit.rlim_cur - kept;
}

static void on_sweep(evutil_socket_t fd, short what, void *context) {
    (void)fd, (void)what;
    chttp_server *s = context;
    if (s->http && !is_crowded(s)) evconnlistener_enable(s->listener);
    time_t now = seconds();
    for (struct waiting **p = &s->waiting; *p;) {
        struct waiting *w = *p;
        bufferevent_event_cb ends;
        bufferevent_getcb(w->buffer, NULL, NULL, &ends, NULL);
        // A reply that is still read is no request that is late.
        if (evbuffer_get_length(bufferevent_get_output(w->buffer))) w->deadline = now + s->settings.idle_seconds;
        // A buffer without functions is one whose connection was closed.
        if (ends && now < w->deadline) {
            p = &w->next;
            continue;
        }
        // evhttp sees the end, and frees the connection.
        if (ends) shutdown(bufferevent_getfd(w->buffer), SHUT_RDWR);
        *p = w->next;
        bufferevent_decref(w->buffer);
        free(w);
    }
}

static struct bufferevent *on_connection(struct event_base *base, void *context) {
    chttp_server *s = context;
    struct bufferevent *buffer = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
    if (buffer) await_request(s, buffer, s->settings.request_seconds);
    // Those behind this one wait until the next sweep.
    if (is_crowded(s)) evconnlistener_disable(s->listener);
    return buffer;
}

// Requests

static void forget(struct live *l) {
    chttp_server *s = l->server;
    pthread_mutex_lock(&s->lock);
    struct live **p = &s->live;
    while (*p != l) p = &(*p)->next;
    *p = l->next;
    pthread_mutex_unlock(&s->lock);
    if (l->tally) evbuffer_remove_cb_entry(bufferevent_get_output(l->buffer), l->tally);
    bufferevent_decref(l->buffer);
    epoll_ctl(s->gone_fd, EPOLL_CTL_DEL, l->fd, NULL);
    if (l->body) evbuffer_free(l->body);
    free(l);
}

/// evhttp closes the connection, and frees the request behind this.
static void on_close(struct evhttp_connection *connection, void *context) {
    (void)connection;
    struct live *l = context;
    chttp_server *s = l->server;
    uint64_t number = l->number;
    forget(l);
    s->settings.closed(s->settings.context, number);
}

static void watch(chttp_server *s, const struct live *l, int operation, uint32_t events) {
    struct epoll_event event = {.events = events | EPOLLONESHOT, .data.u64 = l->number};
    epoll_ctl(s->gone_fd, operation, l->fd, &event);
}

/// Readers have hung up. A browser that closes its side has gone; a program may have said all that it has to say, and
/// still read: it has gone when the connection is reset, as it is by the next bytes that nobody takes.
static void on_gone(evutil_socket_t fd, short what, void *context) {
    (void)what;
    chttp_server *s = context;
    struct epoll_event events[16];
    int count = epoll_wait(fd, events, 16, 0);
    for (int i = 0; i < count; i++) {
        struct live *l = find(s, events[i].data.u64);
        if (!l) continue;
        // Errors and resets are told of unasked.
        if (l->is_of_page || events[i].events & (EPOLLERR | EPOLLHUP)) evhttp_connection_free(l->connection);
        else watch(s, l, EPOLL_CTL_MOD, 0);
    }
}

static void on_sent(struct evbuffer *buffer, const struct evbuffer_cb_info *change, void *context) {
    (void)buffer;
    struct live *l = context;
    pthread_mutex_lock(&l->server->lock);
    l->pending -= (int64_t)change->n_deleted;
    if (l->pending < 0) l->pending = 0;
    pthread_mutex_unlock(&l->server->lock);
}

static void on_request(struct evhttp_request *request, void *context) {
    chttp_server *s = context;
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    struct bufferevent *buffer = evhttp_connection_get_bufferevent(connection);
    stop_awaiting(s, buffer);
    struct live *l = calloc(1, sizeof *l);
    struct evbuffer *body = evbuffer_new();
    if (!l || !body) {
        free(l);
        if (body) evbuffer_free(body);
        evhttp_send_error(request, 503, NULL);
        return;
    }
    *l = (struct live){
        .number = ++s->last, .request = request, .connection = connection, .buffer = buffer, .server = s, .body = body};
    struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
    l->is_of_page = evhttp_find_header(headers, "Sec-Fetch-Mode") || evhttp_find_header(headers, "Origin");
    l->fd = bufferevent_getfd(buffer);
    bufferevent_incref(buffer);
    pthread_mutex_lock(&s->lock);
    l->next = s->live;
    s->live = l;
    pthread_mutex_unlock(&s->lock);
    evhttp_connection_set_closecb(connection, on_close, l);
    int one = 1;
    // Head and body are written apart: else the body waits for the acknowledgement of the head, 40 ms.
    setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    l->tally = evbuffer_add_cb(bufferevent_get_output(buffer), on_sent, l);
    watch(s, l, EPOLL_CTL_ADD, EPOLLRDHUP);
    chttp_call call = {request};
    s->settings.handler(s->settings.context, l->number, &call);
}

const char *chttp_method(const chttp_call *call) {
    switch (evhttp_request_get_command(call->request)) {
    case EVHTTP_REQ_GET: return "GET";
    case EVHTTP_REQ_POST: return "POST";
    case EVHTTP_REQ_HEAD: return "HEAD";
    case EVHTTP_REQ_PUT: return "PUT";
    case EVHTTP_REQ_DELETE: return "DELETE";
    case EVHTTP_REQ_OPTIONS: return "OPTIONS";
    case EVHTTP_REQ_TRACE: return "TRACE";
    case EVHTTP_REQ_PATCH: return "PATCH";
    default: return "";
    }
}

const char *chttp_target(const chttp_call *call) {
    const char *target = evhttp_request_get_uri(call->request);
    return target ? target : "";
}

void chttp_headers(
    const chttp_call *call, void (*body)(void *context, const char *name, const char *value), void *context) {
    struct evkeyvalq *headers = evhttp_request_get_input_headers(call->request);
    for (struct evkeyval *h = headers->tqh_first; h; h = h->next.tqe_next) body(context, h->key, h->value);
}

const uint8_t *chttp_body(const chttp_call *call, size_t *length) {
    struct evbuffer *body = evhttp_request_get_input_buffer(call->request);
    *length = evbuffer_get_length(body);
    return evbuffer_pullup(body, -1);
}

// Replies

static void begin(struct live *l, const struct post *p) {
    struct evkeyvalq *headers = evhttp_request_get_output_headers(l->request);
    const char *h = (const char *)p->bytes;
    for (size_t i = 0; i + 1 < p->count; i += 2) {
        const char *value = h + strlen(h) + 1;
        evhttp_add_header(headers, h, value);
        h = value + strlen(value) + 1;
    }
    l->is_begun = 1;
    l->is_chunked = p->length < 0;
    l->status = p->status;
    if (l->is_chunked) evhttp_send_reply_start(l->request, p->status, NULL);
}

static void finish(struct live *l) {
    chttp_server *s = l->server;
    struct evhttp_request *request = l->request;
    await_request(s, l->buffer, s->settings.idle_seconds);
    evhttp_connection_set_closecb(l->connection, NULL, NULL);
    int is_chunked = l->is_chunked, status = l->status;
    struct evbuffer *body = l->body;
    l->body = NULL;
    forget(l);
    if (is_chunked) evhttp_send_reply_end(request);
    else evhttp_send_reply(request, status, NULL, body);
    evbuffer_free(body);
}

static void perform(chttp_server *s, struct post *p) {
    struct live *l = find(s, p->number);
    if (l && p->kind == BEGIN && !l->is_begun) {
        begin(l, p);
    } else if (l && p->kind == WRITE && l->is_begun) {
        evbuffer_add(l->body, p->bytes, (size_t)p->length);
        if (l->is_chunked) evhttp_send_reply_chunk(l->request, l->body);
    } else if (l && p->kind == END && l->is_begun) {
        finish(l);
    }
    free(p->bytes);
    free(p);
}

static void on_wake(evutil_socket_t fd, short what, void *context) {
    (void)what;
    chttp_server *s = context;
    uint64_t count;
    while (read(fd, &count, sizeof count) > 0) {}
    pthread_mutex_lock(&s->lock);
    struct post *p = s->first;
    s->first = NULL;
    s->end = &s->first;
    pthread_mutex_unlock(&s->lock);
    while (p) {
        struct post *next = p->next;
        perform(s, p);
        p = next;
    }
    if (atomic_load(&s->stops)) event_base_loopbreak(s->base);
}

static void wake(chttp_server *s) {
    uint64_t one = 1;
    // The counter holds more wakes than there can be.
    ssize_t written = write(s->wake_fd, &one, sizeof one);
    (void)written;
}

/// Hands a post over, and counts what it adds to its reply. Returns as `chttp_pending`.
static int64_t hand_over(chttp_server *s, struct post *p) {
    pthread_mutex_lock(&s->lock);
    struct live *l = find(s, p->number);
    int64_t pending = -1;
    if (l) {
        if (p->kind == WRITE) l->pending += p->length;
        pending = l->pending;
        *s->end = p;
        s->end = &p->next;
    }
    pthread_mutex_unlock(&s->lock);
    if (l) {
        wake(s);
    } else {
        free(p->bytes);
        free(p);
    }
    return pending;
}

void chttp_begin(
    chttp_server *s, uint64_t number, int status, const char *const *headers, size_t count, int64_t length) {
    size_t room = 1;
    for (size_t i = 0; i < count; i++) room += strlen(headers[i]) + 1;
    struct post *p = calloc(1, sizeof *p);
    char *bytes = malloc(room);
    if (!p || !bytes) {
        free(p);
        free(bytes);
        return;
    }
    *p = (struct post){
        .kind = BEGIN, .number = number, .status = status, .length = length, .count = count, .bytes = (uint8_t *)bytes};
    for (size_t i = 0; i < count; i++) bytes = stpcpy(bytes, headers[i]) + 1;
    hand_over(s, p);
}

int64_t chttp_write(chttp_server *s, uint64_t number, const uint8_t *bytes, size_t length) {
    if (length == 0) return chttp_pending(s, number);
    struct post *p = calloc(1, sizeof *p);
    uint8_t *copy = malloc(length);
    if (!p || !copy) {
        free(p);
        free(copy);
        return -1;
    }
    memcpy(copy, bytes, length);
    *p = (struct post){.kind = WRITE, .number = number, .length = (int64_t)length, .bytes = copy};
    return hand_over(s, p);
}

int64_t chttp_pending(chttp_server *s, uint64_t number) {
    pthread_mutex_lock(&s->lock);
    struct live *l = find(s, number);
    int64_t pending = l ? l->pending : -1;
    pthread_mutex_unlock(&s->lock);
    return pending;
}

void chttp_end(chttp_server *s, uint64_t number) {
    struct post *p = calloc(1, sizeof *p);
    if (!p) return;
    *p = (struct post){.kind = END, .number = number};
    hand_over(s, p);
}

// The server

/// No file is free: connections wait until the next sweep, instead of being refused as fast as they can be.
static void on_refusal(struct evconnlistener *listener, void *context) {
    (void)context;
    evconnlistener_disable(listener);
}

static void on_log(int severity, const char *message) { (void)severity, (void)message; }

static int listen_on(chttp_server *s) {
    evhttp_set_allowed_methods(
        s->http, EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_HEAD | EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE |
                     EVHTTP_REQ_OPTIONS | EVHTTP_REQ_TRACE | EVHTTP_REQ_PATCH);
    evhttp_set_max_headers_size(s->http, (ev_ssize_t)s->settings.header_limit);
    evhttp_set_max_body_size(s->http, (ev_ssize_t)s->settings.body_limit);
    evhttp_set_timeout(s->http, s->settings.idle_seconds);
    evhttp_set_default_content_type(s->http, NULL);
    evhttp_set_gencb(s->http, on_request, s);
    evhttp_set_bevcb(s->http, on_connection, s);
    errno = 0;
    struct evhttp_bound_socket *bound = evhttp_bind_socket_with_handle(s->http, "127.0.0.1", s->settings.port);
    if (!bound) return errno ? errno : EADDRINUSE;
    s->listener = evhttp_bound_socket_get_listener(bound);
    evconnlistener_set_error_cb(s->listener, on_refusal);
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    if (getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&address, &length)) return errno;
    s->port = ntohs(address.sin_port);
    s->wake = event_new(s->base, s->wake_fd, EV_READ | EV_PERSIST, on_wake, s);
    s->sweep = event_new(s->base, -1, EV_PERSIST, on_sweep, s);
    s->gone = event_new(s->base, s->gone_fd, EV_READ | EV_PERSIST, on_gone, s);
    struct timeval second = {1, 0};
    if (!s->wake || !s->sweep || !s->gone) return ENOMEM;
    return event_add(s->wake, NULL) || event_add(s->sweep, &second) || event_add(s->gone, NULL) ? ENOMEM : 0;
}

chttp_server *chttp_listen(const struct chttp_settings *settings, int *error) {
    chttp_server *s = calloc(1, sizeof *s);
    if (!s) {
        *error = ENOMEM;
        return NULL;
    }
    // What libevent has to say is about connections that nobody can mend.
    event_set_log_callback(on_log);
    s->settings = *settings;
    s->end = &s->first;
    pthread_mutex_init(&s->lock, NULL);
    s->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    s->gone_fd = epoll_create1(EPOLL_CLOEXEC);
    s->base = event_base_new();
    s->http = s->base ? evhttp_new(s->base) : NULL;
    *error = s->http && s->wake_fd >= 0 && s->gone_fd >= 0 ? listen_on(s) : ENOMEM;
    if (*error == 0) return s;
    chttp_free(s);
    return NULL;
}

uint16_t chttp_port(const chttp_server *s) { return s->port; }
void chttp_run(chttp_server *s) {
    // All writes to connections are made here. One that its reader has closed must not end the process, and how the
    // process itself takes the signal is not this library's to change.
    sigset_t pipe, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    event_base_dispatch(s->base);
    // The port is free again, and nobody waits for a reply that does not come.
    evhttp_free(s->http);
    s->http = NULL;
    while (s->waiting) stop_awaiting(s, s->waiting->buffer);
    // Sockets are closed in the loop.
    event_base_loop(s->base, EVLOOP_NONBLOCK);
    if (sigismember(&before, SIGPIPE)) return;
    struct timespec none = {0, 0};
    while (sigtimedwait(&pipe, NULL, &none) > 0) {}
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void chttp_stop(chttp_server *s) {
    int error = errno;
    atomic_store(&s->stops, 1);
    wake(s);
    errno = error;
}

void chttp_free(chttp_server *s) {
    if (s->http) evhttp_free(s->http);
    while (s->waiting) stop_awaiting(s, s->waiting->buffer);
    while (s->first) {
        struct post *p = s->first;
        s->first = p->next;
        free(p->bytes);
        free(p);
    }
    if (s->wake) event_free(s->wake);
    if (s->sweep) event_free(s->sweep);
    if (s->gone) event_free(s->gone);
    if (s->base) event_base_free(s->base);
    if (s->wake_fd >= 0) close(s->wake_fd);
    if (s->gone_fd >= 0) close(s->gone_fd);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
