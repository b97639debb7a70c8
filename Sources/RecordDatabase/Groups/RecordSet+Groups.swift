// Facets and groups of records: counts, sums and other figures by the values of fields.

public import PredicateSemantics
import PredicateSyntax
package import QueryExecution
public import RecordModel

extension RecordSet {
    /// The most frequent values of a field among the records that match, with their counts.
    ///
    /// Of a list field the elements are counted, each once a record. Values are one where they are equal as keys of
    /// ``group(by:where:variables:_:sortedBy:limit:)``.
    ///
    /// - Parameters:
    ///   - field: A name as in sort keys: of a field, a part of the record such as `recordType`, or a path `a.b`.
    ///   - predicate: What the records must satisfy; `nil` for all of them.
    ///   - variables: Values of the predicate's `$variables`, by name without the dollar sign.
    ///   - limit: At most so many values.
    /// - Throws: `RecordPredicateError` when no record has the field, the predicate does not fit the records' fields or
    ///   cannot be evaluated on one, or the query exceeds `limits`.
    /// - Complexity: That of the plan, and O(matches + distinct · log(distinct)).
    public func facets(
        _ field: String, where predicate: RecordPredicate? = nil, variables: [String: FieldValue] = [:],
        limit: Int = 10
    ) throws(RecordPredicateError) -> Facets {
        let predicate = predicate ?? "TRUEPREDICATE"
        return try limited(predicate) { () throws(RecordPredicateError) in
            try checkKnown([.field(field)])
            let rows = try matchingRows(of: predicate, variables: variables)
            return try facets(field, at: rows, limit: limit)
        }
    }

    /// As the public function, for records that were found before.
    package func facets(
        _ field: String, at rows: MatchingRows, limit: Int
    ) throws(RecordPredicateError) -> Facets {
        try checkKnown([.field(field)])
        do throws(GroupingError) {
            let counted = try snapshot.valueCounts(of: rows, by: field, limit: limit)
            try checkMemory(of: counted.values.map { [$0.value, .int64(Int64($0.count))] })
            return Facets(
                values: counted.values.map { ValueCount($0.value, $0.count) }, distinctCount: counted.distinctCount,
                missingCount: counted.missingCount)
        } catch {
            throw RecordPredicateError(error, in: field)
        }
    }

    /// Groups the records that match by the values of fields, and computes figures of each group.
    ///
    /// A record with a list is in the group of each distinct element. Records without a value, or with an empty list,
    /// are the group of `.null`. Whole numbers are equal to doubles of the same value, all NaN are one value, texts
    /// are equal as `String`s are, references when they lead to the same record.
    ///
    /// - Parameters:
    ///   - fields: Names as in sort keys: of fields, parts of the record such as `recordType`, or paths `a.b`. Without
    ///     any, all records are one group.
    ///   - predicate: What the records must satisfy; `nil` for all of them.
    ///   - variables: Values of the predicate's `$variables`, by name without the dollar sign.
    ///   - aggregates: What is computed: ``RecordGroup/values`` has the results in this order.
    ///   - order: The order of the groups. Its aggregate need not be one of `aggregates`.
    ///   - limit: At most so many groups, the first in that order.
    /// - Throws: `RecordPredicateError` when no record has a field, an aggregate does not take the values of its field,
    ///   a sum of whole numbers does not fit 64 bits, the predicate does not fit the records' fields or cannot be
    ///   evaluated on one, or the query exceeds `limits`. The error's text is the predicate, or the field at fault.
    /// - Complexity: That of the plan, and O(matches · (fields + aggregates) + groups · log(groups)).
    public func group(
        by fields: [String], where predicate: RecordPredicate? = nil, variables: [String: FieldValue] = [:],
        _ aggregates: [Aggregate] = [.count], sortedBy order: GroupOrder = .keys, limit: Int? = nil
    ) throws(RecordPredicateError) -> [RecordGroup] {
        let computed = aggregates + (order.aggregate.map { [$0] } ?? [])
        let position = order.aggregate == nil ? nil : aggregates.count
        let groups = try groups(by: fields, computed, predicate, variables) { all in
            order.sorted(all, by: position).prefix(max(0, limit ?? .max))
        }
        return groups.map { group in
            RecordGroup(keys: group.keys, count: group.count, values: Array(group.values.prefix(aggregates.count)))
        }
    }

    /// - Parameter chosen: Which groups are wanted, in order.
    private func groups(
        by fields: [String], _ aggregates: [Aggregate], _ predicate: RecordPredicate?,
        _ variables: [String: FieldValue], _ chosen: ([ValueGroup]) -> ArraySlice<ValueGroup>
    ) throws(RecordPredicateError) -> ArraySlice<ValueGroup> {
        let predicate = predicate ?? "TRUEPREDICATE"
        return try limited(predicate) { () throws(RecordPredicateError) in
            try check(fields, aggregates)
            let query = try query(for: predicate, variables: variables)
            do throws(GroupingError) {
                let groups = chosen(try query.groups(by: fields, aggregates))
                try checkMemory(of: groups.map { $0.keys + $0.values })
                return groups
            } catch {
                throw RecordPredicateError(error, in: predicate.text)
            }
        }
    }

    /// - Throws: `RecordPredicateError` of the binding stage for a field that no record has, or of a kind that its
    ///   aggregate does not take.
    private func check(_ fields: [String], _ aggregates: [Aggregate]) throws(RecordPredicateError) {
        let names = fields + aggregates.compactMap(\.field)
        try checkKnown(names.map { .field($0) })
        for aggregate in aggregates {
            guard let type = aggregate.field.flatMap({ mergedSchema.type(of: $0) }),
                let fault = aggregate.fault(of: OperandType(type))
            else { continue }
            throw RecordPredicateError(fault, at: .binding)
        }
    }

    /// - Throws: `GroupingError` of kind `resultLimit`.
    private func checkMemory(of groups: @autoclosure () -> [[FieldValue]]) throws(GroupingError) {
        if limits.resultBytes == nil { return }
        let bytes = groups().reduce(0) { total, group in
            group.reduce(total + 64) { $0 + 16 + ValueCheck.byteCount($1) }
        }
        do throws(EvaluationError) {
            try limits.check(resultBytes: bytes)
        } catch {
            throw .evaluation(error)
        }
    }
}

extension RecordPredicateError {
    fileprivate init(_ error: GroupingError, in text: String) {
        switch error {
        case .evaluation(let error): self.init(error, in: text)
        case .aggregate(let fault): self.init(fault, at: .evaluation)
        }
    }

    /// An error about the values of a field, which is its text.
    fileprivate init(_ fault: AggregateFault, at stage: Stage) {
        let span = SourceSpan(0, fault.field.utf8.count)
        guard stage == .evaluation else {
            self.init(stage, fault.field, span, message: fault.message, hint: fault.hint)
            return
        }
        self.init(
            EvaluationError(kind: fault.kind, span: span, message: fault.message, hint: fault.hint), in: fault.field)
    }
}
