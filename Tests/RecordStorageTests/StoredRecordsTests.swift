// The records of a store as parts of a state: segments in their files, deleted rows, and what a state may not say.

import FoundationEssentials
import Indexing
import OrdinalSets
import RecordColumns
import RecordModel
import RecordStore
import Testing

@testable import RecordStorage

@Suite struct StoredRecordsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func segment(_ count: Int, from first: Int = 0, deleting rows: [Int] = []) throws -> StoredSegment {
        let records = (first..<first + count).map {
            Record(type: "T", id: Record.ID("r\($0)"), fields: ["n": .int64(Int64($0))])
        }
        let segment = try TypeInference(recordType: "T").segment(of: records, zoneID: .default, origin: 1)
        var deleted = DeletedRows(of: count)
        for row in rows { deleted.insert(row) }
        return StoredSegment(
            SegmentIndexes(segment), sequences: RunLengthMap(first..<first + count),
            deleted: rows.isEmpty ? nil : deleted)
    }

    private func state(
        _ segments: [StoredSegment], prefix: String = "", knowsTypes: Bool = true
    ) throws -> [String: [UInt8]] {
        let schemas = knowsTypes ? segments.prefix(1).map(\.segment.schema) : []
        let image = (snapshot: Snapshot(version: 0, segments: segments, schemas: schemas), nextSequence: 1000)
        let records = try StoredRecords(image, in: SegmentFolder(path: folder.path, syncs: false), rewrites: true)
        var state: [String: [UInt8]] = [:]
        try records.write(to: &state, prefix: prefix)
        return state
    }

    private func opened(_ state: [String: [UInt8]], prefix: String = "") throws -> RecordStore {
        try StoredRecords(from: state, prefix: prefix).open(in: SegmentFolder(path: folder.path, syncs: false))
    }

    @Test(arguments: [
        [], [0], [199], [0, 1, 63, 64, 65, 127, 128, 199], Array(1..<200), Array(64..<128), Array(0..<199),
    ])
    func deletedRowsStayDeleted(rows: [Int]) throws {
        let state = try state([Self.segment(200, deleting: rows)])
        #expect(state.keys.sorted() == (rows.isEmpty ? ["segments"] : ["deleted 1", "segments"]))
        let store = try opened(state)
        let live = (0..<200).filter { !rows.contains($0) }
        let segment = try #require(store.snapshot.segments.first)
        #expect((0..<200).filter(segment.isLive) == live && segment.liveCount == live.count)
        #expect(live.allSatisfy { store.snapshot.record(Record.ID("r\($0)"))?["n"] == .int64(Int64($0)) })
        #expect(store.snapshot.count == live.count && store.image.nextSequence == 1000)
    }

    /// The number of deleted rows, and the rows between each and the one before; what comes of it in 200 rows.
    private static let lists: [(numbers: [Int], rows: [Int]?)] = [
        ([0], []), ([1, 199], [199]), ([1, 200], nil), ([2, 199, 0], nil), ([2, 0, 198], [0, 199]), ([2, 0, 199], nil),
        ([1], nil), ([1, 0, 0], nil), ([], nil), ([3, 5, 0, 1], [5, 6, 8]),
    ]

    @Test(arguments: lists.indices) func deletedRowsAreRowsThatThereAre(_ number: Int) throws {
        let (numbers, rows) = Self.lists[number]
        var state = try state([Self.segment(200)])
        var writer = BinaryWriter()
        for number in numbers { writer.write(count: number) }
        state["deleted 1"] = writer.bytes
        guard let rows else {
            #expect(throws: BinaryError.self) { try opened(state) }
            return
        }
        let segment = try #require(try opened(state).snapshot.segments.first)
        #expect((0..<200).filter { !segment.isLive($0) } == rows && segment.liveCount == 200 - rows.count)
    }

    /// Segments keep their order and what is known of them; those of two databases are parts of one state.
    @Test func severalSegmentsOfSeveralDatabases() throws {
        var large = try Self.segment(20, from: 500)
        large.isComplete = true
        let mine = try state([large, Self.segment(10, deleting: [3]), Self.segment(5, from: 100)], prefix: "a ")
        let all = mine.merging(try state([Self.segment(7, from: 50, deleting: [0])], prefix: "b ")) { $1 }
        #expect(all.keys.sorted() == ["a deleted 2", "a segments", "b deleted 4", "b segments"])
        let (first, second) = (try opened(all, prefix: "a "), try opened(all, prefix: "b "))
        #expect(first.snapshot.segments.map(\.segment.count) == [20, 10, 5])
        #expect(first.snapshot.segments.map(\.isComplete) == [true, false, false])
        #expect(first.snapshot.segments.map(\.liveCount) == [20, 9, 5] && second.snapshot.count == 6)
        #expect(first.snapshot.segments[0].sequences[19] == 519)
        #expect(try StoredRecords(from: all, prefix: "a ").fileNumbers == [1, 2, 3])
        #expect(throws: BinaryError.self) { try opened(all, prefix: "c ") }
    }

    @Test func segmentsAreOfTypesThatAreKnown() throws {
        let state = try state([Self.segment(3)], knowsTypes: false)
        let error = #expect(throws: StorageError.self) { try opened(state) }
        #expect(error?.code == .corrupted && error?.reason.contains("of type T, which is not known") == true)
    }
}
