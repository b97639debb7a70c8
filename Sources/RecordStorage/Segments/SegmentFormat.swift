// The form of a segment's file: its layout.
//
//     0      header, 64 bytes: what the file is, its size, where its table of contents is, a checksum of all that
//     64     blocks, each at a multiple of 64 bytes: columns, then indexes, as they are in memory
//     …      table of contents: the structure of the segment as a `BlockTree`, with the place and the XXH3-64 checksum
//            of every block; its own checksum is in the header and in the manifest of the store
//
// Numbers have their lowest byte first. A file is written once, under another name until it is whole, and never
// changed.
//
// What is trusted: nothing that is read is used before it was compared with its checksum, so that a file that is torn,
// or changed by accident anywhere, is rejected or opened rightly. Checksums are no signatures: who can write the folder
// can make a file with any content. Such a file cannot reach memory that is not its own either, because every size,
// offset, code and row number is compared with its bounds when a block is first read; but it may say untrue things,
// such as rows in a wrong order. `SegmentFile.verify` also compares the indexes with the columns: stores of unknown
// origin go through it before they are opened.

import CXXHash
import RecordColumns
import RecordModel

enum SegmentFormat {
    /// The version of files that are written. Readers know this one and all before it.
    static let version: UInt32 = 1
    /// What files begin with: no text, and changed by whoever takes it for one.
    static let magic: [UInt8] = [0x89, 0x52, 0x44, 0x53, 0x45, 0x47, 0x0D, 0x0A]
    /// Blocks start at multiples of this: a cache line, and more than any element needs.
    static let alignment = 64

    /// The checksum of bytes.
    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        // SAFETY: the function reads the bytes that it is given.
        unsafe cxxhash_checksum(bytes.baseAddress, bytes.count)
    }

    /// Where a block can start that comes after so many bytes.
    static func aligned(_ offset: Int) -> Int { (offset + alignment - 1) / alignment * alignment }
}

/// The head of a segment's file.
struct SegmentHeader: Hashable {
    static let byteCount = 64

    var version = SegmentFormat.version
    /// Size of the whole file, in bytes.
    var fileSize = 0
    /// Where the table of contents is, with its checksum.
    var contents = BlockPlace(offset: 0, byteCount: 0, checksum: 0)

    /// The 64 bytes, the last eight of which are a checksum of the others.
    var bytes: [UInt8] {
        var writer = BinaryWriter()
        for byte in SegmentFormat.magic { writer.write(byte: byte) }
        writer.write(fixed: UInt64(version))
        writer.write(fixed: UInt64(fileSize))
        writer.write(fixed: UInt64(contents.offset))
        writer.write(fixed: UInt64(contents.byteCount))
        writer.write(fixed: contents.checksum)
        writer.write(fixed: 0)
        writer.write(fixed: Self.checksum(writer.bytes))
        return writer.bytes
    }

    init(fileSize: Int, contents: BlockPlace) {
        self.fileSize = fileSize
        self.contents = contents
    }

    /// The header of a file, whose size is that of the file that it is in.
    /// - Throws: `StorageError`.
    init(_ bytes: [UInt8], path: String, size: Int) throws(StorageError) {
        guard bytes.count == Self.byteCount, bytes.starts(with: SegmentFormat.magic) else {
            throw StorageError(.notAStore, path: path, "expected a segment of records, found something else")
        }
        do throws(BinaryError) {
            var reader = BinaryReader(Array(bytes[SegmentFormat.magic.count...]))
            version = UInt32(truncatingIfNeeded: try reader.fixed())
            let numbers = [try reader.fixed(), try reader.fixed(), try reader.fixed()]
            contents.checksum = try reader.fixed()
            _ = try reader.fixed()
            guard try reader.fixed() == Self.checksum(Array(bytes.dropLast(8))) else {
                throw reader.error(.outOfRange)
            }
            // Newer versions keep the header up to here.
            let sizes = numbers.map { Int(clamping: $0) }
            (fileSize, contents.offset, contents.byteCount) = (sizes[0], sizes[1], sizes[2])
        } catch {
            throw StorageError(.corrupted, path: path, "the header does not have its checksum")
        }
        guard version <= SegmentFormat.version else {
            throw StorageError(
                .incompatibleVersion, path: path,
                "the file is of format \(version), and this version reads formats up to \(SegmentFormat.version)",
                hint: "open it with the version that wrote it, or a newer one")
        }
        guard fileSize == size else {
            throw StorageError(.corrupted, path: path, "the file has \(size) bytes instead of \(fileSize)")
        }
        guard contents.offset >= Self.byteCount, contents.byteCount <= size,
            contents.offset <= size - contents.byteCount
        else { throw StorageError(.corrupted, path: path, "the table of contents lies outside of the file") }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe SegmentFormat.checksum($0) }
    }
}
