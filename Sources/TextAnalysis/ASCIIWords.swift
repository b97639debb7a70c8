// The words of ASCII text, exactly as ICU cuts them but several times as fast.

/// Word boundaries of ASCII text by ICU's rules for the root locale.
///
/// Letters (`@` among them), digits and `_` join. A full stop or apostrophe joins two letters or two digits, a comma or
/// semicolon two digits. A lone `_` is no word.
enum ASCIIWords {
    private static let letter: UInt8 = 1
    private static let digit: UInt8 = 2
    private static let underscore: UInt8 = 4
    private static let joinsLetters: UInt8 = 8
    private static let joinsDigits: UInt8 = 16
    private static let wordly = letter | digit | underscore

    private static let classes: [UInt8] = (0..<256).map { byte in
        switch UInt8(byte) {
        case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "@"): letter
        case 0x30...0x39: digit
        case UInt8(ascii: "_"): underscore
        case UInt8(ascii: "."), UInt8(ascii: "'"): joinsLetters | joinsDigits
        case UInt8(ascii: ","), UInt8(ascii: ";"): joinsDigits
        default: 0
        }
    }

    /// The first word at or after `start`; nil where there is none.
    static func next(in text: Span<UInt8>, from start: Int) -> Range<Int>? {
        let classes = classes.span
        var begin = start
        while true {
            while begin < text.count, classes[Int(text[begin])] & wordly == 0 { begin &+= 1 }
            guard begin < text.count else { return nil }
            var end = begin &+ 1
            while true {
                while end < text.count, classes[Int(text[end])] & wordly != 0 { end &+= 1 }
                // What joins must stand between two letters, or between two digits.
                guard end &+ 1 < text.count else { break }
                let joint = classes[Int(text[end])] >> 3
                let sides = classes[Int(text[end &- 1])] & classes[Int(text[end &+ 1])]
                guard joint & sides != 0 else { break }
                end &+= 2
            }
            if end &- begin > 1 || text[begin] != UInt8(ascii: "_") { return begin..<end }
            begin = end
        }
    }
}
