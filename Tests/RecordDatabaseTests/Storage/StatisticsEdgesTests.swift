// What is in a store and whose it is: statistics, sets of stored records, and errors of files as callers see them.

import Foundation
import RecordModel
import RecordStorage
import Testing

@testable import RecordDatabase

@Suite struct StatisticsEdgesTests {
    private static func part(
        _ scope: DatabaseScope, _ user: String?, _ zone: String, _ count: Int
    ) -> StorageStatistics.Records {
        StorageStatistics.Records(
            scope: scope, user: user, recordType: "T", zoneName: zone, count: count, deletedRows: 0, segments: 1,
            indexes: 0)
    }

    /// Records are counted by database, type and zone; after compacting no row of a deleted one is left.
    @Test func recordsAreCountedByDatabaseAndZone() async throws {
        let world = try await World()
        try await world.everyones.put(record("p", ["n": 1]))
        try await world.mine.put(record("a", ["n": 1]), record("b", ["n": 2]), record("c", ["n": 3]))
        try await world.mine.put(record("z", in: world.zone, ["n": 1]))
        try await world.mine.deleteRecord(withID: Record.ID("b"))
        try await world.alice.compact()
        let statistics = try await world.alice.storageStatistics()
        let parts = statistics.records.filter { $0.recordType == "T" }.map { part -> StorageStatistics.Records in
            var part = part
            part.indexes = 0
            return part
        }
        #expect(
            parts == [
                Self.part(.public, nil, "_defaultZone", 1), Self.part(.private, World.alice, "Z", 1),
                Self.part(.private, World.alice, "_defaultZone", 2),
            ])
        #expect(statistics.recordCount == 4)
    }

    /// A set of stored records is of one database, and of one type where that is wanted.
    @Test func aSetIsOfTheDatabaseThatIsNamed() async throws {
        let folder = TemporaryFolder()
        let world = try await World(storedAt: folder.url)
        try await world.mine.put(record("a"), record("b", type: "U"))
        try await world.bob.privateDatabase.put(record("c"))
        for name in ["d", "e", "f"] { try await world.everyones.put(record(name)) }
        for container in [world.alice, world.alice2, world.bob, world.nobody] { container.close() }
        #expect(try RecordSet(storedAt: folder.url, user: World.alice).count == 2)
        #expect(try RecordSet(storedAt: folder.url, user: World.alice, type: "U").count == 1)
        #expect(try RecordSet(storedAt: folder.url, user: World.bob).count == 1)
        #expect(try RecordSet(storedAt: folder.url, scope: .public, user: World.bob).count == 3)
        // Nobody said whose: that of the local user, who has none.
        #expect(try RecordSet(storedAt: folder.url).count == 0)
    }

    @Test func errorsOfFilesHaveCodes() {
        let codes: [StorageError.Code: DatabaseError.Code] = [
            .notAStore: .invalidArguments, .incompatibleVersion: .incompatibleVersion, .corrupted: .internalError,
            .locked: .serviceUnavailable, .readOnly: .permissionFailure, .noPermission: .permissionFailure,
            .missing: .serviceUnavailable, .diskFull: .serviceUnavailable, .quotaExceeded: .quotaExceeded,
            .limitExceeded: .limitExceeded, .ioFailure: .serviceUnavailable,
        ]
        for code in StorageError.Code.allCases {
            let error = DatabaseError(StorageError(code, path: "a/b", "why", hint: "what to do"))
            #expect(error.code == codes[code], "\(code)")
            #expect(error.reason == "a/b: why" && error.hint == "what to do")
        }
    }
}
