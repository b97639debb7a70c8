// The records of one database in the state of a store: which segments they are in, and which rows are deleted.

import OrdinalSets
import RecordColumns
package import RecordModel
package import RecordStore

/// What is stored of a `RecordStore` besides its segment files.
package struct StoredRecords: Sendable {
    /// One segment.
    struct Part: Sendable {
        var place: SegmentPlace
        var rowCount: Int
        /// Whether it is too large to be merged with others.
        var isComplete: Bool
    }

    private var parts: [Part] = []
    /// The deleted rows of segments that have some, by number of their file.
    private var deleted: [Int: DeletedRows] = [:]
    private let schemas: [RecordSchema]
    private let nextSequence: Int

    /// Writes the segments that are in no file yet.
    ///
    /// - Parameters:
    ///   - image: `RecordStore.image`.
    ///   - rewrites: Whether segments that got indexes since they were written are written again.
    /// - Throws: `StorageError`.
    package init(
        _ image: (snapshot: Snapshot, nextSequence: Int), in folder: SegmentFolder, rewrites: Bool
    ) throws(StorageError) {
        for stored in image.snapshot.segments {
            let place = try folder.place(of: stored, rewrites: rewrites)
            parts.append(Part(place: place, rowCount: stored.segment.count, isComplete: stored.isComplete))
            deleted[place.number] = stored.deleted
        }
        schemas = image.snapshot.schemas
        nextSequence = image.nextSequence
    }

    /// Numbers of the files.
    package var fileNumbers: [Int] { parts.map(\.place.number) }

    /// The files, in the order of the segments.
    package var places: [SegmentPlace] { parts.map(\.place) }

    /// Opens all segments.
    /// - Throws: `StorageError`, of code `missing` when a newer state took the place of this one.
    package func open(in folder: SegmentFolder) throws(StorageError) -> RecordStore {
        var segments: [StoredSegment] = []
        for part in parts {
            var stored = try folder.open(part.place).stored
            guard stored.segment.count == part.rowCount else {
                throw StorageError(
                    .corrupted, path: folder.path, "segment \(part.place.number) has not the rows that it should have")
            }
            stored.isComplete = part.isComplete
            stored.deleted = deleted[part.place.number]
            segments.append(stored)
        }
        let unknown = segments.first { stored in !schemas.contains { $0.recordType == stored.segment.recordType } }
        if let unknown {
            throw StorageError(
                .corrupted, path: folder.path, "a segment is of type \(unknown.segment.recordType), which is not known")
        }
        return RecordStore(segments: segments, schemas: schemas, nextSequence: nextSequence)
    }

    // MARK: As parts of a state

    /// Adds the records to the parts of a state, under names that begin with a prefix.
    /// - Throws: `BinaryError`.
    package func write(to state: inout [String: [UInt8]], prefix: String) throws(BinaryError) {
        var writer = BinaryWriter()
        writer.write(count: nextSequence)
        try writer.write(list: schemas)
        try writer.write(list: parts)
        state[prefix + "segments"] = writer.bytes
        for (number, rows) in deleted { state["\(prefix)deleted \(number)"] = rows.binary }
    }

    /// Reads what `write` added.
    /// - Throws: `BinaryError`.
    package init(from state: [String: [UInt8]], prefix: String) throws(BinaryError) {
        var reader = BinaryReader(state[prefix + "segments"] ?? [])
        nextSequence = try reader.number(upTo: .max)
        schemas = try reader.list()
        parts = try reader.list()
        try reader.finish()
        for part in parts {
            guard let bytes = state["\(prefix)deleted \(part.place.number)"] else { continue }
            deleted[part.place.number] = try DeletedRows(binary: bytes, count: part.rowCount)
        }
    }
}

extension StoredRecords.Part: BinaryCodable {
    package func write(to writer: inout BinaryWriter) {
        place.write(to: &writer)
        writer.write(count: rowCount)
        writer.write(byte: isComplete ? 1 : 0)
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        place = try SegmentPlace(from: &reader)
        rowCount = try reader.number(upTo: Int(UInt32.max))
        isComplete = try reader.flag()
    }
}

extension DeletedRows {
    /// The distances between the rows: few are deleted of most segments.
    fileprivate var binary: [UInt8] {
        var writer = BinaryWriter()
        writer.write(count: count)
        var last = -1
        for (index, word) in rows.words.enumerated() {
            var word = word
            while word != 0 {
                let row = index * 64 + word.trailingZeroBitCount
                writer.write(count: row - last - 1)
                last = row
                word &= word - 1
            }
        }
        return writer.bytes
    }

    /// Rows of a segment of `count` rows.
    fileprivate init(binary bytes: [UInt8], count: Int) throws(BinaryError) {
        self.init(of: count)
        var reader = BinaryReader(bytes)
        var next = 0
        for _ in 0..<(try reader.count()) {
            guard next < count else { throw reader.error(.outOfRange) }
            let row = next + (try reader.number(upTo: count - next - 1))
            insert(row)
            next = row + 1
        }
        try reader.finish()
    }
}
