// Which records match, in what order: queries go to the query engine.

import Geospatial
import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore

extension RecordSet {
    /// The result of one query, and how it was found.
    package struct Selection: Sendable {
        /// The matching records, in order.
        package var ordinals: [Int]
        /// The relevance of each, where the order needs it.
        package var scores: [Double]?
        /// How many match in all; `nil` when finding them stopped at the limit.
        package var matched: Int?
        /// Records that the query was about.
        package var scannable: Int
        /// The predicate as it was evaluated, canonical text.
        package var boundText: String
        /// The fields it reads.
        package var fieldNames: [String]
        /// Fields it names that no record has.
        package var unknownFields: [UnknownField]
        /// The order, in words; `nil` for the order of loading.
        package var order: String?
        package var findTime: Duration
        package var sortTime: Duration
    }

    /// Finds the matching records.
    ///
    /// - Parameters:
    ///   - variables: Values of the predicate's `$variables`.
    ///   - keys: The order; none for the order of loading.
    ///   - limit: At most so many, the first in that order.
    ///   - offset: How many of the first are left out.
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on
    ///   one.
    package func select(
        _ predicate: RecordPredicate, variables: [String: FieldValue] = [:], sortedBy keys: [SortKey] = [],
        limit: Int? = nil, offset: Int = 0
    ) throws(RecordPredicateError) -> Selection {
        try limited(predicate) { () throws(RecordPredicateError) in
            try selection(predicate, variables, keys, ResultWindow(limit: limit, offset: offset))
        }
    }

    private func selection(
        _ predicate: RecordPredicate, _ variables: [String: FieldValue], _ keys: [SortKey], _ window: ResultWindow
    ) throws(RecordPredicateError) -> Selection {
        let clock = ContinuousClock()
        let start = clock.now
        let (query, fieldNames, unknownFields) = try planned(predicate, variables)
        let relevance = try checked(query, of: predicate, sortedBy: keys)
        let matches = try located(in: predicate) { () throws(EvaluationError) -> Matches in
            try self.matches(query, relevance, sortedBy: keys, window)
        }
        return Selection(
            ordinals: matches.ordinals.map { Int($0) }, scores: matches.scores, matched: matches.matched,
            scannable: count,
            boundText: predicate.description,
            fieldNames: fieldNames, unknownFields: count == 0 ? [] : unknownFields,
            order: Self.words(keys, window.end), findTime: matches.found - start, sortTime: clock.now - matches.found)
    }

    /// What an order by relevance needs of a query that may run, in that order.
    private func checked(
        _ query: SnapshotQuery, of predicate: RecordPredicate, sortedBy keys: [SortKey]
    ) throws(RecordPredicateError) -> QueryRelevance? {
        try check(keys)
        try checkScan(query, of: predicate)
        return try relevance(of: query, for: keys, in: predicate)
    }

    /// The rows that match, in order. Ordinals of them would be numbers among all records, which a snapshot that
    /// nobody has seen yet has to count first.
    func rows(
        matching predicate: RecordPredicate, _ variables: [String: FieldValue] = [:], sortedBy keys: [SortKey] = [],
        _ window: ResultWindow = ResultWindow()
    ) throws(RecordPredicateError) -> [SnapshotRow] {
        let query = try planned(predicate, variables).query
        let relevance = try checked(query, of: predicate, sortedBy: keys)
        return try located(in: predicate) { () throws(EvaluationError) in
            try ordered(query, relevance, sortedBy: keys, window).rows
        }
    }

    /// The plan of a predicate: by its template, where its values suit that, else bound by itself.
    private func planned(
        _ predicate: RecordPredicate, _ variables: [String: FieldValue]
    ) throws(RecordPredicateError) -> (query: SnapshotQuery, fieldNames: [String], unknownFields: [UnknownField]) {
        if let filled = filled(predicate, variables) { return (plan(filled), filled.template.fieldNames, []) }
        let (bound, unknown) = try bind(predicate, variables: variables)
        return (plan(bound), bound.fieldNames, unknown)
    }

