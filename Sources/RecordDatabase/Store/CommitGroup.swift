// Commits that count together, when they are stored.
//
// Whoever may write a store stages commits, each on what the ones before leave, and stores them with one write to the
// log and one wait for the disk. Until then nobody sees any of them, and readers go on; if the write fails, all of them
// are forgotten.

import FoundationEssentials
import QueryExecution
import RecordModel
import RecordStore
import Synchronization

/// What whoever may write a store is about to change. Used by one thread, inside `ContainerStore.writing`.
final class CommitGroup {
    private struct Staged {
        /// Its place among the commits of all databases.
        let number: Int
        let commit: Commit
        /// The schema with the commit.
        let schema: ContainerSchema
        /// Whether it was made now, and not by an earlier process.
        let isNew: Bool
    }

    /// One database that the group may change.
    private final class Part {
        let database: StoredDatabase
        let records: RecordWriter
        /// The state with all staged commits but the last; `nil` where that is the database's own. A state is copied
        /// only when a second commit rests on it, as what it shares with the published one is copied when it is
        /// changed.
        var state: DatabaseState?
        var last: Staged?
        /// Commits that save different records, which get their rows together when somebody needs them.
        private(set) var run: [Staged] = []
        /// The records of the first commits of the run.
        private var saved: (count: Int, ids: Set<Record.ID>) = (0, [])

        func append(_ staged: Staged) { run.append(staged) }

        func takeRun() -> [Staged] {
            defer { (run, saved) = ([], (0, [])) }
            return run
        }

        /// The records that commits of the run save.
        var idsOfRun: Set<Record.ID> {
            for staged in run[saved.count...] { saved.ids.formUnion(staged.commit.saves.lazy.map(\.id)) }
            saved.count = run.count
            return saved.ids
        }

        init(_ database: StoredDatabase, _ records: RecordWriter) {
            (self.database, self.records) = (database, records)
        }
    }

    private let store: ContainerStore
    /// The schema with all staged commits.
    private(set) var schema: ContainerSchema
    /// The schema that everybody sees.
    private var published: ContainerSchema
    private let parts: [Part]
    /// The positions of the parts, where they are many.
    private var positions: [ObjectIdentifier: Int] = [:]
    private var entries: [Journal.Entry] = []
    /// What subscribers are told, by the numbers of the commits: a run gets its events when it gets its rows.
    private var events: [(number: Int, event: CommitEvent)] = []
    private var count = 0
    /// Whether commits of one database that save different records get their rows together: one segment for many saves.
    private let makesRuns: Bool
    /// Why records that were staged together do not fit the store; one by one some of them may.
    private(set) var misfit: DatabaseError?
    /// Whether a staged commit has a schema.
    private var hasNewSchema = false
    /// The types of which a staged migration writes the records again.
    private var rewritten: Set<String> = []
    /// Subscriptions to shared databases that end with the staged commits.
    private var endedSubscriptions: [SubscriptionTable.Key] = []
    /// Whether live queries were given a schema to follow.
    private(set) var changesLiveQueries = false

    fileprivate init(_ store: ContainerStore, _ parts: [(StoredDatabase, RecordWriter)], makesRuns: Bool) {
        self.store = store
        self.makesRuns = makesRuns
        schema = store.schema.current
        published = schema
        self.parts = parts.map { Part($0, $1) }
        if parts.count < 8 { return }
        for (position, part) in parts.enumerated() { positions[ObjectIdentifier(part.0)] = position }
    }

    /// - Throws: `DatabaseError` for a database that the group was not made for.
    private func part(of database: StoredDatabase) throws(DatabaseError) -> Part {
        if let position = positions[ObjectIdentifier(database)] { return parts[position] }
        if positions.isEmpty, let part = parts.first(where: { $0.database === database }) { return part }
        throw DatabaseError(.internalError, "a commit is of a database that it may not change")
    }

