// Databases behind protocols, so that tests can put others in their place: CloudKit's functions are the witnesses.

import CloudKitCompat
import Foundation

public protocol CloudDatabase: AnyObject {
    var databaseScope: CKDatabase.Scope { get }
    func add(_ operation: CKDatabaseOperation)
    func fetch(withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord?, Error?) -> Void)
    func save(_ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, Error?) -> Void)
    func delete(
        withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord.ID?, Error?) -> Void)
    func perform(
        _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
        completionHandler: @escaping @Sendable ([CKRecord]?, Error?) -> Void)
    func fetchAllRecordZones(completionHandler: @escaping @Sendable ([CKRecordZone]?, Error?) -> Void)
}

public protocol AsyncCloudDatabase {
    func record(for recordID: CKRecord.ID) async throws -> CKRecord
    @discardableResult func save(_ record: CKRecord) async throws -> CKRecord
    @discardableResult func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID
    func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?, desiredKeys: [CKRecord.FieldKey]?,
        resultsLimit: Int
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, Error>)], queryCursor: CKQueryOperation.Cursor?
    )
    func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy, atomically: Bool
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, Error>], deleteResults: [CKRecord.ID: Result<Void, Error>]
    )
    func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]?, resultsLimit: Int?
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<CKDatabase.RecordZoneChange.Modification, Error>],
        deletions: [CKDatabase.RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    )
}

public protocol CloudContainer {
    associatedtype Database: CloudDatabase
    var containerIdentifier: String? { get }
    var privateCloudDatabase: Database { get }
    func accountStatus() async throws -> CKAccountStatus
    func accountStatus(completionHandler: @escaping @Sendable (CKAccountStatus, Error?) -> Void)
    func add(_ operation: CKOperation)
}

extension CKDatabase: CloudDatabase, AsyncCloudDatabase {}
extension CKContainer: CloudContainer {}

/// What operations are started with: the members that generic code needs of them.
public protocol QueryRunning: AnyObject {
    var query: CKQuery? { get set }
    var resultsLimit: Int { get set }
    var recordMatchedBlock: ((CKRecord.ID, Result<CKRecord, Error>) -> Void)? { get set }
    var queryResultBlock: ((Result<CKQueryOperation.Cursor?, Error>) -> Void)? { get set }
}

extension CKQueryOperation: QueryRunning {}

/// A database in memory, for the tests of an application.
public final class MockDatabase: CloudDatabase, @unchecked Sendable {
    public let databaseScope = CKDatabase.Scope.private
    public var records: [CKRecord.ID: CKRecord] = [:]
    public var nextError: CKError?
    public init() {}

    public func add(_ operation: CKDatabaseOperation) {
        guard let fetch = operation as? CKFetchRecordsOperation else { return }
        for id in fetch.recordIDs ?? [] {
            let result = records[id].map { Result<CKRecord, Error>.success($0) } ?? .failure(CKError(.unknownItem))
            fetch.perRecordResultBlock?(id, result)
        }
        fetch.fetchRecordsResultBlock?(.success(()))
    }

    private func takeError() -> CKError? {
        defer { nextError = nil }
        return nextError
    }

    public func fetch(withRecordID id: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord?, Error?) -> Void)
    {
        let error = takeError() ?? (records[id] == nil ? CKError(.unknownItem) : nil)
        completionHandler(error == nil ? records[id] : nil, error)
    }
    public func save(_ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, Error?) -> Void) {
        if let error = takeError() { return completionHandler(nil, error) }
        records[record.recordID] = record.copy() as? CKRecord
        completionHandler(record, nil)
    }
    public func delete(
        withRecordID id: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord.ID?, Error?) -> Void
    ) {
        records[id] = nil
        completionHandler(id, takeError())
    }
    public func perform(
        _ query: CKQuery, inZoneWith _: CKRecordZone.ID?,
        completionHandler: @escaping @Sendable ([CKRecord]?, Error?) -> Void
    ) {
        let found = records.values.filter { $0.recordType == query.recordType && query.predicate.evaluate(with: $0) }
        completionHandler(Array(found), takeError())
    }
    public func fetchAllRecordZones(completionHandler: @escaping @Sendable ([CKRecordZone]?, Error?) -> Void) {
        completionHandler([.default()], nil)
    }
}

/// Code that knows the protocols alone.
public struct TagRepository<Database: CloudDatabase> {
    let database: Database
    public init(database: Database) { self.database = database }

    public func rename(_ id: CKRecord.ID, to name: String) async throws -> CKRecord {
        let database = database
        let record: CKRecord = try await withCheckedThrowingContinuation { continuation in
            database.fetch(withRecordID: id) { record, error in
                if let record {
                    continuation.resume(returning: record)
                } else {
                    continuation.resume(throwing: error ?? CKError(.internalError))
                }
            }
        }
        record["name"] = name
        return try await withCheckedThrowingContinuation { continuation in
            database.save(record) { saved, error in
                continuation.resume(with: Result { if let error { throw error } else { saved! } })
            }
        }
    }
}
