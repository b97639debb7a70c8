// Operations of a container: settings for many, and those that outlive the object that began them.

import Foundation
import RecordDatabase
import Synchronization

extension CKContainer {
    /// Adds an operation: it runs on a thread of its own, with the settings that it has now. Each runs once.
    public func add(_ operation: CKOperation) {
        let settings = CKOperation.Configuration(configuration?.settings ?? .init())
        if settings.container == nil { settings.container = self }
        guard operation.prepare(settings, group) else { return }
        let scope = (operation as? CKDatabaseOperation)?.database?.databaseScope ?? .private
        LongLivedOperations.shared.add(operation, of: container, scope)
        operationQueue.addOperation(operation)
    }

    /// Gives the container with settings and a group for the operations that are added to it and to its databases.
    public func configuredWith<Value>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (CKContainer) throws -> Value
    ) rethrows -> Value { try body(CKContainer(self, configuration, group)) }

    /// Gives the container with settings and a group for the operations that are added to it and to its databases.
    public nonisolated(nonsending) func configuredWith<Value>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: nonisolated(nonsending) (CKContainer) async throws -> Value
    ) async rethrows -> Value { try await body(CKContainer(self, configuration, group)) }

    // MARK: Long-lived operations

    /// The long-lived operations of the container that were added and have not ended, those of earlier processes first.
    ///
    /// Beside a store in a folder, saves and deletes, fetches and queries of records outlive their process: a process
    /// that ended left them there, and one within the next 24 hours adds them again. All others end with their
    /// process, as do saves of encrypted values. A batch is saved or lost as a whole. What became of one that was saved
    /// waits with it until somebody was told: when its process ended before, or it had no callback at all, the batch is
    /// not sent again when it is added again, and tells the same results. Fetches and queries run again. A batch whose
    /// process ended between its commit and the writing of its results is told as a conflict.
    public nonisolated(nonsending) func allLongLivedOperationIDs() async throws -> [CKOperation.ID] {
        LongLivedOperations.shared.ids(of: self)
    }

    /// The long-lived operation of an identifier: with the callbacks that it was added with, or one of an earlier
    /// process, without, and the same one each time; `nil` for one that has ended. Cancelling one of an earlier process
    /// ends it for good.
    public nonisolated(nonsending) func longLivedOperation(for id: CKOperation.ID) async throws -> CKOperation? {
        LongLivedOperations.shared.operation(id, of: self)
    }

    /// As `allLongLivedOperationIDs()`, with a handler that any thread may call.
    @preconcurrency
    public func fetchAllLongLivedOperationIDs(
        completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
    ) {
        tell({ try await $0.allLongLivedOperationIDs() }, completionHandler)
    }

    /// As `longLivedOperation(for:)`, with a handler that any thread may call.
    @preconcurrency
    public func fetchLongLivedOperation(
        withID operationID: CKOperation.ID,
        completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
    ) {
        tellResult {
            try await $0.longLivedOperation(for: operationID)
        } _: {
            completionHandler($0.success ?? nil, $0.failure)
        }
    }
}

/// The long-lived operations that have not ended: of this process, and in files beside stores.
final class LongLivedOperations: Sendable {
    private struct Entry {
        let operation: CKOperation
        /// Objects of one identifier are of one container.
        let container: ObjectIdentifier?
        let number: Int
    }

    /// An operation of a file that was given out, for as long as somebody has it.
    private struct Given { weak var operation: CKOperation? }

    private struct Entries {
        var next = 0
        var byID: [CKOperation.ID: Entry] = [:]
        /// By file: whoever wants one twice gets the same, which runs once.
        var given: [String: Given] = [:]
    }

    static let shared = LongLivedOperations()
    private let entries = Mutex(Entries())

    /// Takes an operation until it ends, if it is long-lived.
    ///
    /// - Parameter scope: Of the database that it is added to.
    func add(
        _ operation: CKOperation, of container: Result<Container, DatabaseError>, _ scope: CKDatabase.Scope
    ) {
        guard operation.resolvedConfiguration.isLongLived else { return }
        if operation.storedPath == nil {
            operation.storedPath = OperationFolder(container)?.store(operation, scope)
        }
        entries.withLock { entries in
            entries.next += 1
            entries.byID[operation.operationID] = Entry(
                operation: operation, container: Self.name(container), number: entries.next)
        }
        operation.longLivedOperationWasPersistedBlock?()
    }

    /// Forgets an operation.
    ///
    /// - Parameter isKept: Whether what is stored of it stays: nobody was told what became of it.
    func remove(_ operation: CKOperation, isKept: Bool = false) {
        let file = operation.storedPath
        operation.storedPath = nil
        if let file, !isKept { OperationFolder.remove(file) }
        entries.withLock { entries in
            entries.byID[operation.operationID] = nil
            if let file { entries.given[file] = nil }
        }
    }

    /// In the order in which they were added.
    func ids(of container: CKContainer) -> [CKOperation.ID] {
        let name = Self.name(container.container)
        let own = entries.withLock { entries in
            entries.byID.values.filter { $0.container == name }.sorted { $0.number < $1.number }
                .map(\.operation.operationID)
        }
        let stored = OperationFolder(container.container)?.operations.map(\.stored.id) ?? []
        return stored.filter { !own.contains($0) } + own
    }

    func operation(_ id: CKOperation.ID, of container: CKContainer) -> CKOperation? {
        let name = Self.name(container.container)
        let own = entries.withLock { entries in
            entries.byID[id].flatMap { $0.container == name ? $0.operation : nil }
        }
        if let own { return own }
        guard let (stored, file) = OperationFolder(container.container)?.operations.first(where: { $0.stored.id == id })
        else { return nil }
        return entries.withLock { entries in
            if let given = entries.given[file]?.operation { return given }
            let operation = stored.operation(in: container)
            operation?.storedPath = file
            entries.given[file] = operation.map { Given(operation: $0) }
            return operation
        }
    }

    private static func name(_ container: Result<Container, DatabaseError>) -> ObjectIdentifier? {
        (try? container.get()).map { ObjectIdentifier($0) }
    }
}
