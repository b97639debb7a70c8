// Record stores: random writes against a dictionary, readers beside a writer, and what commits refuse.

import PredicateSemantics
import RecordColumns
import RecordModel
import RecordStore
import Testing

@testable import Campaigns

@Suite struct RecordStoreTests {
    /// Few records with many changes each, and many with few.
    @Test(arguments: [(1, 20, 100), (2, 90, 100), (3, 700, 30)] as [(UInt64, Int, Int)])
    func resultsFollowWrites(seed: UInt64, room: Int, steps: Int) {
        var campaign = UpdateCampaign(seed: seed, room: room)
        for _ in 0..<steps { campaign.step(predicates: 3) }
        for difference in campaign.differences.prefix(5) { Issue.record("\(difference)") }
        #expect(campaign.comparisons > steps * 10)
    }

    @Test func readersSeeWholeCommits() async {
        let result = await ConcurrentCampaign(seed: 1, records: 60).run(commits: 150)
        #expect(result.faults.prefix(3) == [])
        // The writer waits for a reader after every 16 commits.
        #expect(result.reads > 9 && result.versions > 5, "\(result)")
    }

    private static func record(_ name: String, _ fields: [String: FieldValue]) -> Record {
        Record(type: "T", id: Record.ID(name), fields: fields)
    }

    private static func batch(_ fill: (inout RecordBatch) -> Void) -> RecordBatch {
        var batch = RecordBatch()
        fill(&batch)
        return batch
    }

    /// Single commits, so that all sizes of segments and both ways of merging come up.
    @Test func segmentsStayFew() throws {
        let store = RecordStore()
        for number in 0..<3000 {
            let batch = Self.batch { $0.save(Self.record("r\(number)", ["n": .int64(Int64(number))])) }
            try store.commit(batch)
            #expect(store.snapshot.count == number + 1)
            #expect(store.snapshot.segments.count <= 64)
        }
        store.flush()
        #expect(store.snapshot.segments.count < 8 * 5)
        #expect(store.snapshot.count == 3000)
        store.merge()
        #expect(store.snapshot.segments.count == 1)
        #expect(store.snapshot.record(Record.ID("r2999"))?["n"] == 2999)
    }

    /// When commits pause, each segment that is in a tier is more than twice as large as all smaller ones together, and
    /// no record is another; a commit does not wait for a pause.
    @Test(arguments: [[100, 100], [70, 3000, 80], [600, 600, 600, 5000, 64], [2000, 90]])
    func pausesLeaveFewSegments(sizes: [Int]) async throws {
        let store = RecordStore()
        var count = 0
        for size in sizes {
            let batch = Self.batch { batch in
                for number in count..<count + size {
                    batch.save(Self.record("r\(number)", ["n": .int64(Int64(number))]))
                }
            }
            try store.commit(batch)
            count += size
        }
        // On a busy machine a pause may have come in between.
        #expect(store.snapshot.segments.count <= sizes.count)
        func isSettled() -> Bool {
            let sizes = store.snapshot.segments.map(\.segment.count).sorted()
            return sizes.indices.allSatisfy { sizes[$0] > 2 * sizes[..<$0].reduce(0, +) }
        }
        for _ in 0..<600 where !isSettled() { try await Task.sleep(for: .milliseconds(50)) }
        #expect(isSettled(), "\(store.snapshot.segments.map(\.segment.count))")
        #expect(store.snapshot.count == count)
        for number in stride(from: 0, to: count, by: 37) {
            #expect(store.snapshot.record(Record.ID("r\(number)"))?["n"] == .int64(Int64(number)))
        }
    }

    /// Small segments never are many, and what is overwritten goes: of a segment that is not small at least half counts.
    @Test func overwrittenRowsGo() throws {
        let store = RecordStore()
        func save(_ numbers: some Sequence<Int>, _ value: Int) throws {
            let batch = Self.batch { batch in
                for number in numbers { batch.save(Self.record("r\(number)", ["n": .int64(Int64(value))])) }
            }
            try store.commit(batch)
            #expect(store.snapshot.segments.count { $0.segment.count < 64 } < 8)
        }
        try save(0..<1000, 0)
        for round in 1...30 {
            for start in 0..<10 { try save(stride(from: start, to: 1000, by: 10), round) }
            for number in 0..<50 { try save([(round * 37 + number) % 1000], round) }
            store.flush()
            let segments = store.snapshot.segments
            #expect(segments.count < 8 * 3)
            #expect(segments.reduce(0) { $0 + $1.segment.count } <= 2 * 1000 + 7 * 63)
        }
        #expect(store.snapshot.count == 1000)
        #expect(store.snapshot.record(Record.ID("r500"))?["n"] == 30)
    }

