// Predicates that were bound once, for all that differ from them in values alone.

import PredicateSemantics
import RecordModel

/// The templates of predicates by their shapes, and what else they were bound to.
final class TemplateCache<Surroundings: Hashable & Sendable>: Sendable {
    private struct Key: Hashable {
        let shape: ObjectIdentifier
        let surroundings: Surroundings
    }

    /// A shape keeps its identity as long as somebody holds it.
    private struct Entry: Sendable {
        let shape: PredicateShape
        /// `nil` where the constraints depend on the values.
        let template: ConstraintTemplate?
    }

    private let known = BoundedCache<Key, Entry>(capacity: 1_024)

    /// Values in the slots of a shape's template; `nil` where it has none that takes them: then the predicate is to be
    /// bound by itself.
    ///
    /// - Parameters:
    ///   - surroundings: What binding depends on.
    ///   - binder: Gives the binder for a shape that is met for the first time; `nil` where this predicate tells
    ///     nothing of others of its shape.
    /// - Complexity: O(slots) for a shape that was met before.
    func filled(
        _ shape: PredicateShape, _ values: [FieldValue], in surroundings: Surroundings, binder: () -> Binder?
    ) -> FilledTemplate? {
        template(shape, in: surroundings, binder: binder).flatMap { FilledTemplate($0, values) }
    }

    /// The template of a shape; `nil` where it has none. Parameters and complexity as above.
    func template(
        _ shape: PredicateShape, in surroundings: Surroundings, binder: () -> Binder?
    ) -> ConstraintTemplate? {
        let entry = known.value(Key(shape: ObjectIdentifier(shape), surroundings: surroundings)) {
            binder().map { Entry(shape: shape, template: ConstraintTemplate(shape, binder: $0)) }
        }
        return entry?.template
    }
}

/// The surroundings of predicates about records whose fields never change.
struct FixedFields: Hashable, Sendable {}

/// The surroundings of predicates about records of a database: what `QueryCheck` looks at.
struct QuerySurroundings: Hashable, Sendable {
    private let recordType: String
    /// Equal to that of an unchanged schema at a glance: copies share their storage.
    private let type: ContainerSchema.RecordType
    private let environment: Configuration.Environment
    private let dialect: Dialect

    init(_ check: QueryCheck) {
        (recordType, type) = (check.recordType, check.type)
        (environment, dialect) = (check.caller.configuration.environment, check.caller.configuration.dialect)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(recordType) }
}
