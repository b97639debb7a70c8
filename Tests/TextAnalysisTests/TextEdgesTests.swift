// Edges of what texts cost and take: classes of patterns, looks at deadlines, columns, bytes, bases that keep marks.

import Deadlines
import Testing

@testable import TextAnalysis

/// An interruption as the error that it is.
private func told(_ interruption: Interruption) -> Interruption { interruption }

@Suite("Edges of patterns and of single texts")
struct TextEdgesTests {
    // MARK: Classes of patterns

    /// Patterns, and how many of their classes are dear to compile; that ICU would refuse some of them is no matter.
    static let classes: [(pattern: String, count: Int)] = [
        // What hides brackets is `\Q`, or the flag `x` behind `(?`, and nothing else.
        ("aQ[a]", 0), ("(axb)[a]", 0), ("a?xb[a]", 0), ("(?-x)[a]", 1), ("(?:x)[a]", 0),
        ("(?{x}[a]", 0), ("(?ax)[a]", 1), ("(?zx)[a]", 1), ("(?i)[a]", 0),
        // Escapes in sets: digits and letters but for those of one character or a few.
        ("[\\0]", 2), ("[\\9]", 2), ("[\\:]", 0), ("[\\/]", 0), ("[\\a]", 2), ("[\\z]", 2), ("[\\{]", 0),
        ("[\\@]", 0), ("[\\`]", 0), ("[\\t\\n\\r\\f\\s\\d\\h\\v]", 0), ("[\\S]", 2), ("\\S", 0),
        // Scalars from U+0600 on count once for each set around them.
        ("[\u{600}]", 1), ("[\u{5FF}]", 0), ("\u{600}", 0), ("[東東]", 1), ("[a][東]", 1), ("[東[a]]", 1),
        ("[a[東]]", 2), ("[a]東", 0),
        // Behind its end a set is closed, counted or not.
        ("[東]\\w", 1), ("[[東]\\w]", 3), ("[a]\\w", 0), ("[東[\\w]]", 3), ("]]\\w", 0), ("][\\w]", 2),
        ("(?<", 0), ("(?<=", 1), ("(", 0), ("(a<=)", 0), ("(?!=a)", 0), ("(?=<=)", 0), ("(<=a)", 0), ("(?<na)", 0),
        ("\\cX[a]", 0), ("\\c", 0), ("\\", 0), ("[^]a]", 0), ("[:a]", 1), ("[a:]", 0), ("[^:a]", 0), ("", 0),
    ]

    @Test(arguments: classes) func classesOfPatterns(pattern: String, count: Int) {
        #expect(RegularExpression.classCount(of: pattern) == count)
    }

    @Test("Without case classes cost four times as much, and a flag may say so")
    func costsOfClasses() {
        let cases: [(pattern: String, ignoringCase: Bool, cost: Int)] = [
            ("\\p{L}", false, 1), ("\\p{L}", true, 4), ("(?i)\\p{L}", false, 4), ("(?-i)\\p{L}", false, 4),
            ("(?i)\\p{L}", true, 4), ("i\\p{L}", false, 1), ("(i)\\p{L}", false, 1), ("(?x)\\p{L}", false, 1),
            ("a", true, 0),
        ]
        for (pattern, ignoringCase, cost) in cases {
            #expect(RegularExpression.classCost(of: pattern, ignoringCase: ignoringCase) == cost, "\(pattern)")
        }
    }

    /// A quarter of a second in quarters of a millisecond, 8 MiB, 64 KiB, 128 classes; no less than one step and byte.
    @Test("Limits of a pattern")
    func limits() {
        let limits = PatternLimits.default
        #expect(limits == PatternLimits() && limits.steps == 1_000 && limits.stackBytes == 8 * 1_024 * 1_024)
        #expect(limits.patternBytes == 64 * 1_024 && limits.patternClasses == 128)
        let least = PatternLimits(steps: 0, stackBytes: -5, patternBytes: 0, patternClasses: 0)
        #expect(least.steps == 1 && least.stackBytes == 1 && least.patternBytes == 0 && least.patternClasses == 0)
        #expect(throws: Never.self) { try RegularExpression("", options: [], limits: least) }
    }

