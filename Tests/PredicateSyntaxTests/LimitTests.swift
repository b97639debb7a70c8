// Hostile sizes: an answer or a limit error, never a deep stack or a stall.
import Foundation
import PredicateSyntax
import Synchronization
import Testing

@Suite("Limits")
struct LimitTests {
    @Test("Chains of any length parse flat and print back")
    func chains() throws {
        let count = 10_000
        let huge = Array(repeating: "a>1", count: 100_000).joined(separator: "||")
        if case .or(let terms) = try SyntaxTree(parsing: huge).root.kind { #expect(terms.count == 100_000) }
        for connective in [" AND ", " OR "] {
            let text = Array(repeating: "a == 1", count: count).joined(separator: connective)
            let tree = try SyntaxTree(parsing: text)
            switch tree.root.kind {
            case .and(let terms), .or(let terms): #expect(terms.count == count)
            default: Issue.record("no chain")
            }
            #expect(try SyntaxTree(parsing: tree.description) == tree)
        }
        let mixed = Array(repeating: "a == 1 AND b == 2", count: count / 2).joined(separator: " OR ")
        #expect(try SyntaxTree(parsing: mixed).treeDescription.utf8.count { $0 == 0x0A } > count)
        let path = "a" + String(repeating: ".a[0].b", count: count) + " == 1"
        #expect(try SyntaxTree(parsing: SyntaxTree(parsing: path).description) == SyntaxTree(parsing: path))
        let list = "a IN {" + Array(repeating: "'x'", count: count).joined(separator: ",") + "}"
        #expect(try SyntaxTree(parsing: list).text == list)
        #expect(
            try SyntaxTree(parsing: "sum(" + String(repeating: "1,", count: count) + "1) == 1").placeholders.isEmpty)
    }

    /// A text that nests as often as prefix and suffix are repeated around the middle.
    struct Nesting: Sendable {
        var prefix: String
        var middle: String
        var suffix: String
        /// What makes a predicate of a value.
        var tail: String

        static func predicate(_ prefix: String, _ middle: String, _ suffix: String) -> Nesting {
            Nesting(prefix: prefix, middle: middle, suffix: suffix, tail: "")
        }

        static func value(_ prefix: String, _ middle: String, _ suffix: String) -> Nesting {
            Nesting(prefix: prefix, middle: middle, suffix: suffix, tail: " == 1")
        }

        func text(_ count: Int) -> String {
            String(repeating: prefix, count: count) + middle + String(repeating: suffix, count: count) + tail
        }
    }

    static let nestings: [Nesting] = [
        .predicate("(", "a == 1", ")"), .value("(", "a", ")"), .predicate("NOT ", "a == 1", ""),
        .predicate("!(", "a == 1", ")"), .predicate("a == 1 AND (", "b == 1", ")"),
        .predicate("a == 1 OR (b == 1 AND (", "b == 1", "))"), .value("-", "a", ""), .value("~", "a", ""),
        .value("-(", "a", ")"), .value("{", "", "}"), .value("a[", "1", "]"), .value("(1 + ", "1", ")"),
        .value("", "1", " + 1"), .value("1 - ", "1", ""), .value("", "a", " ** a"), .value("1 ** -", "1", ""),
        .value("a UNION ", "b", ""), .value("a + b * (", "c", ")"), .value("sum(", "a", ")"),
        .value("CAST(", "a", ", 'NSNumber')"), .value("CAST('x', ", "a", ")"), .value("a.x[", "1", "].b"),
        .value("TERNARY(a == 1, ", "1", ", 2)"), .predicate("TERNARY(", "a == 1", ", 2, 3) == 1"),
        .value("SUBQUERY(", "a", ", $x, $x == 1)"), .predicate("SUBQUERY(a, $x, ", "$x == 1", ").@count == 1"),
        .value("FUNCTION(", "a", ", 'dateByAddingDays:', 1)"),
    ]

    @Test("Deep nesting is a limit error at once", arguments: nestings.indices)
    func deep(_ index: Int) {
        for count in [10_000, 200_000] {
            #expect(syntaxError(Self.nestings[index].text(count))?.kind == .limit, "\(Self.nestings[index])")
        }
        #expect(syntaxError(String(repeating: Self.nestings[index].prefix, count: 1_000_000)) != nil)
    }

    @Test("Whatever the limit lets through survives on a small stack", arguments: nestings.indices)
    func stack(_ index: Int) {
        let nesting = Self.nestings[index]
        var deepest = 40
        var tooDeep = 501
        while tooDeep - deepest > 1 {
            let middle = (deepest + tooDeep) / 2
            if syntaxError(nesting.text(middle)) == nil { deepest = middle } else { tooDeep = middle }
        }
        #expect(deepest >= 120, "\(nesting)")
        for count in [40, deepest] {
            let isRight = onThread(stackSize: 6 << 20) {
                guard let tree = try? SyntaxTree(parsing: nesting.text(count)) else { return false }
                let copy = try? SyntaxTree(parsing: tree.description)
                return copy == tree && copy?.hashValue == tree.hashValue && !tree.treeDescription.isEmpty
                    && SyntaxTree(tree.root).placeholders.isEmpty && (try? tree.validate(for: .full)) != nil
            }
            #expect(isRight, "\(nesting) × \(count)")
        }
        let error = syntaxError(nesting.text(deepest + 1))
        #expect(error?.kind == .limit, "\(nesting): \(String(describing: error))")
    }

