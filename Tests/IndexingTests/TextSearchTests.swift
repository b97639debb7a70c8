// Searches of whole columns of texts against a look at every text.

import CKernels
import Testing
import _TestSupport

@testable import Indexing
@testable import RecordColumns
@testable import TextAnalysis

@Suite struct TextSearchTests {
    private static let pieces = [
        "a", "b", "on", "ond", "Rond", "ON", " ", " ", "-", ", ", "\n", "filler filler filler filler filler filler ",
        "0",
        "é", "e\u{301}", "É", "\u{301}", "ﬁ", "fi", "\u{212A}", "k", "ß", "ss", "≠", "=", "\u{338}", "\u{37E}", ";",
        "日本語",
        "Москва", "\u{600}", "\u{200D}", "👍🏽", "ไทย", "하", "\u{1100}", "naïve", "\0",
    ]

    private static func text(_ random: inout SplitMix64, upTo length: Int, among pieces: [String]) -> String {
        (0..<Int.random(in: 0...length, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }

    /// However often a word occurs, it is kept once, with each of its rows.
    @Test func foreignWordsAreKeptOnce() {
        let words = NonASCIITerms.build(over: TextColumn(["über und über", "a", "Größe, über", "größer"]))
        let rows = (0..<words.words.count).map { word in
            Set((words.starts[word]..<words.starts[word + 1]).map { words.rows[Int($0)] })
        }
        #expect(words.words.count == 3 && words.rows.count == 4 && words.otherRows.isEmpty)
        #expect(rows == [[0, 2], [2], [3]])
    }

    /// Which rows are looked at as a whole, and in which a word may end within what counts as one.
    @Test func rowsThatAreNotCutIntoWords() {
        let cases: [(text: String, isOther: Bool, isSpecial: Bool)] = [
            ("plain", false, false), ("über", false, false), ("ά", false, false), ("Москва", false, false),
            ("日本", false, true), ("x\u{301}y", false, true), ("a\u{480}", false, true), ("\u{301}a", true, true),
            // No word of more than 64 bytes, and no more than so many bytes of words.
            (String(repeating: "é", count: 32), false, false), (String(repeating: "é", count: 33), true, true),
            ("a" + String(repeating: "é", count: 32), true, true), (String(repeating: "é ", count: 51), false, false),
            (String(repeating: "é ", count: 52), true, true), ("", false, false),
        ]
        let words = NonASCIITerms.build(over: TextColumn(cases.map(\.text)))
        #expect(words.otherRows == cases.indices.filter { cases[$0].isOther }.map { UInt32($0) })
        #expect(words.specialRows == cases.indices.filter { cases[$0].isSpecial }.map { UInt32($0) })
    }

    /// U+0600 takes in what follows it, but no line feed: where a word ends with it only the row tells.
    @Test func wordsThatTakeInWhatFollows() {
        let texts = ["É\u{600}\n", "É\u{600}x", "É\u{600}", "É\u{600} x", "É\n"]
        let words = NonASCIITerms.build(over: TextColumn(texts))
        let needle = PreparedNeedle("é\u{600}", options: .caseInsensitive)
        let found = words.find(Array(needle.folded.utf8), needle: needle, options: .caseInsensitive)
        #expect(found.sure.isEmpty && found.unsure == [0, 2, 3] && words.otherRows.isEmpty)
        #expect(texts.indices.filter { needle.isContained(in: texts[$0]) } == [0, 2])
    }

    /// Rows found in the column's bytes and in its foreign words, against CONTAINS on each row.
    @Test func foreignWordsAndBytesFindWhatContainsFinds() {
        var random = SplitMix64(seed: 11)
        var (found, sure) = (0, 0)
        for round in 0..<60 {
            let pieces = round % 3 == 0 ? Array(Self.pieces.prefix(13)) : Self.pieces
            let texts = (0..<100).map { _ in Self.text(&random, upTo: 12, among: pieces) }
            let column = TextColumn(texts)
            let words = NonASCIITerms.build(over: column)
            for _ in 0..<40 {
                let options = TextOptions(rawValue: Int.random(in: 0..<4, using: &random))
                let needle = PreparedNeedle(Self.text(&random, upTo: 3, among: pieces), options: options)
                let bytes = Array(needle.folded.utf8)
                guard !bytes.isEmpty else { continue }
                let findings = words.find(bytes, needle: needle, options: options)
                let candidates = words.find(bytes, needle: nil, options: options)
                for (row, text) in texts.enumerated() {
                    let number = UInt32(row)
                    let holds = needle.isContained(in: text)
                    let raw = options.contains(.caseInsensitive) ? text.utf8.map(lowercasedASCII) : Array(text.utf8)
                    let isInBytes = raw.span.holds(bytes.span)
                    let isSure = findings.sure.contains(number)
                    found += holds ? 1 : 0
                    sure += isSure ? 1 : 0
                    if isSure, !holds { Issue.record("\(text) is found for \(needle.folded) \(options)") }
                    if holds, !isInBytes, !isSure, !findings.unsure.contains(number) {
                        Issue.record("\(text) is not found for \(needle.folded) \(options)")
                    }
                    let folded = Array(TextFolding.fold(text, options).utf8)
                    if folded.span.holds(bytes.span), !isInBytes, !candidates.unsure.contains(number) {
                        Issue.record("\(text) is no candidate for \(needle.folded) \(options)")
                    }
                }
            }
        }
        #expect(found > 1000 && sure > 100, "\(found) \(sure)")
    }

    /// The search of bytes, on every instruction set, against a search of each row.
    @Test func kernelFindsRows() {
        defer { kernels_limit_level(Int32(KERNELS_AVX512)) }
        var random = SplitMix64(seed: 12)
        for round in 0..<300 {
            let texts = (0..<Int.random(in: 0...90, using: &random)).map { _ in
                Self.text(&random, upTo: round % 2 == 0 ? 4 : 20, among: Self.pieces)
            }
            let column = TextColumn(texts)
            let needles = ["o", "on", "ond", "filler ", "a", "-", "b ", "\0", "er fil"]
            let needle = Array(needles[Int.random(in: 0..<needles.count, using: &random)].utf8)
            let ignoresCase = Bool.random(using: &random)
            let expected = texts.map { Self.outcome(Array($0.utf8), needle, ignoresCase) }
            for level in [KERNELS_PLAIN, KERNELS_AVX2, KERNELS_AVX512] {
                kernels_limit_level(Int32(level))
                var sure = [UInt64](repeating: 0, count: (texts.count + 63) / 64)
                var unsure = sure
                column.bytes.withElements { bytes in
                    column.offsets.withElements { offsets in
                        kernels_text_find(
                            bytes.baseAddress, offsets.baseAddress, texts.count, needle, needle.count,
                            ignoresCase ? 1 : 0, &sure, &unsure)
                    }
                }
                let among = (0..<(texts.count + 63) / 64).map { _ in random.next() }
                var sureAmong = [UInt64](repeating: 0, count: among.count)
                var unsureAmong = sureAmong
                column.bytes.withElements { bytes in
                    column.offsets.withElements { offsets in
                        kernels_text_find_among(
                            bytes.baseAddress, offsets.baseAddress, texts.count, needle, needle.count,
                            ignoresCase ? 1 : 0, among, &sureAmong, &unsureAmong)
                    }
                }
                for word in among.indices {
                    #expect(sureAmong[word] == sure[word] & among[word])
                    #expect(unsureAmong[word] == unsure[word] & among[word] & ~sure[word])
                }
                for row in texts.indices {
                    let isSure = sure[row / 64] >> UInt64(row % 64) & 1 == 1
                    let isUnsure = unsure[row / 64] >> UInt64(row % 64) & 1 == 1
                    #expect(isSure == (expected[row] == true), "\(texts[row])")
                    if !isSure { #expect(isUnsure == (expected[row] == false), "\(texts[row])") }
                }
            }
        }
    }

    /// Whether the needle stands between ASCII characters or ends; nil where it is not found.
    private static func outcome(_ text: [UInt8], _ needle: [UInt8], _ ignoresCase: Bool) -> Bool? {
        let text = ignoresCase ? text.map(lowercasedASCII) : text
        var outcome: Bool?
        guard text.count >= needle.count else { return nil }
        for start in 0...text.count - needle.count where Array(text[start..<start + needle.count]) == needle {
            let end = start + needle.count
            let isAlone = (start == 0 || text[start - 1] < 0x80) && (end == text.count || text[end] < 0x80)
            outcome = outcome == true || isAlone
        }
        return outcome
    }
}
