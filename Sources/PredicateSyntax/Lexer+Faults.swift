// Why a token could not be read: from a one-byte code to an error with message and hint.

/// What is wrong with the token `.invalid`. Only a code is kept while reading: the words are found on demand.
enum LexicalFault: UInt8 {
    case illegalCharacter, nameExpected, unknownFormat
    case malformedNumber, numberOutOfRange, lengthOutOfRange
    case unterminatedString, badHexadecimalEscape, badUnicodeEscape, halfSurrogatePair
}

extension Lexer {
    /// The error that the current token `.invalid` stands for.
    var lexicalError: SyntaxError {
        let (message, hint) = words(for: fault)
        return SyntaxError(.lexical, span: SourceSpan(faultStart, end), message: message, hint: hint)
    }

    private func words(for fault: LexicalFault) -> (message: String, hint: String?) {
        switch fault {
        case .illegalCharacter: illegalCharacter(scalar(at: faultStart).0)
        case .nameExpected: ("name expected after \(UnicodeScalar(bytes[faultStart]))", nameHint)
        case .unknownFormat: ("unknown format specifier", formatHint)
        case .malformedNumber: ("malformed number", numberHint)
        case .numberOutOfRange: ("number out of range", "the greatest number is about 1.8e308")
        case .lengthOutOfRange:
            ("number out of range", "the greatest length of time is 31556952000000s, a million years")
        case .unterminatedString: ("unterminated string literal", stringHint)
        case .badHexadecimalEscape: ("bad \\x escape", "\\x takes two hexadecimal digits")
        case .badUnicodeEscape: ("bad \\u escape", "\\u takes four hexadecimal digits")
        case .halfSurrogatePair:
            ("bad \\u escape: half of a surrogate pair", "beyond U+FFFF write two escapes, \\uD83D\\uDE00")
        }
    }

    private var numberHint: String? {
        if bytes[start..<end].contains(0x5F) { return "digits are written without underscores" }
        return Self.isDigit(bytes[end - 1]) || end - start < 2 ? nil : "separate a number from a word by a blank"
    }

    /// A percent sign elsewhere is a remainder.
    private var formatHint: String {
        let next = bytes[min(faultStart + 1, length)]
        return next == 0x20 && faultStart + 1 < length
            ? "a remainder is written modulus:by:(x, y)"
            : "arguments are %@ for a value, %K for a key, %d for an integer, %f for a floating-point number"
    }

    /// `@"text"` is how Objective-C writes a string, `#` is followed by a key.
    private var nameHint: String? {
        let next = bytes[min(faultStart + 1, length)]
        return bytes[faultStart] == 0x40 && (next == 0x22 || next == 0x27) ? "text needs quotes, without @" : nil
    }

    private var stringHint: String {
        let quote = faultStart + (bytes[faultStart] == 0x23 ? 1 : 0)  // #'key'
        let delimiter = bytes[quote]
        let sign = UnicodeScalar(delimiter)
        return bytes[(quote + 1)...].contains(delimiter == 0x27 ? 0x22 : 0x27)
            ? "a literal that begins with \(sign) must end with \(sign)" : "close the literal with \(sign)"
    }

    private func illegalCharacter(_ scalar: Unicode.Scalar) -> (message: String, hint: String?) {
        switch scalar {
        case "?": ("illegal character '?'", "an argument is written %@ or $name")
        case ";": ("illegal character ';'", "a text holds one predicate")
        case "`": ("illegal character '`'", "an unusual key is written #'key'")
        case "\\": ("illegal character '\\'", "escapes are allowed only inside quoted strings")
        case "!"..."~": ("illegal character '\(scalar)'", nil)
        case "\0"..."\u{9F}": ("illegal control character", nil)
        default: ("illegal character", Self.substitute(for: scalar).map { "write \($0)" })
        }
    }

    /// What to write for a character that word processors and mathematicians use.
    private static func substitute(for scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\u{2018}", "\u{2019}", "\u{201A}", "\u{201C}", "\u{201D}", "\u{201E}", "\u{AB}", "\u{BB}":
            "straight quotes, ' or \""
        case "\u{2260}": "!="
        case "\u{2264}": "<="
        case "\u{2265}": ">="
        case "\u{2212}", "\u{2013}", "\u{2014}": "-"
        case "\u{D7}", "\u{22C5}": "*"
        case "\u{F7}": "/"
        case "\u{2227}": "AND"
        case "\u{2228}": "OR"
        case "\u{AC}": "NOT"
        case "\u{2208}": "IN"
        default: nil
        }
    }
}
