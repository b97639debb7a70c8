// Texts (or any byte strings) of rows, back to back in one buffer.

/// The texts of rows as UTF-8 in one buffer: row `r` has the bytes `offsets[r] ..< offsets[r + 1]`.
///
/// Also used for byte strings that are not text. Holds up to 4 GiB.
@usableFromInline package struct TextColumn: Sendable {
    /// All texts one after another, without separators.
    @usableFromInline package let bytes: ColumnBuffer<UInt8>
    /// Where each text starts, and at the end where the last one ends.
    @usableFromInline package let offsets: ColumnBuffer<UInt32>

    init(bytes: ColumnBuffer<UInt8>, offsets: ColumnBuffer<UInt32>) {
        self.bytes = bytes
        self.offsets = offsets
    }

    /// The given texts as a column.
    package init(_ texts: [String]) {
        let builder = TextBuilder()
        for text in texts {
            var text = text
            // A text beyond 4 GiB is left out here; columns of that size come from builders, which report it.
            _ = text.withUTF8 { unsafe builder.append($0) }
        }
        self = builder.finish()
    }

    /// Number of texts.
    @inlinable package var count: Int { offsets.count &- 1 }

    /// Where the text of a row lies in `bytes`.
    @inlinable
    package func range(_ row: Int) -> Range<Int> {
        let start = Int(offsets[row])
        return start..<max(start, Int(offsets[row &+ 1]))
    }

    /// Calls `body` with the bytes of a row.
    @inlinable
    package func withBytes<Result, Failure: Error>(
        _ row: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let range = range(row)
        precondition(range.upperBound <= bytes.count, "text range out of bounds")
        return unsafe try bytes.withElements { all throws(Failure) in
            // SAFETY: the range lies within the buffer, as checked above.
            try unsafe body(UnsafeBufferPointer(rebasing: all[range]))
        }
    }

    /// The text of a row. Complexity: O(length).
    package func string(_ row: Int) -> String {
        unsafe withBytes(row) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of a row. Complexity: O(length).
    package func byteArray(_ row: Int) -> [UInt8] {
        unsafe withBytes(row) { unsafe Array($0) }
    }

    /// Whether a row has exactly these bytes.
    package func equals(_ row: Int, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe withBytes(row) { unsafe ByteHash.areEqual($0, other) }
    }

    /// Room taken, in bytes.
    package var byteCount: Int { bytes.byteCount + offsets.byteCount }
}

/// Texts of rows under construction.
package final class TextBuilder {
    let bytes = ColumnBuffer<UInt8>()
    let offsets = ColumnBuffer<UInt32>()

    /// An empty builder.
    package init() { offsets.append(0) }

    /// Number of texts.
    package var count: Int { offsets.count - 1 }

    /// Adds a text; `false`, without change, when the buffer would outgrow its 4 GiB.
    @inline(__always)
    package func append(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let end = bytes.count &+ text.count
        guard end <= Int(UInt32.max) else { return false }
        unsafe bytes.append(contentsOf: text)
        offsets.append(UInt32(truncatingIfNeeded: end))
        return true
    }

    /// Adds `rows` empty texts.
    func appendEmpty(_ rows: Int) {
        offsets.append(repeating: UInt32(truncatingIfNeeded: bytes.count), count: rows)
    }

    /// Drops all texts from `count` on.
    package func truncate(to count: Int) {
        guard count < self.count else { return }
        offsets.truncate(to: count + 1)
        bytes.truncate(to: Int(offsets[count]))
    }

    /// The texts so far, without a copy: the column stays right while texts are added.
    package var column: TextColumn { TextColumn(bytes: bytes, offsets: offsets) }

    /// The finished column, cut to its size.
    package func finish() -> TextColumn {
        bytes.shrink()
        offsets.shrink()
        return column
    }
}
