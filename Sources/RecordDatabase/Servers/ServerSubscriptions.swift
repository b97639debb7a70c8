// Subscriptions of databases on servers, and what commits mean to them.

import FoundationEssentials
import RecordModel
import RecordStore
import Synchronization

/// The subscriptions of databases on a server as they were last read, for commits. May be used from any thread.
final class SubscriptionCache: Sendable {
    private struct Known: Sendable {
        let version: Int64
        var schema: ContainerSchema
        var table: SubscriptionTable
    }

    /// Databases that are remembered at most.
    private static let capacity = 1_000

    /// Versions are those of a node.
    private struct Key: Hashable {
        let origin: DatabaseOrigin
        let node: Int32
    }

    private let known = Mutex<[Key: Known]>([:])

    /// The subscriptions of a database at a moment, their predicates bound to its schema.
    ///
    /// - Throws: `DatabaseError` where they have to be read and cannot be.
    /// - Complexity: O(1), and O(all subscriptions) when they are others than before.
    func table(
        of origin: DatabaseOrigin, at moment: ServerMoment, _ reading: any ServerReading
    ) throws(DatabaseError) -> SubscriptionTable {
        if moment.watchVersion == 0 { return SubscriptionTable() }
        return try table(of: origin, moment.watchVersion, .everyone, at: moment, reading)
    }

    /// The subscriptions of a database that had a number with them at a moment, of the same one or of another.
    func table(
        of origin: DatabaseOrigin, _ version: Int64, _ subscribers: ServerNeed.Subscribers, at moment: ServerMoment,
        _ reading: any ServerReading
    ) throws(DatabaseError) -> SubscriptionTable {
        let (schema, key) = (moment.schema, Key(origin: origin, node: moment.node))
        let remembered = known.withLock { known -> SubscriptionTable? in
            guard var found = known[key], found.version == version else { return nil }
            let changed = schema.typesChanged(since: found.schema)
            if !changed.isEmpty {
                found.table.bind(schema, typesAmong: changed)
                found.schema = schema
                known[key] = found
            }
            return found.table
        }
        if let remembered { return remembered }
        var need = ServerNeed()
        (need.subscribers, need.zoneStates) = (subscribers, .named([]))
        let table = SubscriptionTable(try reading.read(need).subscriptions, schema)
        known.withLock { known in
            if known.count >= Self.capacity { known = [:] }
            known[key] = Known(version: version, schema: schema, table: table)
        }
        return table
    }
}

/// What a commit tells the subscriptions of its database, within its transaction.
struct CommitPercolation {
    let database: RemoteDatabase
    let reading: any ServerReading

    /// Adds what a commit tells, and the subscriptions that end with it.
    func add(to stored: inout ServerCommit, of commit: Commit, on moment: ServerMoment) throws(DatabaseError) {
        let table = try database.remote.subscriptions.table(of: database.origin, at: moment, reading)
        try add(to: &stored, of: commit, on: moment, table)
        try addShared(to: &stored, of: commit, on: moment)
    }

    /// As above.
    ///
    /// - Parameter table: The subscriptions of the database.
    func add(
        to stored: inout ServerCommit, of commit: Commit, on moment: ServerMoment, _ table: SubscriptionTable
    ) throws(DatabaseError) {
        var table = table
        if table.isEmpty { return }
        let (known, schema) = (table.keys, commit.schema ?? moment.schema)
        let scope = commit.scope
        stored.notices = table.notices(of: try event(stored, commit, moment, depth: table.referenceDepth)) {
            database.store.mayRead($0, $1, of: scope, schema)
        }.map { NoticeContent($0, of: scope, schema) }
        for zone in commit.deletedZones { table.removeZone(zone.id) }
        stored.deletedSubscriptions = known.subtracting(table.keys).map { ($0.userName, $0.id) }
    }

