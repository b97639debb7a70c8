// Number literals: decimal with fraction and exponent, hexadecimal, octal, binary.

/// What a number literal denotes; a sign is not part of it.
enum NumberValue {
    /// An integer that fits in 64 bits without a sign.
    case integer(UInt64)
    /// A number with a fraction or an exponent, or a greater integer.
    case double(Double)

    /// The literal, with a minus before it or without. An integer beyond Int64 becomes a Double.
    func literal(negative: Bool) -> Literal {
        switch self {
        case .integer(let magnitude):
            if magnitude <= UInt64(Int64.max) {
                .integer(negative ? -Int64(magnitude) : Int64(magnitude))
            } else if negative, magnitude == UInt64(Int64.max) + 1 {
                .integer(.min)
            } else {
                .double(negative ? -Double(magnitude) : Double(magnitude))
            }
        case .double(let value): .double(negative ? -value : value)
        }
    }
}

extension Lexer {
    /// The literal that the current number is.
    var numberLiteral: Literal {
        if let unit, case .integer(let count) = number { return .duration(TimeSpan(Int64(count), unit)) }
        return number.literal(negative: false)
    }

    /// Reads the number that begins with the digit at `start`.
    mutating func scanNumber() {
        var end: Int?
        let value: NumberValue?
        unit = nil
        switch (bytes[start], bytes[start + 1] | 0x20) {
        case (0x30, 0x78): (end, value) = scanDigits(bitsPerDigit: 4)  // 0x
        case (0x30, 0x6F): (end, value) = scanDigits(bitsPerDigit: 3)  // 0o
        case (0x30, 0x62): (end, value) = scanDigits(bitsPerDigit: 1)  // 0b
        default:
            (end, value) = scanDecimal()
            if let digits = end, let known = Self.unit(bytes[digits]), !continuesWord(at: digits + 1),
                digits == endOfDigits
            {
                unit = known
                end = digits + 1
            }
        }
        guard let end, !continuesWord(at: end) else {
            return reject(.malformedNumber, at: start, upTo: max(start + 1, endOfIdentifier(from: end ?? start)))
        }
        guard let value else { return reject(.numberOutOfRange, at: start, upTo: end) }
        if unit != nil {
            guard case .integer(let count) = value, count <= Self.greatestCount else {
                return reject(.lengthOutOfRange, at: start, upTo: end)
            }
        }
        number = value
        accept(.number, upTo: end)
    }

    /// The greatest count of a length of time: a million years in seconds.
    private static let greatestCount: UInt64 = 31_556_952_000_000

    /// The first byte behind the digits at `start`.
    private var endOfDigits: Int {
        var position = start
        while Self.isDigit(bytes[position]) { position += 1 }
        return position
    }

    /// The unit of time of a letter.
    private static func unit(_ byte: UInt8) -> TimeSpan.Unit? {
        switch byte {
        case 0x73: .second
        case 0x6D: .minute
        case 0x68: .hour
        case 0x64: .day
        case 0x77: .week
        default: nil
        }
    }

    @inline(__always)
    private func continuesWord(at position: Int) -> Bool {
        Self.isWordPart(bytes[position]) || bytes[position] >= 0x80 && startsIdentifier(at: position)
    }

    /// Digits of a radix that is a power of two, behind a prefix of two characters.
    /// The end is `nil` without digits, the value beyond the range of Double.
    private func scanDigits(bitsPerDigit: Int) -> (end: Int?, value: NumberValue?) {
        var mantissa: UInt64 = 0
        var droppedBits = 0
        var position = start + 2
        while let digit = Self.hexadecimalDigit(bytes[position]), digit < 1 << bitsPerDigit {
            if mantissa.leadingZeroBitCount >= bitsPerDigit, droppedBits == 0 {
                mantissa = mantissa << UInt64(bitsPerDigit) | UInt64(digit)
            } else {
                // Beyond 64 bits only the magnitude counts, and whether anything was dropped: the lowest bit keeps
                // that in mind for the rounding.
                droppedBits += bitsPerDigit
                if digit != 0 { mantissa |= 1 }
            }
            position += 1
        }
        if position == start + 2 { return (nil, nil) }
        if droppedBits == 0 { return (position, .integer(mantissa)) }
        guard droppedBits < 1024 else { return (position, nil) }
        let value = Double(sign: .plus, exponent: droppedBits, significand: Double(mantissa))
        return (position, value.isFinite ? .double(value) : nil)
    }

    /// Decimal digits with an optional fraction and exponent.
    /// The end is `nil` for an exponent without digits, the value beyond the range of Double.
    private func scanDecimal() -> (end: Int?, value: NumberValue?) {
        var mantissa: UInt64 = 0
        var isExact = true
        var position = start
        func scanDigits() {
            while Self.isDigit(bytes[position]) {
                let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
                let (sum, carry) = product.addingReportingOverflow(UInt64(bytes[position] &- 0x30))
                if overflow || carry { isExact = false }
                mantissa = sum
                position += 1
            }
        }
        scanDigits()
        var isInteger = true
        var exponent = 0
        if bytes[position] == 0x2E {  // .
            isInteger = false
            position += 1
            let fraction = position
            scanDigits()
            exponent = fraction - position
        }
        if bytes[position] | 0x20 == 0x65 {  // e
            isInteger = false
            position += 1
            let isNegative = bytes[position] == 0x2D
            if isNegative || bytes[position] == 0x2B { position += 1 }
            let digits = position
            var value = 0
            while Self.isDigit(bytes[position]) {
                value = min(value * 10 + Int(bytes[position] &- 0x30), 1_000_000)
                position += 1
            }
            if position == digits { return (nil, nil) }
            exponent += isNegative ? -value : value
        }
        if isInteger, isExact { return (position, .integer(mantissa)) }
        let value: Double
        if isExact, mantissa <= 1 << 53, exponent.magnitude <= 22 {
            // Both factors are exact, so one rounding gives the nearest Double.
            let power = Self.powersOfTen[Int(exponent.magnitude)]
            value = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
        } else {
            value = Double(String(decoding: bytes[start..<position], as: UTF8.self)) ?? .infinity
        }
        return (position, value.isFinite ? .double(value) : nil)
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// The value of a hexadecimal digit, `nil` for any other byte.
    static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }
}
