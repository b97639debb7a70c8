// Positions of fields among those of a type, by name: looked up for every value that is written.

/// The positions of names, found by their bytes.
struct FieldPositions {
    private struct Slot: BitwiseCopyable {
        var key: ShortKey
        /// The position plus one; zero in an empty slot.
        var number: UInt32
    }

    private var slots = [Slot](repeating: Slot(key: ShortKey(low: 0, high: 0), number: 0), count: 32)
    private(set) var names: [String] = []

    /// The position of a name, or `nil`. Complexity: O(bytes), expected.
    subscript(name: String) -> Int? {
        var name = name
        return name.withUTF8 { bytes in
            let key = unsafe ShortKey(bytes)
            var slot = home(of: key)
            while slots[slot].number != 0 {
                let position = Int(slots[slot].number) - 1
                if slots[slot].key == key, unsafe !key.isPartial || names[position].utf8.elementsEqual(bytes) {
                    return position
                }
                slot = (slot + 1) & (slots.count - 1)
            }
            return nil
        }
    }

    /// Adds a name that is not there. Complexity: amortised O(bytes).
    mutating func append(_ name: String) {
        names.append(name)
        if names.count * 2 > slots.count { rebuild(size: slots.count * 2) } else { place(name, names.count) }
    }

    /// Takes the last name away. Complexity: O(names).
    mutating func removeLast() {
        names.removeLast()
        rebuild(size: slots.count)
    }

    private mutating func rebuild(size: Int) {
        slots = [Slot](repeating: Slot(key: ShortKey(low: 0, high: 0), number: 0), count: size)
        for (position, name) in names.enumerated() { place(name, position + 1) }
    }

    private mutating func place(_ name: String, _ number: Int) {
        var name = name
        let key = name.withUTF8 { unsafe ShortKey($0) }
        var slot = home(of: key)
        while slots[slot].number != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Slot(key: key, number: UInt32(truncatingIfNeeded: number))
    }

    private func home(of key: ShortKey) -> Int {
        let seeds = TextTable.drawn
        let product = (key.low ^ seeds.0).multipliedFullWidth(by: key.high ^ seeds.1)
        return Int(truncatingIfNeeded: product.high ^ product.low) & (slots.count - 1)
    }
}
