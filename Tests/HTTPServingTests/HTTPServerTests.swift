// The server over real connections: limits, readers who hang up, who are slow, who send two requests at once.

import Campaigns
import Glibc
import HTTPServing
import Synchronization
import Testing

/// A server on a thread of its own, until the end of the test.
private final class RunningServer: Sendable {
    let server: HTTPServer
    let began = Atomic(0)
    let cancelled = Atomic(0)
    let thread: ServerThread

    init(_ limits: HTTPServer.Limits = HTTPServer.Limits()) throws {
        let weakSelf = Mutex<(@Sendable (HTTPRequest, HTTPReply) async -> Void)?>(nil)
        server = try HTTPServer(port: 0, limits: limits) { request, reply in
            await weakSelf.withLock { $0 }?(request, reply)
        }
        thread = ServerThread { [server] in server.run() }
        weakSelf.withLock { $0 = { [weak self] in await self?.work($0, $1) } }
    }

    deinit { server.stop() }

    private func work(_ request: HTTPRequest, _ reply: HTTPReply) async {
        began.add(1, ordering: .sequentiallyConsistent)
        switch request.path {
        case "/slow":
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                cancelled.add(1, ordering: .sequentiallyConsistent)
            }
            reply.send(200, [], [])
        case "/soon":
            do { try await Task.sleep(for: .milliseconds(100)) } catch {
                cancelled.add(1, ordering: .sequentiallyConsistent)
            }
            reply.send(200, [], [])
        case "/large":
            reply.begin(200, [])
            let block = [UInt8](repeating: 0x61, count: 1 << 20)
            for _ in 0..<64 {
                guard await reply.waitForReader(), reply.write(block) != nil else {
                    cancelled.add(1, ordering: .sequentiallyConsistent)
                    return
                }
            }
            reply.end()
        case "/events":
            let events = EventStream(reply, headers: [])
            for id in 1...3 { events.send("set", id: id, data: "{}") }
            events.end()
        default:
            let names = request.headers.map(\.name).joined(separator: ",")
            let text = "\(request.method) \(request.target) \(names) \(request.body.count)\n"
            reply.send(200, [("Content-Type", "text/plain")], Array(text.utf8))
        }
    }

    /// Waits until a number is reached, at most 20 seconds.
    static func wait(_ condition: () -> Bool) -> Bool {
        for _ in 0..<4000 {
            if condition() { return true }
            usleep(5000)
        }
        return false
    }
}

/// A thread for a server, and the processor time that it uses.
private final class ServerThread: Sendable {
    let hasEnded = Atomic(false)
    private let clock = Mutex<clockid_t?>(nil)

    init(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(
            Box { [self] in
                var clock = clockid_t()
                pthread_getcpuclockid(pthread_self(), &clock)
                self.clock.withLock { $0 = clock }
                body()
                hasEnded.store(true, ordering: .sequentiallyConsistent)
            })
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
    }

