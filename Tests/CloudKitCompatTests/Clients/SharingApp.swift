// A small application that shares lists of notes, as such code is written for CloudKit: only the import is another.

import CloudKitCompat

/// A list as the application shows it.
struct NoteList {
    let root: CKRecord
    var notes: [CKRecord] = []
    var title: String { root["title"] as? String ?? "" }
}

enum SharingAppError: Error {
    case noShare
    case readOnly
}

/// Keeps the lists of a user and those that others share with them.
final class SharingApp: Sendable {
    private let container: CKContainer
    private let zone = CKRecordZone(zoneName: "Lists")

    init(container: CKContainer) { self.container = container }

    private var privateDatabase: CKDatabase { container.privateCloudDatabase }
    private var sharedDatabase: CKDatabase { container.sharedCloudDatabase }

    func start() async throws {
        _ = try await privateDatabase.modifyRecordZones(saving: [zone], deleting: [])
    }

    // MARK: Lists

    func makeList(_ title: String, notes: [String]) async throws -> NoteList {
        let root = CKRecord(recordType: "List", recordID: CKRecord.ID(zoneID: zone.zoneID))
        root["title"] = title
        let records = notes.map { note(below: root, $0) }
        _ = try await privateDatabase.modifyRecords(saving: [root] + records, deleting: [])
        return NoteList(root: root, notes: records)
    }

    private func note(below root: CKRecord, _ text: String) -> CKRecord {
        let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(zoneID: root.recordID.zoneID))
        note["text"] = text
        note.setParent(root)
        return note
    }

    /// The database that a record is in: the shared one for those of other users.
    private func database(of record: CKRecord) -> CKDatabase {
        record.recordID.zoneID.ownerName == CKCurrentUserDefaultName ? privateDatabase : sharedDatabase
    }

    func add(_ text: String, to list: NoteList) async throws {
        do {
            try await database(of: list.root).save(note(below: list.root, text))
        } catch let error as CKError where error.code == .permissionFailure {
            throw SharingAppError.readOnly
        }
    }

    func change(_ note: CKRecord, to text: String) async throws {
        note["text"] = text
        do {
            try await database(of: note).save(note)
        } catch let error as CKError where error.code == .permissionFailure {
            throw SharingAppError.readOnly
        }
    }

    // MARK: Sharing

    /// The share of a list: the one that there is, or a new one.
    func share(_ list: NoteList, with users: [CKRecord.ID], mayWrite: Bool) async throws -> CKShare {
        let root = try await privateDatabase.record(for: list.root.recordID)
        let share: CKShare
        if let reference = root.share, let known = try await privateDatabase.record(for: reference.recordID) as? CKShare
        {
            share = known
        } else {
            share = CKShare(rootRecord: root)
            share[CKShare.SystemFieldKey.title] = list.title
            share[CKShare.SystemFieldKey.shareType] = "com.example.lists"
            share.publicPermission = .none
        }
        for (_, result) in try await container.shareParticipants(forUserRecordIDs: users) {
            let participant = try result.get()
            participant.role = .privateUser
            participant.permission = mayWrite ? .readWrite : .readOnly
            share.addParticipant(participant)
        }
        let (saved, _) = try await privateDatabase.modifyRecords(saving: [root, share], deleting: [])
        guard let result = saved[share.recordID], let share = try result.get() as? CKShare else {
            throw SharingAppError.noShare
        }
        return share
    }

    /// The share of all lists.
    func shareEverything(publicPermission: CKShare.ParticipantPermission) async throws -> CKShare {
        let share = CKShare(recordZoneID: zone.zoneID)
        share[CKShare.SystemFieldKey.title] = "All lists"
        share.publicPermission = publicPermission
        guard let saved = try await privateDatabase.save(share) as? CKShare else { throw SharingAppError.noShare }
        return saved
    }

    /// What the scene delegate does with the URL that a user opened.
    func open(_ url: URL) async throws -> CKShare {
        let metadata = try await container.shareMetadata(for: url)
        guard metadata.participantStatus != .accepted else { return metadata.share }
        return try await container.accept(metadata)
    }

    /// What is shared with the user, zone by zone, by the changes of each.
    func sharedLists() async throws -> [NoteList] {
        var lists: [CKRecord.ID: NoteList] = [:]
        var notes: [CKRecord] = []
        for zone in try await sharedDatabase.allRecordZones() {
            var (token, hasMore): (CKServerChangeToken?, Bool) = (nil, true)
            while hasMore {
                let changes = try await sharedDatabase.recordZoneChanges(inZoneWith: zone.zoneID, since: token)
                for (id, result) in changes.modificationResultsByID {
                    let record = try result.get().record
                    switch record.recordType {
                    case "List": lists[id] = NoteList(root: record)
                    case "Note": notes.append(record)
                    case CKRecord.SystemType.share: assert(record is CKShare)
                    default: break
                    }
                }
                (token, hasMore) = (changes.changeToken, changes.moreComing)
            }
        }
        for note in notes { if let parent = note.parent { lists[parent.recordID]?.notes.append(note) } }
        return lists.values.sorted { $0.title < $1.title }
    }

    /// Ends sharing a list of one's own, or leaves one of another user.
    func stopSharing(_ list: NoteList) async throws {
        let database = database(of: list.root)
        guard let share = try await database.record(for: list.root.recordID).share else { return }
        try await database.deleteRecord(withID: share.recordID)
    }
}
