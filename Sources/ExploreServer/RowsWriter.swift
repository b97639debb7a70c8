// Rows of a table as JSON: the ordinal, the name, and the values of some fields.

import RecordDatabase

/// Writes rows; long texts are cut, and marked as such.
struct RowsWriter {
    private let records: RecordSet
    private let fields: [SortKey.Criterion]
    private var writer = JSONWriter()

    /// Texts of more bytes are cut.
    static let longText = 300

    init(_ records: RecordSet, _ fields: [String]) {
        self.records = records
        self.fields = fields.map { .field($0) }
    }

    /// Writes what comes before the rows.
    mutating func begin(_ text: String) { writer.bytes += Array(text.utf8) }

    /// Writes rows of ordinals that the set gave.
    mutating func write(_ ordinals: some Sequence<Int>) {
        var isFirst = true
        for ordinal in ordinals {
            writer.bytes += Array((isFirst ? "[\(ordinal)," : ",[\(ordinal),").utf8)
            isFirst = false
            writer.write(records.recordName(at: ordinal))
            for field in fields {
                writer.bytes.append(UInt8(ascii: ","))
                write(records.value(of: field, at: ordinal))
            }
            writer.bytes.append(UInt8(ascii: "]"))
        }
    }

    /// Writes a value, a text of it cut.
    private mutating func write(_ value: FieldValue) {
        guard case .string(let text) = value, text.utf8.count > Self.longText else {
            return writer.write(value)
        }
        // A place within a character's bytes is rounded down to its beginning.
        let shown = String(text[..<text.utf8.index(text.startIndex, offsetBy: 200)])
        writer.write(.of(["$cut": .string(shown), "length": .count(text.utf8.count)]))
    }

    /// The bytes, with what comes behind the rows.
    func finished(_ text: String) -> [UInt8] { writer.bytes + Array(text.utf8) }
}
