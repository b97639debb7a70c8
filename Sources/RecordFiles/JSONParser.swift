// A JSON parser that says exactly where a text is wrong, for small texts and for what simdjson rejects.

import RecordColumns

/// Parses JSON texts into simdjson's tape format.
///
/// Slower than simdjson, but errors have places, and whole numbers of any length are taken (as the nearest double).
struct JSONParser {
    private let text: [UInt8]
    private let maximumDepth: Int
    private var position = 0
    private let words = ColumnBuffer<UInt64>()
    private let strings = ColumnBuffer<UInt8>()
    /// Where the values of the outermost object start, in bytes, by key.
    private(set) var memberOffsets: [(key: [UInt8], offset: Int)] = []

    /// Whether NaN, Infinity and -Infinity are numbers, as many programs write them.
    private let takesSpecialNumbers: Bool

    init(
        _ text: [UInt8], maximumDepth: Int = LoadLimits().maximumDepth, takesSpecialNumbers: Bool = false
    ) {
        self.text = text
        self.maximumDepth = maximumDepth
        self.takesSpecialNumbers = takesSpecialNumbers
    }

    /// Parses the text, which holds exactly one value.
    /// - Throws: `JSONError` with an offset.
    mutating func parse() throws(JSONError) {
        push(JSONTape.Kind.root, 0)
        try value(depth: 1)
        skipBlanks()
        guard position == text.count else { throw error("expected the end of the JSON text") }
        push(JSONTape.Kind.root, 0)
    }

    /// Calls `body` with the tape of the text parsed.
    func withTape<Result, Failure: Error>(
        _ body: (JSONTape) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime((words, strings)) {} }
        // SAFETY: the buffers live until `body` has returned, and nothing is appended meanwhile.
        return try unsafe body(JSONTape(words: words.start, strings: strings.start))
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(JSONError) {
        skipBlanks()
        guard position < text.count else { throw error("the JSON text ends where a value should be") }
        switch text[position] {
        case UInt8(ascii: "{"): try object(depth: depth)
        case UInt8(ascii: "["): try array(depth: depth)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true", JSONTape.Kind.true)
        case UInt8(ascii: "f"): try word("false", JSONTape.Kind.false)
        case UInt8(ascii: "n"): try word("null", JSONTape.Kind.null)
        case UInt8(ascii: "N") where takesSpecialNumbers:
            try word("NaN")
            push(Double.nan)
        case UInt8(ascii: "I") where takesSpecialNumbers: try number()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        case UInt8(ascii: "'"): throw error("expected a value", hint: "JSON strings need double quotes")
        default: throw error("expected a value")
        }
    }

    private mutating func object(depth: Int) throws(JSONError) {
        let start = try open(JSONTape.Kind.object, depth: depth)
        skipBlanks()
        if !take("}") {
            repeat {
                skipBlanks()
                guard position < text.count, text[position] == UInt8(ascii: "\"") else {
                    throw error("expected a key in double quotes")
                }
                let key = strings.count + 4
                try string()
                skipBlanks()
                guard take(":") else { throw error("expected ':' after the key") }
                skipBlanks()
                if depth == 1 {
                    unsafe memberOffsets.append(
                        (strings.withElements { unsafe Array($0[key..<($0.count - 1)]) }, position))
                }
                try value(depth: depth + 1)
                skipBlanks()
            } while take(",")
            guard take("}") else { throw error("expected ',' or '}' in the object") }
        }
        close(JSONTape.Kind.objectEnd, start)
    }

    private mutating func array(depth: Int) throws(JSONError) {
        let start = try open(JSONTape.Kind.array, depth: depth)
        skipBlanks()
        if !take("]") {
            repeat {
                try value(depth: depth + 1)
                skipBlanks()
            } while take(",")
            guard take("]") else { throw error("expected ',' or ']' in the list") }
        }
        close(JSONTape.Kind.arrayEnd, start)
    }

    private mutating func open(_ kind: UInt8, depth: Int) throws(JSONError) -> Int {
        guard depth <= maximumDepth else {
            throw JSONError(.limit, offset: position, "nested deeper than \(maximumDepth) levels")
        }
        position += 1
        push(kind, 0)
        return words.count - 1
    }

    private mutating func close(_ kind: UInt8, _ start: Int) {
        push(kind, UInt64(start))
        words[start] |= UInt64(words.count)
    }

    private mutating func push(_ double: Double) {
        push(JSONTape.Kind.double, 0)
        words.append(double.bitPattern)
    }

    private mutating func word(_ word: StaticString, _ kind: UInt8) throws(JSONError) {
        try self.word(word)
        push(kind, 0)
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        for offset in 0..<word.utf8CodeUnitCount {
            // SAFETY: `offset` is below the word's length.
            let expected = unsafe word.utf8Start[offset]
            guard position + offset < text.count, text[position + offset] == expected else {
                throw error("expected a value")
            }
        }
        position += word.utf8CodeUnitCount
    }

