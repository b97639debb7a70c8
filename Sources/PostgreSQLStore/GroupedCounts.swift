// Rows counted by the values of a column.

import FoundationEssentials
import RecordDatabase
import RecordModel
import RecordPushdown

extension FieldColumn {
    /// Whether the server can tell the values of the column apart as groups of records are: numbers, dates, and texts,
    /// whose normal form depends on the tables of Unicode.
    func isGrouped(knowsTexts: Bool) -> Bool {
        if isList { return false }
        return switch kind {
        case .int64, .double, .date: true
        case .string: knowsTexts
        case .location, .reference: false
        }
    }

    private var column: SQLText { "\(name: "r").\(name: name)" }

    /// Selects the values, their counts, and whether some text is not as the column has it.
    var counted: SQLText { "SELECT \(column), count(*), bool_or(r._x & 1 <> 0)" }

    /// The groups. Doubles of other bits are others: which of them a group of records shows is not the server's choice.
    var groups: SQLText {
        kind == .double || kind == .date ? " GROUP BY \(column), float8send(\(column))" : " GROUP BY \(column)"
    }

    /// The counts of a result; `nil` where the records have to tell.
    func counts(_ rows: RowSet) -> [(value: FieldValue, count: Int)]? {
        var counts: [(value: FieldValue, count: Int)] = []
        for row in 0..<rows.count {
            let value = value(rows, row)
            guard let count = rows.int64(row, 1), kind != .string || rows.bool(row, 2) != true, !value.isNegativeZero
            else { return nil }
            counts.append((value, Int(count)))
        }
        return counts
    }

    private func value(_ rows: RowSet, _ row: Int) -> FieldValue {
        switch kind {
        case .int64: rows.int64(row, 0).map { .int64($0) } ?? .null
        case .double: rows.double(row, 0).map { .double($0) } ?? .null
        case .date: rows.double(row, 0).map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
        case .string, .location, .reference: rows.text(row, 0).map { .string($0) } ?? .null
        }
    }
}

extension FieldValue {
    /// Whether it is the zero below zero: groups show it as the other one.
    var isNegativeZero: Bool {
        switch self {
        case .double(let number): number == 0 && number.sign == .minus
        case .date(let date):
            date.timeIntervalSinceReferenceDate == 0 && date.timeIntervalSinceReferenceDate.sign == .minus
        default: false
        }
    }
}
