// What became of the items of an operation.

import RecordDatabase

/// Keeps account of the items that failed, and whether the operation was cancelled, or its time was over, before all
/// were told of.
struct ItemReport {
    private let isCancelled: () -> Bool
    private let time: OperationTime
    /// Why the rest is not done.
    private var interruption: DatabaseError?
    private var errors: [DatabaseError.Item: DatabaseError] = [:]

    init(_ time: OperationTime, isCancelled: @escaping () -> Bool) {
        (self.time, self.isCancelled) = (time, isCancelled)
    }

    /// The error of the operation: why it was interrupted, or `partialFailure` with the errors of the items; `nil` for
    /// none.
    var error: CKError? {
        if let interruption { return CKError(interruption) }
        return errors.isEmpty ? nil : CKError(DatabaseError(partialErrors: errors))
    }

    private mutating func look() {
        interruption = interruption ?? (isCancelled() ? Self.cancellation : time.error)
    }

    /// - Throws: `DatabaseError` of code `operationCancelled`, and `networkFailure` where the time is over.
    mutating func checkCancellation() throws(DatabaseError) {
        look()
        if let interruption { throw interruption }
    }

    /// Has the operation end as cancelled if it was, although all of its items were told.
    mutating func noteCancellation() {
        if isCancelled() { interruption = interruption ?? Self.cancellation }
    }

    /// Reads from the database while there is time.
    func reading<Value>(
        _ database: Database, _ body: (Database) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value { try time.reading(database, body) }

    /// The result of an item that is done in its turn: after an interruption, items are not begun any more.
    mutating func doing<Value>(_ body: () throws(DatabaseError) -> Value) -> Result<Value, any Error> {
        do throws(DatabaseError) {
            try checkCancellation()
            return .success(try body())
        } catch {
            return .failure(CKError(error))
        }
    }

    /// The result of an item as it is told: after an interruption, items that were only read are not told any more.
    mutating func read<Stored, Value>(
        _ item: DatabaseError.Item, _ result: Result<Stored, DatabaseError>?, _ transform: (Stored) -> Value
    ) -> Result<Value, any Error> {
        look()
        return written(item, interruption.map { .failure($0) } ?? result, transform)
    }

    /// The result of an item as it is told: what was committed stays, cancelled or not.
    mutating func written<Stored, Value>(
        _ item: DatabaseError.Item, _ result: Result<Stored, DatabaseError>?, _ transform: (Stored) -> Value
    ) -> Result<Value, any Error> {
        let result = result ?? .failure(DatabaseError(.internalError, "an item was lost"))
        if case .failure(let error) = result { errors[item] = error }
        return result.compat(transform)
    }

    /// The error of an item that was not begun.
    static let cancellation = DatabaseError(.operationCancelled, "the operation was cancelled")
}
