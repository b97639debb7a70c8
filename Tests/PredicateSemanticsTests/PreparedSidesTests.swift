// Comparisons that are decided again and again for one record: the same answers as one by one, within the steps
// allowed.

import Foundation
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing
import _TestSupport

@Suite struct PreparedSidesTests {
    /// What a comparison comes to.
    private enum Outcome: Hashable {
        case holds(Bool)
        case fails(EvaluationError.Kind)
    }

    private static func outcome(
        _ text: String, _ fields: [String: FieldValue], steps: Int = EvaluationContext.defaultMaximumSteps
    ) throws -> Outcome {
        let bound = try Binder().bind(SyntaxTree(parsing: text))
        let context = EvaluationContext(now: .distantPast, maximumSteps: steps)
        do throws(EvaluationError) {
            return .holds(try bound.evaluate(onValue: .object(fields), context: context))
        } catch {
            return .fails(error.kind)
        }
    }

    private static let pool: [FieldValue] =
        [
            .null, .bool(true), .int64(1), .int64(2), .int64(.max), .double(1), .double(-0.0), .int64(0), .double(.nan),
            .double(9.223372036854775807e18), .string(""), .string("e\u{301}"), .string("É"), .string("a b"),
            .string("A"),
            .string("Straße"), .string("STRASSE"), .string("a*"), .string("1"),
            .date(Date(timeIntervalSinceReferenceDate: 1)),
            .data(Data([1])), .reference(RecordReference("r")), .location(.init(latitude: 1, longitude: -0.0)),
            .location(.init(latitude: 1, longitude: 0)), .asset(Asset(path: "p")), .object(["a": .int64(1)]),
            .object(["a": .double(1)]),
        ]

    private static func lists(_ seed: UInt64) -> (list: [FieldValue], others: [FieldValue]) {
        var random = SplitMix64(seed: seed)
        func pick() -> FieldValue { pool[Int.random(in: 0..<pool.count, using: &random)] }
        // Of one kind more often than not, so that most comparisons have a meaning.
        let isPlain = seed % 2 != 0
        func member() -> FieldValue { isPlain ? pool[10 + Int.random(in: 0..<9, using: &random)] : pick() }
        let list = (0..<20).map { _ in member() }
        let list2 = (0..<18).map { _ in member() }
        return (
            list, [.list(list2), .set(list2), .list([.list(list2), .list(list)]), member(), member(), pick(), .null]
        )
    }

    private static let operators = [
        "==", "!=", "IN", "CONTAINS", "==[cd]", "IN[cd]", "CONTAINS[c]", "IN[l]", "==[n]", "BEGINSWITH[c]", "ENDSWITH",
        "LIKE[d]", "MATCHES", "TOKENMATCHES[cd]", "<", ">=[c]",
    ]

