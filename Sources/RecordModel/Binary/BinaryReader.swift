// Values from bytes that may be any bytes at all.

/// Reads what a `BinaryWriter` wrote; everything is checked before it is relied on.
package struct BinaryReader: Sendable {
    private let bytes: [UInt8]
    /// Where the next value starts.
    package private(set) var offset = 0
    private var depth = 0

    /// A reader of all of some bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Bytes that are left.
    package var remaining: Int { bytes.count - offset }

    /// The error of a kind at the place of the next value.
    package func error(_ kind: BinaryError.Kind) -> BinaryError { BinaryError(kind, offset: offset) }

    /// Checks that nothing is left.
    /// - Throws: `BinaryError` of kind `goesOn`.
    package func finish() throws(BinaryError) {
        if remaining > 0 { throw error(.goesOn) }
    }

    /// One byte.
    /// - Throws: `BinaryError` of kind `endsEarly`.
    package mutating func byte() throws(BinaryError) -> UInt8 {
        guard offset < bytes.count else { throw error(.endsEarly) }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// A byte that says yes or no.
    /// - Throws: `BinaryError`.
    package mutating func flag() throws(BinaryError) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw BinaryError(.outOfRange, offset: offset - 1) }
        return byte == 1
    }

    /// A number without sign.
    /// - Throws: `BinaryError`.
    package mutating func number() throws(BinaryError) -> UInt64 {
        let start = offset
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            // The tenth byte has room for the highest bit alone.
            guard shift < 63 || byte <= 1 else { throw BinaryError(.outOfRange, offset: start) }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
    }

    /// A signed number.
    /// - Throws: `BinaryError`.
    package mutating func signed() throws(BinaryError) -> Int64 {
        let number = try number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// A number of things, each of which takes so many bytes at least: no more than there can be.
    /// - Throws: `BinaryError`.
    package mutating func count(ofBytes size: Int = 1) throws(BinaryError) -> Int {
        let start = offset
        let number = try number()
        guard number <= UInt64(remaining / max(1, size)) else { throw BinaryError(.endsEarly, offset: start) }
        return Int(number)
    }

    /// A number without sign that is no greater than another.
    /// - Throws: `BinaryError`.
    package mutating func number(upTo limit: Int) throws(BinaryError) -> Int {
        let start = offset
        let number = try number()
        guard number <= UInt64(max(0, limit)) else { throw BinaryError(.outOfRange, offset: start) }
        return Int(number)
    }

    /// Eight bytes.
    /// - Throws: `BinaryError` of kind `endsEarly`.
    package mutating func fixed() throws(BinaryError) -> UInt64 {
        guard remaining >= 8 else { throw error(.endsEarly) }
        var number: UInt64 = 0
        for index in 0..<8 { number |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        offset += 8
        return number
    }

    /// All bits of a number.
    /// - Throws: `BinaryError` of kind `endsEarly`.
    package mutating func double() throws(BinaryError) -> Double { Double(bitPattern: try fixed()) }

    /// A text.
    /// - Throws: `BinaryError`.
    package mutating func text() throws(BinaryError) -> String {
        let count = try count()
        guard let text = String(validating: bytes[offset..<offset + count], as: UTF8.self) else {
            throw error(.notText)
        }
        offset += count
        return text
    }

    /// Bytes with their number.
    /// - Throws: `BinaryError`.
    package mutating func counted() throws(BinaryError) -> ArraySlice<UInt8> {
        let count = try count()
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    /// Reads something within a level of its own.
    /// - Throws: `BinaryError` of kind `tooDeep`, or what `body` throws.
    package mutating func nest<Value>(
        _ body: (inout BinaryReader) throws(BinaryError) -> Value
    ) throws(BinaryError) -> Value {
        guard depth < BinaryWriter.maximumDepth else { throw error(.tooDeep) }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    /// Values with their number.
    /// - Throws: `BinaryError`.
    package mutating func list<Value: BinaryCodable>(of: Value.Type = Value.self) throws(BinaryError) -> [Value] {
        var list: [Value] = []
        let count = try count()
        list.reserveCapacity(count)
        for _ in 0..<count { list.append(try Value(from: &self)) }
        return list
    }

    /// A value, if there is one.
    /// - Throws: `BinaryError`.
    package mutating func optional<Value: BinaryCodable>(
        of: Value.Type = Value.self
    ) throws(BinaryError) -> Value? { try flag() ? try Value(from: &self) : nil }
}
