// Cells of columns whose titles tell their types.

import RecordColumns
import RecordModel

/// Puts cells into columns as values of a type that is known beforehand: nothing is guessed.
struct TypedCells {
    private let appender: RecordAppender
    private let maximumDepth: Int
    /// Whether numbers may have a decimal comma.
    var readsDecimalCommas = false

    /// - Parameter appender: Takes the values of cells that are JSON.
    init(_ appender: RecordAppender, maximumDepth: Int) {
        self.appender = appender
        self.maximumDepth = maximumDepth
    }

    /// Puts a cell into a row.
    /// - Throws: `FileError` without file and line.
    func append(
        _ cell: UnsafeBufferPointer<UInt8>, as type: FieldType, to column: ColumnBuilder, row: Int, origin: Int
    ) throws(FileError) {
        do throws(ColumnError) {
            if try unsafe appendPlain(cell, as: type, to: column, row: row, origin: origin) { return }
        } catch {
            throw FileError(error)
        }
        var parser = unsafe JSONParser(Array(cell), maximumDepth: maximumDepth)
        do throws(JSONError) { try parser.parse() } catch { throw unsuitable(type, column, error.hint) }
        try unsafe parser.withTape { tape throws(FileError) in
            guard unsafe suits(tape, type) else { throw unsuitable(type, column, nil) }
            if type == .list(.double), unsafe tape.kind(JSONTape.first) == JSONTape.Kind.array {
                try unsafe appendDoubles(tape, to: column, row: row, origin: origin)
            } else {
                try unsafe appender.append(tape, JSONTape.first, to: column, row: row, origin: origin)
            }
        }
    }

    /// Takes a list of numbers as doubles, whole ones too, as cells of type `DOUBLE` do.
    private func appendDoubles(
        _ tape: JSONTape, to column: ColumnBuilder, row: Int, origin: Int
    ) throws(FileError) {
        let list: ColumnBuilder
        do throws(ColumnError) { list = try column.beginList(row: row, origin: origin) } catch {
            throw FileError(error)
        }
        let end = unsafe tape.end(JSONTape.first)
        var position = unsafe JSONTape.first + 1
        while position < end {
            if unsafe tape.kind(position) == JSONTape.Kind.null { list.appendMissing() }
            if let number = unsafe tape.number(position) {
                do throws(ColumnError) { try list.append(number, row: list.count, origin: origin) } catch {
                    throw FileError(error)
                }
            } else {
                try unsafe appender.append(tape, position, to: list, row: list.count, origin: origin)
            }
            unsafe position = tape.next(position)
        }
        do throws(ColumnError) { try column.endList() } catch { throw FileError(error) }
    }

    /// Takes a cell that is plain text; `false` for one that has to be JSON.
    private func appendPlain(
        _ cell: UnsafeBufferPointer<UInt8>, as type: FieldType, to column: ColumnBuilder, row: Int, origin: Int
    ) throws(ColumnError) -> Bool {
        switch type {
        case .string: try unsafe column.append(text: cell, row: row, origin: origin)
        case .int64, .double, .number:
            return try unsafe appendNumber(cell, as: type, to: column, row: row, origin: origin)
        case .bool:
            guard let value = unsafe TextReading.truthValue(cell) else { return false }
            try column.append(value, row: row, origin: origin)
        case .date:
            guard let seconds = unsafe RFC3339.parseDateOrDay(cell) else { return false }
            try column.append(date: seconds, row: row, origin: origin)
        case .data:
            guard let bytes = unsafe Base64.decode(String(decoding: cell, as: UTF8.self)) else { return false }
            try unsafe bytes.withUnsafeBufferPointer { bytes throws(ColumnError) in
                try unsafe column.append(data: bytes, row: row, origin: origin)
            }
        case .location, .reference, .asset, .list, .object, .any: return false
        }
        return true
    }

