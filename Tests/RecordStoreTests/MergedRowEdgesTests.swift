// Records at the edges of merging and loading: those that outlive a part that is gone, and those behind loaded ones.

import RecordColumns
import RecordModel
import Testing

@testable import RecordStore

@Suite struct MergedRowEdgesTests {
    private static func record(_ name: String, _ number: Int64) -> Record {
        Record(type: "T", id: Record.ID(name), fields: ["n": .int64(number)])
    }

    private static func commit(to store: RecordStore, _ fill: (inout RecordBatch) -> Void) throws {
        var batch = RecordBatch()
        fill(&batch)
        try store.commit(batch)
    }

    /// A record that was changed has an old row in a part that goes while it is merged, which says nothing of it.
    @Test func recordsOutliveAPartThatIsGone() throws {
        let store = RecordStore()
        try Self.commit(to: store) { batch in
            for number in 0..<100 { batch.save(Self.record("r\(number)", 1)) }
        }
        try Self.commit(to: store) { $0.save(Self.record("r5", 2)) }
        try store.merge { _ in
            try Self.commit(to: store) { batch in
                for number in 0..<100 where number != 5 { batch.delete(Record.ID("r\(number)")) }
            }
        }
        #expect(store.snapshot.count == 1)
        #expect(store.snapshot.record(Record.ID("r5"))?["n"] == 2)
        #expect(store.snapshot.record(Record.ID("r6")) == nil)
    }

    /// A store of loaded records numbers new ones behind them; one that is changed keeps its place.
    @Test func newRecordsComeBehindLoadedOnes() throws {
        let loader = RecordLoader()
        for number in 0..<3 { try loader.append(Self.record("r\(number)", 1), origin: number + 1) }
        let store = RecordStore(loader.finish())
        #expect(store.image.nextSequence == 3)
        try Self.commit(to: store) { $0.save(Self.record("a", 2)) }
        try Self.commit(to: store) { $0.change(Record.ID("r0"), ["n": 3]) }
        let snapshot = store.snapshot
        #expect((0..<snapshot.count).map { snapshot.record(ofNumber: $0).recordName } == ["r0", "r1", "r2", "a"])
        #expect(snapshot.record(Record.ID("r0"))?["n"] == 3 && store.image.nextSequence == 4)
    }
}
