// The ways in which equal texts are written: texts are equal that have one normal form.

/// Which scalars other texts may have in place of those of a text that is equal to them.
package enum TextSpelling {
    /// Scalars of ASCII that are the normal form of another one as well.
    package static let twins: [Unicode.Scalar: Unicode.Scalar] = [
        ";": "\u{37E}", "K": "\u{212A}", "`": "\u{1FEF}",
    ]

    /// All ways in which a text that is equal to another one may be written; `nil` where they are not known, or many.
    ///
    /// - Complexity: O(length) for one.
    package static func all(of text: String) -> [String]? {
        // Most names and texts; a query needs them once for each segment.
        if text.utf8.allSatisfy({ $0 < 0x80 && twins[Unicode.Scalar($0)] == nil }) { return [text] }
        let composed = TextFolding.fold(text, [])
        var written = [String.UnicodeScalarView()]
        for scalar in composed.unicodeScalars {
            if let other = twins[scalar] {
                guard written.count < 16 else { return nil }
                written = written.flatMap { [$0 + [scalar], $0 + [other]] }
            } else if isStable(scalar) {
                for index in written.indices { written[index].append(scalar) }
            } else {
                return nil
            }
        }
        return written.map { String($0) }
    }

    /// Whether a scalar of a normal form was written as it is: none has it as its normal form, it is composed of no
    /// others, and no mark moves it. Known of ASCII, and of letters up to U+024F and from U+0400 to U+047F.
    package static func isStable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x80: return twins[scalar] == nil
        case 0xC0...0x24F, 0x400...0x47F:
            let text = String(scalar)
            return TextFolding.fold(text, .diacriticInsensitive).utf8.elementsEqual(text.utf8)
        default: return false
        }
    }
}
