// Tables of SQLite files as records.

import CSQLite
import FoundationEssentials
import Glibc
import RecordDatabase

/// A table of an SQLite file, named as `FILE` where it is the only one, or as `FILE:TABLE`. It is only read.
struct SQLiteTable {
    private let file: String
    private let table: String?

    /// The table that a word names; `nil` where the file is none of SQLite.
    init?(path: String) {
        let parts = Self.parts(of: path)
        guard Self.isSQLite(parts.file) else { return nil }
        (file, table) = (parts.file, parts.table)
    }

    /// Whether a word names a table.
    static func isTable(_ path: String) -> Bool { SQLiteTable(path: path) != nil }

    /// The file of a word, which may name a table behind a colon.
    static func file(of path: String) -> String { parts(of: path).file }

    private static func parts(of path: String) -> (file: String, table: String?) {
        guard !FilePath.isReadableFile(path), let colon = path.lastIndex(of: ":"),
            FilePath.isReadableFile(String(path[..<colon]))
        else { return (path, nil) }
        let table = String(path[path.index(after: colon)...])
        return (String(path[..<colon]), table.isEmpty ? nil : table)
    }

    /// Whether a file begins as those of SQLite do. A pipe is not opened: its bytes would be gone.
    private static func isSQLite(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: paths are passed as NUL-terminated copies, and the kernel fills memory of this frame.
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let magic = Array("SQLite format 3\0".utf8)
        var head = [UInt8](repeating: 0, count: magic.count)
        return unsafe pread(descriptor, &head, head.count, 0) == head.count && head == magic
    }

    // MARK: Reading

    /// The rows as lines of JSON: columns under their names, values by their kind. In columns that are declared as
    /// dates or truth values, texts that are dates and the numbers 0 and 1 are such.
    /// - Throws: `FileError`.
    func lines() throws(FileError) -> ConvertedLines {
        guard let database = unsafe csqlite_open_to_read(file) else { throw damage("it cannot be opened") }
        defer { unsafe csqlite_close(database) }
        let table = try unsafe table(of: database)
        let name = "\"" + table.replacing("\"", with: "\"\"") + "\""
        guard let statement = unsafe csqlite_prepare_single(database, "SELECT * FROM \(name)") else {
            throw unsafe damage(String(cString: csqlite_message(database)))
        }
        defer { unsafe csqlite_finalize(statement) }
        let columns = unsafe (0..<csqlite_column_count(statement)).map { unsafe Column(statement, $0) }
        var json = JSONWriter()
        while true {
            let step = unsafe csqlite_step(statement)
            if step == 0 {
                return ConvertedLines(bytes: json.bytes, textFields: columns.filter { !$0.isDate }.map(\.name))
            }
            guard step == 1 else { throw unsafe damage(String(cString: csqlite_message(database))) }
            json.bytes.append(UInt8(ascii: "{"))
            for (index, column) in columns.enumerated() {
                if index > 0 { json.bytes.append(UInt8(ascii: ",")) }
                json.write(column.name)
                json.bytes.append(UInt8(ascii: ":"))
                json.write(unsafe column.value(statement))
            }
            json.bytes += Array("}\n".utf8)
        }
    }

    /// What SQLite says that is wrong with the file.
    private func damage(_ message: String) -> FileError {
        failure(
            "this is an SQLite database, no text of records, and SQLite says: \(message)",
            hint: "sqlite3 -json \(file) 'SELECT * FROM t' | predicate")
    }

    private func failure(_ message: String, hint: String? = nil) -> FileError {
        FileError(kind: .malformed, file: file, message: message, hint: hint)
    }

    /// The table that was named, or the only one.
    private func table(of database: OpaquePointer) throws(FileError) -> String {
        let query =
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
            + "ESCAPE '\\' ORDER BY name"
        guard let statement = unsafe csqlite_prepare_single(database, query) else {
            throw unsafe damage(String(cString: csqlite_message(database)))
        }
        defer { unsafe csqlite_finalize(statement) }
        var names: [String] = []
        while true {
            let step = unsafe csqlite_step(statement)
            if step == 0 { break }
            guard step == 1 else { throw unsafe damage(String(cString: csqlite_message(database))) }
            names.append(unsafe Column.text(statement, 0))
        }
        guard let table else {
            if names.count == 1 { return names[0] }
            let words = names.prefix(5).map { "\(file):\($0)" }.joined(separator: ", ")
            throw failure(
                names.isEmpty ? "the database has no table" : "the database has \(names.count) tables",
                hint: names.isEmpty ? nil : "name one: \(words)\(names.count > 5 ? " …" : "")")
        }
        if let found = names.first(where: { $0.lowercased() == table.lowercased() }) { return found }
        throw failure("the database has no table '\(table)'", hint: "its tables are " + names.joined(separator: ", "))
    }

    /// A column of the rows.
    private struct Column {
        let name: String
        private let index: Int32
        /// Whether texts that read as dates are such.
        let isDate: Bool
        private let isBool: Bool

        init(_ statement: OpaquePointer, _ index: Int32) {
            self.index = index
            // SAFETY: SQLite's texts are valid until the statement is finalized, and are copied here.
            unsafe name =
                csqlite_column_name(statement, index).map { unsafe String(cString: $0) } ?? "column\(index + 1)"
            let type = unsafe csqlite_column_declared_type(statement, index).map { unsafe String(cString: $0) } ?? ""
            isDate = type.uppercased().contains("DATE") || type.uppercased().contains("TIME")
            isBool = type.uppercased().hasPrefix("BOOL")
        }

        static func text(_ statement: OpaquePointer, _ index: Int32) -> String {
            var length = 0
            guard let bytes = unsafe csqlite_column_text(statement, index, &length) else { return "" }
            // SAFETY: the bytes are valid until the next step, and are copied here.
            return unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
        }

        /// The value of the row at hand.
        func value(_ statement: OpaquePointer) -> FieldValue {
            switch unsafe csqlite_column_kind(statement, index) {
            case 1:
                let number = unsafe csqlite_column_int64(statement, index)
                return isBool && (number == 0 || number == 1) ? .bool(number == 1) : .int64(number)
            case 2: return .double(unsafe csqlite_column_double(statement, index))
            case 3:
                let text = unsafe Self.text(statement, index)
                return isDate ? date(text).map { .date($0) } ?? .string(text) : .string(text)
            case 4:
                var length = 0
                guard let bytes = unsafe csqlite_column_blob(statement, index, &length) else { return .data(Data()) }
                // SAFETY: the bytes are valid until the next step, and are copied here.
                return .data(unsafe Data(bytes: bytes, count: length))
            default: return .null
            }
        }

        /// Dates as SQLite's functions write them: `2026-01-31`, `2026-01-31 12:00:00`, in UTC.
        private func date(_ text: String) -> Date? {
            if let date = RFC3339.date(text) { return date }
            return RFC3339.date(text.replacing(" ", with: "T") + "Z")
        }
    }
}
