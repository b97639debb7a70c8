// Whose log is given the messages of a store: that of each client, as long as there is the client.

import Foundation
import RecordModel
import Synchronization
import Testing

@testable import RecordDatabase

@Suite struct LogHandlerTests {
    private final class Tally: Sendable {
        let count = Mutex(0)
        var told: Int { count.withLock { $0 } }
    }

    private static func configuration(_ tally: Tally) -> Configuration {
        var configuration = Configuration()
        configuration.slowQueryTime = .zero
        configuration.log = { _ in tally.count.withLock { $0 += 1 } }
        return configuration
    }

    /// All clients of a store are told what one of them does, and who is gone is told nothing more.
    @Test func logsGoWithTheirClients() async throws {
        let (first, second) = (Tally(), Tally())
        let container = try Container(identifier: "test", configuration: Self.configuration(first))
        var other: Container? = try Container(
            sharing: container, account: .localUser, configuration: Self.configuration(second))
        try await container.privateDatabase.save(record("r", ["n": 1]))
        #expect(try await container.privateDatabase.records(matching: Query("T", "n == 1")).count == 1)
        #expect(first.told == 1 && second.told == 1)
        #expect(other?.client.isClosed == false)
        other = nil
        #expect(try await container.privateDatabase.records(matching: Query("T", "n == 1")).count == 1)
        #expect(first.told == 2 && second.told == 1)
    }
}