    /// Milliseconds of processor time that were used; the thread has to run.
    func processorTime() -> Double {
        guard let clock = clock.withLock({ $0 }) else { return 0 }
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    private final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

@Suite(.timeLimit(.minutes(2))) struct HTTPServerTests {
    private static let end = "Host: x\r\nConnection: close\r\n\r\n"
    /// What a browser sends with all that it asks.
    private static let browser = "Host: x\r\nSec-Fetch-Mode: cors\r\n\r\n"

    @Test func requestsAndReplies() throws {
        let running = try RunningServer()
        let port = running.server.port
        let got = SocketClient.exchange(port, "GET /a?b=%20 HTTP/1.1\r\nX-One: 1\r\n\(Self.end)")
        #expect(got.hasPrefix("HTTP/1.1 200"))
        #expect(got.contains("GET /a?b=%20 X-One,Host,Connection 0\n"))
        let posted = SocketClient.exchange(port, "POST /p HTTP/1.1\r\nContent-Length: 5\r\n\(Self.end)abcde")
        #expect(posted.contains("POST /p Content-Length,Host,Connection 5\n"))
        let events = SocketClient.exchange(port, "GET /events HTTP/1.1\r\n\(Self.end)")
        #expect(events.contains("text/event-stream") && events.contains("id: 3\nevent: set\ndata: {}\n\n"))
        // One connection for several requests.
        let connection = try #require(SocketClient(port: port))
        for number in 1...3 {
            connection.send("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(connection.read(until: " Host 0\n").contains("GET /\(number) Host 0"))
        }
    }

    /// A reply that is sent as a whole says how long it is; one that is not comes in chunks.
    @Test func wholeRepliesTellTheirLength() throws {
        let running = try RunningServer()
        for (path, isWhole) in [("/a", true), ("/events", false)] {
            let reply = SocketClient.exchange(running.server.port, "GET \(path) HTTP/1.1\r\n\(Self.end)").lowercased()
            #expect(reply.contains("\r\ncontent-length:") == isWhole, "\(path)")
            #expect(reply.contains("\r\ntransfer-encoding: chunked\r\n") != isWhole, "\(path)")
        }
    }

    @Test func whoHangsUpEndsTheWork() throws {
        let running = try RunningServer()
        let connections = try (0..<5).map { _ in try #require(SocketClient(port: running.server.port)) }
        for connection in connections { connection.send("GET /slow HTTP/1.1\r\n\(Self.browser)") }
        #expect(RunningServer.wait { running.began.load(ordering: .sequentiallyConsistent) == 5 })
        for connection in connections { connection.hangUp() }
        #expect(RunningServer.wait { running.cancelled.load(ordering: .sequentiallyConsistent) == 5 })
    }

    /// Who has said all that it has to say may still read: `nc -N`, a request from a pipe.
    @Test func whoHasFinishedSendingGetsTheReply() throws {
        let running = try RunningServer()
        for path in ["/a", "/soon"] {
            let program = try #require(SocketClient(port: running.server.port))
            program.send("GET \(path) HTTP/1.1\r\n\(Self.end)")
            program.finishSending()
            #expect(program.read().hasPrefix("HTTP/1.1 200 OK"))
        }
        let program = try #require(SocketClient(port: running.server.port))
        program.send("GET /slow HTTP/1.1\r\n\(Self.end)")
        program.finishSending()
        #expect(RunningServer.wait { running.began.load(ordering: .sequentiallyConsistent) == 3 })
        usleep(20_000)
        #expect(running.cancelled.load(ordering: .sequentiallyConsistent) == 0)
        program.reset()
        #expect(RunningServer.wait { running.cancelled.load(ordering: .sequentiallyConsistent) == 1 })
    }

    /// A connection that is cut, or half of it, is told of once: the server's thread sleeps.
    @Test func noEndOfAConnectionKeepsTheServerBusy() throws {
        let running = try RunningServer()
        func client(_ headers: String) throws -> SocketClient {
            let before = running.began.load(ordering: .sequentiallyConsistent)
            let client = try #require(SocketClient(port: running.server.port))
            client.send("GET /slow HTTP/1.1\r\n\(headers)")
            #expect(RunningServer.wait { running.began.load(ordering: .sequentiallyConsistent) == before + 1 })
            return client
        }
        let half = try client(Self.end)
        half.finishSending()
        try client(Self.end).reset()
        try client(Self.browser).reset()
        try client(Self.browser).finishSending()
        #expect(RunningServer.wait { running.cancelled.load(ordering: .sequentiallyConsistent) == 3 })
        let before = running.thread.processorTime()
        usleep(400_000)
        #expect(running.thread.processorTime() - before < 100)
        half.hangUp()
    }

    @Test func aSecondRequestWaits() throws {
        let running = try RunningServer()
        let connection = try #require(SocketClient(port: running.server.port))
        connection.send("GET /slow HTTP/1.1\r\n\(Self.browser)GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(RunningServer.wait { running.began.load(ordering: .sequentiallyConsistent) == 1 })
        connection.send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
        usleep(50_000)
        #expect(running.began.load(ordering: .sequentiallyConsistent) == 1)
        connection.hangUp()
        #expect(RunningServer.wait { running.cancelled.load(ordering: .sequentiallyConsistent) == 1 })
        let both = "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\n\(Self.end)"
        let replies = SocketClient.exchange(running.server.port, both)
        #expect(replies.contains("GET /a ") && replies.contains("GET /b "))
    }

    @Test func slowReadersHoldLittle() throws {
        let running = try RunningServer()
        let whole = SocketClient.exchange(running.server.port, "GET /large HTTP/1.1\r\n\(Self.end)")
        #expect(whole.utf8.count > 64 << 20)
        // One who does not read holds the writer back, and frees it by going.
        let idle = try #require(SocketClient(port: running.server.port))
        idle.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(RunningServer.wait { running.began.load(ordering: .sequentiallyConsistent) == 2 })
        usleep(100_000)
        idle.hangUp()
        #expect(RunningServer.wait { running.cancelled.load(ordering: .sequentiallyConsistent) == 1 })
    }

    /// Writing to a reader who is gone is no signal that ends the process, however the process takes that.
    @Test func readersWhoCutOff() throws {
        let running = try RunningServer()
        for _ in 0..<40 {
            // What is not read when a connection is closed resets it.
            let client = try #require(SocketClient(port: running.server.port))
            client.send("GET /large HTTP/1.1\r\n\(Self.end)")
            _ = client.read(until: "200 OK")
            client.hangUp()
        }
        #expect(SocketClient.exchange(running.server.port, "GET / HTTP/1.1\r\n\(Self.end)").contains("200 OK"))
    }

    @Test func limits() throws {
        var limits = HTTPServer.Limits()
        limits.requestSeconds = 1
        limits.requests = 2
        let running = try RunningServer(limits)
        let port = running.server.port
        let head = SocketClient.exchange(
            port, "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 64 << 10))\r\n\(Self.end)")
        #expect(!head.contains(" 200 "))
        let body = SocketClient.exchange(
            port, "POST / HTTP/1.1\r\nContent-Length: 2000000\r\n\(Self.end)\(String(repeating: "a", count: 2_000_000))"
        )
        #expect(!body.contains(" 200 "))
        // Neither who says nothing nor who is slow to say it stays connected.
        let silent = try #require(SocketClient(port: port))
        let slow = try #require(SocketClient(port: port))
        slow.send("POST / HTTP/1.1\r\nContent-Length: 100\r\nHost: x\r\n\r\nab")
        #expect(silent.read() == "" && slow.read() == "")
        // More requests than are worked on at a time.
        let busy = try (0..<2).map { _ in try #require(SocketClient(port: port)) }
        for connection in busy { connection.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n") }
        #expect(RunningServer.wait { running.began.load(ordering: .sequentiallyConsistent) == 2 })
        #expect(SocketClient.exchange(port, "GET / HTTP/1.1\r\n\(Self.end)").hasPrefix("HTTP/1.1 503"))
        for connection in busy { connection.hangUp() }
    }

    @Test func nonsense() throws {
        let running = try RunningServer()
        var random = SystemRandomNumberGenerator()
        let whole = [
            "", "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "FOO / HTTP/1.1\r\nHost: x\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "GET / HTTP/1.1\r\n: \r\n\r\n",
            "GET http://evil/ HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\n\r\n",
        ]
        for text in whole {
            let connection = try #require(SocketClient(port: running.server.port))
            connection.send(text)
            usleep(2000)
            connection.hangUp()
        }
        for _ in 0..<100 {
            let connection = try #require(SocketClient(port: running.server.port))
            connection.send((0..<200).map { _ in UInt8.random(in: 0...255, using: &random) })
            connection.hangUp()
        }
        #expect(SocketClient.exchange(running.server.port, "GET /a HTTP/1.1\r\n\(Self.end)").contains("GET /a "))
    }

    @Test func stopEndsEverything() throws {
        let running = try RunningServer()
        let connection = try #require(SocketClient(port: running.server.port))
        connection.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(RunningServer.wait { running.began.load(ordering: .sequentiallyConsistent) == 1 })
        let reader = try #require(SocketClient(port: running.server.port))
        reader.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(RunningServer.wait { running.began.load(ordering: .sequentiallyConsistent) == 2 })
        let silent = try #require(SocketClient(port: running.server.port))
        running.server.stop()
        // A writer who waits for a slow reader ends, too, and the port is free.
        #expect(RunningServer.wait { running.cancelled.load(ordering: .sequentiallyConsistent) == 2 })
        #expect(RunningServer.wait { running.thread.hasEnded.load(ordering: .sequentiallyConsistent) })
        #expect(connection.read() == "" && silent.read() == "")
        #expect(SocketClient(port: running.server.port) == nil)
    }

    @Test func aPortIsTakenOnce() throws {
        let running = try RunningServer()
        let error = #expect(throws: HTTPServer.ListenError.self) {
            try HTTPServer(port: running.server.port) { _, _ in }
        }
        #expect(error?.number == EADDRINUSE)
    }
}
