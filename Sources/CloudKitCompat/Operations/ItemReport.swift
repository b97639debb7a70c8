// What became of the items of an operation.

import RecordDatabase

/// Keeps account of the items that failed, and whether the operation was cancelled before all were told of.
struct ItemReport {
    private let isCancelled: () -> Bool
    private var wasCancelled = false
    private var errors: [DatabaseError.Item: DatabaseError] = [:]

    init(isCancelled: @escaping () -> Bool) { self.isCancelled = isCancelled }

    /// The error of the operation: `operationCancelled`, or `partialFailure` with those of the items; `nil` for none.
    var error: CKError? {
        if wasCancelled { return CKError(Self.cancellation) }
        return errors.isEmpty ? nil : CKError(DatabaseError(partialErrors: errors))
    }

    /// - Throws: `DatabaseError` of code `operationCancelled`.
    mutating func checkCancellation() throws(DatabaseError) {
        wasCancelled = wasCancelled || isCancelled()
        if wasCancelled { throw Self.cancellation }
    }

    /// The result of an item as it is told: after a cancellation, items that were only read are not told any more.
    mutating func read<Stored, Value>(
        _ item: DatabaseError.Item, _ result: Result<Stored, DatabaseError>?, _ transform: (Stored) -> Value
    ) -> Result<Value, any Error> {
        wasCancelled = wasCancelled || isCancelled()
        return written(item, wasCancelled ? .failure(Self.cancellation) : result, transform)
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