    /// The records of a database with all staged commits; for a batch, with those that it can tell from others.
    func snapshot(of database: StoredDatabase, for plan: BatchPlan? = nil) throws(DatabaseError) -> Snapshot {
        let part = try part(of: database)
        if !part.run.isEmpty, plan.map({ $0.isConstrained(by: schema) || $0.mayRead(part.idsOfRun) }) ?? true {
            try stageRun(of: part)
        }
        return part.records.snapshot
    }

    /// The state of a database with all staged commits.
    ///
    /// - Parameter hasGraph: Whether the references of records are wanted, which are read from them the first time.
    func state(of database: StoredDatabase, hasGraph: Bool = false) throws(DatabaseError) -> DatabaseState {
        let part = try part(of: database)
        settle(part)
        // References are read from all records.
        if hasGraph, part.state.map({ $0.graph == nil }) ?? false { try stageRun(of: part) }
        var state = part.state ?? database.state.withLock { $0 }
        if hasGraph, state.graph == nil {
            let graph = ReferenceGraph(of: part.records.snapshot, schema)
            state.graph = graph
            if part.state != nil { part.state = state } else { database.state.withLock { $0.graph = graph } }
        }
        return state
    }

    // MARK: Staging

    /// Whether something is staged.
    var isStaged: Bool { !events.isEmpty || parts.contains { !$0.run.isEmpty } }

    /// Stages a commit.
    ///
    /// - Parameter isLogged: False for one that the log has already.
    /// - Throws: `DatabaseError` when the records do not fit the store or cannot be stored; then the commit is not
    ///   staged.
    func add(_ commit: Commit, to database: StoredDatabase, isLogged: Bool = true) throws(DatabaseError) {
        let part = try part(of: database)
        let staged = Staged(number: count, commit: commit, schema: commit.schema ?? schema, isNew: isLogged)
        let journal = isLogged ? store.journal : nil
        var entry: Journal.Entry?
        settle(part)
        if makesRuns, commit.onlySaves, !isObserved(part) {
            if !part.run.isEmpty, commit.saves.contains(where: { part.idsOfRun.contains($0.id) }) {
                try stageRun(of: part)
            }
            entry = try journal?.entry(of: commit, [])
            part.append(staged)
        } else {
            try stageRun(of: part)
            var rejection: DatabaseError?
            do throws(CommitError) {
                try stage([staged], of: part) { added in
                    do throws(DatabaseError) { entry = try journal?.entry(of: commit, added) } catch {
                        rejection = error
                    }
                    return rejection == nil
                }
            } catch {
                throw rejection ?? Self.misfit(error)
            }
        }
        if let entry { entries.append(entry) }
        if commit.schema != nil {
            (schema, hasNewSchema) = (staged.schema, true)
            rewritten.formUnion(commit.rewrittenTypes)
        }
        part.last = staged
        count += 1
    }

    /// The records with a commit on all that is published, which is not staged: the group must have nothing staged.
    /// - Throws: `DatabaseError` when the records do not fit the store.
    func preview(_ commit: Commit, of database: StoredDatabase) throws(DatabaseError) -> Snapshot {
        let records = try part(of: database).records
        defer { records.discard() }
        do throws(CommitError) {
            try records.stage(StoredDatabase.batch(of: [commit])) { _ in true }
        } catch {
            throw Self.misfit(error)
        }
        return records.snapshot
    }

    private static func misfit(_ error: CommitError) -> DatabaseError {
        DatabaseError(.internalError, "the records do not fit the store", hint: "\(error)")
    }

    /// Gives the commits of a run their rows.
    private func stageRun(of part: Part) throws(DatabaseError) {
        let run = part.takeRun()
        if run.isEmpty { return }
        do throws(CommitError) {
            try stage(run, of: part) { _ in true }
        } catch {
            misfit = Self.misfit(error)
        }
        if let misfit { throw misfit }
    }

