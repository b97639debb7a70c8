// A library that keeps objects of an application in a zone of their own: operations with blocks, change tokens in
// archives, subscriptions, and retries as the server says.

import CloudKitCompat
import Foundation

/// An object that the library keeps in step with the server.
public protocol SyncedObject: AnyObject {
    static var recordType: String { get }
    static var zoneName: String { get }
    var identifier: String { get }
    var isDeleted: Bool { get set }
    init(identifier: String)
    func write(to record: CKRecord)
    func read(from record: CKRecord)
}

extension SyncedObject {
    public static var zoneID: CKRecordZone.ID {
        CKRecordZone.ID(zoneName: zoneName, ownerName: CKCurrentUserDefaultName)
    }
    public var recordID: CKRecord.ID { CKRecord.ID(recordName: identifier, zoneID: Self.zoneID) }
    var record: CKRecord {
        let record = CKRecord(recordType: Self.recordType, recordID: recordID)
        write(to: record)
        return record
    }
}

/// Where the library keeps tokens: the settings of the application.
public final class TokenStore {
    private var values: [String: Data] = [:]
    public init() {}

    func token(forKey key: String) -> CKServerChangeToken? {
        guard let data = values[key] else { return nil }
        return try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
    }

    func set(_ token: CKServerChangeToken?, forKey key: String) {
        values[key] = token.flatMap {
            try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
        }
    }
}

/// What to do about an error.
public enum ErrorOutcome {
    case success
    case retry(after: TimeInterval)
    case chunk
    case recover(CKError.Code)
    case fail(Error)

    init(_ error: Error?) {
        guard let error else {
            self = .success
            return
        }
        guard let error = error as? CKError else {
            self = .fail(error)
            return
        }
        switch error.code {
        case .networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited, .zoneBusy:
            self = .retry(after: error.retryAfterSeconds ?? 0)
        case .limitExceeded: self = .chunk
        case .changeTokenExpired, .zoneNotFound, .userDeletedZone: self = .recover(error.code)
        case .partialFailure where error.partialErrorsByItemID?.isEmpty == false: self = .fail(error)
        default: self = .fail(error)
        }
    }
}

/// Sends and fetches the objects of one type.
public final class ZoneSync<Object: SyncedObject> {
    public private(set) var objects: [String: Object] = [:]
    public private(set) var retries = 0
    private let database: CKDatabase
    private let tokens: TokenStore
    private let queue = DispatchQueue(label: "ZoneSync.callbacks")

    public init(container: CKContainer, tokens: TokenStore) {
        database = container.database(with: .private)
        self.tokens = tokens
    }

    // MARK: Setting up

    public func start(_ completion: @escaping (Error?) -> Void) {
        let operation = CKModifyRecordZonesOperation(
            recordZonesToSave: [CKRecordZone(zoneID: Object.zoneID)], recordZoneIDsToDelete: nil)
        operation.modifyRecordZonesResultBlock = { [weak self] result in
            switch result {
            case .success: self?.subscribe(completion)
            case .failure(let error): completion(error)
            }
        }
        operation.qualityOfService = .utility
        database.add(operation)
    }

    private func subscribe(_ completion: @escaping (Error?) -> Void) {
        let subscription = CKRecordZoneSubscription(zoneID: Object.zoneID, subscriptionID: "sync." + Object.zoneName)
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        subscription.notificationInfo = info
        let operation = CKModifySubscriptionsOperation(
            subscriptionsToSave: [subscription], subscriptionIDsToDelete: nil)
        operation.modifySubscriptionsResultBlock = { result in
            if case .failure(let error) = result { completion(error) } else { completion(nil) }
        }
        database.add(operation)
    }

    // MARK: Sending

    public func add(_ object: Object) { objects[object.identifier] = object }