    /// Puts a number into a row; `false` for a cell that is none, or none as other cells of the column write them.
    private func appendNumber(
        _ cell: UnsafeBufferPointer<UInt8>, as type: FieldType, to column: ColumnBuilder, row: Int, origin: Int
    ) throws(ColumnError) -> Bool {
        let (plain, comma) = unsafe numbers(cell, as: type)
        var number = plain
        if plain != comma {
            if plain == nil || comma == nil {
                guard column.shape.noteDecimals(areCommas: plain == nil, origin: origin) else { return false }
            } else if column.shape.hasDecimalCommas == nil, case .double(let value)? = plain {
                try column.append(grouped: value, row: row, origin: origin)
                return true
            }
            if column.shape.hasDecimalCommas == true { number = comma }
        }
        switch (number, type) {
        case (.int(let value)?, .double): try column.append(Double(value), row: row, origin: origin)
        case (.int(let value)?, _): try column.append(value, row: row, origin: origin)
        case (.double(let value)?, _): try column.append(value, row: row, origin: origin)
        case (nil, _):
            guard type != .int64, let value = unsafe Self.special(cell) else { return false }
            try column.append(value, row: row, origin: origin)
        }
        return true
    }

    /// The number of a type that a cell is with a decimal point, and the one that it is with a decimal comma.
    private func numbers(
        _ cell: UnsafeBufferPointer<UInt8>, as type: FieldType
    ) -> (plain: TextNumber?, comma: TextNumber?) {
        func suitable(_ number: TextNumber?) -> TextNumber? {
            if case .double? = number, type == .int64 { nil } else { number }
        }
        let plain = suitable(unsafe TextNumber(cell))
        guard readsDecimalCommas, unsafe cell.contains(where: { $0 == 0x2C || $0 == 0x2E }) else {
            return (plain, plain)
        }
        return (plain, suitable(unsafe TextNumber(decimalComma: cell)))
    }

    private static func special(_ cell: UnsafeBufferPointer<UInt8>) -> Double? {
        ["NaN": .nan, "Infinity": .infinity, "-Infinity": -.infinity][unsafe String(decoding: cell, as: UTF8.self)]
    }

    /// Whether a value is of a type, as far as lists and other values go; the column finds out the rest.
    private func suits(_ tape: JSONTape, _ type: FieldType) -> Bool {
        let isObject = unsafe tape.kind(JSONTape.first) == JSONTape.Kind.object
        let isArray = unsafe tape.kind(JSONTape.first) == JSONTape.Kind.array
        guard let value = unsafe (try? tape.value(JSONTape.first)).flatMap({ try? FieldValue(json: $0) }) else {
            // What is wrong with it is told by whoever takes it.
            return true
        }
        switch (value, type) {
        case (_, .any), (.location, .location), (.reference, .reference), (.asset, .asset), (.object, .object):
            return true
        case (.date, .date), (.double, .double), (.double, .number), (.data, .data): return isObject
        case (.list(let elements), .list(let element)):
            return (isArray || isObject) && elements.allSatisfy { Self.suits($0, element) }
        default: return false
        }
    }

    /// Whether an element of a list is of the type that the title gives, where it gives one. Dates are texts in lists,
    /// as in NDJSON.
    private static func suits(_ element: FieldValue, _ type: FieldType?) -> Bool {
        guard let type else { return true }
        switch (element, type) {
        case (.null, _), (_, .any), (.bool, .bool), (.int64, .int64), (.int64, .double), (.int64, .number),
            (.double, .double), (.double, .number), (.string, .string), (.date, .date), (.data, .data),
            (.location, .location), (.reference, .reference), (.asset, .asset), (.object, .object):
            return true
        case (.string(let text), .date): return RFC3339.parse(text) != nil
        case (.list(let elements), .list(let inner)): return elements.allSatisfy { suits($0, inner) }
        default: return false
        }
    }

    private func unsuitable(_ type: FieldType, _ column: ColumnBuilder, _ hint: String?) -> FileError {
        let form: String? =
            switch type {
            case .int64: "a whole number"
            case .double, .number:
                column.shape.hasDecimalCommas.map { areCommas in
                    "a number with a decimal \(areCommas ? "comma" : "point"), as other cells have"
                } ?? "a number"
            case .bool: "true or false"
            case .date: "a date such as 2025-07-04T12:00:00Z"
            case .data: "base64"
            case .location: #"{"latitude": 50.45, "longitude": 30.52}"#
            case .reference: #"{"reference": "name"}"#
            case .list: #"a list such as ["a", "b"]"#
            default: nil
            }
        return FileError(
            kind: .value, field: column.shape.name,
            message: "the cell is no \(type.schemaName), as the header says it is",
            hint: hint ?? form.map { "expected \($0)" })
    }
}
