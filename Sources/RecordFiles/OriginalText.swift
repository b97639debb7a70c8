// The text of records as their files have it.

import Glibc
import RecordColumns
import Synchronization

/// Where the text of every record is: places in a file that can be read again, or the bytes themselves when they
/// came from a pipe or were compressed.
package final class OriginalText: Sendable {
    private struct File {
        /// The open file; `nil` when the bytes are kept.
        var descriptor: Int32?
        var name: String
        /// The position in the table of the file's first record.
        var firstPosition: Int
        /// The number of its first text. A file whose records are no lines, such as CSV, has no texts.
        var firstText: Int
        /// Whether the texts are features of GeoJSON, whose fields are their properties.
        var isOfFeatures = false
    }

    private struct State {
        var files: [File] = []
        let offsets = ColumnBuffer<UInt64>()
        let lengths = ColumnBuffer<UInt32>()
        let kept = ColumnBuffer<UInt8>()

        /// The file of a record and the number of its text, `nil` if the text was not noted.
        func place(of position: Int) -> (file: File, text: Int)? {
            guard let index = files.lastIndex(where: { $0.firstPosition <= position }) else { return nil }
            let text = files[index].firstText + position - files[index].firstPosition
            let end = index + 1 < files.count ? files[index + 1].firstText : offsets.count
            return text < end ? (files[index], text) : nil
        }
    }

    private let state = Mutex(State())

    init() {}

    deinit {
        state.withLock { state in
            for case let descriptor? in state.files.map(\.descriptor) { close(descriptor) }
        }
    }

    /// Begins a file, whose first record comes at `position` of the table.
    func begin(_ source: ByteSource, position: Int) throws(FileError) {
        let name = source.name
        var descriptor: Int32?
        if source.isSeekable, !source.isCompressed {
            let opened = unsafe open(name, O_RDONLY | O_CLOEXEC)
            guard opened >= 0 else { throw ByteSource.failure(name, "cannot open the file") }
            descriptor = opened
        }
        let file = (descriptor, name)
        state.withLock { state in
            state.files.append(
                File(descriptor: file.0, name: file.1, firstPosition: position, firstText: state.offsets.count))
        }
    }

    /// Has the bytes of the last file kept, where its records are no lines.
    func keepBytes(asFeatures isOfFeatures: Bool) {
        state.withLock { state in
            guard let last = state.files.indices.last else { return }
            if let descriptor = state.files[last].descriptor { close(descriptor) }
            state.files[last].descriptor = nil
            state.files[last].isOfFeatures = isOfFeatures
        }
    }

    func note(_ offset: Int, _ text: UnsafeBufferPointer<UInt8>) {
        let bytes = unsafe text
        let count = unsafe bytes.last == 0x0D ? bytes.count - 1 : bytes.count
        state.withLock { state in
            if state.files.last?.descriptor == nil {
                state.offsets.append(UInt64(state.kept.count))
                unsafe state.kept.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<count]))
            } else {
                state.offsets.append(UInt64(offset))
            }
            state.lengths.append(UInt32(truncatingIfNeeded: count))
        }
    }

    /// The text of the record of a position, without its line end; `nil` where records have none of that form.
    ///
    /// - Parameter asFeature: Whether the text of a GeoJSON feature is wanted, or that of a record.
    /// - Throws: `FileError` of kind `io` when the file cannot be read any more, or is shorter now.
    package func text(_ position: Int, asFeature: Bool = false) throws(FileError) -> [UInt8]? {
        let (file, offset, length, kept): (File?, Int, Int, [UInt8]?) = state.withLock { state in
            guard let (file, text) = state.place(of: position), file.isOfFeatures == asFeature else {
                return (nil, 0, 0, nil)
            }
            let offset = Int(state.offsets[text])
            let length = Int(state.lengths[text])
            guard file.descriptor == nil else { return (file, offset, length, nil) }
            return (file, 0, 0, unsafe state.kept.withElements { unsafe Array($0[offset..<(offset + length)]) })
        }
        guard let file, let descriptor = file.descriptor else { return kept }
        var text = [UInt8](repeating: 0, count: length)
        var done = 0
        while done < length {
            // SAFETY: the kernel writes at most as many bytes as are left in the array.
            let count = unsafe text.withUnsafeMutableBytes { bytes in
                unsafe pread(
                    descriptor, bytes.baseAddress.map { unsafe $0 + done }, length - done, off_t(offset + done))
            }
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                throw count == 0
                    ? FileError(kind: .io, file: file.name, message: "the file has become shorter")
                    : ByteSource.failure(file.name, "cannot read the file")
            }
        }
        return text
    }
}
