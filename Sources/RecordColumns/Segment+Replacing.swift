// Segments of loaded records with other names, or other values of one field.

package import RecordModel

extension Segment {
    /// The same rows under other names, one for each row.
    package func renamed(_ names: [String]) -> Segment {
        Segment(schema: schema, zoneID: zoneID, columns: columns, names: TextColumn(names))
    }

    /// The same rows with other values of a field of the type, one for each row.
    /// - Throws: `ColumnError` for values of kinds that do not mix.
    package func replacing(_ field: String, with values: [FieldValue]) throws(ColumnError) -> Segment {
        guard let position = schema.position(of: field) else { return self }
        let builder = ColumnBuilder(shape: FieldInference(name: field))
        for (row, value) in values.enumerated() { try builder.append(value, row: row, origin: row) }
        var (schema, columns) = (schema, columns)
        columns[position] = builder.finish(rows: count, texts: .texts)
        schema.define(FieldDefinition(name: field, type: columns[position].type))
        return Segment(schema: schema, zoneID: zoneID, columns: columns, names: names)
    }
}

extension LoadedSegments {
    /// The same records in other segments, each with the rows that it had.
    /// - Parameter renamed: The indexes of segments that have got names.
    package func with(segments: [Segment], schemas: [RecordSchema], renamed: Set<Int>) -> LoadedSegments {
        LoadedSegments(
            keys: keys, hasNames: hasNames, hasTypes: hasTypes, namedSegments: namedSegments.union(renamed),
            segments: segments, positions: positions,
            addresses: addresses, origins: origins, schemas: schemas)
    }
}
