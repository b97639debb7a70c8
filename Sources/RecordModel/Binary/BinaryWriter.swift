// Values as bytes: the small parts that all binary forms are made of.

/// Bytes under construction.
///
/// Numbers of things take seven bits a byte, the lowest first, and signed numbers are folded so that small ones of
/// either sign are short; everything of fixed size has its lowest byte first.
package struct BinaryWriter: Sendable {
    /// Levels to which values may nest: reading them takes stack.
    package static let maximumDepth = 1000

    /// What was written so far.
    package private(set) var bytes: [UInt8] = []
    /// Levels that are open.
    private var depth = 0

    package init() {}

    /// Forgets what was written and keeps the room.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Appends one byte.
    package mutating func write(byte: UInt8) { bytes.append(byte) }

    /// Appends a number of things.
    package mutating func write(count: Int) { write(number: UInt64(max(0, count))) }

    /// Appends a number without sign in as few bytes as it takes, ten at most.
    package mutating func write(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a signed number in as few bytes as it takes, ten at most.
    package mutating func write(signed: Int64) { write(number: UInt64(bitPattern: signed << 1 ^ signed >> 63)) }

    /// Appends eight bytes.
    package mutating func write(fixed: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: fixed >> shift)) }
    }

    /// Appends all bits of a number.
    package mutating func write(_ number: Double) { write(fixed: number.bitPattern) }

    /// Appends a text with its length.
    package mutating func write(_ text: String) {
        write(count: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends bytes with their number.
    package mutating func write(bytes other: some Collection<UInt8>) {
        write(count: other.count)
        bytes.append(contentsOf: other)
    }

    /// Appends something within a level of its own.
    /// - Throws: `BinaryError` of kind `tooDeep`, or what `body` throws.
    package mutating func nest(
        _ body: (inout BinaryWriter) throws(BinaryError) -> Void
    ) throws(BinaryError) {
        guard depth < Self.maximumDepth else { throw BinaryError(.tooDeep, offset: bytes.count) }
        depth += 1
        defer { depth -= 1 }
        try body(&self)
    }

    /// Appends values with their number.
    /// - Throws: `BinaryError` of kind `tooDeep`.
    package mutating func write<Value: BinaryCodable>(list: [Value]) throws(BinaryError) {
        write(count: list.count)
        for value in list { try value.write(to: &self) }
    }

    /// Appends a value or that there is none.
    /// - Throws: `BinaryError` of kind `tooDeep`.
    package mutating func write<Value: BinaryCodable>(optional: Value?) throws(BinaryError) {
        write(byte: optional == nil ? 0 : 1)
        try optional?.write(to: &self)
    }
}
