// A clock that is set back or forward: dates never run backwards, and nothing but dates depends on it.

import Foundation
import Synchronization
import Testing

@testable import RecordDatabase

@Suite struct ClockTests {
    /// Seconds by which the clock is set before each write.
    private static let jumps: [[TimeInterval]] = [
        [-1, -86_400, -1e9], [86_400, -86_400, 0, -1], [1e9, -2e9, 5, 5], [0, 0, 0],
    ]

    /// Tags, the order of changes and the dates of records, whatever the clock does; with the store closed and opened
    /// again after every second write.
    @Test(arguments: jumps, [true, false])
    func writesKeepTheirOrder(_ jumps: [TimeInterval], isStored: Bool) async throws {
        let folder = TemporaryFolder()
        let clock = TestClock()
        var configuration = Configuration()
        configuration.clock = { clock.now }
        func opened() throws -> Container {
            let account = Account.user(World.alice)
            return isStored
                ? try Container(
                    identifier: "test", storedAt: folder.url, account: account, configuration: configuration)
                : try Container(identifier: "test", account: account, configuration: configuration)
        }
        var container = try opened()
        let zone = RecordZone.ID("Z")
        try await container.privateDatabase.save(RecordZone(id: zone))
        var saved = try await container.privateDatabase.save(record("r", in: zone, ["n": 0]))
        var (token, tags, latest) = (
            try container.privateDatabase.changes(in: zone).token, [saved.recordChangeTag], saved.modificationDate
        )
        for (number, jump) in jumps.enumerated() {
            clock.advance(jump)
            if isStored, number % 2 == 1 {
                container.close()
                container = try opened()
            }
            let database = container.privateDatabase
            let stale = saved
            saved["n"] = .int64(Int64(number + 1))
            saved = try await database.save(saved)
            tags.append(saved.recordChangeTag)
            await fails(.serverRecordChanged) {
                var other = stale
                other["n"] = -1
                return try await database.save(other)
            }
            let made = try await database.save(record("new\(number)", in: zone))
            for date in [saved.modificationDate, made.creationDate, made.modificationDate] {
                let (date, before) = (try #require(date), try #require(latest))
                #expect(date >= before, "\(jump)")
            }
            latest = made.modificationDate
            let changes = try database.changes(in: zone, since: token)
            #expect(changes.entries == ["+r", "+new\(number)"])
            token = changes.token
        }
        #expect(Set(tags).count == jumps.count + 1 && !tags.contains(nil))
        let found = try await container.privateDatabase.recordPage(
            matching: Query("T", "n == \(jumps.count) AND creationDate <= modificationDate"), in: .zone(zone))
        #expect(found.matchResults.count == 1)
        container.close()
    }

    /// The deadline of a query is no matter of the database's clock.
    @Test func deadlinesStandStill() async throws {
        let world = try await World()
        try await world.mine.put(record("r", ["n": 1]))
        let times = Mutex(0.0)
        // A clock that is a day further, or a day back, whenever somebody looks.
        for step in [86_400.0, -86_400.0] {
            let client = try world.client(World.alice) { configuration in
                configuration.limits.queryTime = .seconds(1000)
                configuration.clock = {
                    Date(
                        timeIntervalSince1970: 1.7e9
                            + times.withLock {
                                $0 += step
                                return $0
                            })
                }
            }
            let found = try await client.privateDatabase.recordPage(
                matching: Query("T", "n == 1 AND now() != nil"), in: .default)
            #expect(found.matchResults.count == 1)
        }
    }
}
