// What one step of a migration does to the schema and to a record.

import PredicateSyntax
import RecordModel

/// A record on its way through a migration.
struct MigratedRecord {
    var type: String
    var fields: [String: FieldValue]
    /// The fields whose values an application gave: they are checked as those of a save.
    var changed: Set<String> = []
}

/// One step of a migration.
protocol MigrationStep: Sendable {
    /// The type that the step is about, by the name that it has before the step.
    var type: String { get }
    /// Whether records of the type are different after the step.
    var changesRecords: Bool { get }

    /// - Throws: `DatabaseError` of code `invalidArguments` for a step that the schema has no place for.
    func apply(to schema: inout ContainerSchema) throws(DatabaseError)

    /// - Parameter record: One of the type.
    func apply(to record: inout MigratedRecord) throws

    /// Has a subscription say the same of records after the step.
    func apply(to subscription: inout Subscription)
}

extension MigrationStep {
    var changesRecords: Bool { true }
    func apply(to record: inout MigratedRecord) throws {}
    func apply(to subscription: inout Subscription) {}

    /// The definition of the type.
    fileprivate func known(in schema: ContainerSchema) throws(DatabaseError) -> ContainerSchema.RecordType {
        if type == ContainerSchema.shareType {
            throw DatabaseError(.invalidArguments, "the type of shares stays")
        }
        if type == ContainerSchema.userRecordType {
            throw DatabaseError(.invalidArguments, "the type of users stays")
        }
        if let known = schema.recordTypes[type] { return known }
        throw DatabaseError(
            .invalidArguments, "no type \(type)",
            hint: EditDistance.closest(to: type, in: schema.recordTypes.keys.sorted()).map { "did you mean \($0)?" })
    }

    /// The definition of a field of the type.
    fileprivate func known(
        _ field: String, in schema: ContainerSchema
    ) throws(DatabaseError) -> (type: ContainerSchema.RecordType, field: ContainerSchema.Field) {
        let known = try known(in: schema)
        if let field = known.fields[field] { return (known, field) }
        throw DatabaseError(
            .invalidArguments, "\(type) has no field \(field)",
            hint: EditDistance.closest(to: field, in: known.fields.keys.sorted()).map { "did you mean \($0)?" })
    }

    /// Migrations have no key: what is encrypted stays as it is.
    fileprivate func checkIsPlain(_ field: String, _ definition: ContainerSchema.Field) throws(DatabaseError) {
        if definition.traits.contains(.encrypted) {
            throw DatabaseError(
                .invalidArguments, "field \(field) of \(type) is encrypted: it can be dropped, not changed",
                hint: "save its values in another field")
        }
    }

    fileprivate func checkNew(
        _ field: String, in known: ContainerSchema.RecordType?
    ) throws(DatabaseError) {
        if known?.fields[field] != nil {
            throw DatabaseError(.invalidArguments, "\(type) has a field \(field) already")
        }
    }
}

struct RenamedField: MigrationStep {
    let type: String
    let field: String
    let name: String

    func apply(to schema: inout ContainerSchema) throws(DatabaseError) {
        var (known, definition) = try known(field, in: schema)
        try checkNew(name, in: known)
        try checkIsPlain(field, definition)
        known.remove(field)
        known.define(name, definition)
        known.uniqueTogether = known.uniqueTogether.map { $0.map { $0 == field ? name : $0 } }
        schema.recordTypes[type] = known
    }

    func apply(to record: inout MigratedRecord) {
        record.fields[name] = record.fields.removeValue(forKey: field)
        if record.changed.remove(field) != nil { record.changed.insert(name) }
    }

    func apply(to subscription: inout Subscription) {
        if subscription.queriedType == type { subscription.renameField(field, to: name) }
    }
}

struct RetypedField: MigrationStep {
    let type: String
    let field: String
    let newType: FieldType
    let convert: @Sendable (FieldValue) throws -> FieldValue

