// Tables of segments that are there already.

package import RecordModel

extension RecordTable {
    /// The rows of segments as one table, without copying them.
    ///
    /// - Parameters:
    ///   - sequences: Of each segment the numbers of its rows, ascending; all rows of all segments come in their order.
    ///   - schemas: The fields of every record type.
    /// - Complexity: O(rows) for one segment, else O(rows · log rows).
    package init(segments: [Segment], sequences: [RunMap], schemas: [RecordSchema], keys: RecordKeys) {
        var rows: [(sequence: Int, address: RowAddress)] = []
        rows.reserveCapacity(segments.reduce(0) { $0 + $1.count })
        for (index, segment) in segments.enumerated() {
            for row in 0..<segment.count {
                rows.append((sequences[index][row], RowAddress(segment: index, row: row)))
            }
        }
        if segments.count > 1 { rows.sort { $0.sequence < $1.sequence } }
        let (addresses, origins) = (RunMap(), RunMap())
        let positions = segments.map { _ in RunMap() }
        for (position, row) in rows.enumerated() {
            addresses.append(RowAddress.pack(segment: row.address.segment, row: row.address.row))
            origins.append(RowOrigin(file: 0, line: position + 1).packed)
            positions[row.address.segment].append(position)
        }
        self.init(
            keys: keys, hasNames: true, hasTypes: true, segments: segments, schemas: schemas, count: rows.count,
            addresses: addresses, positions: positions, origins: origins, nameIndex: NameIndex())
    }
}
