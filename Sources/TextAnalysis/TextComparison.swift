// Equality and order of text.

/// Compares text by its options: by folded form in the order of scalars, or with `l` by a locale's collation.
///
/// Without options canonically equivalent texts are equal and the order is that of scalars in composed normal form.
/// With `n` the UTF-8 bytes are compared, which is the order of scalars too. With `l` marks and case weigh as the
/// locale says; `c` then compares without case (secondary strength), `d` without marks (primary strength with the case
/// level), both together by base letters alone (primary strength).
package enum TextComparison {
    /// Whether the texts are equal.
    /// - Parameter locale: an identifier such as "sv" or "de@collation=phonebook"; empty is the root locale. It matters
    ///   with `l` only. ICU falls back to the nearest locale that it knows.
    /// - Complexity: O(n).
    package static func areEqual(
        _ left: String, _ right: String, options: TextOptions, locale: String = ""
    ) -> Bool {
        if let collator = collator(options, locale) { return collator.compare(left, right) == 0 }
        let (first, second) = (left.utf8.span, right.utf8.span)
        if first.hasSameBytes(as: second) { return true }
        if options.contains(.normalized) || (options.folding.isEmpty && first.isASCII && second.isASCII) {
            return false
        }
        return foldedOrder(first, second, options) == 0
    }

    /// -1, 0 or 1, as the left text comes before the right one, is equal to it, or comes after it.
    /// - Complexity: O(n).
    package static func compare(
        _ left: String, _ right: String, options: TextOptions, locale: String = ""
    ) -> Int {
        if let collator = collator(options, locale) { return collator.compare(left, right) }
        return foldedOrder(left.utf8.span, right.utf8.span, options)
    }

    /// Bytes whose order is the order of the texts: two keys compare, byte by byte, as `compare` compares their texts.
    /// - Complexity: O(n).
    package static func sortKey(of text: String, options: TextOptions, locale: String = "") -> [UInt8] {
        if let collator = collator(options, locale) { return collator.sortKey(of: text) }
        return Array(TextFolding.fold(text, options).utf8)
    }

    private static func collator(_ options: TextOptions, _ locale: String) -> Collator? {
        guard options.contains(.localeSensitive), !options.contains(.normalized) else { return nil }
        return Collator.collator(locale: locale, options: options)
    }

    private static func foldedOrder(_ left: Span<UInt8>, _ right: Span<UInt8>, _ options: TextOptions) -> Int {
        TextFolding.withFolded(left, options) { first in
            TextFolding.withFolded(right, options) { second in first.order(against: second) }
        }
    }
}
