// Orders in which a server gives the rows of a table, so that the first of them are enough.

import PredicateSemantics
import RecordModel
import RecordPushdown

/// The first keys of an order, as far as the server sorts by them as records are sorted. Rows that are the same in
/// these keys are told apart by whoever has all of them.
struct TableOrder {
    private struct Key {
        let column: TableColumn
        let isAscending: Bool
        /// The place of its values in a row.
        let position: Int
    }

    private let keys: [Key]

    /// - Parameter columns: The columns that are read.
    /// - Returns: `nil` where the server cannot sort by the first key.
    init?(_ order: [SortKey], _ columns: [TableColumn]) {
        var keys: [Key] = []
        for key in order {
            guard case .field(let name) = key.criterion,
                let position = columns.firstIndex(where: { $0.name == name }),
                let keepsApart = columns[position].form.sorting
            else { break }
            keys.append(Key(column: columns[position], isAscending: key.isAscending, position: position))
            // Rows that are the same here in this key may be any number of others in the next for the server.
            if !keepsApart { break }
        }
        if keys.isEmpty { return nil }
        self.keys = keys
    }

    /// What follows ORDER BY.
    var clause: SQLText {
        .joined(
            keys.map { key in
                let direction: SQLText = key.isAscending ? "ASC NULLS FIRST" : "DESC NULLS LAST"
                return "\(name: "r").\(name: key.column.name) \(direction)"
            }, by: ", ")
    }

    /// What a row has of the keys.
    func values(_ row: [FieldValue]) -> [FieldValue] { keys.map { row[$0.position] } }

    /// Whether a row comes behind all that have the same values as an earlier one, and so do all rows after it.
    func isBehind(_ values: [FieldValue], _ earlier: [FieldValue]) -> Bool {
        for (key, (value, other)) in zip(keys, zip(values, earlier)) where !Self.areSame(value, other) {
            return key.column.form != .numeric || Self.isOfFewDigits(value)
        }
        return false
    }

    /// Whether decimals keep their order when they become the nearest doubles, or whole numbers, up to a value.
    private static func isOfFewDigits(_ value: FieldValue) -> Bool {
        switch value {
        case .int64(let number): number.magnitude < 1 << 53
        case .double(let number): number.isNaN || abs(number) < 0x1p53
        default: true
        }
    }

    private static func areSame(_ value: FieldValue, _ other: FieldValue) -> Bool {
        switch (value, other) {
        case (.int64(let value), .int64(let other)): NumericOrder.compare(value, other) == 0
        case (.double(let value), .double(let other)): NumericOrder.compare(value, other) == 0
        case (.int64(let value), .double(let other)), (.double(let other), .int64(let value)):
            NumericOrder.compare(value, other) == 0
        default: value == other
        }
    }
}

extension TableColumn.Form {
    /// Whether two values that are different for the server are different here, too; `nil` where the server does not
    /// sort values as records are sorted: texts come in the order of their collation, here in that of their composed
    /// form.
    fileprivate var sorting: Bool? {
        switch self {
        case .int64, .double, .real, .bool, .day, .uuid: true
        case .numeric, .moment: false
        case .text, .json, .bytes, .list: nil
        }
    }
}
