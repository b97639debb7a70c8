// Large uploads: batches that are halved where they are too large, results item by item, conflicts that are resolved.

import CloudKitCompat
import Foundation

extension Array {
    fileprivate func chunked(by size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}

public actor BatchUploader {
    public private(set) var saved: Set<CKRecord.ID> = []
    public private(set) var failed: [CKRecord.ID: CKError.Code] = [:]
    private let database: CKDatabase
    private let resolver: @Sendable (_ client: CKRecord, _ server: CKRecord) -> CKRecord

    public init(
        database: CKDatabase, resolver: @escaping @Sendable (_ client: CKRecord, _ server: CKRecord) -> CKRecord
    ) {
        (self.database, self.resolver) = (database, resolver)
    }

    public func upload(_ records: [CKRecord], deleting ids: [CKRecord.ID] = []) async throws {
        for batch in records.chunked(by: 250) { try await send(batch, []) }
        if !ids.isEmpty { try await send([], ids) }
    }

    private func send(_ records: [CKRecord], _ ids: [CKRecord.ID]) async throws {
        let results:
            (
                saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
                deleteResults: [CKRecord.ID: Result<Void, any Error>]
            )
        do {
            results = try await database.modifyRecords(
                saving: records, deleting: ids, savePolicy: .ifServerRecordUnchanged, atomically: false)
        } catch let error as CKError where error.code == .limitExceeded && records.count > 1 {
            let middle = records.count / 2
            try await send(Array(records[..<middle]), [])
            return try await send(Array(records[middle...]), ids)
        }
        var conflicts: [CKRecord] = []
        for (id, result) in results.saveResults {
            switch result {
            case .success: saved.insert(id)
            case .failure(let error as CKError) where error.code == .serverRecordChanged:
                guard let server = error.serverRecord, let client = error.clientRecord else { continue }
                conflicts.append(resolver(client, server))
            case .failure(let error): failed[id] = (error as? CKError)?.code ?? .internalError
            }
        }
        for (id, result) in results.deleteResults {
            do { try result.get() } catch { failed[id] = (error as? CKError)?.code ?? .internalError }
        }
        if !conflicts.isEmpty { try await send(conflicts, []) }
    }
}
