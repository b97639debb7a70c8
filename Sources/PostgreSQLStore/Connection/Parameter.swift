// Values of parameters in the server's binary form.

/// A value that a statement gets as a parameter: never a part of its text.
package enum Parameter: Hashable, Sendable {
    /// A type of the server, by its number there.
    package enum Kind: UInt32, Hashable, Sendable {
        case bool = 16
        case bytes = 17
        case int64 = 20
        case int16 = 21
        case int32 = 23
        case text = 25
        case double = 701
        case bools = 1000
        case bytesList = 1001
        case int16s = 1005
        case int32s = 1007
        case texts = 1009
        case int64s = 1016
        case doubles = 1022

        /// The type of the elements of an array; `nil` for a type that is none.
        var element: Kind? {
            switch self {
            case .bools: .bool
            case .bytesList: .bytes
            case .int16s: .int16
            case .int32s: .int32
            case .texts: .text
            case .int64s: .int64
            case .doubles: .double
            default: nil
            }
        }
    }

    /// No value of a type.
    case null(Kind)
    case bool(Bool)
    case int16(Int16)
    case int32(Int32)
    case int64(Int64)
    case double(Double)
    /// Text without U+0000, which the server does not store.
    case text(String)
    case bytes([UInt8])
    /// An array; elements of another type are sent as missing.
    case array(Kind, [Parameter])

    /// An array of texts.
    package static func texts(_ texts: some Sequence<String>) -> Parameter { .array(.texts, texts.map { .text($0) }) }

    /// An array of numbers.
    package static func int64s(_ numbers: some Sequence<Int64>) -> Parameter {
        .array(.int64s, numbers.map { .int64($0) })
    }

    /// An array of small numbers.
    package static func int32s(_ numbers: some Sequence<Int32>) -> Parameter {
        .array(.int32s, numbers.map { .int32($0) })
    }

    /// A text, or that there is none.
    package static func text(_ text: String?) -> Parameter { text.map { .text($0) } ?? .null(.text) }

    /// Bytes, or that there are none.
    package static func bytes(_ bytes: [UInt8]?) -> Parameter { bytes.map { .bytes($0) } ?? .null(.bytes) }

    /// The type that the server is told.
    var kind: Kind {
        switch self {
        case .null(let kind): kind
        case .bool: .bool
        case .int16: .int16
        case .int32: .int32
        case .int64: .int64
        case .double: .double
        case .text: .text
        case .bytes: .bytes
        case .array(let kind, _): kind
        }
    }

    /// The bytes of the value; `nil` for none.
    var encoded: [UInt8]? {
        switch self {
        case .null: return nil
        case .bool(let flag): return [flag ? 1 : 0]
        case .int16(let number): return Self.bytes(of: number)
        case .int32(let number): return Self.bytes(of: number)
        case .int64(let number): return Self.bytes(of: number)
        case .double(let number): return Self.bytes(of: number.bitPattern)
        case .text(let text): return Array(text.utf8)
        case .bytes(let bytes): return bytes
        case .array(let kind, let elements): return Self.array(kind, elements)
        }
    }

    /// One dimension, whether elements are missing, their type, their number, the first index, then each with its
    /// length.
    private static func array(_ kind: Kind, _ elements: [Parameter]) -> [UInt8] {
        let element = kind.element ?? .text
        var bytes = Self.bytes(of: Int32(elements.isEmpty ? 0 : 1)) + Self.bytes(of: Int32(1))
        bytes += Self.bytes(of: element.rawValue)
        if elements.isEmpty { return bytes }
        bytes += Self.bytes(of: Int32(truncatingIfNeeded: elements.count)) + Self.bytes(of: Int32(1))
        for value in elements {
            if value.kind == element, let encoded = value.encoded {
                bytes += Self.bytes(of: Int32(truncatingIfNeeded: encoded.count))
                bytes += encoded
            } else {
                bytes += Self.bytes(of: Int32(-1))
            }
        }
        return bytes
    }

    /// The bytes of a number, the highest first.
    private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        (0..<number.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
