// Databases under CloudKit's names.

public import Foundation
public import RecordDatabase

/// One of the databases of a container.
///
/// Functions without a handler are the primary form; each throws a `CKError`. The forms with a handler, and
/// operations, wait in `operationQueue`; handlers are called there, on any thread.
public final class CKDatabase: Sendable {
    public typealias Scope = DatabaseScope

    public let databaseScope: Scope
    let database: Result<Database, DatabaseError>
    /// Where operations and calls with handlers wait: those of high priority first, one after the other. A program may
    /// widen or suspend it.
    public let operationQueue: OperationQueue

    init(_ database: Result<Database, DatabaseError>, _ scope: Scope) {
        self.database = database
        databaseScope = scope
        operationQueue = OperationQueue()
        operationQueue.name = "CKDatabase"
        operationQueue.maxConcurrentOperationCount = 1
    }

    /// Calls the database on this thread.
    /// Throws: `CKError`.
    func call<Value>(_ body: (Database) throws(DatabaseError) -> Value) throws -> Value {
        try compat { () throws(DatabaseError) in try body(try database.get()) }
    }

    /// Calls with low priority, behind the operations that wait.
    func later<Value>(
        _ body: @escaping @Sendable () throws -> Value,
        _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let operation = BlockOperation { handler(Result(catching: body)) }
        operation.queuePriority = .low
        operationQueue.addOperation(operation)
    }
}
