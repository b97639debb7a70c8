// JSON text -> JSONValue, for small texts.

extension JSONValue {
    /// Reads one JSON text; blanks around it are allowed.
    /// Throws: `JSONError` with the byte offset.
    package init(parsing text: [UInt8]) throws(JSONError) {
        var parser = JSONParser(text)
        try parser.parse()
        self = try unsafe parser.withTape { tape throws(JSONError) in try unsafe tape.value(JSONTape.first) }
    }

    /// Reads one JSON text; blanks around it are allowed.
    /// Throws: `JSONError` with the byte offset.
    package init(parsing text: String) throws(JSONError) { try self.init(parsing: Array(text.utf8)) }
}
