// One row, read column by column.

package import RecordModel

/// How the identifier and the type of records are called where they are seen as fields.
package struct RecordKeys: Hashable, Sendable {
    /// The key of the record's name.
    package var id: String
    /// The key of the record's type; `nil` when types are not read from records.
    package var type: String?
    /// Whether `id` and `type` are names of fields alone: of tables, whose columns have any name.
    package var areForeign = false

    package init(id: String = "id", type: String? = "type") {
        self.id = id
        self.type = type
    }

    /// The keys of rows of a table: no name but CloudKit's is that of a part of the record.
    package static let ofTable: RecordKeys = {
        var keys = RecordKeys(id: "recordName", type: "recordType")
        keys.areForeign = true
        return keys
    }()

    /// Whether a name that is no field's stands for a part of the record.
    package func isPartOfRecord(_ name: String) -> Bool {
        name == id || name == type || ["recordName", "recordType", "recordID"].contains(name)
    }
}

/// One row of a segment, its values read on demand.
package struct RowView: Sendable {
    package let segment: Segment
    package let row: Int
    package let keys: RecordKeys

    package init(segment: Segment, row: Int, keys: RecordKeys) {
        self.segment = segment
        self.row = row
        self.keys = keys
    }

    /// The value of a field; the identifier and the type under their keys; `.null` for anything else.
    /// A field of the record goes before a key of that name.
    package subscript(field: String) -> FieldValue {
        if let column = segment.column(named: field) { return column.value(row) }
        if field == keys.id { return .string(segment.names.string(row)) }
        if field == keys.type { return .string(segment.recordType) }
        return .null
    }

    /// The record itself.
    package var record: Record { segment.record(row) }

    /// The record's identifier.
    package var recordID: Record.ID { segment.recordID(row) }

    /// The record's name.
    package var recordName: String { segment.names.string(row) }

    /// The record's type.
    package var recordType: String { segment.recordType }
}
