// Columns made value by value.

package import RecordModel

extension Column {
    /// A column of values that a body gives row by row, `.null` for rows without one.
    ///
    /// - Parameter name: The field, for messages.
    /// - Throws: `ColumnError` when values are of kinds that do not mix, or too much.
    /// - Complexity: O(values).
    package static func of(
        _ name: String, count: Int, _ value: (_ row: Int) -> FieldValue
    ) throws(ColumnError) -> Column {
        let builder = ColumnBuilder(shape: FieldInference(name: name, readsDates: false))
        for row in 0..<count { try builder.append(value(row), row: row, origin: 1) }
        return builder.finish(rows: count, texts: .texts)
    }
}
