// SQLite as a peer, in this process, through its C interface.

import CSQLite
import FoundationEssentials
import RecordModel

/// What SQLite said about a statement.
struct SQLiteError: Error, CustomStringConvertible {
    var description: String
}

/// A database in memory or in a file.
@safe
final class SQLiteDatabase {
    private let handle: OpaquePointer

    /// - Parameter path: The file; by default there is none.
    init(path: String = ":memory:") throws(SQLiteError) {
        guard let handle = unsafe csqlite_open_file(path) else {
            throw SQLiteError(description: "cannot open SQLite")
        }
        unsafe self.handle = unsafe handle
    }

    deinit {
        // SAFETY: opened by `init`; statements keep the database alive, so none is left.
        unsafe csqlite_close(handle)
    }

    static var version: String { unsafe String(cString: csqlite_version()) }

    /// Bytes that SQLite holds.
    static var memoryUsed: Int { Int(csqlite_memory_used()) }

    func execute(_ sql: String) throws(SQLiteError) {
        guard unsafe csqlite_execute(handle, sql) == 0 else { throw error(sql) }
    }

    func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        guard let statement = unsafe csqlite_prepare(handle, sql) else { throw error(sql) }
        return unsafe SQLiteStatement(statement, of: self)
    }

    /// A statement that is run once.
    func prepareOnce(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        guard let statement = unsafe csqlite_prepare_once(handle, sql) else { throw error(sql) }
        return unsafe SQLiteStatement(statement, of: self)
    }

    fileprivate func error(_ sql: String) -> SQLiteError {
        let message = unsafe String(cString: csqlite_message(handle))
        return SQLiteError(description: "SQLite: \(message) in \(sql)")
    }
}

/// A prepared statement.
@safe
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: SQLiteDatabase

    fileprivate init(_ handle: OpaquePointer, of database: SQLiteDatabase) {
        unsafe self.handle = unsafe handle
        self.database = database
    }

    deinit {
        // SAFETY: prepared by the database, which `database` keeps open; finalized only here.
        unsafe csqlite_finalize(handle)
    }

    // SAFETY, of all calls below: the handle is valid until `deinit`, and SQLite copies what is bound.

    func bind(_ parameter: Int32, _ value: Int?) {
        if let value {
            unsafe csqlite_bind_int64(handle, parameter, Int64(value))
        } else {
            unsafe csqlite_bind_null(handle, parameter)
        }
    }

    func bind(_ parameter: Int32, _ value: Double?) {
        if let value {
            unsafe csqlite_bind_double(handle, parameter, value)
        } else {
            unsafe csqlite_bind_null(handle, parameter)
        }
    }

    func bind(_ parameter: Int32, _ value: String?) {
        guard let value else { return unsafe csqlite_bind_null(handle, parameter) }
        unsafe csqlite_bind_text(handle, parameter, value, value.utf8.count)
    }

    /// Binds a value to every parameter in turn; those of other kinds than texts, numbers and dates as null.
    func bind(_ values: [FieldValue]) {
        for (index, value) in values.enumerated() {
            let parameter = Int32(index + 1)
            switch value {
            case .string(let text): bind(parameter, text)
            case .int64(let number): bind(parameter, Int(number))
            case .double(let number): bind(parameter, number)
            case .date(let date): bind(parameter, date.timeIntervalSince1970)
            default: bind(parameter, Int?.none)
            }
        }
    }

    /// Calls a function on every row, and makes the statement ready again.
    func forEachRow(_ body: (SQLiteRow) -> Void) throws(SQLiteError) {
        while unsafe csqlite_step(handle) == 1 { unsafe body(SQLiteRow(handle)) }
        guard unsafe csqlite_reset(handle) == 0 else { throw database.error("a prepared statement") }
    }

    /// Runs a statement without results.
    func run() throws(SQLiteError) {
        guard unsafe csqlite_run(handle) == 0 else { throw database.error("a prepared statement") }
    }

    /// The number in the first row.
    func count() -> Int { unsafe Int(csqlite_count(handle)) }

    /// Copies the numbers of all rows out of SQLite; returns how many.
    func deliverIDs() -> Int { unsafe Int(csqlite_ids(handle)) }

    /// Copies the numbers of the nearest places, nearest first; returns how many.
    func deliverNearest(latitude: Double, longitude: Double, limit: Int) -> Int {
        unsafe Int(csqlite_nearest(handle, latitude, longitude, Int64(limit)))
    }

    /// The sum of the numbers delivered last, modulo 2⁶⁴.
    var sumOfIDs: UInt64 { unsafe csqlite_ids_sum(handle) }

    /// One of the numbers delivered last.
    func id(_ position: Int) -> Int { unsafe Int(csqlite_id(handle, Int64(position))) }
}

/// The row that a statement stands at: good until the next step.
@safe
struct SQLiteRow {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) { unsafe self.handle = unsafe handle }

    // SAFETY, of all calls below: rows are given to a function that `forEachRow` calls, while the statement stands
    // there.

    func int(_ column: Int32) -> Int { unsafe Int(csqlite_column_int64(handle, column)) }

    func double(_ column: Int32) -> Double { unsafe csqlite_column_double(handle, column) }

    func text(_ column: Int32) -> String {
        var length = 0
        guard let start = unsafe csqlite_column_text(handle, column, &length) else { return "" }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}
