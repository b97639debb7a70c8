// How many columns of a terminal a character takes.

/// Terminal columns after Unicode Standard Annex 11, from the properties of the standard library and a table of the
/// wide blocks (this module imports nothing).
enum TerminalWidth {
    /// What to show for a character that begins at a column, and the columns it takes.
    ///
    /// Tabs become spaces up to the next multiple of four columns, control characters their pictures; a sign that
    /// turns the direction of writing would move the marker and is shown as a replacement character.
    static func shown(_ character: Character, atColumn column: Int) -> (text: String, width: Int) {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return ("", 0) }
        switch first.value {
        case 0x09:
            let width = 4 - column % 4
            return (String(repeating: " ", count: width), width)
        case 0..<0x20: return (picture(0x2400 + first.value), 1)
        case 0x7F: return (picture(0x2421), 1)
        case 0x20..<0x7F where scalars.count == 1: return (String(character), 1)
        case 0x80..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: return ("\u{FFFD}", 1)
        default: break
        }
        if scalars.contains(where: isWide) { return (String(character), 2) }
        // Marks without a base get one that can be seen.
        if scalars.allSatisfy(isMark) { return ("\u{25CC}" + String(character), 1) }
        return (String(character), first.properties.generalCategory == .format ? 0 : 1)
    }

    private static func picture(_ value: UInt32) -> String {
        Unicode.Scalar(value).map { String($0) } ?? "?"
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    /// True for East Asian wide and fullwidth characters, for emoji, and for the selector that makes one.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x1100 else { return false }
        if scalar.value == 0xFE0F || scalar.properties.isEmojiPresentation { return true }
        var lower = 0
        var upper = wideRanges.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if wideRanges[middle].upperBound < scalar.value { lower = middle + 1 } else { upper = middle }
        }
        return lower < wideRanges.count && wideRanges[lower].contains(scalar.value)
    }

    /// Blocks whose characters are wide (EastAsianWidth W or F) beside those with emoji presentation.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DFF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F200...0x1F265,
        0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]
}
