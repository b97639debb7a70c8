// An HTTP server for this machine: requests in, replies out, and work that ends when nobody waits for it any more.

internal import CHTTP
import Glibc
import Synchronization

/// A server on 127.0.0.1.
///
/// A thread of the caller's runs it. Each request is worked on in a task that is cancelled when its reader hangs up,
/// and when the server stops.
@safe package final class HTTPServer: Sendable {
    /// Works on one request; the reply has ended when it returns.
    package typealias Handler = @Sendable (HTTPRequest, HTTPReply) async -> Void

    /// What a server holds back.
    package struct Limits: Sendable {
        /// Bytes of a request's headers and of its body.
        package var header = 16 << 10
        package var body = 1 << 20
        /// Seconds until a new connection's request must be whole, and until the next one behind a reply.
        package var requestSeconds = 30
        package var idleSeconds = 60
        /// Requests that are worked on at a time; further ones are rejected with status 503.
        package var requests = 64

        package init() {}
    }

    /// Why a server cannot listen.
    package struct ListenError: Error {
        /// An `errno`.
        package var number: Int32
    }

    // SAFETY: the C functions that are called with it from other threads take a lock; it is freed in `deinit`, behind
    // the last reply.
    private nonisolated(unsafe) let pointer: OpaquePointer
    private let handler: Handler
    private let limits: Limits

    private struct Work {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var isStopped = false
    }

    private let work = Mutex(Work())
    private let context: ServerContext

    /// Listens; requests wait until `run()`.
    /// - Parameter port: 0 for one that is free.
    /// - Throws: `ListenError`.
    package init(port: UInt16, limits: Limits = Limits(), handler: @escaping Handler) throws(ListenError) {
        (self.handler, self.limits) = (handler, limits)
        let context = ServerContext()
        self.context = context
        var settings = unsafe chttp_settings(
            port: port, header_limit: limits.header, body_limit: limits.body,
            request_seconds: Int32(limits.requestSeconds), idle_seconds: Int32(limits.idleSeconds),
            handler: { context, number, call in unsafe ServerContext.at(context)?.take(number, call) },
            closed: { context, number in unsafe ServerContext.at(context)?.forget(number) },
            // SAFETY: the server holds the context, and frees what knows the pointer before it.
            context: unsafe Unmanaged.passUnretained(context).toOpaque())
        var error: Int32 = 0
        guard let pointer = unsafe chttp_listen(&settings, &error) else { throw ListenError(number: error) }
        unsafe self.pointer = pointer
        context.server = self
    }

    deinit { unsafe chttp_free(pointer) }

    /// The port that it listens on.
    package var port: UInt16 { unsafe chttp_port(pointer) }

    /// Serves until `stop()`.
    package func run() {
        unsafe chttp_run(pointer)
        let tasks = work.withLock { work in
            work.isStopped = true
            return Array(work.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Ends `run()`. May be called on any thread.
    package func stop() { unsafe chttp_stop(pointer) }

    // MARK: Requests

    fileprivate func take(_ number: UInt64, _ call: OpaquePointer) {
        let request = unsafe HTTPRequest(number, call)
        let reply = HTTPReply(server: self, number: number)
        let isTaken = work.withLock { work in
            guard !work.isStopped, work.tasks.count < limits.requests else { return false }
            work.tasks[number] = Task.detached(priority: .userInitiated) { [self] in
                await handler(request, reply)
                _ = self.work.withLock { $0.tasks.removeValue(forKey: number) }
            }
            return true
        }
        if !isTaken { reply.send(503, [("Retry-After", "1")], []) }
    }

    fileprivate func forget(_ number: UInt64) {
        work.withLock { $0.tasks.removeValue(forKey: number) }?.cancel()
    }

    // MARK: Replies

    func begin(_ number: UInt64, _ status: Int, _ headers: [String], _ length: Int64) {
        let copies = unsafe headers.map { unsafe strdup($0) }
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        let pointers = unsafe copies.map { unsafe UnsafePointer($0) }
        unsafe chttp_begin(pointer, number, Int32(status), pointers, headers.count, length)
    }

    func write(_ number: UInt64, _ bytes: [UInt8]) -> Int? {
        // SAFETY: the bytes are copied in the call.
        let pending = unsafe chttp_write(pointer, number, bytes, bytes.count)
        return pending < 0 ? nil : Int(pending)
    }

    func pending(_ number: UInt64) -> Int? {
        let pending = unsafe chttp_pending(pointer, number)
        return pending < 0 ? nil : Int(pending)
    }

    func end(_ number: UInt64) { unsafe chttp_end(pointer, number) }
}

/// What C functions are given in the server's place, since it does not exist yet when it begins to listen.
private final class ServerContext: @unchecked Sendable {
    /// Set before the server runs, and read on its thread only.
    weak var server: HTTPServer?

    static func at(_ pointer: UnsafeMutableRawPointer?) -> HTTPServer? {
        // SAFETY: the pointer is that of the context that the running server holds.
        unsafe pointer.flatMap { unsafe Unmanaged<ServerContext>.fromOpaque($0).takeUnretainedValue().server }
    }
}

extension HTTPRequest {
    fileprivate init(_ number: UInt64, _ call: OpaquePointer) {
        var length = 0
        // SAFETY: C strings and bytes that live as long as the call, which the handler is given for its own length.
        let body = unsafe chttp_body(call, &length)
        var headers: [Header] = []
        unsafe withUnsafeMutablePointer(to: &headers) { list in
            unsafe chttp_headers(
                call,
                { list, name, value in
                    unsafe list.assumingMemoryBound(to: [Header].self).pointee.append(
                        unsafe Header(String(cString: name), String(cString: value)))
                }, list)
        }
        unsafe self.init(
            number: number, method: String(cString: chttp_method(call)), target: String(cString: chttp_target(call)),
            headers: headers, body: Array(UnsafeBufferPointer(start: body, count: body == nil ? 0 : length)))
    }
}
