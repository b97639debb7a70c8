// Nil, quantifiers, families of values: the tables of the language.

import FoundationEssentials
import PredicateSemantics
import RecordModel
import Testing

/// Whether a predicate holds for a value; the kind of error where it fails.
func outcome(_ text: String, _ arguments: [FieldValue] = [], of value: FieldValue = .null) -> String {
    do {
        return try RecordPredicate(format: text, arguments: arguments).evaluate(onValue: value) ? "T" : "F"
    } catch {
        return "\(error.stage.rawValue) error"
    }
}

@Suite struct LogicTests {
    /// What each operator says of nil and nil, nil and x, x and nil.
    @Test(arguments: [
        ("==", "TFF"), ("!=", "FTT"), ("<", "FFF"), (">", "FFF"), ("<=", "TFF"), (">=", "TFF"), ("IN", "FFF"),
        ("CONTAINS", "FFF"), ("BEGINSWITH", "FFF"), ("ENDSWITH", "FFF"), ("LIKE", "FFF"), ("MATCHES", "FFF"),
        ("TOKENMATCHES", "FFF"), ("UTI-EQUALS", "FFF"), ("UTI-CONFORMS-TO", "FFF"),
    ])
    func nilTable(_ comparison: String, _ expected: String) {
        let object = FieldValue.object(["x": "x"])
        let results = ["nothing \(comparison) nothing", "nothing \(comparison) x", "x \(comparison) nothing"]
            .map { outcome($0, of: object) }
        #expect(results.joined() == expected, "\(comparison)")
        // The same with constants, which are decided when the predicate is bound.
        let constants = ["nil \(comparison) nil", "nil \(comparison) 'x'", "'x' \(comparison) nil"]
            .map { outcome($0, of: object) }
        #expect(constants.joined() == expected, "\(comparison) of constants")
    }

    /// Two zeros are one moment, also where dates are looked up in a list.
    @Test func zerosOfDates() {
        let (minus, zero) = (Date(timeIntervalSinceReferenceDate: -0.0), Date(timeIntervalSinceReferenceDate: 0))
        for (a, b) in [(minus, zero), (zero, minus)] {
            let others = (1...20).map { FieldValue.date(Date(timeIntervalSinceReferenceDate: Double($0))) }
            #expect(outcome("%@ == %@", [.date(a), .date(b)]) == "T")
            #expect(outcome("d IN %@", [.list([.date(b)])], of: .object(["d": .date(a)])) == "T")
            #expect(outcome("d IN %@", [.list(others + [.date(b)])], of: .object(["d": .date(a)])) == "T")
            #expect(outcome("d IN %@", [.list(others)], of: .object(["d": .date(a)])) == "F")
        }
    }

