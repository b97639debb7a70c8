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

    /// Whether the node is a length of time.
    package var isDuration: Bool { if case .literal(.duration) = kind { true } else { false } }
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
    /// A length of time, `7d`: what is added to a date or taken from it.
    case duration(TimeSpan)
}

/// A length of time as it is written: a whole number and a unit directly behind it, `90m`.
public struct TimeSpan: Hashable, Sendable, Codable {
    /// A unit of time.
    public enum Unit: String, Hashable, Sendable, Codable, CaseIterable {
        /// Seconds.
        case second = "s"
        /// Minutes.
        case minute = "m"
        /// Hours.
        case hour = "h"
        /// Days of 24 hours.
        case day = "d"
        /// Weeks of seven such days.
        case week = "w"

        /// The unit in seconds.
        public var seconds: Int64 {
            switch self {
            case .second: 1
            case .minute: 60
            case .hour: 3600
            case .day: 86_400
            case .week: 604_800
            }
        }
    }

    /// How many of the unit, 0 or more.
    public var count: Int64
    /// What is counted.
    public var unit: Unit

    /// The length as a number of seconds that may be written in its place, which may be beyond all whole numbers.
    package var secondsText: String { Int64(exactly: seconds).map { "\($0)" } ?? "\(seconds)" }

    /// So many of a unit.
    public init(_ count: Int64, _ unit: Unit) {
        self.count = count
        self.unit = unit
    }

    /// The length in seconds.
    public var seconds: Double { Double(count) * Double(unit.seconds) }

    /// The text: `7d`.
    public var text: String { "\(count)\(unit.rawValue)" }
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
    /// `@count`: the number of elements; nil of nil.
    case count
    /// `@sum`: the sum of numbers; 0 of none.
    case sum
    /// `@avg`: the mean of numbers; nil of none.
    case avg
    /// `@min`: the smallest element; nil of none.
    case min
    /// `@max`: the greatest element; nil of none.
    case max
    /// `@unionOfObjects`: the elements without nil.
    case unionOfObjects
    /// `@distinctUnionOfObjects`: the elements without nil, each once.
    case distinctUnionOfObjects
    /// `@unionOfArrays`: the elements of all lists in the list.
    case unionOfArrays
    /// `@distinctUnionOfArrays`: the elements of all lists in the list, each once.
    case distinctUnionOfArrays
    /// `@unionOfSets`: the elements of all lists in the list, as a set.
    case unionOfSets
    /// `@distinctUnionOfSets`: the same as `unionOfSets`.
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
    /// The negative of a number.
    case minus = "-"
    /// The complement of the bits of a whole number.
    case onesComplement = "~"
}

/// An infix operator between values.
public enum BinaryOperator: String, Hashable, Sendable, Codable, CaseIterable {
    /// The sum of two numbers.
    case add = "+"
    /// The difference of two numbers.
    case subtract = "-"
    /// The product of two numbers.
    case multiply = "*"
    /// The quotient of two numbers; of whole ones a whole number, towards zero.
    case divide = "/"
    /// The power, a fraction also of whole numbers.
    case power = "**"
    /// The bits that both whole numbers have.
    case bitAnd = "&"
    /// The bits that one of two whole numbers has.
    case bitOr = "|"
    /// The bits in which two whole numbers differ.
    case bitXor = "^"
    /// A whole number with its bits moved left; by a negative count right.
    case shiftLeft = "<<"
    /// A whole number with its bits moved right, keeping its sign; by a negative count left.
    case shiftRight = ">>"
    /// The set of the elements of two collections.
    case union = "UNION"
    /// The set of the elements that two collections share.
    case intersect = "INTERSECT"
    /// The set of the elements of the left collection that the right one lacks.
    case minus = "MINUS"
}
