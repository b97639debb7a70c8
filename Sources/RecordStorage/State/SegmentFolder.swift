// The segment files of a store: which segment is in which file.

import Glibc
import Indexing
package import QueryExecution
package import RecordModel
import Synchronization

/// A segment's file, as the state of a store names it.
package struct SegmentPlace: Hashable, Sendable {
    /// The number of the file: its name.
    package var number: Int
    package var checksum: UInt64
    /// Size of the file.
    package var byteCount: Int
}

extension SegmentPlace: BinaryCodable {
    package func write(to writer: inout BinaryWriter) {
        writer.write(count: number)
        writer.write(fixed: checksum)
        writer.write(count: byteCount)
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        number = try reader.number(upTo: .max)
        checksum = try reader.fixed()
        byteCount = try reader.number(upTo: .max)
    }
}

/// The folder of segment files. A segment is written once, and once more when it got indexes since.
package final class SegmentFolder: Sendable {
    private struct Entry {
        /// Held, so that no other object comes to its address.
        let indexes: SegmentIndexes
        let place: SegmentPlace
        /// Number of indexes in the file.
        let indexCount: Int
    }

    private struct Contents {
        var entries: [ObjectIdentifier: Entry] = [:]
        var nextNumber = 1
    }

    package let path: String
    private let syncs: Bool
    private let contents = Mutex(Contents())

    private static let suffix = ".segment"

    /// - Parameter syncs: Whether files are on the disk when they have been written.
    package init(path: String, syncs: Bool) {
        self.path = path
        self.syncs = syncs
    }

    private func path(of number: Int) -> String { "\(path)/\(number)\(Self.suffix)" }

    /// Opens the file of a place.
    /// Throws: `StorageError`, of code `missing` when it was removed since the place was read.
    package func open(_ place: SegmentPlace) throws(StorageError) -> SegmentFile.Opened {
        let opened = try SegmentFile.open(path(of: place.number), checksum: place.checksum)
        // Outdated indexes that are built anew count as new ones: the segment is written again with them.
        let indexes = opened.stored.indexes
        let entry = Entry(indexes: indexes, place: place, indexCount: indexes.builtCount)
        contents.withLock { contents in
            contents.entries[ObjectIdentifier(entry.indexes)] = entry
            contents.nextNumber = max(contents.nextNumber, place.number + 1)
        }
        return opened
    }

    /// The file of a segment, which is written if there is none yet.
    ///
    /// - Parameter rewrites: Whether a segment that got indexes since it was written is written again.
    /// Throws: `StorageError`.
    package func place(of stored: StoredSegment, rewrites: Bool) throws(StorageError) -> SegmentPlace {
        let indexes = stored.indexes
        let (known, number) = contents.withLock { contents in
            if let entry = contents.entries[ObjectIdentifier(indexes)],
                !rewrites || entry.indexCount >= indexes.builtCount
            {
                return (entry.place as SegmentPlace?, 0)
            }
            contents.nextNumber += 1
            return (nil, contents.nextNumber - 1)
        }
        if let known { return known }
        let indexCount = indexes.builtCount
        let written = try SegmentFile.write(stored, to: path(of: number), sync: syncs)
        let place = SegmentPlace(number: number, checksum: written.checksum, byteCount: written.byteCount)
        contents.withLock { contents in
            contents.entries[ObjectIdentifier(indexes)] = Entry(indexes: indexes, place: place, indexCount: indexCount)
        }
        return place
    }

    /// Removes all files but those of the given numbers. Who has one of them open can read on.
    ///
    /// - Returns: Bytes that were freed.
    @discardableResult
    package func removeFiles(except numbers: Set<Int>) -> Int {
        contents.withLock { contents in
            contents.entries = contents.entries.filter { numbers.contains($0.value.place.number) }
            var freed = 0
            for name in (try? StoreFolder.names(in: path)) ?? [] {
                guard let number = Int(name.prefix { $0 != "." }), !numbers.contains(number) else { continue }
                contents.nextNumber = max(contents.nextNumber, number + 1)
                var status = stat()
                let file = path + "/" + name
                if unsafe lstat(file, &status) == 0, unsafe unlink(file) == 0 { freed += Int(status.st_size) }
            }
            return freed
        }
    }
}