    /// The plan of a predicate that may run.
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields, or may not read them all.
    func query(
        for predicate: RecordPredicate, variables: [String: FieldValue]
    ) throws(RecordPredicateError) -> SnapshotQuery {
        let query = try planned(predicate, variables).query
        try checkScan(query, of: predicate)
        return query
    }

    /// The predicate's template with values; `nil` where it has none that takes them, or it names fields that no record
    /// has, or where a rejected scan is to name the part of the predicate that it is for.
    func filled(_ predicate: RecordPredicate, _ variables: [String: FieldValue]) -> FilledTemplate? {
        guard !refusesScans, let (shape, values) = predicate.shape(variables) else { return nil }
        return templates.filled(shape, values, in: FixedFields()) {
            Binder(schema: mergedSchema, settings: binderSettings)
        }
    }

    /// The direct lookups of a predicate about one indexed field; `nil` where there are none, and where queries are
    /// limited in time or memory, which lookups do not check.
    func lookup(of predicate: RecordPredicate) -> (field: FieldLookup, slots: [SlotSource])? {
        guard limits.time == nil, limits.resultBytes == nil, let (shape, slots) = predicate.slottedShape,
            let template = templates.template(
                shape, in: FixedFields(), binder: { Binder(schema: mergedSchema, settings: binderSettings) }),
            let field = FieldLookup(template, over: snapshot, type: recordType, usage: indexUsage)
        else { return nil }
        return (field, slots)
    }

    /// The plan of a template with values over the records that queries are about.
    func plan(_ filled: FilledTemplate) -> SnapshotQuery {
        SnapshotQuery(
            .template(filled), over: snapshot, type: recordType, settings: settings(limits.contextWithoutMoment))
    }

    /// The plan of a bound predicate over the records that are queried.
    func plan(_ bound: BoundPredicate) -> SnapshotQuery {
        SnapshotQuery(
            bound, over: snapshot, type: recordType, settings: settings(limits.context(of: bound)))
    }

    private func settings(_ context: EvaluationContext) -> SnapshotQuery.Settings {
        SnapshotQuery.Settings(
            usage: indexUsage, context: context, threads: usesAllCores ? SegmentQuery.availableThreads : 1)
    }

    private var indexUsage: SegmentPlanner.IndexUsage {
        if !buildsIndexes { return .built }
        return declaredIndexes == .automatic ? .all : .declared(declaredIndexes)
    }

    /// What a query found.
    struct Matches {
        var ordinals: [UInt32]
        /// The relevance of each, where that was requested.
        var scores: [Double]?
        var matched: Int?
        var found: ContinuousClock.Instant
    }

    /// The results of a planned query, in order.
    ///
    /// - Parameter relevance: What `relevance(of:for:in:)` gives for these keys.
    func matches(
        _ query: SnapshotQuery, _ relevance: QueryRelevance?, sortedBy keys: [SortKey], _ window: ResultWindow
    ) throws(EvaluationError) -> Matches {
        if keys.isEmpty {
            var ordinals = try query.numbers()
            let matched = ordinals.count
            try limits.check(resultBytes: 8 * min(matched, window.end ?? .max))
            window.cut(&ordinals)
            return Matches(ordinals: ordinals, matched: matched, found: .now)
        }
        let ordered = try ordered(query, relevance, sortedBy: keys, window)
        return Matches(
            ordinals: snapshot.numbers(of: ordered.rows), scores: ordered.scores, matched: ordered.matched,
            found: ordered.found)
    }

    /// The rows of a planned query, in order.
    ///
    /// - Parameter relevance: As for `matches`.
    func ordered(
        _ query: SnapshotQuery, _ relevance: QueryRelevance?, sortedBy keys: [SortKey], _ window: ResultWindow
    ) throws(EvaluationError) -> OrderedRows {
        var ordered = try query.ordered(by: keys, limit: window.end, relevance: relevance)
        try limits.check(resultBytes: 8 * ordered.rows.count)
        window.cut(&ordered.rows)
        if var scores = ordered.scores {
            window.cut(&scores)
            ordered.scores = scores
        }
        return ordered
    }

