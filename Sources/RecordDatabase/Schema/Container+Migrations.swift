// Migrations: once each, in their order, schema and records in one commit.

import FoundationEssentials
import RecordColumns
public import RecordModel
import RecordStore

extension Container {
    /// Brings the schema and all records of the store to what a list of migrations says: those that were not made
    /// before, in their order.
    ///
    /// Each is one commit over all databases of the store: whoever opens it later finds all of it or nothing. Records
    /// that are changed get new change tags; subscribers are told nothing. Called when an application begins, before
    /// live queries run.
    ///
    ///     try await container.migrate([
    ///         SchemaMigration("1 towns are cities") { $0.renameType("Town", to: "City") },
    ///         SchemaMigration("2 names are there") { $0.setTraits(.required, of: "name", in: "City") },
    ///     ])
    ///
    /// - Parameter migrations: All that there ever were, the oldest first: a list only grows.
    /// - Returns: The names of those that were made by this call.
    /// - Throws: `DatabaseError` of code `invalidArguments` for a step that the schema has no place for, a value that
    ///   does not convert (naming the record), and a list that has another order than the store;
    ///   `constraintViolation` for records that do not satisfy a new demand. What was made before stays, and nothing of
    ///   the one that failed.
    /// - Complexity: O(values) of the types whose records change, in time and memory.
    @discardableResult
    public func migrate(_ migrations: [SchemaMigration]) async throws(DatabaseError) -> [String] {
        let (store, configuration) = (client.store, client.configuration)
        await store.turns.begin()
        defer { store.turns.end() }
        return try await BackgroundThread.perform { () throws(DatabaseError) in
            try store.migrate(migrations, configuration)
        }
    }
}

extension ContainerStore {
    /// As `Container.migrate`, on this thread.
    func migrate(
        _ migrations: [SchemaMigration], _ configuration: Configuration
    ) throws(DatabaseError) -> [String] {
        let known = schema.current.migrations
        let names = migrations.map(\.name)
        guard Set(names).count == names.count else {
            throw DatabaseError(.invalidArguments, "two migrations have one name")
        }
        guard names.starts(with: known.filter(names.contains)) else {
            throw DatabaseError(
                .invalidArguments, "migrations were made in another order: \(known.joined(separator: ", "))",
                hint: "add new migrations to the end of the list")
        }
        try journal?.checkIsWritable()
        var made: [String] = []
        for migration in migrations where !known.contains(migration.name) {
            let databases = databases
            let clock = ContinuousClock()
            let start = clock.now
            try writing(to: databases) { group throws(DatabaseError) in
                var schema = group.schema
                for step in migration.steps { try step.apply(to: &schema) }
                schema.migrations.append(migration.name)
                let run = MigrationRun(
                    name: migration.name, steps: migration.steps, earlier: group.schema, schema: schema)
                try run.make(in: group, databases, configuration)
            }
            log.write(.info, .migration(migration.name, clock.now - start))
            made.append(migration.name)
        }
        events.deliver()
        checkpointIfNeeded()
        return made
    }

    /// As `Container.setSchema`, on this thread.
    func setSchema(_ schema: ContainerSchema, _ configuration: Configuration) throws(DatabaseError) {
        try journal?.checkIsWritable()
        let databases = databases
        try writing(to: databases) { group throws(DatabaseError) in
            var schema = schema
            schema.migrations = group.schema.migrations
            let steps = try schema.dropping(from: group.schema, databases.map(\.records.snapshot))
            let run = MigrationRun(name: nil, steps: steps, earlier: group.schema, schema: schema)
            try run.make(in: group, databases, configuration)
        }
        events.deliver()
        checkpointIfNeeded()
    }
}

extension ContainerSchema {
    /// The steps that take away what an earlier schema has and this one has not, or has as another type: nothing that a
    /// record has a value of.
    /// - Throws: `DatabaseError` of code `invalidArguments` for a field with values or a type with records.
    fileprivate func dropping(
        from earlier: ContainerSchema, _ snapshots: [Snapshot]
    ) throws(DatabaseError) -> [any MigrationStep] {
        var steps: [any MigrationStep] = []
        // In the order of names, so that the same fault has the same words every time.
        for (name, type) in earlier.recordTypes.sorted(by: { $0.key < $1.key }) {
            let known = recordTypes[name]
            if known == nil { steps.append(DroppedType(type: name)) }
            for (key, field) in type.fields.sorted(by: { $0.key < $1.key }) where known?.fields[key]?.type != field.type
            {
                guard !snapshots.contains(where: { $0.hasValue(of: key, inType: name) }) else {
                    throw DatabaseError(
                        .invalidArguments, "field \(key) of \(name) must stay \(field.type.schemaName)",
                        hint: "records have values of it: a SchemaMigration changes them")
                }
                steps.append(DroppedField(type: name, field: key))
            }
        }
        return steps
    }
}

