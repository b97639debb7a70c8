// The words of CloudKit's schema language for types of fields, and a few more for what only files have.

extension FieldType {
    /// The word for the type, as in `LIST<STRING>`: in schemas, headers of CSV and messages.
    package var schemaName: String {
        if case .list(let element) = self { return "LIST<\(element?.schemaName ?? "")>" }
        return Self.words.first { $0.type == self }?.word ?? ""
    }

    /// The type of a word, which is in upper case; `nil` for a text that is none.
    package init?(schemaName: String) {
        // Bytes: looking at the ends of a text copies it, and this one may be long.
        var bytes = schemaName.utf8[...]
        var depth = 0
        while bytes.starts(with: "LIST<".utf8), bytes.last == UInt8(ascii: ">") {
            bytes = bytes.dropFirst(5).dropLast()
            depth += 1
            if depth > Self.maximumDepth { return nil }
        }
        let word = Substring(bytes)
        var type = Self.words.first { $0.word == word }?.type
        if type == nil {
            guard word.isEmpty, depth > 0 else { return nil }
            (type, depth) = (.list(nil), depth - 1)
        }
        for _ in 0..<depth { type = .list(type) }
        guard let type else { return nil }
        self = type
    }

    /// Lists in lists that a word may name.
    private static let maximumDepth = 512

    private static let words: [(type: FieldType, word: String)] = [
        (.int64, "INT64"), (.double, "DOUBLE"), (.string, "STRING"), (.date, "TIMESTAMP"), (.data, "BYTES"),
        (.location, "LOCATION"), (.reference, "REFERENCE"), (.asset, "ASSET"), (.bool, "BOOLEAN"),
        (.number, "NUMBER"), (.object, "OBJECT"), (.any, "ANY"),
    ]
}
