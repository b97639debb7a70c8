// Foundation's `#Predicate` values as predicates on records.

public import FoundationEssentials
public import PredicateSemantics
import PredicateSyntax
public import RecordModel

/// A part of a Foundation predicate that the predicate language has no counterpart of.
public struct UntranslatableExpression: DescribedError, Hashable {
    /// The expression: the name of its type in `PredicateExpressions`, or a key path as Swift prints it.
    public var expression: String
    /// One short clause without a full stop.
    public var message: String
    /// What to write instead, where there is something.
    public var hint: String?

    public var description: String { "\(expression): \(message)" + (hint.map { " (\($0))" } ?? "") }
}

extension RecordPredicate {
    /// The predicate on records that says what a Foundation predicate says of values.
    ///
    ///     let rich = try RecordPredicate(#Predicate<City> { $0.population > 1_000_000 && $0.tags.contains("port") })
    ///
    /// What Foundation would fail on has a result here: a nil that is unwrapped by force is a missing value, which
    /// satisfies no comparison, and whole numbers that overflow become fractions.
    ///
    /// - Throws: `UntranslatableExpression` for type checks and casts, regular expressions, sub-ranges of collections,
    ///   the number of characters of a text, other types' computed properties, and expressions of later Foundations.
    public init<Value: RecordConvertible>(_ predicate: Predicate<Value>) throws(UntranslatableExpression) {
        var translation = PredicateTranslation()
        translation.bindings[predicate.variable.key] = .record
        let root = try translation.truth(of: predicate.expression)
        self = translation.assembly.predicate(root)
    }
}
