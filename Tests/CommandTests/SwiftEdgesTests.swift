// Calls of the builder for every kind of operand, and predicates that stay text.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct SwiftEdgesTests {
    /// Predicates, and the body of the closure that says the same.
    static let calls: [(predicate: String, body: String)] = [
        // Options, and constants that have none.
        ("t CONTAINS[cn] 'x'", #"$0.t.contains("x", options: [.caseInsensitive, .normalized])"#),
        ("t !=[c] 'x'", #"!$0.t.equals("x", options: .caseInsensitive)"#),
        ("t ==[d] 'x'", #"$0.t.equals("x", options: .diacriticInsensitive)"#),
        ("t LIKE[l] 'x'", #"$0.t.like("x", options: .localeSensitive)"#), ("n ==[c] 1", "$0.n == 1"),
        ("n <=[c] 1", "$0.n <= 1"), ("t TOKENMATCHES 'x'", #"$0.t.matchesTokens("x", options: [])"#),
        ("n CONTAINS 3", "$0.n.contains(3)"), ("1 < n", "1 < $0.n"), ("t == n", "$0.t == $0.n"),
        // Operands.
        ("-n > 3", "-$0.n > 3"), ("n + m * 2 > f / 3 - 1", "($0.n + ($0.m * 2)) > (($0.f / 3) - 1)"),
        (
            "length(t) > 3 AND lowercase(t) == uppercase(u)",
            "$0.t.length > 3 && $0.t.lowercased() == $0.u.uppercased()"
        ),
        (
            "tags[1] == 'x' AND tags[LAST] == 'y' AND tags[SIZE] > 2",
            #"$0.tags[1] == "x" && $0.tags.last == "y" && $0.tags.count > 2"#
        ),
        ("distanceToLocation:fromLocation:(p, q) < 500", "$0.p.distance(to: $0.q) < .meters(500)"),
        ("d > CAST(0, 'NSDate')", "$0.d > Date(timeIntervalSinceReferenceDate: 0.0)"),
        ("n IN {1, nil, TRUE, 2.5}", "$0.n.in([1, nil, true, 2.5])"), ("b != FALSE", "$0.b != false"),
        ("init == 1 AND part.init == 3", "$0.`init` == 1 && $0.part.`init` == 3"), ("_a.b1 == 1", "$0._a.b1 == 1"),
        // Brackets only where they are needed.
        ("n == 1 AND m == 2 OR f == 3", "$0.n == 1 && $0.m == 2 || $0.f == 3"),
        ("(n == 1 OR m == 2) AND f == 3", "($0.n == 1 || $0.m == 2) && $0.f == 3"),
        ("NOT (n == 1 AND m == 2)", "!($0.n == 1 && $0.m == 2)"), ("NOT (n == 1)", "!($0.n == 1)"),
        // Texts: what cannot be seen, or turns the text around it, is escaped.
        (#"t == 'a\n\t\r\"\\b'"#, #"$0.t == "a\n\t\r\"\\b""#),
        (#"t == '\x00\x1F \x7F'"#, #"$0.t == "\u{0}\u{1f} \u{7f}""#),
        (#"t == '\u009F\u00A0'"#, "$0.t == \"\\u{9f}\u{A0}\""),
        (#"t == '\u200A\u200B\u200F\u2010'"#, "$0.t == \"\u{200A}\\u{200b}\\u{200f}\u{2010}\""),
        (#"t == '\u2027\u2028\u202E\u202F'"#, "$0.t == \"\u{2027}\\u{2028}\\u{202e}\u{202F}\""),
        (#"t == '\u2066\u2069\u206A\uFEFF'"#, "$0.t == \"\\u{2066}\\u{2069}\u{206A}\\u{feff}\""),
    ]

    /// Predicates that have no words in Swift, in canonical spelling; these are texts of the record's language.
    static let texts = [
        "t <[c] \"x\"", "_ == 1", "n & 3 == 1", "ANY tags BEGINSWITH \"x\"", "NONE ns IN {1}", "ANY tags ==[c] \"x\"",
        "t TOKENMATCHES[cdp] \"x y\"", "t IN[c] {\"x\"}", "n BETWEEN {m, 2}", "t CONTAINS u", "t CONTAINS nil",
        "t LIKE[c] u", "t BEGINSWITH 3", "t LIKE 3", "t ==[c] u", "a.#'b c' == 1", "ANY t TOKENMATCHES \"x\"",
        "ANY ns BETWEEN {1, 2}", "uppercase(t) IN u",
    ]

    private static func translated(_ predicates: [String]) throws -> CommandCall {
        let folder = try TemporaryFolder()
        let file = try folder.file("p.txt", predicates.map { $0 + "\n" }.joined())
        return CommandCall(["translate", "--to", "swift", "--swift-type", "A.B", "-p", file])
    }

    @Test func operandsHaveWords() throws {
        let run = try Self.translated(Self.calls.map(\.predicate))
        #expect(run.lines.count == Self.calls.count && run.status == .success, "\(run.messages)")
        for (line, test) in zip(run.lines, Self.calls) {
            #expect(line.unicodeScalars.elementsEqual("A.B.where { \(test.body) }".unicodeScalars), "\(line)")
        }
    }

    @Test func otherPredicatesStayText() throws {
        let run = try Self.translated(Self.texts)
        #expect(run.lines.count == Self.texts.count && run.status == .success, "\(run.messages)")
        for (line, text) in zip(run.lines, Self.texts) {
            let literal = text.replacing("\"", with: "\\\"")
            #expect(line == "A.B.where { _ in (\"\(literal)\" as RecordPredicate) }")
        }
    }

    /// A closure names its argument where `$0` is no more than a part of a text.
    @Test func argumentsThatAreNotUsed() throws {
        let predicates = [#"ANY t BEGINSWITH '$0'"#, #"ANY t BEGINSWITH '"$0'"#, #"ANY t BEGINSWITH '\\"$0'"#]
        let run = try Self.translated(predicates + [#"ANY t BEGINSWITH '\\' AND n == 1"#])
        #expect(
            run.lines == [
                #"A.B.where { _ in ("ANY t BEGINSWITH \"$0\"" as RecordPredicate) }"#,
                #"A.B.where { _ in ("ANY t BEGINSWITH \"\\\"$0\"" as RecordPredicate) }"#,
                #"A.B.where { _ in ("ANY t BEGINSWITH \"\\\\\\\"$0\"" as RecordPredicate) }"#,
                #"A.B.where { ("ANY t BEGINSWITH \"\\\\\"" as RecordPredicate) && $0.n == 1 }"#,
            ], "\(run)")
    }

    @Test func namesOfTypes() {
        for name in ["A", "A.B", "_a1", "É.x"] { #expect(SwiftTranslator.isType(name)) }
        for name in ["", "A.", ".A", "A..B", "1A", "A b", "A-b"] { #expect(!SwiftTranslator.isType(name)) }
    }
}
