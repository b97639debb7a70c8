// Steps of a migration on their way through the databases of a server.

import FoundationEssentials
import RecordModel
import RecordStore

extension MigrationRun {
    /// Changes records and subscriptions of all databases, portion by portion.
    func make(on ground: any MigrationGround) throws(DatabaseError) {
        // Paths lead through records as they are before the steps.
        var paths: [DatabaseOrigin: MigratedPaths] = [:]
        for origin in ground.origins { paths[origin] = try self.paths(in: origin, ground) }
        for part in ground.parts { for origin in part.origins { try change(origin, on: part) } }
        try ground.check(demands)
        for part in ground.parts {
            for origin in part.origins { try carrySubscriptions(in: origin, part, paths[origin] ?? plainPaths) }
        }
    }

    /// Checks the subscriptions of all databases where no field gets another name.
    func carrySubscriptions(on ground: any MigrationGround) throws(DatabaseError) {
        for part in ground.parts {
            for origin in part.origins { try carrySubscriptions(in: origin, part, plainPaths) }
        }
    }

    /// Paths that lead to no record.
    private var plainPaths: MigratedPaths {
        MigratedPaths(steps: steps, earlier: earlier, snapshots: [])
    }

    /// What is demanded of records that other schemas, or other values, may not satisfy.
    private var demands: [ServerDemand] {
        let rewritten = rewrittenTypes
        return schema.recordTypes.sorted { $0.key < $1.key }.flatMap { name, type in
            let demands = type.demands(since: rewritten.contains(name) ? nil : earlier.recordTypes[name])
            return demands.required.map { ServerDemand(type: name, keys: [$0], kind: .present) }
                + demands.unique.map { ServerDemand(type: name, keys: $0, kind: .unique) }
        }
    }

    // MARK: Subscriptions

    private func subscriptions(
        in origin: DatabaseOrigin, _ ground: any MigrationGround
    ) throws(DatabaseError) -> (moment: ServerMoment, all: [StoredSubscription]) {
        var need = ServerNeed()
        need.subscribers = .everyone
        let moment = try ground.read(origin, need)
        return (moment, moment.subscriptions)
    }

    /// The names of fields behind references; all records are read where a subscription has such a path.
    private func paths(
        in origin: DatabaseOrigin, _ ground: any MigrationGround
    ) throws(DatabaseError) -> MigratedPaths {
        let plain = plainPaths
        if !plain.isNeeded { return plain }
        guard try subscriptions(in: origin, ground).all.contains(where: \.leadsThroughReferences) else { return plain }
        var need = ServerNeed()
        need.wholeTypes = Set(earlier.recordTypes.keys)
        return MigratedPaths(
            steps: steps, earlier: earlier, snapshots: [try ground.read(origin, need).snapshot()])
    }

    private func carrySubscriptions(
        in origin: DatabaseOrigin, _ ground: any MigrationGround, _ paths: MigratedPaths
    ) throws(DatabaseError) {
        let (moment, all) = try subscriptions(in: origin, ground)
        var commit = emptyCommit(on: moment)
        let known = try ground.carried(in: origin)
        for subscription in all {
            // Records that other parts have changed before do not tell the names of then: their subscriptions do.
            let carried =
                if let known { known.first { $0.isSame(as: subscription) } } else {
                    try subscription.carried(through: paths, to: schema)
                }
            if let carried { commit.savedSubscriptions.append(carried) }
        }
        if !commit.savedSubscriptions.isEmpty { try ground.store(commit, on: [], origin) }
    }

    private func emptyCommit(on moment: ServerMoment) -> ServerCommit {
        ServerCommit(
            userName: nil, client: 0, date: max(configuration.clock(), moment.lastDate), after: moment.lastChange,
            deletionsKept: configuration.limits.deletionsPerZone)
    }

    // MARK: Records

    private func change(_ origin: DatabaseOrigin, on ground: any MigrationGround) throws(DatabaseError) {
        let types = earlier.recordTypes.keys.sorted().filter { steps(on: $0).steps.contains(where: \.changesRecords) }
        if types.isEmpty { return }
        try ground.forEachPortion(of: types, origin) { rows throws(DatabaseError) in
            var held: [Asset] = []
            defer { assets.release(held) }
            var (records, targets): ([MigratedRecord], Set<Record.ID>) = ([], [])
            for row in rows {
                let record = try migrated(
                    EarlierRecord(id: row.id, type: row.type, fields: row.fields, owner: origin.user),
                    steps(on: row.type).steps, holding: &held)
                forEachNewTarget(of: record) { targets.insert($1) }
                records.append(record)
            }
            var need = ServerNeed()
            need.records = Array(targets)
            let moment = try ground.read(origin, need)
            let known = Set(moment.rows.map(\.id))
            var commit = emptyCommit(on: moment)
            for (row, record) in zip(rows, records) {
                try checkTargets(of: record, row.id, known.contains)
                commit.rewrite(row, as: record)
            }
            if !held.isEmpty { try store.remote?.server.storeAssets(held) }
            try ground.store(commit, on: rows, origin)
        }
    }
}

extension StoredSubscription {
    /// Whether another one is this, however it is by now.
    fileprivate func isSame(as other: StoredSubscription) -> Bool {
        userName == other.userName && subscription.id == other.subscription.id
    }

    /// Whether the predicate has a path with more than one key.
    fileprivate var leadsThroughReferences: Bool {
        guard case .query(_, let predicate, _, _) = subscription.subject else { return false }
        var isLong = false
        _ = predicate.renamingPaths { keys in
            isLong = isLong || keys.count > 1
            return keys
        }
        return isLong
    }
}

extension ServerCommit {
    /// Adds a record as a migration made it: it keeps what else is known of it.
    fileprivate mutating func rewrite(_ row: ServerRow, as record: MigratedRecord) {
        lastChange += 1
        var rewritten = ServerRow(
            row.id, type: record.type, fields: record.fields, parent: row.parent,
            made: (row.creationDate, row.creator), changed: (date, row.lastModifier, lastChange))
        rewritten.share = row.share
        saves.append((rewritten, false))
        let (old, new) = (Set(row.links), Set(rewritten.links))
        removedLinks += old.subtracting(new)
        addedLinks += new.subtracting(old)
    }
}

extension ServerRow {
    /// The references of the row that matter for deletions.
    fileprivate var links: [ServerLink] {
        var links = ReferenceGraph.Links(parent: parent?.recordID)
        for value in fields.values { links.insertOwners(in: value) }
        return ServerCommit.links(links, id, type, besides: ReferenceGraph.Links())
    }
}
