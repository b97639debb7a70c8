// What a page sends, and the replies it gets: over a real connection.

import Campaigns
import ExploreServer
import Foundation
import Testing

/// A client with the server's key. It keeps the server, which ends with the last that holds it.
struct PageClient {
    private let server: ExploreServer
    let port: UInt16
    let key: String

    init(_ server: ExploreServer) throws {
        self.server = server
        port = server.port
        let parts = server.address.components(separatedBy: "#key=")
        key = try #require(parts.last)
        #expect(parts[0] == "http://127.0.0.1:\(server.port)/")
    }

    /// The status and the body of a reply.
    func send(_ path: String, _ body: Any, key: String? = nil) throws -> (status: Int, body: Data) {
        let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        return try exchange(
            "POST /api/\(path) HTTP/1.1\r\nContent-Type: application/json\r\n"
                + "Authorization: Bearer \(key ?? self.key)\r\nContent-Length: \(text.utf8.count)\r\n", text)
    }

    func get(_ path: String) throws -> (status: Int, body: Data) { try exchange("GET \(path) HTTP/1.1\r\n", "") }

    private func exchange(_ head: String, _ body: String) throws -> (status: Int, body: Data) {
        let text = SocketClient.exchange(
            port, head + "Host: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n" + body)
        let reply = try #require(SocketReply(text), "no reply to \(head)")
        return (reply.status, Data(reply.body.utf8))
    }

    /// The JSON object of a reply of status 200.
    func call(_ path: String, _ body: [String: Any]) throws -> [String: Any] {
        let reply = try send(path, body)
        #expect(reply.status == 200, "\(path) \(body): \(String(decoding: reply.body, as: UTF8.self))")
        return try #require(try JSONSerialization.jsonObject(with: reply.body) as? [String: Any])
    }

    /// The parts of a query, by their names; of several with a name a list.
    func query(_ body: [String: Any]) throws -> [String: [[String: Any]]] {
        let reply = try send("query", body)
        #expect(reply.status == 200)
        var parts: [String: [[String: Any]]] = [:]
        for line in String(decoding: reply.body, as: UTF8.self).split(separator: "\n") {
            let part = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            parts[part["part"] as? String ?? "", default: []].append(part)
        }
        #expect(parts["done"]?.count == 1)
        return parts
    }
}
