// One binding of one tree: arguments, predicates, limits.

import PredicateSyntax
import RecordModel
import TextAnalysis

/// The state of a tree's binding.
struct BindingPass {
    let arguments: [FieldValue]
    let variables: [String: FieldValue]
    let schema: RecordSchema?
    let settings: Binder.Settings
    let sharedText: TextSettings.Shared

    // What binding finds out on its way.
    var fieldNames: [String] = []
    var slots: [String: Int] = [:]
    var usesContext = false
    var openVariables: [String] = []
    /// The same, for looking them up.
    var seenVariables: Set<String> = []
    /// Fields that the schema lacks, where they are told instead of thrown; `nil` where the first one is an error.
    var undeclared: [UndeclaredField]?
    /// The classes of the constant patterns so far that are expensive to compile.
    var patternCost = 0
    /// The variables of the enclosing SUBQUERY expressions with the kinds of their elements, outermost first.
    var scopes: [(name: String, type: OperandType)] = []
    /// How the tokens of `allTokens` are folded in the comparison that is being bound.
    var tokenOptions: TextOptions = []
    /// The placeholder whose key path is being bound: its parts have their place there.
    var placeholderSpan: SourceSpan?
    var depth = 0

    init(
        arguments: [FieldValue], variables: [String: FieldValue], schema: RecordSchema?, settings: Binder.Settings
    ) {
        self.arguments = arguments
        self.variables = variables
        self.schema = schema
        self.settings = settings
        sharedText = TextSettings.Shared(locale: settings.locale)
    }

    /// The bound predicate of a tree.
    mutating func bind(_ tree: SyntaxTree) throws(BindingError) -> BoundPredicate {
        try checkArguments(of: tree)
        return try bind(part: tree.root)
    }

    /// The bound predicate of a node.
    mutating func bind(part: PredicateNode) throws(BindingError) -> BoundPredicate {
        let root = try bind(part)
        return BoundPredicate(
            root: root, fieldNames: fieldNames, usesContext: usesContext, openVariables: openVariables)
    }

    private func checkArguments(of tree: SyntaxTree) throws(BindingError) {
        let expected = tree.placeholders.count
        guard arguments.count == expected || (arguments.isEmpty && settings.leavesArgumentsOpen) else {
            let span = SourceSpan(0, tree.text.utf8.count)
            throw BindingError(
                kind: .argumentCount, span: span,
                message: "the predicate takes \(expected) argument\(expected == 1 ? "" : "s"), not \(arguments.count)",
                hint: arguments.count > expected
                    ? "a placeholder between quotes is text and takes no argument"
                    : "give one value for each placeholder")
        }
        for value in arguments + variables.values where !value.isNested(within: settings.maximumDepth) {
            throw BindingError(
                kind: .limit, span: SourceSpan(0, tree.text.utf8.count),
                message: "an argument is nested more than \(settings.maximumDepth) levels deep")
        }
    }

    // MARK: - Predicates

    mutating func bind(_ node: PredicateNode) throws(BindingError) -> BoundNode {
        try enter(node.span)
        defer { depth -= 1 }
        switch node.kind {
        case .constant(let value): return .constant(value)
        case .comparison(let comparison): return try bind(comparison, node.span)
        case .not(let term):
            let bound = try bind(term)
            if case .constant(let value) = bound { return .constant(!value) }
            return .not(bound)
        case .and(let terms): return try bind(terms, deciding: false)
        case .or(let terms): return try bind(terms, deciding: true)
        }
    }

    private mutating func bind(_ terms: [PredicateNode], deciding: Bool) throws(BindingError) -> BoundNode {
        var bound: [BoundNode] = []
        bound.reserveCapacity(terms.count)
        for term in terms { bound.append(try bind(term)) }
        return Self.joined(bound, deciding: deciding)
    }

    /// AND and OR without the terms that can never decide, up to a term that always does.
    static func joined(_ terms: [BoundNode], deciding: Bool) -> BoundNode {
        var kept: [BoundNode] = []
        kept.reserveCapacity(terms.count)
        for term in terms {
            guard case .constant(let value) = term else {
                kept.append(term)
                continue
            }
            if value == deciding {
                kept.append(term)
                break
            }
        }
        if kept.isEmpty { return .constant(!deciding) }
        if kept.count == 1 { return kept[0] }
        return deciding ? .or(kept) : .and(kept)
    }

    mutating func enter(_ span: SourceSpan) throws(BindingError) {
        depth += 1
        guard depth <= settings.maximumDepth else {
            depth -= 1
            throw BindingError(
                kind: .limit, span: place(span),
                message: "the predicate is nested more than \(settings.maximumDepth) levels deep")
        }
    }

    /// The place of a node in the predicate's own text.
    func place(_ span: SourceSpan) -> SourceSpan { placeholderSpan ?? span }
}

extension FieldValue {
    /// Whether no element is nested deeper than the given number of levels.
    func isNested(within levels: Int) -> Bool {
        switch self {
        case .list(let elements), .set(let elements):
            levels > 0 && elements.allSatisfy { $0.isNested(within: levels - 1) }
        case .object(let members): levels > 0 && members.values.allSatisfy { $0.isNested(within: levels - 1) }
        default: true
        }
    }
}
