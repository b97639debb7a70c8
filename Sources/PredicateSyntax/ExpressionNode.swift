// The syntax tree of a value: what is left or right of an operator.

/// A value-denoting node of the syntax tree.
public struct ExpressionNode: Hashable, Sendable, Codable {
    /// What the node denotes.
    public enum Kind: Hashable, Sendable, Codable {
        /// A constant written in the text.
        case literal(Literal)
        /// A key of the evaluated object: `name`, `#size`, `#'key with spaces'`, `@type`.
        case key(String)
        /// `SELF`.
        case selfObject
        /// `$name`.
        case variable(String)
        /// `%@`, `%K`, `%d` …
        indirect case placeholder(Placeholder)
        /// A base with steps behind it: `a.b`, `items.@count`, `tags[0]`, `$x.name`, `(SELF.g)['k']`.
        /// One or more steps; the base is never itself a path.
        indirect case path(base: ExpressionNode, steps: [PathStep])
        /// `{a, b, …}`.
        case aggregate([ExpressionNode])
        /// `-x`, `~x` (a minus before a number literal is folded into the literal).
        indirect case unary(UnaryOperator, ExpressionNode)
        /// `a + b`, `a & b`, `a UNION b` …
        indirect case binary(BinaryOperator, ExpressionNode, ExpressionNode)
        /// A call of one function of the closed table.
        case function(FunctionName, [ExpressionNode])
        /// `SUBQUERY(collection, $variable, predicate)`.
        indirect case subquery(collection: ExpressionNode, variable: String, predicate: PredicateNode)
        /// `TERNARY(condition, then, otherwise)`.
        indirect case ternary(PredicateNode, then: ExpressionNode, otherwise: ExpressionNode)
        /// `CAST(value, 'Type')`.
        indirect case cast(ExpressionNode, type: ExpressionNode)
    }

    /// What the node denotes.
    public var kind: Kind
    /// The node's text, without parentheses around it.
    public var span: SourceSpan

    /// A node of the given kind and place.
    public init(_ kind: Kind, span: SourceSpan = .none) {
        self.kind = kind
        self.span = span
    }
}

/// A constant written in the predicate text.
public enum Literal: Hashable, Sendable, Codable {
    /// `nil`, `NULL`.
    case null
    /// `TRUE`, `YES`, `FALSE`, `NO`.
    case bool(Bool)
    /// An integer that fits in 64 bits.
    case integer(Int64)
    /// A number with a fraction or an exponent, or an integer beyond 64 bits.
    case double(Double)
    /// The text between quotes, escapes resolved.
    case string(String)
}

/// One step of a path.
public struct PathStep: Hashable, Sendable, Codable {
    /// What the step does with the value before it.
    public enum Kind: Hashable, Sendable, Codable {
        /// `.name`; an `@name` that is no operator is a key written with its `@` (`@allKeys`, `@type`).
        case key(String)
        /// `.@count`, `.@sum` …; as first step behind `SELF` it may also stem from `@sum.items.price`.
        case collectionOperator(CollectionOperator)
        /// `.SELF`: the value itself.
        case selfObject
        /// `.%K`
        case placeholder(Placeholder)
        /// `[expression]`: by position (list) or key (object); `.$name` is `[$name]`.
        case index(ExpressionNode)
        /// `[FIRST]`
        case first
        /// `[LAST]`
        case last
        /// `[SIZE]`
        case size
    }

    /// What the step does.
    public var kind: Kind
    /// The step's text without its dot, an index with its brackets.
    public var span: SourceSpan

    /// A step of the given kind and place.
    public init(_ kind: Kind, span: SourceSpan = .none) {
        self.kind = kind
        self.span = span
    }
}

/// An operator over a whole collection inside a key path.
public enum CollectionOperator: String, Hashable, Sendable, Codable, CaseIterable {
    case count
    case sum
    case avg
    case min
    case max
    case unionOfObjects
    case distinctUnionOfObjects
    case unionOfArrays
    case distinctUnionOfArrays
    case unionOfSets
    case distinctUnionOfSets
}

/// A format argument to be filled when the predicate is bound.
public struct Placeholder: Hashable, Sendable, Codable {
    /// What kind of argument the conversion takes.
    public enum Kind: Hashable, Sendable, Codable {
        /// `%@`: any value.
        case value
        /// `%K`: a key path as text.
        case key
        /// `%d`, `%ld`, `%u`, `%x` …: an integer.
        case integer
        /// `%f`, `%e`, `%g` …: a floating-point number.
        case double
    }

    /// 0-based position among the arguments.
    public var index: Int
    /// What kind of argument it takes.
    public var kind: Kind
    /// The conversion as written, for example `%lld`.
    public var text: String

    /// The argument at a position.
    public init(index: Int, kind: Kind, text: String) {
        self.index = index
        self.kind = kind
        self.text = text
    }
}

/// A prefix operator.
public enum UnaryOperator: String, Hashable, Sendable, Codable, CaseIterable {
    case minus = "-"
    case onesComplement = "~"
}

/// An infix operator between values.
public enum BinaryOperator: String, Hashable, Sendable, Codable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case power = "**"
    case bitAnd = "&"
    case bitOr = "|"
    case bitXor = "^"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
}
