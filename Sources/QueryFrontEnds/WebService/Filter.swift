// One filter of a web-service query: a field, a comparator, a value.

import PredicateSyntax
import RecordFiles
import RecordModel

/// The web service's comparators.
enum Comparator: String, CaseIterable {
    case equals = "EQUALS"
    case notEquals = "NOT_EQUALS"
    case lessThan = "LESS_THAN"
    case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
    case near = "NEAR"
    case containsAllTokens = "CONTAINS_ALL_TOKENS"
    case containsAnyTokens = "CONTAINS_ANY_TOKENS"
    case `in` = "IN"
    case notIn = "NOT_IN"
    case listContains = "LIST_CONTAINS"
    case notListContains = "NOT_LIST_CONTAINS"
    case listContainsAny = "LIST_CONTAINS_ANY"
    case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
    case listContainsAll = "LIST_CONTAINS_ALL"
    case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
    case beginsWith = "BEGINS_WITH"
    case notBeginsWith = "NOT_BEGINS_WITH"
    case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
    case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"

    /// The comparator that holds where this one does not; nil where the web service has none. `x >= 3` is none of
    /// `x < 3`: where a record has no `x`, neither holds.
    var negation: Comparator? {
        let pairs: [(Comparator, Comparator)] = [
            (.equals, .notEquals), (.in, .notIn), (.listContains, .notListContains),
            (.listContainsAny, .notListContainsAny), (.listContainsAll, .notListContainsAll),
            (.beginsWith, .notBeginsWith), (.listMemberBeginsWith, .notListMemberBeginsWith),
        ]
        for (a, b) in pairs {
            if self == a { return b }
            if self == b { return a }
        }
        return nil
    }

    /// What the comparator's value is.
    enum Operand { case scalar, text, location, list }

    var operand: Operand {
        switch self {
        case .equals, .notEquals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .listContains,
            .notListContains:
            .scalar
        case .containsAllTokens, .containsAnyTokens, .beginsWith, .notBeginsWith, .listMemberBeginsWith,
            .notListMemberBeginsWith:
            .text
        case .near: .location
        case .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll: .list
        }
    }

    /// Whether the comparator takes a value.
    func takes(_ value: FieldValue) -> Bool {
        switch (operand, value) {
        case (.text, .string), (.location, .location), (.list, .list): true
        case (.scalar, .list), (.scalar, .set), (.scalar, .object), (.scalar, .null): false
        case (.scalar, _): true
        default: false
        }
    }
}

/// A filter; a query's filters hold together.
struct Filter {
    /// The field by its name in predicates; nil for the words of all fields.
    var field: String?
    var comparator: Comparator
    var value: FieldValue
    /// Metres.
    var distance: Double?

    /// Names of the parts of a record in the web service, and in predicates.
    private static let systemNames: [(web: String, field: String)] = [
        ("___recordID", "recordID"), ("___createTime", "creationDate"), ("___modTime", "modificationDate"),
        ("___createdBy", "creatorUserRecordID"), ("___modifiedBy", "lastModifiedUserRecordID"),
    ]

    static func field(web name: String) -> String { systemNames.first { $0.web == name }?.field ?? name }
    static func webName(field: String) -> String { systemNames.first { $0.field == field }?.web ?? field }

    // MARK: JSON

    init(_ json: JSONValue, at place: String) throws(FilterError) {
        let members = try json.members(of: ["comparator", "fieldName", "fieldValue", "distance"], at: place)
        guard let word = members["comparator"] else { throw FilterError(.structure, place, "comparator is missing") }
        guard let comparator = Comparator(rawValue: try word.string(at: "\(place).comparator")) else {
            let near = EditDistance.closest(
                to: try word.string(at: "\(place).comparator"), in: Comparator.allCases.map(\.rawValue))
            throw FilterError(
                .comparator, "\(place).comparator", "no such comparator", hint: near.map { "did you mean \($0)?" })
        }
        self.comparator = comparator
        let isSearch = comparator == .containsAllTokens || comparator == .containsAnyTokens
        field = try members["fieldName"]?.string(at: "\(place).fieldName")
        if let name = field { field = isSearch && name == "allTokens" ? nil : Self.field(web: name) }
        guard field?.isEmpty == false || isSearch && field == nil else {
            throw FilterError(.structure, place, "fieldName is missing")
        }
        guard let fieldValue = members["fieldValue"] else {
            throw FilterError(.structure, place, "fieldValue is missing")
        }
        value = try FilterValue.read(fieldValue, at: "\(place).fieldValue")
        guard comparator.takes(value) else {
            throw FilterError(
                .comparator, "\(place).fieldValue", "\(comparator.rawValue) takes \(Self.phrase(comparator.operand))")
        }
        guard (members["distance"] != nil) == (comparator == .near) else {
            throw FilterError(
                .structure, "\(place).distance",
                comparator == .near ? "distance is missing" : "only NEAR takes a distance")
        }
        if let json = members["distance"] {
            guard let metres = json.number, metres.isFinite else {
                throw FilterError(.value, "\(place).distance", "expected a number of metres")
            }
            distance = metres
        }
    }

    private static func phrase(_ operand: Comparator.Operand) -> String {
        switch operand {
        case .scalar: "a single value"
        case .text: "a string"
        case .location: "a location"
        case .list: "a list"
        }
    }

    /// - Parameter place: The part of the predicate that the filter says, for errors.
    func json(of place: String) throws(FilterError) -> JSONValue {
        var members = [JSONValue.Member(key: "comparator", value: .string(comparator.rawValue))]
        if let field { members.append(JSONValue.Member(key: "fieldName", value: .string(Self.webName(field: field)))) }
        members.append(JSONValue.Member(key: "fieldValue", value: try FilterValue.write(value, at: place)))
        if let distance { members.append(JSONValue.Member(key: "distance", value: .double(distance))) }
        return .object(members)
    }

    init(_ field: String?, _ comparator: Comparator, _ value: FieldValue, distance: Double? = nil) {
        self.field = field
        self.comparator = comparator
        self.value = value
        self.distance = distance
    }
}
