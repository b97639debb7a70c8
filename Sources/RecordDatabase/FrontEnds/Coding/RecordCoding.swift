// Between a value of a Swift type and the fields of a record.

import RecordModel

/// The steps between values and records.
enum RecordCoding {
    /// Coding keys that mean a part of the record and no field.
    static let systemKeys: Set<String> = [
        "recordID", "recordName", "recordType", "creationDate", "modificationDate", "creatorUserRecordID",
        "lastModifiedUserRecordID", "recordChangeTag",
    ]

    /// The encoded members of a value.
    /// - Throws: `RecordCodingError` with the coding path of what no field can hold.
    static func fields<Value: RecordConvertible>(of value: Value) throws(RecordCodingError) -> [String: FieldValue] {
        do {
            guard case .object(let members) = try FieldEncoder.value(of: value) else {
                throw RecordCodingError(.unsupported, path: [], message: "the type does not encode named values")
            }
            return members
        } catch {
            throw RecordCodingError(error, recordType: Value.recordType)
        }
    }

    /// Removes the members that identify the record.
    static func takeIdentifier(from fields: inout [String: FieldValue]) -> Record.ID? {
        let (id, name) = (fields.removeValue(forKey: "recordID"), fields.removeValue(forKey: "recordName"))
        if case .reference(let reference) = id { return reference.recordID }
        if case .string(let name) = name { return Record.ID(name) }
        return nil
    }

    /// The value of a record.
    /// - Throws: `RecordCodingError` with the coding path of what the type does not take.
    static func value<Value: RecordConvertible>(of record: Record) throws(RecordCodingError) -> Value {
        do {
            return try Value(from: FieldDecoder(.object(record.fields), systemValues: systemValues(of: record)))
        } catch {
            throw RecordCodingError(error, recordType: record.type)
        }
    }

    private static func systemValues(of record: Record) -> [String: FieldValue] {
        [
            "recordID": record.id.fieldValue, "recordName": .string(record.id.recordName),
            "recordType": .string(record.type),
        ]
    }
}
