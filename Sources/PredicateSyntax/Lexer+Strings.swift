// Quoted strings and their escapes.

extension Lexer {
    /// Reads the literal whose opening quote is at `quote`.
    mutating func scanString(from quote: Int, as token: Token) {
        let delimiter = bytes[quote]
        hasEscapes = false
        var position = quote + 1
        while bytes[position] != delimiter {
            if bytes[position] == 0x5C {  // backslash
                hasEscapes = true
                switch escape(at: position) {
                case .success(let (_, next)): position = next
                case .failure(let failure): return reject(failure.fault, at: position, upTo: failure.end)
                }
            } else {
                position += 1
            }
            if position >= length { return reject(.unterminatedString, at: start, upTo: length) }
        }
        accept(token, upTo: position + 1)
    }

    /// The text of the current string or quoted key.
    func stringValue() -> String {
        let first = token == .quotedKey ? start + 2 : start + 1
        if !hasEscapes { return text(first, end - 1) }
        var value = ""
        var position = first
        while position < end - 1 {
            if bytes[position] == 0x5C {
                guard case .success(let (scalar, next)) = escape(at: position) else { break }
                value.unicodeScalars.append(scalar)
                position = next
            } else {
                let run = bytes[position..<end - 1].firstIndex(of: 0x5C) ?? end - 1
                value += text(position, run)
                position = run
            }
        }
        return value
    }

    /// The text between two byte offsets.
    @inline(__always)
    func text(_ lower: Int, _ upper: Int) -> String {
        String(decoding: bytes[lower..<upper], as: UTF8.self)
    }

    private struct EscapeFailure: Error {
        var fault: LexicalFault
        var end: Int
    }

    /// The scalar denoted by the escape whose backslash is at `position`, and the offset behind the escape.
    ///
    /// One to three octal digits; `\x` and two, `\u` and four hexadecimal digits (a surrogate pair makes one
    /// scalar); the C letters; a backslash before anything else stands for that character.
    private func escape(at position: Int) -> Result<(Unicode.Scalar, next: Int), EscapeFailure> {
        let (letter, next) = scalar(at: position + 1)
        switch letter {
        case "0"..."7":
            var value: UInt32 = 0
            var next = position + 1
            while next < position + 4, (0x30...0x37).contains(bytes[next]) {
                value = value << 3 | UInt32(bytes[next] & 7)
                next += 1
            }
            return .success((Unicode.Scalar(value) ?? "\u{FFFD}", next))
        case "x", "X":
            guard let value = hexadecimal(at: next, digits: 2), let scalar = Unicode.Scalar(value) else {
                return .failure(
                    EscapeFailure(fault: .badHexadecimalEscape, end: endOfHexadecimal(from: next, atMost: 2)))
            }
            return .success((scalar, next + 2))
        case "u", "U": return unicodeEscape(at: position)
        case "a": return .success(("\u{07}", next))
        case "b": return .success(("\u{08}", next))
        case "f": return .success(("\u{0C}", next))
        case "n": return .success(("\n", next))
        case "r": return .success(("\r", next))
        case "t": return .success(("\t", next))
        case "v": return .success(("\u{0B}", next))
        default: return .success((letter, min(next, length)))
        }
    }

    /// `\u` with four hexadecimal digits, or two of them that are a surrogate pair.
    private func unicodeEscape(at position: Int) -> Result<(Unicode.Scalar, next: Int), EscapeFailure> {
        guard let unit = hexadecimal(at: position + 2, digits: 4) else {
            let end = endOfHexadecimal(from: position + 2, atMost: 4)
            return .failure(EscapeFailure(fault: .badUnicodeEscape, end: end))
        }
        if let scalar = Unicode.Scalar(unit) { return .success((scalar, position + 6)) }
        if unit < 0xDC00, bytes[position + 6] == 0x5C, bytes[position + 7] | 0x20 == 0x75,
            let low = hexadecimal(at: position + 8, digits: 4), (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        {
            return .success((scalar, position + 12))
        }
        return .failure(EscapeFailure(fault: .halfSurrogatePair, end: position + 6))
    }

    private func hexadecimal(at position: Int, digits: Int) -> UInt32? {
        guard endOfHexadecimal(from: position, atMost: digits) == position + digits else { return nil }
        return bytes[position..<position + digits].reduce(0) { $0 << 4 | UInt32(Self.hexadecimalDigit($1) ?? 0) }
    }

    private func endOfHexadecimal(from position: Int, atMost digits: Int) -> Int {
        var end = position
        while end < position + digits, end < length, Self.hexadecimalDigit(bytes[end]) != nil { end += 1 }
        return end
    }
}
