// Places in a text as pages count them.

/// UTF-16 offsets of the bytes of a text, and back.
struct TextOffsets {
    private var units: [Int64] = []

    /// Complexity: O(n).
    init(_ text: String) {
        var count: Int64 = 0
        for scalar in text.unicodeScalars {
            for _ in 0..<UTF8.width(scalar) { units.append(count) }
            count += Int64(UTF16.width(scalar))
        }
        units.append(count)
    }

    /// The offset of a byte, of the nearest one for a byte beyond the text.
    subscript(_ byte: Int) -> Int64 { units[max(0, min(units.count - 1, byte))] }

    /// The byte of an offset. Complexity: O(log n).
    func byte(_ offset: Int) -> Int {
        var (low, high) = (0, units.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if units[middle] < Int64(offset) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
