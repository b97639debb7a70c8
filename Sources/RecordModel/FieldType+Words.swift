// The words of CloudKit's schema language for types of fields, and a few more for what only files have.

extension FieldType {
    /// The word for the type, as in `LIST<STRING>`: in schemas, headers of CSV and messages.
    package var schemaName: String {
        if case .list(let element) = self { return "LIST<\(element?.schemaName ?? "")>" }
        return Self.words.first { $0.type == self }?.word ?? ""
    }

    /// The type of a word, which is in upper case; `nil` for a text that is none.
    package init?(schemaName: String) {
        if let type = Self.words.first(where: { $0.word == schemaName })?.type {
            self = type
        } else if schemaName == "LIST<>" {
            self = .list(nil)
        } else if schemaName.hasPrefix("LIST<"), schemaName.hasSuffix(">"),
            let element = FieldType(schemaName: String(schemaName.dropFirst(5).dropLast()))
        {
            self = .list(element)
        } else {
            return nil
        }
    }

    private static let words: [(type: FieldType, word: String)] = [
        (.int64, "INT64"), (.double, "DOUBLE"), (.string, "STRING"), (.date, "TIMESTAMP"), (.data, "BYTES"),
        (.location, "LOCATION"), (.reference, "REFERENCE"), (.asset, "ASSET"), (.bool, "BOOLEAN"),
        (.number, "NUMBER"), (.object, "OBJECT"), (.any, "ANY"),
    ]
}
