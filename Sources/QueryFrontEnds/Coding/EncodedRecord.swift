// What of a record a value says, and what of a record is no field.

import RecordModel

/// The parts of a record that a value was encoded as.
struct EncodedRecord {
    /// The fields by name; nil for those of properties without a value.
    var fields: [String: FieldValue]
    /// The identifier, where the value has one.
    var id: Record.ID?
    /// The record above it, or none; nil where the value's type does not say.
    var parent: Record.ID??

    /// - Throws: `RecordCodingError` with the coding path of what no field can hold.
    init<Value: RecordConvertible>(_ value: Value) throws(RecordCodingError) {
        let encoder = FieldEncoder()
        do {
            try value.encode(to: encoder)
        } catch {
            throw RecordCodingError(error, recordType: Value.recordType)
        }
        guard case .object = encoder.node.content else {
            throw RecordCodingError(
                .unsupported, recordType: Value.recordType, path: [],
                message: "the type does not encode named values")
        }
        fields = encoder.node.members
        let name = fields.removeValue(forKey: "recordName").flatMap(String.init(fieldValue:))
        id = fields.removeValue(forKey: "recordID").flatMap(Record.ID.init(fieldValue:)) ?? name.map { Record.ID($0) }
        if let above = fields.removeValue(forKey: "parent") { parent = .some(Record.ID(fieldValue: above)) }
        for key in Self.databaseKeys { fields[key] = nil }
    }

    /// Coding keys of what only the database writes.
    private static let databaseKeys = [
        "recordType", "creationDate", "modificationDate", "creatorUserRecordID", "lastModifiedUserRecordID",
        "recordChangeTag",
    ]
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
