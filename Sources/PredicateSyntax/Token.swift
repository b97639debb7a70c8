// The kinds of tokens, and what the parser needs to know of them.

/// Kind of a token. Its place is the lexer's state, so that reading one allocates nothing.
enum Token: Hashable {
    case end
    /// No token can be read here; the lexer knows why.
    case invalid

    // Names and values.
    case identifier
    /// `#name`
    case escapedKey
    /// `#'name with spaces'`
    case quotedKey
    /// `@name`
    case atName
    /// `$name`
    case variable
    case string
    case number
    /// `%@`, `%K`, `%d` …
    case placeholder

    // Punctuation.
    case leftParenthesis, rightParenthesis, leftBracket, rightBracket, leftBrace, rightBrace
    case comma, dot, colon
    /// `:=`, which no rule of the grammar takes.
    case assignment

    // Operators between values.
    case plus, minus, star, slash, starStar, ampersand, pipe, caret, tilde, shiftLeft, shiftRight

    /// `<`, `CONTAINS` …
    case comparison(ComparisonOperator)

    // Reserved words.
    case and, or, not
    case any, some, all, none
    case null, selfObject, `true`, `false`
    case first, last, size
    case subquery
    case truePredicate, falsePredicate
    case anyKey, caseInsensitive

    // Words with a meaning in some places and plain keys elsewhere.
    case ternary, cast, function, fetch, union, intersect, minusSets

    /// The comparison operator the token stands for.
    var comparisonOperator: ComparisonOperator? {
        if case .comparison(let comparisonOperator) = self { comparisonOperator } else { nil }
    }

    /// Whether the token is a word with a hyphen: an operator on type identifiers.
    var isHyphenated: Bool { self == .comparison(.utiConformsTo) || self == .comparison(.utiEquals) }

    /// The operator between values the token stands for.
    var binaryOperator: BinaryOperator? {
        switch self {
        case .plus: .add
        case .minus: .subtract
        case .star: .multiply
        case .slash: .divide
        case .starStar: .power
        case .ampersand: .bitAnd
        case .pipe: .bitOr
        case .caret: .bitXor
        case .shiftLeft: .shiftLeft
        case .shiftRight: .shiftRight
        case .union: .union
        case .intersect: .intersect
        case .minusSets: .minus
        default: nil
        }
    }
}

extension BinaryOperator {
    /// How tightly the operator binds; a greater number binds tighter. All are left-associative.
    var precedence: Int {
        switch self {
        case .union, .intersect, .minus: 1
        case .bitOr: 2
        case .bitXor: 3
        case .bitAnd: 4
        case .shiftLeft, .shiftRight: 5
        case .add, .subtract: 6
        case .multiply, .divide: 7
        case .power: 9
        }
    }
}

extension UnaryOperator {
    /// Between `*` and `**`, so that `-a ** 2` is `-(a ** 2)`.
    static let precedence = 8
}
