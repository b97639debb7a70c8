// SQLite as a peer, in this process, through its C interface.

import CSQLite

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
