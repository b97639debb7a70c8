// A query that is run again and again.

import FoundationEssentials
import PredicateSemantics
import QueryExecution
public import RecordModel

/// A predicate bound to a record set and planned, to be run many times.
///
/// Plan and lookups are made once, when the predicate has no open `$variables`. Else each run puts the values in their
/// places and looks them up: directly where all conditions are about one indexed field, which takes half a microsecond,
/// and by a plan for anything else, which takes a few.
public struct PreparedQuery: Sendable {
    private let set: RecordSet
    private let predicate: RecordPredicate
    private let binder: Binder
    private let planned: (query: SnapshotQuery, relevance: QueryRelevance?)?
    private let template: PredicateTemplate?
    /// The lookups of a predicate about one indexed field, and where its values come from.
    private let lookup: (field: FieldLookup, slots: [SlotSource])?
    private let keys: [SortKey]
    private let window: ResultWindow

    init(
        _ predicate: RecordPredicate, sortedBy keys: [SortKey], _ window: ResultWindow, over set: RecordSet
    ) throws(RecordPredicateError) {
        self.set = set
        self.predicate = predicate
        self.keys = keys
        self.window = window
        binder = try set.binder(for: predicate, variables: [:]).0
        let bound = try binder.bind(predicate, variables: [:])
        try set.check(keys)
        // `now()` and chance are evaluated when the query runs.
        template = PredicateTemplate(bound, binder: binder)
        if bound.openVariables.isEmpty, !bound.usesContext {
            let query = set.plan(bound)
            try set.checkScan(query, of: predicate)
            planned = (query, try set.relevance(of: query, for: keys, in: predicate))
        } else {
            planned = nil
        }
        lookup = planned == nil ? set.lookup(of: predicate) : nil
    }

    private func run<Result>(
        _ variables: [String: FieldValue], ordered: Bool,
        _ body: (SnapshotQuery, QueryRelevance?) throws(EvaluationError) -> Result
    ) throws(RecordPredicateError) -> Result {
        try set.limited(predicate) { () throws(RecordPredicateError) in
            try evaluate(variables, ordered: ordered, body)
        }
    }

    private func evaluate<Result>(
        _ variables: [String: FieldValue], ordered: Bool,
        _ body: (SnapshotQuery, QueryRelevance?) throws(EvaluationError) -> Result
    ) throws(RecordPredicateError) -> Result {
        let query: SnapshotQuery
        let relevance: QueryRelevance?
        if let planned {
            (query, relevance) = planned
        } else {
            if let filled = set.filled(predicate, variables) {
                query = set.plan(filled)
            } else {
                query = set.plan(try bound(variables))
            }
            try set.checkScan(query, of: predicate)
            relevance = try set.relevance(of: query, for: ordered ? keys : [], in: predicate)
        }
        return try set.located(in: predicate) { () throws(EvaluationError) in try body(query, relevance) }
    }

    private func bound(_ variables: [String: FieldValue]) throws(RecordPredicateError) -> BoundPredicate {
        do throws(BindingError) {
            if let filled = try template?.bound(variables) { return filled }
        } catch {
            throw RecordPredicateError(error, in: predicate.text)
        }
        // The moment of the query: a constant, which indexes know.
        var binder = binder
        binder.settings.now = Date()
        return try binder.bind(predicate, variables: variables)
    }

    /// How many records match, without regard to limit and offset.
    /// - Throws: `RecordPredicateError` when a variable has no value or the predicate cannot be evaluated on a record.
    public func count(_ variables: [String: FieldValue] = [:]) throws(RecordPredicateError) -> Int {
        if let lookup, !Task.isCancelled,
            let count = lookup.field.count({ predicate.value(of: lookup.slots[$0], variables) })
        {
            return count
        }
        return try run(variables, ordered: false) { (query, _) throws(EvaluationError) -> Int in try query.count() }
    }

    /// The ordinals of the records that match, in order.
    /// - Throws: `RecordPredicateError` as `count`.
    public func ordinals(_ variables: [String: FieldValue] = [:]) throws(RecordPredicateError) -> [UInt32] {
        if let lookup, keys.isEmpty, window.isWhole, !Task.isCancelled,
            let numbers = lookup.field.numbers({ predicate.value(of: lookup.slots[$0], variables) })
        {
            return numbers
        }
        return try run(variables, ordered: true) { (query, relevance) throws(EvaluationError) -> [UInt32] in
            try set.matches(query, relevance, sortedBy: keys, window).ordinals
        }
    }

    /// The records that match, in order.
    /// - Throws: `RecordPredicateError` as `count`.
    public func records(_ variables: [String: FieldValue] = [:]) throws(RecordPredicateError) -> [Record] {
        try run(variables, ordered: true) { (query, relevance) throws(EvaluationError) -> [Record] in
            try set.records(at: set.ordered(query, relevance, sortedBy: keys, window).rows)
        }
    }
}

extension RecordSet {
    /// Binds and plans a predicate, to be run many times.
    ///
    /// - Parameters:
    ///   - predicate: What the records must satisfy.
    ///   - keys: The order of the results; none for the order of loading.
    ///   - limit: At most so many, the first in that order.
    ///   - offset: How many of the first are left out.
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields, or indexes that are
    ///   missing take longer to build than a query may run.
    public func prepare(
        _ predicate: RecordPredicate, sortedBy keys: [SortKey] = [], limit: Int? = nil, offset: Int = 0
    ) throws(RecordPredicateError) -> PreparedQuery {
        try limited(predicate) { () throws(RecordPredicateError) in
            try PreparedQuery(predicate, sortedBy: keys, ResultWindow(limit: limit, offset: offset), over: self)
        }
    }
}
