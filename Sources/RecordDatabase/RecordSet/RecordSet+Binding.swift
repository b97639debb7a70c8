// What fields a predicate may name when it meets a record set.

package import FoundationEssentials
package import PredicateSemantics
import PredicateSyntax
import RecordColumns
package import RecordModel
import RecordStore

extension RecordSet {
    /// The fields that a predicate names; none where it has no meaning, whatever they hold.
    package static func fieldNames(of predicate: RecordPredicate) -> [String] {
        (try? Binder().bind(predicate))?.fieldNames ?? []
    }

    /// A field that a predicate names and no record has.
    package struct UnknownField: Hashable, Sendable {
        package var name: String
        /// The field that was probably meant.
        package var suggestion: String?
        /// The path with the key that was probably meant, for a key below a field.
        package var suggestedPath: [String]?
        /// How many keys of the path precede the one that no record has.
        package var depth = 0
        /// Whether it appears where a value is expected, so that a text without its quotes may have been meant.
        package var isPerhapsText = false

        /// What may have been meant, for people; `nil` when nothing is likely.
        package var hint: String? {
            let moments = ["now", "today", "yesterday", "tomorrow"]
            if isPerhapsText, moments.contains(name) {
                return "a date is now(), now() - 1d or '2026-01-31'"
            }
            let text = isPerhapsText ? "text needs quotes: '\(name)'" : nil
            let field = suggestion.map { "did you mean '\($0)'?" }
            return text ?? field
        }
    }

    /// The predicate bound to the fields of the records that are queried.
    ///
    /// Files declare no fields, they only happen to hold some. Where `allowsUnknownFields` says so, a field that no
    /// record has is nil in all of them, as it is in one record without it. It is told apart, since it may be a slip.
    /// - Throws: `RecordPredicateError` of the binding stage for operands that can never be compared, and for fields
    ///   that no record has.
    func bind(
        _ predicate: RecordPredicate, variables: [String: FieldValue]
    ) throws(RecordPredicateError) -> (BoundPredicate, unknownFields: [UnknownField]) {
        var (binder, unknown) = try binder(for: predicate, variables: variables)
        // The moment of the query: a constant, which indexes know.
        binder.settings.now = source.moment ?? Date()
        return (try binder.bind(predicate, variables: variables), unknown)
    }

    /// The predicate as queries about these records evaluate it by now, and the moment that this is.
    /// - Throws: `RecordPredicateError` of the binding stage.
    package func bound(
        _ predicate: RecordPredicate, variables: [String: FieldValue]
    ) throws(RecordPredicateError) -> (predicate: BoundPredicate, moment: Date) {
        var binder = try binder(for: predicate, variables: variables).0
        let moment = source.moment ?? Date()
        binder.settings.now = moment
        return (try binder.bind(predicate, variables: variables), moment)
    }

    /// The fields that a predicate names and no record has.
    /// - Throws: `RecordPredicateError` of the binding stage.
    package func unknownFields(
        of predicate: RecordPredicate, variables: [String: FieldValue]
    ) throws(RecordPredicateError) -> [UnknownField] {
        try bind(predicate, variables: variables).unknownFields
    }

    /// A binder that knows the fields of the records and of the predicate.
    ///
    /// What the binder does not know although the predicate names it is an error when the predicate is bound.
    /// - Throws: `RecordPredicateError` when the predicate does not parse, or lacks arguments.
    func binder(
        for predicate: RecordPredicate, variables: [String: FieldValue]
    ) throws(RecordPredicateError) -> (Binder, unknownFields: [UnknownField]) {
        let settings = binderSettings
        var schema = mergedSchema
        let names = try Binder(settings: settings).bind(predicate, variables: variables).fieldNames
        let missing = names.filter { schema.position(of: $0) == nil && settings.systemFields[$0] == nil }
        if missing.isEmpty || isDeclared { return (Binder(schema: schema, settings: settings), []) }
        if rejectsUnknownFields {
            // Binding fails at the place of any other one.
            let declared = predicate.declaredFields.union(schemaFields)
            for name in missing where declared.contains(name) {
                schema.define(FieldDefinition(name: name, type: .any))
            }
            return (Binder(schema: schema, settings: settings), [])
        }
        let values = try predicate.tree.bareValueKeys
        var unknown: [UnknownField] = []
        for name in missing {
            // Of many names that no record has hardly one is a slip, and each would be held against all fields.
            var field = unknown.count < Self.mostSuggestions ? unknownField(name) : UnknownField(name: name)
            field.isPerhapsText = values.contains(name)
            unknown.append(field)
            schema.define(FieldDefinition(name: name, type: .any))
        }
        return (Binder(schema: schema, settings: settings), unknown)
    }

