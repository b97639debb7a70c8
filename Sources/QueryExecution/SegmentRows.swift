// Rows of a segment as the per-record evaluator reads them.

import Indexing
package import PredicateSemantics
package import RecordColumns
package import RecordModel
package import RecordStore

/// The columns of one segment that a bound predicate reads, looked up once per query.
package final class SegmentRows: Sendable {
    /// Where the value of a slot comes from.
    private enum Slot {
        case column(Column)
        case recordID
        case recordName
        case recordType
        case missing
    }

    package let segment: Segment
    let snapshot: Snapshot
    private let slots: [Slot]
    /// Columns that may hold text, for full-text search, with the names of their fields.
    private let texts: [(field: String, column: Column)]

    /// The rows of a segment; `names` are the bound predicate's field names, by slot.
    package init(_ segment: Segment, of snapshot: Snapshot, names: [String]) {
        self.segment = segment
        self.snapshot = snapshot
        slots = names.map { Self.slot($0, segment, snapshot.keys) }
        texts = zip(segment.schema.fields, segment.columns).filter { $1.mayHoldText }.map { ($0.name, $1) }
    }

    /// A field of the record goes before the names of the record's own parts.
    private static func slot(_ name: String, _ segment: Segment, _ keys: RecordKeys) -> Slot {
        if let column = segment.column(named: name) { return .column(column) }
        switch name {
        case keys.id, "recordName": return .recordName
        case keys.type, "recordType": return .recordType
        case "recordID": return .recordID
        default: return .missing
        }
    }

    func value(slot: Int, row: Int) -> FieldValue {
        slots.indices.contains(slot) ? Self.value(slots[slot], row, segment) : .null
    }

    func value(named name: String, row: Int) -> FieldValue {
        Self.value(named: name, row: row, segment, snapshot.keys)
    }

    static func value(named name: String, row: Int, _ segment: Segment, _ keys: RecordKeys) -> FieldValue {
        value(slot(name, segment, keys), row, segment)
    }

    private static func value(_ slot: Slot, _ row: Int, _ segment: Segment) -> FieldValue {
        switch slot {
        case .column(let column): column.value(row)
        case .recordName: .string(segment.names.string(row))
        case .recordType: .string(segment.recordType)
        case .recordID: .reference(RecordReference(recordID: segment.recordID(row)))
        case .missing: .null
        }
    }

    func forEachText(row: Int, _ body: (_ field: String, _ text: String) -> Bool) {
        for (field, column) in texts {
            switch column.value(row) {
            case .string(let text): if !body(field, text) { return }
            case .list(let elements): for case .string(let text) in elements where !body(field, text) { return }
            default: break
            }
        }
    }
}

/// One row, as the evaluator sees a record.
package struct RowSource: RecordSource {
    let rows: SegmentRows
    let row: Int

    package init(rows: SegmentRows, row: Int) {
        self.rows = rows
        self.row = row
    }

    package func value(at slot: Int) -> FieldValue { rows.value(slot: slot, row: row) }

    package func value(named name: String) -> FieldValue { rows.value(named: name, row: row) }

    package var wholeValue: FieldValue { .object(rows.segment.record(row).fields) }

    package func forEachText(_ body: (_ field: String, _ text: String) -> Bool) { rows.forEachText(row: row, body) }

    /// References are followed inside the snapshot; one that leads out of it gives nil.
    package func resolve(_ reference: RecordReference) -> (any RecordSource)? {
        guard let (segment, row) = rows.snapshot.find(reference.recordID) else { return nil }
        return TargetRow(segment: segment, row: row, snapshot: rows.snapshot)
    }
}

/// The record that a path arrived at: fields are read by name, one or two of them.
private struct TargetRow: RecordSource {
    let segment: Segment
    let row: Int
    let snapshot: Snapshot

    func value(at _: Int) -> FieldValue { .null }
    func value(named name: String) -> FieldValue { SegmentRows.value(named: name, row: row, segment, snapshot.keys) }
    var wholeValue: FieldValue { .object(segment.record(row).fields) }
    func forEachText(_ body: (_ field: String, _ text: String) -> Bool) {
        SegmentRows(segment, of: snapshot, names: []).forEachText(row: row, body)
    }

    func resolve(_ reference: RecordReference) -> (any RecordSource)? {
        guard let (segment, row) = snapshot.find(reference.recordID) else { return nil }
        return TargetRow(segment: segment, row: row, snapshot: snapshot)
    }
}
