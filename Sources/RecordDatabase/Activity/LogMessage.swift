// What a container tells a log.

public import RecordModel
import Synchronization

/// Something that a container did, for whoever keeps a log: `Configuration.log` is given it.
///
/// No message holds a value of a record, or of a predicate's arguments.
public struct LogMessage: Sendable, CustomStringConvertible {
    /// How much a message matters.
    public enum Level: Int, Hashable, Sendable, Codable, CaseIterable, Comparable {
        /// What helps to find a fault.
        case debug
        /// What happens as usual.
        case info
        /// What may need attention.
        case warning
        /// What failed.
        case error

        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    /// What happened.
    public enum Event: Sendable {
        /// The state of a store was written, which took so long.
        case checkpoint(Duration)
        /// The state of a store could not be written. Changes are safe in the log, which grows until it can.
        case checkpointFailed(DatabaseError)
        /// A migration of that name was made, which took so long.
        case migration(String, Duration)
        /// A query took longer than `Configuration.slowQueryTime`.
        case slowQuery(SlowQuery)
    }

    /// How much the message matters.
    public let level: Level
    /// What happened.
    public let event: Event

    init(_ level: Level, _ event: Event) { (self.level, self.event) = (level, event) }

    /// The event in one line.
    public var description: String {
        switch event {
        case .checkpoint(let time): "checkpoint in \(time.text)"
        case .checkpointFailed(let error): "checkpoint failed: \(error)"
        case .migration(let name, let time): "migration '\(name)' in \(time.text)"
        case .slowQuery(let query): "\(query)"
        }
    }
}

/// A query that took long.
public struct SlowQuery: Sendable, CustomStringConvertible {
    /// The type of the records looked for.
    public let recordType: String
    /// The predicate's text, with placeholders for its arguments.
    public let predicate: String
    /// The time from the start of the query to its result.
    public let duration: Duration
    /// How many records were found; 0 for a query that failed.
    public let found: Int
    private let query: Query
    private let snapshot: DatabaseSnapshot

    init(_ query: Query, _ duration: Duration, found: Int, on snapshot: DatabaseSnapshot) {
        (self.query, self.duration, self.found, self.snapshot) = (query, duration, found, snapshot)
        (recordType, predicate) = (query.recordType, query.predicate.text)
    }

    /// Type, predicate, time and number of records, in one line.
    public var description: String { "slow query on \(recordType), \(duration.text), \(found) found: \(predicate)" }

    /// The plan of the query, and the indexes that would help. Runs the predicate once more, on the same records.
    ///
    /// - Throws: `RecordPredicateError` and `DatabaseError` as the query itself would.
    public func explanation() throws -> QueryExplanation {
        try snapshot.records(ofType: recordType).explain(query.predicate)
    }
}

/// The logs of a store's clients. May be used from any thread.
final class StoreLog: Sendable {
    typealias Handler = @Sendable (LogMessage) -> Void

    private let handlers = Mutex<[Int: Handler]>([:])

    func add(_ handler: @escaping Handler, of client: Int) { handlers.withLock { $0[client] = handler } }
    func remove(_ client: Int) { handlers.withLock { $0[client] = nil } }

    func write(_ level: LogMessage.Level, _ event: LogMessage.Event) {
        let handlers = handlers.withLock { Array($0.values) }
        for handler in handlers { handler(LogMessage(level, event)) }
    }
}
