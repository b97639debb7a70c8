// Distinct texts by number: how dictionaries, terms and keys are found while they are collected.

/// Distinct byte strings, numbered in order of appearance.
///
/// Strings of up to 15 bytes lie in the table's slots, so that one that was met before costs one cache line and two
/// comparisons of whole numbers.
@usableFromInline
package final class TextTable {
    @usableFromInline
    struct Slot: BitwiseCopyable {
        @usableFromInline var key: ShortKey
        /// The text's number plus one; zero in an empty slot.
        @usableFromInline var number: UInt32

        @usableFromInline
        init(key: ShortKey, number: UInt32) {
            self.key = key
            self.number = number
        }
    }

    @usableFromInline let slots: ColumnBuffer<Slot>
    /// Drawn once per process, so that no texts can be made to collide on purpose.
    @usableFromInline let seeds: (UInt64, UInt64)
    static let drawn: (UInt64, UInt64) = {
        var generator = SystemRandomNumberGenerator()
        return (generator.next(), generator.next())
    }()
    /// The texts, by number.
    package let texts = TextBuilder()

    /// An empty table with room for about `capacity` texts.
    package init(capacity: Int = 128) {
        seeds = Self.drawn
        var size = 16
        while size < min(capacity, 128) * 2 { size *= 2 }
        slots = ColumnBuffer(capacity: size)
        slots.append(repeating: Self.empty, count: size)
    }

    /// Number of texts.
    package var count: Int { texts.count }

    /// The number of a text; one that is new takes the next number, which is `count`.
    /// - Returns: `nil` when there is no room for more.
    /// - Complexity: O(bytes), amortised and expected.
    @inlinable @inline(__always)
    package func number(of text: UnsafeBufferPointer<UInt8>) -> Int? {
        let key = unsafe ShortKey(text)
        let mask = slots.count &- 1
        var position = home(of: key) & mask
        // SAFETY: positions are masked by the number of slots, a power of two, and half of the slots are empty.
        let table = unsafe slots.start
        while unsafe table[position].number != 0 {
            if unsafe table[position].key == key {
                let number = unsafe Int(table[position].number) &- 1
                if !key.isPartial || (unsafe isText(number, text)) { return number }
            }
            position = (position &+ 1) & mask
        }
        return unsafe insert(text, key)
    }

    /// The numbers of texts that are held whole by their keys, as `number(of:)` gives them.
    ///
    /// The first pass looks at one slot a key and decides nothing, so that its loads, which mostly miss the caches, do
    /// not wait for one another; the second pass is for the few keys whose slot was another's.
    /// - Returns: `false` when there was no room for a text.
    /// - Complexity: O(keys), amortised and expected.
    package func numbers(of keys: ColumnBuffer<ShortKey>, into numbers: ColumnBuffer<UInt32>) -> Bool {
        numbers.truncate(to: 0)
        numbers.append(repeating: 0, count: keys.count)
        let mask = slots.count &- 1
        // SAFETY: positions are masked by the number of slots, a power of two; there are as many numbers as keys, and
        // nothing is added to a buffer in this pass.
        let table = unsafe slots.start
        let found = unsafe UnsafeMutablePointer(mutating: numbers.start)
        for index in 0..<keys.count {
            let key = keys[index]
            let slot = unsafe table[home(of: key) & mask]
            unsafe found[index] = slot.key == key ? slot.number : 0
        }
        for index in 0..<keys.count where numbers[index] == 0 {
            guard let number = number(of: keys[index]) else { return false }
            numbers[index] = UInt32(truncatingIfNeeded: number + 1)
        }
        for index in 0..<keys.count { unsafe found[index] &-= 1 }
        return true
    }

    private func number(of key: ShortKey) -> Int? {
        unsafe key.withBytes { text in unsafe number(of: text) }
    }

    private static var empty: Slot { Slot(key: ShortKey(low: 0, high: 0), number: 0) }

    @inlinable @inline(__always)
    func home(of key: ShortKey) -> Int {
        // The two halves of a 128-bit product, folded (the mixing step of the wyhash family).
        let product = (key.low ^ seeds.0).multipliedFullWidth(by: key.high ^ seeds.1)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }

    @usableFromInline
    func isText(_ number: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe texts.column.equals(number, text)
    }

    @usableFromInline
    func insert(_ text: UnsafeBufferPointer<UInt8>, _ key: ShortKey) -> Int? {
        let number = count
        guard number < Int(UInt32.max) - 1, unsafe texts.append(text) else { return nil }
        if count * 2 > slots.count { grow() }
        place(Slot(key: key, number: UInt32(truncatingIfNeeded: number + 1)))
        return number
    }

    private func grow() {
        let old = unsafe slots.withElements { unsafe Array($0) }
        slots.truncate(to: 0)
        slots.append(repeating: Self.empty, count: old.count * 2)
        for slot in old where slot.number != 0 { place(slot) }
    }

    private func place(_ slot: Slot) {
        let mask = slots.count - 1
        var position = home(of: slot.key) & mask
        while slots[position].number != 0 { position = (position + 1) & mask }
        slots[position] = slot
    }
}
