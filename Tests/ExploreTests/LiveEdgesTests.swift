// Who is told what when records are written, when nobody is, and what is left of a server that has ended.

import Campaigns
import Foundation
import RecordDatabase
import Synchronization
import Testing
import _TestSupport

@testable import ExploreServer
@testable import HTTPServing

/// Waits until something is so, at most 20 seconds.
private func isSoon(_ condition: () -> Bool) -> Bool {
    for _ in 0..<4000 {
        if condition() { return true }
        usleep(5000)
    }
    return false
}

@Suite(.waits, .timeLimit(.minutes(5))) struct LiveEdgesTests {
    /// What is read at a version.
    private struct Step {
        var version: Int
        var records: RecordSet?
        /// Whether the records are written again as soon as they were read.
        var isPassing = false
    }

    /// Records that are written as a list says; those that are `nil` cannot be read.
    private final class Script: Sendable {
        private struct State {
            var steps: [Step]
            var place = 0
            var looks = 0
            var loads = 0
        }

        private let state: Mutex<State>

        init(_ steps: [Step]) { state = Mutex(State(steps: steps)) }

        var looks: Int { state.withLock { $0.looks } }
        var loads: Int { state.withLock { $0.loads } }

        /// Takes the next step.
        func write() { state.withLock { $0.place = min($0.place + 1, $0.steps.count - 1) } }

        func server() throws -> ExploreServer {
            let source = ExploredRecords(
                name: "script",
                version: {
                    self.state.withLock { state in
                        state.looks += 1
                        return ExploredRecords.Version([state.steps[state.place].version])
                    }
                },
                load: { () throws(ExploredRecords.LoadError) in
                    let step = self.state.withLock { state in
                        state.loads += 1
                        return state.steps[state.place]
                    }
                    if step.isPassing { self.write() }
                    guard let records = step.records else { throw ExploredRecords.LoadError("half a line") }
                    return records
                })
            let first = try #require(state.withLock { $0.steps.first?.records })
            return try ExploreServer(source, first, options: ExploreServer.Options())
        }
    }

    /// A connection of a browser that listens, and what it has read.
    private final class Listener {
        private let client: SocketClient
        /// The server, which ends when nobody holds it.
        private var page: PageClient?
        private(set) var text = ""

        init(_ page: PageClient, _ body: String) throws {
            self.page = page
            client = try #require(SocketClient(port: page.port, seconds: 30))
            client.send(
                "POST /api/events HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\nContent-Type: application/json\r\n"
                    + "Authorization: Bearer \(page.key)\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Sec-Fetch-Mode: cors\r\n\r\n" + body)
        }

        /// Reads up to the event about so many records.
        func read(records: Int) { text += client.read(until: "\"records\":\(records)}\n\n") }

        func count(_ event: String) -> Int { text.ranges(of: event).count }

        /// Leaves the server to others.
        func letGo() { page = nil }

        func hangUp() { client.hangUp() }
    }

    private static func numbers(_ count: Int) throws -> RecordSet {
        try RowSample.numbers((0..<count).map { Int64($0) })
    }

    // MARK: Records that are written

    /// Differences are told of a page's query alone, each time against what it was told last.
    @Test func whatChangesForAQuery() throws {
        let first = try Self.numbers(1)
        func state(_ version: Int, _ numbers: [Int64]) throws -> Step {
            Step(version: version, records: try RowSample.numbers(numbers))
        }
        let script = Script([
            Step(version: 0, records: first), try state(1, [0, 7, 8]), try state(2, [0, 7, 8, 1]),
            try state(3, [0, 1, 8, 1, 1]),
        ])
        let page = try PageClient(script.server())
        let asking = try Listener(page, #"{"query":{"text":"n > 5"}}"#)
        let other = try Listener(page, #"{"query":null}"#)
        for listener in [asking, other] { listener.read(records: 1) }
        for records in [3, 4, 5] {
            script.write()
            for listener in [asking, other] { listener.read(records: records) }
        }
        for listener in [asking, other] {
            // Once at the beginning, once for each state.
            #expect(listener.count("event: set\n") == 4, "\(listener.text)")
            for (version, records) in [(1, 1), (2, 3), (3, 4), (4, 5)] {
                let event = "id: \(version)\nevent: set\ndata: {\"version\":\(version),\"records\":\(records)}\n\n"
                #expect(listener.count(event) == 1, "\(listener.text)")
            }
            // Comments are far apart.
            #expect((1..<20).contains(listener.count(": beat\n")), "\(listener.text.prefix(2000))")
        }
        #expect(other.count("event: matches") == 0)
        #expect(asking.count("event: matches") == 2, "\(asking.text)")
        #expect(asking.count("id: 2\nevent: matches\ndata: {\"new\":2,\"changed\":0,\"gone\":0}\n\n") == 1)
        #expect(asking.count("id: 4\nevent: matches\ndata: {\"new\":0,\"changed\":0,\"gone\":1}\n\n") == 1)
        #expect(script.loads == 3, "each state is read once")
        for listener in [asking, other] { listener.hangUp() }
    }

    /// A line that is being written is whole at the next look: one failure is nothing that people are told.
    @Test func oneFailureIsNotTold() throws {
        let script = Script([
            Step(version: 0, records: try Self.numbers(1)), Step(version: 1, records: nil, isPassing: true),
            Step(version: 2, records: try Self.numbers(2)), Step(version: 1, records: nil, isPassing: true),
            Step(version: 3, records: try Self.numbers(3)),
        ])
        let listener = try Listener(PageClient(script.server()), "{}")
        listener.read(records: 1)
        for records in [2, 3] {
            script.write()
            listener.read(records: records)
            // What was read is not read again.
            usleep(500_000)
            #expect(script.loads == 2 * (records - 1))
        }
        #expect(listener.count("event: set\n") == 3 && listener.count("unreadable") == 0, "\(listener.text)")
        listener.hangUp()
    }

    @Test func twoFailuresAreTold() throws {
        let failure = Step(version: 1, records: nil, isPassing: true)
        let script = Script([
            Step(version: 0, records: try Self.numbers(1)), failure, failure,
            Step(version: 2, records: try Self.numbers(2)),
        ])
        let listener = try Listener(PageClient(script.server()), "{}")
        listener.read(records: 1)
        script.write()
        listener.read(records: 2)
        let event = "id: 1\nevent: unreadable\ndata: {\"message\":\"half a line\"}\n\n"
        #expect(listener.count(event) == 1 && listener.count("unreadable") == 1, "\(listener.text)")
        #expect(listener.count("event: set\n") == 2)
        listener.hangUp()
    }

    /// Nobody looks whether records were written while no page listens.
    @Test func itLooksWhileSomebodyListens() throws {
        let script = Script([Step(version: 0, records: try Self.numbers(1))])
        let server = try script.server()
        usleep(500_000)
        #expect(script.looks == 1, "once before they are read")
        let listener = try Listener(PageClient(server), "{}")
        listener.read(records: 1)
        let began = ContinuousClock.now
        #expect(isSoon { script.looks >= 4 })
        // Five times a second.
        #expect(script.looks < 10 + Int((ContinuousClock.now - began) / .milliseconds(100)))
        listener.hangUp()
        let hasEnded = (0..<10).contains { _ in
            let before = script.looks
            usleep(700_000)
            return script.looks == before
        }
        #expect(hasEnded && script.loads == 0)
    }

    /// A database and its servers, each on a port of its own.
    @Test func whatADatabaseTakesIsTold() async throws {
        let container = try Container(identifier: "explore-edges")
        let database = container.privateDatabase
        func save(_ name: String) async throws {
            _ = try await database.modifyRecords(
                saving: [Record(type: "T", id: Record.ID(name), fields: ["n": 1])], deleting: [])
        }
        try await save("a")
        let servers = [try ExploreServer(database), try ExploreServer(database, name: "notes")]
        let pages = try servers.map { try PageClient($0) }
        #expect(try pages.map { try $0.call("about", [:])["name"] as? String } == ["database", "notes"])
        let listeners = try pages.map { try Listener($0, #"{"query":{"text":"n == 1"}}"#) }
        for listener in listeners { listener.read(records: 1) }
        try await save("b")
        for listener in listeners {
            listener.read(records: 2)
            #expect(listener.count("{\"new\":1,\"changed\":0,\"gone\":0}") == 1, "\(listener.text)")
            listener.hangUp()
        }
        for page in pages { #expect(try page.call("about", [:])["records"] as? Int == 2) }
    }

    // MARK: Servers

    @Test func eachServerHasAPortOfItsOwn() throws {
        let records = try Self.numbers(1)
        let source = ExploredRecords(name: "t", version: { nil }, load: { nil })
        let servers = [
            try ExploreServer(records), try ExploreServer(records),
            try ExploreServer(source, records, options: ExploreServer.Options()),
            try ExploreServer(source, records, options: ExploreServer.Options()),
        ]
        #expect(Set(servers.map(\.port)).count == 4 && servers.allSatisfy { $0.port >= 1024 })
        let error = #expect(throws: DatabaseError.self) { try ExploreServer(records, port: servers[0].port) }
        #expect(error?.code == .serviceUnavailable)
    }

    /// What a source holds.
    private final class Held: Sendable {
        let looks = Atomic(0)
        func look() -> ExploredRecords.Version? {
            looks.add(1, ordering: .relaxed)
            return nil
        }
    }

    /// The records of a server are let go with it, also where a page still listens.
    @Test func aServerThatHasEndedHoldsNothing() throws {
        weak var known: Held?
        func use() throws -> Listener {
            let held = Held()
            known = held
            let source = ExploredRecords(name: "t", version: { held.look() }, load: { nil })
            let server = try ExploreServer(source, Self.numbers(1), options: ExploreServer.Options())
            let listener = try Listener(PageClient(server), "{}")
            listener.read(records: 1)
            listener.letGo()
            return listener
        }
        let listener = try use()
        #expect(isSoon { known == nil })
        listener.hangUp()
    }

    // MARK: Listeners and writers

    /// A server of one handler on a thread of its own.
    private static func server(_ handler: @escaping HTTPServer.Handler) throws -> HTTPServer {
        let server = try HTTPServer(port: 0, handler: handler)
        Thread.detachNewThread { server.run() }
        return server
    }

    private static let request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    @Test func whoHearsNothingMoreIsForgotten() throws {
        let listeners = Listeners()
        let state = RowSample.explorer(try Self.numbers(1)).current
        let server = try Self.server { _, reply in
            let stream = EventStream(reply, headers: [])
            listeners.add(Listeners.Listener(stream: stream, query: nil, state: state), reply.number)
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
        }
        defer { server.stop() }
        func count(_ isHeard: Bool = true, _ body: (inout Listeners.Listener) -> Void = { _ in }) -> Int {
            var count = 0
            listeners.tell { listener in
                count += 1
                body(&listener)
                return isHeard
            }
            return count
        }
        #expect(listeners.isEmpty && count() == 0)
        let clients = try (0..<2).map { _ in try #require(SocketClient(port: server.port, seconds: 10)) }
        for client in clients { client.send(Self.request) }
        #expect(isSoon { count() == 2 } && !listeners.isEmpty)
        // What it is told of a listener stays.
        #expect(count { $0.state.version += 6 } == 2)
        var versions: [Int] = []
        #expect(count { versions.append($0.state.version) } == 2 && versions == [7, 7])
        // Who hears is still connected.
        var areHeard: [Bool] = []
        #expect(count { areHeard.append($0.stream.send("told", id: 5, data: "{}")) } == 2 && areHeard == [true, true])
        for client in clients { #expect(client.read(until: "{}\n\n").contains("id: 5\nevent: told\ndata: {}\n\n")) }
        #expect(count(false) == 2)
        #expect(listeners.isEmpty && count() == 0)
        for client in clients { #expect(client.read().hasSuffix("0\r\n\r\n"), "the end") }
        // Who has gone meanwhile does not come back.
        let gone = EventStream(HTTPReply(server: server, number: 99), headers: [])
        for isHeard in [true, false] {
            listeners.add(Listeners.Listener(stream: gone, query: nil, state: state), 99)
            #expect(!listeners.isEmpty)
            #expect(count(isHeard) { _ in listeners.remove(99) } == 1)
            #expect(listeners.isEmpty)
        }
    }

    /// Up to the bytes that may wait a writer goes on, whoever reads; beyond them only while somebody does.
    @Test func whoWaitsForNobodyStops() throws {
        let server = try HTTPServer(port: 0) { _, _ in }
        let reply = HTTPReply(server: server, number: 99)
        for pending in [0, HTTPReply.mostPending - 1, HTTPReply.mostPending] {
            #expect(WaitingThread.wait(for: reply, pending), "\(pending)")
        }
        for pending in [HTTPReply.mostPending + 1, .max] { #expect(!WaitingThread.wait(for: reply, pending)) }
    }

    @Test func aWriterWaitsUntilMostIsRead() throws {
        let hasBegun = Atomic(false)
        let outcome = Mutex<Bool?>(nil)
        let server = try Self.server { _, reply in
            reply.begin(200, [])
            let pending = reply.write([UInt8](repeating: 0x61, count: 24 << 20)) ?? 0
            await WaitingThread.run {
                hasBegun.store(true, ordering: .sequentiallyConsistent)
                let isRead = WaitingThread.wait(for: reply, pending)
                outcome.withLock { $0 = isRead }
            }
            reply.end()
        }
        defer { server.stop() }
        let client = try #require(SocketClient(port: server.port, seconds: 20))
        client.send(Self.request)
        #expect(isSoon { hasBegun.load(ordering: .sequentiallyConsistent) })
        usleep(100_000)
        #expect(outcome.withLock { $0 } == nil, "the reader has read nothing")
        #expect(client.read().utf8.count > 24 << 20)
        #expect(outcome.withLock { $0 } == true)
    }

    /// Memory that this process has set apart.
    private static func reservedBytes() throws -> Int {
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("VmSize:") })
        return try #require(line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first) << 10
    }

    /// Threads that have done their work leave no stack behind.
    @Test func threadsEndWithTheirWork() async throws {
        let done = Atomic(0)
        let before = try Self.reservedBytes()
        for _ in 0..<4_000 { await WaitingThread.run { done.add(1, ordering: .relaxed) } }
        #expect(done.load(ordering: .relaxed) == 4_000)
        // A stack is 8 MB, 31 GB in all, and what other tests do meanwhile takes less than 20 GB.
        #expect(try Self.reservedBytes() - before < 20 << 30)
    }
}
