// Where the reply to a request is written.

internal import CHTTP

/// The reply to a request: whole, or piece by piece. May be used on any thread; what nobody reads any more is dropped.
package struct HTTPReply: Sendable {
    let server: HTTPServer
    /// That of the request.
    package let number: UInt64

    /// Bytes that wait to be sent before a writer should wait, too.
    package static let mostPending = 4 << 20

    /// Sends a whole reply.
    package func send(_ status: Int, _ headers: [(name: String, value: String)], _ body: [UInt8]) {
        begin(status, headers, length: body.count)
        write(body)
        end()
    }

    /// Begins a reply; one without a length is sent piece by piece.
    package func begin(_ status: Int, _ headers: [(name: String, value: String)], length: Int? = nil) {
        server.begin(number, status, headers.flatMap { [$0.name, $0.value] }, Int64(length ?? -1))
    }

    /// Continues a reply.
    /// - Returns: The bytes that wait to be sent; `nil` when nobody reads the reply any more.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Int? { server.write(number, bytes) }

    /// Ends a reply.
    package func end() { server.end(number) }

    /// Waits until a slow reader has read most of what was written.
    /// - Returns: Whether somebody still reads.
    package func waitForReader() async -> Bool {
        while let pending = server.pending(number) {
            if Task.isCancelled { return false }
            if pending <= Self.mostPending / 2 { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}
