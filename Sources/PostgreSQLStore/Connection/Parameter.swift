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
        if case .null = self { return nil }
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// Appends the bytes of the value; nothing for none.
    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: break
        case .bool(let flag): bytes.append(flag ? 1 : 0)
        case .int16(let number): bytes.append(bigEndian: number)
        case .int32(let number): bytes.append(bigEndian: number)
        case .int64(let number): bytes.append(bigEndian: number)
        case .double(let number): bytes.append(bigEndian: number.bitPattern)
        case .text(let text): bytes += text.utf8
        case .bytes(let other): bytes += other
        case .array(let kind, let elements): Self.write(kind, elements, to: &bytes)
        }
    }

    /// Appends the length of the value and its bytes, as elements of arrays and columns of copied rows have them.
    func writeCounted(to bytes: inout [UInt8]) {
        if case .null = self { return bytes.append(bigEndian: Int32(-1)) }
        bytes.appendCounted { write(to: &$0) }
    }

    /// One dimension, whether elements are missing, their type, their number, the first index, then each with its
    /// length.
    private static func write(_ kind: Kind, _ elements: [Parameter], to bytes: inout [UInt8]) {
        let element = kind.element ?? .text
        bytes.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
        bytes.append(bigEndian: Int32(1))
        bytes.append(bigEndian: element.rawValue)
        if elements.isEmpty { return }
        bytes.append(bigEndian: Int32(truncatingIfNeeded: elements.count))
        bytes.append(bigEndian: Int32(1))
        for value in elements { (value.kind == element ? value : .null(element)).writeCounted(to: &bytes) }
    }
}

extension [UInt8] {
    /// Appends a number, its highest byte first.
    mutating func append(bigEndian number: some FixedWidthInteger) {
        // SAFETY: the bytes are those of a number on this frame.
        unsafe Swift.withUnsafeBytes(of: number.bigEndian) { unsafe append(contentsOf: $0) }
    }

    /// Appends what a body appends, behind its number of bytes.
    mutating func appendCounted(_ body: (inout [UInt8]) -> Void) {
        let start = count
        append(bigEndian: Int32(0))
        body(&self)
        let length = UInt32(truncatingIfNeeded: count - start - 4)
        for byte in 0..<4 { self[start + byte] = UInt8(truncatingIfNeeded: length >> (24 - 8 * byte)) }
    }
}
