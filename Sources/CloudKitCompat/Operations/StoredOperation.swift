// Long-lived operations in files beside the store of their container, for processes that go on with them.

import Foundation
import RecordDatabase

/// What is stored of a long-lived operation: all but its callbacks.
struct StoredOperation: Codable {
    /// What operations do.
    enum Work: Codable {
        case modify(ModifyWork)
        case fetch(ids: [Record.ID], desiredKeys: [String]?)
        case query(QueryWork)
    }

    /// A batch.
    struct ModifyWork: Codable {
        let saves: [Record]
        let deletes: [Record.ID]
        let policy: SavePolicy
        let isAtomic: Bool
        let clientToken: Data?
    }

    /// A page of a query, or behind a cursor.
    struct QueryWork: Codable {
        let query: Query?
        let cursor: Query.Cursor?
        let zoneID: RecordZone.ID?
        let desiredKeys: [String]?
        let limit: Int
    }

    let id: CKOperation.ID
    /// When it was added: those before come first.
    let date: Date
    let scope: Int
    /// Whose operation it is.
    let userName: String?
    let work: Work

    /// The operation, with the settings of a long-lived one and without callbacks.
    func operation(in container: CKContainer) -> CKDatabaseOperation? {
        guard let scope = CKDatabase.Scope(rawValue: scope) else { return nil }
        let operation: CKDatabaseOperation
        switch work {
        case .modify(let work):
            let modify = CKModifyRecordsOperation(
                recordsToSave: work.saves.map { CKRecord.of($0) },
                recordIDsToDelete: work.deletes.map { CKRecord.ID($0) })
            (modify.savePolicy, modify.isAtomic, modify.clientChangeTokenData) = (
                work.policy, work.isAtomic, work.clientToken
            )
            operation = modify
        case .fetch(let ids, let desiredKeys):
            let fetch = CKFetchRecordsOperation(recordIDs: ids.map { CKRecord.ID($0) })
            fetch.desiredKeys = desiredKeys
            operation = fetch
        case .query(let work):
            let query = CKQueryOperation()
            (query.query, query.cursor) = (
                work.query.map { CKQuery($0) }, work.cursor.map { CKQueryOperation.Cursor($0) }
            )
            (query.zoneID, query.desiredKeys) = (work.zoneID.map { CKRecordZone.ID($0) }, work.desiredKeys)
            query.resultsLimit = work.limit
            operation = query
        }
        operation.operationID = id
        operation.configuration.isLongLived = true
        operation.database = container.database(with: scope)
        return operation
    }
}

/// The operations that are stored beside the store of a container.
struct OperationFolder {
    private let path: String
    private let userName: String?
    private let now: Date

    /// `nil` for a container without a store in a folder.
    init?(_ container: Result<Container, DatabaseError>) {
        guard case .success(let container) = container, let folder = container.storeFolder else { return nil }
        path = StorePath.beside(folder, ".operations")
        (userName, now) = (container.userName, container.now)
    }

    /// Stores an operation.
    ///
    /// - Returns: Where; `nil` for one that ends with the process, and where the file cannot be written.
    func store(_ operation: CKOperation, _ scope: CKDatabase.Scope) -> String? {
        guard let work = operation.storedWork else { return nil }
        let stored = StoredOperation(
            id: operation.operationID, date: now, scope: scope.rawValue, userName: userName, work: work)
        let private700: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: private700)
        let file = path + "/" + operation.operationID + ".json"
        guard let data = try? Self.encoder.encode(stored), PrivateFile.write([UInt8](data), to: file) == nil else {
            return nil
        }
        return file
    }

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }

    /// Removes an operation with what became of it.
    static func remove(_ file: String) {
        for path in [file, StoredOutcome.file(of: file)] { try? FileManager.default.removeItem(atPath: path) }
    }

    /// How long an operation waits for a process that goes on with it, in seconds: 24 hours.
    private static let lifetime: TimeInterval = 86_400

    /// The current user's operations, in the order in which they were added. Those of anybody that have waited too long
    /// are dropped.
    var operations: [(stored: StoredOperation, file: String)] {
        let decoder = Self.decoder
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let files = names.filter { $0.hasSuffix(".json") }.map { path + "/" + $0 }
        return files.compactMap { file -> (stored: StoredOperation, file: String)? in
            // What is damaged is none.
            guard let data = FileManager.default.contents(atPath: file),
                let stored = try? decoder.decode(StoredOperation.self, from: data)
            else { return nil }
            guard now.timeIntervalSince(stored.date) < Self.lifetime else {
                Self.remove(file)
                return nil
            }
            return stored.userName == userName ? (stored, file) : nil
        }.sorted { ($0.stored.date, $0.stored.id) < ($1.stored.date, $1.stored.id) }
    }
}
