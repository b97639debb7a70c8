// The deletions that a zone remembers: how many, which of them still count, and what comes back from a store.

import Testing

@testable import RecordDatabase

@Suite struct ForgottenDeletionTests {
    private static func zone() -> ZoneState { ZoneState(id: RecordZone.ID("Z"), made: 1, capabilities: []) }

    private static func deletion(_ name: String, _ change: Int64) -> Tombstone {
        Tombstone(recordName: name, recordType: "T", change: change)
    }

    /// Names and changes of the deletions behind a change.
    private static func told(_ zone: ZoneState, after change: Int64 = 0, limit: Int = 100) -> [String] {
        zone.deletions(after: change, limit: limit).map { "\($0.recordName)\($0.change)" }
    }

    /// A limit, and how many deletions are left after each of eight. When more than half as many again and one are
    /// there, those beyond the limit go at once.
    private static let courses: [(limit: Int, kept: [Int])] = [
        (-1, [1, 0, 1, 0, 1, 0, 1, 0]), (0, [1, 0, 1, 0, 1, 0, 1, 0]), (1, [1, 2, 1, 2, 1, 2, 1, 2]),
        (2, [1, 2, 3, 4, 2, 3, 4, 2]), (3, [1, 2, 3, 4, 5, 3, 4, 5]), (4, [1, 2, 3, 4, 5, 6, 7, 4]),
    ]

    @Test(arguments: courses.indices) func theOldestAreForgotten(_ index: Int) {
        let (limit, kept) = Self.courses[index]
        var zone = Self.zone()
        for (number, count) in zip(1..., kept) {
            zone.bury(Self.deletion("r\(number)-", Int64(number)), limit: limit)
            #expect(Self.told(zone) == (number - count..<number).map { "r\($0 + 1)-\($0 + 1)" }, "\(number)")
            #expect(zone.forgottenThrough == Int64(number - count) && zone.forgottenCount == number - count)
        }
    }

    /// Of several deletions of a record the last counts, also when the first is forgotten.
    @Test func theLastDeletionOfARecordCounts() {
        var zone = Self.zone()
        for (name, change) in [("a", 1), ("b", 2), ("a", 3)] as [(String, Int64)] {
            zone.bury(Self.deletion(name, change), limit: 10)
        }
        #expect(Self.told(zone) == ["b2", "a3"])
        #expect(Self.told(zone, limit: 1) == ["b2"])
        #expect(Self.told(zone, after: 1) == ["b2", "a3"] && Self.told(zone, after: 2) == ["a3"])
        #expect(Self.told(zone, after: 3).isEmpty)
        zone.unbury(["b", "none"])
        #expect(Self.told(zone) == ["a3"])
        zone.bury(Self.deletion("b", 4), limit: 1)
        #expect(Self.told(zone) == ["b4"] && zone.forgottenThrough == 3)
        var other = Self.zone()
        for (name, change) in [("a", 1), ("b", 2), ("a", 3)] as [(String, Int64)] {
            other.bury(Self.deletion(name, change), limit: 1)
        }
        #expect(Self.told(other) == ["a3"] && other.forgottenThrough == 2 && other.forgottenCount == 2)
    }

    /// What a store had of a zone is as it was: what was saved again since is no deletion.
    @Test func deletionsComeBackFromAStore() {
        var zone = Self.zone()
        zone.restore(
            [(Self.deletion("a", 4), false), (Self.deletion("b", 5), true), (Self.deletion("a", 6), true)],
            forgotten: (through: 3, count: 7))
        #expect(Self.told(zone) == ["b5", "a6"])
        #expect(zone.forgottenThrough == 3 && zone.forgottenCount == 7)
        #expect(zone.tombstones.map { zone.isCurrent($0) } == [false, true, true])
        zone.bury(Self.deletion("c", 8), limit: 2)
        #expect(zone.forgottenThrough == 3 && Self.told(zone) == ["b5", "a6", "c8"])
        zone.bury(Self.deletion("d", 9), limit: 2)
        #expect(zone.forgottenThrough == 6 && zone.forgottenCount == 10 && Self.told(zone) == ["c8", "d9"])
    }
}
