// What a query of a moment that nobody has seen yet does not do: number all records of the database.

import RecordModel
import Testing

@testable import RecordDatabase
@testable import RecordStore

@Suite struct MomentCostTests {
    private static let zone = RecordZone.ID("Z")

    /// Records in several segments, some of them changed.
    private static func database() async throws -> Database {
        let database = try Container(identifier: "moments").privateDatabase
        try await database.save(RecordZone(id: zone))
        for start in stride(from: 0, to: 1200, by: 300) {
            let records = (start..<start + 300).map { number in
                Record(type: "T", id: Record.ID("r\(number)", zoneID: zone), fields: ["n": .int64(Int64(number % 400))])
            }
            _ = try await database.modifyRecords(saving: records)
        }
        for number in [900, 3, 411] {
            var record = try await database.record(for: Record.ID("r\(number)", zoneID: zone))
            record["n"] = .int64(7)
            try await database.save(record)
        }
        return database
    }

    @Test func recordsAreFoundWithoutNumbers() async throws {
        let database = try await Self.database()
        try await database.read { snapshot in
            for zones in [QueryZones.all, .zone(Self.zone)] {
                let set = try snapshot.records(ofType: "T", in: zones)
                let found = try set.records(matching: "n == 7").map(\.id.recordName)
                #expect(found == ["r3", "r7", "r407", "r411", "r807", "r900"])
                let some = try set.records(matching: "n == 7", limit: 2, offset: 1)
                #expect(some.map(\.id.recordName) == ["r7", "r407"])
                let last = try set.records(matching: "n >= 7", sortedBy: [.descending("n")], limit: 1)
                #expect(last.map(\.id.recordName) == ["r399"])
                let prepared = try set.prepare("n == $n").records(["n": 399])
                #expect(prepared.map(\.id.recordName) == ["r399", "r799", "r1199"])
                #expect(set.snapshot.knownNumbers.load() == nil)
                // Ordinals are such numbers.
                let numbered = try set.ordinals(matching: "n == 7").compactMap { set.record(at: $0)?.id.recordName }
                #expect(numbered == found)
                #expect(set.snapshot.isOneWholeSegment || set.snapshot.knownNumbers.load() != nil)
            }
        }
    }

    @Test func recordsAreDeletedWithoutNumbers() async throws {
        let database = try await Self.database()
        let (count, left) = try await database.write { transaction in
            // The moment that the transaction rests on, which is one with all zones.
            let before = try transaction.records(ofType: "T").snapshot
            let count = try transaction.deleteAll("T", where: "n == 7")
            #expect(before.knownNumbers.load() == nil && !before.isOneWholeSegment)
            return (count, try transaction.records(ofType: "T").count)
        }
        #expect(count == 6 && left == 1194)
        #expect(try await database.count(matching: Query("T", "TRUEPREDICATE"), in: .zone(Self.zone)) == 1194)
    }
}
