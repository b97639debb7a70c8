// Why bytes are not the values that they should be.

/// What was wrong with the binary form of values, and where.
package struct BinaryError: Error, Hashable, Sendable {
    /// Kinds of errors.
    package enum Kind: Hashable, Sendable {
        /// The bytes end before the value does.
        case endsEarly
        /// There are bytes behind the value.
        case goesOn
        /// A number stands for no kind of value.
        case unknownKind(UInt8)
        /// A number is out of its range.
        case outOfRange
        /// A text is not UTF-8.
        case notText
        /// Values nest deeper than `BinaryWriter.maximumDepth`.
        case tooDeep
    }

    package var kind: Kind
    /// Where in the bytes, from 0.
    package var offset: Int

    package init(_ kind: Kind, offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension BinaryError: CustomStringConvertible {
    package var description: String {
        let reason =
            switch kind {
            case .endsEarly: "the bytes end before the value"
            case .goesOn: "bytes are left behind the value"
            case .unknownKind(let number): "\(number) stands for no kind of value"
            case .outOfRange: "a number is out of its range"
            case .notText: "a text is not UTF-8"
            case .tooDeep: "values nest deeper than \(BinaryWriter.maximumDepth) levels"
            }
        return "\(reason), at byte \(offset)"
    }
}

/// What has a binary form: versioned by what holds it, the same on every machine.
package protocol BinaryCodable {
    /// Appends the value.
    /// - Throws: `BinaryError` of kind `tooDeep`, the only one that writing meets.
    func write(to writer: inout BinaryWriter) throws(BinaryError)
    /// Reads what `write` wrote.
    /// - Throws: `BinaryError` for anything else.
    init(from reader: inout BinaryReader) throws(BinaryError)
}

extension BinaryCodable {
    /// The bytes of the value alone.
    /// - Throws: `BinaryError` of kind `tooDeep`.
    package func binary() throws(BinaryError) -> [UInt8] {
        var writer = BinaryWriter()
        try write(to: &writer)
        return writer.bytes
    }

    /// The value whose bytes these are, all of them.
    /// - Throws: `BinaryError`.
    package init(binary bytes: [UInt8]) throws(BinaryError) {
        var reader = BinaryReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }
}
