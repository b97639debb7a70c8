// An application of 2017: operations with completion blocks of the first form, the names of that time, predicates with
// arguments, dependencies between operations, and handlers that wait for other calls.

import CloudKitCompat
import Foundation

public enum RestaurantKeys {
    static let type = "Restaurant"
    static let name = "name"
    static let rating = "rating"
    static let place = "place"
    static let owner = "owner"
}

/// Restaurants in the public database.
public final class RestaurantStore: NSObject, @unchecked Sendable {
    private let container: CKContainer
    private let publicDB: CKDatabase
    private let lock = NSLock()
    private var progress: [String] = []

    public init(container: CKContainer) {
        self.container = container
        publicDB = container.publicCloudDatabase
        super.init()
    }

    public var log: [String] {
        lock.lock()
        defer { lock.unlock() }
        return progress
    }

    private func note(_ line: String) {
        lock.lock()
        progress.append(line)
        lock.unlock()
    }

    public func makeRestaurants(_ count: Int, owner: CKRecord?) -> [CKRecord] {
        (0..<count).map { number in
            let record = CKRecord(
                recordType: RestaurantKeys.type, recordID: CKRecordID(recordName: "restaurant-\(number)"))
            record.setObject("Place \(number)" as CKRecordValue, forKey: RestaurantKeys.name)
            record[RestaurantKeys.rating] = number % 5 as NSNumber
            record[RestaurantKeys.place] = CLLocation(latitude: 50 + Double(number) / 100, longitude: 30)
            if let owner { record[RestaurantKeys.owner] = CKReference(record: owner, action: .deleteSelf) }
            return record
        }
    }

    public func upload(_ records: [CKRecord], completion: @escaping ([CKRecord]?, [CKRecordID]?, Error?) -> Void) {
        let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: nil)
        operation.savePolicy = CKRecordSavePolicy.allKeys
        operation.isAtomic = false
        operation.perRecordProgressBlock = { record, done in
            if done == 1 { self.note("sent \(record.recordID.recordName)") }
        }
        operation.perRecordCompletionBlock = { record, error in
            if let error = error as? CKError { self.note("\(record.recordID.recordName) \(error.code.rawValue)") }
        }
        operation.modifyRecordsCompletionBlock = completion
        operation.qualityOfService = QualityOfService.userInitiated
        publicDB.add(operation)
    }

    /// Names of the restaurants of at least a rating, nearest first.
    public func names(
        rating: Int, near place: CLLocation, within metres: Double, completion: @escaping ([String], Error?) -> Void
    ) {
        let predicate = NSPredicate(
            format: "%K >= %d AND distanceToLocation:fromLocation:(%K, %@) < %f", RestaurantKeys.rating, rating,
            RestaurantKeys.place, place, metres)
        let query = CKQuery(recordType: RestaurantKeys.type, predicate: predicate)
        query.sortDescriptors = [CKLocationSortDescriptor(key: RestaurantKeys.place, relativeLocation: place)]
        run(CKQueryOperation(query: query), [], completion)
    }

    private func run(
        _ operation: CKQueryOperation, _ known: [String], _ completion: @escaping ([String], Error?) -> Void
    ) {
        var found = known
        operation.resultsLimit = 7
        operation.desiredKeys = [RestaurantKeys.name]
        operation.recordFetchedBlock = { record in
            found.append(record.object(forKey: RestaurantKeys.name) as? String ?? "?")
        }
        operation.queryCompletionBlock = { cursor, error in
            if let cursor = cursor {
                self.run(CKQueryOperation(cursor: cursor), found, completion)
            } else {
                completion(found, error)
            }
        }
        publicDB.add(operation)
    }

    /// Fetches after saving: two operations, one depending on the other.
    public func saveThenFetch(_ record: CKRecord, completion: @escaping (CKRecord?) -> Void) {
        let save = CKModifyRecordsOperation(recordsToSave: [record], recordIDsToDelete: [])
        let fetch = CKFetchRecordsOperation(recordIDs: [record.recordID])
        fetch.fetchRecordsCompletionBlock = { records, _ in completion(records?[record.recordID]) }
        fetch.addDependency(save)
        publicDB.add(fetch)
        publicDB.add(save)
    }

    /// The name of the owner of a restaurant, with handlers that wait for other calls of the same database.
    public func ownersName(of id: CKRecordID) -> String? {
        let done = DispatchSemaphore(value: 0)
        let name = Box<String>()
        publicDB.fetch(withRecordID: id) { record, _ in
            defer { done.signal() }
            guard let reference = record?[RestaurantKeys.owner] as? CKReference else { return }
            let inner = DispatchSemaphore(value: 0)
            self.publicDB.fetch(withRecordID: reference.recordID) { owner, _ in
                name.value = owner?["name"] as? String
                inner.signal()
            }
            inner.wait()
        }
        done.wait()
        return name.value
    }

    /// All restaurants by the convenience call of that time, which looks in the default zone.
    public func all(completion: @escaping @Sendable (Int, Error?) -> Void) {
        let query = CKQuery(recordType: RestaurantKeys.type, predicate: NSPredicate(value: true))
        publicDB.perform(query, inZoneWith: nil) { records, error in completion(records?.count ?? 0, error) }
    }

    /// Who the user is, and whether others find them.
    public func userName(completion: @escaping @Sendable (String?, CKApplicationPermissionStatus) -> Void) {
        container.fetchUserRecordID { id, _ in
            self.container.status(forApplicationPermission: .userDiscoverability) { status, _ in
                completion(id?.recordName, status)
            }
        }
    }

    /// Whether an error of a save tells of a conflict whose server record can be changed and saved.
    public func resolve(_ error: Error?, name: String) -> CKRecord? {
        guard let error = error as? CKError, error.code == CKError.Code.serverRecordChanged,
            let server = error.userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord
        else { return nil }
        server[RestaurantKeys.name] = name
        return error.serverRecord
    }
}

/// A value that a handler gives.
final class Box<Value>: @unchecked Sendable {
    var value: Value?
}
