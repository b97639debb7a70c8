// Folding without a copy gives what folding gives, whatever the options and the text.

import Testing

@testable import TextAnalysis

@Suite struct FoldingInPlaceTests {
    private static let texts = [
        "", "abc", "Abc", "ABC", "Äpfel", "A\u{308}PFEL", "ΣΊΣΥΦΟΣ", "ПРИВЕТ", "е\u{301}", "Straße", "İ", "ﬁ",
        "K\u{212A}",
        "\u{0}A", String(repeating: "aB", count: 512), String(repeating: "Ab", count: 513), "한글", "\u{1F600}Z",
    ]

    @Test(arguments: 0..<16) func sameAsWithACopy(_ bits: Int) {
        let options = TextOptions(rawValue: bits)
        for text in Self.texts {
            let folded = TextFolding.fold(text, options)
            let found = TextFolding.withFolded(text.utf8.span, options) { bytes in bytes.indices.map { bytes[$0] } }
            #expect(found == Array(folded.utf8), "\(text) \(bits)")
            // A text with [n] is compared as it is, whatever else is said.
            if options.contains(.normalized) { #expect(found == Array(text.utf8), "\(text) \(bits)") }
        }
    }
}
