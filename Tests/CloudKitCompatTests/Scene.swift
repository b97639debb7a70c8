// What the rules of CloudKit's names are shown with.

import CloudKitCompat
import RecordDatabase
import Synchronization
import Testing

/// A rule of the model, or a few that one scene shows, and the scene.
struct Rule: Sendable, CustomTestStringConvertible {
    let numbers: [Int]
    let text: String
    let show: @Sendable (Scene) async throws -> Void

    init(_ numbers: Int..., text: String, _ show: @escaping @Sendable (Scene) async throws -> Void) {
        self.numbers = numbers
        self.text = text
        self.show = show
    }

    var testDescription: String { numbers.map { "R\($0)" }.joined(separator: " ") + " " + text }
}

/// What callbacks tell, in order.
final class Log: Sendable {
    private let state = Mutex<[String]>([])
    var lines: [String] { state.withLock { $0 } }
    func add(_ line: String) { state.withLock { $0.append(line) } }
}

/// A number that callbacks change.
final class Counter: Sendable {
    private let state = Mutex(0)

    @discardableResult
    func add(_ step: Int) -> Int {
        state.withLock { number in
            number += step
            return number
        }
    }
}

/// The last token that callbacks told.
final class Tokens: Sendable {
    private let state = Mutex<CKServerChangeToken?>(nil)
    var last: CKServerChangeToken? { state.withLock { $0 } }
    func take(_ token: CKServerChangeToken?) { state.withLock { $0 = token } }
}

/// A container with records a and b in the default zone and c in the zone Z, and what was told of them.
struct Scene: Sendable {
    let own: Container
    let container: CKContainer
    let nobody: CKContainer
    let log = Log()
    let zone = CKRecordZone.ID(zoneName: "Z")

    var database: CKDatabase { container.privateCloudDatabase }

    init() async throws {
        own = try Container(identifier: "operations", account: .user("_a11ce"))
        container = CKContainer(own)
        nobody = CKContainer(try Container(sharing: own, account: .none))
        try await database.save(CKRecordZone(zoneID: zone))
        _ = try await database.modifyRecords(
            saving: [record("a"), record("b"), record("c", zone)], deleting: [])
    }

    func record(_ name: String, _ zone: CKRecordZone.ID = .default) -> CKRecord {
        let record = CKRecord(recordType: "T", recordID: id(name, zone))
        record["name"] = name
        record["size"] = 1
        return record
    }

    func id(_ name: String, _ zone: CKRecordZone.ID = .default) -> CKRecord.ID {
        CKRecord.ID(recordName: name, zoneID: zone)
    }

    /// A fetch whose callbacks write the log.
    func fetch(_ ids: [CKRecord.ID]?) -> CKFetchRecordsOperation {
        let operation = CKFetchRecordsOperation()
        operation.recordIDs = ids
        listen(operation)
        return operation
    }

    func listen(_ operation: CKFetchRecordsOperation) {
        let log = log
        operation.perRecordProgressBlock = { log.add("\($0.recordName) \($1)") }
        operation.perRecordResultBlock = { log.add("\($0.recordName) \(Self.word($1))") }
        operation.fetchRecordsResultBlock = { log.add("end \(Self.word($0))") }
    }

    /// A batch whose callbacks write the log.
    func modify(_ records: [CKRecord], _ ids: [CKRecord.ID] = []) -> CKModifyRecordsOperation {
        let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: ids)
        let log = log
        operation.perRecordProgressBlock = { log.add("\($0.recordID.recordName) \($1)") }
        operation.perRecordSaveBlock = { log.add("\($0.recordName) \(Self.word($1))") }
        operation.perRecordDeleteBlock = { log.add("-\($0.recordName) \(Self.word($1))") }
        operation.modifyRecordsResultBlock = { log.add("end \(Self.word($0))") }
        return operation
    }

    /// Runs operations to their ends, their `completionBlock`s too.
    func run(_ operations: CKDatabaseOperation..., on database: CKDatabase? = nil) async {
        let queue = (database ?? self.database)
        queue.operationQueue.isSuspended = true
        await withTaskGroup(of: Void.self) { group in
            for operation in operations {
                let (stream, end) = AsyncStream.makeStream(of: Void.self)
                let own = operation.completionBlock
                operation.completionBlock = {
                    own?()
                    end.finish()
                }
                queue.add(operation)
                group.addTask { for await _ in stream {} }
            }
            queue.operationQueue.isSuspended = false
        }
    }

    static func word(_ result: Result<some Any, any Error>) -> String {
        switch result {
        case .success: "done"
        case .failure(let error): (error as? CKError).map { "\($0.code)" } ?? "\(error)"
        }
    }
}