    func apply(to schema: inout ContainerSchema) throws(DatabaseError) {
        var (known, definition) = try known(field, in: schema)
        try checkIsPlain(field, definition)
        // What suited the type before need not suit the new one; a type with all indexes has all of them again.
        let all = IndexMarks.all(for: definition.type)
        let indexes = definition.indexes == all ? nil : definition.indexes.intersection(.all(for: newType))
        let traits = definition.traits.subtracting(newType.canBeUnique ? .number : [.number, .unique])
        let analyzer = newType.canBeAnalyzed ? definition.analyzer : nil
        known.define(field, ContainerSchema.Field(newType, indexes: indexes, traits: traits, analyzer: analyzer))
        schema.recordTypes[type] = known
    }

    func apply(to record: inout MigratedRecord) throws {
        guard let value = record.fields[field], !value.isNull else { return }
        do {
            record.fields[field] = try convert(value)
            record.changed.insert(field)
        } catch {
            throw FieldFault(field: field, error: error)
        }
    }
}

struct DroppedField: MigrationStep {
    let type: String
    let field: String

    func apply(to schema: inout ContainerSchema) throws(DatabaseError) {
        var known = try known(field, in: schema).type
        if let keys = known.uniqueTogether.first(where: { $0.contains(field) }) {
            throw DatabaseError(
                .invalidArguments, "field \(field) of \(type) is in \(ContainerSchema.words(uniqueTogether: keys))",
                hint: "say setUniqueTogether before, without the field")
        }
        known.remove(field)
        schema.recordTypes[type] = known
    }

    func apply(to record: inout MigratedRecord) { record.fields[field] = nil }
}

struct AddedField: MigrationStep {
    let type: String
    let field: String
    let definition: ContainerSchema.Field
    var changesRecords: Bool { false }

    func apply(to schema: inout ContainerSchema) throws(DatabaseError) {
        var known = schema.recordTypes[type] ?? ContainerSchema.RecordType()
        try checkNew(field, in: known)
        known.define(field, definition)
        schema.recordTypes[type] = known
    }
}

struct DescribedField: MigrationStep {
    let type: String
    let field: String
    let change: @Sendable (inout ContainerSchema.Field) -> Void
    var changesRecords: Bool { false }

    func apply(to schema: inout ContainerSchema) throws(DatabaseError) {
        var (known, definition) = try known(field, in: schema)
        let before = definition
        change(&definition)
        guard definition.isStored(as: before) else {
            throw DatabaseError(
                .invalidArguments, "field \(field) of \(type) is \(before.schemaName) and stays so",
                hint: "save its values in another field")
        }
        known.define(field, definition)
        schema.recordTypes[type] = known
    }
}

struct UniqueTogether: MigrationStep {
    let type: String
    let lists: [[String]]
    var changesRecords: Bool { false }

    func apply(to schema: inout ContainerSchema) throws(DatabaseError) {
        var known = try known(in: schema)
        known.uniqueTogether = lists
        schema.recordTypes[type] = known
    }
}

struct RenamedType: MigrationStep {
    let type: String
    let name: String

    func apply(to schema: inout ContainerSchema) throws(DatabaseError) {
        let known = try known(in: schema)
        guard schema.recordTypes[name] == nil else {
            throw DatabaseError(.invalidArguments, "there is a type \(name) already")
        }
        schema.recordTypes[type] = nil
        schema.recordTypes[name] = known
    }

    func apply(to record: inout MigratedRecord) { record.type = name }
    func apply(to subscription: inout Subscription) { subscription.renameType(type, to: name) }
}

struct DroppedType: MigrationStep {
    let type: String

    func apply(to schema: inout ContainerSchema) throws(DatabaseError) {
        _ = try known(in: schema)
        schema.recordTypes[type] = nil
    }

    func apply(to record: inout MigratedRecord) throws(DatabaseError) {
        throw DatabaseError(
            .invalidArguments, "there are records of type \(type)", hint: "delete them before, with deleteAll")
    }
}

struct UpdatedRecords: MigrationStep {
    let type: String
    let change: @Sendable (inout [String: FieldValue]) throws -> Void

    func apply(to schema: inout ContainerSchema) throws(DatabaseError) { _ = try known(in: schema) }

    func apply(to record: inout MigratedRecord) throws {
        let before = record.fields
        try change(&record.fields)
        for (key, value) in record.fields where before[key] != value { record.changed.insert(key) }
    }
}

/// What a conversion threw, with the field that it was for.
struct FieldFault: Error {
    let field: String
    let error: any Error
}
