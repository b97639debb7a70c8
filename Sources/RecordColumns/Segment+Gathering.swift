// Segments made of rows of other segments.

package import RecordModel

extension Segment {
    /// A segment of rows of other segments of one type and zone, column by column.
    ///
    /// - Parameters:
    ///   - schema: The fields of the new segment; those that a source has no column for have no values.
    ///   - segments: The sources that `rows` numbers.
    /// - Throws: `ColumnError` of kind `tooLarge`.
    /// - Complexity: O(rows · fields + bytes).
    package static func gathered(
        _ rows: RowGather, of segments: [Segment], schema: RecordSchema, zoneID: RecordZone.ID
    ) throws(ColumnError) -> Segment {
        var columns: [Column] = []
        for (position, field) in schema.fields.enumerated() {
            columns.append(try column(field.name, near: position, of: segments, rows))
        }
        return Segment(schema: schema, zoneID: zoneID, columns: columns, names: try names(rows, of: segments))
    }

    static func column(
        _ field: String, near position: Int, of segments: [Segment], _ rows: RowGather
    ) throws(ColumnError) -> Column {
        do throws(ColumnError) {
            return try .gathered(segments.map { $0.column(named: field, near: position) }, rows)
        } catch {
            throw ColumnError(error.kind, field: field)
        }
    }

    static func names(_ rows: RowGather, of segments: [Segment]) throws(ColumnError) -> TextColumn {
        let builder = TextBuilder()
        for stretch in rows.stretches {
            let names = segments[stretch.source].names
            for row in stretch.rows {
                guard unsafe names.withBytes(row, { unsafe builder.append($0) }) else { throw ColumnError(.tooLarge) }
            }
        }
        return builder.finish()
    }
}
