// What a state says of its segments' rows, and what the numbers of LMDB's errors mean.

import Glibc
import Indexing
import RecordColumns
import RecordModel
import RecordStore
import Testing

@testable import RecordStorage

@Suite struct StatedFactEdgesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func opened(_ place: SegmentPlace, rowCount: Int, _ schema: RecordSchema) throws -> RecordStore {
        var writer = BinaryWriter()
        writer.write(count: 3)
        try writer.write(list: [schema])
        try writer.write(list: [StoredRecords.Part(place: place, rowCount: rowCount, isComplete: false)])
        let records = try StoredRecords(from: ["segments": writer.bytes], prefix: "")
        return try records.open(in: SegmentFolder(path: folder.path, syncs: false))
    }

    /// A segment of more rows or fewer than its state says is not the one that was stored.
    @Test func segmentsHaveAsManyRowsAsTheirStateSays() throws {
        let records = (0..<3).map { Record(type: "T", id: Record.ID("r\($0)"), fields: ["n": .int64(Int64($0))]) }
        let segment = try TypeInference(recordType: "T").segment(of: records, zoneID: .default, origin: 1)
        let stored = StoredSegment(SegmentIndexes(segment), sequences: RunLengthMap(0..<3))
        let place = try SegmentFolder(path: folder.path, syncs: false).place(of: stored, rewrites: true)
        #expect(try opened(place, rowCount: 3, segment.schema).snapshot.count == 3)
        for rowCount in [0, 2, 4] {
            let error = #expect(throws: StorageError.self) { try opened(place, rowCount: rowCount, segment.schema) }
            #expect(error?.code == .corrupted, "\(rowCount)")
            #expect(error?.reason == "segment 1 has not the rows that it should have", "\(rowCount)")
        }
    }

    /// Numbers of LMDB as `lmdb.h` has them, and those of the system.
    @Test(
        arguments: [
            (-30_798, .corrupted), (-30_797, .corrupted), (-30_796, .corrupted), (-30_795, .ioFailure),
            (-30_794, .incompatibleVersion), (-30_793, .notAStore), (-30_790, .locked), (-30_780, .ioFailure),
            (EACCES, .noPermission), (ENOENT, .missing), (EBUSY, .ioFailure),
        ] as [(Int32, StorageError.Code)])
    func errorsOfTablesHaveCodes(number: Int32, code: StorageError.Code) {
        let error = TableFile.error(number, "cannot read", path: "/")
        #expect(error.code == code && error.path == "/" && error.reason.hasPrefix("cannot read: "))
        // A write that failed half-way and a list that is full have a remedy.
        #expect((error.hint != nil) == [-30_795, -30_790, EACCES].contains(number))
    }
}
