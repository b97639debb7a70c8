// Whether a query suits its type: what it may use, and what is indexed.

import FoundationEssentials
import PredicateSemantics
import PredicateSyntax
import RecordModel

/// The rules of predicates and orders for one record type: an object that a query hands on.
final class QueryCheck: Sendable {
    let recordType: String
    let type: ContainerSchema.RecordType
    let caller: Caller
    /// The database that the query is of.
    let scope: DatabaseScope
    let schema: ContainerSchema
    /// Whether nobody has saved a record of the type yet: then nothing is known of its fields.
    let isNew: Bool

    /// A check for a type of the schema.
    ///
    /// - Parameters:
    ///   - scope: The database that the query is of; rights are those of the public one.
    ///   - allowsNew: Whether the type may be one that the first save will define. CloudKit rejects these.
    /// - Throws: `DatabaseError` of code `invalidArguments` for user records, `unknownItem` for unknown types.
    init(
        _ recordType: String, _ schema: ContainerSchema, _ caller: Caller, in scope: DatabaseScope,
        allowsNew: Bool = false
    ) throws(DatabaseError) {
        if recordType == ContainerSchema.userRecordType {
            throw DatabaseError(.invalidArguments, "user records cannot be queried", hint: "fetch them by ID")
        }
        let configuration = caller.configuration
        // Every container has shares.
        let known =
            schema.recordTypes[recordType] ?? (recordType == ContainerSchema.shareType ? .share : nil)
        guard known != nil || allowsNew && configuration.environment == .development && configuration.dialect == .full
        else {
            throw DatabaseError(.unknownItem, "did not find record type \(recordType)")
        }
        self.recordType = recordType
        type = known ?? ContainerSchema.RecordType()
        isNew = known == nil
        (self.caller, self.scope, self.schema) = (caller, scope, schema)
    }

    // MARK: Predicates

    /// The predicate bound to the type's fields.
    /// - Throws: `DatabaseError` of code `invalidArguments`.
    func bind(_ predicate: RecordPredicate) throws(DatabaseError) -> BoundPredicate {
        let found: BoundPredicate
        do throws(RecordPredicateError) {
            let tree = try predicate.tree
            try check(tree, of: predicate)
            let predicate = try RecordPredicate(tree, arguments: predicate.arguments.map(normalized))
            let bound = try (isNew ? binder(of: predicate) : binder).bind(predicate)
            if let clash = bound.kindClash {
                throw RecordPredicateError(
                    BindingError(kind: .typeMismatch, span: clash.span, message: clash.message), in: predicate.text)
            }
            try checkIndexes(bound, predicate)
            found = bound
        } catch {
            throw Self.rejection(error)
        }
        if scope == .public { try checkPaths(found.namesBehindReferences) }
        return found
    }

    /// A binder of the type's fields.
    var binder: Binder {
        let fields = type.fields.sorted { $0.key < $1.key }
        return Binder(
            schema: RecordSchema(
                recordType: recordType, fields: fields.map { FieldDefinition(name: $0.key, type: $0.value.type) }),
            settings: Binder.Settings(analyzers: type.analyzers))
    }

    /// A binder that takes what the predicate names for fields, which may hold anything.
    private func binder(of predicate: RecordPredicate) throws(RecordPredicateError) -> Binder {
        let names = try Binder().bind(predicate).fieldNames.filter { Binder.Settings.recordFields[$0] == nil }
        return Binder(
            schema: RecordSchema(recordType: recordType, fields: names.map { FieldDefinition(name: $0, type: .any) }))
    }

    /// An error of a predicate as one of the database.
    static func rejection(_ error: RecordPredicateError) -> DatabaseError {
        DatabaseError(
            .invalidArguments, "the predicate: \(error.message)", hint: error.hint,
            at: DatabaseError.Place(text: error.text, range: error.span.range, excerpt: error.excerpt))
    }

    private func check(_ tree: SyntaxTree, of predicate: RecordPredicate) throws(RecordPredicateError) {
        let strings = Set(type.fields.filter { $0.value.type == .string }.keys)
        let dates = Set(type.fields.filter { $0.value.type == .date }.keys)
        do throws(SyntaxError) {
            try tree.validate(for: caller.configuration.dialect, stringFields: strings, dateFields: dates)
        } catch {
            throw RecordPredicateError(error, in: predicate.text)
        }
    }

    private func checkIndexes(_ bound: BoundPredicate, _ predicate: RecordPredicate) throws(RecordPredicateError) {
        func reject(_ use: FieldUse, _ message: String) -> RecordPredicateError {
            RecordPredicateError(
                BindingError(kind: .typeMismatch, span: use.span, message: message), in: predicate.text)
        }
        let uses = bound.uses
        for use in uses {
            guard let name = use.name else {
                if isFrozen, !type.fields.values.contains(where: { $0.indexes.contains(.searchable) }) {
                    throw reject(use, "no field of \(recordType) is marked searchable")
                }
                continue
            }
            guard let field = type.fields[name] else {
                try checkMetadata(use, name, reject)
                continue
            }
            if field.traits.contains(.encrypted) {
                throw reject(use, "field \(name) is encrypted and cannot be queried")
            }
            let possible = IndexMarks.all(for: field.type)
            guard possible.contains(.queryable) else {
                throw reject(use, "field \(name) is \(field.type.schemaName), which cannot be queried")
            }
            let needed = Self.index(for: use.purpose).intersection(possible)
            if isFrozen, !field.indexes.isSuperset(of: needed) {
                throw reject(use, "field \(name) is not marked \(needed.names.first ?? "queryable")")
            }
        }
        if uses.isEmpty, isFrozen, type.metadataIndexes["recordID"]?.contains(.queryable) != true {
            throw RecordPredicateError(
                BindingError(
                    kind: .typeMismatch, span: SourceSpan(0, predicate.text.utf8.count),
                    message: "field recordID is not marked queryable"), in: predicate.text)
        }
    }

