// Record sets of Swift values.

public import PredicateSemantics
public import QueryFrontEnds
import RecordFiles
public import RecordModel

extension RecordSet {
    /// A set of the records of values.
    ///
    /// - Throws: `RecordCodingError` for a value that cannot be kept as a record, whose name another has, or whose
    ///   fields are of other kinds than those of the values before it.
    /// - Complexity: O(n) in the nested values.
    public init<Value: RecordConvertible>(values: some Sequence<Value>) throws(RecordCodingError) {
        var records: [Record] = []
        for value in values { records.append(try Record(value)) }
        do throws(FileError) {
            try self.init(loading: records)
        } catch {
            throw RecordCodingError(
                conflictOf: Value.recordType, field: error.field, message: error.message, hint: error.hint)
        }
    }

    /// The values of the records that match, in order.
    ///
    /// Only records of the value's type are searched, also in a set of another type.
    ///
    /// - Parameters:
    ///   - predicate: What they must satisfy.
    ///   - variables: Values of the predicate's `$variables`, by name without the dollar sign.
    ///   - keys: The order; none for the order of loading.
    ///   - limit: The largest number of values, the first in that order.
    ///   - offset: How many of the first are left out.
    /// - Throws: `RecordPredicateError` as `records(matching:)`; `RecordCodingError` when a record that matches is no
    ///   value of the type.
    public func values<Value: RecordConvertible>(
        of _: Value.Type = Value.self, matching predicate: RecordPredicate.Of<Value> = .all,
        variables: [String: FieldValue] = [:], sortedBy keys: [SortKey.Of<Value>] = [], limit: Int? = nil,
        offset: Int = 0
    ) throws -> [Value] {
        let set = ofType(Value.recordType)
        // A property that no record has a value of orders nothing.
        let keys = keys.filter { key in
            !key.isOfProperty || set.isDeclared || set.unknownFields(among: [key.untyped.criterion]).isEmpty
        }
        return try set.values(
            matching: predicate.untyped, variables: variables, sortedBy: keys.map(\.untyped), limit: limit,
            offset: offset)
    }

    /// The values of the records that match, in order, by a predicate that does not know the type.
    ///
    /// - Throws: As the call with a predicate of the type.
    @_disfavoredOverload
    public func values<Value: RecordConvertible>(
        of _: Value.Type = Value.self, matching predicate: RecordPredicate,
        variables: [String: FieldValue] = [:], sortedBy keys: [SortKey] = [], limit: Int? = nil, offset: Int = 0
    ) throws -> [Value] {
        try ofType(Value.recordType)
            .records(matching: predicate, variables: variables, sortedBy: keys, limit: limit, offset: offset)
            .map { try $0.value() }
    }

    /// How many records of a Swift type match; records of other types never do.
    ///
    /// - Throws: `RecordPredicateError` as `count(matching:)`.
    public func count<Value: RecordConvertible>(
        matching predicate: RecordPredicate.Of<Value>
    ) throws(RecordPredicateError) -> Int { try ofType(Value.recordType).count(matching: predicate.untyped) }
}
