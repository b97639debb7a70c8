// What commits to a private database tell those with whom something of it is shared.

import RecordModel
import RecordStore
import Synchronization

extension ContainerStore {
    /// The users who watch their shared database. Changed with the states that hold their subscriptions.
    func noteSharedSubscribers(_ commit: Commit) {
        guard commit.sharing.changesSubscriptions, let userName = commit.owner else { return }
        let isEmpty = privateDatabase(of: userName).state.withLock { $0.sharedSubscriptions.isEmpty }
        sharedSubscribers.withLock { users in
            if isEmpty { users.remove(userName) } else { users.insert(userName) }
        }
    }

    /// Whether commits to a database may concern somebody who watches their shared one.
    func mayConcernSharedSubscribers(_ origin: DatabaseOrigin, _ schema: ContainerSchema) -> Bool {
        origin.scope == .private && schema.hasShares && !sharedSubscribers.withLock { $0.isEmpty }
    }

    /// What a commit tells participants, each of what they see.
    ///
    /// - Parameter ended: Subscriptions that have told all they tell with commits that nobody sees yet.
    /// - Returns: Also those that have with this one.
    func sharedNotices(
        of event: CommitEvent, _ schema: ContainerSchema, without ended: [SubscriptionTable.Key]
    ) -> (notices: [Notice], ended: [SubscriptionTable.Key]) {
        guard mayConcernSharedSubscribers(event.commit.origin, schema), let owner = event.commit.owner else {
            return ([], [])
        }
        var result: (notices: [Notice], ended: [SubscriptionTable.Key]) = ([], [])
        for userName in sharedSubscribers.withLock({ $0.sorted() }) where userName != owner {
            var table = privateDatabase(of: userName).state.withLock { $0.sharedSubscriptions }
            for key in ended where key.userName == userName { table.remove(key) }
            let keys = table.keys
            result.notices += event.notices(to: userName, inZonesOf: owner, &table)
            result.ended += keys.subtracting(table.keys)
        }
        return result
    }

    /// Forgets subscriptions to the shared database that tell once, and have.
    func end(_ subscriptions: [SubscriptionTable.Key]) {
        for key in subscriptions {
            privateDatabase(of: key.userName).state.withLock { $0.sharedSubscriptions.remove(key) }
        }
    }
}

extension CommitEvent {
    /// What a commit tells a participant, of what they see; the subscriptions forget those that tell once.
    func notices(to userName: String, inZonesOf owner: String, _ table: inout SubscriptionTable) -> [Notice] {
        let access = SharedAccess(of: userName, in: before)
        let accessAfter = SharedAccess(of: userName, in: after)
        if access.grants.isEmpty, accessAfter.grants.isEmpty { return [] }
        return table.notices(of: seen(access, accessAfter), inZonesOf: owner, mayRead: { _, _ in true }).map { notice in
            var notice = notice
            notice.scope = .shared
            notice.recordID = notice.recordID?.named(inZonesOf: owner)
            notice.record = notice.record?.seen(inZonesOf: owner, by: userName)
            return notice
        }
    }

    /// The part of a commit that a participant sees: what comes into sight or stays there is saved, what goes out of
    /// sight is deleted.
    fileprivate func seen(_ access: SharedAccess, _ accessAfter: SharedAccess) -> CommitEvent {
        func wasSeen(_ id: Record.ID) -> Bool { access.grant(for: id, in: before) != nil }
        var part = commit
        part.saves = commit.saves.filter { accessAfter.grant(for: $0.id, in: after) != nil }
        part.deletions = commit.deletions.filter { wasSeen($0.id) }
        let kept = Set(part.saves.map(\.id))
        part.deletions += commit.saves.filter { !$0.isNew && !kept.contains($0.id) && wasSeen($0.id) }
            .map { Commit.Deletion(id: $0.id, type: $0.type, change: $0.change) }
        // Zones come and go with what is seen of them.
        (part.madeZones, part.deletedZones) = ([], [])
        part.madeZones = accessAfter.zoneIDs.subtracting(access.zoneIDs).map { ($0, 0) }
        part.deletedZones = access.zoneIDs.subtracting(accessAfter.zoneIDs).map { ($0, 0, .deleted) }
        var event = CommitEvent(commit: part, before: before, after: after, liveQueries: liveQueries)
        event.notices = []
        return event
    }
}
