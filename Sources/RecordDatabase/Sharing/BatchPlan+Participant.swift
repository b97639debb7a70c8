// What participants of shares may save and delete in the database of another user.

import RecordModel
import RecordStore

extension BatchPlan {
    /// Fails items in zones of which the caller sees nothing.
    mutating func checkSharedZones(_ access: SharedAccess) {
        func failure(_ zoneID: RecordZone.ID) -> ItemFailure? {
            access.zoneIDs.contains(zoneID)
                ? nil : ItemFailure(DatabaseError(.zoneNotFound, "there is no shared zone \(zoneID.zoneName)"))
        }
        for index in saves.indices where saves[index].failure == nil {
            saves[index].failure = failure(saves[index].id.zoneID)
        }
        for index in deletes.indices where deletes[index].failure == nil {
            deletes[index].failure = failure(deletes[index].id.zoneID)
        }
    }

    /// Fails items that the caller may not save or delete; notes the shares that the caller leaves.
    mutating func checkParticipant(_ access: SharedAccess, _ snapshot: Snapshot) {
        for index in saves.indices where saves[index].failure == nil {
            saves[index].failure = failure(of: saves[index], access, snapshot)
        }
        for index in deletes.indices where deletes[index].failure == nil {
            let id = deletes[index].id
            // Of what the caller does not see, nothing is told: it is not there.
            guard snapshot.find(id) != nil, let grant = access.grant(for: id, in: snapshot) else {
                deletes[index].effect = .nothing
                if caller.configuration.requiresDeletedRecords {
                    deletes[index].failure = ItemFailure(
                        DatabaseError(.unknownItem, "there is no record \(id.recordName)"))
                }
                continue
            }
            if grant.share.id == id {
                deletes[index].effect = .leaves
            } else if !grant.mayWrite || grant.rootID == id {
                deletes[index].failure = ItemFailure(
                    DatabaseError(
                        .permissionFailure,
                        grant.mayWrite
                            ? "only its owner may delete the root of a share"
                            : "the participant may only read record \(id.recordName)"))
            }
        }
    }

    private func failure(of item: SaveItem, _ access: SharedAccess, _ snapshot: Snapshot) -> ItemFailure? {
        func rejected(_ reason: String, hint: String? = nil) -> ItemFailure {
            ItemFailure(DatabaseError(.permissionFailure, reason, hint: hint))
        }
        if item.isShare {
            return rejected("only its owner may change a share", hint: "deleting it leaves it")
        }
        if item.record.type == ContainerSchema.userRecordType { return rejected("user records are not shared") }
        if item.stored == nil {
            return access.grants(in: item.id.zoneID).contains(where: \.mayWrite)
                ? nil : rejected("the participant may only read the zone")
        }
        guard let grant = access.grant(for: item.id, in: snapshot) else {
            return rejected("the name \(item.id.recordName) is in use")
        }
        return grant.mayWrite ? nil : rejected("the participant may only read record \(item.id.recordName)")
    }

    /// Fails deletions with which a share or its root would go, which only its owner may delete.
    mutating func checkWithdrawn(_ moment: SharingMoment) {
        for index in deletes.indices where deletes[index].failure == nil && deletes[index].effect == .deleted {
            // A share goes with its root.
            let endsShare = graph.closure(of: deletes[index].id, in: moment.graph).contains { id in
                moment.snapshot.share(id) != nil
            }
            guard endsShare else { continue }
            deletes[index].failure = ItemFailure(
                DatabaseError(
                    .permissionFailure, "the root of a share would be deleted, too, which only its owner may do"))
        }
    }

    /// Fails records that would be outside of what the caller may write.
    mutating func checkInside(_ access: SharedAccess, _ moment: SharingMoment) {
        for index in saves.indices where saves[index].failure == nil {
            let id = saves[index].id
            if access.grant(for: id, { parentAfter($0, moment) })?.mayWrite == true { continue }
            saves[index].failure = ItemFailure(
                DatabaseError(
                    .permissionFailure, "record \(id.recordName) would be outside of what is shared",
                    hint: "put it below a record of the share with setParent(_:)"))
        }
    }
}

/// What a share is without a participant who leaves.
extension StoredShare {
    func participants(without userName: String) -> [Share.Participant] {
        participants.compactMap { participant in
            guard participant.userRecordID.recordName == userName, participant.role != .owner else {
                return participant
            }
            // One that was added may come back, one that came by the URL is forgotten.
            if participant.role == .publicUser { return nil }
            var left = participant
            (left.acceptanceStatus, left.acceptance) = (.removed, 0)
            return left
        }
    }
}
