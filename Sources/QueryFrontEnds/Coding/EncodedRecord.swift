// What of a record a value says, and what of a record is no field.

package import RecordModel

/// The parts of a record that a value was encoded as.
package struct EncodedRecord {
    let recordType: String
    /// The fields by name; nil for those of properties without a value.
    private(set) var fields: [String: FieldValue]
    /// The types of the fields that properties have by their Swift types, also where there is no value.
    let types: [String: FieldType]
    /// The identifier, where the value has one.
    package let id: Record.ID?
    /// The record above it, or none; nil where the value's type does not say.
    private(set) var parent: Record.ID??
    /// Whether the value's type keeps the change tag of its record.
    package let keepsChangeTag: Bool
    /// What the database wrote about the version that the value was read from; nil where that is not known.
    private var version: Record.Metadata?

    /// - Throws: `RecordCodingError` with the coding path of what no field can hold.
    package init<Value: RecordConvertible>(_ value: Value) throws(RecordCodingError) {
        let encoder = FieldEncoder()
        do {
            try value.encode(to: encoder)
        } catch {
            throw RecordCodingError(error, recordType: Value.recordType)
        }
        guard case .object(var nodes) = encoder.node.content else {
            throw RecordCodingError(
                .unsupported, recordType: Value.recordType, path: [],
                message: "the type does not encode named values")
        }
        recordType = Value.recordType
        var metadata: RecordMetadata?
        var keepsChangeTag = nodes["recordChangeTag"] != nil
        for (key, node) in nodes {
            guard case .metadata(let known) = node.content else { continue }
            (metadata, keepsChangeTag) = (known, true)
            nodes[key] = nil
        }
        self.keepsChangeTag = keepsChangeTag
        var values = nodes.mapValues(\.value)
        let name = values.removeValue(forKey: "recordName").flatMap(String.init(fieldValue:))
        let own =
            values.removeValue(forKey: "recordID").flatMap(Record.ID.init(fieldValue:))
            ?? name.map { Record.ID($0, zoneID: metadata?.zoneID ?? .default) }
        if let own, let known = metadata?.id, own != known {
            throw RecordCodingError(
                .conflict, recordType: Value.recordType, path: [], message: "the value has two identifiers",
                hint: "make its RecordMetadata with the identifier, or leave the other property out")
        }
        id = own ?? metadata?.id
        if let above = values.removeValue(forKey: "parent") { parent = .some(Record.ID(fieldValue: above)) }
        let stored = metadata?.stored ?? Self.version(values)
        version = stored.recordChangeTag == nil || id == nil ? nil : stored
        for key in Self.databaseKeys { values[key] = nil }
        fields = values
        types = FieldTypes.of(Value.self, nodes.filter { values[$0.key] != nil })
    }

    /// A value that names its record.
    ///
    /// - Throws: `RecordCodingError` with the coding path of what no field can hold, and of kind `missingValue` for a
    ///   value without an identifier.
    package init<Value: RecordConvertible>(identified value: Value) throws(RecordCodingError) {
        try self.init(value)
        guard id != nil else {
            throw RecordCodingError(
                .missingValue, recordType: Value.recordType, path: [], message: "the value has no identifier",
                hint: "give it a recordID, a recordName or a RecordMetadata")
        }
    }

    /// The value as one that no record holds yet.
    package func withoutVersion() -> EncodedRecord {
        var encoded = self
        encoded.version = nil
        return encoded
    }

    /// What a value says in properties of their own.
    private static func version(_ values: [String: FieldValue]) -> Record.Metadata {
        func value<Part: FieldValueRepresentable>(_ key: String) -> Part? {
            values[key].flatMap(Part.init(fieldValue:))
        }
        return Record.Metadata(
            creationDate: value("creationDate"), creatorUserRecordID: value("creatorUserRecordID"),
            modificationDate: value("modificationDate"), lastModifiedUserRecordID: value("lastModifiedUserRecordID"),
            recordChangeTag: value("recordChangeTag"))
    }

    /// Coding keys of what only the database writes.
    private static let databaseKeys = [
        "recordType", "creationDate", "modificationDate", "creatorUserRecordID", "lastModifiedUserRecordID",
        "recordChangeTag",
    ]

    /// The record that the value is saved as.
    ///
    /// - Parameter id: Its identifier, instead of the value's own or a new one.
    package func record(_ id: Record.ID? = nil) -> Record {
        let id = id ?? self.id ?? Record.ID()
        var record =
            if let version, id == self.id {
                Record(type: recordType, id: id, version: HeldVersion(metadata: version))
            } else {
                Record(type: recordType, id: id)
            }
        // Those without a value too: a stored record may have one.
        for (field, value) in fields { record[field] = value }
        record.declaredTypes = types
        if case .some(let parent) = parent { record.setParent(parent) }
        return record
    }
}

extension Record {
    /// The parts of the record that are no fields, by the names that predicates know them by; absent ones left out.
    var systemValues: [String: FieldValue] {
        var values: [String: FieldValue] = [
            "recordID": id.fieldValue, "recordName": .string(id.recordName), "recordType": .string(type),
        ]
        values["creationDate"] = creationDate?.fieldValue
        values["modificationDate"] = modificationDate?.fieldValue
        values["creatorUserRecordID"] = creatorUserRecordID?.fieldValue
        values["lastModifiedUserRecordID"] = lastModifiedUserRecordID?.fieldValue
        values["recordChangeTag"] = recordChangeTag?.fieldValue
        values["parent"] = parent?.fieldValue
        return values
    }
}
