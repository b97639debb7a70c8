// Replies at their ends: how many bytes wait, who still reads, what goes on behind a reply, events as they are sent.

import Campaigns
import Foundation
import Synchronization
import Testing
import _TestSupport

@testable import HTTPServing

@Suite(.waits, .timeLimit(.minutes(2))) struct HTTPServerEdgesTests {
    private static let request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    /// A server of one handler on a thread of its own.
    private static func server(
        _ limits: HTTPServer.Limits = HTTPServer.Limits(), _ handler: @escaping HTTPServer.Handler
    ) throws -> HTTPServer {
        let server = try HTTPServer(port: 0, limits: limits, handler: handler)
        Thread.detachNewThread { server.run() }
        return server
    }

    /// Waits until something is so, at most 20 seconds.
    private static func isSoon(_ condition: () -> Bool) -> Bool {
        for _ in 0..<4000 {
            if condition() { return true }
            usleep(5000)
        }
        return false
    }

    /// Waits until all bytes of a reply were sent.
    /// - Returns: Whether they were, and somebody still reads.
    private static func isSent(_ reply: HTTPReply) async -> Bool {
        for _ in 0..<4000 {
            guard let pending = reply.write([]) else { return false }
            if pending == 0 { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// What a handler has found, once it is there.
    private final class Finding<Value: Sendable>: Sendable {
        private let value = Mutex<Value?>(nil)

        var found: Value? { value.withLock { $0 } }
        func tell(_ new: Value) { value.withLock { $0 = new } }
    }

    /// The documentation of the explorer promises these: 16 KB of headers, 1 MB of body, 64 requests at a time, 30
    /// seconds for a request, 4 MB that wait for a slow reader.
    @Test func limitsAreThoseOfTheDocumentation() {
        let limits = HTTPServer.Limits()
        #expect(limits.header == 16_384 && limits.body == 1_048_576)
        #expect(limits.requests == 64 && limits.requestSeconds == 30)
        #expect(HTTPReply.mostPending == 4_194_304)
    }

    /// The comment at the beginning tells a reader at once that somebody is there.
    @Test func eventsAsTheyAreSent() throws {
        let server = try Self.server { _, reply in
            let events = EventStream(reply, headers: [("X-One", "1")])
            events.send("set", id: 1, data: "{}")
            events.beat()
            events.send("other", id: -2, data: "[1]")
            events.end()
        }
        defer { server.stop() }
        let text = SocketClient.exchange(server.port, Self.request)
        #expect(text.contains("Content-Type: text/event-stream\r\n") && text.contains("X-One: 1\r\n"))
        let reply = try #require(SocketReply(text))
        #expect(reply.status == 200)
        #expect(
            reply.body
                == ": beat\n\nid: 1\nevent: set\ndata: {}\n\n: beat\n\nid: -2\nevent: other\ndata: [1]\n\n")
        #expect(text.hasSuffix("0\r\n\r\n"), "it ends")
    }

    /// A listener is heard with as many bytes before it as may wait, and not with one more.
    @Test func whoIsTooSlowIsNotHeard() throws {
        // A line of an event has 23 bytes besides its data.
        let most = HTTPReply.mostPending - 23
        let found = Finding<[Bool]>()
        let server = try Self.server { _, reply in
            let events = EventStream(reply, headers: [])
            var heard = [await Self.isSent(reply), events.beat()]
            for count in [0, most, most + 1] {
                heard.append(await Self.isSent(reply))
                heard.append(events.send("e", id: 1, data: String(repeating: "a", count: count)))
            }
            events.end()
            found.tell(heard)
        }
        defer { server.stop() }
        #expect(SocketClient.exchange(server.port, Self.request).utf8.count > 2 * most)
        #expect(Self.isSoon { found.found != nil })
        #expect(found.found == [true, true, true, true, true, true, true, false])
        let none = EventStream(HTTPReply(server: server, number: 99), headers: [])
        #expect(!none.beat() && !none.send("e", id: 1, data: ""))
    }

    /// Bytes that wait are counted until they are sent; a reply that nobody reads takes none.
    @Test func bytesThatWait() async throws {
        let found = Finding<[Int?]>()
        let reads = Finding<[Bool]>()
        let server = try Self.server { _, reply in
            reply.begin(200, [])
            let first = reply.write([UInt8](repeating: 0x61, count: 1000))
            reads.tell([await Self.isSent(reply), await reply.waitForReader()])
            found.tell([first, reply.write([])])
            reply.end()
        }
        defer { server.stop() }
        #expect(SocketClient.exchange(server.port, Self.request).hasSuffix("0\r\n\r\n"))
        #expect(found.found == [1000, 0] && reads.found == [true, true])
        let none = HTTPReply(server: server, number: 99)
        #expect(none.write([1]) == nil && none.write([]) == nil)
        #expect(await !none.waitForReader())
    }

    /// Who waits for a slow reader goes on once the reader has read, and stops when nobody wants the rest.
    @Test func waitingForASlowReader() throws {
        let (cancelled, read) = (Finding<Bool>(), Finding<Bool>())
        let server = try Self.server { _, reply in
            reply.begin(200, [])
            reply.write([UInt8](repeating: 0x61, count: 24 << 20))
            let waiting = Task { await reply.waitForReader() }
            waiting.cancel()
            cancelled.tell(await waiting.value)
            read.tell(await reply.waitForReader())
            reply.end()
        }
        defer { server.stop() }
        let client = try #require(SocketClient(port: server.port))
        client.send(Self.request)
        #expect(Self.isSoon { cancelled.found != nil })
        #expect(cancelled.found == false)
        usleep(50_000)
        #expect(read.found == nil, "nothing is read yet")
        let text = client.read()
        #expect(text.utf8.count > 24 << 20 && text.hasSuffix("0\r\n\r\n"))
        #expect(Self.isSoon { read.found != nil })
        #expect(read.found == true)
    }

    /// Work that goes on when its reply has ended is cancelled with the server.
    @Test func workBehindAReplyEndsWithTheServer() throws {
        let hasEnded = Finding<Bool>()
        let server = try Self.server { _, reply in
            reply.send(200, [], [])
            do {
                try await Task.sleep(for: .seconds(100))
                hasEnded.tell(false)
            } catch { hasEnded.tell(Task.isCancelled) }
        }
        let reply = SocketClient.exchange(server.port, Self.request)
        #expect(reply.hasPrefix("HTTP/1.1 200 ") && hasEnded.found == nil)
        server.stop()
        #expect(Self.isSoon { hasEnded.found != nil })
        #expect(hasEnded.found == true)
    }

    /// Requests that are done make room for others, also those of one connection.
    @Test func requestsOneAfterAnother() throws {
        var limits = HTTPServer.Limits()
        limits.requests = 8
        let server = try Self.server(limits) { $1.send(200, [], Array("<\($0.target)>".utf8)) }
        defer { server.stop() }
        let connection = try #require(SocketClient(port: server.port))
        for number in 0..<40 {
            connection.send("GET /\(number)?a=/b HTTP/1.1\r\nHost: x\r\n\r\n")
            let reply = connection.read(until: "?a=/b>")
            #expect(reply.hasPrefix("HTTP/1.1 200 ") && reply.hasSuffix("</\(number)?a=/b>"), "\(reply)")
            guard reply.hasPrefix("HTTP/1.1 200 ") else { break }
        }
    }

    /// A body arrives as it was sent, of no bytes, too.
    @Test func bodiesOfRequests() throws {
        let server = try Self.server { request, reply in reply.send(200, [], [0x3C] + request.body + [0x3E]) }
        defer { server.stop() }
        for body in ["", "a", "a\u{0}\r\n\r\nb", String(repeating: "é", count: 5000)] {
            let text = SocketClient.exchange(
                server.port,
                "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(SocketReply(text)?.body == "<\(body)>", "\(body.utf8.count) bytes")
        }
        #expect(SocketReply(SocketClient.exchange(server.port, Self.request))?.body == "<>")
    }

    @Test func pathsOfTargets() {
        for (target, path) in [
            ("/", "/"), ("/a", "/a"), ("/a?", "/a"), ("/a?b=/c?d", "/a"), ("?", ""), ("", ""), ("/a%3Fb", "/a%3Fb"),
        ] {
            #expect(HTTPRequest(number: 1, method: "GET", target: target).path == path, "\(target)")
        }
        let headers = [("a", "1"), ("B", "2"), ("A", "3"), ("ab", "4")].map { HTTPRequest.Header($0.0, $0.1) }
        let request = HTTPRequest(number: 1, method: "GET", target: "/", headers: headers)
        #expect(request.values(of: "A") == ["1", "3"] && request.values(of: "b") == ["2"])
        #expect(request.values(of: "c") == [])
    }
}
