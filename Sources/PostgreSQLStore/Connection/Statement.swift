// A statement with its parameters, and what comes back.

import CPostgreSQL
import RecordModel

/// One statement: text with `$1`, `$2`, …, and their values.
package struct Statement: Hashable, Sendable {
    package let text: String
    package let parameters: [Parameter]
    /// Whether a connection sends it often: the server keeps it, and looks up its names once.
    let isRepeated: Bool

    package init(_ text: String, _ parameters: [Parameter] = [], isRepeated: Bool = false) {
        (self.text, self.parameters, self.isRepeated) = (text, parameters, isRepeated)
    }

    /// The same, sent often.
    var repeated: Statement { Statement(text, parameters, isRepeated: true) }

    /// A name as it is written in statements: in quotes, those in the name doubled, scalar by scalar.
    package static func name(_ name: String) -> String { quoted(name, "\"") }

    /// A name as a text in a statement. Values are parameters, never this.
    static func literal(_ name: String) -> String { quoted(name, "'") + "::text" }

    private static func quoted(_ text: String, _ quote: Unicode.Scalar) -> String {
        var quoted = String.UnicodeScalarView([quote])
        for scalar in text.unicodeScalars {
            if scalar == quote { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append(quote)
        return String(quoted)
    }
}

/// The rows of a statement, in the server's binary form. Used by one thread at a time.
@safe package final class RowSet {
    // SAFETY: the result is this object's alone, and is freed with it.
    private let result: OpaquePointer

    /// Rows, which are freed with the object.
    init(_ result: OpaquePointer) { unsafe self.result = result }

    deinit { unsafe cpg_clear(result) }

    /// Number of rows.
    package var count: Int { unsafe Int(cpg_row_count(result)) }

    /// Number of columns.
    package var columnCount: Int { unsafe Int(cpg_column_count(result)) }

    /// Number of rows that a command changed.
    package var changedCount: Int {
        guard let digits = unsafe cpg_command_rows(result) else { return 0 }
        return unsafe Int(String(cString: digits)) ?? 0
    }

    /// The bytes of a value; `nil` where there is none, and outside of the rows.
    package func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
        guard row >= 0, row < count, column >= 0, column < columnCount else { return nil }
        let (row, column) = (Int32(row), Int32(column))
        if unsafe cpg_is_null(result, row, column) != 0 { return nil }
        guard let start = unsafe cpg_value(result, row, column) else { return nil }
        // SAFETY: the library gives the number of bytes behind the pointer, which live as long as the result.
        return unsafe start.withMemoryRebound(to: UInt8.self, capacity: Int(cpg_length(result, row, column))) {
            unsafe Array(UnsafeBufferPointer(start: $0, count: Int(cpg_length(result, row, column))))
        }
    }

    /// Whether there is no value.
    package func isNull(_ row: Int, _ column: Int) -> Bool { bytes(row, column) == nil }

    /// A whole number of two, four or eight bytes.
    package func int64(_ row: Int, _ column: Int) -> Int64? {
        guard let bytes = bytes(row, column) else { return nil }
        switch bytes.count {
        case 2: return Int64(Int16(bitPattern: UInt16(Self.number(bytes))))
        case 4: return Int64(Int32(bitPattern: UInt32(Self.number(bytes))))
        case 8: return Int64(bitPattern: Self.number(bytes))
        default: return nil
        }
    }

    /// A number of eight bytes.
    package func double(_ row: Int, _ column: Int) -> Double? {
        guard let bytes = bytes(row, column), bytes.count == 8 else { return nil }
        return Double(bitPattern: Self.number(bytes))
    }

    /// A truth value.
    package func bool(_ row: Int, _ column: Int) -> Bool? { bytes(row, column).map { $0 == [1] } }

    /// A text.
    package func text(_ row: Int, _ column: Int) -> String? {
        bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
