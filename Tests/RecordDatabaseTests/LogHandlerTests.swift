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
        configuration.log = { _ in tally.count.withLock { $0 += 1 } }
        return configuration
    }

    /// All clients of a store are told what happens to it, and who is gone is told nothing more.
    @Test func logsGoWithTheirClients() throws {
        let (first, second) = (Tally(), Tally())
        let container = try Container(identifier: "test", configuration: Self.configuration(first))
        var other: Container? = try Container(
            sharing: container, account: .localUser, configuration: Self.configuration(second))
        container.client.store.log.write(.info, .migration("one", .zero))
        #expect(first.told == 1 && second.told == 1)
        #expect(other?.client.isClosed == false)
        other = nil
        container.client.store.log.write(.info, .migration("one", .zero))
        #expect(first.told == 2 && second.told == 1)
    }
}
