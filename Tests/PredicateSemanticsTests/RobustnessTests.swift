// Random predicates over random values: an answer or an error, always the same, never a trap.

import Foundation
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing
import _TestSupport

/// Random trees and values from a seed.
private struct Generator {
    var random: SplitMix64
    static let keys = ["a", "b", "c", "length", "allTokens", "missing"]
    static let texts = [
        "", "a", "É", "e\u{301}", "A b", "%", "*", "[", "(a+)+$", "👩‍👩‍👧", "\u{0}", "ß", "12", "1e5", "NSNumber", "NSDate",
    ]
    static let integers: [Int64] = [0, 1, -1, 2, 63, 64, .max, .min, 9_007_199_254_740_993]
    static let doubles = [0.0, -0.0, 1.5, -1, 1e300, .infinity, -.infinity, .nan, 0x1p63, 1e-300]

    mutating func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &random)] }
    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func value(_ depth: Int = 0) -> FieldValue {
        switch below(depth > 2 ? 9 : 12) {
        case 0: return .null
        case 1: return .bool(below(2) == 0)
        case 2, 3: return .int64(pick(Self.integers))
        case 4: return .double(pick(Self.doubles))
        case 5, 6: return .string(pick(Self.texts))
        case 7: return .date(Date(timeIntervalSinceReferenceDate: pick(Self.doubles)))
        case 8:
            return pick([
                .data(Data([1])), .reference(RecordReference("r")),
                .location(.init(latitude: pick(Self.doubles), longitude: 2)),
                .asset(Asset(path: "p")),
            ])
        case 9: return .list((0..<below(4)).map { _ in value(depth + 1) })
        case 10: return .set((0..<below(4)).map { _ in value(depth + 1) })
        default:
            return .object(Dictionary((0..<below(5)).map { _ in (pick(Self.keys), value(depth + 1)) }) { a, _ in a })
        }
    }

    mutating func predicate(_ depth: Int) -> PredicateNode {
        switch below(depth > 3 ? 3 : 7) {
        case 3: return PredicateNode(.not(predicate(depth + 1)))
        case 4: return PredicateNode(.and([predicate(depth + 1), predicate(depth + 1)]))
        case 5: return PredicateNode(.or([predicate(depth + 1), predicate(depth + 1), predicate(depth + 1)]))
        case 6 where below(4) == 0: return PredicateNode(.constant(below(2) == 0))
        default:
            let quantifier: Quantifier? = below(4) == 0 ? pick(Quantifier.allCases) : nil
            let comparisonOperator = pick(ComparisonOperator.allCases)
            let options = comparisonOperator == .between ? [] : ComparisonOptions(rawValue: UInt8(below(16)))
            var rhs = expression(depth + 1)
            if comparisonOperator == .between, case .aggregate = rhs.kind {
                rhs = ExpressionNode(.aggregate([expression(depth + 2), expression(depth + 2)]))
            }
            return PredicateNode(
                .comparison(Comparison(quantifier: quantifier, expression(depth + 1), comparisonOperator, options, rhs))
            )
        }
    }

    mutating func expression(_ depth: Int) -> ExpressionNode {
        switch below(depth > 4 ? 8 : 17) {
        case 0, 1, 2: return ExpressionNode(.key(pick(Self.keys)))
        case 3: return ExpressionNode(.literal(.integer(pick(Self.integers))))
        case 4: return ExpressionNode(.literal(.string(pick(Self.texts))))
        case 5: return ExpressionNode(.literal(.double(pick([0.5, 1e300, -2]))))
        case 6: return ExpressionNode(pick([.selfObject, .literal(.null), .literal(.bool(true))]))
        case 7: return ExpressionNode(.variable(pick(["v", "w"])))
        case 8, 9:
            return ExpressionNode(.binary(pick(BinaryOperator.allCases), expression(depth + 1), expression(depth + 1)))
        case 10: return ExpressionNode(.unary(pick(UnaryOperator.allCases), ExpressionNode(.key(pick(Self.keys)))))
        case 11:
            let name = pick(FunctionName.allCases)
            let count = name.argumentCounts.lowerBound + (name.argumentCounts.upperBound == .max ? below(3) : 0)
            return ExpressionNode(.function(name, (0..<count).map { _ in expression(depth + 1) }))
        case 12: return ExpressionNode(.aggregate((0..<below(4)).map { _ in expression(depth + 1) }))
        case 13:
            return ExpressionNode(
                .subquery(
                    collection: expression(depth + 1), variable: pick(["v", "w"]), predicate: predicate(depth + 2)))
        case 14:
            return ExpressionNode(
                .ternary(predicate(depth + 2), then: expression(depth + 1), otherwise: expression(depth + 1)))
        case 15:
            let type = pick(["NSString", "NSNumber", "NSDate", "NSDecimalNumber"])
            return ExpressionNode(.cast(expression(depth + 1), type: ExpressionNode(.literal(.string(type)))))
        default:
            let steps = (0...below(3)).map { _ -> PathStep in
                switch below(6) {
                case 0: return PathStep(.index(expression(depth + 2)))
                case 1: return PathStep(pick([.first, .last, .size]))
                case 2: return PathStep(.collectionOperator(pick(CollectionOperator.allCases)))
                default: return PathStep(.key(pick(Self.keys)))
                }
            }
            return ExpressionNode(.path(base: ExpressionNode(.key(pick(Self.keys))), steps: steps))
        }
    }
}

