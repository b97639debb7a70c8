// Automata against ICU and against the plain matcher: on what they judge, they judge alike.
import Testing
import _TestSupport

@testable import TextAnalysis

@Suite struct AutomatonTests {
    private static let atoms = [
        "a", "b", "ab", "K", "s", " ", "-", "é", "ß", "日", "😀", ".", ".", "\\.", "\\d", "\\w", "\\n", "\\*", "\\[",
        "[a-c]", "[^a-c]", "[é-ü]", "[^日]", "[A-Ca\\-]", "[^\\d]", "[ ._*+?()]", "[\\n\\r]", "[a-z0-9]", "[\\w]",
        "[😀日]",
        "[ſ]", "(?:a|b)", "(a|)", "(|é)", "()", "^", "$", "#", "[#]", "[&]", "[a&&b]", "[a-]", "[]a]", "~", ",",
        "\u{212A}",
    ]
    private static let counts = [
        "", "", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "??", "{1,2}?", "*+", "{0}",
    ]
    private static let pieces = [
        "a", "b", "c", "A", "K", "k", "s", "S", "0", "7", " ", "-", ".", "*", "é", "É", "e\u{301}", "ü", "ß", "ss", "ſ",
        "日",
        "😀", "\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\u{B}", "\u{C}", "\u{212A}", "_", "٣", "\0", "#", "&",
        "\u{301}",
        "\u{338}", "=", "[", "(", ",", "~", "\u{E000}", "\u{FFFF}", "\u{10FFFF}", "\u{800}",
    ]

    private static func pattern(_ random: inout SeededRandom, depth: Int = 2) -> String {
        var pattern = ""
        for _ in 0..<Int(random.next() % 4) {
            if depth > 0, random.next() % 4 == 0 {
                let branches = (0...Int(random.next() % 3)).map { _ in Self.pattern(&random, depth: depth - 1) }
                pattern += (random.next() % 2 == 0 ? "(" : "(?:") + branches.joined(separator: "|") + ")"
            } else {
                pattern += atoms[Int(random.next() % UInt64(atoms.count))]
            }
            pattern += counts[Int(random.next() % UInt64(counts.count))]
        }
        return pattern
    }

    /// Over all options; half of the texts are short and plain, so that some match.
    @Test func automataAgreeWithICU() throws {
        var random = SeededRandom(seed: 4)
        var (judged, matching, rejected) = (0, 0, 0)
        for _ in 0..<(TextFixtures.isThorough ? 300_000 : 6000) {
            let text = Self.pattern(&random)
            let options = TextOptions(rawValue: Int(random.next() % 8))
            guard let expression = try? RegularExpression(text, options: options), let automaton = expression.automaton
            else {
                rejected += 1
                continue
            }
            for turn in 0..<8 {
                let subject = random.text(of: turn < 4 ? Array(Self.pieces.prefix(6)) : Self.pieces, upTo: turn)
                guard let expected = try? expression.matchesWholeByICU(subject) else { continue }
                let folded = TextFolding.fold(subject, options.subtracting(.caseInsensitive))
                guard let found = automaton.matches(folded.utf8.span) else { continue }
                judged += 1
                matching += expected ? 1 : 0
                if found != expected {
                    Issue.record("\(subject.debugDescription) MATCHES \(text.debugDescription) \(options): \(expected)")
                }
                if Array(subject.utf8).allSatisfy({ Int($0) < TextCondition.matches(expression).automatonLimit }),
                    let raw = automaton.matches(subject.utf8.span), raw != expected
                {
                    Issue.record("\(subject.debugDescription) as it is MATCHES \(text.debugDescription) \(options)")
                }
            }
        }
        #expect(judged > 8000 && matching > 500 && rejected > 500, "\(judged) \(matching) \(rejected)")
    }

    /// Every scalar against `.`, a set, and the set's complement.
    @Test func setsHoldTheScalarsOfICU() throws {
        for pattern in [".", "[a-zé-üא-ת\u{800}-\u{FFFF}]", "[^a-zé-üא-ת\u{800}-\u{FFFF}]", "\\w", "\\d"] {
            let expression = try RegularExpression(pattern, options: .normalized)
            let automaton = try #require(expression.automaton)
            let step = TextFixtures.isThorough ? 1 : 7
            var judged = 0
            let separators: [UInt32] = [0x85, 0x2028, 0x2029]
            for value in Array(0..<0x80) + separators + stride(from: 0x80, through: 0x10FFFF, by: step) {
                guard let scalar = Unicode.Scalar(value) else { continue }
                let text = String(scalar)
                guard let found = automaton.matches(text.utf8.span) else { continue }
                judged += 1
                if try found != expression.matchesWholeByICU(text) { Issue.record("\(value) \(pattern)") }
            }
            // Beyond ASCII, classes are left to ICU.
            #expect(judged >= (pattern.hasPrefix("\\") ? 128 : 100_000), "\(pattern): \(judged)")
        }
    }

    /// LIKE as it is described: each star is tried with every length.
    private static func likes(_ pattern: String, _ text: String, _ options: TextOptions) -> Bool {
        enum Piece {
            case any, one
            case scalar(Unicode.Scalar)
        }
        var (pieces, literal) = ([Piece](), String.UnicodeScalarView())
        func endLiteral() {
            pieces += TextFolding.fold(String(literal), options).unicodeScalars.map { .scalar($0) }
            literal = String.UnicodeScalarView()
        }
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if isEscaped || scalar != "*" && scalar != "?" && scalar != "\\" {
                literal.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                endLiteral()
                pieces.append(scalar == "*" ? .any : .one)
            }
        }
        if isEscaped { literal.append("\\") }
        endLiteral()
        let scalars = Array(TextFolding.fold(text, options).unicodeScalars)
        func matches(_ piece: Int, _ place: Int) -> Bool {
            guard piece < pieces.count else { return place == scalars.count }
            switch pieces[piece] {
            case .any: return (place...scalars.count).contains { matches(piece + 1, $0) }
            case .one: return place < scalars.count && matches(piece + 1, place + 1)
            case .scalar(let wanted):
                return place < scalars.count && scalars[place] == wanted && matches(piece + 1, place + 1)
            }
        }
        return matches(0, 0)
    }

    @Test func automataOfLikeAgreeWithThePattern() throws {
        var random = SeededRandom(seed: 5)
        var matching = 0
        for _ in 0..<(TextFixtures.isThorough ? 1_000_000 : 3000) {
            let options = TextOptions(rawValue: Int(random.next() % 8))
            let words = random.text(of: ["a", "B", "é", "ß", "日", "*", "?", "*", "\\*", "K", "e\u{301}"], upTo: 6)
            let pattern = LikePattern(words, options: options)
            let text = random.text(of: Self.pieces, upTo: 6)
            let expected = Self.likes(words, text, options)
            if pattern.matches(text) != expected { Issue.record("\(text) LIKE \(words), \(options)") }
            matching += expected ? 1 : 0
            let automaton = try #require(pattern.automaton)
            let folded = TextFolding.fold(text, options)
            if automaton.matches(folded.utf8.span) != expected { Issue.record("\(text) LIKE \(pattern)") }
            let limit = TextCondition.like(pattern).automatonLimit
            if Array(text.utf8).allSatisfy({ Int($0) < limit }), automaton.matches(text.utf8.span) != expected {
                Issue.record("\(text) as it is LIKE \(pattern)")
            }
        }
        #expect(matching > 150, "\(matching)")
    }
}
