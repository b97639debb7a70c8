// The lexical rules of quoted names and texts in SQL, by themselves: PostgreSQL's, with standard_conforming_strings,
// are in its manual, 4.1; SQLite's are the same.

/// Reads `"name" = 'text'`.
struct SQLScanner {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    /// Whether all was read.
    var isAtEnd: Bool { rest.isEmpty }

    /// What was not read yet.
    var remainder: String { String(decoding: rest, as: UTF8.self) }

    /// What is between two quotes, a quote in it written twice; `nil` where no quote is, or none ends it.
    mutating func quoted(by quote: UInt8) -> String? {
        guard rest.popFirst() == quote else { return nil }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == quote {
                guard rest.first == quote else { return String(validating: bytes, as: UTF8.self) }
                rest.removeFirst()
            }
            bytes.append(byte)
        }
        return nil
    }

    /// Takes a text away; false where another one is.
    mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest.removeFirst(text.utf8.count)
        return true
    }

    /// The name and the text of a comparison that is all there is.
    static func comparison(in text: String) -> (name: String, text: String)? {
        var scanner = SQLScanner(text)
        guard let name = scanner.quoted(by: 0x22), scanner.skip(" = "), let value = scanner.quoted(by: 0x27),
            scanner.isAtEnd
        else { return nil }
        return (name, value)
    }
}
