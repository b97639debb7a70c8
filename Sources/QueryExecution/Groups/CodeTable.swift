// Small numbers for 64-bit words and for texts: what groups and values are counted by.

import RecordColumns

/// Numbers words 0, 1, 2 … in order of first appearance: a hash table with linear probing and without removal.
struct CodeTable {
    /// The words, by number.
    private(set) var words: [UInt64] = []
    /// Numbers plus one; zeros are free.
    private var slots = [UInt32](repeating: 0, count: 64)
    private var shift: UInt64 = 64 - 6
    private let multiplier = Self.multiplier

    // Drawn once: nobody can make up words that all fall into one slot.
    private static let multiplier = UInt64.random(in: .min ... .max) | 1

    /// The number of a word, a new one where it has none. Complexity: O(1), amortised.
    @inline(__always)
    mutating func number(of word: UInt64) -> Int {
        var slot = Int(truncatingIfNeeded: (word &* multiplier) >> shift)
        while slots[slot] != 0 {
            let known = Int(slots[slot]) &- 1
            if words[known] == word { return known }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        words.append(word)
        slots[slot] = UInt32(truncatingIfNeeded: words.count)
        if words.count > slots.count / 2 { grow() }
        return words.count &- 1
    }

    private mutating func grow() {
        shift -= 1
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (number, word) in words.enumerated() {
            var slot = Int(truncatingIfNeeded: (word &* multiplier) >> shift)
            while slots[slot] != 0 { slot = (slot &+ 1) & (slots.count &- 1) }
            slots[slot] = UInt32(truncatingIfNeeded: number &+ 1)
        }
    }
}

/// Numbers byte strings 0, 1, 2 … in order of first appearance, as `CodeTable` does words. The bytes stay where they
/// are.
@safe struct TextTable {
    // SAFETY: whoever gives texts keeps them where they are for as long as the table lives.
    private var texts: [UnsafeBufferPointer<UInt8>] = unsafe []
    private var hashes: [UInt32] = []
    /// Numbers plus one; zeros are free.
    private var slots = [UInt32](repeating: 0, count: 64)

    /// The number of a text, a new one where it has none. Complexity: O(bytes), amortised.
    @inline(__always)
    @unsafe mutating func number(of text: UnsafeBufferPointer<UInt8>) -> Int {
        let hash = unsafe ByteHash.hash(text)
        var slot = Int(hash) & (slots.count &- 1)
        while slots[slot] != 0 {
            let known = Int(slots[slot]) &- 1
            if unsafe hashes[known] == hash && ByteHash.areEqual(texts[known], text) { return known }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        unsafe texts.append(text)
        hashes.append(hash)
        slots[slot] = UInt32(truncatingIfNeeded: hashes.count)
        if hashes.count > slots.count / 2 { grow() }
        return hashes.count &- 1
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (number, hash) in hashes.enumerated() {
            var slot = Int(hash) & (slots.count &- 1)
            while slots[slot] != 0 { slot = (slot &+ 1) & (slots.count &- 1) }
            slots[slot] = UInt32(truncatingIfNeeded: number &+ 1)
        }
    }
}