    public func push(
        _ changed: [Object], batch: Int = 350, _ completion: @escaping (Error?) -> Void
    ) {
        guard !changed.isEmpty else {
            completion(nil)
            return
        }
        let (now, later) = (Array(changed.prefix(batch)), Array(changed.dropFirst(batch)))
        let operation = CKModifyRecordsOperation(
            recordsToSave: now.filter { !$0.isDeleted }.map(\.record),
            recordIDsToDelete: now.filter(\.isDeleted).map(\.recordID))
        let configuration = CKOperation.Configuration()
        configuration.isLongLived = true
        configuration.timeoutIntervalForRequest = 10
        configuration.timeoutIntervalForResource = 10
        operation.configuration = configuration
        operation.longLivedOperationWasPersistedBlock = {}
        operation.savePolicy = .changedKeys
        operation.isAtomic = false
        operation.modifyRecordsResultBlock = { [weak self] result in
            guard let self else { return }
            var failure: Error?
            if case .failure(let error) = result { failure = error }
            switch ErrorOutcome(failure) {
            case .success: self.push(later, batch: batch, completion)
            case .retry(let seconds):
                self.retries += 1
                self.retry(after: seconds) { self.push(changed, batch: batch, completion) }
            case .chunk: self.push(changed, batch: max(1, batch / 2), completion)
            case .recover, .fail: completion(failure)
            }
        }
        database.add(operation)
    }

    private func retry(after seconds: TimeInterval, _ body: @escaping () -> Void) {
        let item = DispatchWorkItem(block: body)
        queue.asyncAfter(deadline: .now() + seconds, execute: item)
    }

    // MARK: Fetching

    public func pull(_ completion: @escaping (Error?) -> Void) {
        let operation = CKFetchDatabaseChangesOperation(
            previousServerChangeToken: tokens.token(forKey: "database"))
        operation.fetchAllChanges = true
        var changed: [CKRecordZone.ID] = []
        operation.recordZoneWithIDChangedBlock = { changed.append($0) }
        operation.recordZoneWithIDWasDeletedBlock = { [weak self] in
            if $0 == Object.zoneID { self?.forget() }
        }
        operation.changeTokenUpdatedBlock = { [weak self] in self?.tokens.set($0, forKey: "database") }
        operation.fetchDatabaseChangesResultBlock = { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let (token, _)):
                self.tokens.set(token, forKey: "database")
                if changed.contains(Object.zoneID) { self.pullZone(completion) } else { completion(nil) }
            case .failure(let error):
                if case .recover(.changeTokenExpired) = ErrorOutcome(error) {
                    self.tokens.set(nil, forKey: "database")
                    self.pull(completion)
                } else {
                    completion(error)
                }
            }
        }
        database.add(operation)
    }

    private func pullZone(_ completion: @escaping (Error?) -> Void) {
        let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
        configuration.previousServerChangeToken = tokens.token(forKey: Object.zoneName)
        configuration.resultsLimit = 25
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [Object.zoneID], configurationsByRecordZoneID: [Object.zoneID: configuration])
        operation.recordWasChangedBlock = { [weak self] id, result in
            guard let self, let record = try? result.get() else { return }
            let object = self.objects[id.recordName] ?? Object(identifier: id.recordName)
            object.read(from: record)
            self.objects[id.recordName] = object
        }
        operation.recordWithIDWasDeletedBlock = { [weak self] id, _ in self?.objects[id.recordName] = nil }
        operation.recordZoneChangeTokensUpdatedBlock = { [weak self] zone, token, _ in
            self?.tokens.set(token, forKey: zone.zoneName)
        }
        operation.recordZoneFetchResultBlock = { [weak self] zone, result in
            if case .success(let (token, _, _)) = result { self?.tokens.set(token, forKey: zone.zoneName) }
        }
        operation.fetchRecordZoneChangesResultBlock = { [weak self] result in
            guard case .failure(let error) = result else {
                completion(nil)
                return
            }
            if case .recover(.changeTokenExpired) = ErrorOutcome(error) {
                self?.tokens.set(nil, forKey: Object.zoneName)
                self?.pullZone(completion)
            } else {
                completion(error)
            }
        }
        database.add(operation)
    }

    private func forget() {
        objects = [:]
        tokens.set(nil, forKey: Object.zoneName)
    }
}
