// What the cells of a column of CSV tell, whichever record types and zones they are of.

/// What is known of one column of CSV while its cells come in, shared by the fields that it makes in all record types
/// and zones.
final class CellColumn {
    /// How numbers whose type is declared write fractions, and the record that tells it.
    var decimals: (areCommas: Bool, origin: Int)?

    /// Has the cells of each column read as one kind, over all of its fields.
    ///
    /// Columns of one name where only some have decimal commas are of different files: each of them keeps its way.
    /// - Complexity: O(values), but a column of texts mostly ends with its first one.
    static func settle(_ fields: [(shape: FieldInference, builders: [ColumnBuilder])]) {
        let columns = Dictionary(grouping: fields) { field in
            Form(column: ObjectIdentifier(field.shape.cells), readsDecimalCommas: field.shape.readsDecimalCommas)
        }
        for fields in columns.values where fields.count > 1 {
            let reading = TextReading(of: fields.flatMap { $0.builders }, shape: fields[0].shape)
            for field in fields { field.shape.reading = reading }
        }
    }

    private struct Form: Hashable {
        let column: ObjectIdentifier
        let readsDecimalCommas: Bool
    }
}

/// The columns of files by the number of their key.
final class CellColumns {
    private var columns: [CellColumn] = []

    /// The column of a key.
    func column(forKey key: Int) -> CellColumn {
        while columns.count <= key { columns.append(CellColumn()) }
        return columns[key]
    }
}
