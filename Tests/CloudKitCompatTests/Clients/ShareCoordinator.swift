// Sharing by operations and by functions that await: a zone as a whole, participants, metadata, acceptance, leaving.

import CloudKitCompat
import Foundation

public final class ShareCoordinator: @unchecked Sendable {
    public let container: CKContainer
    public init(container: CKContainer) { self.container = container }

    /// Shares a zone, with everyone who has the URL.
    public func shareZone(_ name: String, title: String) async throws -> CKShare {
        let zone = CKRecordZone(zoneName: name)
        let database = container.privateCloudDatabase
        try await database.save(zone)
        if let reference = try await database.recordZone(for: zone.zoneID).share,
            let share = try await database.record(for: reference.recordID) as? CKShare
        {
            return share
        }
        let share = CKShare(recordZoneID: zone.zoneID)
        share[CKShare.SystemFieldKey.title] = title as CKRecordValue
        share[CKShare.SystemFieldKey.shareType] = "org.example.list" as CKRecordValue
        share.publicPermission = .readWrite
        let result = try await database.modifyRecords(saving: [share], deleting: [])
        guard let saved = try result.saveResults[share.recordID]?.get() as? CKShare else {
            throw CKError(.internalError)
        }
        return saved
    }

    /// Adds a user by the identifier of their record.
    public func invite(_ user: CKRecord.ID, to share: CKShare, mayWrite: Bool) async throws -> CKShare {
        let found = try await container.shareParticipants(forUserRecordIDs: [user])
        guard let participant = try found[user]?.get() else { throw CKError(.unknownItem) }
        participant.permission = mayWrite ? .readWrite : .readOnly
        participant.role = .privateUser
        share.addParticipant(participant)
        return try await container.privateCloudDatabase.save(share) as? CKShare ?? share
    }

    /// By operations: metadata of a URL, then acceptance.
    public func accept(_ url: URL, completion: @escaping (Result<CKShare, Error>) -> Void) {
        let fetch = CKFetchShareMetadataOperation(shareURLs: [url])
        fetch.shouldFetchRootRecord = true
        fetch.rootRecordDesiredKeys = ["title"]
        fetch.perShareMetadataResultBlock = { _, result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let metadata):
                guard metadata.participantStatus != .accepted else { return completion(.success(metadata.share)) }
                let accept = CKAcceptSharesOperation(shareMetadatas: [metadata])
                accept.perShareResultBlock = { _, result in completion(result) }
                accept.qualityOfService = .userInteractive
                self.container.add(accept)
            }
        }
        container.add(fetch)
    }

    public func summary(of share: CKShare) -> [String] {
        share.participants.map { participant in
            let role =
                switch participant.role {
                case .owner: "owner"
                case .privateUser: "private"
                case .publicUser: "public"
                default: "other"
                }
            let status =
                switch participant.acceptanceStatus {
                case .accepted: "accepted"
                case .pending: "pending"
                case .removed: "removed"
                case .unknown: "unknown"
                @unknown default: "?"
                }
            let user = participant.userIdentity
            let name = user.nameComponents?.givenName ?? user.lookupInfo?.emailAddress ?? "someone"
            return "\(name) \(role) \(status) \(participant.permission == .readWrite)"
        }
    }

    public func mayEdit(_ record: CKRecord, _ share: CKShare?) -> Bool {
        guard record.recordID.zoneID.ownerName != CKCurrentUserDefaultName else { return true }
        return share?.currentUserParticipant?.permission == .readWrite || share?.publicPermission == .readWrite
    }

    /// All zones that others share, with their records.
    public func sharedRecords(_ type: CKRecord.RecordType) async throws -> [CKRecord] {
        let database = container.sharedCloudDatabase
        var records: [CKRecord] = []
        for zone in try await database.allRecordZones() {
            let query = CKQuery(recordType: type, predicate: NSPredicate(value: true))
            let (results, _) = try await database.records(matching: query, inZoneWith: zone.zoneID)
            records += results.compactMap { try? $0.1.get() }
        }
        return records
    }

    public func leave(_ zoneID: CKRecordZone.ID) async throws {
        _ = try await container.sharedCloudDatabase.modifyRecordZones(saving: [], deleting: [zoneID])
    }
}
