// Records as comma-separated values.

import FoundationEssentials
package import RecordModel

/// Writes comma- or tab-separated values (RFC 4180, lines end with a line feed) as UTF-8 into `bytes`.
///
/// A missing value is an empty cell, an empty text is a pair of quotes. References are their record's name; locations,
/// lists and objects are JSON.
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

    /// Writes a cell with a value.
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
