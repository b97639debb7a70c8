// JSON text as a value: for arguments, the line protocol, and answers. Record files go through RecordFiles instead.

/// A JSON value; the members of an object keep their order.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits in 64 bits.
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One member of an object.
    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: JSONValue

        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// An object of the given members, in that order.
    package static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member($0.key, $0.value) })
    }

    /// The value of a member of an object (of several with one name, the last); `nil` when there is none.
    /// Complexity: O(members).
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }
}

/// Text that is not JSON: where, and what is wrong.
package struct JSONError: Error, Hashable, Sendable {
    /// Byte offset of the offending byte, 0-based.
    package var offset: Int
    package var message: String

    package init(offset: Int, message: String) {
        self.offset = offset
        self.message = message
    }
}
