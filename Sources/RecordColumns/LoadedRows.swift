// Rows of files and programs as records read them.

package import RecordModel

/// The rows of a segment that no database wrote, one object for all records of a result.
package final class LoadedRows: RecordRows {
    private let segment: Segment
    package var isStored: Bool { false }

    package init(_ segment: Segment) { self.segment = segment }

    package func metadata(row _: Int) -> Record.Metadata { Record.Metadata() }
    package func recordChangeTag(row _: Int) -> String? { nil }
    package func parent(row _: Int) -> RecordReference? { nil }
    package func value(of field: String, row: Int) -> FieldValue { segment.value(of: field, row: row) }

    package func fields(row: Int) -> [String: FieldValue] {
        var fields: [String: FieldValue] = [:]
        for (field, column) in zip(segment.schema.fields, segment.columns) where column.isPresent(row) {
            fields[field.name] = column.value(row)
        }
        return fields
    }

    /// The record of a row: its values are read on demand.
    package func record(_ row: Int) -> Record {
        Record(type: segment.recordType, id: segment.recordID(row), version: RecordVersion(rows: self, row: row))
    }
}