    @Test("Patterns without look-around never fail on bytes either")
    func bytesOfPlainPatterns() throws {
        let hopeless = try RegularExpression("(a+)+$", options: [])
        let text = String(repeating: "a", count: 40) + "!"
        #expect(try !hopeless.matchesWhole(text.utf8.span))
        #expect(try hopeless.matchesWhole("aaa".utf8.span))
        for (pattern, text, other) in [("\\t", "\t", "\n"), ("\\r", "\r", "\u{E}"), ("\\n", "\n", "\u{B}")] {
            let expression = try RegularExpression(pattern, options: [])
            #expect(expression.automaton?.matches(text.utf8.span) == true, "\(pattern)")
            #expect(expression.automaton?.matches(other.utf8.span) == false, "\(pattern)")
        }
    }

    // MARK: Deadlines

    @Test("Patterns are not compiled once the time is over")
    func patternsBehindTheirTime() {
        var kind: PatternError.Kind?
        _ = try? Deadline.run(looks: 0, failure: told) { () throws(Interruption) in
            do throws(PatternError) {
                _ = try RegularExpression("a", options: [])
            } catch {
                kind = error.kind
            }
        }
        #expect(kind == .timeLimit)
    }

    /// After so many steps, counted from the last look.
    static let looks: [(each: Int, looks: Int, steps: [Int], over: [Bool])] = [
        (3, 0, [1, 1, 1], [false, false, true]),
        (3, 1, [1, 1, 1, 1, 1, 1], [false, false, false, false, false, true]),
        (0, 0, [1], [true]), (1, 0, [1], [true]), (-4, 0, [1], [true]), (10, 0, [4, 5, 1], [false, false, true]),
        (10, 0, [4, 7], [false, true]), (10, 1, [25, 9, 1], [false, false, true]),
        (2, 5, [2, 2, 1], [false, false, false]),
    ]

    @Test(arguments: looks.indices) func looksAfterSteps(_ index: Int) {
        let (each, looks, steps, over) = Self.looks[index]
        var found: [Bool] = []
        _ = try? Deadline.run(looks: looks, failure: told) { () throws(Interruption) in
            var check = LongText.DeadlineCheck(each: each)
            for count in steps { found.append(check.isOver(after: count)) }
        }
        #expect(found == over)
        var single: [Bool] = []
        _ = try? Deadline.run(looks: 0, failure: told) { () throws(Interruption) in
            var check = LongText.DeadlineCheck(each: 2)
            for _ in 0..<2 { single.append(check.isOver()) }
        }
        #expect(single == [false, true])
    }

