// CONTAINS, BEGINSWITH and ENDSWITH on text.
import CICU

/// Text to look for in other texts, folded once.
///
/// A match lies between grapheme cluster boundaries of the folded haystack, so `e` is not found in an `é` however it is
/// spelt, unless `d` folds the accent away. With `n` bytes are compared and any place will do. `l` changes nothing:
/// substrings are compared by folding. An empty needle never matches.
package struct PreparedNeedle: Hashable, Sendable {
    /// The needle in folded form.
    package let folded: String
    /// The options it was prepared with; haystacks are folded the same way.
    package let options: TextOptions
    private let bytes: [UInt8]

    /// Prepares a needle.
    package init(_ needle: String, options: TextOptions) {
        self.options = options
        folded = TextFolding.fold(needle, options)
        bytes = Array(folded.utf8)
    }

    /// Whether the needle occurs in the text.
    /// - Complexity: O(n).
    package func isContained(in text: String) -> Bool { isContained(in: text.utf8.span) }

    /// Whether the text begins with the needle.
    /// - Complexity: O(n) in the text where it must be folded, else in the needle.
    package func isPrefix(of text: String) -> Bool { isPrefix(of: text.utf8.span) }

    /// Whether the text ends with the needle.
    /// - Complexity: O(n) in the text where it must be folded, else in the needle.
    package func isSuffix(of text: String) -> Bool { isSuffix(of: text.utf8.span) }

    /// Whether the text equals the needle, as `TextComparison.areEqual` would say without `l`. Empty texts are equal.
    /// - Complexity: O(n).
    package func isEqual(to text: String) -> Bool { isEqual(to: text.utf8.span) }

    /// Whether UTF-8 text equals the needle.
    package func isEqual(to text: Span<UInt8>) -> Bool {
        TextFolding.withFolded(text, options) { $0.hasSameBytes(as: bytes.span) }
    }

    /// Whether the needle occurs in UTF-8 text.
    package func isContained(in text: Span<UInt8>) -> Bool {
        TextFolding.withFolded(text, options) { firstMatch(inFolded: $0, from: 0) != nil }
    }

    /// Whether UTF-8 text begins with the needle.
    package func isPrefix(of text: Span<UInt8>) -> Bool {
        TextFolding.withFolded(text, options) { isPrefix(ofFolded: $0) }
    }

    /// Whether UTF-8 text ends with the needle.
    package func isSuffix(of text: Span<UInt8>) -> Bool {
        TextFolding.withFolded(text, options) { isSuffix(ofFolded: $0) }
    }
}

// MARK: - Text that is folded already

extension PreparedNeedle {
    /// The byte range of the first match at or after `start` in text that was folded with the needle's options.
    /// - Complexity: O(n).
    package func firstMatch(inFolded text: Span<UInt8>, from start: Int) -> Range<Int>? {
        guard !bytes.isEmpty else { return nil }
        var boundaries = ClusterBoundaries()
        var offset = start
        var looks = LongText.DeadlineCheck(each: 1 << 12)
        while let found = text.firstOffset(of: bytes.span, from: offset) {
            if looks.isOver() { return nil }
            let end = found + bytes.count
            if options.contains(.normalized) { return found..<end }
            if boundaries.isBoundary(found, in: text) {
                if boundaries.isBoundary(end, in: text) { return found..<end }
            }
            offset = found + 1
        }
        return nil
    }

    /// Whether folded text begins with the needle.
    package func isPrefix(ofFolded text: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, text.count >= bytes.count else { return false }
        guard text.extracting(first: bytes.count).hasSameBytes(as: bytes.span) else { return false }
        return options.contains(.normalized) || isBoundary(bytes.count, in: text)
    }

    /// Whether folded text ends with the needle.
    package func isSuffix(ofFolded text: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, text.count >= bytes.count else { return false }
        guard text.extracting(last: bytes.count).hasSameBytes(as: bytes.span) else { return false }
        return options.contains(.normalized) || isBoundary(text.count - bytes.count, in: text)
    }

    private func isBoundary(_ offset: Int, in text: Span<UInt8>) -> Bool {
        var boundaries = ClusterBoundaries()
        return boundaries.isBoundary(offset, in: text)
    }
}

extension Span<UInt8> {
    /// The first offset at or after `start` where `needle`, which is not empty, occurs.
    /// - Complexity: O(n): the C library searches by the two-way algorithm.
    func firstOffset(of needle: Span<UInt8>, from start: Int) -> Int? {
        guard start >= 0, count - start >= needle.count else { return nil }
        // SAFETY: both spans outlive the call, which reads within the given lengths only.
        return unsafe withUnsafeBufferPointer { haystack in
            unsafe needle.withUnsafeBufferPointer { needle in
                guard let base = haystack.baseAddress, let wanted = needle.baseAddress,
                    let found = unsafe cicu_find_bytes(base + start, haystack.count - start, wanted, needle.count)
                else { return nil }
                return unsafe found - base
            }
        }
    }
}
