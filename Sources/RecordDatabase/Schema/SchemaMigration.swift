// Steps from one schema to the next, with what happens to the records.

import FoundationEssentials
public import RecordModel

/// A change of the schema that records are carried through: fields and types that get other names or types, or go.
///
///     try await container.migrate([
///         SchemaMigration("2 population is a number") { change in
///             change.renameField("pop", of: "City", to: "population")
///             change.retypeField("population", of: "City", to: .int64)
///             change.dropField("mayor", of: "City")
///         }
///     ])
///
/// The steps are taken in their order, each on what the one before left.
public struct SchemaMigration: Sendable {
    /// Names the migration in the store, which keeps that it was made.
    public let name: String
    var steps: [any MigrationStep] = []

    /// A migration whose steps are added by a closure.
    public init(_ name: String, _ describe: (inout SchemaMigration) -> Void) {
        self.name = name
        describe(&self)
    }

    /// Gives a field another name, which the type does not have yet.
    public mutating func renameField(_ field: String, of type: String, to name: String) {
        steps.append(RenamedField(type: type, field: field, name: name))
    }

    /// Gives a field another type.
    ///
    /// - Parameter convert: Called with each value, which is none of nil: the value as the new type has it, or nil for
    ///   none. It may throw, and then nothing is changed. By default as `standardConversion(of:to:)`.
    public mutating func retypeField(
        _ field: String, of type: String, to newType: FieldType,
        _ convert: (@Sendable (FieldValue) throws -> FieldValue)? = nil
    ) {
        steps.append(
            RetypedField(type: type, field: field, newType: newType) { value in
                if let convert { return try convert(value) }
                return try Self.standardConversion(of: value, to: newType)
            })
    }

    /// Takes a field away, with its values.
    public mutating func dropField(_ field: String, of type: String) {
        steps.append(DroppedField(type: type, field: field))
    }

    /// Defines a field that the type does not have yet; the type, too, where it is new.
    public mutating func addField(_ name: String, _ field: ContainerSchema.Field, to type: String) {
        steps.append(AddedField(type: type, field: name, definition: field))
    }

    /// Says how a field can be queried.
    public mutating func setIndexes(_ indexes: IndexMarks, of field: String, in type: String) {
        steps.append(DescribedField(type: type, field: field) { $0.indexes = indexes })
    }

    /// Says what is demanded of a field's values, besides their type: `.unique`, `.required`. All records are checked.
    public mutating func setTraits(_ traits: ContainerSchema.Traits, of field: String, in type: String) {
        steps.append(DescribedField(type: type, field: field) { $0.traits = traits })
    }

    /// Says which fields' values are unique together, as `RecordType.uniqueTogether` does: all lists of the type, those
    /// that stay too. All records are checked.
    public mutating func setUniqueTogether(_ lists: [[String]], in type: String) {
        steps.append(UniqueTogether(type: type, lists: lists))
    }

    /// Gives a type another name, which no type has yet.
    public mutating func renameType(_ type: String, to name: String) {
        steps.append(RenamedType(type: type, name: name))
    }

    /// Takes a type away, which no record is of.
    public mutating func dropType(_ type: String) { steps.append(DroppedType(type: type)) }

    /// Changes the fields of every record of a type.
    ///
    /// - Parameter change: Called with the values of each record by field. It may throw, and then nothing is changed.
    public mutating func updateRecords(
        ofType type: String, _ change: @escaping @Sendable (inout [String: FieldValue]) throws -> Void
    ) {
        steps.append(UpdatedRecords(type: type, change: change))
    }
}

extension SchemaMigration {
    /// A value as another type has it, without loss: whole numbers as DOUBLE and back, numbers and dates as texts and
    /// back, a value as a list of one.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for a value that the type cannot hold.
    public static func standardConversion(
        of value: FieldValue, to type: FieldType
    ) throws(DatabaseError) -> FieldValue {
        if let converted = converted(value, type) { return converted }
        throw DatabaseError(
            .invalidArguments, "a value does not convert to \(type.schemaName)",
            hint: "give retypeField a closure that converts it")
    }

    private static func converted(_ value: FieldValue, _ type: FieldType) -> FieldValue? {
        switch (value, type) {
        case (.null, _), (.int64, .int64), (.double, .double), (.string, .string), (.date, .date): value
        case (.data, .data), (.location, .location), (.reference, .reference), (.asset, .asset): value
        case (.int64(let number), .double): Int64(exactly: Double(number)) == number ? .double(Double(number)) : nil
        case (.double(let number), .int64): Int64(exactly: number).map { .int64($0) }
        case (.int64(let number), .string): .string("\(number)")
        case (.double(let number), .string): .string("\(number)")
        case (.date(let date), .string): RFC3339.format(date.timeIntervalSinceReferenceDate).map { .string($0) }
        case (.string(let text), .int64): Int64(text).map { .int64($0) }
        case (.string(let text), .double): Double(text).flatMap { $0.isFinite ? .double($0) : nil }
        case (.string(let text), .date): RFC3339.date(text).map { .date($0) }
        case (.list(let elements), .list(let element?)): list(elements, element)
        case (_, .list(let element?)): list([value], element)
        default: nil
        }
    }

    private static func list(_ elements: [FieldValue], _ type: FieldType) -> FieldValue? {
        let converted = elements.compactMap { Self.converted($0, type) }
        return converted.count == elements.count ? .list(converted) : nil
    }
}
