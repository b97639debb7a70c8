// Queries of CloudKit's web service: `recordType`, `filterBy`, `sortBy`.

import PredicateSemantics
public import QueryFrontEnds
import RecordFiles
import RecordModel

extension Query {
    /// A query of CloudKit's web service: an object of `recordType`, `filterBy` and `sortBy`.
    ///
    /// - Throws: `FilterError` with the place in the JSON.
    public init(webServiceJSON json: String) throws(FilterError) {
        let members = try JSONValue.parse(json).members(of: ["recordType", "filterBy", "sortBy"], at: "")
        guard let type = members["recordType"] else { throw FilterError(.structure, "", "recordType is missing") }
        var keys: [SortKey] = []
        for (index, element) in try (members["sortBy"] ?? .array([])).elements(at: "sortBy").enumerated() {
            keys.append(try SortKey(element, at: "sortBy[\(index)]"))
        }
        self.init(
            try type.string(at: "recordType"),
            try RecordPredicate(filters: members["filterBy"] ?? .array([]), at: "filterBy"), sortedBy: keys)
    }

    /// The query as CloudKit's web service takes it.
    ///
    /// - Throws: `FilterError` of kind `unsupported` with the part of the predicate or the order that the web service
    ///   cannot say; `RecordPredicateError` for a predicate that is not well formed.
    public func webServiceJSON() throws -> String {
        var members = [
            JSONValue.Member(key: "recordType", value: .string(recordType)),
            JSONValue.Member(key: "filterBy", value: try predicate.filters()),
        ]
        if !sortKeys.isEmpty {
            members.append(JSONValue.Member(key: "sortBy", value: .array(try sortKeys.map { try $0.json() })))
        }
        return JSONValue.object(members).text
    }
}