    @Test func nilBetween() {
        let object = FieldValue.object(["x": 5])
        let cases = [
            ("nothing BETWEEN {1, 9}", "F"), ("nothing BETWEEN nothing", "F"), ("x BETWEEN nothing", "F"),
            ("x BETWEEN {nothing, 9}", "F"), ("x BETWEEN {1, nothing}", "F"), ("NOT (nothing BETWEEN {1, 9})", "T"),
            ("NOT (nothing IN {1})", "T"), ("nothing.foo.bar == nil", "T"), ("nothing.@count == nil", "T"),
            ("nothing[0] == nil", "T"), ("nothing + 1 == nil", "T"), ("SUBQUERY(nothing, $i, $i == 1) == nil", "T"),
            ("length(nothing) == nil", "T"), ("sum(nothing) == nil", "T"), ("-nothing == nil", "T"),
        ]
        for (text, expected) in cases { #expect(outcome(text, of: object) == expected, "\(text)") }
    }

    /// What each quantifier says of nil, [], [1], [1, 2], [2], [nil], [[1], [2]] for `== 1`.
    @Test(arguments: [("ANY", "FFTTFFT"), ("SOME", "FFTTFFT"), ("ALL", "TTTFFFF"), ("NONE", "TTFFTTF")])
    func quantifiers(_ quantifier: String, _ expected: String) {
        let lists: [FieldValue] = [nil, [], [1], [1, 2], [2], [nil], [[1], [2]]]
        let results = lists.map { outcome("\(quantifier) list == 1", of: .object(["list": $0])) }
        #expect(results.joined() == expected, "\(quantifier)")
        let sets = lists.dropFirst().map { list -> String in
            guard case .list(let elements) = list else { return "?" }
            return outcome("\(quantifier) list == 1", of: .object(["list": .set(elements)]))
        }
        #expect(sets.joined() == String(expected.dropFirst()), "\(quantifier) over sets")
    }

    static let quantifierCases: [(String, String)] = [
        // Only the left side is iterated.
        ("ANY {'red', 'green'} == colour", "T"), ("ANY {'blue'} == colour", "F"), ("'red' == tags", "F"),
        ("ANY tags IN {'red', 'x'}", "T"), ("ALL tags IN {'red', 'blue'}", "T"), ("NONE tags IN {'green'}", "T"),
        ("ANY tags BEGINSWITH 're'", "T"), ("ANY tags CONTAINS[c] 'E'", "T"), ("ALL tags LIKE '*e*'", "T"),
        ("ANY children.age > 10", "T"), ("ALL children.age > 10", "F"), ("ANY children.toys == 'car'", "T"),
        ("ALL children.toys == 'car'", "F"), ("NONE children.toys == 'gun'", "T"), ("ANY children.shoe == nil", "T"),
        ("ANY address == 'Rome'", "T"), ("ANY colour == 'red'", "evaluation error"),
        ("ALL age > 3", "evaluation error"), ("tags > 'a'", "evaluation error"),
    ]

    @Test func quantifierCases() {
        let object = FieldValue.object([
            "colour": "red", "age": 7, "tags": ["red", "blue"], "address": .object(["city": "Rome"]),
            "children": [
                .object(["age": 5, "toys": ["car", "ball"]]), .object(["age": 12, "toys": []]),
                .object(["age": 9, "shoe": 30]),
            ],
        ])
        for (text, expected) in Self.quantifierCases { #expect(outcome(text, of: object) == expected, "\(text)") }
    }

    /// One value of each family: equality across families is false, ordering an error.
    @Test func families() {
        let values: [FieldValue] = [
            1, "1", .date(.init(timeIntervalSince1970: 1)), .data(.init([1])),
            .location(.init(latitude: 1, longitude: 1)), .reference(.init("1")), .asset(.init(path: "1")), [1],
            .set([1]), .object(["a": 1]),
        ]
        let orderable = 0..<3
        for (i, a) in values.enumerated() {
            for (j, b) in values.enumerated() {
                let object = FieldValue.object(["a": a, "b": b])
                #expect(outcome("a == b", of: object) == (i == j ? "T" : "F"), "\(a) == \(b)")
                #expect(outcome("a != b", of: object) == (i == j ? "F" : "T"), "\(a) != \(b)")
                let isOrdered = i == j && orderable.contains(i)
                #expect(outcome("a <= b", of: object) == (isOrdered ? "T" : "evaluation error"), "\(a) <= \(b)")
                #expect(outcome("a BETWEEN {b, b}", of: object) == (isOrdered ? "T" : "evaluation error"))
            }
        }
    }

    static let orderCases: [(String, [FieldValue], String)] = [
        ("TRUE == 1", [], "T"), ("FALSE == 0.0", [], "T"), ("2 != TRUE", [], "T"), ("TRUE < 2", [], "T"),
        ("%@ == %@", [9_007_199_254_740_993, 9_007_199_254_740_992.0], "F"),
        ("%@ > %@", [9_007_199_254_740_993, 9_007_199_254_740_992.0], "T"),
        ("%@ IN {9007199254740992.0}", [9_007_199_254_740_993], "F"),
        ("%@ == %@", [.int64(.max), 0x1p63], "F"), ("%@ < %@", [.int64(.max), 0x1p63], "T"),
        ("%@ == %@", [.int64(.min), -0x1p63], "T"), ("%@ == %@", [-0.0, 0], "T"), ("%@ < %@", [-0.0, 0.0], "F"),
        ("%@ == %@", [.double(.nan), .double(.nan)], "T"), ("%@ > %@", [.double(.nan), .double(.infinity)], "T"),
        ("%@ < %@", [.double(.nan), .int64(.min)], "F"), ("%@ IN %@", [.double(.nan), [.double(.nan)]], "T"),
        // What is no number is one value, whatever its bits.
        ("%@ == %@", [.double(-.nan), .double(.nan)], "T"), ("%@ IN %@", [.double(-.nan), [.double(.nan)]], "T"),
        ("%@ == %@", [.set([.double(-.nan), 1]), .set([1, .double(.nan)])], "T"),
        ("distinct(%@).@count == 1", [[.double(.nan), .double(-.nan)]], "T"),
        // Objects are equal by all of their members.
        ("%@ == %@", [.object(["a": 1]), .object(["a": 1.0])], "T"),
        ("%@ == %@", [.object(["a": 1]), .object(["b": 1])], "F"),
        ("%@ == %@", [.object(["a": nil]), .object(["b": nil])], "F"),
        ("%@ == %@", [.object(["a": 1]), .object(["a": 1, "b": 2])], "F"),
        ("%@ == %@", [.object(["b": 2, "a": 1]), .object(["a": 1, "b": 3])], "F"),
        ("%@ == %@", [.object(["a": .object(["x": 1])]), .object(["a": .object(["y": 1])])], "F"),
        ("%@ IN %@", [.object(["a": 1]), [.object(["b": 1]), .object(["a": 1])]], "T"),
        ("%@ IN %@", [.object(["a": 1]), [.object(["b": 1])]], "F"),
        ("1 IN {TRUE}", [], "T"), ("1.5 IN {1, 2}", [], "F"), ("TRUE IN {1.0}", [], "T"),
        ("{1, 2} == {1.0, 2}", [], "T"), ("{1, 2} == {2, 1}", [], "F"),
        ("%@ == %@", [.set([1, 2]), .set([2, 1, 1])], "T"),
        ("%@ == %@", [.set([1]), [1]], "F"), ("%@ IN %@", [[1, 2], [[1, 2], [3]]], "T"),
        ("%@ == %@", [.reference(.init("a", action: .none)), .reference(.init("a", action: .deleteSelf))], "T"),
        ("'Z' < 'a'", [], "T"), ("'é' == %@", ["e\u{301}"], "T"), ("'é' ==[n] %@", ["e\u{301}"], "F"),
        ("'é' IN %@", [["e\u{301}"]], "T"), ("'é' IN[n] %@", [["e\u{301}"]], "F"), ("'A' IN[c] {'a'}", [], "T"),
        ("'ä' <[l] 'z'", [], "T"), ("'ä' < 'z'", [], "F"), ("'Straße' ==[c] 'STRASSE'", [], "T"),
        ("'a' BETWEEN[c] {'A', 'B'}", [], "syntax error"), ("5 BETWEEN {9, 1}", [], "T"),
        ("5 BETWEEN %@", [[1]], "binding error"), ("5 BETWEEN %@", [3], "evaluation error"),
    ]

    @Test func orderCases() {
        for (text, arguments, expected) in Self.orderCases {
            #expect(outcome(text, arguments) == expected, "\(text) \(arguments)")
        }
    }

    @Test func connectivesStopEarly() {
        let cases = [
            ("n == 1 OR 1 / 0 == 1", "T"), ("n == 2 AND 1 / 0 == 1", "F"), ("1 / 0 == 1 OR n == 1", "evaluation error"),
            ("n == 1 AND 1 / 0 == 1", "evaluation error"), ("FALSEPREDICATE AND 1 / 0 == 1", "F"),
            ("TERNARY(n == 1, 1, 1 / 0) == 1", "T"), ("NOT n == 2 AND n == 1", "T"), ("NOT NOT n == 1", "T"),
            ("n == 2 OR n == 1 AND n == 3", "F"), ("(n == 1 OR n == 2) AND n == 1", "T"),
        ]
        for (text, expected) in cases { #expect(outcome(text, of: .object(["n": 1])) == expected, "\(text)") }
    }
}
