// Records as comma-separated values.

import FoundationEssentials
package import RecordModel

/// Writes comma- or tab-separated values (RFC 4180, lines end with a line feed) as UTF-8 into `bytes`.
///
/// A missing value is an empty cell, an empty text is a pair of quotes. Cells are for people, or for a column of a type
/// that its title tells (`name:STRING`): those read back as the values that they were.
package struct CSVWriter {
    /// What was written so far.
    package var bytes: [UInt8] = []
    private let separator: UInt8
    private var isFirst = true

    /// A writer of cells separated by that ASCII character.
    package init(separator: Unicode.Scalar = ",") { self.separator = UInt8(truncatingIfNeeded: separator.value) }

    /// Writes a cell of text.
    package mutating func write(_ text: String) {
        separate()
        append(text)
    }

    /// Writes the title of a column of a type.
    package mutating func write(title: String, of type: FieldType) { write("\(title):\(type.schemaName)") }

    /// Writes a cell of a column whose title tells the type. A value of another type is written as JSON, which a column
    /// of type `ANY` takes.
    package mutating func write(_ value: FieldValue, as type: FieldType) {
        switch (value, type) {
        case (.double(let number), .double), (.double(let number), .number):
            separate()
            append(number.isFinite ? number.description : number.isNaN ? "NaN" : number > 0 ? "Infinity" : "-Infinity")
        case (.date(let date), .date):
            if let text = RFC3339.exactBytes(date.timeIntervalSinceReferenceDate) {
                write(String(decoding: text, as: UTF8.self))
            } else {
                write(json: value)
            }
        case (.null, _), (.bool, .bool), (.int64, .int64), (.int64, .number), (.string, .string), (.data, .data):
            write(value)
        default: write(json: value)
        }
    }

    private mutating func write(json value: FieldValue) {
        var json = JSONWriter(marksTexts: true)
        json.write(value)
        write(String(decoding: json.bytes, as: UTF8.self))
    }

    /// Writes a cell with a value, for people: references are their record's name; locations, lists and objects are
    /// JSON.
    package mutating func write(_ value: FieldValue) {
        separate()
        switch value {
        case .null: break
        case .bool(let value): append(value ? "true" : "false")
        case .int64(let value): append(String(value))
        case .double(let value): append(value.description)
        case .string(let value): append(value)
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            append(RFC3339.format(seconds) ?? "\(date.timeIntervalSince1970)")
        case .data(let data): append(String(decoding: Base64.encode(data), as: UTF8.self))
        case .reference(let reference): append(reference.recordID.recordName)
        case .location, .asset, .list, .set, .object:
            var json = JSONWriter()
            json.write(value)
            append(String(decoding: json.bytes, as: UTF8.self))
        }
    }

    /// Ends the line.
    package mutating func endLine() {
        bytes.append(0x0A)
        isFirst = true
    }

    private mutating func separate() {
        if !isFirst { bytes.append(separator) }
        isFirst = false
    }

    private mutating func append(_ text: String) {
        let quote = UInt8(ascii: "\"")
        let needsQuotes =
            text.isEmpty
            || text.utf8.contains { $0 == separator || $0 == quote || $0 == 0x0A || $0 == 0x0D }
        guard needsQuotes else { return bytes.append(contentsOf: text.utf8) }
        bytes.append(quote)
        for byte in text.utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }
}
