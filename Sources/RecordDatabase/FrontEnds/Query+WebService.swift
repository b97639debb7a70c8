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

extension SortKey {
    /// A sort descriptor: `fieldName`, and `ascending` or, for distances, `relativeLocation`.
    fileprivate init(_ json: JSONValue, at place: String) throws(FilterError) {
        let members = try json.members(of: ["fieldName", "ascending", "relativeLocation"], at: place)
        guard let name = members["fieldName"] else { throw FilterError(.structure, place, "fieldName is missing") }
        let field = Filter.field(web: try name.string(at: "\(place).fieldName"))
        var isAscending = true
        if let json = members["ascending"] {
            guard case .bool(let value) = json else {
                throw FilterError(.structure, "\(place).ascending", "expected true or false")
            }
            isAscending = value
        }
        guard let center = members["relativeLocation"] else {
            self.init(field == "recordID" ? .recordName : .field(field), isAscending: isAscending)
            return
        }
        guard isAscending else {
            throw FilterError(.structure, "\(place).ascending", "the nearest come first: distances are ascending")
        }
        // A location stands by itself or as the value of a field.
        let (value, path) = center["value"].map { ($0, ".value") } ?? (center, "")
        self.init(
            .distance(field, from: try FilterValue.location(value, "\(place).relativeLocation\(path)")))
    }

    fileprivate func json() throws(FilterError) -> JSONValue {
        func descriptor(_ field: String) -> JSONValue {
            .object([
                JSONValue.Member(key: "fieldName", value: .string(Filter.webName(field: field))),
                JSONValue.Member(key: "ascending", value: .bool(isAscending)),
            ])
        }
        switch criterion {
        case .field(let field): return descriptor(field)
        case .recordName: return descriptor("recordID")
        case .relevance:
            throw FilterError(.unsupported, "relevance", "the web service does not sort by relevance")
        case .distance(let field, let center):
            guard isAscending else {
                throw FilterError(.unsupported, field, "the web service sorts by distance only with the nearest first")
            }
            return .object([
                JSONValue.Member(key: "fieldName", value: .string(Filter.webName(field: field))),
                JSONValue.Member(key: "relativeLocation", value: FilterValue.write(center)),
            ])
        }
    }
}
