// The segment files of a store: which segment is in which file.

import Glibc
import Indexing
package import RecordModel
package import RecordStore
import Synchronization

/// A segment's file, as the state of a store names it.
package struct SegmentPlace: Hashable, Sendable {
    /// The number of the file: its name.
    package var number: Int
    package var checksum: UInt64
    /// Size of the file.
    package var byteCount: Int

    /// Files are numbered as they are made; no store makes so many.
    static let largestNumber = 1 << 53
}

extension SegmentPlace: BinaryCodable {
    package func write(to writer: inout BinaryWriter) {
        writer.write(count: number)
        writer.write(fixed: checksum)
        writer.write(count: byteCount)
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        number = try reader.number(upTo: Self.largestNumber)
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
        /// How many of them had turned out damaged when the file was opened or written.
        let damageCount: Int
    }

    private struct Contents {
        var entries: [ObjectIdentifier: Entry] = [:]
        var nextNumber = 1
        /// Files from this number on are not removed: they are being made for a state that is still to be written.
        var firstKept = Int.max
    }

    package let path: String
    /// Whoever may write here; without one, whoever makes this object.
    private let owner: OwnedFolder?
    private let syncs: Bool
    private let textVersion: String
    private let contents = Mutex(Contents())
    /// Large files that were removed, while somebody has them open.
    private let removed = Mutex<[RemovedFile]>([])

    private static let suffix = ".segment"

    /// - Parameters:
    ///   - owner: What lets the store be written, as `StorageEnvironment` has it.
    ///   - syncs: Whether files are on the disk when they have been written.
    ///   - textVersion: As in `SegmentFile.write`.
    package init(
        path: String, owner: OwnedFolder? = nil, syncs: Bool, textVersion: String = SegmentFile.textVersion
    ) {
        (self.path, self.owner) = (path, owner)
        self.syncs = syncs
        self.textVersion = textVersion
    }

    static func name(of number: Int) -> String { "\(number)\(suffix)" }

    /// The path of the file of a number.
    package static func path(of number: Int, in folder: String) -> String { "\(folder)/\(name(of: number))" }

    private func path(of number: Int) -> String { Self.path(of: number, in: path) }

    /// Opens the file of a place.
    /// - Throws: `StorageError`, of code `missing` when it was removed since the place was read.
    package func open(_ place: SegmentPlace) throws(StorageError) -> SegmentFile.Opened {
        let opened = try SegmentFile.open(path(of: place.number), checksum: place.checksum)
        // Outdated indexes that are rebuilt count as new ones: the segment is written again with them.
        let indexes = opened.stored.indexes
        let entry = Entry(indexes: indexes, place: place, indexCount: indexes.builtCount, damageCount: 0)
        contents.withLock { contents in
            contents.entries[ObjectIdentifier(entry.indexes)] = entry
            contents.nextNumber = max(contents.nextNumber, place.number + 1)
        }
        return opened
    }

    /// The file of a segment, which is written if there is none yet.
    ///
    /// - Parameter rewrites: Whether a segment that got or lost indexes since it was written is written again.
    /// - Throws: `StorageError`.
    package func place(of stored: StoredSegment, rewrites: Bool) throws(StorageError) -> SegmentPlace {
        let indexes = stored.indexes
        let damageCount = indexes.unreadable.count
        var (known, number) = contents.withLock { contents in
            if let entry = contents.entries[ObjectIdentifier(indexes)],
                !rewrites || (entry.indexCount == indexes.builtCount && entry.damageCount >= damageCount)
            {
                return (entry.place as SegmentPlace?, 0)
            }
            contents.nextNumber += 1
            return (nil, contents.nextNumber - 1)
        }
        if let known { return known }
        let indexCount = indexes.builtCount
        let written = try writing { folder throws(StorageError) in
            // Nothing of the store has a number that is given out; what somebody put there is left as it is.
            while try folder.identity(of: Self.name(of: number)) != nil { number = nextNumber() }
            return try SegmentFile.write(
                stored, to: path(of: number), in: folder, sync: syncs, textVersion: textVersion)
        }
        let place = SegmentPlace(number: number, checksum: written.checksum, byteCount: written.byteCount)
        contents.withLock { contents in
            contents.entries[ObjectIdentifier(indexes)] = Entry(
                indexes: indexes, place: place, indexCount: indexCount, damageCount: damageCount)
        }
        return place
    }

    private func nextNumber() -> Int {
        contents.withLock { contents in
            contents.nextNumber += 1
            return contents.nextNumber - 1
        }
    }

    /// Runs a body that makes or removes files.
    /// - Throws: `StorageError` of the body, and as `OwnedFolder.writing`.
    private func writing<R>(_ body: (OpenFolder) throws(StorageError) -> R) throws(StorageError) -> R {
        guard let owner else { return try body(try OpenFolder(path)) }
        return try owner.writing { () throws(StorageError) in try body(owner.segments) }
    }

    /// The number of a file of the folder, also of one that was not finished; `nil` for a file of someone else.
    private static func number(ofFile name: String) -> Int? {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["segment", "segment.new"].contains(parts[1]), let number = Int(parts[0]),
            String(number) == parts[0]
        else { return nil }
        return (0...SegmentPlace.largestNumber).contains(number) ? number : nil
    }

    /// Keeps files that are made from now on, until `endKeeping`, though no state names them yet. One caller at a time.
    package func beginKeeping() { contents.withLock { $0.firstKept = $0.nextNumber } }

    /// Lets files be removed again that no state names.
    package func endKeeping() { contents.withLock { $0.firstKept = .max } }

    /// Removes all files but those of the given numbers, and those that are kept. Who has one of them open can read on.
    ///
    /// - Returns: Bytes that were freed.
    /// - Throws: `StorageError` when the folder cannot be listed, and as `OwnedFolder.writing`; then no file was
    ///   removed.
    @discardableResult
    package func removeFiles(except numbers: Set<Int>) throws(StorageError) -> Int {
        defer { giveBackRoom() }
        return try writing { folder throws(StorageError) in
            let names = try folder.names()
            return contents.withLock { contents in
                let firstKept = contents.firstKept
                contents.entries = contents.entries.filter {
                    numbers.contains($0.value.place.number) || $0.value.place.number >= firstKept
                }
                var freed = 0
                for name in names {
                    guard let number = Self.number(ofFile: name), number < firstKept else { continue }
                    // An unfinished file may be another name of the finished one.
                    guard !numbers.contains(number) || !name.hasSuffix(Self.suffix) else { continue }
                    contents.nextNumber = max(contents.nextNumber, number + 1)
                    let size = (try? folder.identity(of: name))??.size ?? 0
                    let file = RemovedFile(name, in: folder)
                    guard folder.remove(name) else { continue }
                    freed += size
                    if let file { removed.withLock { $0.append(file) } }
                }
                return freed
            }
        }
    }

    /// Frees the room of large files that were removed, bit by bit, as far as nobody has them open any more; those who
    /// save have the disk in between.
    package func giveBackRoom() {
        let files = removed.withLock { removed in
            defer { removed = [] }
            return removed
        }
        let used = files.filter { !$0.giveBackRoom() }
        removed.withLock { $0 += used }
    }
}
