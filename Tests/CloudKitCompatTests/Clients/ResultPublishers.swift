// A wrapper of publishers, in the manner of Combine: each call of a database is a future that can be mapped, chained,
// cancelled, and waited for.

import CloudKitCompat
import Foundation

/// What can be cancelled.
public protocol Cancelling: AnyObject { func cancel() }

/// A value that comes later, or an error.
public final class Future<Output> {
    public typealias Promise = (Result<Output, Error>) -> Void
    private let lock = NSLock()
    private var result: Result<Output, Error>?
    private var subscribers: [Promise] = []
    private var onCancel: (() -> Void)?

    public init(_ attempt: (@escaping Promise) -> (() -> Void)?) {
        onCancel = attempt { [self] in fulfil($0) }
    }

    private func fulfil(_ result: Result<Output, Error>) {
        lock.lock()
        let waiting = self.result == nil ? subscribers : []
        if self.result == nil { self.result = result }
        subscribers = []
        lock.unlock()
        for subscriber in waiting { subscriber(result) }
    }

    public func sink(_ receive: @escaping Promise) {
        lock.lock()
        let known = result
        if known == nil { subscribers.append(receive) }
        lock.unlock()
        if let known { receive(known) }
    }

    public func cancel() { onCancel?() }

    public func map<Other>(_ transform: @escaping (Output) throws -> Other) -> Future<Other> {
        Future<Other> { promise in
            self.sink { result in promise(Result { try transform(try result.get()) }) }
            return { self.cancel() }
        }
    }

    public func flatMap<Other>(_ transform: @escaping (Output) -> Future<Other>) -> Future<Other> {
        Future<Other> { promise in
            self.sink { result in
                switch result {
                case .success(let value): transform(value).sink(promise)
                case .failure(let error): promise(.failure(error))
                }
            }
            return { self.cancel() }
        }
    }

    /// The value, waited for; handlers of the database may call this for another call of the same database.
    public func wait() throws -> Output {
        let done = DispatchSemaphore(value: 0)
        sink { _ in done.signal() }
        done.wait()
        lock.lock()
        defer { lock.unlock() }
        guard let result else { throw CKError(.internalError) }
        return try result.get()
    }
}

extension CKDatabase {
    public func savePublisher(_ record: CKRecord) -> Future<CKRecord> {
        publisher { operation, promise in
            operation.recordsToSave = [record]
            operation.perRecordSaveBlock = { _, result in promise(result) }
        }
    }

    public func deletePublisher(_ id: CKRecord.ID) -> Future<CKRecord.ID> {
        publisher { operation, promise in
            operation.recordIDsToDelete = [id]
            operation.perRecordDeleteBlock = { id, result in promise(result.map { id }) }
        }
    }

    private func publisher<Output>(
        _ prepare: (CKModifyRecordsOperation, @escaping (Result<Output, Error>) -> Void) -> Void
    ) -> Future<Output> {
        Future { promise in
            let operation = CKModifyRecordsOperation()
            prepare(operation, promise)
            operation.modifyRecordsResultBlock = { if case .failure(let error) = $0 { promise(.failure(error)) } }
            operation.qualityOfService = .userInitiated
            self.add(operation)
            return { operation.cancel() }
        }
    }

    public func fetchPublisher(_ id: CKRecord.ID) -> Future<CKRecord> {
        Future { promise in
            let operation = CKFetchRecordsOperation(recordIDs: [id])
            operation.perRecordResultBlock = { _, result in promise(result) }
            operation.fetchRecordsResultBlock = { if case .failure(let error) = $0 { promise(.failure(error)) } }
            self.add(operation)
            return { operation.cancel() }
        }
    }

    /// All records that match, page after page.
    public func queryPublisher(
        _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, limit: Int = CKQueryOperation.maximumResults
    ) -> Future<[CKRecord]> {
        Future { promise in
            self.page(CKQueryOperation(query: query), zoneID, limit, [], promise)
            return nil
        }
    }

    private func page(
        _ operation: CKQueryOperation, _ zoneID: CKRecordZone.ID?, _ limit: Int, _ known: [CKRecord],
        _ promise: @escaping (Result<[CKRecord], Error>) -> Void
    ) {
        var found = known
        operation.zoneID = zoneID
        operation.resultsLimit = limit
        operation.recordMatchedBlock = { _, result in if let record = try? result.get() { found.append(record) } }
        operation.queryResultBlock = { result in
            switch result {
            case .success(let cursor?): self.page(CKQueryOperation(cursor: cursor), zoneID, limit, found, promise)
            case .success(nil): promise(.success(found))
            case .failure(let error): promise(.failure(error))
            }
        }
        add(operation)
    }
}

extension CKContainer {
    public var accountStatusPublisher: Future<CKAccountStatus> {
        Future { promise in
            let send = UncheckedPromise(promise)
            self.accountStatus { status, error in
                send.fulfil(error.map { .failure($0) } ?? .success(status))
            }
            return nil
        }
    }
}

/// A promise that handlers of other threads keep.
private struct UncheckedPromise<Output>: @unchecked Sendable {
    private let promise: (Result<Output, Error>) -> Void
    init(_ promise: @escaping (Result<Output, Error>) -> Void) { self.promise = promise }
    func fulfil(_ result: Result<Output, Error>) { promise(result) }
}
