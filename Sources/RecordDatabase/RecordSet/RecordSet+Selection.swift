// Which records match, in what order: a scan through the per-record evaluator.
//
// This is the one place where a question meets the records; whatever finds them faster takes the place of `scan`.

import Geospatial
import PredicateSemantics
import RecordColumns
import RecordModel

extension RecordSet {
    /// The answer to one question, and how it was found.
    package struct Selection: Sendable {
        /// The matching records, in order.
        package var ordinals: [Int]
        /// How many match in all; `nil` when the scan ended at the limit.
        package var matched: Int?
        /// Records that the predicate was evaluated on.
        package var scanned: Int
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
        package var scanTime: Duration
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
        let (bound, unknownFields) = try bind(predicate, variables: variables)
        let clock = ContinuousClock()
        let start = clock.now
        var scanned = 0
        // Without an order the first matches are the answer.
        let enough = keys.isEmpty ? limit ?? Int.max : Int.max
        var ordinals = try scan(bound, of: predicate, upTo: enough, scanned: &scanned)
        let found = clock.now
        let matched = scanned == count ? ordinals.count : nil
        if !keys.isEmpty {
            var selection = OrderedSelection(keys: keys, limit: limit) { value(of: $0, at: $1) }
            for ordinal in ordinals { selection.append(ordinal) }
            ordinals = selection.ordinals()
        }
        return Selection(
            ordinals: ordinals, matched: matched, scanned: scanned, scannable: count,
            boundText: predicate.description, fieldNames: bound.fieldNames,
            unknownFields: count == 0 ? [] : unknownFields, order: Self.words(keys, limit),
            scanTime: found - start, sortTime: clock.now - found)
    }

    private func scan(
        _ bound: BoundPredicate, of predicate: RecordPredicate, upTo limit: Int, scanned: inout Int
    ) throws(RecordPredicateError) -> [Int] {
        if limit == 0 { return [] }
        let segments = table.segments.map { SegmentRows($0, of: table, names: bound.fieldNames) }
        let context = EvaluationContext.current()
        var matching: [Int] = []
        for index in 0..<count {
            let ordinal = candidates?[index] ?? index
            let address = table.address(ordinal)
            let source = RowSource(rows: segments[address.segment], row: address.row)
            scanned += 1
            do throws(EvaluationError) {
                if try bound.evaluate(on: source, context: context) {
                    matching.append(ordinal)
                    if matching.count == limit { return matching }
                }
            } catch {
                throw RecordPredicateError(error, in: predicate.text)
            }
        }
        return matching
    }

    private static func words(_ keys: [SortKey], _ limit: Int?) -> String? {
        if keys.isEmpty { return nil }
        let names = keys.map { key in
            let name =
                switch key.criterion {
                case .field(let name): name
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
    /// - Complexity: O(count), and O(matches · log(limit)) for an order.
    public func records(
        matching predicate: RecordPredicate, variables: [String: FieldValue] = [:], sortedBy keys: [SortKey] = [],
        limit: Int? = nil
    ) throws(RecordPredicateError) -> [Record] {
        try select(predicate, variables: variables, sortedBy: keys, limit: limit).ordinals.map { table.record($0) }
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

    /// How many records match.
    ///
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on one.
    public func count(
        matching predicate: RecordPredicate, variables: [String: FieldValue] = [:]
    ) throws(RecordPredicateError) -> Int {
        try select(predicate, variables: variables).ordinals.count
    }
}
