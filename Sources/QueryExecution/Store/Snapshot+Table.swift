// A snapshot as a table.

import Indexing
import RecordColumns

extension Snapshot {
    /// The records as a table in the order of insertion, with the indexes of their segments. Segments with deleted rows
    /// are copied without these; the others are shared.
    package var table: IndexedTable {
        let whole = segments.flatMap { stored in
            stored.deleted == nil ? [stored] : MergePolicy.merged([stored], schemas, indexedLike: [stored]) ?? [stored]
        }
        let table = RecordTable(
            segments: whole.map(\.segment), sequences: whole.map(\.sequences), schemas: schemas,
            keys: RecordKeys(id: "recordName", type: "recordType"))
        return IndexedTable(table, indexes: whole.map(\.indexes))
    }
}
