// Calls as a page sends them, with the key of its server.

import RecordFiles

/// A client of a server that shows records.
struct PageCalls: Sendable {
    let port: UInt16
    let key: String

    /// - Parameter address: The address of the page with its key; `nil` for a text that is none.
    init?(address: some StringProtocol) {
        let parts = address.split(separator: "/#key=")
        guard parts.count == 2, let port = parts[0].split(separator: ":").last.flatMap({ UInt16($0) }) else {
            return nil
        }
        (self.port, key) = (port, String(parts[1].prefix { !$0.isNewline }))
    }

    /// The reply to a call; `nil` where there was none, or not all of it.
    func reply(to call: String, _ body: JSONValue) -> SocketReply? {
        var writer = JSONWriter()
        writer.write(body)
        return reply(to: call, writer.bytes)
    }

    /// The reply to a call with bytes in the place of JSON.
    func reply(to call: String, _ body: [UInt8]) -> SocketReply? {
        guard let client = connection(to: call, body) else { return nil }
        // The stream of events has no end.
        let isEndless = call == "events"
        guard let reply = SocketReply(client.read(until: isEndless ? "\r\n\r\n" : nil)) else { return nil }
        return reply.isWhole || (isEndless && reply.status == 200) ? reply : nil
    }

    /// A connection on which a call was sent; `nil` where nobody listens.
    func connection(to call: String, _ body: [UInt8]) -> SocketClient? {
        guard let client = SocketClient(port: port) else { return nil }
        let head =
            "POST /api/\(call) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(key)\r\n"
            + "Content-Type: application/json\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n"
        client.send(Array(head.utf8) + body)
        return client
    }

    /// A file of the page.
    func file(_ path: String) -> SocketReply? {
        let head = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
        return SocketReply(SocketClient.exchange(port, head))
    }
}
