// Containers under CloudKit's names.

public import Foundation
public import RecordDatabase
import Synchronization

/// What is known about the user of a container.
public typealias CKAccountStatus = Account.Status

/// The databases of one application.
public final class CKContainer: NSObject, Sendable {
    /// The databases of a container in the terms of `RecordDatabase`; an error for one that cannot be made.
    let container: Result<Container, DatabaseError>

    /// The records that all users share, in the default zone alone.
    public let publicCloudDatabase: CKDatabase
    /// The records of the current user, in zones of their own.
    public let privateCloudDatabase: CKDatabase
    /// What other users share with the current one: zones of theirs, named with their owner.
    public let sharedCloudDatabase: CKDatabase

    /// Where operations of the container run: several at a time.
    let operationQueue: OperationQueue
    /// What operations that are added get, where they have none of their own.
    let configuration: CKOperation.Configuration?
    let group: CKOperationGroup?

    /// What is the same for every object of an identifier in a process.
    private static let containers = Mutex<[String: Container]>([:])
    private static let shared = CKContainer(identifier: "default")

    /// The container that needs not be named; it lives in memory, as those of all identifiers.
    public static func `default`() -> CKContainer { shared }

    /// The container of an identifier: objects of one identifier are one client of one store.
    ///
    /// An empty identifier makes a container all of whose calls fail with `invalidArguments`.
    public convenience init(identifier: String) {
        self.init(
            Self.containers.withLock { containers -> Result<Container, DatabaseError> in
                if let known = containers[identifier] { return .success(known) }
                do throws(DatabaseError) {
                    let container = try Container(identifier: identifier)
                    containers[identifier] = container
                    return .success(container)
                } catch {
                    return .failure(error)
                }
            }, identifier)
    }

    /// The databases of a container of `RecordDatabase`, with its account, its configuration and its data. Changes of
    /// the account are posted as `CKAccountChanged`.
    public convenience init(_ container: Container) {
        self.init(.success(container), container.identifier)
        let changes = container.accountChanges
        Task { [weak self] in
            for await _ in changes {
                guard let self else { return }
                NotificationCenter.default.post(name: .CKAccountChanged, object: self)
            }
        }
    }

    private init(_ container: Result<Container, DatabaseError>, _ identifier: String) {
        self.container = container
        (configuration, group) = (nil, nil)
        operationQueue = Self.makeQueue()
        containerIdentifier = identifier
        publicCloudDatabase = CKDatabase(container, .public)
        privateCloudDatabase = CKDatabase(container, .private)
        sharedCloudDatabase = CKDatabase(container, .shared)
        super.init()
    }

    /// The same container with settings for operations that are added.
    init(_ other: CKContainer, _ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?) {
        (container, containerIdentifier) = (other.container, other.containerIdentifier)
        operationQueue = other.operationQueue
        self.configuration = configuration ?? other.configuration
        self.group = group ?? other.group
        publicCloudDatabase = CKDatabase(other.publicCloudDatabase, configuration, group)
        privateCloudDatabase = CKDatabase(other.privateCloudDatabase, configuration, group)
        sharedCloudDatabase = CKDatabase(other.sharedCloudDatabase, configuration, group)
        super.init()
    }

    private static func makeQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.name = "CKContainer"
        return queue
    }

    /// The identifier that the container was made with.
    public let containerIdentifier: String?

    /// The database of a scope: the same object every time.
    public func database(with scope: CKDatabase.Scope) -> CKDatabase {
        switch scope {
        case .public: publicCloudDatabase
        case .private: privateCloudDatabase
        case .shared: sharedCloudDatabase
        }
    }

    // MARK: Accounts

    /// Whether someone is signed in.
    public nonisolated(nonsending) func accountStatus() async throws -> CKAccountStatus {
        let container = try compat { () throws(DatabaseError) in try self.container.get() }
        return await container.accountStatus()
    }

    /// As `accountStatus()`, with a handler that any thread may call.
    @preconcurrency
    public func accountStatus(completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void) {
        tellResult {
            try await $0.accountStatus()
        } _: {
            completionHandler($0.success ?? .couldNotDetermine, $0.failure)
        }
    }

    /// The identifier of the current user's record.
    public nonisolated(nonsending) func userRecordID() async throws -> CKRecord.ID {
        do throws(DatabaseError) {
            return CKRecord.ID(try await container.get().userRecordID())
        } catch {
            throw CKError(error)
        }
    }

    /// As `userRecordID()`, with a handler that any thread may call.
    @preconcurrency
    public func fetchUserRecordID(completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void) {
        tell({ try await $0.userRecordID() }, completionHandler)
    }
}
