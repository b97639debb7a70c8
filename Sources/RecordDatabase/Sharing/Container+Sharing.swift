// Sharing: what a URL leads to, accepting it, users to add to a share.

public import FoundationEssentials
import RecordColumns
public import RecordModel
import RecordStore

extension Container {
    /// What the current user learns of a share from its URL.
    ///
    /// - Parameter fetchesRoot: Whether the record that is shared is wanted, too; for users who may accept the share.
    /// - Throws: `DatabaseError` of code `unknownItem` when no share has the URL, `participantMayNeedVerification` when
    ///   the user may not accept it, `invalidArguments` for a URL that is none of a share, `notAuthenticated` and
    ///   others.
    /// - Complexity: O(users + shares).
    public func shareMetadata(
        for url: URL, fetchingRoot fetchesRoot: Bool = false
    ) async throws(DatabaseError) -> ShareMetadata {
        try await BackgroundThread.perform { () throws(DatabaseError) in
            try self.fetchShareMetadata(for: url, fetchingRoot: fetchesRoot)
        }
    }

    /// Accepts a share: from now on its records are in the user's shared database. One that was accepted stays so.
    ///
    /// - Returns: The share, in the terms of the participant.
    /// - Throws: `DatabaseError` of code `unknownItem` when the share is no more, `participantMayNeedVerification` when
    ///   the user may not accept it, `invalidArguments` for its owner, `tooManyParticipants`, `notAuthenticated` and
    ///   others.
    @discardableResult
    public func accept(_ metadata: ShareMetadata) async throws(DatabaseError) -> Share {
        try await BackgroundThread.perform { () throws(DatabaseError) in try self.acceptShare(metadata) }
    }

    /// A user of the container, as a participant that can be added to a share.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when the container has no such user, and others.
    public func shareParticipant(
        forUserRecordID id: Record.ID
    ) async throws(DatabaseError) -> Share.Participant {
        try findShareParticipant(forUserRecordID: id)
    }

    // MARK: On this thread

    /// As `shareMetadata(for:fetchingRoot:)`.
    ///
    /// - Parameter desiredKeys: The fields wanted of the root; `nil` for all.
    package func fetchShareMetadata(
        for url: URL, fetchingRoot fetchesRoot: Bool = false, desiredKeys: [String]? = nil
    ) throws(DatabaseError) -> ShareMetadata {
        let (caller, userName) = try beginSharing(.fetchShares)
        guard let token = Share.token(of: url) else {
            throw DatabaseError(.invalidArguments, "the URL is none of a share", hint: "use Share.url")
        }
        guard let (database, owner, share) = try client.store.share(withToken: token) else { throw Self.noShare }
        var metadata = try ShareMetadata(share, of: owner, for: userName, in: identifier)
        if fetchesRoot, let id = share.rootID {
            let isOwn = owner == userName
            let (root, reader) = isOwn ? (id, caller) : (id.named(inZonesOf: owner), caller.visiting(owner))
            let record = try database.fetch([root], desiredKeys, reader).first(root)
            metadata.rootRecord = isOwn ? record : record.seen(inZonesOf: owner, by: userName)
        }
        return metadata
    }

    /// As `accept(_:)`.
    package func acceptShare(_ metadata: ShareMetadata) throws(DatabaseError) -> Share {
        let (caller, userName) = try beginSharing(.acceptShares)
        guard metadata.containerIdentifier == identifier else {
            throw DatabaseError(.badContainer, "the share is of another container")
        }
        guard let token = metadata.share.url.flatMap(Share.token), let found = try client.store.share(withToken: token)
        else { throw Self.noShare }
        let owner = found.owner
        if owner == userName {
            throw DatabaseError(
                .invalidArguments, "the share is the user's own", hint: "its records are in the private database")
        }
        let acceptance = ShareAcceptance(
            shareID: found.share.id, token: token, origin: found.database.origin, caller: caller, userName: userName)
        let record = try found.database.accept(acceptance)
        guard let share = record.flatMap({ Share($0.seen(inZonesOf: owner, by: userName)) }) else { throw Self.noShare }
        return share
    }

    /// As `shareParticipant(forUserRecordID:)`.
    package func findShareParticipant(forUserRecordID id: Record.ID) throws(DatabaseError) -> Share.Participant {
        _ = try beginSharing(.fetchShares)
        guard try client.store.hasUser(id.recordName) else {
            throw DatabaseError(.unknownItem, "the container has no user \(id.recordName)")
        }
        return Share.Participant(userRecordID: id)
    }

