// Random syntax trees, as code might build them.
import PredicateSyntax

/// A small generator of pseudo-random numbers (SplitMix64), so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// Builds trees of every kind of node, with keys, numbers and strings that are awkward to print.
struct RandomTree {
    var random: SeededGenerator
    private var placeholders = 0

    init(seed: UInt64) {
        random = SeededGenerator(state: seed)
    }

    static let keys = [
        "a", "name", "size", "self", "SELF", "first", "in", "union", "ternary", "key with spaces", "it's", "a.b", "@id",
        "@count", "@", "#", "", "größe", "naïve\u{301}", "日本", "1a", "a\\b", "uti-equals", "-", "tab\t", "nil", "e1",
    ]
    static let strings = ["", "x", "it's", "\"", "\\", "a\nb\r\t\u{0}\u{7F}", "%@", "é\u{301}", "😀", "\\u0041", "'"]
    static let integers: [Int64] = [0, 1, -1, 5, .min, .max, 42]
    static let doubles: [Double] = [
        0, -0.0, 5, -5, 0.1, 1e300, -1e-300, .leastNonzeroMagnitude, 1e16, 123456789.5, 9_007_199_254_740_992,
    ]

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private mutating func expressions(_ counts: ClosedRange<Int>, _ depth: Int) -> [ExpressionNode] {
        (0..<Int.random(in: counts, using: &random)).map { _ in expression(depth) }
    }

    mutating func predicate(_ depth: Int) -> PredicateNode {
        switch Int.random(in: depth > 0 ? 0..<7 : 5..<7, using: &random) {
        case 0: return PredicateNode(.not(predicate(depth - 1)))
        case 1, 2:
            return PredicateNode(.and((0..<Int.random(in: 2...3, using: &random)).map { _ in predicate(depth - 1) }))
        case 3, 4:
            return PredicateNode(.or((0..<Int.random(in: 2...3, using: &random)).map { _ in predicate(depth - 1) }))
        case 5: return PredicateNode(.constant(Bool.random(using: &random)))
        default: return comparison(depth)
        }
    }

    private mutating func comparison(_ depth: Int) -> PredicateNode {
        let comparisonOperator = pick(ComparisonOperator.allCases)
        let quantifier = Bool.random(using: &random) ? pick(Quantifier.allCases) : nil
        let lhs = expression(depth)
        if comparisonOperator == .between {
            let bounds = ExpressionNode(.aggregate([expression(depth - 1), expression(depth - 1)]))
            return PredicateNode(.comparison(Comparison(quantifier: quantifier, lhs, .between, [], bounds)))
        }
        var options = ComparisonOptions(rawValue: UInt8.random(in: 0..<16, using: &random))
        if comparisonOperator == .tokenMatches, Bool.random(using: &random) { options.insert(.phrase) }
        return PredicateNode(
            .comparison(Comparison(quantifier: quantifier, lhs, comparisonOperator, options, expression(depth))))
    }

    mutating func expression(_ depth: Int) -> ExpressionNode {
        ExpressionNode(depth > 0 && Bool.random(using: &random) ? inner(depth - 1) : leaf())
    }

    private mutating func leaf() -> ExpressionNode.Kind {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return .literal(.integer(pick(Self.integers)))
        case 1: return .literal(.double(pick(Self.doubles)))
        case 2: return .literal(.string(pick(Self.strings)))
        case 3: return .literal(Bool.random(using: &random) ? .null : .bool(Bool.random(using: &random)))
        case 4: return .selfObject
        case 5: return .variable(pick(["x", "_y", "größe", "in"]))
        case 6: return .placeholder(placeholder([(.value, "%@"), (.integer, "%lld"), (.double, "%g"), (.key, "%K")]))
        default: return .key(pick(Self.keys))
        }
    }

    private mutating func placeholder(_ choices: [(Placeholder.Kind, String)]) -> Placeholder {
        defer { placeholders += 1 }
        let (kind, text) = pick(choices)
        return Placeholder(index: placeholders, kind: kind, text: text)
    }

    private mutating func inner(_ depth: Int) -> ExpressionNode.Kind {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return .aggregate(expressions(0...3, depth))
        case 1: return .unary(pick(UnaryOperator.allCases), expression(depth))
        case 2, 3: return .binary(pick(BinaryOperator.allCases), expression(depth), expression(depth))
        case 4:
            let function = pick(FunctionName.allCases)
            let counts = function.argumentCounts
            return .function(
                function, expressions(counts.lowerBound...min(counts.upperBound, counts.lowerBound + 2), depth))
        case 5:
            return .subquery(
                collection: expression(depth), variable: pick(["x", "item"]), predicate: predicate(depth))
        case 6: return .ternary(predicate(depth), then: expression(depth), otherwise: expression(depth))
        case 7: return .cast(expression(depth), type: ExpressionNode(.literal(.string("NSDate"))))
        default: return path(depth)
        }
    }

    private mutating func path(_ depth: Int) -> ExpressionNode.Kind {
        let placeholdersBefore = placeholders
        var base = expression(depth)
        if case .path = base.kind {
            base = ExpressionNode(.selfObject)
            placeholders = placeholdersBefore
        }
        let steps = (0..<Int.random(in: 1...3, using: &random)).map { _ in PathStep(step(depth)) }
        return .path(base: base, steps: steps)
    }

    private mutating func step(_ depth: Int) -> PathStep.Kind {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return .collectionOperator(pick(CollectionOperator.allCases))
        case 1: return .selfObject
        case 2: return .placeholder(placeholder([(.key, "%K")]))
        case 3: return .index(expression(depth))
        case 4: return pick([.first, .last, .size])
        default: return .key(pick(Self.keys))
        }
    }
}
