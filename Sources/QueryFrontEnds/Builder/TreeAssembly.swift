// A syntax tree while it is put together from its parts.

import PredicateSemantics
import PredicateSyntax
import RecordModel

/// What the parts of a predicate share while its tree is made: the arguments so far, and the first failure.
///
/// Parts are assembled in the order of the canonical text, so that arguments have the order of their placeholders.
struct TreeAssembly {
    private(set) var arguments: [FieldValue] = []
    private(set) var failure: RecordPredicateError?
    private var variableCount = 0
    /// The fields that are named by properties.
    private var declaredFields: Set<String> = []

    /// The predicate of a tree that was assembled here; one with a failure fails at its first use.
    func predicate(_ root: PredicateNode) -> RecordPredicate {
        if let failure { return RecordPredicate(failure: failure) }
        return RecordPredicate(building: root, arguments: arguments, declaredFields: declaredFields)
    }

    /// The node of a value.
    mutating func node(_ value: FieldValue) -> ExpressionNode { ExpressionNode(value: value, arguments: &arguments) }

    /// The node of another predicate, which keeps its arguments.
    mutating func node(_ predicate: RecordPredicate) -> PredicateNode {
        declaredFields.formUnion(predicate.declaredFields)
        do throws(RecordPredicateError) {
            return try predicate.node(arguments: &arguments)
        } catch {
            fail(error)
            return PredicateNode(.constant(false))
        }
    }

    /// The value behind some names, and nothing where they are not known.
    mutating func node(_ base: ExpressionNode?, _ path: FieldPath) -> ExpressionNode {
        switch path {
        case .names(let names):
            if base == nil, let field = names.first { declaredFields.insert(field) }
            return Self.node(base, names.map { PathStep(.key($0)) })
        case .unknown(let unknown):
            fail(RecordPredicateError(unknown))
            return ExpressionNode(.literal(.null))
        }
    }

    /// A base with steps behind it; without a base the first step is a field of the record.
    static func node(_ base: ExpressionNode?, _ steps: [PathStep]) -> ExpressionNode {
        var (base, steps) = (base, steps[...])
        if base == nil, case .key(let name)? = steps.first?.kind {
            base = ExpressionNode(.key(name))
            steps = steps.dropFirst()
        }
        let start = base ?? ExpressionNode(.selfObject)
        guard !steps.isEmpty else { return start }
        if case .path(let inner, let before) = start.kind {
            return ExpressionNode(.path(base: inner, steps: before + steps))
        }
        return ExpressionNode(.path(base: start, steps: Array(steps)))
    }

    /// A name for the elements of a list, which no other list of the predicate has.
    mutating func newVariable() -> String {
        variableCount += 1
        return variableCount == 1 ? "item" : "item\(variableCount)"
    }

    mutating func fail(_ error: RecordPredicateError) { failure = failure ?? error }
}

/// The names that lead to a property's value.
enum FieldPath {
    case names([String])
    case unknown(UnknownKeyPath)

    init<Root: FieldNamed>(_ keyPath: PartialKeyPath<Root>) {
        do throws(UnknownKeyPath) {
            self = .names(try Root.path(of: keyPath))
        } catch {
            self = .unknown(error)
        }
    }
}

extension RecordPredicateError {
    /// The error of a predicate that uses a key path whose field is not known.
    init(_ unknown: UnknownKeyPath) {
        self.init(
            .binding, unknown.keyPath, SourceSpan(0, unknown.keyPath.utf8.count),
            message: "the field of the key path is not known: \(unknown.reason)", hint: unknown.hint)
    }
}

extension PredicateNode {
    /// All of the terms; those that are such chains themselves are opened.
    static func all(_ terms: [PredicateNode]) -> PredicateNode {
        PredicateNode(
            .and(
                terms.flatMap { term in
                    if case .and(let inner) = term.kind { inner } else { [term] }
                }))
    }

    /// One of the terms; those that are such chains themselves are opened.
    static func any(_ terms: [PredicateNode]) -> PredicateNode {
        PredicateNode(
            .or(
                terms.flatMap { term in
                    if case .or(let inner) = term.kind { inner } else { [term] }
                }))
    }

    static func comparison(
        _ lhs: ExpressionNode, _ comparisonOperator: ComparisonOperator, _ rhs: ExpressionNode,
        options: ComparisonOptions = [], quantifier: Quantifier? = nil
    ) -> PredicateNode {
        PredicateNode(.comparison(Comparison(quantifier: quantifier, lhs, comparisonOperator, options, rhs)))
    }

    /// Whether a list has an element that satisfies a predicate on a variable.
    static func exists(_ variable: String, in list: ExpressionNode, where test: PredicateNode) -> PredicateNode {
        let matches = ExpressionNode(.subquery(collection: list, variable: variable, predicate: test))
        let count = TreeAssembly.node(matches, [PathStep(.collectionOperator(.count))])
        return .comparison(count, .greaterThan, ExpressionNode(.literal(.integer(0))))
    }
}
