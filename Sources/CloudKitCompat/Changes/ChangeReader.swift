// Reads the changes of a zone, stretch by stretch, and tells of each.

import Foundation
import RecordDatabase

/// What an operation does for a zone whose changes it fetches.
struct ChangeReader {
    /// Whether it goes on while there is more.
    let fetchesAll: Bool
    let changed: (CKRecord.ID, Result<CKRecord, any Error>) -> Void
    let deleted: (CKRecord.ID, CKRecord.RecordType) -> Void
    /// Called after each stretch but the last.
    let updated: (CKServerChangeToken, Data?) -> Void

    /// Tells of all changes since a token.
    ///
    /// - Parameter limit: At most so many changes a stretch; 0 leaves it to the database.
    /// - Returns: The last stretch.
    /// - Throws: `DatabaseError`; what was told before stays valid.
    func read(
        _ zoneID: CKRecordZone.ID, since token: CKServerChangeToken?, _ desiredKeys: [String]?, limit: Int,
        in database: Database, _ report: inout ItemReport
    ) throws(DatabaseError) -> RecordZoneChanges {
        var token = token?.token
        while true {
            try report.checkCancellation()
            let changes = try report.reading(database) { database throws(DatabaseError) in
                try database.zoneChanges(zoneID.zone, since: token, desiredKeys: desiredKeys, limit: limit)
            }
            for (id, result) in changes.modifications {
                try report.checkCancellation()
                changed(CKRecord.ID(id), result.compat { CKRecord.of($0) })
            }
            for deletion in changes.deletions {
                try report.checkCancellation()
                deleted(CKRecord.ID(deletion.recordID), deletion.recordType)
            }
            guard fetchesAll, changes.moreComing else { return changes }
            updated(CKServerChangeToken(changes.changeToken), changes.clientChangeTokenData)
            token = changes.changeToken
        }
    }
}
