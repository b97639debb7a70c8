// Shares among the records of a batch: what the database writes into them, and which there may be.

import FoundationEssentials
import RecordModel
import RecordStore

extension SaveItem {
    var isShare: Bool { record.type == NameRules.shareType }

    /// What is saved of a field of a share, or is stored.
    fileprivate func current(_ key: String) -> FieldValue { values[key] ?? stored?.value(of: key) ?? .null }

    /// The record that a share is of, by the name that the store knows.
    fileprivate func sharedRoot(_ caller: Caller) -> Record.ID? {
        guard case .reference(let root) = current(NameRules.ShareKey.root) else { return nil }
        return caller.normalized(root.recordID)
    }
}

extension BatchPlan {
    /// Whether the batch saves or deletes shares, or is of a participant.
    var concernsShares: Bool { caller.owner != nil || saves.contains(where: \.isShare) }

    /// Fails shares that cannot be, and completes the others: participants, permissions, the URL.
    mutating func checkShares(_ snapshot: Snapshot) {
        guard saves.contains(where: \.isShare) else { return }
        for index in saves.indices where saves[index].isShare && saves[index].failure == nil {
            do throws(DatabaseError) {
                try completeShare(at: index, snapshot)
            } catch {
                saves[index].failure = ItemFailure(error)
            }
        }
    }

    private mutating func completeShare(at index: Int, _ snapshot: Snapshot) throws(DatabaseError) {
        let item = saves[index]
        guard origin.scope == .private, !item.id.zoneID.isDefault else {
            throw DatabaseError(
                .invalidArguments, "only records of custom zones of the private database can be shared",
                hint: "put what is to be shared into a zone of its own")
        }
        let root = item.sharedRoot(caller)
        if item.stored == nil { try checkNewShare(item, root, snapshot) }
        if let stored = item.stored, case .reference(let known) = stored.value(of: NameRules.ShareKey.root),
            known.recordID != root
        {
            throw DatabaseError(.invalidArguments, "a share cannot become that of another record")
        }
        for key in NameRules.ShareKey.own { saves[index].values[key] = nil }
        let participants = try participants(of: item)
        saves[index].values[NameRules.ShareKey.participants] = .list(participants.map { .string($0.text) })
        saves[index].values[NameRules.ShareKey.publicPermission] = .int64(Int64(publicPermission(of: item).rawValue))
        guard item.stored == nil else { return }
        saves[index].values[NameRules.ShareKey.token] = .string(Self.newToken())
        if let root {
            saves[index].values[NameRules.ShareKey.root] = .reference(
                RecordReference(recordID: root, action: .deleteSelf))
        }
    }

    /// 128 random bits: whoever has them may do what the share allows everyone.
    private static func newToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next(), radix: 36)
            return String(repeating: "0", count: 13 - digits.count) + digits
        }.joined()
    }

    private func checkNewShare(
        _ item: SaveItem, _ root: Record.ID?, _ snapshot: Snapshot
    ) throws(DatabaseError) {
        let isOfZone = item.id.recordName == NameRules.zoneShareName
        guard isOfZone == (root == nil) else {
            throw DatabaseError(
                .invalidArguments, isOfZone ? "the share of a zone has no root" : "the share has no root",
                hint: "make it with Share(root:), or with Share(zoneID:) for all records of the zone")
        }
        if let root {
            guard root.zoneID == item.id.zoneID else {
                throw DatabaseError(.invalidArguments, "the share is in another zone than its root")
            }
            guard saves.contains(where: { $0.id == root }) else {
                throw DatabaseError(
                    .invalidArguments, "the share is saved without its root",
                    hint: "save both in one batch")
            }
        }
        for other in sharesAfter(snapshot) where other.id != item.id && other.id.zoneID == item.id.zoneID {
            guard isOfZone || other.root == nil || other.root == root else { continue }
            throw DatabaseError(
                .alreadyShared,
                other.root == root && !isOfZone
                    ? "the record is shared already" : "a zone is shared as a whole, or its records are",
                hint: "change share \(other.id.recordName), or delete it first")
        }
    }

    /// The shares that there are after the batch, if no item of it fails.
    func sharesAfter(_ snapshot: Snapshot) -> [(id: Record.ID, root: Record.ID?)] {
        // Who leaves a share does not end it.
        let ended = deletes.lazy.filter { $0.failure == nil && $0.effect == .deleted }
        let gone = Set(ended.map(\.id)).union(deleted)
        var shares = snapshot.shares.filter { !gone.contains($0.id) }.map { (id: $0.id, root: $0.rootID) }
        for item in saves where item.isShare && item.failure == nil && item.stored == nil {
            if !gone.contains(item.id) { shares.append((item.id, item.sharedRoot(caller))) }
        }
        return shares
    }

    // MARK: Participants

    private func publicPermission(of item: SaveItem) -> Share.Permission {
        guard case .int64(let number) = item.current(NameRules.ShareKey.publicPermission),
            let permission = Share.Permission(rawValue: Int(clamping: number)), permission != .unknown
        else { return .none }
        return permission
    }

    /// The participants that a share has after it is saved: those that were sent, with what the database knows of them.
    private func participants(of item: SaveItem) throws(DatabaseError) -> [Share.Participant] {
        let stored = item.stored.flatMap {
            Share.Participant.participants(of: $0.value(of: NameRules.ShareKey.participants))
        }
        guard let sent = Share.Participant.participants(of: item.current(NameRules.ShareKey.participants)) else {
            throw DatabaseError(
                .invalidArguments, "the participants of the share are in another form", hint: "use Share.participants")
        }
        let ownerName = caller.userName ?? ""
        var owner = Share.Participant(ownerNamed: ownerName)
        if let sent = sent.first(where: { $0.role == .owner }) {
            owner = Share.Participant(id: sent.id, user: ownerName, role: .owner, status: .accepted, .readWrite)
        }
        owner = stored?.first { $0.role == .owner } ?? owner
        var (known, result): (Set<String>, [Share.Participant]) = ([ownerName], [owner])
        for var participant in sent where participant.role != .owner {
            if let before = stored?.first(where: { $0.id == participant.id }) {
                let permission = participant.permission
                participant = before
                participant.permission = permission
            } else {
                (participant.role, participant.acceptanceStatus, participant.acceptance) = (.privateUser, .pending, 0)
                let user = participant.userRecordID
                if stored?.contains(where: { $0.userRecordID == user && $0.acceptanceStatus != .removed }) == true {
                    throw Self.invitedBefore
                }
            }
            if participant.role == .publicUser, publicPermission(of: item) == .none { continue }
            guard known.insert(participant.userRecordID.recordName).inserted else { throw Self.invitedBefore }
            result.append(participant)
        }
        if result.count > limits.participantsPerShare {
            throw DatabaseError(
                .tooManyParticipants, "the share has more than \(limits.participantsPerShare) participants")
        }
        return result
    }

    private static let invitedBefore = DatabaseError(
        .participantAlreadyInvited, "the share names a user twice", hint: "change the participant that is there")
}