@Suite struct RobustnessTests {
    @Test func randomPredicatesGiveAResultOrAnError() throws {
        var generator = Generator(random: SplitMix64(seed: 20_240_501))
        var results = 0
        var printedTrees = 0
        let context = EvaluationContext(now: Date(timeIntervalSince1970: 0), variables: ["w": 1])
        for _ in 0..<2000 {
            let tree = SyntaxTree(generator.predicate(0))
            guard let bound = try? Binder().bind(tree) else { continue }
            // What the canonical text means must be the same.
            let reparsed = (try? SyntaxTree(parsing: tree.text)).flatMap { try? Binder().bind($0) }
            for _ in 0..<3 {
                let value = generator.value()
                let result = Result { try bound.evaluate(onValue: value, context: context) }
                if case .success = result { results += 1 }
                guard let reparsed, !tree.text.contains("random") else { continue }
                let again = Result { try reparsed.evaluate(onValue: value, context: context) }
                printedTrees += 1
                #expect((try? result.get()) == (try? again.get()), "\(tree.text) on \(value)")
            }
        }
        #expect(results > 1200 && printedTrees > 2500, "\(results) answers, \(printedTrees) printed")
    }

    /// A constant side is prepared, two constants are folded: the answer is that of two fields.
    @Test func preparedConstantsActLikeFields() throws {
        var generator = Generator(random: SplitMix64(seed: 11))
        let texts = [
            "", "a", "A", "é", "e\u{301}", "E", "straße", "STRASSE", "ab", "Éa", "a\u{301}b", "日本", "本", "*a*", "?",
            "a.*",
        ]
        let operators = ComparisonOperator.allCases.filter { $0 != .between }
        for _ in 0..<3000 {
            let letters = ["", "c", "d", "cd", "n", "l", "cdl"].randomElement(using: &generator.random) ?? ""
            let comparison = "\(generator.pick(operators).rawValue)\(letters.isEmpty ? "" : "[\(letters)]")"
            let (a, b) = (FieldValue.string(generator.pick(texts)), FieldValue.string(generator.pick(texts)))
            let (left, right) =
                generator.below(3) == 0 ? (a, [b, a]) : (generator.below(3) == 0 ? ([a, b], b) : (a, b))
            let object = FieldValue.object(["a": left, "b": right])
            let results = Set([
                outcome("a \(comparison) b", of: object), outcome("a \(comparison) %@", [right], of: object),
                outcome("%@ \(comparison) b", [left], of: object),
                outcome("%@ \(comparison) %@", [left, right], of: object),
            ])
            // A broken constant pattern is found earlier than one in a field.
            #expect(
                Set(results.map { $0.hasSuffix("error") ? "error" : $0 }).count == 1, "\(left) \(comparison) \(right)")
        }
    }

    @Test func deepAndWidePredicates() throws {
        let wide = String(repeating: "a == 1 OR ", count: 20_000) + "a == 2"
        #expect(outcome(wide, of: .object(["a": 2])) == "T")
        let deep = String(repeating: "NOT (", count: 240) + "a == 1" + String(repeating: ")", count: 240)
        #expect(outcome(deep, of: .object(["a": 1])) == "T")
        let nested =
            String(repeating: "TERNARY(a == 1, ", count: 150) + "1" + String(repeating: ", 2)", count: 150) + " == 1"
        #expect(outcome(nested, of: .object(["a": 1])) == "T")
        let sum = "a" + String(repeating: " + 1", count: 450) + " == 451"
        #expect(outcome(sum, of: .object(["a": 1])) == "T")
        var tree = PredicateNode(.constant(true))
        for _ in 0..<1500 { tree = PredicateNode(.not(tree)) }
        let error = #expect(throws: BindingError.self) { try Binder().bind(SyntaxTree(tree)) }
        #expect(error?.kind == .limit)
    }

    @Test func millionMembers() throws {
        let list = FieldValue.list((0..<200_000).map { .int64(Int64($0) * 2) })
        let bound = try Binder().bind(try SyntaxTree(parsing: "a IN %@"), arguments: [list])
        let hits = try (0..<2000).filter { try bound.evaluate(onValue: .object(["a": .double(Double($0))])) }
        #expect(hits.count == 1000)
    }
}
