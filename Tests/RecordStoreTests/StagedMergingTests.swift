// When segments are merged: while commits are staged, before a writer begins, and beside some that fit into no other.

import RecordModel
import Testing

@testable import RecordColumns
@testable import RecordStore

@Suite struct StagedMergingTests {
    private static func batch(_ name: String, _ fields: [String: FieldValue]) -> RecordBatch {
        var batch = RecordBatch()
        batch.save(Record(type: "T", id: Record.ID(name), fields: fields))
        return batch
    }

    /// A segment of lists, all of them empty but for the first, which has so many elements without a value.
    private static func segment(
        _ count: Int, from first: Int, elements: UInt32 = 0, in zone: RecordZone.ID = .default
    ) -> StoredSegment {
        let lists = ListColumn(
            offsets: ColumnBuffer<UInt32>([0] + [UInt32](repeating: elements, count: count)),
            elements: Column(values: .missing, presence: nil, count: Int(elements)))
        let segment = Segment(
            schema: RecordSchema(recordType: "T", fields: [FieldDefinition(name: "list", type: .list(nil))]),
            zoneID: zone, columns: [Column(values: .list(lists), presence: nil, count: count)],
            names: TextColumn((first..<first + count).map { "r\($0)" }))
        return StoredSegment(segment, sequences: RunLengthMap(first..<first + count))
    }

    /// Eight small segments become one before they are published, and once more when others come behind them.
    @Test func stagedSegmentsAreMergedWheneverTheyAreMany() throws {
        let store = RecordStore()
        do {
            let writer = store.beginWriting()
            defer { store.endWriting() }
            func stage(_ numbers: Range<Int>) throws {
                for number in numbers {
                    try writer.stage(Self.batch("r\(number)", ["n": .int64(Int64(number))])) { _ in true }
                }
            }
            func sizes() -> [Int] { writer.snapshot.segments.map(\.segment.count) }
            try stage(0..<8)
            #expect(sizes() == [Int](repeating: 1, count: 8))
            writer.prepare()
            #expect(sizes() == [8])
            try stage(8..<14)
            writer.prepare()
            #expect(sizes() == [8, 1, 1, 1, 1, 1, 1])
            #expect(store.snapshot.count == 0)
            try stage(14..<15)
            writer.publish()
        }
        #expect(store.snapshot.segments.map(\.segment.count) == [15] && store.snapshot.version == 15)
        for number in 0..<15 {
            #expect(store.snapshot.record(Record.ID("r\(number)"))?["n"] == .int64(Int64(number)))
        }
    }

    /// What is forgotten in the middle of writing leaves neither records nor numbers nor fields to what comes behind.
    @Test func discardedCommitsLeaveNothingToThoseBehind() throws {
        let store = RecordStore()
        try store.commit(Self.batch("r", ["n": 1]))
        do {
            let writer = store.beginWriting()
            defer { store.endWriting() }
            try writer.stage(Self.batch("a", ["t": "text", "n": 0.5])) { _ in true }
            #expect(writer.snapshot.count == 2)
            writer.discard()
            #expect(writer.snapshot === store.snapshot)
            try writer.stage(Self.batch("b", ["t": 7])) { _ in true }
            writer.publish()
        }
        let snapshot = store.snapshot
        #expect(snapshot.count == 2 && snapshot.record(Record.ID("a")) == nil && store.image.nextSequence == 2)
        #expect(snapshot.record(Record.ID("b"))?.fields == ["t": 7])
        #expect(snapshot.schema(ofType: "T")?.type(of: "n") == .int64)
        #expect(snapshot.locate(Record.ID("b"))?.sequence == 1)
    }

    /// A writer finds as few segments as there shall be where these were 64 of a kind, and waits for nothing before.
    @Test func writersWaitForMergingThatIsOverdue() {
        for (count, left) in [(63, 63), (64, 1)] {
            let segments = (0..<count).map { Self.segment(64, from: $0 * 64) }
            let store = RecordStore(
                segments: segments, schemas: [segments[0].segment.schema], nextSequence: count * 64)
            let writer = store.beginWriting()
            #expect(store.snapshot.segments.count == left && writer.snapshot.count == count * 64, "\(count)")
            store.endWriting()
        }
    }

    /// Lists of more than 2³² elements together are no segment: theirs stay as they are, are looked at once, and do not
    /// keep others from being merged.
    @Test func segmentsThatDoNotFitIntoOneAreLeft() {
        let zone = RecordZone.ID("z", ownerName: "me")
        let large = (0..<8).map { Self.segment(64, from: $0 * 64, elements: 600_000_000) }
        let others = (0..<8).map { Self.segment(70, from: 1_000 + $0 * 70, in: zone) }
        let store = RecordStore(
            segments: large + others, schemas: [large[0].segment.schema], nextSequence: 2_000)
        store.flush()
        let snapshot = store.snapshot
        #expect(snapshot.segments.map(\.segment.count) == [Int](repeating: 64, count: 8) + [560])
        #expect(snapshot.segments.map(\.isComplete) == [Bool](repeating: true, count: 8) + [false])
        // Once the large ones are taken out, and once the others become one.
        #expect(snapshot.count == 8 * 64 + 560 && snapshot.version == 2)
        #expect(zip(snapshot.segments, large).allSatisfy { $0.isSame(as: $1) })
        // There is nothing more to do, and nothing changes where all of a kind are wanted as one.
        store.flush()
        var written: [Int] = []
        store.merge { written.append($0.segment.count) }
        #expect(store.snapshot === snapshot && written == [Int](repeating: 64, count: 8) + [560])
        let isFree = store.taken.withLock { $0.isEmpty }
        #expect(isFree)
    }
}
