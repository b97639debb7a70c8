// A query whose result is kept as records change.

import FoundationEssentials
import PredicateSemantics
import QueryExecution
import RecordModel
import RecordStore
import Synchronization

/// What a live query is about, and for whom.
struct LiveSubject: Sendable {
    let query: Query
    let zoneID: RecordZone.ID?
    let scope: DatabaseScope
    let caller: Caller
    /// Whose roles count.
    let store: ContainerStore

    /// The query bound to the fields of a schema; `nil` when the caller may read nothing.
    /// - Throws: `DatabaseError` for a query that does not suit its type.
    func binding(to schema: ContainerSchema) throws(DatabaseError) -> LiveBinding? {
        // Roles may have been given or taken away since the query began.
        let caller = caller.with(store.rights(of: caller.userName))
        let check = try QueryCheck(query.recordType, schema, caller, in: scope, allowsNew: true)
        let order = try check.order(query.sortKeys)
        guard let predicate = try check.bindReadable(query.predicate) else { return nil }
        if order.contains(where: { $0.criterion == .relevance }), predicate.wordSearches.isEmpty { throw .noWords }
        return LiveBinding(
            predicate: predicate, keys: order, encryptedKeys: check.type.encryptedKeys, isOfNewType: check.isNew)
    }

    /// As `binding(to:)`, for a query that goes on: one of a type of which nothing was known keeps what it was bound to
    /// where it does not suit the type.
    func binding(to schema: ContainerSchema, known: LiveBinding?) throws(DatabaseError) -> LiveBinding? {
        do throws(DatabaseError) {
            return try binding(to: schema)
        } catch {
            guard let known, known.isOfNewType else { throw error }
            return known
        }
    }

    /// A result of a binding without records.
    func emptyResult(_ binding: LiveBinding) -> LiveResult {
        LiveResult(
            keys: binding.keys, encryptedKeys: binding.encryptedKeys, RecordOpener(caller.keys),
            reader: scope == .shared ? caller.userName : nil)
    }

    /// The result that a binding has.
    /// - Throws: `DatabaseError`, when the predicate has no meaning for a record.
    func result(_ binding: LiveBinding, on snapshot: Snapshot) throws(DatabaseError) -> LiveResult {
        let context = EvaluationContext(
            now: caller.configuration.clock(), seed: nil)
        let plan = SnapshotQuery(
            binding.predicate, over: snapshot, type: query.recordType, zoneID: zoneID,
            settings: .init(context: context))
        var result = emptyResult(binding)
        do throws(PageError) {
            result.fill(try plan.page(sortedBy: binding.keys, limit: Int.max).rows, of: snapshot)
        } catch {
            if case .evaluation(let error) = error { throw DatabaseError(evaluation: error, of: query.predicate) }
        }
        return result
    }
}

/// A live query bound to the fields that its type has.
struct LiveBinding: Sendable {
    let predicate: BoundPredicate
    let keys: [SortKey]
    /// The encrypted fields of the type.
    var encryptedKeys: [String]
    /// Whether nobody had saved a record of the type, so that nothing was known of its fields.
    let isOfNewType: Bool
    /// Whether the result depends on more than each record by itself: on records behind references, or the clock. Then
    /// the query runs again after each commit.
    let readsMore: Bool

    init(predicate: BoundPredicate, keys: [SortKey], encryptedKeys: [String], isOfNewType: Bool) {
        (self.predicate, self.keys, self.isOfNewType) = (predicate, keys, isOfNewType)
        self.encryptedKeys = encryptedKeys
        readsMore =
            predicate.usesContext || predicate.followsReferences || keys.contains(where: \.readsOtherRecords)
    }
}

/// One reader's live query: its result, and the steps that wait to be taken.
final class LiveQuery: Sendable {
    private struct State {
        var binding: LiveBinding
        var result: LiveResult
        var failure: DatabaseError?
    }

    /// The steps that wait.
    let steps: ReaderQueue<QueryChange>
    private let subject: LiveSubject
    private let capacity: Int
    /// Version of the snapshot that the first result is of: it has all commits up to that.
    private let firstVersion: Int
    private let state: Mutex<State>

    /// - Throws: `DatabaseError`, when the predicate has no meaning for a record.
    init(_ subject: LiveSubject, _ binding: LiveBinding, on snapshot: Snapshot) throws(DatabaseError) {
        self.subject = subject
        capacity = max(1, subject.caller.configuration.limits.stepsWaiting)
        let result = try subject.result(binding, on: snapshot)
        firstVersion = snapshot.version
        steps = ReaderQueue([.initial(result.records)])
        state = Mutex(State(binding: binding, result: result))
    }

