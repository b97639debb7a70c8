// The syntax tree of a whole predicate: truth-valued nodes.

/// A truth-valued node of the syntax tree.
public struct PredicateNode: Hashable, Sendable, Codable {
    /// What the node says.
    public indirect enum Kind: Hashable, Sendable, Codable {
        /// `TRUEPREDICATE` or `FALSEPREDICATE`.
        case constant(Bool)
        /// `lhs op rhs`, perhaps quantified.
        case comparison(Comparison)
        /// `NOT p`.
        case not(PredicateNode)
        /// `p AND q AND …`: two or more terms, flat as written (a parenthesised AND stays a node of its own).
        case and([PredicateNode])
        /// `p OR q OR …`: two or more terms.
        case or([PredicateNode])
    }

    /// What the node says.
    public var kind: Kind
    /// The node's text, without parentheses around it.
    public var span: SourceSpan

    /// A node of the given kind and place.
    public init(_ kind: Kind, span: SourceSpan = .none) {
        self.kind = kind
        self.span = span
    }
}

/// A comparison: one operator between two expressions.
public struct Comparison: Hashable, Sendable, Codable {
    /// How the left side is iterated; `nil` compares it as it is.
    public var quantifier: Quantifier?
    /// The left operand.
    public var lhs: ExpressionNode
    /// The operator; synonyms (`=`, `=<`, `<>` …) are told apart by `operatorSpan` only.
    public var comparisonOperator: ComparisonOperator
    /// The option letters behind the operator.
    public var options: ComparisonOptions
    /// The right operand.
    public var rhs: ExpressionNode
    /// Place of the quantifier word (empty without one).
    public var quantifierSpan: SourceSpan
    /// Place of the operator with its options.
    public var operatorSpan: SourceSpan

    /// A comparison of two expressions.
    public init(
        quantifier: Quantifier? = nil, _ lhs: ExpressionNode, _ comparisonOperator: ComparisonOperator,
        _ options: ComparisonOptions = [], _ rhs: ExpressionNode,
        quantifierSpan: SourceSpan = .none, operatorSpan: SourceSpan = .none
    ) {
        self.quantifier = quantifier
        self.lhs = lhs
        self.comparisonOperator = comparisonOperator
        self.options = options
        self.rhs = rhs
        self.quantifierSpan = quantifierSpan
        self.operatorSpan = operatorSpan
    }
}

/// How a comparison treats the elements of its left side.
public enum Quantifier: String, Hashable, Sendable, Codable, CaseIterable {
    /// Some element satisfies (`ANY`; `SOME` is a synonym and prints as `ANY`).
    case any = "ANY"
    /// Every element satisfies; true of an empty or missing list.
    case all = "ALL"
    /// No element satisfies; true of an empty or missing list.
    case none = "NONE"
}

/// The option letters of a comparison: `[cdnl]`, and `p` behind TOKENMATCHES.
public struct ComparisonOptions: OptionSet, Hashable, Sendable, Codable {
    /// One bit for each letter.
    public let rawValue: UInt8
    /// The options with the given bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `c`: ignore case (full case folding).
    public static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// `d`: ignore non-spacing marks after bases below U+0510.
    public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// `n`: operands are normalised already; compare code units, other options are ignored.
    public static let normalized = ComparisonOptions(rawValue: 4)
    /// `l`: compare by the collation of an explicit locale.
    public static let localeSensitive = ComparisonOptions(rawValue: 8)
    /// `p`, behind TOKENMATCHES only, an extension: the words appear side by side and in order. Its bit lies beyond
    /// those of NSComparisonPredicate.
    public static let phrase = ComparisonOptions(rawValue: 32)
}
