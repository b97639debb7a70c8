// Columns of tables that others made: their types, and what is read of them.

package import RecordModel

/// A column of a table that is no container's.
package struct TableColumn: Hashable, Sendable {
    /// How the server keeps the values.
    package indirect enum Form: Hashable, Sendable {
        /// Whole numbers of 16, 32 or 64 bits.
        case int64
        case double
        /// Fractions of 32 bits: their shortest decimal text is read.
        case real
        /// Decimal numbers of any length: whole ones of 64 bits are read as they are, others as the nearest double.
        case numeric
        case bool
        /// Days: midnight in UTC.
        case day
        /// Microseconds, in UTC where the server knows no zone.
        case moment(hasZone: Bool)
        /// Texts, and whatever is read as the text that the server prints.
        ///
        /// - Parameter isBytewise: Whether texts are equal for the server only if their bytes are.
        case text(isBytewise: Bool)
        case uuid
        case json
        case bytes
        /// Arrays, of elements of one form.
        case list(Form)
    }

    /// The name of the column, which is that of the field.
    package let name: String
    package let form: Form

    /// A column of a name and a form.
    package init(_ name: String, _ form: Form) { (self.name, self.form) = (name, form) }

    /// What predicates take the field for.
    package var fieldType: FieldType { Self.type(of: form) }

    private static func type(of form: Form) -> FieldType {
        switch form {
        case .int64: .int64
        case .double, .real: .double
        case .numeric: .number
        case .bool: .bool
        case .day, .moment: .date
        case .text, .uuid: .string
        case .json: .any
        case .bytes: .data
        case .list(let element): .list(type(of: element))
        }
    }

    /// What a statement selects of the row `r`, in a form that `binaryForm` tells how to read.
    package var selected: SQLText {
        let column: SQLText = "\(name: "r").\(name: name)"
        return switch form {
        case .int64: "\(column)::int8"
        case .double, .bool, .day, .moment, .bytes: column
        case .real, .numeric, .text, .uuid, .json: "\(column)::text"
        case .list(let element):
            switch element {
            case .int64: "\(column)::int8[]"
            case .double, .bool, .day, .moment, .bytes: column
            case .real, .numeric, .text, .uuid, .json, .list: "\(column)::text[]"
            }
        }
    }
}

extension ColumnLayout {
    /// The columns of a table that others made, which are the fields' own.
    ///
    /// - Parameter table: The name of the table, without quotes.
    package init(_ columns: [TableColumn], table: String) {
        var fields: [String: FieldColumn] = [:]
        // Whole numbers and doubles are compared as those of containers are.
        for column in columns {
            switch column.form {
            case .int64: fields[column.name] = FieldColumn(system: column.name, .int64)
            case .double: fields[column.name] = FieldColumn(system: column.name, .double)
            default: break
            }
        }
        self.init(
            fields: fields, names: Set(columns.map(\.name)), table: table,
            others: Dictionary(columns.map { ($0.name, $0) }) { $1 })
    }
}
