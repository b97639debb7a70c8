// What became of a stored long-lived operation, kept until somebody was told of it.

import Foundation
import RecordDatabase

/// The results of a batch in a file beside that of its operation: a process that adds the operation again is told them,
/// and nothing is saved twice. Fetches and queries have none; they run again.
struct StoredOutcome: Codable {
    /// What became of one item; with neither a record nor an error, it was deleted.
    private struct Item: Codable {
        let id: Record.ID
        let record: Record?
        let error: Failure?
    }

    /// An error of an item.
    fileprivate struct Failure: Codable {
        let code: DatabaseError.Code
        let reason: String
        let hint: String?
        /// The server's record, the client's, and the one before both where there is one.
        let conflict: [Record]?
        /// Whether the zone went with the key of its encrypted values. Files of older versions do not say it.
        let isEncryptedDataReset: Bool?
        /// How long to wait; in files of older versions there is none.
        let retryAfter: Duration?

        init(_ error: DatabaseError) {
            (code, reason, hint) = (error.code, error.reason, error.hint)
            isEncryptedDataReset = error.isEncryptedDataReset ? true : nil
            retryAfter = error.retryAfter
            conflict = error.serverRecord.flatMap { server in
                error.clientRecord.map { [server, $0] + [error.ancestorRecord].compactMap(\.self) }
            }
        }

        /// The error, of an item.
        func error(of id: Record.ID) -> DatabaseError {
            if isEncryptedDataReset == true { return DatabaseError(ofResetZone: id.zoneID.zoneName) }
            guard let conflict, conflict.count >= 2 else {
                return DatabaseError(code, reason, hint: hint, retryAfter: retryAfter)
            }
            return DatabaseError(
                DatabaseError.Conflict(
                    server: conflict[0], client: conflict[1], ancestor: conflict.count > 2 ? conflict[2] : nil))
        }

        /// Whether encrypted values would be stored in the clear.
        var holdsSecrets: Bool { (conflict ?? []).contains(where: \.holdsSecrets) }
    }

    private let saves: [Item]
    private let deletes: [Item]

    private init(_ result: ModifyResult) {
        saves = result.saves.map { Item(id: $0.id, record: try? $0.result.get(), error: $0.result.failed) }
        deletes = result.deletes.map { Item(id: $0.id, record: nil, error: $0.result.failed) }
    }

    private var result: ModifyResult? {
        var result = ModifyResult()
        for item in saves {
            if let error = item.error {
                result.saves.append((item.id, .failure(error.error(of: item.id))))
            } else if let record = item.record {
                result.saves.append((item.id, .success(record)))
            } else {
                return nil
            }
        }
        for item in deletes {
            result.deletes.append((item.id, item.error.map { .failure($0.error(of: item.id)) } ?? .success(())))
        }
        return result
    }

    private var holdsSecrets: Bool {
        (saves + deletes).contains { $0.record?.holdsSecrets == true || $0.error?.holdsSecrets == true }
    }

    /// The file of the outcome of an operation.
    static func file(of operation: String) -> String { operation + ".outcome" }

    /// The results of a batch: those of the process that has carried it out, or else those of a call.
    ///
    /// - Parameters:
    ///   - operation: The file of the operation; `nil` for one that is not stored.
    ///   - call: Carries out the batch.
    /// - Throws: What the call throws; `DatabaseError` of code `internalError` where the batch was carried out and its
    ///   results can no longer be read.
    static func result(
        of operation: String?, _ call: () throws(DatabaseError) -> ModifyResult
    ) throws(DatabaseError) -> ModifyResult {
        guard let operation else { return try call() }
        let file = file(of: operation)
        if let data = FileManager.default.contents(atPath: file) {
            guard let result = (try? OperationFolder.decoder.decode(StoredOutcome.self, from: data))?.result else {
                throw DatabaseError(
                    .internalError, "the results of the operation are damaged",
                    hint: "its batch was carried out: fetch the records")
            }
            return result
        }
        let result = try call()
        let outcome = StoredOutcome(result)
        // Without a file the batch is sent again, which tells conflicts.
        if !outcome.holdsSecrets, let data = try? OperationFolder.encoder.encode(outcome) {
            _ = PrivateFile.write([UInt8](data), to: file)
        }
        return result
    }
}

extension Record {
    fileprivate var holdsSecrets: Bool { !encryptedValues.allKeys().isEmpty }
}

extension Result where Failure == DatabaseError {
    fileprivate var failed: StoredOutcome.Failure? {
        if case .failure(let error) = self { StoredOutcome.Failure(error) } else { nil }
    }
}
