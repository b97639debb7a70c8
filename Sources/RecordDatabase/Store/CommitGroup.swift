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
    /// A commit with the records before and after it.
    private struct Staged {
        let commit: Commit
        let before: Snapshot
        let after: Snapshot
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

        init(_ database: StoredDatabase, _ records: RecordWriter) {
            (self.database, self.records) = (database, records)
        }
    }

    private let store: ContainerStore
    /// The schema with all staged commits.
    private(set) var schema: ContainerSchema
    private let parts: [Part]
    private var entries: [Journal.Entry] = []
    private var events: [CommitEvent] = []

    fileprivate init(_ store: ContainerStore, _ parts: [(StoredDatabase, RecordWriter)]) {
        self.store = store
        schema = store.schema.current
        self.parts = parts.map { Part($0, $1) }
    }

    /// Throws: `DatabaseError` for a database that the group was not made for.
    private func part(of database: StoredDatabase) throws(DatabaseError) -> Part {
        guard let part = parts.first(where: { $0.database === database }) else {
            throw DatabaseError(.internalError, "a commit is of a database that it may not change")
        }
        return part
    }

    /// The records of a database with all staged commits.
    func snapshot(of database: StoredDatabase) throws(DatabaseError) -> Snapshot {
        try part(of: database).records.snapshot
    }

    /// The state of a database with all staged commits.
    ///
    /// - Parameter hasGraph: Whether the references of records are wanted, which are read from them the first time.
    func state(of database: StoredDatabase, hasGraph: Bool = false) throws(DatabaseError) -> DatabaseState {
        let part = try part(of: database)
        settle(part)
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
    var isStaged: Bool { !events.isEmpty || parts.contains { $0.last != nil } }

    /// Stages a commit.
    ///
    /// - Parameter isLogged: False for one that the log has already.
    /// Throws: `DatabaseError` when the records do not fit the store or cannot be stored; then the commit is not
    /// staged.
    func add(_ commit: Commit, to database: StoredDatabase, isLogged: Bool = true) throws(DatabaseError) {
        let part = try part(of: database)
        let before = part.records.snapshot
        let journal = isLogged ? store.journal : nil
        var entry: Journal.Entry?
        if commit.changesRecords {
            var refusal: DatabaseError?
            do throws(CommitError) {
                _ = try part.records.stage(StoredDatabase.batch(of: commit)) { added in
                    do throws(DatabaseError) { entry = try journal?.entry(of: commit, added) } catch { refusal = error }
                    return refusal == nil
                }
            } catch {
                throw refusal
                    ?? DatabaseError(.internalError, "the records do not fit the store", hint: "\(error)")
            }
        } else {
            entry = try journal?.entry(of: commit, [])
        }
        settle(part)
        if let entry { entries.append(entry) }
        if let grown = commit.schema { schema = grown }
        part.last = Staged(
            commit: commit, before: before, after: part.records.snapshot, schema: schema, isNew: isLogged)
    }

    /// Makes the last commit of a part one that others can rest on.
    private func settle(_ part: Part) {
        guard let last = part.last else { return }
        var state =
            part.state
            ?? part.database.state.withLock { state in
                // Who rests on it changes it: the one that is published reads it from the records again if need be.
                defer { state.graph = nil }
                return state
            }
        (part.state, part.last) = (nil, nil)
        apply(last, to: &state, of: part.database)
        part.state = state
    }

    private func apply(_ staged: Staged, to state: inout DatabaseState, of database: StoredDatabase) {
        let (commit, schema) = (staged.commit, staged.schema)
        events.append(
            database.apply(commit, to: &state, before: staged.before, after: staged.after) {
                store.mayRead($0, $1, of: commit.scope, schema)
            })
        if staged.isNew, commit.clientToken != nil { state.presentClients.insert(commit.client) }
    }

    // MARK: Storing

    /// Stores all that is staged, and lets everybody see it. More may be staged then.
    ///
    /// Throws: `DatabaseError` when it cannot be stored; then the group is over, and nothing has changed.
    func commit() throws(DatabaseError) {
        try store.journal?.write(entries)
        entries = []
        store.schema.publish(schema)
        for part in parts { publish(part) }
        for event in events { store.events.enqueue(event) }
        events = []
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
    /// Throws: What the body throws; then all that it staged and did not store is forgotten.
    func writing<Outcome: Sendable>(
        to databases: [StoredDatabase], _ body: (CommitGroup) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        try writer.withLock { _ throws(DatabaseError) in try writing(databases[...], [], body) }
    }

    /// As `writing`, unless somebody else is writing: then `nil`.
    func writingIfFree<Outcome: Sendable>(
        to databases: [StoredDatabase], _ body: (CommitGroup) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome? {
        try writer.withLockIfAvailable { _ throws(DatabaseError) in try writing(databases[...], [], body) }
    }

    private func writing<Outcome: Sendable>(
        _ rest: ArraySlice<StoredDatabase>, _ parts: [(StoredDatabase, RecordWriter)],
        _ body: (CommitGroup) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        guard let first = rest.first else { return try body(CommitGroup(self, parts)) }
        return try first.records.writing { records throws(DatabaseError) in
            try writing(rest.dropFirst(), parts + [(first, records)], body)
        }
    }
}
