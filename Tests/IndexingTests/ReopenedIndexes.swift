// Indexes that were stored and read again, in memory: the contract of indexes holds for them, too.

import Geospatial
import Synchronization

@testable import Indexing
@testable import RecordColumns

/// Blocks as a file would hold them.
final class StoredBlocks: BlockSource {
    // SAFETY: allocated once and freed once; written before anybody reads.
    private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer
    let tree: BlockTree<BlockPlace>

    init(_ written: WrittenBlocks) {
        var bytes: [UInt8] = []
        tree = written.map { block in
            bytes += repeatElement(0, count: (64 - bytes.count % 64) % 64)
            let start = bytes.count
            unsafe block.withBytes { unsafe bytes.append(contentsOf: $0) }
            return BlockPlace(offset: start, byteCount: bytes.count - start, checksum: 0)
        }
        unsafe memory = .allocate(byteCount: bytes.count, alignment: 64)
        unsafe memory.copyBytes(from: bytes)
    }

    deinit { unsafe memory.deallocate() }

    func bytes(of place: BlockPlace) throws(BlockError) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: memory[place.offset..<place.offset + place.byteCount])
    }

    static func reader(_ written: WrittenBlocks) -> BlockReader {
        let blocks = StoredBlocks(written)
        return BlockReader(blocks.tree, in: blocks, path: "index")
    }
}

extension BlockTree where Block == any BlockMemory {
    /// The same structure with other parts in place of its own of their names. To add a part again changes nothing: the
    /// first of a name counts.
    func replacing(_ change: (inout WrittenBlocks) -> Void) -> WrittenBlocks {
        var other = WrittenBlocks()
        change(&other)
        for (name, part) in parts where other[name] == nil { other[name] = part }
        return other
    }
}

extension OrderedIndex {
    func reopened(over column: Column? = nil) throws -> OrderedIndex {
        try OrderedIndex(from: StoredBlocks.reader(blocks), rowCount: rowCount, of: column)
    }
}

extension TrigramIndex {
    func reopened() throws -> TrigramIndex { try TrigramIndex(from: StoredBlocks.reader(blocks), rowCount: rowCount) }
}

extension SpatialTree {
    func reopened(rowCount: Int) throws -> SpatialTree {
        try SpatialTree(from: StoredBlocks.reader(blocks), rowCount: rowCount)
    }
}