    private func beginSharing(_ kind: DatabaseCall.Kind) throws(DatabaseError) -> (Caller, String) {
        let caller = try client.begin(DatabaseCall(kind: kind, scope: .shared, itemCount: 1), needsUser: true)
        guard let userName = caller.userName else { throw DatabaseError(.notAuthenticated, "nobody is signed in") }
        return (caller, userName)
    }

    fileprivate static var noShare: DatabaseError {
        DatabaseError(.unknownItem, "there is no such share", hint: "its owner may have stopped sharing")
    }
}

extension StoredShare {
    /// The participants with a user who accepts; `nil` where the user did so before.
    ///
    /// - Throws: `DatabaseError` of codes `participantMayNeedVerification` and `tooManyParticipants`.
    fileprivate func participants(
        with userName: String, change: Int64, limit: Int
    ) throws(DatabaseError) -> [Share.Participant]? {
        var participants = participants
        let position = participants.firstIndex { $0.userRecordID.recordName == userName }
        guard permission(of: position.map { participants[$0] }).mayRead else {
            throw DatabaseError(.participantMayNeedVerification, "the user is no participant of the share")
        }
        if let position, participants[position].acceptanceStatus == .accepted { return nil }
        var participant =
            position.map { participants[$0] }
            ?? Share.Participant(
                id: UUID().uuidString, user: userName, role: .publicUser, status: .accepted, publicPermission)
        (participant.acceptanceStatus, participant.acceptance) = (.accepted, change)
        if let position { participants[position] = participant } else { participants.append(participant) }
        if participants.count > limit {
            throw DatabaseError(.tooManyParticipants, "the share has \(limit) participants")
        }
        return participants
    }
}

/// A user accepts a share.
struct ShareAcceptance {
    let shareID: Record.ID
    let token: String
    /// The database that has the share.
    let origin: DatabaseOrigin
    let caller: Caller
    let userName: String

    /// What makes the user a participant; `nil` where that is so already.
    ///
    /// - Throws: `DatabaseError` of codes `unknownItem`, `participantMayNeedVerification` and `tooManyParticipants`.
    func commit(on snapshot: Snapshot, _ state: DatabaseState) throws(DatabaseError) -> Commit? {
        guard let share = snapshot.share(shareID), share.token == token else { throw Container.noShare }
        let change = state.lastChange + 1
        let participants = try share.participants(
            with: userName, change: change, limit: caller.configuration.limits.participantsPerShare)
        guard let participants else { return nil }
        var commit = Commit(
            origin: origin, client: caller.client, userName: userName,
            date: max(caller.configuration.clock(), state.lastDate))
        commit.saves = [share.save(participants, change: change)]
        return commit
    }
}

extension LocalDatabase {
    func accept(_ acceptance: ShareAcceptance) throws(DatabaseError) -> Record? {
        let record = try store.writing(to: [stored]) { group throws(DatabaseError) in
            let commit = try acceptance.commit(
                on: try group.snapshot(of: stored), try group.state(of: stored))
            if let commit {
                try group.add(commit, to: stored)
                try group.commit()
            }
            return try group.snapshot(of: stored).share(acceptance.shareID)?.record
        }
        store.events.deliver()
        store.checkpointIfNeeded()
        return record
    }
}

extension ContainerStore {
    /// Whether the container has a user.
    fileprivate func hasUser(_ userName: String) throws(DatabaseError) -> Bool {
        let id = Record.ID(userName)
        let type: String?
        if let remote {
            var need = ServerNeed()
            need.records = [id]
            type = try RemoteDatabase(store: self, remote: remote, origin: origin(nil)).read(need).rows.first?.type
        } else {
            type = publicDatabase.records.snapshot.find(id)?.segment.recordType
        }
        return type == ContainerSchema.userRecordType
    }

    /// The share that a URL leads to. Complexity: O(users + shares); on a server O(1).
    fileprivate func share(
        withToken token: String
    ) throws(DatabaseError) -> (database: any SharingStoring, owner: String, share: StoredShare)? {
        if let remote { return try share(withToken: token, on: remote) }
        guard schema.current.hasShares else { return nil }
        for database in databases {
            guard let owner = database.origin.user else { continue }
            if let share = database.records.snapshot.shares.first(where: { $0.token == token }) {
                return (LocalDatabase(store: self, stored: database), owner, share)
            }
        }
        return nil
    }

    /// The private databases of all other users in a fixed order, where there may be shares.
    func otherPrivateDatabases(than userName: String) -> [StoredDatabase] {
        guard schema.current.hasShares else { return [] }
        return withDatabases { $0 }.filter { $0.origin.user != nil && $0.origin.user != userName }
    }
}
