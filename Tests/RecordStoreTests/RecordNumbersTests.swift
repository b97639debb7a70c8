// Numbers of records in order of insertion, over any mixture of segments and deleted rows.

import RecordColumns
import RecordModel
import RecordStore
import Testing
import _TestSupport

@Suite struct RecordNumbersTests {
    private static func record(_ number: Int, of kinds: Int, _ random: inout SplitMix64) -> Record {
        let zone = Bool.random(using: &random) ? RecordZone.ID.default : RecordZone.ID("z", ownerName: "me")
        return Record(
            type: "T\(Int.random(in: 0..<kinds, using: &random))", id: Record.ID("r\(number)", zoneID: zone),
            fields: ["n": .int64(Int64(number))])
    }

    /// The records by their sequence numbers, counted from 0, and the way back from each row.
    private static func check(_ snapshot: Snapshot) {
        var rows: [(sequence: Int, address: RowAddress)] = []
        for (index, stored) in snapshot.segments.enumerated() {
            for row in 0..<stored.segment.count where stored.isLive(row) {
                rows.append((stored.sequences[row], RowAddress(segment: index, row: row)))
            }
        }
        rows.sort { $0.sequence < $1.sequence }
        #expect(rows.count == snapshot.count)
        #expect(snapshot.recordNumbers.count == snapshot.count)
        for (number, row) in rows.enumerated() {
            #expect(snapshot.address(ofNumber: number) == row.address)
            #expect(snapshot.recordNumbers.number(segment: row.address.segment, row: row.address.row) == number)
        }
    }

    @Test(arguments: [1, 2, 5]) func numbersFollowInsertion(kinds: Int) throws {
        var random = SplitMix64(seed: UInt64(kinds))
        let store = RecordStore()
        Self.check(store.snapshot)
        for round in 0..<12 {
            var batch = RecordBatch()
            for number in round * 60..<round * 60 + 60 { batch.save(Self.record(number, of: kinds, &random)) }
            for _ in 0..<round {
                let number = Int.random(in: 0..<round * 60, using: &random)
                for zone in [RecordZone.ID.default, RecordZone.ID("z", ownerName: "me")] {
                    batch.delete(Record.ID("r\(number)", zoneID: zone))
                }
            }
            try store.commit(batch)
            Self.check(store.snapshot)
        }
        store.merge()
        Self.check(store.snapshot)
    }

    @Test func loadedRecordsKeepTheirPositions() throws {
        var random = SplitMix64(seed: 7)
        let loader = RecordLoader()
        let records = (0..<500).map { Self.record($0, of: 3, &random) }
        for (line, record) in records.enumerated() { try loader.append(record, origin: line) }
        let snapshot = Snapshot(loader.finish())
        Self.check(snapshot)
        #expect(snapshot.isSealed)
        #expect(records.indices.map { snapshot.record(ofNumber: $0).record } == records)
    }

    /// A type of which every record was taken back leaves no segment, and the others keep their places.
    @Test func emptySegmentsAreLeftOut() throws {
        let loader = RecordLoader()
        func append(_ type: String, _ name: String, isTakenBack: Bool) throws {
            let (type, text) = (Array(type.utf8), Array(name.utf8))
            try unsafe type.withUnsafeBufferPointer { type in
                try unsafe text.withUnsafeBufferPointer { text in
                    try unsafe loader.begin(type: type, name: text, origin: 1)
                }
            }
            if isTakenBack { loader.rollBack() } else { loader.commit(bytes: 1) }
        }
        try append("A", "a0", isTakenBack: false)
        try append("B", "b0", isTakenBack: true)
        try append("C", "c0", isTakenBack: false)
        try append("A", "a1", isTakenBack: false)
        let snapshot = Snapshot(loader.finish())
        #expect(snapshot.segments.map(\.segment.recordType) == ["A", "C"])
        #expect((0..<3).map { snapshot.record(ofNumber: $0).recordName } == ["a0", "c0", "a1"])
        Self.check(snapshot)
    }
}
