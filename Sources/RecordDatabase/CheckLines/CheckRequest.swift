// One request of the line protocol of `predicate check`.

import PredicateSemantics
import PredicateSyntax
import RecordFiles
import RecordModel

/// A line of the protocol: a predicate, its values, and what to evaluate it on.
struct CheckRequest {
    /// What the predicate meets.
    enum Subject {
        /// Nothing: parse only.
        case none
        case value(FieldValue)
        case values([FieldValue])
    }

    /// Returned unchanged with the result.
    var id: JSONValue
    var predicate: String
    /// `nil` leaves the placeholders unbound.
    var arguments: [FieldValue]?
    var variables: [String: FieldValue]
    var subject: Subject
    var dialect: Dialect

    /// Reads the members of a line.
    /// - Throws: `CheckFailure` for members that are missing or of the wrong kind.
    init(_ json: JSONValue) throws(CheckFailure) {
        id = json["id"] ?? .null
        guard case .object = json else { throw CheckFailure("a JSON object was expected") }
        guard case .string(let text)? = json["predicate"] else { throw CheckFailure("'predicate' must be a string") }
        predicate = text
        arguments = try json["arguments"].map { value throws(CheckFailure) in try Self.list(value, "arguments") }
        variables = [:]
        if let members = json["variables"] {
            guard case .object(let members) = members else { throw CheckFailure("'variables' must be an object") }
            for member in members { variables[member.key] = try Self.value(member.value, "variables") }
        }
        if let value = json["value"] {
            subject = .value(try Self.value(value, "value"))
        } else if let values = json["values"] {
            subject = .values(try Self.list(values, "values"))
        } else {
            subject = .none
        }
        switch json["dialect"] {
        case nil, .null?, .string("full")?: dialect = .full
        case .string("cloudKit")?: dialect = .cloudKit
        default: throw CheckFailure("'dialect' is \"full\" or \"cloudKit\"")
        }
    }

    private static func value(_ json: JSONValue, _ member: String) throws(CheckFailure) -> FieldValue {
        do throws(JSONError) {
            return try FieldValue(json: json)
        } catch {
            throw CheckFailure("'\(member)': \(error.message)")
        }
    }

    private static func list(_ json: JSONValue, _ member: String) throws(CheckFailure) -> [FieldValue] {
        guard case .array(let elements) = json else { throw CheckFailure("'\(member)' must be a list") }
        var values: [FieldValue] = []
        for element in elements { values.append(try value(element, member)) }
        return values
    }

    /// Parses, and evaluates where there is something to evaluate on.
    /// - Throws: `RecordPredicateError` of the stage that failed.
    func run() throws(RecordPredicateError) -> JSONValue.Member {
        if arguments == nil, case .none = subject {
            return JSONValue.Member(
                key: "format", value: .string(try RecordPredicate.tree(of: predicate, dialect).description))
        }
        let parsed = try RecordPredicate(predicate, arguments ?? [], dialect: dialect)
        switch subject {
        case .none: return JSONValue.Member(key: "format", value: .string(parsed.description))
        case .value(let value):
            let test = try parsed.valueTest(variables: variables)
            return JSONValue.Member(key: "result", value: .bool(try test(value)))
        case .values(let values):
            let test = try parsed.valueTest(variables: variables)
            var matches: [JSONValue] = []
            for (index, value) in values.enumerated() where try test(value) {
                matches.append(.int64(Int64(index)))
            }
            return JSONValue.Member(key: "matches", value: .array(matches))
        }
    }
}

/// A line that is no request.
struct CheckFailure: Error {
    var message: String
    /// Place in the line, in Unicode scalars.
    var offset = 0

    init(_ message: String, offset: Int = 0) {
        self.message = message
        self.offset = offset
    }
}
