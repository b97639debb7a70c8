// Operations: calls that wait in a queue and tell of every item.

public import Foundation
import RecordDatabase
import Synchronization

/// A call that waits in a queue. Set it up, then add it to a database or to an own queue; each runs once.
///
/// All callbacks of an operation are called one after another, on any thread. A callback may wait for another operation
/// or call, of the same database too: those of different operations may run at the same time.
// Unchecked, as Foundation's class is: callbacks and settings are set before the operation is added.
open class CKOperation: Operation, @unchecked Sendable {
    private enum Phase { case new, added, running, ended }

    /// Names an operation.
    public typealias ID = String

    /// Names the operation; different for each.
    public internal(set) var operationID: ID = UUID().uuidString
    /// The file of a long-lived operation beside the store of its container.
    var storedPath: String?
    private var own = Configuration()
    /// The settings of this operation alone; what is not set is that of its group, or else the usual. Setting `nil`
    /// sets nothing.
    public var configuration: Configuration! {
        get { own }
        set { own = Configuration(newValue?.settings ?? .init()) }
    }
    /// Called once when the operation is long-lived and was added: from then on its container finds it by its
    /// identifier until it ends, beside a store also in a later process.
    public var longLivedOperationWasPersistedBlock: (() -> Void)?
    /// The operations that this one belongs to; they are not applied together.
    public var group: CKOperationGroup?
    /// The settings of the call of `configuredWith` that gave the database of the operation.
    private var shared: Configuration?

    private let phase = Mutex(Phase.new)
    /// Written before the operation is in a queue, read when the queue starts it.
    private var work: Work?
    private let place = OperationPlace()
    /// The settings and the database of an operation that was added: written before it is in a queue.
    private var taken: (settings: Configuration.Settings, target: CKDatabase)?
    /// When the operation was added: written before it is in a queue.
    private var added: ContinuousClock.Instant?

    /// What an operation does, with the settings it had when it was added.
    struct Work {
        /// Whether it leaves nothing in the database: cancelled in its last callback, it ends as cancelled.
        var onlyReads = false
        /// Does it and tells of every item. Throws: `DatabaseError` for what is wrong with the call as a whole.
        let run: (Database, inout ItemReport) throws(DatabaseError) -> Void
        /// Tells the end: `nil` for success.
        let finish: (CKError?) -> Void
    }

    /// Whether the operation had a callback when it was added: written before it is in a queue.
    private var isListened = false

    /// Whether there is a callback that is told of results; subclasses that are stored say.
    var hasCallback: Bool { true }

    /// What the operation does, in the form that is stored of long-lived ones; `nil` for what ends with the process.
    var storedWork: StoredOperation.Work? { nil }

    /// The work with the settings as they are now; subclasses of this module say.
    func makeWork() -> Work {
        Work { _, _ in
        } finish: { _ in
        }
    }

    /// The settings in force: those of the operation before those of its group, and these before the usual ones; once
    /// the operation was added, those that it had then.
    public var resolvedConfiguration: Configuration {
        if let taken { return Configuration(taken.settings) }
        let defaults = group?.defaultConfiguration.settings ?? .init()
        return Configuration(own.settings.over(shared?.settings ?? .init()).over(defaults))
    }

    /// An operation with the usual settings.
    public override init() { super.init() }

    /// The container of `configuration`, under its older name.
    public var container: CKContainer? {
        get { own.container }
        set { own.container = newValue }
    }

    /// Seconds, of `configuration`, under its older name.
    public var timeoutIntervalForRequest: TimeInterval {
        get { own.timeoutIntervalForRequest }
        set { own.timeoutIntervalForRequest = newValue }
    }

    /// Seconds, of `configuration`, under its older name.
    public var timeoutIntervalForResource: TimeInterval {
        get { own.timeoutIntervalForResource }
        set { own.timeoutIntervalForResource = newValue }
    }

    /// Whether a cellular network may be used, of `configuration`, under its older name.
    public var allowsCellularAccess: Bool {
        get { own.allowsCellularAccess }
        set { own.allowsCellularAccess = newValue }
    }

