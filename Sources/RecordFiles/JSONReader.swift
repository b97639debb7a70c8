// Small JSON texts: arguments, lines of a protocol.

package import RecordModel

/// Reads JSON texts that are not records, with exact places of errors.
package enum JSONReader {
    /// The tree of a JSON text, which holds one value.
    /// - Throws: `JSONError`, with an offset unless a key is repeated.
    package static func tree(
        _ text: [UInt8], maximumDepth: Int = LoadLimits().maximumDepth
    ) throws(JSONError) -> JSONValue {
        var parser = JSONParser(text, maximumDepth: maximumDepth)
        try parser.parse()
        return unsafe try parser.withTape { tape throws(JSONError) in try unsafe tape.value(JSONTape.first) }
    }

    /// The tree of a JSON text.
    /// - Throws: `JSONError`.
    package static func tree(_ text: String) throws(JSONError) -> JSONValue { try tree(Array(text.utf8)) }

    /// The value of a JSON text: see `FieldValue.init(json:)` for the forms of dates, locations and the like.
    /// - Throws: `JSONError`.
    package static func value(_ text: String) throws(JSONError) -> FieldValue {
        try FieldValue(json: try tree(text))
    }
}