    @Test func rejectedCommitsChangeNothing() throws {
        let store = RecordStore()
        try store.commit(Self.batch { $0.save(Self.record("a", ["n": 1, "when": .null, "text": "x"])) })
        let before = store.snapshot
        let id = Record.ID("a")
        let rejected: [RecordBatch] = [
            Self.batch { $0.change(Record.ID("b"), ["n": 2]) },
            Self.batch {
                $0.delete(id)
                $0.change(id, ["n": 2])
            },
            Self.batch {
                $0.save(Self.record("c", ["n": 5, "new": true]))
                $0.change(id, ["n": "text"])
            },
            Self.batch { $0.save(Self.record("c", ["text": 1])) },
            Self.batch { $0.save(Self.record("c", ["list": [1, "x"]])) },
        ]
        for batch in rejected { #expect(throws: CommitError.self) { try store.commit(batch) } }
        #expect(store.snapshot.version == before.version)
        // What the refused commits taught about fields is forgotten: `new` and `list` are free.
        try store.commit(Self.batch { $0.save(Self.record("c", ["new": "text", "list": ["x"], "text": "y"])) })
        #expect(store.snapshot.count == 2)
        #expect(store.snapshot.schemas.first?.type(of: "new") == .string)
    }

    /// Text that looks like a date stays text: programs have dates of their own.
    @Test func textIsNotReadAsDates() throws {
        let store = RecordStore()
        try store.commit(Self.batch { $0.save(Self.record("a", ["t": "2001-01-01T00:00:00Z"])) })
        #expect(store.snapshot.record(Record.ID("a"))?["t"] == "2001-01-01T00:00:00Z")
        try store.commit(
            Self.batch { $0.save(Self.record("b", ["d": .date(.init(timeIntervalSinceReferenceDate: 0))])) })
        #expect(throws: CommitError.self) {
            try store.commit(Self.batch { $0.change(Record.ID("b"), ["d": "2001-01-01T00:00:00Z"]) })
        }
    }

    @Test func oldSnapshotsStay() throws {
        let loader = RecordLoader()
        for number in 0..<500 {
            try loader.append(Self.record("r\(number)", ["n": .int64(Int64(number))]), origin: number)
        }
        let store = RecordStore(loader.finish())
        let before = store.snapshot
        try store.commit(
            Self.batch { batch in
                for number in 0..<400 { batch.delete(Record.ID("r\(number)")) }
                batch.change(Record.ID("r450"), ["n": -1])
                batch.save(Self.record("new", ["n": 3]))
                batch.delete(Record.ID("none"))
            })
        #expect(store.snapshot.count == 101)
        store.flush()
        #expect(store.snapshot.count == 101)
        #expect(before.count == 500)
        #expect(before.record(Record.ID("r450"))?["n"] == 450)
        #expect(store.snapshot.record(Record.ID("r450"))?["n"] == -1)
        #expect(store.snapshot.record(Record.ID("r1")) == nil)
    }

