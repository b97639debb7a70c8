// Segments as files: written once with their indexes, opened by mapping.

import Indexing
import RecordColumns
import RecordModel
package import RecordStore
import TextAnalysis

/// Files that hold one segment each, with its indexes. `SegmentFormat` has the form.
package enum SegmentFile {
    /// What was written.
    package struct Written: Hashable, Sendable {
        /// Size of the file.
        package var byteCount: Int
        /// What names the content of the file: opening requires it.
        package var checksum: UInt64
    }

    /// A segment that was opened.
    package struct Opened: Sendable {
        /// The segment, without deleted rows.
        package var stored: StoredSegment
        /// Number of indexes of text that were left out, because they were made with other tables of Unicode than those
        /// of this process: they are rebuilt on demand, or by `SegmentIndexes.buildOutdated`.
        package var outdatedIndexes: Int { stored.indexes.outdatedCount }
        /// Size of the file, in bytes.
        package var byteCount: Int
    }

    /// The version of ICU and of Unicode that indexes of text depend on, in this process.
    package static let textVersion = "ICU \(TextVersions.icu), Unicode \(TextVersions.unicode)"

    /// Writes a segment with the indexes that it has. Deleted rows are not written.
    ///
    /// The file gets its name when it is whole; a file that has this name stays what it is, and is an error.
    ///
    /// - Parameters:
    ///   - folder: The folder that the file will lie in, if that is open.
    ///   - sync: Whether the file is on the disk when the call returns.
    ///   - textVersion: The version of ICU and of Unicode that indexes of text are of; another one than that of this
    ///     process is for tests.
    /// - Throws: `StorageError`; then there is no new file.
    /// - Complexity: O(bytes).
    package static func write(
        _ stored: StoredSegment, to path: String, in folder: OpenFolder? = nil, sync: Bool,
        textVersion: String = textVersion
    ) throws(StorageError) -> Written {
        let tree: WrittenBlocks
        do throws(BinaryError) {
            tree = try blocks(of: stored, textVersion)
        } catch {
            throw StorageError(.limitExceeded, path: path, "a value cannot be stored: \(error)")
        }
        var file = try FileWriting(path, in: folder, sync: sync)
        try file.pad(to: SegmentHeader.byteCount)
        // What is in several structures, such as the texts of a column and of its index, is written once.
        var places: [Memory: BlockPlace] = [:]
        let contents = try tree.map { memory throws(StorageError) in
            try unsafe memory.withBytes { bytes throws(StorageError) in
                let key = unsafe Memory(bytes)
                if let place = places[key] { return place }
                try file.pad(to: SegmentFormat.aligned(file.offset))
                let place = BlockPlace(
                    offset: file.offset, byteCount: bytes.count, checksum: unsafe SegmentFormat.checksum(bytes))
                try unsafe file.append(bytes)
                places[key] = place
                return place
            }
        }
        let header = try append(contents, to: &file, path: path)
        try file.finish(head: header.bytes)
        return Written(byteCount: header.fileSize, checksum: header.contents.checksum)
    }

    private static func append(
        _ contents: BlockTree<BlockPlace>, to file: inout FileWriting, path: String
    ) throws(StorageError) -> SegmentHeader {
        let bytes: [UInt8]
        do throws(BinaryError) {
            bytes = try contents.binary()
        } catch {
            throw StorageError(.limitExceeded, path: path, "a value cannot be stored: \(error)")
        }
        try file.pad(to: SegmentFormat.aligned(file.offset))
        let offset = file.offset
        let checksum = unsafe try bytes.withUnsafeBufferPointer { bytes throws(StorageError) in
            let bytes = UnsafeRawBufferPointer(bytes)
            try unsafe file.append(bytes)
            return unsafe SegmentFormat.checksum(bytes)
        }
        return SegmentHeader(
            fileSize: file.offset,
            contents: BlockPlace(offset: offset, byteCount: bytes.count, checksum: checksum))
    }

    /// Where memory is, which is the same memory as long as the segment is held.
    private struct Memory: Hashable {
        let address: Int
        let byteCount: Int

        init(_ bytes: UnsafeRawBufferPointer) {
            address = unsafe bytes.baseAddress.map { Int(bitPattern: $0) } ?? 0
            byteCount = bytes.count
        }
    }

    private static func blocks(
        of stored: StoredSegment, _ textVersion: String
    ) throws(BinaryError) -> WrittenBlocks {
        var tree = WrittenBlocks()
        try tree.add("textVersion", textVersion)
        tree.add("sequences", stored.sequences.blocks)
        tree.add("segment", try stored.segment.blocks())
        tree.add("indexes", stored.indexes.blocks)
        return tree
    }

    /// Opens a file by mapping it. Columns are compared with their checksums at once, indexes on first
    /// use; an index that turns out damaged then is rebuilt (`SegmentIndexes.unreadable` tells which).
    ///
    /// - Parameter checksum: What writing the file gave; `nil` takes any segment.
    /// - Throws: `StorageError` of code `missing`, `notAStore`, `incompatibleVersion`, `corrupted`, or what the system
    ///   says.
    /// - Complexity: O(bytes of the columns), at the speed of memory.
    package static func open(_ path: String, checksum: UInt64? = nil) throws(StorageError) -> Opened {
        let file = try MappedFile(path)
        let reader = try contents(of: file, checksum: checksum)
        do throws(BlockError) {
            let version: String = try reader.value("textVersion")
            let columns = try reader.structure("segment")
            file.prepare(columns.places)
            let segment = try Segment(from: columns)
            let sequences = try RunLengthMap(from: reader.structure("sequences"), count: segment.count)
            let indexes = try SegmentIndexes.read(
                segment, from: reader.structure("indexes"), readsText: version == textVersion)
            return Opened(stored: StoredSegment(indexes, sequences: sequences), byteCount: file.size)
        } catch {
            throw corrupted(error, path)
        }
    }

    /// The table of contents of a file.
    private static func contents(of file: MappedFile, checksum: UInt64?) throws(StorageError) -> BlockReader {
        let start = unsafe file.bytes(0, SegmentHeader.byteCount).map { unsafe Array($0) }
        let header = try SegmentHeader(start ?? [], path: file.path, size: file.size)
        guard checksum == nil || checksum == header.contents.checksum else {
            throw StorageError(
                .corrupted, path: file.path, "the file holds another segment than the store has under its name")
        }
        guard let bytes = unsafe file.bytes(header.contents.offset, header.contents.byteCount),
            unsafe SegmentFormat.checksum(bytes) == header.contents.checksum
        else {
            throw StorageError(.corrupted, path: file.path, "the table of contents does not have its checksum")
        }
        do throws(BinaryError) {
            let tree = try BlockTree<BlockPlace>(binary: unsafe Array(bytes))
            return BlockReader(tree, in: file, path: "segment")
        } catch {
            throw StorageError(.corrupted, path: file.path, "the table of contents cannot be read: \(error)")
        }
    }

    private static func corrupted(_ error: BlockError, _ path: String) -> StorageError {
        StorageError(.corrupted, path: path, "\(error)", hint: "restore the store from a backup")
    }
}

extension SegmentFile {
    /// Reads a file as a whole: every block is compared with its checksum and every structure with its bounds, and
    /// every index is compared with the columns.
    ///
    /// - Throws: `StorageError`, as `open`; also for an index that cannot be read or is not that of its column.
    /// - Complexity: O(n log n) for the indexes.
    package static func verify(_ path: String, checksum: UInt64? = nil) throws(StorageError) {
        let opened = try open(path, checksum: checksum)
        do throws(BlockError) {
            try opened.stored.segment.verify()
            try opened.stored.indexes.verify()
        } catch {
            throw corrupted(error, path)
        }
    }
}
