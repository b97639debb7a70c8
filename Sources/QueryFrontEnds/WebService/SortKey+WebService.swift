// The sort descriptors of CloudKit's web service.

package import PredicateSemantics
package import RecordFiles

extension SortKey {
    /// A sort descriptor: `fieldName`, and `ascending` or, for distances, `relativeLocation`.
    /// - Throws: `FilterError` with the place in the JSON.
    package init(_ json: JSONValue, at place: String) throws(FilterError) {
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
        // A location is given by itself or as the value of a field.
        let (value, path) = center["value"].map { ($0, ".value") } ?? (center, "")
        self.init(
            .distance(field, from: try FilterValue.location(value, "\(place).relativeLocation\(path)")))
    }

    /// The sort descriptor.
    /// - Throws: `FilterError` of kind `unsupported` for an order that the web service cannot say.
    package func json() throws(FilterError) -> JSONValue {
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