    /// Whether the operation survives the program, of `configuration`, under its older name.
    public var isLongLived: Bool {
        get { own.isLongLived }
        set { own.isLongLived = newValue }
    }

    /// Where the work is done.
    var target: CKDatabase { (resolvedConfiguration.container ?? CKContainer.default()).privateCloudDatabase }

    /// Takes the settings for good; `false` for an operation that was added or began before.
    ///
    /// - Parameter database: The database that it is added to; `nil` for its own.
    func prepare(_ shared: Configuration?, _ group: CKOperationGroup?, on database: CKDatabase? = nil) -> Bool {
        let isNew = phase.withLock { phase in
            guard phase == .new else { return false }
            phase = .added
            return true
        }
        guard isNew else { return false }
        self.shared = shared
        self.group = self.group ?? group
        taken = (resolvedConfiguration.settings, database ?? target)
        added = .now
        if let quality = resolvedConfiguration.settings.qualityOfService { qualityOfService = quality }
        work = makeWork()
        isListened = hasCallback
        return true
    }

    /// A callback as the work is to call it.
    func callback<each Argument>(
        _ body: ((repeat each Argument) -> Void)?
    ) -> ((repeat each Argument) -> Void)? { place.callback(body) }

    /// Has the work done on a thread of its own; then Foundation ends the operation and calls `completionBlock`.
    ///
    /// Callbacks may wait. The threads of Foundation's queues are as few as the processors, and others come slowly when
    /// all wait; a serial queue has one at once.
    public final override func start() {
        let begins = phase.withLock { phase in
            guard phase == .new || phase == .added else { return false }
            phase = .running
            return true
        }
        guard begins else { return super.start() }
        place.enter(OperationQueue.current as? CallQueue)
        let quality = resolvedConfiguration.settings.qualityOfService ?? qualityOfService
        DispatchQueue(label: "CKOperation", qos: quality.dispatched).async {
            self.perform(self.work ?? self.makeWork())
            self.phase.withLock { $0 = .ended }
            let isTold = self.isListened || self.completionBlock != nil || self.isCancelled
            LongLivedOperations.shared.remove(self, isKept: !isTold)
            super.start()
        }
    }

    /// True: `start()` returns before the work is done.
    public final override var isAsynchronous: Bool { true }

    /// Ends the operation as soon as it can; a long-lived one that was not added again is kept no longer.
    open override func cancel() {
        super.cancel()
        if phase.withLock({ $0 }) == .new { LongLivedOperations.shared.remove(self) }
    }

    private func perform(_ work: Work) {
        let time = OperationTime(resolvedConfiguration.settings, added: added)
        var report = ItemReport(time) { self.isCancelled }
        do throws(DatabaseError) {
            try report.checkCancellation()
            try work.run(try (taken?.target ?? target).database.get(), &report)
            if work.onlyReads { report.noteCancellation() }
            work.finish(report.error)
        } catch {
            work.finish(CKError(error))
        }
    }

    /// Whether the work has begun and has not ended.
    public final override var isExecuting: Bool { phase.withLock { $0 } == .running }
}

extension QualityOfService {
    /// The same for queues.
    fileprivate var dispatched: DispatchQoS {
        switch self {
        case .userInteractive: .userInteractive
        case .userInitiated: .userInitiated
        case .utility: .utility
        case .background: .background
        case .default: .default
        @unknown default: .unspecified
        }
    }
}

/// An operation of a database.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
    /// The database; `nil` for the private one of the operation's container, or of the default one. Adding the
    /// operation to a database sets it.
    public var database: CKDatabase?

    override var target: CKDatabase { database ?? super.target }
}

extension CKDatabase {
    /// Adds an operation: it runs on this database, with the settings that it has now. Each runs once: one that was
    /// added before, here or elsewhere, is not added again.
    public func add(_ operation: CKDatabaseOperation) {
        guard operation.prepare(configuration, group, on: self) else { return }
        operation.database = self
        LongLivedOperations.shared.add(operation, of: container, databaseScope)
        operationQueue.addOperation(operation)
    }
}
