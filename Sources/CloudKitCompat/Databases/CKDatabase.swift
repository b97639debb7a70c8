// Databases under CloudKit's names.

public import Foundation
public import RecordDatabase

/// One of the databases of a container.
///
/// Functions without a handler are the primary form; each throws a `CKError`. The forms with a handler, and
/// operations, wait in `operationQueue`; handlers are called on any thread but the main one.
public final class CKDatabase: NSObject, Sendable {
    /// The public database, or a user's private or shared one.
    public typealias Scope = DatabaseScope
    /// What became of each item of a call.
    public typealias ItemResults<ID: Hashable, Value> = [ID: Result<Value, any Error>]

    /// Which of the container's databases it is.
    public let databaseScope: Scope
    let database: Result<Database, DatabaseError>
    /// The container of the database.
    let container: Result<Container, DatabaseError>
    /// Where operations and calls with handlers wait: those of high priority first, one after the other. The next one
    /// begins while the callbacks of the one before run, which therefore may wait for it. A program may widen or
    /// suspend the queue.
    public let operationQueue: OperationQueue
    /// What operations that are added get, where they have none of their own.
    let configuration: CKOperation.Configuration?
    let group: CKOperationGroup?

    init(_ container: Result<Container, DatabaseError>, _ scope: Scope) {
        self.container = container
        database = container.map { $0.database(with: scope) }
        databaseScope = scope
        configuration = nil
        group = nil
        operationQueue = CallQueue()
        operationQueue.name = "CKDatabase"
        super.init()
    }

    /// The same database with settings for operations that are added.
    init(_ other: CKDatabase, _ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?) {
        (database, container) = (other.database, other.container)
        databaseScope = other.databaseScope
        operationQueue = other.operationQueue
        self.configuration = configuration ?? other.configuration
        self.group = group ?? other.group
        super.init()
    }

    /// Calls the database on this thread.
    /// - Throws: `CKError`.
    func call<Value>(_ body: (Database) throws(DatabaseError) -> Value) throws -> Value {
        try compat { () throws(DatabaseError) in try body(try database.get()) }
    }

    /// Calls the database for a task, which is suspended where it has to wait.
    /// - Throws: `CKError`.
    nonisolated(nonsending) func calling<Value>(
        _ body: nonisolated(nonsending) (Database) async throws(DatabaseError) -> Value
    ) async throws -> Value {
        do throws(DatabaseError) { return try await body(try database.get()) } catch { throw CKError(error) }
    }

    /// Calls with low priority, behind the operations that wait.
    func later<Value>(
        _ body: @escaping @Sendable () throws -> Value,
        _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let call = HandlerCall(body, handler)
        call.database = self
        operationQueue.addOperation(call)
    }
}

// MARK: Settings of many operations

extension CKDatabase {
    /// Gives the database with settings and a group for the operations that are added to it.
    public func configuredWith<Value>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (CKDatabase) throws -> Value
    ) rethrows -> Value {
        try body(CKDatabase(self, configuration, group))
    }

    /// Gives the database with settings and a group for the operations that are added to it.
    public nonisolated(nonsending) func configuredWith<Value>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: nonisolated(nonsending) (CKDatabase) async throws -> Value
    ) async rethrows -> Value {
        try await body(CKDatabase(self, configuration, group))
    }
}
