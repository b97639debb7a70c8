// Bytes as text: base64 of RFC 4648.

/// Base64 with the standard alphabet and padding.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// The text of bytes.
    package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var group: UInt32 = 0
        var held = 0
        func letter(_ shift: UInt32) -> UInt8 { alphabet[Int(group >> shift & 63)] }
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            held += 1
            guard held == 3 else { continue }
            text += [letter(18), letter(12), letter(6), letter(0)]
            (group, held) = (0, 0)
        }
        let padding = UInt8(ascii: "=")
        if held == 1 {
            group <<= 16
            text += [letter(18), letter(12), padding, padding]
        } else if held == 2 {
            group <<= 8
            text += [letter(18), letter(12), letter(6), padding]
        }
        return text
    }

    /// The bytes of a text, or `nil` when it is not base64; padding may be missing.
    package static func decode(_ text: String) -> [UInt8]? {
        var letters = Array(text.utf8)
        if letters.last == UInt8(ascii: "=") {
            guard letters.count % 4 == 0 else { return nil }
            letters.removeLast()
            if letters.last == UInt8(ascii: "=") { letters.removeLast() }
        }
        guard letters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count / 4 * 3 + 2)
        var group: UInt32 = 0
        var bits = 0
        for letter in letters {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            group = group << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
        }
        return bytes
    }
}
