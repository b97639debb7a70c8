// Bytes to tokens, one at a time and on demand.

/// Reads one token after the other from UTF-8 text.
///
/// The current token is the state of the lexer (`token`, `start`, `end`); reading one allocates nothing. A lexical
/// error is the token `.invalid`: the parser reports it only on reaching it, so a syntax error to its left wins.
struct Lexer {
    /// The text, and a zero byte behind it that ends every scan.
    let bytes: [UInt8]
    private let words = WordTable.shared

    private(set) var token = Token.end
    /// Offset of the first byte of the current token.
    private(set) var start = 0
    /// Offset behind the last byte of the current token.
    private(set) var end = 0
    /// Offset behind the token before the current one.
    private(set) var previousEnd = 0
    /// True if the current string or quoted key holds a backslash.
    var hasEscapes = false
    /// What the current number denotes, without a sign.
    var number = NumberValue.integer(0)
    /// The unit directly behind the current number, which makes it a length of time.
    var unit: TimeSpan.Unit?
    /// Why the current token is `.invalid`, and where that begins.
    private(set) var fault = LexicalFault.illegalCharacter
    private(set) var faultStart = 0

    /// A lexer before the first token; `advance()` reads it.
    init(_ text: String) {
        var bytes = [UInt8]()
        bytes.reserveCapacity(text.utf8.count + 1)
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
        self.bytes = bytes
    }

    /// Number of bytes of the text.
    var length: Int { bytes.count - 1 }

    /// Place of the current token.
    var span: SourceSpan { SourceSpan(start, end) }

    /// True if the current token is a word, reserved or not: what may be a key behind a dot.
    var isWord: Bool { start < end && startsIdentifier(at: start) && !token.isHyphenated }

    /// Starts over at a byte offset, which must lie between tokens.
    mutating func restart(at offset: Int) {
        end = offset
        advance()
    }

    /// Reads the next token.
    mutating func advance() {
        previousEnd = end
        var position = end
        var byte = bytes[position]
        while byte <= 0x20 || byte >= 0x80, let next = skipSpace(at: position) {
            position = next
            byte = bytes[position]
        }
        start = position
        if Self.isWordStart(byte) {
            scanWord()
        } else if Self.isDigit(byte) {
            scanNumber()
        } else if byte >= 0x80 {
            scanUnicode()
        } else {
            scanSymbol(byte)
        }
    }

    /// The offset behind the one white-space character at `position`, `nil` if there is none.
    @inline(__always)
    private func skipSpace(at position: Int) -> Int? {
        switch bytes[position] {
        case 0x20, 0x09...0x0D: position + 1
        case 0x80...: skipUnicodeSpace(at: position)
        default: nil
        }
    }

    private func skipUnicodeSpace(at position: Int) -> Int? {
        let (scalar, next) = scalar(at: position)
        return scalar.properties.isWhitespace ? next : nil
    }

    // MARK: Setting the token

    @inline(__always)
    mutating func accept(_ token: Token, upTo end: Int) {
        self.token = token
        self.end = end
    }

    /// Makes the current token an error that covers the bytes from `offset` up to `end`.
    mutating func reject(_ fault: LexicalFault, at offset: Int, upTo end: Int) {
        token = .invalid
        self.end = max(end, offset)
        self.fault = fault
        faultStart = offset
    }

    // MARK: Words

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    static func isWordStart(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte == 0x5F }

    @inline(__always)
    static func isWordPart(_ byte: UInt8) -> Bool { isWordStart(byte) || isDigit(byte) }

    private mutating func scanWord() {
        var packed = PackedWord()
        var position = start
        var byte = bytes[position]
        repeat {
            packed.append(byte)
            position += 1
            byte = bytes[position]
        } while Self.isWordPart(byte)
        if byte >= 0x80 {
            let unicodeEnd = endOfIdentifier(from: position)
            if unicodeEnd != position { return accept(.identifier, upTo: unicodeEnd) }
        }
        guard position - start <= WordTable.longestWord else { return accept(.identifier, upTo: position) }
        let token = words.token(of: packed)
        if byte == 0x2D, position - start == 3, let (token, end) = typeOperator(behind: packed, at: position) {
            return accept(token, upTo: end)
        }
        accept(token, upTo: position)
    }

    /// `UTI-CONFORMS-TO` and `UTI-EQUALS`, the only words with a hyphen.
    private func typeOperator(behind prefix: PackedWord, at hyphen: Int) -> (Token, Int)? {
        func follows(_ word: StaticString) -> Int? {
            var position = hyphen
            for byte in word.description.utf8 {
                // A hyphen has no other case: with that bit a line end would be one.
                let found = bytes[position]
                guard found == byte || byte != 0x2D && found | 0x20 == byte else { return nil }
                position += 1
            }
            return endOfIdentifier(from: position) > position || bytes[position] == 0x2D ? nil : position
        }
        guard prefix.low == 0x757469 else { return nil }  // "uti"
        if let end = follows("-conforms-to") { return (.comparison(.utiConformsTo), end) }
        if let end = follows("-equals") { return (.comparison(.utiEquals), end) }
        return nil
    }

    /// The offset behind the letters, digits, underscores and Unicode identifier characters from `position` on.
    func endOfIdentifier(from position: Int) -> Int {
        var position = position
        while true {
            if Self.isWordPart(bytes[position]) {
                position += 1
            } else if bytes[position] >= 0x80 {
                let (scalar, next) = scalar(at: position)
                guard scalar.properties.isXIDContinue else { return position }
                position = next
            } else {
                return position
            }
        }
    }

    /// True if an identifier starts at `position`.
    func startsIdentifier(at position: Int) -> Bool {
        let byte = bytes[position]
        return Self.isWordStart(byte) || byte >= 0x80 && scalar(at: position).0.properties.isXIDStart
    }

    private mutating func scanUnicode() {
        let (scalar, next) = scalar(at: start)
        if scalar.properties.isXIDStart { return accept(.identifier, upTo: endOfIdentifier(from: next)) }
        reject(.illegalCharacter, at: start, upTo: next)
    }

    /// The scalar whose first byte is at `position`, and the offset behind it. The bytes are valid UTF-8.
    func scalar(at position: Int) -> (Unicode.Scalar, Int) {
        let first = bytes[position]
        if first < 0x80 { return (Unicode.Scalar(first), position + 1) }
        let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        var value = UInt32(first) & (0x7F >> UInt32(count))
        var next = position + 1
        while next < position + count, next < length {
            value = value << 6 | UInt32(bytes[next] & 0x3F)
            next += 1
        }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", next)
    }
}
