// Reading UTF-8 bytes: finding what is not ASCII, decoding scalars, comparing.

/// What decoding one scalar gives.
struct DecodedScalar {
    /// The scalar; U+FFFD stands for a byte that begins no well-formed sequence.
    var value: UInt32
    /// How many bytes it took, 1 to 4.
    var length: Int
}

extension Span<UInt8> {
    /// The first offset at or after `start` whose byte is not ASCII; `count` where there is none.
    /// - Complexity: O(n), 32 bytes at a time.
    func firstNonASCII(from start: Int) -> Int {
        var offset = start
        while offset &+ 32 <= count {
            var seen: UInt8 = 0
            for lane in 0..<32 { seen |= self[offset &+ lane] }
            if seen >= 0x80 { break }
            offset &+= 32
        }
        while offset < count, self[offset] < 0x80 { offset &+= 1 }
        return offset
    }

    /// Whether every byte is ASCII.
    /// - Complexity: O(n).
    var isASCII: Bool { firstNonASCII(from: 0) == count }

    /// The scalar that starts at `offset`, which must be inside the text. Ill-formed bytes are read one by one as
    /// U+FFFD.
    @inline(__always)
    func scalar(at offset: Int) -> DecodedScalar {
        let lead = UInt32(self[offset])
        if lead < 0x80 { return DecodedScalar(value: lead, length: 1) }
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        let illFormed = DecodedScalar(value: 0xFFFD, length: 1)
        guard lead >= 0xC2, lead < 0xF5, offset &+ length <= count else { return illFormed }
        var value = lead & (0x7F >> UInt32(length))
        for index in 1..<length {
            let next = UInt32(self[offset &+ index])
            guard next & 0xC0 == 0x80 else { return illFormed }
            value = value << 6 | (next & 0x3F)
        }
        let isShortest = length == 2 || (length == 3 && value >= 0x800) || (length == 4 && value >= 0x10000)
        guard isShortest, value < 0xD800 || (value > 0xDFFF && value <= 0x10FFFF) else { return illFormed }
        return DecodedScalar(value: value, length: length)
    }

    /// The scalar that ends just before `offset`, which must be above zero.
    func scalar(before offset: Int) -> DecodedScalar {
        for length in 1...4 where length <= offset && self[offset &- length] & 0xC0 != 0x80 {
            let decoded = scalar(at: offset &- length)
            if decoded.length == length { return decoded }
            break
        }
        return DecodedScalar(value: 0xFFFD, length: 1)
    }

    /// Whether both hold the same bytes.
    /// - Complexity: O(n).
    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        count == other.count && order(against: other) == 0
    }

    /// -1, 0 or 1 by the first byte that differs, then by length: the order of scalars for well-formed text.
    /// - Complexity: O(n).
    func order(against other: Span<UInt8>) -> Int {
        let shared = Swift.min(count, other.count)
        for offset in 0..<shared where self[offset] != other[offset] {
            return self[offset] < other[offset] ? -1 : 1
        }
        return count == other.count ? 0 : count < other.count ? -1 : 1
    }
}

extension String {
    /// Text from UTF-8 bytes; ill-formed parts become U+FFFD.
    init(utf8 bytes: Span<UInt8>) {
        // SAFETY: the pointer is used during the call only.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
