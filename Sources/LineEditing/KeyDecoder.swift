// Bytes from a terminal -> keys.

/// Reads the bytes a terminal sends: UTF-8 text, control characters, escape sequences of xterm and its kin
/// (ECMA-48 CSI and SS3, `CSI … u`), and bracketed paste.
///
/// Bytes may arrive in any pieces. An Escape alone cannot be told from the beginning of a sequence until time has
/// passed: when `isPending` and nothing more comes for some 50 ms, call `flush()`.
package struct KeyDecoder {
    private var bytes: [UInt8] = []
    private var isPasting = false
    private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)
    /// A sequence that is longer is none.
    private static let longestSequence = 64

    /// A decoder at the beginning of a stream.
    package init() {}

    /// Whether bytes are held that may be the beginning of something.
    package var isPending: Bool { !bytes.isEmpty && !isPasting }

    /// Takes bytes in and returns the keys that are complete.
    package mutating func keys(_ more: some Sequence<UInt8>) -> [Key] {
        bytes += more
        var keys: [Key] = []
        var position = 0
        while position < bytes.count {
            let rest = bytes[position...]
            guard let (key, count) = isPasting ? pasted(rest) : Self.key(rest) else { break }
            position += count
            if let key { keys.append(key) }
            if !isPasting, bytes[..<position].hasSuffix("\u{1B}[200~") { isPasting = true }
        }
        bytes.removeFirst(position)
        return keys
    }

    /// What is held, after no more has come: an Escape is one.
    package mutating func flush() -> [Key] {
        if isPasting { return [] }
        defer { bytes = [] }
        return bytes == [0x1B] ? [.named(.escape)] : []
    }

    private mutating func pasted(_ rest: ArraySlice<UInt8>) -> (Key?, Int)? {
        guard let end = rest.firstRange(of: Self.pasteEnd) else { return nil }
        isPasting = false
        return (.paste(Self.cleaned(rest[..<end.lowerBound])), end.upperBound - rest.startIndex)
    }

    /// Line ends as `\n`, no control characters but tabs.
    private static func cleaned(_ bytes: ArraySlice<UInt8>) -> String {
        var scalars = String.UnicodeScalarView()
        var previous: Unicode.Scalar = " "
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\r": scalars.append("\n")
            case "\n": if previous != "\r" { scalars.append("\n") }
            case "\t": scalars.append(scalar)
            default:
                if scalar.value >= 0x20, scalar.value != 0x7F, !(0x80..<0xA0).contains(scalar.value) {
                    scalars.append(scalar)
                }
            }
            previous = scalar
        }
        return String(scalars)
    }

    /// The first key (`nil` for what has no meaning) and its length; `nil` when bytes are missing.
    private static func key(_ rest: ArraySlice<UInt8>) -> (Key?, Int)? {
        let first = rest[rest.startIndex]
        switch first {
        case 0x1B: return escaped(rest)
        case 0x0D: return (.named(.enter), 1)
        case 0x09: return (.named(.tab), 1)
        case 0x7F: return (.named(.backspace), 1)
        case 0..<0x20: return (.control(letter(first)), 1)
        default: return text(rest)
        }
    }

    private static func letter(_ control: UInt8) -> Character {
        Character(UnicodeScalar(control | (control > 0 && control < 0x1B ? 0x60 : 0x40)))
    }

    /// As much text as there is up to a control character, without a character whose bytes are still to come.
    private static func text(_ rest: ArraySlice<UInt8>) -> (Key?, Int)? {
        var end = rest.firstIndex { $0 < 0x20 || $0 == 0x7F } ?? rest.endIndex
        if end == rest.endIndex, let lead = rest.suffix(3).lastIndex(where: { $0 >= 0xC0 }) {
            let needed = rest[lead] >= 0xF0 ? 4 : rest[lead] >= 0xE0 ? 3 : 2
            if rest.endIndex - lead < needed { end = lead }
        }
        if end == rest.startIndex { return nil }
        return (.text(cleanedText(rest[..<end])), end - rest.startIndex)
    }

    private static func cleanedText(_ bytes: ArraySlice<UInt8>) -> String {
        String(
            String.UnicodeScalarView(
                String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
                    !(0x80..<0xA0).contains($0.value)
                }))
    }

    // MARK: Escape sequences

    private static func escaped(_ rest: ArraySlice<UInt8>) -> (Key?, Int)? {
        let start = rest.startIndex
        guard rest.count > 1 else { return nil }
        switch rest[start + 1] {
        case UInt8(ascii: "["): return controlSequence(rest)
        case UInt8(ascii: "O"):
            guard rest.count > 2 else { return nil }
            return (named(final: rest[start + 2], []), 3)
        case 0x1B:
            guard rest.count > 2 else { return nil }
            guard let (key, count) = key(rest.dropFirst()) else { return nil }
            return (key.flatMap(withMeta), count + 1)
        default:
            guard let (key, count) = key(rest.dropFirst()) else { return nil }
            guard case .text? = key else { return (key.flatMap(withMeta), count + 1) }
            let length = rest.dropFirst(2).prefix { $0 & 0xC0 == 0x80 }.count + 1
            let character = String(decoding: rest.dropFirst().prefix(length), as: UTF8.self).first
            return (character.map { .meta($0) }, length + 1)
        }
    }

    private static func withMeta(_ key: Key) -> Key? {
        switch key {
        case .named(let name, let modifiers): .named(name, modifiers.union(.meta))
        case .control(let character): .control(character)
        default: nil
        }
    }

    private static func controlSequence(_ rest: ArraySlice<UInt8>) -> (Key?, Int)? {
        let body = rest.dropFirst(2)
        guard let end = body.firstIndex(where: { 0x40...0x7E ~= $0 }) else {
            return rest.count > longestSequence ? (nil, rest.count) : nil
        }
        let count = end + 1 - rest.startIndex
        let parameters = String(decoding: body[..<end], as: UTF8.self)
            .split(separator: ";", omittingEmptySubsequences: false).map { Int($0.prefix { $0 != ":" }) ?? 1 }
        let modifiers = Key.Modifiers(rawValue: parameters.count > 1 ? max(0, parameters[1] - 1) & 7 : 0)
        switch body[end] {
        case UInt8(ascii: "~"): return (named(number: parameters.first ?? 0, modifiers), count)
        case UInt8(ascii: "u"): return (named(code: parameters.first ?? 0, modifiers), count)
        case let final: return (named(final: final, modifiers), count)
        }
    }

    private static func named(final: UInt8, _ modifiers: Key.Modifiers) -> Key? {
        switch UnicodeScalar(final) {
        case "A": .named(.up, modifiers)
        case "B": .named(.down, modifiers)
        case "C": .named(.right, modifiers)
        case "D": .named(.left, modifiers)
        case "H": .named(.home, modifiers)
        case "F": .named(.end, modifiers)
        case "M": .named(.enter, modifiers)
        case "Z": .named(.tab, modifiers.union(.shift))
        default: nil
        }
    }

    private static func named(number: Int, _ modifiers: Key.Modifiers) -> Key? {
        switch number {
        case 1, 7: .named(.home, modifiers)
        case 2: .named(.insert, modifiers)
        case 3: .named(.delete, modifiers)
        case 4, 8: .named(.end, modifiers)
        case 5: .named(.pageUp, modifiers)
        case 6: .named(.pageDown, modifiers)
        default: nil
        }
    }

    private static func named(code: Int, _ modifiers: Key.Modifiers) -> Key? {
        switch code {
        case 13: return .named(.enter, modifiers)
        case 9: return .named(.tab, modifiers)
        case 27: return .named(.escape, modifiers)
        case 127: return .named(.backspace, modifiers)
        default:
            guard let scalar = UInt32(exactly: code).flatMap(UnicodeScalar.init) else { return nil }
            if modifiers.contains(.control) { return .control(Character(scalar)) }
            return modifiers.contains(.meta) ? .meta(Character(scalar)) : .text(String(Character(scalar)))
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
