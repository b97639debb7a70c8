// Swift values from a database.

public import PredicateSemantics
public import QueryFrontEnds
public import RecordModel

extension Database {
    /// The values of the records that match, in order, from all pages.
    ///
    ///     let large: [City] = try await database.values(
    ///         matching: City.where { $0.population > 1_000_000 }, in: .all)
    ///
    /// - Parameters:
    ///   - predicate: What they must satisfy.
    ///   - keys: The order; ties come by record name.
    ///   - zones: The zones whose records are meant.
    ///   - limit: The largest number of values, the first in that order.
    /// - Throws: `DatabaseError` as `records(matching:in:desiredKeys:resultsLimit:)`; `RecordCodingError` when a
    ///   record that matches is no value of the type.
    public func values<Value: RecordConvertible>(
        matching predicate: RecordPredicate = "TRUEPREDICATE", sortedBy keys: [SortKey] = [],
        in zones: QueryZones, limit: Int = .max, as _: Value.Type = Value.self
    ) async throws -> [Value] {
        let query = Query(Value.recordType, predicate, sortedBy: keys)
        var values: [Value] = []
        var cursor: Query.Cursor?
        while values.count < limit {
            let rest = limit == .max ? Query.maximumResults : limit - values.count
            let page =
                if let cursor {
                    try await records(continuingMatchFrom: cursor, resultsLimit: rest)
                } else {
                    try await records(matching: query, in: zones, resultsLimit: rest)
                }
            for (_, result) in page.matchResults { values.append(try result.get().value()) }
            guard let next = page.queryCursor else { break }
            try Task.checkCancellation()
            cursor = next
        }
        return values
    }

    /// The value of the record of an identifier.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is none, and others; `RecordCodingError` when it is
    ///   no value of the type.
    public func value<Value: RecordConvertible>(
        for id: Record.ID, as _: Value.Type = Value.self
    ) async throws -> Value { try await record(for: id).value() }
}