    /// The commit with the records that it changed and those that their references lead to, before and after it.
    ///
    /// - Parameter depth: How many references, one behind the other, matter.
    func event(
        _ stored: ServerCommit, _ commit: Commit, _ moment: ServerMoment, depth: Int
    ) throws(DatabaseError) -> CommitEvent {
        var rows = Dictionary(moment.rows.map { ($0.id, $0) }) { $1 }
        let saved = Dictionary(stored.saves.map { ($0.row.id, $0.row) }) { $1 }
        try collect(
            saved.values + stored.deletions.compactMap { rows[$0.id] }, into: &rows, besides: saved, depth: depth)
        var (before, after) = (moment, moment)
        before.rows = Array(rows.values)
        for deletion in stored.deletions { rows[deletion.id] = nil }
        let gone = Set(commit.deletedZones.map(\.id))
        after.rows = rows.merging(saved) { $1 }.values.filter { !gone.contains($0.id.zoneID) }
        return CommitEvent(
            commit: commit, before: try before.snapshot(), after: try after.snapshot(), liveQueries: LiveQueries())
    }

    /// Reads the rows that references lead to, step by step.
    private func collect(
        _ first: [ServerRow], into rows: inout [Record.ID: ServerRow], besides saved: [Record.ID: ServerRow],
        depth: Int
    ) throws(DatabaseError) {
        var (step, seen) = (first, Set<Record.ID>())
        for _ in 0..<depth {
            var targets: Set<Record.ID> = []
            for row in step { row.collectTargets(into: &targets) }
            targets.subtract(seen)
            if targets.isEmpty { return }
            seen.formUnion(targets)
            var need = ServerNeed()
            need.records = targets.filter { rows[$0] == nil }
            (need.leadsElsewhere, need.zoneStates) = (true, .named([]))
            if !need.records.isEmpty { for row in try reading.read(need).rows { rows[row.id] = row } }
            // Both what a target was and what it is may lead on.
            step = targets.flatMap { [rows[$0], saved[$0]].compactMap(\.self) }
        }
    }
}

extension RemoteDatabase {
    func subscriptions(of userName: String) throws(DatabaseError) -> SubscriptionTable {
        var need = ServerNeed()
        need.subscribers = .user(userName)
        let moment = try read(need)
        return SubscriptionTable(moment.subscriptions, moment.schema)
    }

    func modifySubscriptionsSuspending(
        _ request: SubscriptionsRequest, _ caller: Caller
    ) async throws(DatabaseError) -> ModifySubscriptionsResult {
        try await run { () throws(DatabaseError) in try modifySubscriptions(request, caller) }
    }

    func modifySubscriptions(
        _ request: SubscriptionsRequest, _ caller: Caller
    ) throws(DatabaseError) -> ModifySubscriptionsResult { try modifySubscriptions(request, caller, shared: nil) }

    /// As above.
    ///
    /// - Parameter shared: Checks that zones are shared, where these are subscriptions to the shared database.
    func modifySubscriptions(
        _ request: SubscriptionsRequest, _ caller: Caller, shared: SubscriptionCheck.ZoneCheck?
    ) throws(DatabaseError) -> ModifySubscriptionsResult {
        let table = shared == nil ? \DatabaseState.subscriptions : \.sharedSubscriptions
        var need = ServerNeed()
        need.subscribers = caller.userName.map { .user($0) }
        return try server.write(origin, need) { moment, _ throws(DatabaseError) in
            var state = moment.state()
            state[keyPath: table] = SubscriptionTable(moment.subscriptions, moment.schema)
            var commit = ServerCommit(
                userName: caller.userName, client: caller.client,
                date: max(caller.configuration.clock(), state.lastDate), after: state.lastChange, deletionsKept: 0)
            // Rules are those of the private database.
            let check = SubscriptionCheck(
                caller: caller, schema: moment.schema,
                origin: shared == nil ? origin : store.origin(origin.user), shared: shared)
            let result = try request.perform(
                check, on: { () throws(DatabaseError) in state },
                { change throws(DatabaseError) in commit.add(change, to: &state[keyPath: table]) })
            return (commit.changesSubscriptions ? commit : nil, result)
        }
    }
}

extension ServerCommit {
    fileprivate mutating func add(_ change: SubscriptionsRequest.Change, to table: inout SubscriptionTable) {
        func remove(_ userName: String, _ id: Subscription.ID) {
            savedSubscriptions.removeAll { $0.userName == userName && $0.subscription.id == id }
        }
        switch change {
        case .save(let saved):
            table.insert(saved)
            remove(saved.userName, saved.subscription.id)
            savedSubscriptions.append(saved)
        case .delete(let key):
            table.remove(key)
            remove(key.userName, key.id)
            deletedSubscriptions.append((key.userName, key.id))
        }
    }
}
