// Whether bytes are UTF-8.

/// Checks UTF-8, by the Unicode standard's table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
enum UTF8Check {
    /// The number of bytes of the well-formed character that starts at `position`; 0 when there is none.
    static func length(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> Int {
        let count = text.count
        guard position < count else { return 0 }
        let lead = unsafe text[position]
        if lead < 0x80 { return 1 }
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch lead {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (0, 0...0)
            }
        guard length > 0, position + length <= count, unsafe second.contains(text[position + 1]) else { return 0 }
        for offset in 2..<max(2, length) where unsafe text[position + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// Where the first byte is that belongs to no well-formed character; `nil` when all do. Complexity: O(count).
    static func firstFault(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        var position = 0
        let count = text.count
        while position < count {
            if unsafe text[position] < 0x80 {
                position += 1
                continue
            }
            let length = unsafe length(text, at: position)
            if length == 0 { return position }
            position += length
        }
        return nil
    }
}
