// A segment: sealed rows of one record type, column by column.

package import RecordModel

/// Rows of one record type and one zone, stored by column. Immutable; may be read from any thread.
package final class Segment: Sendable {
    /// The fields of the record type, over all segments of the table.
    package let schema: RecordSchema
    /// The zone of all rows.
    package let zoneID: RecordZone.ID
    /// The columns, in the order of `schema.fields`; a column's own type may be narrower than the schema's
    /// (whole numbers where the schema says numbers).
    package let columns: [Column]
    /// The record name of each row.
    package let names: TextColumn
    /// Number of rows.
    package let count: Int
    private let nameIndex = OnceCell<ByteIndex>()
    /// The rows as their owner names them; `nil` where these are.
    private let home: Segment?

    /// - Parameters:
    ///   - nameIndex: The rows by name, where that is known already.
    ///   - home: The same rows as their owner names them, where these are others' names for them.
    init(
        schema: RecordSchema, zoneID: RecordZone.ID, columns: [Column], names: TextColumn, nameIndex: ByteIndex? = nil,
        home: Segment? = nil
    ) {
        self.home = home
        self.schema = schema
        self.zoneID = zoneID
        self.columns = columns
        self.names = names
        count = names.count
        if let nameIndex { _ = self.nameIndex.storeIfNil(nameIndex) }
    }

    /// The record type of all rows.
    package var recordType: String { schema.recordType }

    /// The column of a field, or `nil` when the record type has no such field. Complexity: O(1).
    package func column(named name: String) -> Column? { schema.position(of: name).map { columns[$0] } }

    /// As `column(named:)`, for a field that is most likely at a position.
    func column(named name: String, near position: Int) -> Column? {
        if schema.fields.indices.contains(position), schema.fields[position].name == name { return columns[position] }
        return column(named: name)
    }

    /// The value of a field in a row; `.null` when it has none.
    package func value(of field: String, row: Int) -> FieldValue {
        guard let position = schema.position(of: field) else { return .null }
        // In place: an array's element, and `column(named:)`, are copies of the column.
        return unsafe columns.withUnsafeBufferPointer { unsafe $0[position].value(row) }
    }

    /// The identifier of a row's record.
    package func recordID(_ row: Int) -> Record.ID { Record.ID(names.string(row), zoneID: zoneID) }

    /// The identifier of a row's record as it is stored, whoever names it how.
    package func storedID(_ row: Int) -> Record.ID { home?.recordID(row) ?? recordID(row) }

    /// The record of a row. Complexity: O(fields).
    package func record(_ row: Int) -> Record {
        var fields: [String: FieldValue] = [:]
        for (field, column) in zip(schema.fields, columns) where column.isPresent(row) {
            fields[field.name] = column.value(row)
        }
        return Record(type: recordType, id: recordID(row), fields: fields)
    }

    /// Up to so many rows reading their names costs less than building an index of them.
    private static let namesRead = 8

    /// The row of the record with that name, or `nil`. Complexity: O(count) the first time, then O(1).
    package func row(named name: String) -> Int? {
        var name = name
        return name.withUTF8 { unsafe row(named: $0, hash: ByteHash.hash($0)) }
    }

    /// As `row(named:)`, for a name that has the hash `ByteHash.hash`.
    package func row(named name: UnsafeBufferPointer<UInt8>, hash: UInt32) -> Int? {
        if count <= Self.namesRead { return (0..<count).first { unsafe names.equals($0, name) } }
        let index = knownNames
        return index.find(unsafe index.hash(name, known: hash)) { unsafe names.equals($0, name) }
    }

    /// Has the rows by name known, for those who will look for one. Complexity: O(count) the first time, then O(1).
    package func findNames() { if count > Self.namesRead { _ = knownNames } }

    /// The rows by name, built on first use.
    var knownNames: ByteIndex {
        nameIndex.load() ?? nameIndex.storeIfNil(home?.knownNames ?? ByteIndex(of: names))
    }

    /// Room taken, in bytes, without the index of names.
    package var byteCount: Int { names.byteCount + columns.reduce(0) { $0 + $1.byteCount } }
}

extension ByteIndex {
    /// The rows of a column by their texts; of equal texts the first. Complexity: O(count).
    package convenience init(of texts: TextColumn) {
        self.init(capacity: texts.count)
        for row in 0..<texts.count {
            unsafe texts.withBytes(row) { text in
                let hash = unsafe ByteHash.hash(text)
                if find(hash, where: { unsafe texts.equals($0, text) }) == nil { insert(hash, row) }
            }
        }
    }
}
