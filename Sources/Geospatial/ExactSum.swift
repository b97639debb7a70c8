// Sums of products of floating-point numbers, without rounding.

/// The exact sum of products of two finite numbers, each below 2¹⁰ in magnitude.
///
/// A fixed-point number in two's complement that reaches from the unit of the smallest possible product, 2⁻²¹⁴⁸, to
/// beyond 2⁶⁰: nothing is rounded, nothing is lost below, and no thousand terms run over. Only its sign is of interest.
struct ExactSum {
    private var words = [UInt64](repeating: 0, count: 36)

    /// Adds a · b.
    mutating func add(_ a: Double, _ b: Double) {
        guard a != 0, b != 0 else { return }
        let (first, second) = (Self.parts(a), Self.parts(b))
        let product = first.significand.multipliedFullWidth(by: second.significand)
        let shift = first.shift + second.shift
        let (word, bits) = (shift >> 6, UInt64(shift & 63))
        // The 106 bits of the product lie within three words.
        let low = product.low << bits
        let middle = product.high << bits | (bits == 0 ? 0 : product.low >> (64 - bits))
        let high = bits == 0 ? 0 : product.high >> (64 - bits)
        add([low, middle, high], at: word, isNegative: (a < 0) != (b < 0))
    }

    /// −1, 0 or 1.
    var sign: Int {
        if words[words.count - 1] >> 63 == 1 { return -1 }
        return words.contains { $0 != 0 } ? 1 : 0
    }

    private mutating func add(_ part: [UInt64], at first: Int, isNegative: Bool) {
        // A negative number is added as its complement, plus one.
        var carry: UInt64 = isNegative ? 1 : 0
        let filling: UInt64 = isNegative ? ~0 : 0
        for index in first..<words.count {
            let digits = (index - first < part.count ? part[index - first] : 0) ^ filling
            let (sum, overflow) = words[index].addingReportingOverflow(digits)
            let (total, again) = sum.addingReportingOverflow(carry)
            words[index] = total
            carry = overflow || again ? 1 : 0
        }
    }

    /// A number's whole significand, and its exponent above that of the smallest number there is.
    private static func parts(_ value: Double) -> (significand: UInt64, shift: Int) {
        let pattern = value.significandBitPattern
        let exponent = Int(value.exponentBitPattern)
        return exponent == 0 ? (pattern, 0) : (pattern | 1 << 52, exponent - 1)
    }
}
