// JSON text -> JSONValue: RFC 8259, strict, with bounded depth.

extension JSONValue {
    /// Reads one JSON text; white space around it is allowed, anything else behind it is an error.
    ///
    /// Numbers without fraction and exponent that fit in 64 bits are integers, all others doubles.
    /// - Throws: `JSONError` with the byte offset.
    /// - Complexity: O(bytes); nesting is limited to 512 levels.
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        var reader = JSONReader(bytes: bytes)
        self = try reader.document()
    }

    /// Reads one JSON text.
    package init(parsing text: String) throws(JSONError) {
        try self.init(parsing: Array(text.utf8))
    }
}

private struct JSONReader {
    let bytes: [UInt8]
    var position = 0
    let maximumDepth = 512

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// The byte at the position, 0 at the end (a NUL is never valid outside strings, and refused inside them).
    private var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private func failure(_ message: String, at offset: Int? = nil) -> JSONError {
        JSONError(offset: offset ?? position, message: message)
    }

    mutating func document() throws(JSONError) -> JSONValue {
        let value = try value(depth: 0)
        skipSpace()
        if position < bytes.count { throw failure("text behind the JSON value") }
        return value
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        if depth > maximumDepth { throw failure("nested deeper than \(maximumDepth) levels") }
        skipSpace()
        guard position < bytes.count else { throw failure("the JSON text ends here, a value was expected") }
        switch bytes[position] {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw failure("not a JSON value")
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        for expected in word.description.utf8 {
            if byte != expected { throw failure("not a JSON value") }
            position += 1
        }
        return value
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        var members: [JSONValue.Member] = []
        skipSpace()
        if byte == UInt8(ascii: "}") {
            position += 1
            return .object([])
        }
        while true {
            skipSpace()
            if byte != UInt8(ascii: "\"") { throw failure("a member name in quotation marks was expected") }
            let name = try string()
            skipSpace()
            if byte != UInt8(ascii: ":") { throw failure("':' was expected") }
            position += 1
            members.append(JSONValue.Member(name, try value(depth: depth + 1)))
            if try closes(with: UInt8(ascii: "}")) { return .object(members) }
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if byte == UInt8(ascii: "]") {
            position += 1
            return .array([])
        }
        while true {
            elements.append(try value(depth: depth + 1))
            if try closes(with: UInt8(ascii: "]")) { return .array(elements) }
        }
    }

    /// Behind an element: a comma (more to come) or the closing bracket.
    private mutating func closes(with bracket: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        let found = byte
        if found != bracket && found != UInt8(ascii: ",") {
            throw failure("',' or '\(Character(UnicodeScalar(bracket)))' was expected")
        }
        position += 1
        return found == bracket
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        var isInteger = true
        if byte == UInt8(ascii: "-") { position += 1 }
        let digits = position
        try skipDigits()
        if bytes[digits] == UInt8(ascii: "0"), position > digits + 1 {
            throw failure("a number may not begin with 0", at: digits)
        }
        if byte == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try skipDigits()
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { throw failure("the number is too large", at: start) }
        return .double(double)
    }

    private mutating func skipDigits() throws(JSONError) {
        let start = position
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw failure("a digit was expected") }
    }

    private mutating func string() throws(JSONError) -> String {
        let start = position
        position += 1
        var run = position
        var text: [UInt8] = []
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                text += bytes[run..<position]
                position += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw failure("the string is not valid UTF-8", at: start)
                }
                return string
            case UInt8(ascii: "\\"):
                text += bytes[run..<position]
                position += 1
                text += Array(String(try escape()).utf8)
                run = position
            case 0..<0x20:
                throw failure("a control character must be escaped")
            default:
                position += 1
            }
        }
        throw failure("the string has no end", at: start)
    }

    /// Behind a backslash.
    private mutating func escape() throws(JSONError) -> Character {
        let letter = byte
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(UnicodeScalar(letter))
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return Character(try unicodeEscape())
        default: throw failure("unknown escape", at: position - 1)
        }
    }

    /// Behind `\u`: four digits, or a surrogate pair of two escapes.
    private mutating func unicodeEscape() throws(JSONError) -> UnicodeScalar {
        let start = position - 2
        let first = try fourDigits()
        if let scalar = UnicodeScalar(first) { return scalar }
        if first < 0xDC00, byte == UInt8(ascii: "\\") {
            position += 1
            if byte == UInt8(ascii: "u") {
                position += 1
                let second = try fourDigits()
                if (0xDC00..<0xE000).contains(second),
                    let scalar = UnicodeScalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
                {
                    return scalar
                }
            }
        }
        throw failure("half of a surrogate pair", at: start)
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else {
                throw failure("four hexadecimal digits were expected")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
