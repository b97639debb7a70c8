// A schema while records are checked against it: what they add counts only when they are saved.

import RecordModel

/// A schema that grows with the records of a batch.
struct SchemaDraft {
    private(set) var schema: ContainerSchema
    /// Whether it differs from the schema that it began as.
    private(set) var hasGrown = false
    let environment: Configuration.Environment
    let maximumNameLength: Int

    init(_ schema: ContainerSchema, environment: Configuration.Environment, maximumNameLength: Int) {
        self.schema = schema
        self.environment = environment
        self.maximumNameLength = maximumNameLength
    }

    /// The values of a record as its type stores them; fields and types that are new are defined.
    ///
    /// - Parameter declared: The types of fields by the Swift type that the record was made of. They go before those
    ///   of the values, and define fields without a value.
    /// - Throws: `ItemFailure` naming the field.
    mutating func stored(
        _ values: [String: FieldValue], ofType recordType: String, declared: [String: FieldType] = [:],
        _ check: ValueCheck
    ) throws(ItemFailure) -> [String: FieldValue] {
        if recordType == ContainerSchema.shareType { defineShares() }
        let known = schema.recordTypes[recordType]
        if known == nil { try checkNew(recordType) }
        var result = values
        var added: [(String, ContainerSchema.Field)] = []
        var first = FirstFault()
        for (key, value) in values {
            do throws(ValueFault) {
                let type: FieldType
                if let field = known?.fields[key] {
                    type = field.type
                    if field.traits.contains(.encrypted), !value.isNull {
                        throw ValueFault(
                            "the field is \(field.schemaName)", hint: "set it in encryptedValues", isMalformed: false)
                    }
                } else {
                    try checkNew(key, of: recordType)
                    if value.isNull { continue }
                    let declaredType = try check.storable(declared[key])
                    type = if let declaredType { declaredType } else { try check.type(of: value) }
                    added.append((key, ContainerSchema.Field(type)))
                }
                if let stored = try check.stored(value, as: type) { result[key] = stored }
            } catch {
                first.note(error, key)
            }
        }
        try first.fail("field", of: recordType)
        added += missing(declared, of: recordType, in: values, known, check)
        if known == nil || !added.isEmpty { try grow(recordType, added) }
        return result
    }

    /// Adds the type of shares, which every container has, in production too.
    private mutating func defineShares() {
        var type = schema.recordTypes[ContainerSchema.shareType] ?? ContainerSchema.RecordType()
        let missing = ContainerSchema.RecordType.share.fields.filter { type.fields[$0.key] == nil }
        if missing.isEmpty { return }
        for (key, field) in missing { type.define(key, field) }
        schema.recordTypes[ContainerSchema.shareType] = type
        hasGrown = true
    }

    /// The encrypted values of a record in the forms of their types, not encrypted yet; new fields are defined.
    ///
    /// - Throws: `ItemFailure` naming the field.
    mutating func checked(
        encrypted values: [String: FieldValue], ofType recordType: String, _ check: ValueCheck
    ) throws(ItemFailure) -> [String: FieldValue] {
        if values.isEmpty { return values }
        let known = schema.recordTypes[recordType]
        if known == nil { try checkNew(recordType) }
        var result = values
        var added: [(String, ContainerSchema.Field)] = []
        var first = FirstFault()
        for (key, value) in values {
            do throws(ValueFault) {
                let type: FieldType
                if let field = known?.fields[key] {
                    guard field.traits.contains(.encrypted) else {
                        throw ValueFault(
                            "the field is \(field.type.schemaName), and not encrypted",
                            hint: "encrypted values need a field of their own", isMalformed: false)
                    }
                    type = field.type
                } else {
                    try checkNew(key, of: recordType)
                    if value.isNull { continue }
                    type = try check.type(of: value)
                    added.append((key, ContainerSchema.Field(type, traits: .encrypted)))
                }
                if !type.canBeEncrypted { throw ValueFault("\(type.schemaName) cannot be encrypted") }
                if let stored = try check.stored(value, as: type) { result[key] = stored }
            } catch {
                first.note(error, key)
            }
        }
        try first.fail("encrypted field", of: recordType)
        if known == nil || !added.isEmpty { try grow(recordType, added) }
        return result
    }

    /// The fields that a Swift type declares, that have no value, and that are not known yet.
    private func missing(
        _ declared: [String: FieldType], of recordType: String, in values: [String: FieldValue],
        _ known: ContainerSchema.RecordType?, _ check: ValueCheck
    ) -> [(String, ContainerSchema.Field)] {
        // What has no value needs no definition: production is not the place to learn it.
        guard environment == .development else { return [] }
        return declared.compactMap { key, type in
            guard known?.fields[key] == nil, values[key]?.isNull ?? true,
                (try? checkNew(key, of: recordType)) != nil,
                let stored = try? check.storable(type)
            else { return nil }
            return (key, ContainerSchema.Field(stored))
        }
    }

    private func checkNew(_ recordType: String) throws(ItemFailure) {
        do throws(DatabaseError) {
            try NameRules.check(type: recordType, maximumLength: maximumNameLength)
        } catch {
            throw ItemFailure(error, isMalformed: true)
        }
    }

    private func checkNew(_ key: String, of recordType: String) throws(ValueFault) {
        do throws(DatabaseError) {
            try NameRules.check(key: key, ofType: recordType, maximumLength: maximumNameLength)
        } catch {
            throw ValueFault(error.reason, hint: error.hint)
        }
    }

    private mutating func grow(
        _ recordType: String, _ added: [(String, ContainerSchema.Field)]
    ) throws(ItemFailure) {
        guard environment == .development else {
            let missing = added.map(\.0).sorted().first
            let name = schema.recordTypes[recordType] == nil ? "record type \(recordType)" : "field \(missing ?? "")"
            throw ItemFailure(
                DatabaseError(
                    .invalidArguments, "the production schema has no \(name)",
                    hint: "define it in development first"))
        }
        var type = schema.recordTypes[recordType] ?? ContainerSchema.RecordType()
        for (key, field) in added { type.define(key, field) }
        schema.recordTypes[recordType] = type
        hasGrown = true
    }
}

/// Of the faults of a record's values the one that is told, whatever the order in which a dictionary gives them: what
/// is wrong with a value in itself goes before what its type has against it, then names decide.
private struct FirstFault {
    private var found: (fault: ValueFault, key: String)?

    mutating func note(_ fault: ValueFault, _ key: String) {
        if let found, (found.fault.isMalformed ? 0 : 1, found.key) < (fault.isMalformed ? 0 : 1, key) { return }
        found = (fault, key)
    }

    func fail(_ what: String, of recordType: String) throws(ItemFailure) {
        guard let (fault, key) = found else { return }
        throw ItemFailure(
            DatabaseError(
                .invalidArguments, "\(what) \(key) of \(recordType): \(fault.reason)", hint: fault.hint),
            isMalformed: fault.isMalformed)
    }
}