    var recordType: String { subject.query.recordType }
    var zoneID: RecordZone.ID? { subject.zoneID }
    var binding: LiveBinding { state.withLock { $0.binding } }

    // MARK: Schemas

    /// Whether a schema may change the result.
    func isConcerned(by event: SchemaEvent) -> Bool {
        if let userName = event.userName { return subject.caller.userName == userName }
        return event.changed.contains(recordType) || binding.readsMore
    }

    /// Leads to the result with another schema. A query that does not suit its type any more ends with the error; one
    /// of a type of which nothing was known goes on as it is.
    ///
    /// - Returns: What it is bound to; `nil` when it ended.
    func follow(_ event: SchemaEvent) -> LiveBinding? {
        let before = binding
        do throws(DatabaseError) {
            guard let next = try subject.binding(to: event.schema, known: before) else {
                endEmpty()
                return nil
            }
            let result = try subject.result(next, on: event.records)
            step { $0.become(result) }
            state.withLock { $0.binding = next }
            return next
        } catch {
            fail(error)
            return nil
        }
    }

    /// Ends without records: the caller may read nothing any more.
    func endEmpty() {
        let binding = binding
        step { $0.become(subject.emptyResult(binding)) }
        steps.end()
    }

    /// Ends with an error.
    ///
    /// - Parameter dropsWaiting: Whether steps that wait are not given any more.
    func fail(_ error: DatabaseError, dropsWaiting: Bool = false) {
        state.withLock { $0.failure = error }
        steps.end(dropsWaiting: dropsWaiting)
    }

    /// - Throws: `DatabaseError`, once, where the query ended with one.
    func throwFailure() throws(DatabaseError) {
        let failure = state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
        if let failure { throw failure }
    }

    // MARK: Users

    /// Ends with an error where the database is not that of the current user any more.
    ///
    /// - Returns: Whether it goes on.
    func follow(_ account: Account) -> Bool {
        if subject.scope == .public || account.userName == subject.caller.userName { return true }
        do throws(DatabaseError) {
            try Client.checkStatus(account)
            throw DatabaseError(.notAuthenticated, "another user signed in", hint: "begin again for that user")
        } catch {
            // What waits is of the user before.
            fail(error, dropsWaiting: true)
        }
        return false
    }

    // MARK: Steps

    /// The records of a commit that a query is about: as they are now, those that left by name.
    struct Concern {
        var entered: [Record] = []
        var stayed: [Record] = []
        var left: [Record.ID] = []
    }

    /// Takes in a commit.
    func take(_ event: CommitEvent, _ concern: Concern) {
        step(after: event) { result in
            result.begin(encrypted: event.encryptedKeys(ofType: recordType))
            var changes: [QueryChange] = []
            for id in concern.left { if let change = result.remove(id) { changes.append(change) } }
            for record in concern.stayed {
                if let change = result.update(record, in: event.after) { changes.append(change) }
            }
            for record in concern.entered {
                if let change = result.insert(record, in: event.after) { changes.append(change) }
            }
            return changes
        }
    }

    /// Runs again after a commit. When that fails, the earlier result stays.
    func run(after event: CommitEvent) {
        var binding = binding
        // The schema that comes with the commit is told behind it.
        if let keys = event.encryptedKeys(ofType: recordType) { binding.encryptedKeys = keys }
        guard let next = try? subject.result(binding, on: event.after) else { return }
        step(after: event) { $0.become(next) }
    }

    /// Leads to the result of other records. When that fails, the earlier result stays.
    func run(_ binding: LiveBinding, on records: Snapshot) {
        guard let next = try? subject.result(binding, on: records) else { return }
        step { $0.become(next) }
        state.withLock { $0.binding = binding }
    }

    private func step(after event: CommitEvent, _ changes: (inout LiveResult) -> [QueryChange]) {
        // Commits that were staged together lead to one snapshot.
        if event.after.version > firstVersion { step(changes) }
    }

    private func step(_ changes: (inout LiveResult) -> [QueryChange]) {
        steps.update { waiting in
            state.withLock { state in
                waiting += changes(&state.result)
                if waiting.count > capacity { waiting = [.initial(state.result.records)] }
            }
        }
    }
}

extension SortKey {
    /// Whether other records may decide: those behind references, or all of them.
    var readsOtherRecords: Bool { followsReferences || isOfAllRecords }

    /// Whether records behind references decide.
    var followsReferences: Bool {
        if case .field(let name) = criterion { name.contains(".") } else { false }
    }

    /// Whether all records decide, those that do not match among them: rare words weigh more.
    var isOfAllRecords: Bool { criterion == .relevance }
}
