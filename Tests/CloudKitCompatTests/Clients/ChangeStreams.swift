// Operations as sequences that are awaited: pages of a query, changes of zones, and calls with continuations.

import CloudKitCompat
import Foundation

/// Pages of a query as a sequence.
public struct QueryPages: AsyncSequence {
    public typealias Element = [CKRecord]
    let database: CKDatabase
    let query: CKQuery
    let limit: Int

    public init(_ database: CKDatabase, _ query: CKQuery, limit: Int) {
        (self.database, self.query, self.limit) = (database, query, limit)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let pages: QueryPages
        var cursor: CKQueryOperation.Cursor?
        var hasBegun = false

        public mutating func next() async throws -> [CKRecord]? {
            if hasBegun, cursor == nil { return nil }
            let page =
                if let cursor {
                    try await pages.database.records(continuingMatchFrom: cursor, resultsLimit: pages.limit)
                } else {
                    try await pages.database.records(matching: pages.query, resultsLimit: pages.limit)
                }
            (hasBegun, cursor) = (true, page.queryCursor)
            return try page.matchResults.map { try $0.1.get() }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }
}

public enum ZoneEvent: Sendable {
    case changed(CKRecord)
    case deleted(CKRecord.ID, CKRecord.RecordType)
    case token(CKServerChangeToken)
}

extension CKDatabase {
    /// The records that match, as they come.
    public func stream(_ query: CKQuery, in zone: CKRecordZone.ID? = nil) -> AsyncThrowingStream<CKRecord, Error> {
        AsyncThrowingStream { continuation in
            let operation = CKQueryOperation(query: query)
            operation.zoneID = zone
            operation.recordMatchedBlock = { _, result in
                switch result {
                case .success(let record): continuation.yield(record)
                case .failure(let error): continuation.finish(throwing: error)
                }
            }
            operation.queryResultBlock = { result in
                switch result {
                case .success: continuation.finish()
                case .failure(let error): continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { if case .cancelled = $0 { operation.cancel() } }
            self.add(operation)
        }
    }

    /// What changed in a zone since a token.
    public func changes(
        in zone: CKRecordZone.ID, since token: CKServerChangeToken?
    ) -> AsyncThrowingStream<ZoneEvent, Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: ZoneEvent.self)
        let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
        configuration.previousServerChangeToken = token
        configuration.resultsLimit = 2
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zone], configurationsByRecordZoneID: [zone: configuration])
        operation.fetchAllChanges = true
        operation.recordWasChangedBlock = { _, result in
            if let record = try? result.get() { continuation.yield(.changed(record)) }
        }
        operation.recordWithIDWasDeletedBlock = { continuation.yield(.deleted($0, $1)) }
        operation.recordZoneChangeTokensUpdatedBlock = { _, token, _ in
            if let token { continuation.yield(.token(token)) }
        }
        operation.recordZoneFetchResultBlock = { _, result in
            if case .success(let end) = result { continuation.yield(.token(end.serverChangeToken)) }
        }
        operation.fetchRecordZoneChangesResultBlock = { result in
            do {
                try result.get()
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        add(operation)
        return stream
    }

    /// A call with a handler, awaited.
    public func zones() async throws -> [CKRecordZone] {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[CKRecordZone], Error>) in
            fetchAllRecordZones { zones, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: zones ?? [])
                }
            }
        }
    }

    /// All changes there are, with the functions that await.
    public func allChanges(in zone: CKRecordZone.ID) async throws -> (names: [String], token: CKServerChangeToken?) {
        var (names, token) = ([String](), nil as CKServerChangeToken?)
        while true {
            let changes = try await recordZoneChanges(inZoneWith: zone, since: token, resultsLimit: 2)
            for (id, result) in changes.modificationResultsByID {
                let record = try result.get().record
                assert(record.recordID == id)
                names.append(id.recordName)
            }
            token = changes.changeToken
            if !changes.moreComing { return (names.sorted(), token) }
        }
    }
}
