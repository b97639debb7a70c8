// What pages are told while records are written: also of those that cannot be read.

import Campaigns
import ExploreServer
import Foundation
import RecordDatabase
import Synchronization
import Testing
import _TestSupport

@Suite(.waits, .timeLimit(.minutes(5))) struct LiveTests {
    /// Records that a test writes.
    private final class Written: Sendable {
        private struct State {
            var version = 0
            var content: Result<RecordSet, ExploredRecords.LoadError>
            var loads = 0
        }

        private let state: Mutex<State>

        init(_ records: RecordSet) { state = Mutex(State(content: .success(records))) }

        /// How often they were read.
        var loads: Int { state.withLock { $0.loads } }

        func write(_ content: Result<RecordSet, ExploredRecords.LoadError>) {
            state.withLock { ($0.version, $0.content, $0.loads) = ($0.version + 1, content, 0) }
        }

        var source: ExploredRecords {
            ExploredRecords(
                name: "written", version: { self.state.withLock { ExploredRecords.Version([$0.version]) } },
                load: { () throws(ExploredRecords.LoadError) in
                    let content = self.state.withLock { state in
                        state.loads += 1
                        return state.content
                    }
                    return try content.get()
                })
        }
    }

    private static func records(_ names: String...) throws -> RecordSet {
        try RecordSet(
            records: names.map { name in
                var record = Record(type: "T", id: Record.ID(name))
                record[name] = 1
                return record
            })
    }

    /// A connection that is read on threads of its own: the server needs those of tasks.
    private final class Listener: @unchecked Sendable {
        // Used by one thread at a time.
        private let client: SocketClient

        init(_ client: SocketClient) { self.client = client }

        func read(until text: String) async -> String {
            await withCheckedContinuation { done in
                Thread.detachNewThread { done.resume(returning: self.client.read(until: text)) }
            }
        }

        func hangUp() { client.hangUp() }
    }

    private func listener(_ client: PageClient) async throws -> Listener {
        let listener = try #require(SocketClient(port: client.port, seconds: 30))
        listener.send(
            "POST /api/events HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nContent-Type: application/json\r\n"
                + "Authorization: Bearer \(client.key)\r\nContent-Length: 2\r\n\r\n{}")
        let reading = Listener(listener)
        #expect(await reading.read(until: #""records":1}"#).contains("event: set"))
        return reading
    }

    /// The page keeps what it had, is told why, and follows again; reading is not tried all the time.
    @Test func recordsThatCannotBeRead() async throws {
        let first = try Self.records("a")
        let written = Written(first)
        let server = try ExploreServer(written.source, first, options: ExploreServer.Options())
        let client = try PageClient(server)
        let listener = try await listener(client)
        written.write(.failure(ExploredRecords.LoadError("line 7: \"quoted\" is no JSON")))
        let told = await listener.read(until: "}")
        #expect(told.contains("event: unreadable\ndata: {\"message\":\"line 7: \\\"quoted\\\" is no JSON\"}"))
        #expect(!told.contains("event: set"))
        // Not five times a second, which is how often it looks.
        let (start, before) = (ContinuousClock.now, written.loads)
        try await Task.sleep(for: .seconds(2))
        let most = 6 + Int((ContinuousClock.now - start) / .seconds(1))
        #expect(before > 0 && written.loads - before < most)
        #expect(try client.query(["text": ""])["count"]?.first?["matched"] as? Int == 1)
        written.write(.success(try Self.records("a", "b")))
        #expect(await listener.read(until: #""records":2}"#).contains("event: set"))
        #expect(try client.query(["text": "b == 1"])["count"]?.first?["matched"] as? Int == 1)
        listener.hangUp()
    }

    /// Also while somebody listens, who is told nothing either.
    @Test func whatWasNotWrittenIsNotReadAgain() async throws {
        let first = try Self.records("a")
        let written = Written(first)
        let server = try ExploreServer(written.source, first, options: ExploreServer.Options())
        let listener = try await listener(try PageClient(server))
        // It looks five times a second.
        try await Task.sleep(for: .seconds(1))
        #expect(written.loads == 0)
        listener.hangUp()
    }

    /// Fields that come with records are known; of an empty set none are.
    @Test func fieldsComeWithRecords() async throws {
        let first = try Self.records("a")
        let written = Written(first)
        let server = try ExploreServer(written.source, first, options: ExploreServer.Options())
        let client = try PageClient(server)
        let listener = try await listener(client)
        func fields() throws -> [String] {
            let fields = try client.call("about", [:])["fields"] as? [[String: Any]] ?? []
            return fields.compactMap { $0["name"] as? String }
        }
        #expect(try fields() == ["a"])
        written.write(.success(try Self.records()))
        #expect(await listener.read(until: #""records":0}"#).contains("event: set"))
        #expect(try fields() == [])
        written.write(.success(try Self.records("b", "c")))
        #expect(await listener.read(until: #""records":2}"#).contains("event: set"))
        #expect(try fields() == ["b", "c"])
        listener.hangUp()
    }
}
