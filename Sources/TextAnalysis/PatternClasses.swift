// The expensive parts of a regular expression: classes of characters that are not written out, counted without ICU.

/// Counts the classes of characters that ICU computes: every `\p{…}` and `\N{…}`, look-behinds, and, where a set holds
/// escapes of many characters, names as in `[:alpha:]` or scalars from U+0600 on, its brackets and those escapes.
/// Without case ICU closes each of them over all its scalars one by one: up to a million of them, in some milliseconds.
///
/// Sets of letters and ranges below, such as `[a-zà-ÿ]`, and of few characters, such as `[^\s\d]`, cost microseconds
/// and are not counted; neither are `\w`, `\d` and their kin outside of sets, which ICU keeps ready. Where quotations
/// by `\Q` or the flag `x` hide what is a bracket, every bracket and escape counts.
struct PatternClasses {
    private(set) var count = 0
    private let bytes: [UInt8]
    private let isMasked: Bool
    private var position = 0
    /// Brackets that are open: those that were counted enclose those that were not.
    private var counted = 0
    private var uncounted = 0

    /// How many there are in a pattern. Complexity: O(n).
    static func count(in pattern: String) -> Int {
        var classes = PatternClasses(pattern)
        classes.run()
        return classes.count
    }

    private init(_ pattern: String) {
        bytes = Array(pattern.utf8)
        isMasked = Self.isMasked(bytes)
    }

    /// Whether a pattern sets the flag for matching without case, or may do so.
    static func ignoresCase(_ pattern: String) -> Bool { holdsFlag(UInt8(ascii: "i"), Array(pattern.utf8)) }

    /// Whether brackets may appear where they are none: behind `\Q`, or in the comments that the flag `x` allows.
    private static func isMasked(_ bytes: [UInt8]) -> Bool {
        let isQuoted = bytes.indices.dropLast().contains {
            bytes[$0] == UInt8(ascii: "\\") && bytes[$0 + 1] == UInt8(ascii: "Q")
        }
        return isQuoted || holdsFlag(UInt8(ascii: "x"), bytes)
    }

    /// Whether a flag follows some `(?`.
    private static func holdsFlag(_ flag: UInt8, _ bytes: [UInt8]) -> Bool {
        for index in bytes.indices.dropLast() {
            guard bytes[index] == UInt8(ascii: "("), bytes[index + 1] == UInt8(ascii: "?") else { continue }
            let flags = bytes[(index + 2)...].prefix { $0 == UInt8(ascii: "-") || isLetter($0) }
            if flags.contains(flag) { return true }
        }
        return false
    }

    private mutating func run() {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\\"): escape()
            case UInt8(ascii: "["): open()
            case UInt8(ascii: "]"): close()
            case UInt8(ascii: "("): if isLookBehind { count += 1 }
            // The first byte of U+0600 and all behind it.
            case 0xD8...: countOpen()
            default: break
            }
        }
    }

    private mutating func open() {
        if isMasked {
            count += 1
            return
        }
        uncounted += 1
        // `[:alpha:]`
        if next == UInt8(ascii: ":") { countOpen() }
        // A bracket that comes first in a set closes nothing.
        if next == UInt8(ascii: "^") { position += 1 }
        if next == UInt8(ascii: "]") { position += 1 }
    }

    private mutating func close() {
        if uncounted > 0 {
            uncounted -= 1
        } else if counted > 0 {
            counted -= 1
        }
    }

    /// Counts the sets around, as something in them is computed.
    private mutating func countOpen() {
        count += uncounted
        counted += uncounted
        uncounted = 0
    }

    private mutating func escape() {
        guard let letter = next else { return }
        position += 1
        // `\c` takes the next character, whatever it is.
        if letter == UInt8(ascii: "c") { position += 1 }
        let isInSet = isMasked || counted + uncounted > 0
        switch letter {
        case UInt8(ascii: "p"), UInt8(ascii: "P"), UInt8(ascii: "N"):
            countOpen()
            count += 1
        // One character, or a few.
        case UInt8(ascii: "t"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "f"), UInt8(ascii: "s"),
            UInt8(ascii: "d"), UInt8(ascii: "h"), UInt8(ascii: "v"):
            break
        case _ where isInSet && (Self.isLetter(letter) || letter &- 0x30 < 10):
            countOpen()
            count += 1
        default: break
        }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private var isLookBehind: Bool {
        position + 2 < bytes.count && bytes[position] == UInt8(ascii: "?") && bytes[position + 1] == UInt8(ascii: "<")
            && (bytes[position + 2] == UInt8(ascii: "=") || bytes[position + 2] == UInt8(ascii: "!"))
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
}
