// A question that is asked again and again.

import PredicateSemantics
import QueryExecution
public import RecordModel

/// A predicate bound to a record set and planned, to be run many times.
///
/// Plan and lookups are made once, when the predicate has no open `$variables`; else they are made anew for each set of
/// values, which takes microseconds.
public struct PreparedQuery: Sendable {
    private let set: RecordSet
    private let predicate: RecordPredicate
    private let planned: TableQuery?

    init(_ predicate: RecordPredicate, over set: RecordSet) throws(RecordPredicateError) {
        self.set = set
        self.predicate = predicate
        let bound = try set.bind(predicate, variables: [:]).0
        // `now()` and chance are asked when the query runs.
        planned = bound.openVariables.isEmpty && !bound.usesContext ? set.plan(bound) : nil
    }

    private func query(_ variables: [String: FieldValue]) throws(RecordPredicateError) -> TableQuery {
        if let planned { return planned }
        return set.plan(try set.bind(predicate, variables: variables).0)
    }

    /// How many records match.
    /// - Throws: `RecordPredicateError` when a variable has no value or the predicate cannot be evaluated on a record.
    public func count(_ variables: [String: FieldValue] = [:]) throws(RecordPredicateError) -> Int {
        let query = try query(variables)
        return try set.located(in: predicate) { () throws(EvaluationError) -> Int in try query.count() }
    }

    /// The ordinals of the records that match, ascending.
    /// - Throws: `RecordPredicateError` as `count`.
    public func ordinals(_ variables: [String: FieldValue] = [:]) throws(RecordPredicateError) -> [UInt32] {
        let query = try query(variables)
        return try set.located(in: predicate) { () throws(EvaluationError) -> [UInt32] in try query.positions() }
    }

    /// The records that match, in order of loading.
    /// - Throws: `RecordPredicateError` as `count`.
    public func records(_ variables: [String: FieldValue] = [:]) throws(RecordPredicateError) -> [Record] {
        try ordinals(variables).compactMap { set.record(at: Int($0)) }
    }
}

extension RecordSet {
    /// Binds and plans a predicate, to be run many times.
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields.
    public func prepare(_ predicate: RecordPredicate) throws(RecordPredicateError) -> PreparedQuery {
        try PreparedQuery(predicate, over: self)
    }
}
