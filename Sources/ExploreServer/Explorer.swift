// The records that pages look at, and the results that they turn pages in.

import PredicateEditing
import QueryExecution
package import RecordDatabase
import Synchronization

/// What a query found, kept so that any of its rows can be shown.
struct StoredResult: Sendable {
    var id: String
    var query: PageQuery
    /// The records that match.
    var rows: MatchingRows
    /// Their ordinals in the order of the query: all of them, or the first of a sorted result.
    var ordinals: [UInt32]
}

/// One state of the records.
struct ExploredState: Sendable {
    var records: RecordSet
    /// Counts the states.
    var version: Int
    let completer: PredicateCompleter

    init(_ records: RecordSet, version: Int, limits: QueryLimits) {
        (self.records, self.version) = (records, version)
        self.records.limits = limits
        // While one types, a name that no record has is a slip to be told of, and no error.
        self.records.allowsUnknownFields = true
        completer = PredicateCompleter(for: records)
    }

    /// The records that a query is about.
    func records(for query: PageQuery) -> RecordSet { query.type.map { records.ofType($0) } ?? records }
}

/// Replies to pages, each from one state of the records.
final class Explorer: Sendable {
    /// So many results are kept, so many of their bytes at most.
    static let mostResults = 8
    static let mostResultBytes = 64 << 20
    /// So many of the first records of a sorted result are there at once.
    static let firstSorted = 10_000
    /// So many bins a histogram has at most.
    static let bins = 60

    private struct State {
        var current: ExploredState
        var results: [StoredResult] = []
        var lastResult = 0
        /// The spreads of fields over all records of a version, by type and field.
        var spreads: [[String?]: Histogram] = [:]
        var hasBeenCalled = false
        var firstCall: (@Sendable () -> Void)?
    }

    let source: ExploredRecords
    let limits: QueryLimits
    /// Translates predicates for programs, by the name of a language.
    let translations: [PageTranslation]
    /// The folder that the page's files are read from; `nil` for those in the program.
    let page: String?
    private let state: Mutex<State>
    let tickets = ExportTickets()
    let listeners = Listeners()

    init(_ source: ExploredRecords, _ records: RecordSet, _ options: ExploreServer.Options) {
        (self.source, limits, translations) = (source, options.limits, options.translations)
        page = options.page
        state = Mutex(State(current: ExploredState(records, version: 1, limits: limits)))
    }

    /// The records as they are now.
    var current: ExploredState { state.withLock { $0.current } }

    /// Puts new records in the place of the old ones; results of those are forgotten.
    func replace(_ records: RecordSet) -> ExploredState {
        state.withLock { state in
            state.current = ExploredState(records, version: state.current.version + 1, limits: limits)
            (state.results, state.spreads) = ([], [:])
            return state.current
        }
    }

    // MARK: The first call

    /// Keeps what is to be done at the first call; at once where there was one.
    func onFirstCall(_ body: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.hasBeenCalled { state.firstCall = body }
            return state.hasBeenCalled
        }
        if isLate { body() }
    }

    /// Notes a request that had the key.
    func noteCall() {
        let body = state.withLock { state -> (@Sendable () -> Void)? in
            if state.hasBeenCalled { return nil }
            state.hasBeenCalled = true
            defer { state.firstCall = nil }
            return state.firstCall
        }
        body?()
    }

    // MARK: Results

    /// Keeps a result.
    /// - Returns: Its name; `nil` when the records were replaced meanwhile.
    func keep(_ query: PageQuery, _ rows: MatchingRows, _ ordinals: [UInt32], version: Int) -> String? {
        state.withLock { state in
            guard version == state.current.version else { return nil }
            state.lastResult += 1
            let id = "\(version).\(state.lastResult)"
            state.results.append(StoredResult(id: id, query: query, rows: rows, ordinals: ordinals))
            func bytes() -> Int { state.results.reduce(0) { $0 + 4 * ($1.ordinals.count + $1.rows.count) } }
            while state.results.count > 1, state.results.count > Self.mostResults || bytes() > Self.mostResultBytes {
                state.results.removeFirst()
            }
            return id
        }
    }

    /// A result that is still kept, with its records.
    func result(_ id: String) -> (StoredResult, ExploredState)? {
        state.withLock { state in
            guard let index = state.results.firstIndex(where: { $0.id == id }) else { return nil }
            // What is used last goes last.
            let result = state.results.remove(at: index)
            state.results.append(result)
            return (result, state.current)
        }
    }

    /// Keeps all of a result's ordinals in order.
    func complete(_ id: String, _ ordinals: [UInt32]) {
        state.withLock { state in
            guard let index = state.results.firstIndex(where: { $0.id == id }) else { return }
            state.results[index].ordinals = ordinals
        }
    }

    // MARK: Spreads

    /// How a field is spread over all records; counted once a version.
    /// - Throws: `RecordPredicateError` as `RecordSet.histogram(of:)`.
    func spread(of field: String, type: String?, in known: ExploredState) throws(RecordPredicateError) -> Histogram {
        let key = [type, field]
        if let spread = state.withLock({ $0.current.version == known.version ? $0.spreads[key] : nil }) {
            return spread
        }
        let records = type.map { known.records.ofType($0) } ?? known.records
        var spread = try records.histogram(of: field, bins: Self.bins)
        // Of few whole numbers each has a bin of its own.
        let length = spread.range.upperBound - spread.range.lowerBound
        if records.fields.type(of: field) == .int64, length < Double(Self.bins - 1) {
            spread = try records.histogram(of: field, bins: Int(length) + 1)
        }
        state.withLock { if $0.current.version == known.version { $0.spreads[key] = spread } }
        return spread
    }
}

/// A language for programs that predicates can be copied in.
package struct PageTranslation: Sendable {
    /// What the page calls it.
    package var name: String
    /// The text in that language, or why there is none.
    package var text: Text

    /// Translates a predicate over some records.
    package typealias Text =
        @Sendable (_ predicate: String, _ variables: [String: FieldValue], _ records: RecordSet) -> Result<
            String, Failure
        >

    /// Why a predicate has no counterpart.
    package struct Failure: Error, Sendable {
        package var message: String

        package init(_ message: String) { self.message = message }
    }

    package init(_ name: String, _ text: @escaping Text) { (self.name, self.text) = (name, text) }
}