/// Steps on their way through the databases of a store.
private struct MigrationRun {
    /// The name of the migration; `nil` for the steps of another schema.
    let name: String?
    let steps: [any MigrationStep]
    let earlier: ContainerSchema
    /// The schema after the migration.
    let schema: ContainerSchema
    /// Records of one commit: what the log takes at once.
    private static let length = 10_000

    /// Changes schema and records of all databases.
    func make(
        in group: CommitGroup, _ databases: [StoredDatabase], _ configuration: Configuration
    ) throws(DatabaseError) {
        try schema.check()
        for database in databases { try stage(in: group, database, configuration) }
        for database in databases {
            try schema.checkConstraints(of: group.snapshot(of: database), since: earlier)
        }
        try group.commit(schema)
    }

    /// The steps that records of a type, by its name before, go through.
    private func steps(on type: String) -> [any MigrationStep] {
        var type = type
        return steps.filter { step in
            guard step.type == type else { return false }
            if let renamed = step as? RenamedType { type = renamed.name }
            return true
        }
    }

    /// Stages the records of a database as they are after the migration.
    private func stage(
        in group: CommitGroup, _ database: StoredDatabase, _ configuration: Configuration
    ) throws(DatabaseError) {
        let snapshot = try group.snapshot(of: database)
        for type in earlier.recordTypes.keys.sorted() {
            let steps = steps(on: type)
            guard steps.contains(where: \.changesRecords) else { continue }
            let rows = snapshot.rows(ofType: type)
            if !rows.isEmpty, !database.liveQueries.isEmpty {
                throw DatabaseError(
                    .invalidArguments, "records change as a whole while live queries run",
                    hint: "change them before live queries begin")
            }
            for start in stride(from: 0, to: rows.count, by: Self.length) {
                let state = try group.state(of: database)
                var commit = Commit(
                    origin: database.origin, client: 0, userName: nil,
                    date: max(configuration.clock(), state.lastDate))
                commit.deletionsKept = configuration.limits.deletionsPerZone
                // The first commit of a type begins its rewriting.
                if start == 0 { commit.schema = schema }
                for row in rows[start..<min(rows.count, start + Self.length)] {
                    let change = state.lastChange + Int64(commit.saves.count) + 1
                    commit.saves.append(
                        try save(RowVersion(snapshot.segments[row.segment].segment, row.row), steps, change, database))
                }
                try group.add(commit, to: database)
            }
        }
    }

    private func save(
        _ version: RowVersion, _ steps: [any MigrationStep], _ change: Int64, _ database: StoredDatabase
    ) throws(DatabaseError) -> Commit.Save {
        let id = version.segment.recordID(version.row)
        var record = MigratedRecord(type: version.segment.recordType, fields: version.fields)
        do {
            for step in steps { try step.apply(to: &record) }
        } catch let error as FieldFault {
            throw fault(id, "field \(error.field): \(Self.reason(error.error))")
        } catch {
            throw fault(id, Self.reason(error))
        }
        var draft = SchemaDraft(schema, environment: .production, maximumNameLength: .max)
        do throws(ItemFailure) {
            record.fields = try draft.stored(
                record.fields.filter { !$0.value.isNull }, ofType: record.type,
                ValueCheck(zoneID: id.zoneID, userName: database.origin.user))
        } catch {
            throw fault(id, error.error.reason)
        }
        return Commit.Save(
            id: id, type: record.type, fields: record.fields, isNew: false, change: change, parent: nil,
            isRewritten: true)
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

    /// Whether a record of a type has a value of a field.
    func hasValue(of field: String, inType type: String) -> Bool {
        segments.contains { stored in
            guard stored.segment.recordType == type, let column = stored.segment.schema.position(of: field) else {
                return false
            }
            return (0..<stored.segment.count).contains {
                stored.isLive($0) && stored.segment.columns[column].isPresent($0)
            }
        }
    }
}
