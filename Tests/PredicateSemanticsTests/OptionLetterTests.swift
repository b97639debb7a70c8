// The letters of options, read and written.

import Testing
import TextAnalysis

@testable import PredicateSemantics

@Suite struct OptionLetterTests {
    static let cases: [(letters: String, options: TextOptions?, written: String)] = [
        ("", [], ""), ("c", .caseInsensitive, "c"), ("N", .normalized, "n"),
        ("lDC", [.caseInsensitive, .diacriticInsensitive, .localeSensitive], "cdl"), ("cw", nil, ""), ("p", nil, ""),
    ]

    @Test(arguments: cases)
    func letters(_ letters: String, _ options: TextOptions?, _ written: String) {
        #expect(TextOptions(letters: letters) == options)
        #expect(options?.letters ?? "" == written)
    }
}