    /// The commits in the middle would wait for themselves if merging held the lock of commits.
    @Test func commitsGoOnBesideMerging() throws {
        let store = RecordStore()
        var expected: [String: FieldValue] = [:]
        func save(_ numbers: Range<Int>, _ value: Int64) throws {
            try store.commit(
                Self.batch { batch in
                    for number in numbers { batch.save(Self.record("r\(number)", ["n": .int64(value)])) }
                })
            for number in numbers { expected["r\(number)"] = .int64(value) }
        }
        func delete(_ numbers: some Sequence<Int>) throws {
            try store.commit(
                Self.batch { batch in
                    for number in numbers { batch.delete(Record.ID("r\(number)")) }
                })
            for number in numbers { expected["r\(number)"] = nil }
        }
        for start in stride(from: 0, to: 6000, by: 100) { try save(start..<start + 100, 1) }
        try delete(stride(from: 0, to: 6000, by: 7))
        var mergedCounts: [Int] = []
        try store.merge { merged in
            mergedCounts.append(merged.segment.count)
            // Of a part that is gone, of parts that stay, and of new segments more than may wait to be merged.
            try delete(0..<300)
            for number in 1000..<1100 { try save(number..<number + 1, 2) }
            for start in stride(from: 2000, to: 9200, by: 90) { try save(start..<start + 90, 3) }
            try delete(9000..<9100)
            store.flush()
        }
        #expect(mergedCounts == [6000 - 858])
        for _ in 0..<2 {
            let snapshot = store.snapshot
            #expect(snapshot.count == expected.count)
            for (name, value) in expected { #expect(snapshot.record(Record.ID(name))?["n"] == value) }
            store.merge()
        }
        #expect(store.snapshot.segments.count == 1)
    }

    /// A record that was changed has an old row, which says nothing of it when others of its segment are deleted.
    @Test func recordsThatWereChangedBeforeMergingStay() throws {
        let store = RecordStore()
        try store.commit(
            Self.batch { batch in for number in 0..<100 { batch.save(Self.record("r\(number)", ["n": 1])) } })
        try store.commit(Self.batch { $0.save(Self.record("r5", ["n": 2])) })
        try store.merge { _ in
            try store.commit(Self.batch { $0.delete(Record.ID("r6")) })
        }
        #expect(store.snapshot.count == 99)
        #expect(store.snapshot.record(Record.ID("r5"))?["n"] == 2)
        #expect(store.snapshot.record(Record.ID("r6")) == nil)
    }

    /// What a refused commit taught of fields is forgotten: they take values of any kind, and are no part of the schema.
    @Test func refusedCommitsTeachNothing() throws {
        let store = RecordStore()
        try store.commit(Self.batch { $0.save(Self.record("r0", ["n": 1])) })
        for isMixed in [true, false] {
            let refused = Self.batch {
                $0.save(Self.record("x", ["n": 2, "t": "text", "u": "text"]))
                if isMixed { $0.save(Self.record("y", ["t": 5])) }
            }
            #expect(throws: CommitError.self) { try store.commit(refused) { _ in false } }
            #expect(store.snapshot.schema(ofType: "T")?.fields.map(\.name) == ["n"])
        }
        try store.commit(Self.batch { $0.save(Self.record("r1", ["t": 7])) })
        #expect(store.snapshot.schema(ofType: "T")?.fields.map(\.name) == ["n", "t"])
        #expect(store.snapshot.record(Record.ID("r1"))?["t"] == 7)
        #expect(store.snapshot.count == 2)
    }

    @Test func whatFailsBeforeItIsPublishedLeavesTheSegments() throws {
        let store = RecordStore()
        for number in 0..<20 {
            try store.commit(Self.batch { $0.save(Self.record("r\(number)", ["n": 1])) })
        }
        let before = store.snapshot.segments.count
        #expect(throws: CommitError.notConfirmed) {
            try store.merge { _ throws(CommitError) in throw .notConfirmed }
        }
        #expect(store.snapshot.segments.count == before)
        // Nothing is taken any more.
        for number in 20..<200 {
            try store.commit(Self.batch { $0.save(Self.record("r\(number)", ["n": 1])) })
        }
        #expect(store.snapshot.segments.count < 30)
        store.merge()
        #expect((store.snapshot.segments.count, store.snapshot.count) == (1, 200))
    }

    @Test func aZoneThatIsDeletedWhileItIsMergedStaysDeleted() throws {
        let store = RecordStore()
        let zone = RecordZone.ID("zone")
        for number in 0..<300 {
            let record = Record(type: "T", id: Record.ID("r\(number)", zoneID: zone), fields: ["n": 1])
            try store.commit(Self.batch { $0.save(record) })
        }
        try store.merge { _ in
            try store.commit(
                Self.batch {
                    $0.deleteZone(zone)
                    $0.save(Record(type: "T", id: Record.ID("r1", zoneID: zone), fields: ["n": 2]))
                })
        }
        #expect(store.snapshot.count == 1)
        #expect(store.snapshot.record(Record.ID("r1", zoneID: zone))?["n"] == 2)
    }
}
