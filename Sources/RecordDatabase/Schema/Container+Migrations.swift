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
    /// that are changed get new change tags; subscribers are told nothing. Subscriptions follow types and fields to
    /// their new names; live queries go on with the result that they have then, and end where they do not suit their
    /// type any more.
    ///
    ///     try await container.migrate([
    ///         SchemaMigration("1 towns are cities") { $0.renameType("Town", to: "City") },
    ///         SchemaMigration("2 names are there") { $0.setTraits(.required, of: "name", in: "City") },
    ///     ])
    ///
    /// A container on a server calls the closures of a migration again where the server makes it do so. On several
    /// servers the commits of these are made one after another: after an error that names servers which have the
    /// migration, and servers which have not, call it again.
    ///
    /// - Parameter migrations: All that there ever were, the oldest first: a list only grows.
    /// - Returns: The names of those that were made by this call.
    /// - Throws: `DatabaseError` of code `invalidArguments` for a step that the schema has no place for, a value that
    ///   does not convert or that a save would reject (naming the record), a subscription that would never tell
    ///   anything again (naming it), and a list that has another order than the store; `constraintViolation` for
    ///   records that do not satisfy what is demanded of them; `quotaExceeded` for values that `Limits.bytesPerStore`
    ///   has no room for; `badContainer` when the container was closed. What was
    ///   made before stays, and nothing of the one that failed.
    /// - Complexity: O(values) of the types whose records change, in time and memory.
    @discardableResult
    public func migrate(_ migrations: [SchemaMigration]) async throws(DatabaseError) -> [String] {
        let (store, configuration) = (client.store, client.configuration)
        await store.turns.begin()
        defer { store.turns.end() }
        try client.checkIsOpen()
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
        let names = migrations.map(\.name)
        guard Set(names).count == names.count else {
            throw DatabaseError(.invalidArguments, "two migrations have one name")
        }
        let known = try remote?.server.schema().migrations ?? schema.current.migrations
        guard names.starts(with: known.filter(names.contains)) else {
            throw DatabaseError(
                .invalidArguments, "migrations were made in another order: \(known.joined(separator: ", "))",
                hint: "add new migrations to the end of the list")
        }
        if known.count(where: names.contains) == names.count { return [] }
        try journal?.checkIsWritable()
        defer {
            events.deliver()
            checkpointIfNeeded()
        }
        var made: [String] = []
        for migration in migrations where !known.contains(migration.name) {
            let clock = ContinuousClock()
            let start = clock.now
            if let remote {
                if try !migrate(migration, configuration, on: remote) { continue }
                log.write(.info, .migration(migration.name, clock.now - start))
                made.append(migration.name)
                continue
            }
            try writingToAll { group, databases throws(DatabaseError) in
                var schema = group.schema
                for step in migration.steps { try step.apply(to: &schema) }
                schema.migrations.append(migration.name)
                let run = MigrationRun(
                    name: migration.name, steps: migration.steps, earlier: group.schema, schema: schema,
                    configuration: configuration, store: self)
                try run.make(in: group, databases)
            }
            log.write(.info, .migration(migration.name, clock.now - start))
            made.append(migration.name)
        }
        return made
    }

    /// As `Container.setSchema`, on this thread.
    func setSchema(_ schema: ContainerSchema, _ configuration: Configuration) throws(DatabaseError) {
        if let remote { return try setSchema(schema, configuration, on: remote) }
        try journal?.checkIsWritable()
        try writingToAll { group, databases throws(DatabaseError) in
            var schema = schema
            schema.migrations = group.schema.migrations
            let steps = try schema.dropping(from: group.schema, databases.map(\.records.snapshot))
            let run = MigrationRun(
                name: nil, steps: steps, earlier: group.schema, schema: schema, configuration: configuration,
                store: self)
            try run.make(in: group, databases)
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
            if recordTypes[name] == nil { steps.append(DroppedType(type: name)) }
            for (key, field) in fieldsGone(ofType: name, since: type) {
                guard !snapshots.contains(where: { $0.hasValue(of: key, inType: name) }) else {
                    throw DatabaseError.held(key, name, field.schemaName)
                }
                steps.append(DroppedField(type: name, field: key))
            }
        }
        return steps
    }
}

extension Snapshot {
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
