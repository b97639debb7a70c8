// Folding: the one form in which text is compared, indexed and searched (Decision 5 of the language).

/// Text in the form that its options compare by.
///
/// Without options that is composed normal form, with `c` after full case folding, with `d` after stripping non-spacing
/// marks from bases below U+0510; with `n` the text itself. `l` changes nothing here. Folding twice folds once.
package enum TextFolding {
    /// The folded form.
    /// - Complexity: O(n).
    package static func fold(_ text: String, _ options: TextOptions) -> String {
        if options.contains(.normalized) { return text }
        var text = text
        text.makeContiguousUTF8()
        let bytes = text.utf8.span
        if bytes.isASCII {
            let isChanged = options.contains(.caseInsensitive) && bytes.hasASCIICapital
            return isChanged ? String(lowercasingASCII: bytes) : text
        }
        var buffer = ByteBuffer(capacity: bytes.count + bytes.count / 4)
        FoldingTable.table(for: options).fold(bytes, into: &buffer)
        return buffer.text
    }

    /// Adds the folded form of UTF-8 text to a buffer that the caller may reuse.
    /// - Complexity: O(n).
    package static func fold(_ text: Span<UInt8>, _ options: TextOptions, into buffer: inout FoldedText) {
        append(text, options, isASCII: text.isASCII, to: &buffer.bytes)
    }

    /// Calls `body` with the folded form in UTF-8, without a copy where the text is its own folded form and ASCII.
    /// - Complexity: O(n).
    static func withFolded<R>(_ text: Span<UInt8>, _ options: TextOptions, _ body: (Span<UInt8>) -> R) -> R {
        if options.contains(.normalized) { return body(text) }
        let isASCII = text.isASCII
        if isASCII, !(options.contains(.caseInsensitive) && text.hasASCIICapital) { return body(text) }
        if options.folding.isEmpty, text.isPlainlyComposed { return body(text) }
        if isASCII, text.count <= shortText { return withLowercased(text, body) }
        var buffer = ByteBuffer(capacity: text.count + text.count / 4)
        append(text, options, isASCII: isASCII, to: &buffer)
        return buffer.withBytes(body)
    }

    /// ASCII text of at most this many bytes is folded on the stack.
    private static let shortText = 1024

    private static func withLowercased<R>(_ text: Span<UInt8>, _ body: (Span<UInt8>) -> R) -> R {
        // SAFETY: the buffer has room for every byte of the text, and the span covers those written.
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { buffer in
            for offset in text.indices { unsafe buffer[offset] = lowercasedASCII(text[offset]) }
            return body(unsafe Span(_unsafeElements: UnsafeBufferPointer(buffer)))
        }
    }

    static func append(_ text: Span<UInt8>, _ options: TextOptions, isASCII: Bool, to buffer: inout ByteBuffer) {
        if options.contains(.normalized) || (isASCII && !options.contains(.caseInsensitive)) {
            buffer.append(text)
        } else if isASCII {
            buffer.append(lowercasingASCII: text)
        } else {
            FoldingTable.table(for: options).fold(text, into: &buffer)
        }
    }
}

/// A buffer of folded UTF-8 that keeps its memory between texts.
package struct FoldedText: ~Copyable {
    var bytes: ByteBuffer

    /// An empty buffer with room for `capacity` bytes.
    package init(capacity: Int = 256) { bytes = ByteBuffer(capacity: capacity) }

    /// How many bytes it holds.
    package var count: Int { bytes.count }

    /// Empties the buffer.
    package mutating func removeAll() { bytes.truncate(to: 0) }

    /// Calls `body` with the bytes.
    package func withBytes<R>(_ body: (Span<UInt8>) -> R) -> R { bytes.withBytes(body) }
}

extension Span<UInt8> {
    /// Whether the text is its own composed normal form because no scalar in it decomposes alone or joins another:
    /// those below U+0300, and those from U+0380 to U+047F except U+0387. Other texts may be composed too.
    /// - Complexity: O(n).
    fileprivate var isPlainlyComposed: Bool {
        for offset in indices where self[offset] >= 0xCC {
            switch self[offset] {
            case 0xCF, 0xD0, 0xD1: continue
            case 0xCE where offset + 1 < count && self[offset + 1] != 0x87: continue
            default: return false
            }
        }
        return true
    }

    /// Whether an A to Z occurs.
    /// - Complexity: O(n).
    fileprivate var hasASCIICapital: Bool {
        for offset in indices where self[offset] &- 0x41 < 26 { return true }
        return false
    }
}

extension String {
    /// ASCII text with its capital letters made small.
    fileprivate init(lowercasingASCII bytes: Span<UInt8>) {
        // SAFETY: exactly `bytes.count` bytes are written, all of them ASCII.
        self = unsafe String(unsafeUninitializedCapacity: bytes.count) { buffer in
            for offset in bytes.indices { unsafe buffer[offset] = lowercasedASCII(bytes[offset]) }
            return bytes.count
        }
    }
}
