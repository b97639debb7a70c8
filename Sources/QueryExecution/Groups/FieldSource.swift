// Where the values of a field are read: a column, or the records.

import Indexing
import PredicateSemantics
import RecordColumns
import RecordModel
import RecordStore

/// The values of a field for the rows of one segment.
enum FieldSource {
    /// A column, and the order of its values where somebody has built one.
    case column(Column, OrderedIndex?)
    /// All rows have the same value.
    case constant(FieldValue)
    /// What a sort key of that name compares: parts of the record, paths.
    case rows((_ row: Int) -> FieldValue)

    init(_ name: String, of stored: StoredSegment, in snapshot: Snapshot) {
        let segment = stored.segment
        let isPart =
            !snapshot.keys.areForeign && ["id", "type"].contains(name) || snapshot.keys.isPartOfRecord(name)
        // Records without a field of that name may have the value that it leads to as a path.
        let isPath =
            !snapshot.keys.areForeign
            && name.firstIndex(of: ".").map { segment.schema.position(of: String(name[..<$0])) != nil } ?? false
        if !isPart, !isPath, let position = segment.schema.position(of: name) {
            let index = stored.indexes.ordered(column: position, building: false)
            self = .column(segment.columns[position], index)
        } else if !isPart, !name.contains(".") {
            self = .constant(.null)
        } else if segment.schema.position(of: name) == nil, ["type", "recordType"].contains(name) {
            self = .constant(.string(segment.recordType))
        } else {
            self = .rows {
                RowView(segment: segment, row: $0, keys: snapshot.keys).value(of: .field(name), in: snapshot)
            }
        }
    }

    /// The value of a row, `.null` for none.
    func value(_ row: Int) -> FieldValue {
        switch self {
        case .column(let column, _): column.value(row)
        case .constant(let value): value
        case .rows(let value): value(row)
        }
    }
}
