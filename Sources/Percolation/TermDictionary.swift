// The terms that stored predicates require, numbered.

/// Numbers terms and finds them by their bytes.
///
/// An open hash table with linear probing. Bytes are hashed with a seed of the process, so that whoever chooses texts
/// cannot choose where they fall.
struct TermDictionary: Sendable {
    /// One term.
    private struct Entry: Sendable {
        var space: UInt32
        /// How many times stored predicates mention it; 0 for a number that is free.
        var mentions: UInt32
        var hash: UInt32
        var start: Int
        var count: Int
    }

    private var entries = PagedArray<Entry>()
    private var free: [UInt32] = []
    /// The bytes of all terms, with gaps where terms were.
    private var bytes: [UInt8] = []
    private var unusedBytes = 0
    /// Hash in the upper half, number plus one in the lower; 0 where empty.
    private var buckets: [UInt64] = [UInt64](repeating: 0, count: 16)

    private static let seed = UInt64.random(in: .min ... .max) | 1

    /// Numbers given out so far: all are below this.
    var count: Int { entries.count }
    /// Terms there are.
    var liveCount: Int { entries.count - free.count }

    /// Bytes of memory, about.
    var byteCount: Int {
        entries.count * MemoryLayout<Entry>.stride + bytes.capacity + buckets.capacity * 8 + free.capacity * 4
    }

    /// How many times stored predicates mention a term.
    func mentions(of term: UInt32) -> Int { Int(entries[Int(term)].mentions) }

    /// The space of a term.
    func space(of term: UInt32) -> Int { Int(entries[Int(term)].space) }

    /// The number of a term; nil where no predicate mentions it. Complexity: O(n) in its bytes.
    @inline(__always)
    func find(_ key: Span<UInt8>, in space: Int) -> UInt32? {
        let hash = Self.hash(key, space)
        let mask = buckets.count &- 1
        var index = Int(hash >> 32) & mask
        while true {
            let bucket = buckets[index]
            if bucket == 0 { return nil }
            if bucket >> 32 == hash >> 32 {
                let term = UInt32(truncatingIfNeeded: bucket) &- 1
                if has(term, key, space) { return term }
            }
            index = (index &+ 1) & mask
        }
    }

    /// The number of a term, which is mentioned once more from now on.
    mutating func intern(_ key: Span<UInt8>, in space: Int) -> UInt32 {
        if let term = find(key, in: space) {
            entries[Int(term)].mentions += 1
            return term
        }
        if (liveCount + 1) * 2 > buckets.count { grow() }
        let hash = Self.hash(key, space)
        let entry = Entry(
            space: UInt32(truncatingIfNeeded: space), mentions: 1, hash: UInt32(truncatingIfNeeded: hash >> 32),
            start: bytes.count, count: key.count)
        for offset in key.indices { bytes.append(key[offset]) }
        let term: UInt32
        if let number = free.popLast() {
            term = number
            entries[Int(term)] = entry
        } else {
            term = UInt32(truncatingIfNeeded: entries.count)
            entries.append(entry)
        }
        place(term)
        return term
    }

    /// Takes back a mention; returns whether it was the last, and the term is gone.
    mutating func release(_ term: UInt32) -> Bool {
        entries[Int(term)].mentions -= 1
        guard entries[Int(term)].mentions == 0 else { return false }
        unplace(term)
        unusedBytes += entries[Int(term)].count
        free.append(term)
        if unusedBytes > 4096, unusedBytes * 2 > bytes.count { compact() }
        return true
    }

    // MARK: - The table

    private func has(_ term: UInt32, _ key: Span<UInt8>, _ space: Int) -> Bool {
        let entry = entries[Int(term)]
        guard entry.count == key.count, Int(entry.space) == space else { return false }
        for offset in key.indices where bytes[entry.start &+ offset] != key[offset] { return false }
        return true
    }

    private mutating func place(_ term: UInt32) {
        let hash = UInt64(entries[Int(term)].hash)
        let mask = buckets.count - 1
        var index = Int(hash) & mask
        while buckets[index] != 0 { index = (index + 1) & mask }
        buckets[index] = hash << 32 | UInt64(term + 1)
    }

    /// Empties the bucket of a term and moves those behind it up, so that no probe stops short of them.
    private mutating func unplace(_ term: UInt32) {
        let mask = buckets.count - 1
        var index = Int(entries[Int(term)].hash) & mask
        while UInt32(truncatingIfNeeded: buckets[index]) != term + 1 { index = (index + 1) & mask }
        var next = (index + 1) & mask
        while buckets[next] != 0 {
            let home = Int(buckets[next] >> 32) & mask
            if (next &- home) & mask >= (next &- index) & mask {
                buckets[index] = buckets[next]
                index = next
            }
            next = (next + 1) & mask
        }
        buckets[index] = 0
    }

    private mutating func grow() {
        buckets = [UInt64](repeating: 0, count: buckets.count * 2)
        for term in entries.indices where entries[term].mentions > 0 { place(UInt32(truncatingIfNeeded: term)) }
    }

    private mutating func compact() {
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count - unusedBytes)
        for term in entries.indices where entries[term].mentions > 0 {
            let start = kept.count
            kept.append(contentsOf: bytes[entries[term].start..<entries[term].start + entries[term].count])
            entries[term].start = start
        }
        bytes = kept
        unusedBytes = 0
    }

    /// Multiplies eight bytes at a time into 128 bits and folds them; the upper half is used.
    @inline(__always)
    private static func hash(_ key: Span<UInt8>, _ space: Int) -> UInt64 {
        func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
            let product = a.multipliedFullWidth(by: b)
            return product.high ^ product.low
        }
        var state = mix(seed ^ UInt64(truncatingIfNeeded: space), 0x9E37_79B9_7F4A_7C15 ^ UInt64(key.count))
        // SAFETY: bytes have no padding.
        let words = unsafe key.bytes
        var offset = 0
        while offset &+ 8 <= key.count {
            // SAFETY: eight bytes from the offset on exist, and a UInt64 has no invalid bits.
            let word = unsafe words.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
            state = mix(state ^ word, seed)
            offset &+= 8
        }
        var rest: UInt64 = 0
        while offset < key.count {
            rest = rest << 8 | UInt64(key[offset])
            offset &+= 1
        }
        return mix(state ^ rest, seed ^ 0xD6E8_FEB8_6659_FD93)
    }
}
