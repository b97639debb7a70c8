// Which records match, in what order: questions go to the query engine.

import Geospatial
import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel

extension RecordSet {
    /// The answer to one question, and how it was found.
    package struct Selection: Sendable {
        /// The matching records, in order.
        package var ordinals: [Int]
        /// The relevance of each, where the order asked for it.
        package var scores: [Double]?
        /// How many match in all; `nil` when finding them stopped at the limit.
        package var matched: Int?
        /// Records that the question was about.
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
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on one.
    package func select(
        _ predicate: RecordPredicate, variables: [String: FieldValue] = [:], sortedBy keys: [SortKey] = [],
        limit: Int? = nil
    ) throws(RecordPredicateError) -> Selection {
        try limited(predicate) { () throws(RecordPredicateError) in
            try selection(predicate, variables, keys, limit)
        }
    }

    private func selection(
        _ predicate: RecordPredicate, _ variables: [String: FieldValue], _ keys: [SortKey], _ limit: Int?
    ) throws(RecordPredicateError) -> Selection {
        let (bound, unknownFields) = try bind(predicate, variables: variables)
        let clock = ContinuousClock()
        let start = clock.now
        let query = plan(bound)
        try checkScan(query, of: predicate)
        let relevance = try relevance(of: query, for: keys, in: predicate)
        let answer = try located(in: predicate) { () throws(EvaluationError) -> Answer in
            try self.answer(query, relevance, sortedBy: keys, limit: limit)
        }
        return Selection(
            ordinals: answer.ordinals.map { Int($0) }, scores: answer.scores, matched: answer.matched, scannable: count,
            boundText: predicate.description,
            fieldNames: bound.fieldNames, unknownFields: count == 0 ? [] : unknownFields,
            order: Self.words(keys, limit), findTime: answer.found - start, sortTime: clock.now - answer.found)
    }

    /// The plan of a bound predicate over the records that questions are about.
    func plan(_ bound: BoundPredicate) -> TableQuery {
        TableQuery(
            bound, over: indexed, type: recordType, usage: indexUsage,
            context: limits.context(of: bound),
            threads: usesAllCores ? SegmentQuery.availableThreads : 1)
    }

    private var indexUsage: SegmentPlanner.IndexUsage {
        if !buildsIndexes { return .built }
        return declaredIndexes == .automatic ? .all : .declared(declaredIndexes)
    }

    /// What a query found.
    struct Answer {
        var ordinals: [UInt32]
        /// The relevance of each, where that was asked for.
        var scores: [Double]?
        var matched: Int?
        var found: ContinuousClock.Instant
    }

    /// The answers to a planned query, in order.
    ///
    /// - Parameter relevance: What `relevance(of:for:in:)` gives for these keys.
    func answer(
        _ query: TableQuery, _ relevance: QueryRelevance?, sortedBy keys: [SortKey], limit: Int?
    ) throws(EvaluationError) -> Answer {
        let clock = ContinuousClock()
        if let limit, keys.count == 1, let order = keys[0].rowOrder {
            if let positions = try query.positions(orderedBy: order, limit: limit) {
                try limits.check(resultBytes: 8 * positions.count)
                return Answer(
                    ordinals: positions, matched: positions.count < limit ? positions.count : nil, found: clock.now)
            }
            if query.parts.count > 1, let leading = try query.leadingPositions(orderedBy: order, limit: limit) {
                let found = clock.now
                try limits.check(resultBytes: 8 * min(leading.count, limit))
                let places = try self.order(leading, nil, by: keys, limit: limit)
                return Answer(ordinals: places.map { leading[$0] }, matched: nil, found: found)
            }
        }
        let positions = try query.positions()
        try limits.check(resultBytes: 8 * min(positions.count, limit ?? .max))
        let found = clock.now
        guard !keys.isEmpty else {
            return Answer(
                ordinals: limit.map { Array(positions.prefix($0)) } ?? positions, matched: positions.count, found: found
            )
        }
        let scores = relevance.map { query.scores(of: positions, by: $0) }
        let places = try order(positions, scores, by: keys, limit: limit)
        return Answer(
            ordinals: places.map { positions[$0] }, scores: scores.map { scores in places.map { scores[$0] } },
            matched: positions.count, found: found)
    }

    /// The places of the first positions in an order.
    private func order(
        _ positions: [UInt32], _ scores: [Double]?, by keys: [SortKey], limit: Int?
    ) throws(EvaluationError) -> [Int] {
        if keys.count == 1, case .relevance = keys[0].criterion, let scores {
            return RelevanceOrder.leading(limit ?? scores.count, of: scores, isAscending: keys[0].isAscending)
        }
        var selection = OrderedSelection(keys: keys, limit: limit) { criterion, place in
            if case .relevance = criterion { return scores.map { .double($0[place]) } ?? .null }
            return value(of: criterion, at: Int(positions[place]))
        }
        for place in positions.indices { try selection.append(place) }
        return try selection.ordinals()
    }

    /// Does work on a predicate within the time that a question may take.
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

// MARK: Public questions

extension RecordSet {
    /// The records that match, in order.
    ///
    /// - Parameters:
    ///   - predicate: What they must satisfy.
    ///   - variables: Values of the predicate's `$variables`, by name without the dollar sign.
    ///   - keys: The order; none for the order of loading.
    ///   - limit: At most so many, the first in that order.
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on one.
    /// - Complexity: That of the plan: logarithmic for what indexes answer, linear for what they do not; and
    ///   O(matches · log(limit)) for an order.
    public func records(
        matching predicate: RecordPredicate, variables: [String: FieldValue] = [:], sortedBy keys: [SortKey] = [],
        limit: Int? = nil
    ) throws(RecordPredicateError) -> [Record] {
        try limited(predicate) { () throws(RecordPredicateError) in
            let ordinals = try select(predicate, variables: variables, sortedBy: keys, limit: limit).ordinals
            return try located(in: predicate) { () throws(EvaluationError) in try records(at: ordinals) }
        }
    }

    /// The ordinals of the records that match, in order; `record(at:)` gives a record when it is wanted.
    ///
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on one.
    public func ordinals(
        matching predicate: RecordPredicate, variables: [String: FieldValue] = [:], sortedBy keys: [SortKey] = [],
        limit: Int? = nil
    ) throws(RecordPredicateError) -> [Int] {
        try select(predicate, variables: variables, sortedBy: keys, limit: limit).ordinals
    }

    /// How many records match, without listing them where an index knows.
    ///
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on one.
    public func count(
        matching predicate: RecordPredicate, variables: [String: FieldValue] = [:]
    ) throws(RecordPredicateError) -> Int {
        try limited(predicate) { () throws(RecordPredicateError) in
            let query = plan(try bind(predicate, variables: variables).0)
            try checkScan(query, of: predicate)
            return try located(in: predicate) { () throws(EvaluationError) -> Int in try query.count() }
        }
    }
}
