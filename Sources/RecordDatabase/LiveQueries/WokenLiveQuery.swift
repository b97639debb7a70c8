// Live queries that run again when they are woken: of databases that tell that something changed, and not what.

import RecordModel
import RecordStore
import Synchronization

extension RunningQuery {
    /// A live query that runs again after commits that may concern it.
    ///
    /// - Parameters:
    ///   - pause: The time between two times that it runs, in microseconds.
    ///   - rows: What the query is bound to, given what it was bound to before, and the records that it may find; `nil`
    ///     when the caller may read nothing.
    init?(
        _ subject: LiveSubject, pause: UInt32, watching database: some DatabaseStoring,
        _ rows: @escaping WokenLiveQuery.Rows
    ) throws(DatabaseError) {
        guard let (binding, records) = try rows(nil) else { return nil }
        let live = try LiveQuery(subject, binding, on: records)
        let runner = WokenLiveQuery(live, pause: pause, rows)
        let end = database.watch { runner.wake() }
        // For nothing most of the time: no commit in between is missed.
        runner.wake()
        self.init(
            query: live, refresh: { () throws(DatabaseError) in try runner.refresh() },
            end: {
                runner.end()
                end()
            })
    }
}

/// Runs a live query again when it is woken, on a thread of its own.
final class WokenLiveQuery: Sendable {
    typealias Rows =
        @Sendable (_ known: LiveBinding?) throws(DatabaseError) -> (binding: LiveBinding, records: Snapshot)?

    private let query: LiveQuery
    private let rows: Rows
    private let work: WokenWork
    /// Held while the query runs, so that no result comes before an earlier one.
    private let turn = Mutex<Void>(())

    init(_ query: LiveQuery, pause: UInt32, _ rows: @escaping Rows) {
        (self.query, self.rows) = (query, rows)
        work = WokenWork(pause: pause)
    }

    func wake() { work.wake { [self] in run() } }

    func end() { work.end() }

    private func run() -> WokenWork.Outcome {
        do throws(DatabaseError) {
            try refresh()
            return .done
        } catch {
            // Until the server can be reached again, the earlier result stays.
            if error.isOfServer { return .again }
            query.fail(error)
            return .over
        }
    }

    /// Leads to the result by now.
    /// - Throws: `DatabaseError` where it cannot be had, and for a query that does not suit its type any more.
    func refresh() throws(DatabaseError) {
        try turn.withLock { _ throws(DatabaseError) in
            guard let (binding, records) = try rows(query.binding) else { return query.endEmpty() }
            query.run(binding, on: records)
        }
    }
}
