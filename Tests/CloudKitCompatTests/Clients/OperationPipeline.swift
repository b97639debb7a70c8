// Operations in queues of an application's own: dependencies, subclasses, groups, progress, settings, cancellation.

import CloudKitCompat
import Foundation

/// An operation that notes how long it took: applications derive from CloudKit's classes.
public final class TimedModifyOperation: CKModifyRecordsOperation, @unchecked Sendable {
    public private(set) var label = ""
    public var started: Date?

    public convenience init(label: String, saving records: [CKRecord]) {
        self.init(recordsToSave: records, recordIDsToDelete: nil)
        self.label = label
        started = Date()
        name = label
    }
}

/// An operation of the application's own beside CloudKit's.
public final class ReportOperation: Operation, @unchecked Sendable {
    private let lines: () -> [String]
    public private(set) var text = ""
    public init(_ lines: @escaping () -> [String]) { self.lines = lines }
    public override func main() { if !isCancelled { text = lines().joined(separator: "|") } }
}

public final class OperationPipeline: @unchecked Sendable {
    private let database: CKDatabase
    private let queue = OperationQueue()
    private let lock = NSLock()
    private var entries: [String] = []

    public init(database: CKDatabase) {
        self.database = database
        queue.maxConcurrentOperationCount = 2
        queue.qualityOfService = .utility
    }

    private func note(_ entry: String) {
        lock.lock()
        defer { lock.unlock() }
        entries.append(entry)
    }

    private var lines: [String] {
        lock.lock()
        defer { lock.unlock() }
        return entries
    }

    /// Makes a zone, saves into it, reads it, and reports: each behind the one before.
    public func run(_ zone: CKRecordZone, _ records: [CKRecord]) -> String {
        let group = CKOperationGroup()
        group.name = "import"
        group.quantity = records.count
        group.expectedSendSize = .kilobytes
        let settings = CKOperation.Configuration()
        settings.qualityOfService = .userInitiated
        settings.timeoutIntervalForRequest = 30
        settings.timeoutIntervalForResource = 60
        settings.allowsCellularAccess = false
        group.defaultConfiguration = settings

        let makeZone = CKModifyRecordZonesOperation(recordZonesToSave: [zone], recordZoneIDsToDelete: nil)
        makeZone.modifyRecordZonesCompletionBlock = { zones, _, error in
            self.note("zones \(zones?.count ?? 0) \(error == nil)")
        }
        let save = TimedModifyOperation(label: "save", saving: records)
        save.savePolicy = .changedKeys
        save.isAtomic = true
        save.clientChangeTokenData = Data("import".utf8)
        save.perRecordProgressBlock = { record, progress in
            if progress == 1.0 { self.note("saved \(record.recordID.recordName)") }
        }
        save.modifyRecordsCompletionBlock = { saved, deleted, error in
            self.note("batch \(saved?.count ?? 0) \(deleted?.count ?? 0) \(error == nil)")
        }
        save.addDependency(makeZone)
        save.queuePriority = .high
        let fetch = CKFetchRecordsOperation(recordIDs: records.map { $0.recordID })
        fetch.fetchRecordsCompletionBlock = { found, error in self.note("found \(found?.count ?? 0)") }
        fetch.addDependency(save)
        let report = ReportOperation { self.lines }
        report.addDependency(fetch)
        for operation in [makeZone, save, fetch] as [CKDatabaseOperation] {
            operation.database = database
            operation.group = group
        }
        queue.addOperations([report, fetch, save, makeZone], waitUntilFinished: true)
        return report.text
    }

    /// Cancelled before it begins: it tells so, and changes nothing.
    public func cancelled(_ record: CKRecord) -> CKError? {
        let operation = CKModifyRecordsOperation(recordsToSave: [record])
        operation.configuration.isLongLived = false
        nonisolated(unsafe) var failure: CKError?
        operation.modifyRecordsResultBlock = { if case .failure(let error) = $0 { failure = error as? CKError } }
        operation.database = database
        let blocker = BlockOperation { operation.cancel() }
        operation.addDependency(blocker)
        queue.addOperations([operation, blocker], waitUntilFinished: true)
        return failure
    }
}
