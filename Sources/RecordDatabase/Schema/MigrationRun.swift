// Steps of a migration on their way through the databases of a store.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore

/// Steps from one schema to the next, for all records and subscriptions.
struct MigrationRun {
    /// The name of the migration; `nil` for the steps of another schema.
    let name: String?
    let steps: [any MigrationStep]
    let earlier: ContainerSchema
    /// The schema after the migration.
    let schema: ContainerSchema
    let configuration: Configuration
    let store: ContainerStore
    var assets: AssetFolder { store.assets }
    /// Records of one commit: what the log takes at once.
    private static let length = 10_000

    /// Changes schema, records and subscriptions of all databases.
    func make(in group: CommitGroup, _ databases: [StoredDatabase]) throws(DatabaseError) {
        try schema.check()
        var held: [Asset] = []
        defer { assets.release(held) }
        var before: [Snapshot] = []
        for database in databases { before.append(try group.snapshot(of: database)) }
        var addedBytes = 0
        for database in databases { addedBytes += try stage(in: group, database, holding: &held) }
        try store.checkQuota(adding: addedBytes, withAssets: !held.isEmpty, configuration.limits, isWriting: true)
        let rewritten = name == nil ? [] : rewrittenTypes
        for database in databases {
            let records = try group.snapshot(of: database)
            try schema.checkConstraints(of: records, since: earlier, rewritten: rewritten)
        }
        // Subscriptions to a shared database are about the records of others.
        let shared = zip(databases, before).filter { $0.0.origin.scope == .private }.map(\.1)
        for (database, snapshot) in zip(databases, before) {
            try stageSubscriptions(in: group, database, paths(among: [snapshot]), paths(among: shared))
        }
        try group.commit(schema)
    }

    /// The steps that records of a type, by its name before, go through, and its name after them.
    func steps(on type: String) -> (steps: [any MigrationStep], name: String) {
        var name = type
        let steps = steps.filter { step in
            guard step.type == name else { return false }
            if let renamed = step as? RenamedType { name = renamed.name }
            return true
        }
        return (steps, name)
    }

    /// The types whose records are other ones after the migration, by their names after it.
    var rewrittenTypes: Set<String> {
        let changes = earlier.recordTypes.keys.map(steps(on:)).filter { $0.steps.contains(where: \.changesRecords) }
        return Set(changes.map(\.name))
    }

    // MARK: Subscriptions

    private func paths(among snapshots: [Snapshot]) -> MigratedPaths {
        MigratedPaths(steps: steps, earlier: earlier, snapshots: snapshots)
    }

    /// Stages the subscriptions of a database that are others after the migration.
    ///
    /// - Parameters:
    ///   - paths: Paths of records of the database.
    ///   - shared: Paths of records that the database's user may share with others.
    private func stageSubscriptions(
        in group: CommitGroup, _ database: StoredDatabase, _ paths: MigratedPaths, _ shared: MigratedPaths
    ) throws(DatabaseError) {
        let state = try group.state(of: database)
        var commit = emptyCommit(of: database, state)
        func carried(_ table: SubscriptionTable, _ paths: MigratedPaths) throws(DatabaseError) -> [StoredSubscription] {
            var carried: [StoredSubscription] = []
            for subscription in table.all {
                if let other = try subscription.carried(through: paths, to: schema) { carried.append(other) }
            }
            return carried
        }
        commit.savedSubscriptions = try carried(state.subscriptions, paths)
        commit.sharing.savedSubscriptions = try carried(state.sharedSubscriptions, shared)
        if commit.savedSubscriptions.isEmpty, commit.sharing.isEmpty { return }
        if group.schema != schema { commit.schema = schema }
        try group.add(commit, to: database)
    }

    private func emptyCommit(of database: StoredDatabase, _ state: DatabaseState) -> Commit {
        var commit = Commit(
            origin: database.origin, client: 0, userName: nil, date: max(configuration.clock(), state.lastDate))
        commit.deletionsKept = configuration.limits.deletionsPerZone
        return commit
    }

    // MARK: Records

    /// Stages the records of a database as they are after the migration.
    ///
    /// - Returns: How many bytes of values there are more; negative where there are less.
    private func stage(
        in group: CommitGroup, _ database: StoredDatabase, holding held: inout [Asset]
    ) throws(DatabaseError) -> Int {
        var addedBytes = 0
        let snapshot = try group.snapshot(of: database)
        for type in earlier.recordTypes.keys.sorted() {
            let steps = steps(on: type).steps
            guard steps.contains(where: \.changesRecords) else { continue }
            let rows = snapshot.rows(ofType: type)
            for start in stride(from: 0, to: rows.count, by: Self.length) {
                let state = try group.state(of: database)
                var commit = emptyCommit(of: database, state)
                // The first commit of a type begins its rewriting.
                if start == 0 { commit.schema = schema }
                for row in rows[start..<min(rows.count, start + Self.length)] {
                    let segment = snapshot.segments[row.segment].segment
                    let before = EarlierRecord(
                        id: segment.recordID(row.row), type: type, fields: RowVersion(segment, row.row).fields,
                        owner: database.origin.user)
                    let record = try migrated(before, steps, holding: &held)
                    try checkTargets(of: record, before.id) { snapshot.find($0) != nil }
                    addedBytes += Self.byteCount(record.fields) - Self.byteCount(before.fields)
                    commit.saves.append(
                        Commit.Save(
                            id: before.id, type: record.type, fields: record.fields,
                            isNew: false, change: state.lastChange + Int64(commit.saves.count) + 1, parent: nil,
                            isRewritten: true))
                }
                try group.add(commit, to: database)
            }
        }
        return addedBytes
    }

