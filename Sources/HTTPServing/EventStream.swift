// Events for a page that listens: text/event-stream.

/// A reply that goes on for as long as somebody listens.
package struct EventStream: Sendable {
    private let reply: HTTPReply

    /// Begins the stream.
    package init(_ reply: HTTPReply, headers: [(name: String, value: String)]) {
        self.reply = reply
        reply.begin(200, [("Content-Type", "text/event-stream")] + headers)
        beat()
    }

    /// Sends an event.
    ///
    /// - Parameter data: One line of JSON.
    /// - Returns: Whether somebody listens, who is not too slow.
    @discardableResult
    package func send(_ event: String, id: Int, data: String) -> Bool {
        isHeard(reply.write(Array("id: \(id)\nevent: \(event)\ndata: \(data)\n\n".utf8)))
    }

    /// Sends a comment: a proxy between knows that the stream lives.
    @discardableResult
    package func beat() -> Bool { isHeard(reply.write(Array(": beat\n\n".utf8))) }

    /// Ends the stream.
    package func end() { reply.end() }

    private func isHeard(_ pending: Int?) -> Bool { pending.map { $0 <= HTTPReply.mostPending } ?? false }
}
