// Which segments are merged: how many, how large, of which kind, and what becomes of them.

import Indexing
import OrdinalSets
import RecordColumns
import RecordModel
import Testing

@testable import RecordStore

@Suite struct MergePolicyTests {
    private static let zone = RecordZone.ID("z")

    /// A segment of rows whose numbers follow `first`, some of them deleted.
    private static func segment(
        _ count: Int, from first: Int = 0, type: String = "T", in zone: RecordZone.ID = .default, deleted: Int = 0
    ) throws -> StoredSegment {
        let records = (first..<first + count).map {
            Record(type: type, id: Record.ID("r\($0)", zoneID: zone), fields: ["n": .int64(Int64($0))])
        }
        let segment = try TypeInference(recordType: type).segment(of: records, zoneID: zone, origin: 1)
        var gone = DeletedRows(of: count)
        for row in 0..<deleted { gone.insert(row) }
        return StoredSegment(
            segment, sequences: RunLengthMap(first..<first + count), deleted: deleted > 0 ? gone : nil)
    }

    private static func segments(_ counts: [Int], in zone: RecordZone.ID = .default) throws -> [StoredSegment] {
        var next = 0
        return try counts.map { count in
            defer { next += count }
            return try segment(count, from: next, in: zone)
        }
    }

    private static func sizes(_ segments: [StoredSegment]?) -> [Int]? { segments?.map(\.segment.count).sorted() }

    /// Eight of one tier; those of fewer rows than the first tier has, and of other kinds, do not count.
    @Test func eightOfATierAreMerged() throws {
        let eight = [Int](repeating: 64, count: 8)
        #expect(Self.sizes(MergePolicy.next(in: try Self.segments(eight))) == eight)
        #expect(MergePolicy.next(in: try Self.segments(Array(eight.dropLast()))) == nil)
        #expect(MergePolicy.next(in: try Self.segments(eight.dropLast() + [63])) == nil)
        #expect(MergePolicy.next(in: try Self.segments(eight.dropLast() + [512])) == nil)
        let mixed = [64, 511, 100, 200, 64, 70, 80, 90]
        #expect(Self.sizes(MergePolicy.next(in: try Self.segments(mixed + [512]))) == mixed.sorted())
        #expect(MergePolicy.next(in: []) == nil)
        // Of two zones, and of one of them enough.
        let half = [Int](repeating: 64, count: 4)
        let (here, there) = (try Self.segments(half), try Self.segments(half, in: Self.zone))
        #expect(MergePolicy.next(in: here + there) == nil)
        let all = try Self.segments(eight + [600]) + Self.segments([Int](repeating: 65, count: 8), in: Self.zone)
        #expect(Self.sizes(MergePolicy.next(in: all)) == eight)
        // One that is too large already is left alone.
        var complete = try Self.segments(eight)
        complete[3].isComplete = true
        #expect(MergePolicy.next(in: complete) == nil && MergePolicy.tieredCount(complete + here) == 12)
    }

    @Test func whatIsMostlyDeletedIsWrittenAnew() throws {
        for (count, deleted, isMerged) in [(64, 33, true), (64, 32, false), (65, 33, true), (63, 62, false)] {
            let stored = try Self.segment(count, deleted: deleted)
            let others = try Self.segments([70, 70], in: Self.zone)
            let next = MergePolicy.next(in: others + [stored])
            #expect(Self.sizes(next) == (isMerged ? [count] : nil), "\(count) \(deleted)")
            #expect(next.map { $0.allSatisfy { $0.isSame(as: stored) } } ?? true)
        }
    }

    @Test func inAPauseEachIsMoreThanTwiceAsLargeAsAllBefore() throws {
        let cases: [(sizes: [Int], merged: [Int]?)] = [
            ([100, 100], [100, 100]), ([64, 128], [64, 128]), ([64, 129], nil), ([64, 63], nil), ([100], nil),
            ([], nil), ([80, 400, 70], [70, 80]), ([64, 130, 140], [130, 140]), ([64, 65, 250], [64, 65, 250]),
            ([64, 65, 259], [64, 65]), ([1, 2, 3, 64, 64], [64, 64]),
        ]
        for (sizes, merged) in cases {
            #expect(Self.sizes(MergePolicy.nextInPause(in: try Self.segments(sizes))) == merged, "\(sizes)")
        }
        let zones = try Self.segments([100]) + Self.segments([100], in: Self.zone)
        #expect(MergePolicy.nextInPause(in: zones) == nil)
        var complete = try Self.segments([100, 100])
        complete[0].isComplete = true
        #expect(MergePolicy.nextInPause(in: complete) == nil)
        // The smaller ones first.
        let both = try Self.segments([100, 100]) + Self.segments([70, 70], in: Self.zone)
        #expect(Self.sizes(MergePolicy.nextInPause(in: both)) == [70, 70])
    }

