// Why a web-service query cannot be read, or a predicate cannot be written as one.

import FoundationEssentials
package import RecordFiles
public import RecordModel

/// A query of CloudKit's web service that cannot be read, or a predicate or order that such a query cannot say.
public struct FilterError: DescribedError, Hashable, Codable {
    /// Kinds of errors.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The text is no JSON.
        case malformed
        /// A member is missing, is not known, or holds the wrong kind of JSON value.
        case structure
        /// A comparator that does not exist, or does not take such a value.
        case comparator
        /// A type of field values that does not exist, or a value that is not of its type.
        case value
        /// A part of a predicate or of an order that the web service has no form for.
        case unsupported
    }

    /// What went wrong, for programs.
    public var kind: Kind
    /// The place in the JSON, such as `filterBy[2].fieldValue.type`, or the part of the predicate, as canonical text.
    public var place: String
    /// One short clause without a full stop.
    public var message: String
    /// What to do about it.
    public var hint: String?

    package init(_ kind: Kind, _ place: String, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.place = place
        self.message = message
        self.hint = hint
    }

    public var description: String {
        (place.isEmpty ? "" : place + ": ") + message + (hint.map { " (\($0))" } ?? "")
    }
}

extension JSONValue {
    /// The tree of a text.
    package static func parse(_ text: String) throws(FilterError) -> JSONValue {
        do throws(JSONError) {
            return try JSONReader.tree(text)
        } catch {
            throw FilterError(
                .malformed, error.offset.map { "byte \($0)" } ?? "", error.message, hint: error.hint)
        }
    }

    /// The members of an object that has no others than those known.
    package func members(of known: [String], at place: String) throws(FilterError) -> [String: JSONValue] {
        guard case .object(let members) = self else { throw FilterError(.structure, place, "expected an object") }
        var result: [String: JSONValue] = [:]
        for member in members {
            let path = place.isEmpty ? member.key : "\(place).\(member.key)"
            guard known.contains(member.key) else {
                throw FilterError(
                    .structure, path, "no such key", hint: "the keys are " + known.joined(separator: ", "))
            }
            guard result.updateValue(member.value, forKey: member.key) == nil else {
                throw FilterError(.structure, path, "the key occurs twice")
            }
        }
        return result
    }

    package func string(at place: String) throws(FilterError) -> String {
        guard case .string(let text) = self else { throw FilterError(.structure, place, "expected a string") }
        return text
    }

    package func elements(at place: String) throws(FilterError) -> [JSONValue] {
        guard case .array(let elements) = self else { throw FilterError(.structure, place, "expected an array") }
        return elements
    }

    /// The number, whole or not.
    var number: Double? {
        switch self {
        case .int64(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
