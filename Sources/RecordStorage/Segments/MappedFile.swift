// A file as memory, for reading.

import Dispatch
import Glibc
import RecordColumns
import Synchronization

/// A file that is mapped into memory; unmapped when nobody refers to it any more, even if it is deleted meanwhile.
///
/// Files of a store are never written again. Should somebody cut one off while it is mapped, the operating system ends
/// the process when the missing part is read: a checksum does not help against that.
@safe final class MappedFile: BlockSource {
    let path: String
    /// Size in bytes.
    let size: Int
    // SAFETY: `size` readable bytes, or `nil` for an empty file; nothing writes them, and `deinit` alone unmaps them.
    private nonisolated(unsafe) let start: UnsafeRawPointer?
    /// Blocks that were compared with their checksums, by offset.
    private let verified = Mutex<[Int: BlockPlace]>([:])

    /// Maps a file.
    ///
    /// - Parameter folder: The folder that it lies in, if that is open.
    /// - Throws: `StorageError`.
    init(_ path: String, in folder: OpenFolder? = nil) throws(StorageError) {
        self.path = path
        let descriptor = try StorePart.openFile(path, O_RDONLY, in: folder)
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw StorageError(path: path, "cannot look at the file", number: errno)
        }
        size = Int(status.st_size)
        guard size > 0 else {
            unsafe start = nil
            return
        }
        let memory = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0)
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else {
            throw StorageError(path: path, "cannot map the file", number: errno)
        }
        unsafe start = UnsafeRawPointer(memory)
    }

    deinit {
        // SAFETY: this is what was mapped, and nobody refers to it any more.
        if let start = unsafe start { unsafe munmap(UnsafeMutableRawPointer(mutating: start), size) }
    }

    /// The bytes of a range; `nil` for one that is not within the file.
    func bytes(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer? {
        guard offset >= 0, count >= 0, count <= size, offset <= size - count, let start = unsafe start else {
            return nil
        }
        // SAFETY: the range lies within the file, as checked above.
        return unsafe UnsafeRawBufferPointer(start: start + offset, count: count)
    }

    func bytes(of place: BlockPlace) throws(BlockError) -> UnsafeRawBufferPointer {
        guard place.offset % SegmentFormat.alignment == 0, let bytes = unsafe bytes(place.offset, place.byteCount)
        else { throw BlockError(part: "", "the block lies outside of the file") }
        if verified.withLock({ $0[place.offset] }) == place { return unsafe bytes }
        let checksum = unsafe SegmentFormat.checksum(bytes)
        guard checksum == place.checksum else {
            throw BlockError(part: "", "the block does not have its checksum: it was changed, or never written")
        }
        verified.withLock { $0[place.offset] = place }
        return unsafe bytes
    }

    /// Compares blocks with their checksums on all cores, where there is enough to do. One that differs is found when
    /// it is read.
    func prepare(_ places: [BlockPlace]) {
        let total = places.reduce(0) { $0 &+ max(0, $1.byteCount) }
        guard total >= Self.worthThreads else { return }
        // The largest first, so that none is left over at the end.
        let order = places.sorted { $0.byteCount > $1.byteCount }
        DispatchQueue.concurrentPerform(iterations: order.count) { _ = try? unsafe bytes(of: order[$0]) }
    }

    /// Bytes from which another thread is worth its start: about a millisecond.
    private static let worthThreads = 8 << 20
}