    @Test func commitsWaitAtSixtyFourOfAKind() throws {
        let here = try Self.segments([Int](repeating: 1, count: 64))
        let there = try Self.segments([Int](repeating: 1, count: 63), in: Self.zone)
        #expect(MergePolicy.isOverdue(here) && MergePolicy.isOverdue(here + there))
        #expect(!MergePolicy.isOverdue(Array(here.dropLast())) && !MergePolicy.isOverdue(here.dropLast() + there))
        // Those that somebody else merges are not waited for.
        let store = RecordStore(segments: here, schemas: [here[0].segment.schema], nextSequence: 64)
        #expect(store.isOverdue && store.untaken(here).count == 64)
        store.taken.withLock { $0 = [ObjectIdentifier(here[5].indexes)] }
        #expect(!store.isOverdue && store.untaken(here).count == 63)
    }

    /// Eight small ones become one, with the fields of the type as they are now; others stay as they are.
    @Test func smallSegmentsBecomeOne() throws {
        let schema = RecordSchema(
            recordType: "T", fields: [.init(name: "m", type: .string), .init(name: "n", type: .int64)])
        let small = try Self.segments([1, 63, 1, 2, 3, 4, 5])
        #expect(MergePolicy.mergingSmall(small, [schema]) == nil)
        let last = try Self.segment(10, from: 79, deleted: 4)
        let others = [
            try Self.segment(64, from: 100), try Self.segment(1, type: "U"), try Self.segment(1, in: Self.zone),
        ]
        let merged = try #require(MergePolicy.mergingSmall(small + others + [last], [schema]))
        #expect(merged.count == 4 && merged.prefix(3).map(\.segment.count) == [64, 1, 1])
        let all = try #require(merged.last)
        #expect(all.segment.count == 85 && all.deleted == nil && all.segment.schema == schema)
        #expect((0..<85).map { all.sequences[$0] } == Array(0..<79) + Array(83..<89))
        #expect((0..<85).allSatisfy { all.segment.names.string($0) == "r\(all.sequences[$0])" })
        #expect(all.segment.value(of: "n", row: 84) == 88 && all.segment.value(of: "m", row: 0) == .null)
        // Eight of two kinds are left alone.
        let two = try Self.segments([1, 1, 1, 1]) + Self.segments([1, 1, 1, 1], in: Self.zone)
        #expect(MergePolicy.mergingSmall(two, [schema]) == nil)
        // Eight of each of two kinds become one of each.
        let eight = [Int](repeating: 1, count: 8)
        let both = try Self.segments(eight) + Self.segments(eight, in: Self.zone)
        #expect(Self.sizes(MergePolicy.mergingSmall(both, [schema])) == [8, 8])
        // Of rows that are all deleted nothing is left.
        let gone = try (0..<8).map { try Self.segment(2, from: $0 * 2, deleted: 2) }
        #expect(MergePolicy.mergingSmall(gone, [schema])?.count == 0)
        #expect(MergePolicy.merged([], [schema])?.count == 0)
    }

    /// Segments that are worth indexes get those that segments of their type have.
    @Test func mergedSegmentsHaveTheIndexesOfTheirSiblings() throws {
        for (counts, type, isBuilt) in [([256, 256], "T", true), ([255, 256], "T", false), ([256, 256], "U", false)] {
            let parts = try Self.segments(counts)
            let sibling = try Self.segment(3, from: 10_000, type: type)
            let column = try #require(sibling.segment.schema.position(of: "n"))
            _ = sibling.indexes.ordered(column: column)
            let merged = try #require(
                MergePolicy.merged(parts, [parts[0].segment.schema], indexedLike: [sibling]))
            #expect(merged.map(\.segment.count) == [counts[0] + counts[1]])
            #expect(merged.map(\.indexes.builtCount) == [isBuilt ? 1 : 0], "\(counts) \(type)")
        }
        for count in [511, 512] {
            let stored = try Self.segment(count)
            let snapshot = Snapshot(version: 0, segments: [stored], schemas: [])
            #expect(snapshot.isIndexed(stored) == (count == 512))
        }
    }

    @Test func deletedRowsAreCountedOnce() throws {
        var stored = try Self.segment(4)
        var gone = DeletedRows(of: 4)
        for row in [1, 3, 1] { gone.insert(row) }
        #expect(gone.count == 2 && gone.rows.ordinals == [1, 3])
        stored.deleted = gone
        #expect(stored.liveCount == 2 && (0..<4).map(stored.isLive) == [true, false, true, false])
        #expect(stored.isSame(as: stored))
        #expect(try !stored.isSame(as: Self.segment(4)))
    }
}