    /// A record before the steps.
    struct EarlierRecord {
        let id: Record.ID
        let type: String
        let fields: [String: FieldValue]
        /// Whose private database it is in.
        let owner: String?
    }

    /// The record after the steps.
    func migrated(
        _ earlier: EarlierRecord, _ steps: [any MigrationStep], holding held: inout [Asset]
    ) throws(DatabaseError) -> MigratedRecord {
        var record = MigratedRecord(type: earlier.type, fields: earlier.fields)
        do {
            for step in steps { try step.apply(to: &record) }
        } catch let error as FieldFault {
            throw fault(earlier.id, "field \(error.field): \(Self.reason(error.error))")
        } catch {
            throw fault(earlier.id, Self.reason(error))
        }
        record.fields = record.fields.filter { !$0.value.isNull }
        try check(&record, earlier, holding: &held)
        return record
    }

    /// Checks what an application changed as a save does, and gives all values the forms that their fields store.
    private func check(
        _ record: inout MigratedRecord, _ earlier: EarlierRecord, holding held: inout [Asset]
    ) throws(DatabaseError) {
        let id = earlier.id
        let changed = record.changed
        var values = record.fields.filter { changed.contains($0.key) }
        do throws(DatabaseError) {
            try values.takeAssets(of: id, into: assets, holding: &held)
        } catch {
            throw fault(id, error.reason)
        }
        do throws(ItemFailure) {
            var draft = SchemaDraft(schema, environment: .production, maximumNameLength: .max)
            var check = ValueCheck(zoneID: id.zoneID, userName: earlier.owner)
            // What is encrypted stays as it is: there is no key here.
            let encrypted = schema.recordTypes[record.type]?.encryptedKeys ?? []
            let sealed = record.fields.filter { encrypted.contains($0.key) && !changed.contains($0.key) }
            let kept = record.fields.filter { !changed.contains($0.key) && sealed[$0.key] == nil }
            record.fields = try draft.stored(kept, ofType: record.type, check)
            check.dialect = configuration.dialect
            record.fields.merge(try draft.stored(values, ofType: record.type, check)) { $1 }
            record.fields.merge(sealed) { $1 }
        } catch {
            throw fault(id, error.error.reason)
        }
        if changed.isEmpty { return }
        let limit = configuration.limits.bytesPerRecord
        let bytes = Self.byteCount(record.fields)
        if bytes > limit, bytes > Self.byteCount(earlier.fields) {
            throw fault(id, "the fields of the record have more than \(limit) bytes")
        }
    }

    private static func byteCount(_ fields: [String: FieldValue]) -> Int {
        fields.values.reduce(0) { $0 + ValueCheck.byteCount($1) }
    }

    /// Calls a body with the references that an application gave a record, and that must not lead nowhere.
    func forEachNewTarget(of record: MigratedRecord, _ body: (_ key: String, Record.ID) -> Void) {
        for (key, value) in record.fields where record.changed.contains(key) {
            value.forEachReference { reference in
                guard configuration.requiresReferenceTargets || reference.action == .deleteSelf else { return }
                body(key, reference.recordID)
            }
        }
    }

    /// - Parameter isThere: Whether there is a record.
    func checkTargets(
        of record: MigratedRecord, _ id: Record.ID, _ isThere: (Record.ID) -> Bool
    ) throws(DatabaseError) {
        var missing: (key: String, target: Record.ID)?
        forEachNewTarget(of: record) { if !isThere($1) { missing = ($0, $1) } }
        guard let missing else { return }
        throw fault(
            id, "field \(missing.key) leads to record \(missing.target.recordName), which does not exist")
    }

    private func fault(_ id: Record.ID, _ reason: String) -> DatabaseError {
        DatabaseError(
            .invalidArguments, "\(name.map { "migration '\($0)', " } ?? "")record \(id.recordName): \(reason)")
    }

    private static func reason(_ error: any Error) -> String { (error as? DatabaseError)?.reason ?? "\(error)" }
}

extension Snapshot {
    /// The live rows of a type, in order of insertion.
    fileprivate func rows(ofType type: String) -> [SnapshotRow] {
        var rows: [SnapshotRow] = []
        for (number, stored) in segments.enumerated() where stored.segment.recordType == type {
            for row in 0..<stored.segment.count where stored.isLive(row) {
                rows.append(SnapshotRow(segment: number, row: row, sequence: stored.sequences[row]))
            }
        }
        return rows.sorted { $0.sequence < $1.sequence }
    }
}
