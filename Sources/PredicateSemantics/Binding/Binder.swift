// Binds predicates to a schema: the way from syntax to meaning.

package import FoundationEssentials
package import PredicateSyntax
package import RecordModel
package import TextAnalysis

/// Turns syntax trees into bound predicates: arguments and variables filled in, fields resolved, constants folded,
/// patterns compiled, kinds checked.
///
/// Without a schema every key is a field and kinds are checked when a record is evaluated. With a schema an unknown
/// field and operands that can never fit are errors here, at the offending operand.
package struct Binder: Sendable {
    /// What binding depends on besides the predicate and the schema.
    package struct Settings: Sendable {
        /// The locale of `[l]`; empty for the root locale.
        package var locale: String
        /// The analyzers of the fields; those of other records, behind paths, are searched as they are written.
        package var analyzers: FieldAnalyzers?
        /// The instant of `now()`; nil leaves it to the evaluation context.
        package var now: Date?
        /// Deepest nesting of a tree or of a value.
        package var maximumDepth: Int
        /// Names beyond the schema's that a record has values for.
        package var systemFields: [String: FieldType]
        /// Whether placeholders of values may lack their arguments; they are then unknown, as variables without a
        /// value.
        package var leavesArgumentsOpen = false

        package init(
            locale: String = "", analyzers: FieldAnalyzers? = nil, now: Date? = nil, maximumDepth: Int = 1000,
            systemFields: [String: FieldType] = Settings.recordFields
        ) {
            self.locale = locale
            self.analyzers = analyzers
            self.now = now
            self.maximumDepth = maximumDepth
            self.systemFields = systemFields
        }

        /// The names that every record has values for.
        package static let recordFields: [String: FieldType] = [
            "recordID": .reference, "recordName": .string, "recordType": .string, "creationDate": .date,
            "modificationDate": .date, "creatorUserRecordID": .reference, "lastModifiedUserRecordID": .reference,
            "parent": .reference,
        ]
    }

    /// The fields there are; nil takes every key for a field.
    package var schema: RecordSchema?
    package var settings: Settings

    /// A binder.
    package init(schema: RecordSchema? = nil, settings: Settings = Settings()) {
        self.schema = schema
        self.settings = settings
    }

    /// Binds a tree.
    ///
    /// - Parameters:
    ///   - tree: The predicate.
    ///   - arguments: One value for each placeholder.
    ///   - variables: Values of `$variables`; those missing are left to the evaluation context.
    /// - Throws: `BindingError` at the first thing that does not fit.
    /// - Complexity: O(n) in the nodes of the tree and the elements of constant lists.
    package func bind(
        _ tree: SyntaxTree, arguments: [FieldValue] = [], variables: [String: FieldValue] = [:]
    ) throws(BindingError) -> BoundPredicate {
        var pass = BindingPass(arguments: arguments, variables: variables, schema: schema, settings: settings)
        return try pass.bind(tree)
    }

    /// Binds a node of a tree on its own, for tools that judge parts; places are those in the tree's text.
    ///
    /// - Parameters:
    ///   - part: The node.
    ///   - arguments: The arguments of the whole tree.
    ///   - variables: Values of `$variables`.
    /// - Throws: `BindingError` at the first thing that does not fit.
    package func bind(
        part: PredicateNode, arguments: [FieldValue] = [], variables: [String: FieldValue] = [:]
    ) throws(BindingError) -> BoundPredicate {
        var pass = BindingPass(arguments: arguments, variables: variables, schema: schema, settings: settings)
        return try pass.bind(part: part)
    }

    /// Binds a node of a tree on its own in spite of fields that the schema lacks: they may hold anything.
    ///
    /// - Returns: The node, or what else is wrong with it; and the fields that the schema lacks, as far as binding
    ///   came, each with its first place.
    package func bindLeniently(
        part: PredicateNode, arguments: [FieldValue] = [], variables: [String: FieldValue] = [:]
    ) -> (result: Result<BoundPredicate, BindingError>, undeclared: [UndeclaredField]) {
        var pass = BindingPass(arguments: arguments, variables: variables, schema: schema, settings: settings)
        pass.undeclared = []
        do throws(BindingError) {
            let bound = try pass.bind(part: part)
            return (.success(bound), pass.undeclared ?? [])
        } catch {
            return (.failure(error), pass.undeclared ?? [])
        }
    }

    /// The field that was probably meant by a name; `nil` when none is likely.
    /// - Complexity: O(fields).
    package func suggestion(forField name: String) -> String? {
        let known = (schema?.fields ?? []).map(\.name) + settings.systemFields.keys.sorted()
        return EditDistance.closest(to: name, in: known)
    }

    /// Binds a predicate with its own arguments.
    ///
    /// - Throws: `RecordPredicateError` of the binding stage, or of the syntax stage for a malformed string literal.
    package func bind(
        _ predicate: RecordPredicate, variables: [String: FieldValue] = [:]
    ) throws(RecordPredicateError) -> BoundPredicate {
        let tree = try predicate.tree
        do {
            return try bind(tree, arguments: predicate.arguments, variables: variables)
        } catch {
            throw RecordPredicateError(error, in: predicate.text)
        }
    }
}

/// A field that a predicate names and the schema lacks.
package struct UndeclaredField: Hashable, Sendable {
    package var name: String
    /// Where it first appears in the predicate's text.
    package var span: SourceSpan
}
