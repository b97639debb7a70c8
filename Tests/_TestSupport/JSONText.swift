// A small JSON reader that keeps whole numbers and fractional ones apart, as the case files need.

/// A JSON value; the members of an object keep their order.
public indirect enum JSONText: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without a dot and without an exponent.
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONText])
    case object([String: JSONText])

    /// What is wrong, and at which byte.
    public struct ReadError: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// Reads one JSON value that fills the text.
    public init(_ text: some StringProtocol) throws {
        var reader = JSONReader(bytes: Array(text.utf8))
        self = try reader.document()
    }

    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    public var integerValue: Int? {
        if case .integer(let value) = self { Int(value) } else { nil }
    }

    public var arrayValue: [JSONText]? {
        if case .array(let value) = self { value } else { nil }
    }

    public var objectValue: [String: JSONText]? {
        if case .object(let value) = self { value } else { nil }
    }
}

private struct JSONReader {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws -> JSONText {
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw error("text behind the value") }
        return value
    }

    private func error(_ message: String) -> JSONText.ReadError {
        JSONText.ReadError(description: "\(message) at byte \(position)")
    }

    private var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func skipSpace() {
        while [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let wanted = Array(text.description.utf8)
        guard bytes[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    private mutating func value() throws -> JSONText {
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), 0x30...0x39: return try number()
        default:
            if take("null") { return .null }
            if take("true") { return .bool(true) }
            if take("false") { return .bool(false) }
            throw error("no value")
        }
    }

    private mutating func object() throws -> [String: JSONText] {
        var members: [String: JSONText] = [:]
        position += 1
        skipSpace()
        if take("}") { return members }
        while true {
            skipSpace()
            let key = try string()
            skipSpace()
            guard take(":") else { throw error("':' expected") }
            members[key] = try value()
            skipSpace()
            if take("}") { return members }
            guard take(",") else { throw error("',' expected") }
        }
    }

    private mutating func array() throws -> [JSONText] {
        var elements: [JSONText] = []
        position += 1
        skipSpace()
        if take("]") { return elements }
        while true {
            elements.append(try value())
            skipSpace()
            if take("]") { return elements }
            guard take(",") else { throw error("',' expected") }
        }
    }

    private mutating func number() throws -> JSONText {
        let start = position
        while "+-.eE0123456789".utf8.contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if !text.contains(where: { ".eE".contains($0) }), let value = Int64(text) { return .integer(value) }
        guard let value = Double(text) else { throw error("malformed number") }
        return .double(value)
    }

    private mutating func string() throws -> String {
        guard take("\"") else { throw error("string expected") }
        var utf16: [UInt16] = []
        var run = position
        func text(upTo end: Int) -> [UInt16] { Array(String(decoding: bytes[run..<end], as: UTF8.self).utf16) }
        while position < bytes.count, byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                position += 1
                continue
            }
            utf16 += text(upTo: position)
            position += 1
            utf16.append(try escape())
            run = position
        }
        utf16 += text(upTo: position)
        guard take("\"") else { throw error("unterminated string") }
        return String(decoding: utf16, as: UTF16.self)
    }

    private mutating func escape() throws -> UInt16 {
        defer { position += 1 }
        switch byte {
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "r"): return 13
        case UInt8(ascii: "b"): return 8
        case UInt8(ascii: "f"): return 12
        case UInt8(ascii: "u"):
            let digits = String(decoding: bytes.dropFirst(position + 1).prefix(4), as: UTF8.self)
            guard digits.utf8.count == 4, let unit = UInt16(digits, radix: 16) else { throw error("bad escape") }
            position += 4
            return unit
        default: return UInt16(byte)
        }
    }
}
