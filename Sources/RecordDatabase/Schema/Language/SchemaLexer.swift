// The words and signs of CloudKit's schema language.

import PredicateSyntax

/// A word, name or sign of a schema text.
struct SchemaToken {
    enum Kind: Hashable {
        /// Letters, digits and underscores: a keyword or a name.
        case word
        /// A name in double quotes.
        case quoted
        case sign
        case end
    }

    let kind: Kind
    /// The word, the name without its quotes, or the sign.
    let text: String
    let span: SourceSpan

    /// Whether this is a keyword or a sign.
    func isPlain(_ text: String) -> Bool { (kind == .word || kind == .sign) && self.text == text }
}

/// Splits a schema text; blanks and comments (`//`, `--`, `/* */`) separate tokens.
struct SchemaLexer {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// All tokens, with one for the end of the text.
    /// - Throws: `SyntaxError` of kind `lexical`.
    static func tokens(of text: String) throws(SyntaxError) -> [SchemaToken] {
        var lexer = SchemaLexer(text)
        var tokens: [SchemaToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private mutating func next() throws(SyntaxError) -> SchemaToken {
        try skip()
        let start = position
        guard start < bytes.count else { return token(.end, start) }
        let byte = bytes[start]
        if Self.isWord(byte) {
            position = bytes[start...].firstIndex { !Self.isWord($0) } ?? bytes.count
            return token(.word, start)
        }
        if byte == UInt8(ascii: "\"") { return try quoted(start) }
        guard "(),;<>".utf8.contains(byte) else {
            let isTypographic = byte == 0xE2
            position = bytes[(start + 1)...].firstIndex { $0 & 0xC0 != 0x80 } ?? bytes.count
            throw SyntaxError(
                .lexical, span: SourceSpan(start, position), message: "no part of a schema begins with this character",
                hint: isTypographic ? "names need straight double quotes" : nil)
        }
        position += 1
        return token(.sign, start)
    }

    private func token(_ kind: SchemaToken.Kind, _ start: Int) -> SchemaToken {
        SchemaToken(
            kind: kind, text: String(decoding: bytes[start..<position], as: UTF8.self),
            span: SourceSpan(start, position))
    }

    private mutating func quoted(_ start: Int) throws(SyntaxError) -> SchemaToken {
        let quote = UInt8(ascii: "\"")
        var text: [UInt8] = []
        position = start + 1
        while position < bytes.count, bytes[position] != 0x0A {
            // Two quotes within a word are one.
            if bytes[position] == quote {
                guard startsWith("\"\"") else { break }
                position += 1
            }
            text.append(bytes[position])
            position += 1
        }
        guard position < bytes.count, bytes[position] == quote else {
            throw SyntaxError(.lexical, span: SourceSpan(start, start + 1), message: "the quotes are not closed")
        }
        position += 1
        guard !text.isEmpty else {
            throw SyntaxError(.lexical, span: SourceSpan(start, position), message: "a name is empty")
        }
        return SchemaToken(
            kind: .quoted, text: String(decoding: text, as: UTF8.self), span: SourceSpan(start, position))
    }

    /// Passes over blanks and comments.
    private mutating func skip() throws(SyntaxError) {
        while position < bytes.count {
            if [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) || (position == 0 && startsWith("\u{FEFF}")) {
                position += position == 0 && bytes[0] == 0xEF ? 3 : 1
            } else if startsWith("//") || startsWith("--") {
                position = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
            } else if startsWith("/*") {
                let start = position
                position += 2
                while position < bytes.count, !startsWith("*/") { position += 1 }
                guard position < bytes.count else {
                    throw SyntaxError(
                        .lexical, span: SourceSpan(start, start + 2), message: "the comment is not closed",
                        expected: ["*/"])
                }
                position += 2
            } else {
                return
            }
        }
    }

    private func startsWith(_ sign: String) -> Bool { bytes[position...].starts(with: sign.utf8) }

    static func isWord(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
    }
}