    /// Does work on a predicate within the time that a query may take.
    func limited<Result>(
        _ predicate: RecordPredicate, _ body: () throws(RecordPredicateError) -> Result
    ) throws(RecordPredicateError) -> Result {
        try QueryDeadline.run(
            within: limits.time, failure: { RecordPredicateError($0, in: predicate.text) }, body)
    }

    /// Gives errors of records the predicate's text.
    func located<Result>(
        in predicate: RecordPredicate, _ body: () throws(EvaluationError) -> Result
    ) throws(RecordPredicateError) -> Result {
        do throws(EvaluationError) {
            // What was done before may have taken all the time.
            try QueryDeadline.watch.check()
            return try body()
        } catch {
            throw RecordPredicateError(error, in: predicate.text)
        }
    }

    private static func words(_ keys: [SortKey], _ limit: Int?) -> String? {
        if keys.isEmpty { return nil }
        let names = keys.map { key in
            let name =
                switch key.criterion {
                case .field(let name): name
                case .recordName: "recordName"
                case .relevance: "relevance"
                case .distance(let name, let place): "distance(\(name), \(place.latitude), \(place.longitude))"
                }
            return name + (key.isAscending ? " ascending" : " descending")
        }
        return names.joined(separator: ", ") + (limit.map { ", best \($0) held" } ?? ", all sorted")
    }
}

// MARK: Public API

extension RecordSet {
    /// The records that match, in order.
    ///
    /// - Parameters:
    ///   - predicate: What they must satisfy.
    ///   - variables: Values of the predicate's `$variables`, by name without the dollar sign.
    ///   - keys: The order; none for the order of loading.
    ///   - limit: At most so many, the first in that order.
    ///   - offset: How many of the first are left out.
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on
    ///   one.
    /// - Complexity: That of the plan: logarithmic with an index, linear without; and
    ///   O(matches · log(limit)) for an order.
    public func records(
        matching predicate: RecordPredicate, variables: [String: FieldValue] = [:], sortedBy keys: [SortKey] = [],
        limit: Int? = nil, offset: Int = 0
    ) throws(RecordPredicateError) -> [Record] {
        try limited(predicate) { () throws(RecordPredicateError) in
            let rows = try rows(
                matching: predicate, variables, sortedBy: keys, ResultWindow(limit: limit, offset: offset))
            return try located(in: predicate) { () throws(EvaluationError) in try records(at: rows) }
        }
    }

    /// The identifiers of the records that match, in the order of loading.
    /// - Throws: `RecordPredicateError` as `ordinals`.
    func identifiers(matching predicate: RecordPredicate) throws(RecordPredicateError) -> [Record.ID] {
        try limited(predicate) { () throws(RecordPredicateError) in
            try rows(matching: predicate).map { snapshot.segments[$0.segment].segment.recordID($0.row) }
        }
    }

    /// The ordinals of the records that match, in order; `record(at:)` gives a record when it is wanted.
    ///
    /// Of a database's records, the first ordinals of a moment cost O(records) more: they are numbers among all.
    ///
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on
    ///   one.
    public func ordinals(
        matching predicate: RecordPredicate, variables: [String: FieldValue] = [:], sortedBy keys: [SortKey] = [],
        limit: Int? = nil, offset: Int = 0
    ) throws(RecordPredicateError) -> [Int] {
        try select(predicate, variables: variables, sortedBy: keys, limit: limit, offset: offset).ordinals
    }

    /// How many records match, without listing them where an index knows.
    ///
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on
    ///   one.
    public func count(
        matching predicate: RecordPredicate, variables: [String: FieldValue] = [:]
    ) throws(RecordPredicateError) -> Int {
        try limited(predicate) { () throws(RecordPredicateError) in
            let query = try query(for: predicate, variables: variables)
            return try located(in: predicate) { () throws(EvaluationError) -> Int in try query.count() }
        }
    }
}
