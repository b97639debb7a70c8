// A query as the page sends it.

import Geospatial
import PredicateSyntax
import RecordDatabase

/// A request that cannot be understood; the reply has status 400.
struct RequestError: Error {
    var message: String
}

/// A query: a predicate, the values of its variables, the type of the records, their order.
struct PageQuery {
    var text: String
    var variables: [String: FieldValue]
    var type: String?
    var sort: [SortKey]

    /// - Throws: `RequestError`.
    init(_ json: JSONValue) throws(RequestError) {
        text = try json.text("text") ?? ""
        type = try json.text("type")
        variables = [:]
        if case .object(let members)? = json["variables"] {
            for member in members {
                guard let value = try? FieldValue(json: member.value) else {
                    throw RequestError(message: "the value of '\(member.key)' has no meaning")
                }
                variables[member.key] = value
            }
        }
        sort = []
        for key in try json.texts("sort") { sort.append(try Self.sortKey(key)) }
    }

    /// `field`, `field:desc`, `relevance`, or `distance(field,latitude,longitude)`.
    private static func sortKey(_ text: String) throws(RequestError) -> SortKey {
        if text == "relevance" { return .relevance }
        let isDescending = text.hasSuffix(":desc")
        let name = isDescending ? String(text.dropLast(5)) : text
        guard name.hasPrefix("distance("), name.hasSuffix(")") else {
            return SortKey(.field(name), isAscending: !isDescending)
        }
        let parts = name.dropFirst("distance(".count).dropLast().split(
            separator: ",", omittingEmptySubsequences: false)
        guard parts.count >= 3, let latitude = Double(parts[parts.count - 2]),
            let longitude = Double(parts[parts.count - 1])
        else { throw RequestError(message: "'\(text)' is no order: distance(field,latitude,longitude)") }
        let place = Location(latitude: latitude, longitude: longitude)
        guard place.isValid else { throw RequestError(message: "the place of '\(text)' is not on the Earth") }
        let field = parts.dropLast(2).joined(separator: ",")
        return SortKey(.distance(field, from: place), isAscending: !isDescending)
    }

    /// Whether it means all records.
    var isBlank: Bool { text.utf8.allSatisfy { $0 <= 0x20 } }

    /// The predicate.
    /// - Throws: `RecordPredicateError` of the syntax stage.
    func predicate() throws(RecordPredicateError) -> RecordPredicate {
        try RecordPredicate(isBlank ? "TRUEPREDICATE" : text, [], dialect: .full)
    }

    /// The same query without the conditions on a field, where it has any at its top.
    func without(conditionsOn field: String) -> PageQuery? {
        guard var editing = try? ClauseEditing(text) else { return nil }
        let own = editing.clauses.indices.filter { ClauseEditing.field(of: editing.clauses[$0].node) == field }
        guard !own.isEmpty else { return nil }
        for index in own.reversed() { try? editing.removeClause(at: index) }
        var query = self
        query.text = editing.text
        return query
    }
}

extension JSONValue {
    /// The text of a member; `nil` when it is missing.
    /// - Throws: `RequestError` when it is something else.
    func text(_ key: String) throws(RequestError) -> String? {
        switch self[key] {
        case .string(let text)?: return text
        case nil, .null?: return nil
        default: throw RequestError(message: "'\(key)' is a text")
        }
    }

    /// The texts of a member; none when it is missing.
    /// - Throws: `RequestError` when it is something else, or has more elements than a page would send.
    func texts(_ key: String) throws(RequestError) -> [String] {
        guard let member = self[key], member != .null else { return [] }
        guard case .array(let elements) = member, elements.count <= 500 else {
            throw RequestError(message: "'\(key)' is a list of texts")
        }
        var texts: [String] = []
        for element in elements {
            guard case .string(let text) = element else {
                throw RequestError(message: "'\(key)' is a list of texts")
            }
            texts.append(text)
        }
        return texts
    }

    /// A whole number of a member within bounds; `nil` when it is missing.
    /// - Throws: `RequestError` when it is something else.
    func number(_ key: String, in bounds: ClosedRange<Int>) throws(RequestError) -> Int? {
        guard let member = self[key], member != .null else { return nil }
        guard case .int64(let number) = member, bounds.contains(Int(number)) else {
            throw RequestError(message: "'\(key)' is a whole number in \(bounds.lowerBound) … \(bounds.upperBound)")
        }
        return Int(number)
    }

    /// The number as a double; `nil` when it is none.
    var double: Double? {
        switch self {
        case .int64(let number): Double(number)
        case .double(let number) where number.isFinite: number
        default: nil
        }
    }

    /// An object of members in the order of their keys.
    static func of(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { JSONValue.Member(key: $0.key, value: $0.value) })
    }

    /// A whole number.
    static func count(_ number: Int) -> JSONValue { .int64(Int64(number)) }

    /// The bytes of the text.
    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}
