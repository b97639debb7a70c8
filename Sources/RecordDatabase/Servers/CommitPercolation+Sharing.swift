// What commits on servers tell those with whom something of a database is shared.

import RecordModel
import RecordStore

extension CommitPercolation {
    /// Adds what a commit tells those who see something of the database and watch their shared one, and their
    /// subscriptions that end with it.
    func addShared(to stored: inout ServerCommit, of commit: Commit, on moment: ServerMoment) throws(DatabaseError) {
        guard commit.scope == .private, let owner = commit.owner else { return }
        var tables: [(user: String, table: SubscriptionTable)] = []
        // Those with locks take them in one order.
        for (user, version) in moment.watchers.sorted(by: { $0.key < $1.key }) where user != owner {
            let table = try database.remote.subscriptions.table(
                of: sharedOrigin(user), version, .participant(user, isLocked: false), at: moment, reading)
            if !table.isEmpty { tables.append((user, table)) }
        }
        guard !tables.isEmpty, let known = try withShares(moment, stored, commit) else { return }
        let depth = tables.map(\.table.referenceDepth).max() ?? 0
        let (event, schema) = (try event(stored, commit, known, depth: depth), commit.schema ?? moment.schema)
        for (user, table) in tables {
            var left = table
            var notices = event.notices(to: user, inZonesOf: owner, &left)
            if left.count < table.count {
                let present = try presentSubscriptions(of: user, moment.schema)
                var table = table
                for key in table.keys.subtracting(present) { table.remove(key) }
                left = table
                notices = event.notices(to: user, inZonesOf: owner, &left)
                stored.endedSharedSubscriptions += table.keys.subtracting(left.keys).map { ($0.userName, $0.id) }
            }
            stored.notices += notices.map { NoticeContent($0, of: commit.scope, schema) }
        }
    }

    private func sharedOrigin(_ user: String) -> DatabaseOrigin {
        DatabaseOrigin(container: database.origin.container, scope: .shared, user: user)
    }

    /// The subscriptions of a user to the shared database that nobody ended and nobody else ends now: one that tells
    /// once is told by one of the commits that concern it.
    private func presentSubscriptions(
        of user: String, _ schema: ContainerSchema
    ) throws(DatabaseError) -> Set<SubscriptionTable.Key> {
        var need = ServerNeed()
        (need.subscribers, need.zoneStates) = (.participant(user, isLocked: true), .named([]))
        return SubscriptionTable(try reading.read(need).subscriptions, schema).keys
    }

    /// The moment with what tells who sees the records of a commit: shares, and what is above these records before and
    /// after it. `nil` for a commit in zones that are not shared.
    private func withShares(
        _ moment: ServerMoment, _ stored: ServerCommit, _ commit: Commit
    ) throws(DatabaseError) -> ServerMoment? {
        var records = Set(stored.deletions.map(\.id))
        for save in stored.saves {
            records.insert(save.row.id)
            if let parent = save.row.parent { records.insert(parent.recordID) }
        }
        records = records.filter { !$0.zoneID.isDefault }
        let zones = Set(records.map(\.zoneID)).union(commit.deletedZones.map(\.id))
        if zones.isEmpty { return nil }
        var need = ServerNeed()
        (need.shares, need.zoneStates) = (.named(zones), .named([]))
        (need.records, need.leadsUp) = (Array(records), true)
        let known = Set(moment.rows.map(\.id))
        var moment = moment
        moment.rows += try reading.read(need).rows.filter { !known.contains($0.id) }
        return moment
    }
}