    @Test("Limits are those asked for")
    func custom() {
        let limits = SyntaxLimits(maximumLength: 20, maximumDepth: 3, maximumListCount: 2)
        #expect(syntaxError("a IN {1, 2}", limits: limits) == nil)
        for text in [
            "a IN {1, 2, 3}", "a == 1 AND b == 22222222", "((((a == 1))))", "a>b OR b>c OR c>d", "a.b.c.d == 1",
        ] {
            #expect(syntaxError(text, limits: limits)?.kind == .limit, "\(text)")
        }
    }

    @Test(
        "Terms side by side are no deeper than one of them",
        arguments: ["NOT a == 1", "NOT NOT a == 1", "NOT (a == 1)", "(a == 1)", "-a == 1", "a[0] == 1", "sum(a) == 1"])
    func sideBySide(_ term: String) {
        let text = Array(repeating: term, count: 20).joined(separator: " AND ")
        #expect(syntaxError(text, limits: SyntaxLimits(maximumDepth: 8)) == nil)
    }

    /// Predicates with a place for a sum of four numbers, which is four levels high, and how high they are with it.
    static let heights: [(text: String, height: Int)] = [
        ("@ == 1", 5), ("1 == @", 5), ("ANY @ == 1", 5), ("a BETWEEN {@, 1}", 6), ("a BETWEEN {1, @}", 6),
        ("NOT @ == 1", 6), ("@ == 1 AND a == 1", 6), ("a == 1 AND @ == 1", 6), ("@ == 1 OR a == 1", 6),
        ("a == 1 OR @ == 1", 6), ("a == 1 AND @ == 1 AND b == 1", 6), ("a == 1 OR @ == 1 OR b == 1", 6),
        ("@ == 1 AND a == 1 OR b == 1", 7), ("b == 1 OR a == 1 AND @ == 1", 7), ("(@) * 2 == 1", 6),
        ("2 * (@) == 1", 6), ("-(@) == 1", 6), ("{@, 1} == 1", 6), ("{1, @, 1} == 1", 6), ("sum(@, 1) == 1", 6),
        ("sum(1, @) == 1", 6), ("CAST(@, 'NSNumber') == 1", 6), ("CAST(1, @) == 1", 6), ("a[@] == 1", 6),
        ("(@)[0] == 1", 6), ("a[@].b == 1", 6), ("a[@][0] == 1", 6), ("TERNARY(@ == 1, 2, 3) == 1", 7),
        ("TERNARY(a == 1, @, 3) == 1", 6), ("TERNARY(a == 1, 2, @) == 1", 6), ("SUBQUERY(@, $x, $x == 1) == 1", 6),
        ("SUBQUERY(a, $x, @ == 1) == 1", 7), ("FUNCTION(@, 'length') == 1", 8),
        ("FUNCTION(a, 'modulus:by:', @) == 1", 8),
    ]

    @Test("The highest part counts, wherever it stands", arguments: heights.indices)
    func height(_ index: Int) {
        let (template, height) = Self.heights[index]
        let text = template.replacingOccurrences(of: "@", with: "1 + 1 + 1 + 1")
        #expect(syntaxError(text, limits: SyntaxLimits(maximumDepth: height)) == nil, "\(text)")
        #expect(syntaxError(text, limits: SyntaxLimits(maximumDepth: height - 1))?.kind == .limit, "\(text)")
    }

    @Test("As many elements and bytes as asked for, and not one more")
    func exactly() {
        let cases: [(fits: String, doesNot: String)] = [
            ("a == 1 AND b == 2", "a == 1 AND b == 2 AND c == 3"), ("a == 1 OR b == 2", "a == 1 OR b == 2 OR c == 3"),
            ("sum(1, 2) == 1", "sum(1, 2, 3) == 1"), ("a IN {1, 2}", "a IN {1, 2, 3}"),
            ("a.b.c == 1", "a.b.c.d == 1"), ("a[0][1] == 1", "a[0][1][2] == 1"), ("a[0].b == 1", "a.b[0].c == 1"),
            ("a == 1 AND b == 2 OR c == 3 AND d == 4", "a == 1 OR b == 2 AND c == 3 OR d == 4"),
        ]
        for (fits, doesNot) in cases {
            #expect(syntaxError(fits, limits: SyntaxLimits(maximumListCount: 2)) == nil, "\(fits)")
            #expect(syntaxError(doesNot, limits: SyntaxLimits(maximumListCount: 2))?.kind == .limit, "\(doesNot)")
        }
        // Bytes, not characters.
        for (text, length) in [("a == 1", 6), ("é == 1", 7)] {
            #expect(syntaxError(text, limits: SyntaxLimits(maximumLength: length)) == nil)
            #expect(syntaxError(text, limits: SyntaxLimits(maximumLength: length - 1))?.kind == .limit)
        }
    }

    /// The result of a body run on a thread of its own with a stack of the given number of bytes.
    private func onThread(stackSize: Int, _ body: @escaping @Sendable () -> Bool) -> Bool {
        let result = Outcome()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            result.value.withLock { $0 = body() }
            done.signal()
        }
        thread.stackSize = stackSize
        thread.start()
        done.wait()
        return result.value.withLock { $0 }
    }

    private final class Outcome: Sendable {
        let value = Mutex(false)
    }
}