    /// Stages the records of commits none of which changes what another one does.
    private func stage(
        _ commits: [Staged], of part: Part, confirm: (_ added: [StoredSegment]) -> Bool
    ) throws(CommitError) {
        let before = part.records.snapshot
        if commits.contains(where: { $0.commit.changesRecords }) {
            try part.records.stage(StoredDatabase.batch(of: commits.map(\.commit)), confirm: confirm)
        } else if !confirm([]) {
            throw .notConfirmed
        }
        let after = part.records.snapshot
        // Subscriptions that are told once go with that.
        var state = isSubscribed(part) ? takeState(of: part) : nil
        for staged in commits {
            var event = CommitEvent(
                commit: staged.commit, before: before, after: after, liveQueries: part.database.liveQueries,
                schema: staged.schema)
            let notices = state?.subscriptions.notices(of: event) {
                store.mayRead($0, $1, of: staged.commit.scope, staged.schema)
            }
            let shared = store.sharedNotices(of: event, staged.schema, without: endedSubscriptions)
            event.notices = (notices ?? []) + shared.notices
            endedSubscriptions += shared.ended
            events.append((staged.number, event))
        }
        if let state { part.state = state }
    }

    private func isSubscribed(_ part: Part) -> Bool {
        !(part.state?.subscriptions ?? part.database.state.withLock { $0.subscriptions }).isEmpty
    }

    /// Whether somebody is told what each commit left. Predicates follow references, also to records that a later
    /// commit of a run saves.
    private func isObserved(_ part: Part) -> Bool {
        isSubscribed(part) || !part.database.liveQueries.isEmpty
            || store.mayConcernSharedSubscribers(part.database.origin, schema)
    }

    /// The state with all staged commits but the last, for whoever changes it and gives it back.
    private func takeState(of part: Part) -> DatabaseState {
        defer { part.state = nil }
        return part.state
            ?? part.database.state.withLock { state in
                // The one that is published reads it from the records again if need be.
                defer { state.graph = nil }
                return state
            }
    }

    /// Makes the last commit of a part one that others can rest on.
    private func settle(_ part: Part) {
        guard let last = part.last else { return }
        var state = takeState(of: part)
        part.last = nil
        apply(last, to: &state, of: part.database)
        part.state = state
    }

    private func apply(_ staged: Staged, to state: inout DatabaseState, of database: StoredDatabase) {
        database.apply(staged.commit, to: &state)
        if staged.isNew, staged.commit.clientToken != nil { state.presentClients.insert(staged.commit.client) }
    }

    // MARK: Storing

    /// Stores all that is staged, and lets everybody see it. More may be staged then.
    ///
    /// - Parameters:
    ///   - newSchema: The schema from now on; `nil` for that of the staged commits.
    ///   - isLogged: False for one that the log has already.
    /// - Throws: `DatabaseError` when it cannot be stored; then the group is over, and nothing has changed.
    func commit(_ newSchema: ContainerSchema? = nil, isLogged: Bool = true) throws(DatabaseError) {
        if let misfit { throw misfit }
        for part in parts { try stageRun(of: part) }
        if let newSchema, newSchema != schema {
            if isLogged, let journal = store.journal { entries.append(try journal.entry(of: .schema(newSchema))) }
            (schema, hasNewSchema) = (newSchema, true)
        }
        try store.journal?.write(entries)
        entries = []
        let changed = hasNewSchema ? schema.typesChanged(since: published) : []
        let concernsShared = mayConcernSharedReaders
        if hasNewSchema { publishSchema(changed) } else { for part in parts { publish(part) } }
        for part in parts { part.database.readers.tell() }
        if concernsShared { store.sharedReaders.tell() }
        for (_, event) in events {
            store.counters.count(event.commit)
            store.noteSharedSubscribers(event.commit)
        }
        store.end(endedSubscriptions)
        endedSubscriptions = []
        for (_, event) in events.sorted(by: { $0.number < $1.number }) { store.events.enqueue(event) }
        events = []
        if !changed.isEmpty || !rewritten.isEmpty { tellLiveQueries(changed.union(rewritten)) }
        rewritten = []
    }