    private mutating func number() throws(JSONError) {
        let start = position
        _ = take("-")
        if takesSpecialNumbers, position < text.count, text[position] == UInt8(ascii: "I") {
            let isNegative = position > start
            try word("Infinity")
            return push(isNegative ? -.infinity : .infinity)
        }
        let first = position
        guard digits() > 0 else { throw error("expected a digit") }
        guard position - first == 1 || text[first] != UInt8(ascii: "0") else {
            position = first
            throw error("a number does not start with 0")
        }
        var isWhole = true
        if take(".") {
            isWhole = false
            guard digits() > 0 else { throw error("expected a digit after the point") }
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { throw error("expected a digit in the exponent") }
        }
        let literal = String(decoding: text[start..<position], as: UTF8.self)
        if isWhole, let whole = Int64(literal) {
            push(JSONTape.Kind.int64, 0)
            words.append(UInt64(bitPattern: whole))
            return
        }
        guard let double = Double(literal), double.isFinite else {
            throw JSONError(.value, offset: start, "the number is too large for a double")
        }
        push(JSONTape.Kind.double, 0)
        words.append(double.bitPattern)
    }

    private mutating func digits() -> Int {
        let start = position
        while position < text.count, text[position] &- 0x30 < 10 { position += 1 }
        return position - start
    }

    // MARK: Strings

    private mutating func string() throws(JSONError) {
        let opening = position
        position += 1
        push(JSONTape.Kind.string, UInt64(strings.count))
        let header = strings.count
        strings.append(repeating: 0, count: 4)
        while true {
            guard position < text.count else {
                throw JSONError(.malformed, offset: opening, "the string is not closed")
            }
            let byte = text[position]
            if byte == UInt8(ascii: "\"") { break }
            if byte < 0x20 {
                throw error("a control character in a string", hint: "write it as an escape, such as \\n")
            } else if byte == UInt8(ascii: "\\") {
                try escape()
            } else if byte < 0x80 {
                strings.append(byte)
                position += 1
            } else {
                try multibyte()
            }
        }
        position += 1
        let length = UInt32(truncatingIfNeeded: strings.count - header - 4)
        for byte in 0..<4 { strings[header + byte] = UInt8(truncatingIfNeeded: length >> UInt32(8 * byte)) }
        strings.append(0)
    }

    private mutating func escape() throws(JSONError) {
        let start = position
        position += 1
        guard position < text.count else { throw error("the string is not closed") }
        let letter = text[position]
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): strings.append(letter)
        case UInt8(ascii: "b"): strings.append(8)
        case UInt8(ascii: "f"): strings.append(12)
        case UInt8(ascii: "n"): strings.append(10)
        case UInt8(ascii: "r"): strings.append(13)
        case UInt8(ascii: "t"): strings.append(9)
        case UInt8(ascii: "u"):
            var code = try codeUnit(start)
            if code >= 0xD800, code < 0xDC00, take("\\") {
                guard take("u"), case let low = try codeUnit(start), low >= 0xDC00, low < 0xE000 else {
                    throw JSONError(.encoding, offset: start, "an escape is half of a surrogate pair")
                }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else {
                throw JSONError(.encoding, offset: start, "an escape is half of a surrogate pair")
            }
            for byte in String(scalar).utf8 { strings.append(byte) }
        default: throw JSONError(.malformed, offset: start, "unknown escape in a string")
        }
    }

    private mutating func codeUnit(_ start: Int) throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard position < text.count, let digit = Self.hexDigit(text[position]) else {
                throw JSONError(.malformed, offset: start, "expected four hexadecimal digits after \\u")
            }
            code = code << 4 | digit
            position += 1
        }
        return code
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x37)
        case 0x61...0x66: UInt32(byte - 0x57)
        default: nil
        }
    }

    /// One character beyond ASCII, checked to be well-formed.
    private mutating func multibyte() throws(JSONError) {
        let start = position
        let length = unsafe text.withUnsafeBufferPointer { unsafe UTF8Check.length($0, at: start) }
        guard length > 0 else { throw JSONError(.encoding, offset: position, "not UTF-8") }
        for byte in text[position..<(position + length)] { strings.append(byte) }
        position += length
    }

    // MARK: Characters

    private mutating func push(_ kind: UInt8, _ payload: UInt64) { words.append(UInt64(kind) << 56 | payload) }

    private mutating func skipBlanks() {
        while position < text.count, case let byte = text[position],
            byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
        {
            position += 1
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < text.count, text[position] == UInt8(truncatingIfNeeded: character.value) else { return false }
        position += 1
        return true
    }

    private func error(_ message: String, hint: String? = nil) -> JSONError {
        JSONError(.malformed, offset: position, message, hint: hint)
    }
}