    /// A step is one of ICU's, of ten thousand: this match takes some sixteen thousand.
    @Test("A text of 2,000 units has a step more than a shorter one")
    func stepsOfLongTexts() throws {
        let expression = try RegularExpression(
            "(a?b?c?d?e?f?g?x)*\\1", options: [], limits: PatternLimits(steps: 1))
        let error = #expect(throws: PatternError.self) {
            try expression.matchesWholeByICU(String(repeating: "x", count: 1_999))
        }
        #expect(error?.kind == .timeLimit)
        #expect(try expression.matchesWholeByICU(String(repeating: "x", count: 2_000)))
    }

    @Test("A locale's order is opened once for each strength")
    func collatorsAreKept() throws {
        let options: [TextOptions] = [
            [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        ]
        var kept: [ObjectIdentifier: Collator] = [:]
        for option in options {
            let collator = try #require(Collator.collator(locale: "de", options: option))
            #expect(Collator.collator(locale: "de", options: option) === collator)
            kept[ObjectIdentifier(collator)] = collator
        }
        #expect(kept.count == options.count)
    }

    // MARK: Single texts

    @Test("Controls take no column, the signs beside them one; only pictures are drawn as emoji")
    func columns() {
        let cases: [(text: String, columns: Int)] = [
            ("\u{1F}", 0), (" ", 1), ("~", 1), ("\u{7F}", 0), ("\u{80}", 0), ("a\u{FE0F}", 1), ("é\u{FE0F}", 1),
            ("❤\u{FE0E}", 1), ("❤\u{FE0F}", 2), ("©", 1), ("©\u{FE0F}", 2), ("❤\u{301}", 1), ("日\u{FE0F}", 2),
        ]
        for (text, columns) in cases { #expect(TextWidth.columns(of: text) == columns, "\(text.codePoints)") }
    }

    /// Marks go from bases below U+0510, the last of which is U+050F, and stay with others.
    @Test("The first base that keeps its marks")
    func basesThatKeepMarks() {
        let cases: [(text: String, options: TextOptions, folded: String)] = [
            ("\u{50F}\u{301}", .diacriticInsensitive, "\u{50F}"),
            ("\u{510}\u{301}", .diacriticInsensitive, "\u{510}\u{301}"),
            ("\u{50E}\u{301}", [.caseInsensitive, .diacriticInsensitive], "\u{50F}"),
            ("\u{510}\u{301}", [.caseInsensitive, .diacriticInsensitive], "\u{511}\u{301}"),
            ("\u{511}\u{301}", .diacriticInsensitive, "\u{511}\u{301}"),
        ]
        for (text, options, folded) in cases {
            #expect(TextFolding.fold(text, options).codePoints == folded.codePoints, "\(text.codePoints)")
            let units = FoldingPipeline.fold(Array(text.utf16), options)
            #expect(String(decoding: units, as: UTF16.self).codePoints == folded.codePoints, "\(text.codePoints)")
        }
    }

    @Test("Buffers hold what was added, however it grew")
    func buffers() {
        var buffer = ByteBuffer(capacity: 0)
        var expected: [UInt8] = []
        for length in [8, 0, 1, 7, 60, 200, 3, 1_000, 64] {
            // From `>` by all capitals to `y`.
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: 0x3E + $0 % 60) }
            buffer.append(bytes.span)
            buffer.append(lowercasingASCII: bytes.span)
            buffer.append(0x0807_0605_0403_0201, length: 3)
            buffer.append(0x0807_0605_0403_0201, length: 8)
            expected += bytes + bytes.map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 } + [1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8]
        }
        #expect(buffer.withBytes { $0.hasSameBytes(as: expected.span) })
        buffer.truncate(to: 5)
        let shorter = buffer.count
        buffer.truncate(to: 9)
        let longer = buffer.count
        #expect(shorter == 5 && longer == 5)
    }

    /// Candidates whose letters are in the same places: signs beside the letters and digits begin words, and what is
    /// no capital does not begin one behind a small letter.
    @Test("Signs next to letters and digits")
    func signsBeginWords() {
        func score(_ typed: String, _ candidate: String) -> Int? { FuzzyMatch(typed, in: candidate)?.score }
        for sign in ["{", "@", "`", "/", ":", "[", "!"] {
            #expect(score("bc", "a\(sign)bc") == score("bc", "a bc"), "\(sign)")
        }
        for letter in ["a", "z", "A", "Z", "0", "9", "m"] {
            #expect(score("bc", "a\(letter)bc") == score("bc", "axbc"), "\(letter)")
        }
        for typed in ["[q", "@q", "{q"] { #expect(score(typed, "x" + typed) == score(typed, "X" + typed), "\(typed)") }
        for (typed, capital) in [("aq", "Aq"), ("zq", "Zq")] {
            #expect((score(typed, "x" + capital) ?? 0) > (score(typed, "x" + typed) ?? 0), "\(capital)")
            #expect(score(typed, "X" + capital) == score(typed, "X" + typed), "\(capital)")
        }
    }

    /// At least two numbers, such as 15.0, and no zeros behind them.
    @Test("Versions are written as they are told")
    func versions() {
        for version in [TextVersions.icu, TextVersions.unicode] {
            let numbers = version.split(separator: ".").compactMap { Int($0) }
            #expect(numbers.map(String.init).joined(separator: ".") == version && numbers.count >= 2, "\(version)")
            #expect(numbers.count == 2 || numbers.last != 0, "\(version)")
            #expect(numbers[0] >= 10 && numbers[0] < 200, "\(version)")
        }
    }
}