    /// Whether what is staged may change what somebody sees who watches a shared database.
    private var mayConcernSharedReaders: Bool {
        guard schema.hasShares, !store.sharedReaders.isEmpty else { return false }
        return hasNewSchema
            || events.contains { _, event in
                event.commit.owner != nil && (event.before.hasShares || event.after.hasShares)
            }
    }

    /// Makes the schema and what is staged with it what everybody sees, at one moment, and binds predicates to it.
    private func publishSchema(_ changed: Set<String>) {
        // Readers wait for the schema: what takes time is done before.
        for part in parts {
            part.records.prepare()
            guard !changed.isEmpty, part.database.state.withLock({ $0.hasSubscriptions }) || isSubscribed(part) else {
                continue
            }
            settle(part)
            var state = takeState(of: part)
            state.bindSubscriptions(schema, typesAmong: changed)
            part.state = state
        }
        store.schema.publish(schema) { for part in parts { publish(part) } }
        (published, hasNewSchema) = (schema, false)
        if changed.isEmpty { return }
        let known = Set(parts.map { ObjectIdentifier($0.database) })
        for database in store.databases where !known.contains(ObjectIdentifier(database)) {
            database.state.withLock { state in
                if state.hasSubscriptions { state.bindSubscriptions(schema, typesAmong: changed) }
            }
        }
    }

    /// Has the live queries of all databases follow the schema, behind the commits so far.
    private func tellLiveQueries(_ changed: Set<String>) {
        for database in store.databases where !database.liveQueries.isEmpty {
            store.events.enqueue(SchemaEvent(schema, changed: changed, of: database))
            changesLiveQueries = true
        }
    }

    private func publish(_ part: Part) {
        // What the closure changes is this thread's alone.
        part.database.state.withLock { state in
            if let staged = part.state {
                part.state = nil
                state = staged
            }
            if let last = part.last { apply(last, to: &state, of: part.database) }
            part.last = nil
            part.records.publish()
        }
    }
}

extension ContainerStore {
    /// Runs a body that may change databases of the store; nobody else changes anything meanwhile.
    ///
    /// - Parameter makesRuns: Whether saves of different records are staged together: `CommitGroup.commit` may fail for
    ///   one of them, and sets `misfit` then.
    /// - Throws: What the body throws; then all that it staged and did not store is forgotten.
    func writing<Outcome: Sendable>(
        to databases: [StoredDatabase], makesRuns: Bool = false,
        _ body: (CommitGroup) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        try writer.withLock { _ throws(DatabaseError) in try group(of: databases, makesRuns, body) }
    }

    /// As `writing`, with all databases there are by then, or some of them.
    func writingToAll<Outcome: Sendable>(
        where isMeant: (StoredDatabase) -> Bool = { _ in true },
        _ body: (CommitGroup, [StoredDatabase]) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        try writer.withLock { _ throws(DatabaseError) in
            // One that is made meanwhile is empty until somebody may write again.
            let databases = withDatabases { $0.filter(isMeant) }
            return try group(of: databases, false) { group throws(DatabaseError) in try body(group, databases) }
        }
    }

    /// As `writing`, unless somebody else is writing: then `nil`.
    func writingIfFree<Outcome: Sendable>(
        to databases: [StoredDatabase], _ body: (CommitGroup) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome? {
        try writer.withLockIfAvailable { _ throws(DatabaseError) in try group(of: databases, false, body) }
    }

    private func group<Outcome: Sendable>(
        of databases: [StoredDatabase], _ makesRuns: Bool, _ body: (CommitGroup) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        let parts = databases.map { ($0, $0.records.beginWriting()) }
        defer { for database in databases { database.records.endWriting() } }
        return try body(CommitGroup(self, parts, makesRuns: makesRuns))
    }
}
