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
        LongLivedOperations.shared.add(operation, of: container)
        operationQueue.addOperation(operation)
    }

    /// Gives the container with settings and a group for the operations that are added to it and to its databases.
    public func configuredWith<Value>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (CKContainer) throws -> Value
    ) rethrows -> Value { try body(CKContainer(self, configuration, group)) }

    /// Gives the container with settings and a group for the operations that are added to it and to its databases.
    public func configuredWith<Value>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (CKContainer) async throws -> Value
    ) async rethrows -> Value { try await body(CKContainer(self, configuration, group)) }

    // MARK: Long-lived operations

    /// The long-lived operations of the container that were added and have not ended. They end with the process: a
    /// batch that was added is saved or lost as a whole.
    public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] {
        LongLivedOperations.shared.ids(of: container)
    }

    /// The long-lived operation of an identifier, with the callbacks that it was added with; `nil` for one that has
    /// ended.
    public func longLivedOperation(for id: CKOperation.ID) async throws -> CKOperation? {
        LongLivedOperations.shared.operation(id, of: container)
    }

    /// As `allLongLivedOperationIDs()`, with a handler that any thread may call.
    @preconcurrency
    public func fetchAllLongLivedOperationIDs(
        completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
    ) {
        let ids = LongLivedOperations.shared.ids(of: container)
        DispatchQueue(label: "CKContainer").async { completionHandler(ids, nil) }
    }

    /// As `longLivedOperation(for:)`, with a handler that any thread may call.
    @preconcurrency
    public func fetchLongLivedOperation(
        withID operationID: CKOperation.ID,
        completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
    ) {
        let operation = LongLivedOperations.shared.operation(operationID, of: container)
        DispatchQueue(label: "CKContainer").async { completionHandler(operation, nil) }
    }
}

/// The long-lived operations of this process that have not ended.
final class LongLivedOperations: Sendable {
    private struct Entry {
        let operation: CKOperation
        /// Objects of one identifier are of one container.
        let container: ObjectIdentifier?
        let number: Int
    }

    static let shared = LongLivedOperations()
    private let entries = Mutex<(next: Int, byID: [CKOperation.ID: Entry])>((0, [:]))

    /// Takes an operation until it ends, if it is long-lived.
    func add(_ operation: CKOperation, of container: Result<Container, DatabaseError>) {
        guard operation.resolvedConfiguration.isLongLived else { return }
        entries.withLock { entries in
            entries.next += 1
            entries.byID[operation.operationID] = Entry(
                operation: operation, container: Self.name(container), number: entries.next)
        }
        operation.longLivedOperationWasPersistedBlock?()
    }

    func remove(_ operation: CKOperation) { entries.withLock { $0.byID[operation.operationID] = nil } }

    /// In the order in which they were added.
    func ids(of container: Result<Container, DatabaseError>) -> [CKOperation.ID] {
        let name = Self.name(container)
        return entries.withLock { entries in
            entries.byID.values.filter { $0.container == name }.sorted { $0.number < $1.number }
                .map(\.operation.operationID)
        }
    }

    func operation(_ id: CKOperation.ID, of container: Result<Container, DatabaseError>) -> CKOperation? {
        entries.withLock { $0.byID[id].flatMap { $0.container == Self.name(container) ? $0.operation : nil } }
    }

    private static func name(_ container: Result<Container, DatabaseError>) -> ObjectIdentifier? {
        (try? container.get()).map { ObjectIdentifier($0) }
    }
}