    private func checkMetadata(
        _ use: FieldUse, _ name: String, _ reject: (FieldUse, String) -> RecordPredicateError
    ) throws(RecordPredicateError) {
        guard isFrozen, let possible = ContainerSchema.RecordType.allMetadataIndexes[name] else { return }
        let needed = Self.index(for: use.purpose).intersection(possible)
        if type.metadataIndexes[name]?.isSuperset(of: needed) != true {
            throw reject(use, "field \(name) is not marked \(needed.names.first ?? "queryable")")
        }
    }

    /// Whether only declared indexes may be used.
    private var isFrozen: Bool { caller.configuration.environment == .production }

    private static func index(for purpose: FieldUse.Purpose) -> IndexMarks {
        switch purpose {
        case .value: .queryable
        case .order: .sortable
        case .words: .searchable
        }
    }

    /// An argument with the current user and their zones by one name.
    func normalized(_ value: FieldValue) -> FieldValue {
        switch value {
        case .reference(let reference):
            var id = caller.normalized(reference.recordID)
            if id.recordName == RecordZone.ID.currentUserName, let userName = caller.userName {
                id = Record.ID(userName, zoneID: id.zoneID)
            }
            return .reference(RecordReference(recordID: id, action: reference.action))
        case .list(let elements): return .list(elements.map(normalized))
        case .set(let elements): return .set(elements.map(normalized))
        default: return value
        }
    }

    // MARK: Orders

    /// The order of a result: the query's keys, and names for what they leave level.
    /// - Throws: `DatabaseError` of code `invalidArguments`.
    func order(_ keys: [SortKey]) throws(DatabaseError) -> [SortKey] {
        var order: [SortKey] = []
        for key in keys {
            switch key.criterion {
            case .field("recordID"):
                try checkSortable("recordID", .string, type.metadataIndexes["recordID"])
                order.append(SortKey(.recordName, isAscending: key.isAscending))
            case .field(let name):
                try checkField(name)
                order.append(key)
            case .distance where isNew: order.append(key)
            case .distance(let name, _):
                try checkIsPlain(name)
                guard type.fields[name]?.type == .location else {
                    throw DatabaseError(.invalidArguments, "the order: \(name) is no field of locations")
                }
                if !key.isAscending {
                    throw DatabaseError(.invalidArguments, "the order: distances are ordered nearest first")
                }
                try checkSortable(name, .int64, type.fields[name]?.indexes)
                order.append(key)
            case .relevance:
                if caller.configuration.dialect != .full {
                    throw DatabaseError(.invalidArguments, "the order: relevance is an extension of the full dialect")
                }
                order.append(key)
            case .recordName: order.append(key)
            }
        }
        if order.last?.criterion != .recordName { order.append(SortKey(.recordName)) }
        return order
    }

    private func checkIsPlain(_ name: String) throws(DatabaseError) {
        let field = String(name.prefix { $0 != "." })
        if type.fields[field]?.traits.contains(.encrypted) == true {
            throw DatabaseError(.invalidArguments, "the order: field \(field) is encrypted")
        }
    }

    private func checkField(_ name: String) throws(DatabaseError) {
        if isNew { return }
        try checkIsPlain(name)
        if let field = type.fields[name] { return try checkSortable(name, field.type, field.indexes) }
        if let type = Binder.Settings.recordFields[name] {
            return try checkSortable(name, type, self.type.metadataIndexes[name])
        }
        let path = name.split(separator: ".", maxSplits: 1).map(String.init)
        if path.count == 2, caller.configuration.dialect == .full,
            let type = type.fields[path[0]]?.type, type == .reference || type == .object
        {
            return scope == .public ? try checkPaths(Set(path[1].split(separator: ".").map(String.init))) : ()
        }
        throw DatabaseError(.invalidArguments, "the order: \(recordType) has no field \(name)")
    }

    private func checkSortable(
        _ name: String, _ type: FieldType, _ indexes: IndexMarks?
    ) throws(DatabaseError) {
        switch type {
        case .int64, .double, .string, .date: break
        default:
            throw DatabaseError(
                .invalidArguments, "the order: field \(name) is \(type.schemaName), which has no order",
                hint: type == .location ? "order by the distance from a place" : nil)
        }
        if isFrozen, indexes?.contains(.sortable) != true {
            throw DatabaseError(.invalidArguments, "the order: field \(name) is not marked sortable")
        }
    }
}
