// Tokens that begin with a sign: operators, punctuation, escaped names, placeholders.

extension Lexer {
    /// Reads the token that begins with the ASCII sign `byte`.
    mutating func scanSymbol(_ byte: UInt8) {
        let next = bytes[start + (start < length ? 1 : 0)]
        switch UnicodeScalar(byte) {
        case "'", "\"": scanString(from: start, as: .string)
        case "(": accept(.leftParenthesis, upTo: start + 1)
        case ")": accept(.rightParenthesis, upTo: start + 1)
        case "[": accept(.leftBracket, upTo: start + 1)
        case "]": accept(.rightBracket, upTo: start + 1)
        case "{": accept(.leftBrace, upTo: start + 1)
        case "}": accept(.rightBrace, upTo: start + 1)
        case ",": accept(.comma, upTo: start + 1)
        case ".": accept(.dot, upTo: start + 1)
        case "+": accept(.plus, upTo: start + 1)
        case "-": accept(.minus, upTo: start + 1)
        case "/": accept(.slash, upTo: start + 1)
        case "^": accept(.caret, upTo: start + 1)
        case "~": accept(.tilde, upTo: start + 1)
        case "=":
            let comparison: ComparisonOperator =
                next == 0x3C ? .lessThanOrEqual : next == 0x3E ? .greaterThanOrEqual : .equal
            accept(.comparison(comparison), 0x3C...0x3E, next)
        case "<":
            let comparison: ComparisonOperator = next == 0x3D ? .lessThanOrEqual : next == 0x3E ? .notEqual : .lessThan
            accept(next == 0x3C ? .shiftLeft : .comparison(comparison), 0x3C...0x3E, next)
        case ">":
            let comparison: ComparisonOperator = next == 0x3D ? .greaterThanOrEqual : .greaterThan
            accept(next == 0x3E ? .shiftRight : .comparison(comparison), 0x3D...0x3E, next)
        case "!": accept(next == 0x3D ? .comparison(.notEqual) : .not, 0x3D...0x3D, next)
        case "&": accept(next == byte ? .and : .ampersand, byte...byte, next)
        case "|": accept(next == byte ? .or : .pipe, byte...byte, next)
        case "*": accept(next == byte ? .starStar : .star, byte...byte, next)
        case ":": accept(next == 0x3D ? .assignment : .colon, 0x3D...0x3D, next)
        case "%": scanPlaceholder()
        case "$": scanName(.variable)
        case "@": scanName(.atName)
        case "#":
            if next == 0x27 || next == 0x22 {
                scanString(from: start + 1, as: .quotedKey)
            } else {
                scanName(.escapedKey)
            }
        case "\0" where start >= length: accept(.end, upTo: length)
        default: reject(.illegalCharacter, at: start, upTo: start + 1)
        }
    }

    /// Accepts a sign, of two characters if the next byte is one of `seconds`.
    @inline(__always)
    private mutating func accept(_ token: Token, _ seconds: ClosedRange<UInt8>, _ next: UInt8) {
        accept(token, upTo: start + (seconds.contains(next) ? 2 : 1))
    }

    /// `$name`, `@name`, `#name`.
    private mutating func scanName(_ token: Token) {
        guard startsIdentifier(at: start + 1) else { return reject(.nameExpected, at: start, upTo: start + 1) }
        accept(token, upTo: endOfIdentifier(from: start + 1))
    }

    /// `%@`, `%K` and the conversions of printf: how to lay the number out, the size of the C type, then the letter of
    /// the conversion. Layout and size change nothing: the argument is a value, never text (`%.2f`, `%lld`).
    private mutating func scanPlaceholder() {
        var position = start + 1
        if bytes[position] == 0x2B || bytes[position] == 0x2D { position += 1 }
        while Self.isDigit(bytes[position]) || bytes[position] == 0x2E { position += 1 }
        while isSize(bytes[position]) { position += 1 }
        let isPlain = position == start + 1
        if placeholderKind(of: bytes[position], isPlain: isPlain) != nil {
            return accept(.placeholder, upTo: position + 1)
        }
        reject(.unknownFormat, at: start, upTo: start + 1)
    }

    private func isSize(_ letter: UInt8) -> Bool {
        switch UnicodeScalar(letter) {
        case "h", "l", "q", "j", "z", "t", "L": true
        default: false
        }
    }

    private func placeholderKind(of letter: UInt8, isPlain: Bool) -> Placeholder.Kind? {
        switch UnicodeScalar(letter) {
        case "@": isPlain ? .value : nil
        case "K": isPlain ? .key : nil
        case "d", "D", "i", "u", "U", "x", "X", "o", "O", "c", "C": .integer
        case "f", "F", "e", "E", "g", "G": .double
        default: nil
        }
    }

    /// What the current placeholder stands for.
    var placeholderKind: Placeholder.Kind {
        placeholderKind(of: bytes[end - 1], isPlain: end - start == 2) ?? .value
    }
}
