// The filters of CloudKit's web service as predicates, and back.

public import PredicateSemantics
import PredicateSyntax
package import RecordFiles
import RecordModel

extension RecordPredicate {
    /// The predicate of a `filterBy` of CloudKit's web service: an array of filters that hold together.
    ///
    ///     let rich = try RecordPredicate(filterBy: #"""
    ///         [{"fieldName": "population", "comparator": "GREATER_THAN", "fieldValue": {"value": 1000000}}]
    ///         """#)
    ///
    /// Filters mean what the predicate language means by the same words: texts are compared exactly. A distance is in
    /// metres, and its circle is open. `fieldValue` may leave out its `type`; a field's name may be one of the web
    /// service's for parts of a record (`___recordID`, `___createTime`, `___modTime`, `___createdBy`, `___modifiedBy`).
    ///
    /// - Throws: `FilterError` with the place in the JSON.
    public init(filterBy json: String) throws(FilterError) {
        try self.init(filters: try JSONValue.parse(json), at: "")
    }

    package init(filters json: JSONValue, at place: String) throws(FilterError) {
        var assembly = TreeAssembly()
        var terms: [PredicateNode] = []
        for (index, element) in try json.elements(at: place).enumerated() {
            terms.append(try Filter(element, at: "\(place)[\(index)]").node(&assembly))
        }
        let root = terms.count == 1 ? terms[0] : terms.isEmpty ? PredicateNode(.constant(true)) : .all(terms)
        self = assembly.predicate(root)
    }

    /// The predicate as a `filterBy` of CloudKit's web service.
    ///
    /// - Throws: `FilterError` of kind `unsupported` with the part of the predicate that the web service cannot say:
    ///   OR, options, paths, arithmetic, missing values, negations that it has no comparator for;
    ///   `RecordPredicateError` for a predicate that is not well formed.
    public func filterBy() throws -> String { try filters().text }

    package func filters() throws -> JSONValue {
        var writer = FilterWriter()
        try writer.write(try Binder().bind(self).root)
        return .array(try writer.filters.map { try $0.filter.json(of: $0.place) })
    }
}

extension JSONValue {
    /// The compact text.
    package var text: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