    /// For how many unknown fields of a predicate the field that was meant is looked for.
    package static let mostSuggestions = 16

    var binderSettings: Binder.Settings {
        var settings = Binder.Settings(analyzers: fieldAnalyzers)
        for key in [snapshot.keys.id, snapshot.keys.type] {
            if let key, settings.systemFields[key] == nil { settings.systemFields[key] = .string }
        }
        return settings
    }

    private func unknownField(_ name: String) -> UnknownField {
        UnknownField(name: name, suggestion: EditDistance.closest(to: name, in: mergedSchema.fields.map(\.name)))
    }

    /// The fields that orders or columns name and no record has; of a nested one as far as the first name that none
    /// has.
    package func unknownFields(among criteria: [SortKey.Criterion]) -> [UnknownField] {
        if count == 0, !isOutline { return [] }
        let known = Set(mergedSchema.fields.map(\.name) + binderSettings.systemFields.keys + ["id", "type"])
        return criteria.compactMap { criterion in
            let name =
                switch criterion {
                case .field(let name), .distance(let name, _): name
                case .recordName: "recordName"
                case .relevance: Optional<String>.none
                }
            guard let name else { return nil }
            let first = String(name.prefix { $0 != "." })
            if known.contains(name) { return nil }
            guard known.contains(first), first != name else { return unknownField(first) }
            return unknownField(onPath: name.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
        }
    }

    /// The fields that the schema of the records' store has for them, with or without values.
    private var schemaFields: Set<String> {
        guard let types = source.schema?.recordTypes else { return [] }
        let queried = types.filter { recordType == nil || $0.key == recordType }
        return Set(queried.values.flatMap(\.fields.keys))
    }

    /// Whether a field that no record has is an error.
    private var rejectsUnknownFields: Bool { !allowsUnknownFields && !mergedSchema.fields.isEmpty }

    /// Whether a record has the field of a criterion, or needs none.
    private func isKnown(_ criterion: SortKey.Criterion) -> Bool {
        switch criterion {
        case .field(let name), .distance(let name, _): mergedSchema.position(of: name) != nil
        case .recordName, .relevance: true
        }
    }

    /// Checks that there are the fields of an order.
    /// - Throws: `RecordPredicateError` of the binding stage for one that no record has; its text is the name.
    func check(_ order: [SortKey]) throws(RecordPredicateError) {
        guard rejectsUnknownFields else { return }
        // Keys below a field are no fields, and looking for them would read the records.
        let unknown = order.map(\.criterion).filter { criterion in
            guard case .field(let name) = criterion else { return !isKnown(criterion) }
            return !isKnown(criterion) && !isKnown(.field(String(name.prefix { $0 != "." })))
        }
        if !unknown.isEmpty { try checkKnown(unknown) }
    }

    /// - Throws: `RecordPredicateError` of the binding stage for a field that no record has; its text is the name.
    func checkKnown(_ criteria: [SortKey.Criterion]) throws(RecordPredicateError) {
        let unknown = unknownFields(among: criteria)
        guard !unknown.isEmpty, case let declared = schemaFields,
            let unknown = unknown.first(where: { !declared.contains($0.name) })
        else { return }
        throw RecordPredicateError(
            BindingError(
                kind: .unknownField, span: SourceSpan(0, unknown.name.utf8.count),
                message: "no record has a field \(unknown.name)", hint: unknown.hint), in: unknown.name)
    }

    /// All fields of the queried types; one that types disagree about may be anything.
    static func merged(_ schemas: [RecordSchema], _ recordType: String?) -> RecordSchema {
        RecordSchema(merging: schemas, recordType: recordType ?? "")
    }
}
