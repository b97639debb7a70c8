// A table: the records of files, in segments, with their order.

package import OrdinalSets
package import RecordModel

/// How the identifier and the type of records are called where they are seen as fields.
package struct RecordKeys: Hashable, Sendable {
    /// The key of the record's name.
    package var id: String
    /// The key of the record's type; `nil` when types are not read from records.
    package var type: String?

    package init(id: String = "id", type: String? = "type") {
        self.id = id
        self.type = type
    }

    /// Whether a name that is no field's stands for a part of the record.
    package func isPartOfRecord(_ name: String) -> Bool {
        name == id || name == type || ["recordName", "recordType", "recordID"].contains(name)
    }
}

/// Records that references lead to.
package protocol RecordDirectory: Sendable {
    /// What the identifier and the type are called where they are seen as fields.
    var keys: RecordKeys { get }
    /// Where the record of an identifier is stored, or `nil`.
    func find(_ id: Record.ID) -> (segment: Segment, row: Int)?
}

/// Where a record came from.
package struct RowOrigin: Hashable, Sendable {
    /// Index of the file in order of loading.
    package var file: Int
    /// Line of the file, from 1.
    package var line: Int

    package init(file: Int, line: Int) {
        self.file = file
        self.line = line
    }

    private static let lineBits = 40

    /// The origin as one number: the file above 40 bits of line.
    package var packed: Int { file << Self.lineBits | line }

    /// The origin of a number made by `packed`.
    package init(packed: Int) {
        file = packed >> Self.lineBits
        line = packed & (1 << Self.lineBits - 1)
    }
}

/// Where the record of a position is stored.
package struct RowAddress: Hashable, Sendable {
    /// Index into `RecordTable.segments`.
    package var segment: Int
    package var row: Int

    package init(segment: Int, row: Int) { (self.segment, self.row) = (segment, row) }

    static let rowBits = 32
    init(packed: Int) {
        segment = packed >> Self.rowBits
        row = packed & (1 << Self.rowBits - 1)
    }

    static func pack(segment: Int, row: Int) -> Int { segment << rowBits | row }
}

/// Records of one or more types in the order in which they came: the contents of files.
///
/// Every record has a *position* in that order, from 0. Each segment holds rows of one type.
package struct RecordTable: RecordDirectory {
    /// What the identifier and the type are called where they are seen as fields.
    package let keys: RecordKeys
    /// Whether records gave identifiers of their own (else lines name them).
    package let hasNames: Bool
    /// Whether records gave types of their own.
    package let hasTypes: Bool
    /// The segments, those of one type in order of position.
    package let segments: [Segment]
    /// The fields of every record type, types and fields in order of first appearance.
    package let schemas: [RecordSchema]
    /// Number of records.
    package let count: Int

    let addresses: RunMap
    let positions: [RunMap]
    let origins: RunMap
    let nameIndex: NameIndex

    /// Where the record of a position below `count` is stored. Complexity: O(log runs); one run for one type.
    package func address(_ position: Int) -> RowAddress { RowAddress(packed: addresses[position]) }

    /// The position of a segment's row. Complexity: O(log runs).
    package func position(segment: Int, row: Int) -> Int { positions[segment][row] }

    /// The positions of a segment's rows, which ascend.
    package func positions(segment: Int) -> RunMap { positions[segment] }

    /// The file and the line that the record of a position came from. Complexity: O(log runs).
    package func origin(_ position: Int) -> RowOrigin { RowOrigin(packed: origins[position]) }

    /// The fields of a record type, or `nil` when the table has no record of it. Complexity: O(types).
    package func schema(ofType type: String) -> RecordSchema? { schemas.first { $0.recordType == type } }

    /// The indices of the segments that hold a type; of all types for `nil`.
    package func segmentIndices(ofType type: String?) -> [Int] {
        segments.indices.filter { type == nil || segments[$0].recordType == type }
    }

    /// The positions of the records of a type. Complexity: O(count).
    package func positions(ofType type: String) -> Bitmap {
        var set = Bitmap(count: count)
        for segment in segmentIndices(ofType: type) {
            for row in 0..<segments[segment].count { set[position(segment: segment, row: row)] = true }
        }
        return set
    }

    /// The position of the record with that name in a zone, or `nil`.
    /// Complexity: O(count) the first time, then O(1).
    package func position(named name: String, zoneID: RecordZone.ID = .default) -> Int? {
        let bytes = Array(name.utf8)
        return unsafe bytes.withUnsafeBufferPointer {
            unsafe position(named: $0, hash: ByteHash.hash($0), zoneID: zoneID)
        }
    }

    /// As `position(named:zoneID:)`, for a name of that hash.
    package func position(
        named name: UnsafeBufferPointer<UInt8>, hash: UInt32, zoneID: RecordZone.ID
    ) -> Int? {
        nameIndex.position(
            hash, among: count,
            hash: { position in
                let address = address(position)
                return unsafe segments[address.segment].names.withBytes(address.row) { unsafe ByteHash.hash($0) }
            },
            where: { position in
                let address = address(position)
                let segment = segments[address.segment]
                return unsafe segment.names.equals(address.row, name) && segment.zoneID == zoneID
            })
    }

    /// Where the record of an identifier is stored, or `nil`. Complexity: O(1).
    package func find(_ id: Record.ID) -> (segment: Segment, row: Int)? {
        position(named: id.recordName, zoneID: id.zoneID).map { position in
            let address = address(position)
            return (segments[address.segment], address.row)
        }
    }

    /// The record of a position below `count`. Complexity: O(fields).
    package func record(_ position: Int) -> Record {
        let address = address(position)
        return segments[address.segment].record(address.row)
    }

    /// A view of the record of a position below `count`.
    package subscript(position: Int) -> RowView {
        let address = address(position)
        return RowView(segment: segments[address.segment], row: address.row, keys: keys)
    }

    /// Room taken, in bytes.
    package var byteCount: Int { nameIndex.byteCount + segments.reduce(0) { $0 + $1.byteCount } }
}

/// One row of a segment, its values read when asked for.
package struct RowView: Sendable {
    package let segment: Segment
    package let row: Int
    let keys: RecordKeys

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
}
