// A JSON text as a tree.

import RecordModel

/// A JSON value: numbers with a `.` or an exponent are doubles, others whole, members keep their order.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int64(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A key and its value.
    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The value of an object's key; `nil` when there is none. Complexity: O(members).
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    static func repeatedKey(_ members: [Member]) -> String? {
        if members.count < 2 { return nil }
        // Keys that are canonically equivalent are one key of an object, and one field.
        if members.count == 2 { return members[0].key == members[1].key ? members[0].key : nil }
        var seen: Set<String> = []
        return members.first { !seen.insert($0.key).inserted }?.key
    }
}

/// What was wrong with a JSON text.
package struct JSONError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Not JSON.
        case malformed
        /// Not UTF-8, or an escape that is half of a character.
        case encoding
        /// Too deep.
        case limit
        /// A key occurs twice in an object.
        case repeatedKey
        /// Well-formed, but without a meaning.
        case value
    }

    package var kind: Kind
    /// Where, in bytes from the start of the text; `nil` when not known.
    package var offset: Int?
    package var message: String
    package var hint: String?

    package init(_ kind: Kind, offset: Int? = nil, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.offset = offset
        self.message = message
        self.hint = hint
    }

    static func repeatedKey(_ key: String) -> JSONError {
        JSONError(.repeatedKey, "a key occurs twice in an object", hint: "the key is '\(key)'")
    }
}
