// Upper and lower case by the root locale.
import CICU

/// Case mappings that no locale changes: full mappings (`ß` becomes `SS`), the final sigma included.
package enum TextCase {
    /// The text in capitals.
    /// - Complexity: O(n).
    package static func uppercase(_ text: String) -> String {
        // SAFETY: the seam's function keeps to the lengths that it is given.
        unsafe mapped(text, changing: 0x61...0x7A, cicu_uppercase)
    }

    /// The text in small letters.
    /// - Complexity: O(n).
    package static func lowercase(_ text: String) -> String {
        // SAFETY: as above.
        unsafe mapped(text, changing: 0x41...0x5A, cicu_lowercase)
    }

    private static func mapped(
        _ text: String, changing letters: ClosedRange<UInt8>, _ mapping: FoldingPipeline.Transformation
    ) -> String {
        if text.utf8.span.isASCII {
            return String(decoding: text.utf8.map { letters.contains($0) ? $0 ^ 0x20 : $0 }, as: UTF8.self)
        }
        return String(decoding: unsafe FoldingPipeline.transform(Array(text.utf16), mapping), as: UTF16.self)
    }
}
