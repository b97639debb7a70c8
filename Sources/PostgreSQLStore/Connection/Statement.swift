// A statement with its parameters, and what comes back.

import CPostgreSQL
import RecordModel

/// One statement: text with `$1`, `$2`, …, and their values.
package struct Statement: Hashable, Sendable {
    package let text: String
    package let parameters: [Parameter]
    let keeping: Keeping

    /// What the server keeps of a statement that a connection sends often.
    enum Keeping: Hashable, Sendable {
        case nothing
        /// What the statement means. It is planned each time, by its values, and kept when it is sent once more.
        case text
        /// A plan for all values, too: the statement finds rows by whole keys, or none.
        case plan
    }

    package init(_ text: String, _ parameters: [Parameter] = []) { self.init(text, parameters, keeping: .nothing) }

    init(_ text: String, _ parameters: [Parameter] = [], keeping: Keeping) {
        (self.text, self.parameters, self.keeping) = (text, parameters, keeping)
    }

    /// Whether it has more parameters than the protocol counts, in 16 bits.
    var isTooLong: Bool { parameters.count > UInt16.max }

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
    package func bytes(_ row: Int, _ column: Int) -> [UInt8]? { unsafe value(row, column) { unsafe Array($0) } }

    private func value<Value>(_ row: Int, _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value? {
        guard row >= 0, row < count, column >= 0, column < columnCount else { return nil }
        let (row, column) = (Int32(row), Int32(column))
        if unsafe cpg_is_null(result, row, column) != 0 { return nil }
        guard let start = unsafe cpg_value(result, row, column) else { return nil }
        let count = unsafe Int(cpg_length(result, row, column))
        // SAFETY: the library gives the number of bytes behind the pointer, which live as long as the result.
        return unsafe start.withMemoryRebound(to: UInt8.self, capacity: count) {
            unsafe body(UnsafeBufferPointer(start: $0, count: count))
        }
    }

    /// Whether there is no value.
    package func isNull(_ row: Int, _ column: Int) -> Bool { unsafe value(row, column) { _ in true } == nil }

    /// A whole number of two, four or eight bytes.
    package func int64(_ row: Int, _ column: Int) -> Int64? {
        guard let (bits, count) = number(row, column) else { return nil }
        switch count {
        case 2: return Int64(Int16(truncatingIfNeeded: bits))
        case 4: return Int64(Int32(truncatingIfNeeded: bits))
        case 8: return Int64(bitPattern: bits)
        default: return nil
        }
    }

    /// A number of eight bytes.
    package func double(_ row: Int, _ column: Int) -> Double? {
        guard let (bits, count) = number(row, column), count == 8 else { return nil }
        return Double(bitPattern: bits)
    }

    /// A truth value.
    package func bool(_ row: Int, _ column: Int) -> Bool? { bytes(row, column).map { $0 == [1] } }

    /// A text.
    package func text(_ row: Int, _ column: Int) -> String? {
        unsafe value(row, column) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    private func number(_ row: Int, _ column: Int) -> (bits: UInt64, count: Int)? {
        unsafe value(row, column) { bytes in unsafe (bytes.reduce(0) { $0 << 8 | UInt64($1) }, bytes.count) }
    }
}