    /// Lists are compared as their elements are, each on its own: none of those is prepared for.
    @Test(arguments: operators, 1...2 as ClosedRange<UInt64>)
    func elementsAreDecidedAsOnTheirOwn(_ name: String, _ seed: UInt64) throws {
        let (list, others) = Self.lists(seed)
        for other in others {
            let alone = try list.map { try Self.outcome("ANY a \(name) b", ["a": .list([$0]), "b": other]) }
            let first = alone.first { $0 != .holds(false) } ?? .holds(false)
            #expect(try Self.outcome("ANY a \(name) b", ["a": .list(list), "b": other]) == first, "\(other)")
            let chosen = alone.first { if case .fails = $0 { true } else { false } }
            let count = alone.count { $0 == .holds(true) }
            for text in [
                "SUBQUERY(a, $x, ANY {$x} \(name) b).@count == \(count)",
                "SUBQUERY(a, $x, NOT (NONE {$x} \(name) b)).@count == \(count)",
            ] {
                #expect(
                    try Self.outcome(text, ["a": .list(list), "b": other]) == chosen ?? .holds(true), "\(text) \(other)"
                )
            }
        }
    }

    /// A side that stays the same, on the left, on the right, and as the list of ANY.
    @Test(arguments: operators, 1...2 as ClosedRange<UInt64>)
    func sidesThatStayAreDecidedAsOnTheirOwn(_ name: String, _ seed: UInt64) throws {
        let (list, others) = Self.lists(seed)
        for other in others.prefix(5) {
            for comparison in [
                "$x \(name) b", "b \(name) $x", "ANY c \(name) $x", "ALL c \(name) $x", "NONE c \(name) $x",
                "b.a \(name) $x",
                "$x \(name) {b, b}",
            ] {
                let fields: [String: FieldValue] = ["b": other, "c": .list([other, .list(list)])]
                func outcome(_ list: [FieldValue], _ count: Int) throws -> Outcome {
                    let all = fields.merging(["a": .list(list)]) { first, _ in first }
                    return try Self.outcome("SUBQUERY(a, $x, \(comparison)).@count == \(count)", all)
                }
                let alone = try list.map { try outcome([$0], 1) }
                let failure = alone.first { if case .fails = $0 { true } else { false } }
                let count = alone.count { $0 == .holds(true) }
                #expect(try outcome(list, count) == failure ?? .holds(true), "\(comparison) \(other)")
            }
        }
    }

    /// Of elements that come late, a quantifier says beside a list that stays what it says of those before.
    @Test(arguments: [
        ("ANY c == $x", 1), ("ANY c != $x", 19), ("ALL c == $x", 1), ("ALL c != $x", 19), ("NONE c == $x", 19),
        ("NONE c != $x", 1),
    ])
    func lateElementsBesideAListThatStays(_ comparison: String, _ count: Int) throws {
        let fields: [String: FieldValue] = ["a": .list((0..<20).map { .int64(Int64($0)) }), "c": .list([.int64(18)])]
        #expect(try Self.outcome("SUBQUERY(a, $x, \(comparison)).@count == \(count)", fields) == .holds(true))
    }

    /// Chance is asked anew for each element, on whichever side it stands; the clock stands still.
    @Test(arguments: ["random() < 0.5", "0.5 > random()", "randomn(2) == 1", "$x + random() > $x + 0.5"])
    func chanceIsDrawnForEachElement(_ condition: String) throws {
        let fields: [String: FieldValue] = ["a": .list((0..<64).map { .int64(Int64($0)) })]
        let text = "SUBQUERY(a, $x, \(condition)).@count BETWEEN {10, 54}"
        #expect(try Self.outcome(text, fields) == .holds(true))
        #expect(try Self.outcome("SUBQUERY(a, $x, now() == now()).@count == 64", fields) == .holds(true))
    }

    /// Work that grows with the length of lists: few steps, however long they are.
    @Test(
        arguments: [
            "ANY a IN b", "ALL a IN b", "NONE a IN b", "ANY a == b", "ANY b == c", "ANY t IN u", "ANY t IN[cd] u",
            "SUBQUERY(a, $x, $x IN b).@count > 0", "SUBQUERY(a, $x, ANY b == $x).@count > 0",
            "SUBQUERY(a, $x, b CONTAINS $x).@count > 0", "SUBQUERY(a, $x, $x > b.@avg).@count < 0",
            "SUBQUERY(t, $x, NOT (NONE u ==[c] $x)).@count > 0", "a.@distinctUnionOfObjects.@count == 0",
            "mode(d) == 3",
        ])
    func linear(_ text: String) throws {
        let count = 5_000
        let numbers = (0..<count).map { FieldValue.int64(Int64($0)) }
        let fractions = (0..<count).map { FieldValue.double(Double($0) + 0.5) }
        let fields: [String: FieldValue] = [
            "a": .list(numbers), "b": .list(fractions), "c": .double(-1),
            "t": .list((0..<count).map { .string("t\($0)") }), "u": .list((0..<count).map { .string("u\($0)") }),
            // Equal to those before them, and of another kind.
            "d": .list(numbers + (0..<count).map { .double(Double($0)) }),
        ]
        #expect(try Self.outcome(text, fields, steps: 60 * count) == .holds(text.hasPrefix("NONE")))
    }

    /// Predicates whose work grows with products and powers, and the values they are given.
    private static let heavy: [(text: String, fields: [String: FieldValue])] = {
        let list = FieldValue.list((0..<500).map { .int64(Int64($0)) })
        let text = FieldValue.string(String(repeating: "text ", count: 5_000))
        var doubled = "$x0.@sum < 0"
        for number in 0..<60 {
            let inner = number == 59 ? "{1, 1}" : "{$x\(number + 1), $x\(number + 1)}"
            doubled = "SUBQUERY({\(inner)}, $x\(number), \(doubled)).@count == 1"
        }
        let flat = doubled.replacingOccurrences(of: "$x0.@sum < 0", with: "ANY $x0 == 2")
        let equal = doubled.replacingOccurrences(of: "$x0.@sum < 0", with: "$x0 == $x0")
        return [
            ("SUBQUERY(a, $x, SUBQUERY(a, $y, $y == $x + 1).@count > 5).@count > 0", ["a": list]),
            ("SUBQUERY(a, $x, SUBQUERY(a, $y, SUBQUERY(a, $z, $z < 0).@count > 5).@count > 5).@count > 0", ["a": list]),
            ("SUBQUERY(a, $x, ANY a > $x + 1000).@count > 0", ["a": list]),
            ("SUBQUERY(a, $x, a.@sum + $x < 0).@count > 0", ["a": list]),
            ("SUBQUERY(a, $x, TERNARY($x > 0, a, a) == {$x}).@count > 0", ["a": list]),
            (
                "SUBQUERY(a, $x, ($x < 0 OR t CONTAINS $y)).@count > 0".replacingOccurrences(of: "$y", with: "'z'"),
                [
                    "a": list, "t": text,
                ]
            ), ("SUBQUERY(a, $x, allTokens TOKENMATCHES 'z').@count > 0", ["a": list, "t": text]),
            ("SUBQUERY(a, $x, uppercase(TERNARY($x > 0, t, t)) == 'z').@count > 0", ["a": list, "t": text]),
            ("SUBQUERY(a, $x, (a UNION {$x}).@count == 0).@count > 0", ["a": list]),
            (doubled, [:]), (flat, [:]), (equal, [:]),
        ]
    }()

    @Test(arguments: heavy.indices) func productsEndAtTheLimit(_ index: Int) throws {
        let (text, fields) = Self.heavy[index]
        #expect(try Self.outcome(text, fields, steps: 30_000) == .fails(.stepLimit))
    }

    /// The limit itself is still within.
    @Test func stepsAreCounted() throws {
        let fields: [String: FieldValue] = ["a": .list((0..<640).map { .int64(Int64($0)) })]
        #expect(try Self.outcome("ANY a < 0", fields, steps: 640) == .holds(false))
        #expect(try Self.outcome("ANY a < 0", fields, steps: 639) == .fails(.stepLimit))
        // Texts of lists take one more for every 64 bytes. The limit is looked at every 64 steps.
        let texts: [String: FieldValue] = [
            "a": .list((0..<640).map { .string(String(repeating: "x", count: 64 + $0 % 64)) })
        ]
        #expect(try Self.outcome("ANY a == 'y'", texts, steps: 1280) == .holds(false))
        #expect(try Self.outcome("ANY a == 'y'", texts, steps: 1279) == .fails(.stepLimit))
        // Numbers and texts that are no lists take none.
        #expect(try Self.outcome("a.@count == 640 AND b == nil", fields, steps: 0) == .holds(true))
    }
}
