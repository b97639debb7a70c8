// Finding byte strings by content: a keyed hash and an open-addressing table of numbers.

import Glibc

/// Hashes byte strings.
@usableFromInline
package enum ByteHash {
    /// What makes hashes of one origin differ from those of another.
    package struct Keys: Hashable, Sendable {
        package let first: UInt64
        package let second: UInt64
    }

    /// Hash keys, drawn once per process, so that no file can be made to collide on purpose.
    package static let keys: Keys = {
        var generator = SystemRandomNumberGenerator()
        return Keys(first: generator.next() | 1, second: generator.next() | 1)
    }()

    /// A 32-bit hash of bytes, stable within the process. Complexity: O(count).
    @usableFromInline
    package static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 { unsafe hash(bytes, keys) }

    /// A 32-bit hash of bytes by keys that may be of another process. Complexity: O(count).
    @inline(__always)
    package static func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ keys: Keys) -> UInt32 {
        let raw = UnsafeRawBufferPointer(bytes)
        let (key0, key1) = (keys.first, keys.second)
        let count = raw.count
        var state = key0 ^ UInt64(truncatingIfNeeded: count)
        // SAFETY: every load below ends at or before `count`.
        if count >= 8 {
            var offset = 0
            while offset &+ 8 < count {
                state = mix(state ^ (unsafe raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)), key1)
                offset &+= 8
            }
            // The last eight bytes may repeat some of those before.
            state = mix(state ^ (unsafe raw.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)), key1)
        } else if count >= 4 {
            let first = unsafe raw.loadUnaligned(as: UInt32.self)
            let last = unsafe raw.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            state = mix(state ^ (UInt64(first) << 32 | UInt64(last)), key1)
        } else if count > 0 {
            let bytes = unsafe UInt64(raw[0]) << 16 | UInt64(raw[count / 2]) << 8 | UInt64(raw[count &- 1])
            state = mix(state ^ bytes, key1)
        }
        state = mix(state, key0)
        return UInt32(truncatingIfNeeded: state ^ state >> 32)
    }

    /// Whether two byte strings are the same.
    package static func areEqual(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        // SAFETY: both have `a.count` bytes.
        return unsafe memcmp(first, second, a.count) == 0
    }

    /// The two halves of a 128-bit product, folded (the mixing step of the wyhash family).
    private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
}

/// Numbers found by the hash of the bytes that they stand for; the bytes themselves are kept elsewhere.
package final class ByteIndex: @unchecked Sendable {
    // SAFETY: shared between threads only when complete; nothing inserts from then on.

    /// Hash in the high half, number plus one in the low half; zero is an empty slot.
    private(set) var slots: ColumnBuffer<UInt64>
    /// What the texts are hashed by: not the keys of this process, when the index was stored by another one.
    let keys: ByteHash.Keys
    /// How many numbers the index holds.
    package var count: Int { length }
    private var length = 0

    /// An empty index with room for about `capacity` numbers.
    package init(capacity: Int = 0) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = Self.empty(size)
        keys = ByteHash.keys
    }

    /// An index that was stored: a power of two of slots, half of them empty at least.
    init(slots: ColumnBuffer<UInt64>, count: Int, keys: ByteHash.Keys) {
        self.slots = slots
        self.keys = keys
        length = count
    }

    /// The hash to `find` a text by. Complexity: O(bytes).
    package func hash(_ text: UnsafeBufferPointer<UInt8>) -> UInt32 { unsafe ByteHash.hash(text, keys) }

    /// As `hash`, for a text that has the hash `known` by the keys of this process.
    @inline(__always)
    package func hash(_ text: UnsafeBufferPointer<UInt8>, known: UInt32) -> UInt32 {
        keys == ByteHash.keys ? known : unsafe hash(text)
    }

    /// The number stored under `hash` for which `matches` says yes. Complexity: O(1) expected.
    @inline(__always)
    package func find(_ hash: UInt32, where matches: (Int) -> Bool) -> Int? {
        let slots = slots
        let mask = slots.count &- 1
        var slot = Int(hash) & mask
        while true {
            let entry = slots[slot]
            if entry == 0 { return nil }
            if UInt32(truncatingIfNeeded: entry >> 32) == hash {
                let number = Int(UInt32(truncatingIfNeeded: entry)) &- 1
                if matches(number) { return number }
            }
            slot = (slot &+ 1) & mask
        }
    }

    /// Adds a number that `find` does not find yet; numbers are below 2³² − 1. Complexity: amortised O(1).
    package func insert(_ hash: UInt32, _ number: Int) {
        if (length + 1) * 2 > slots.count { grow() }
        place(UInt64(hash) << 32 | UInt64(truncatingIfNeeded: number + 1))
        length += 1
    }

    /// Room taken, in bytes.
    package var byteCount: Int { slots.count * 8 }

    private static func empty(_ size: Int) -> ColumnBuffer<UInt64> {
        let slots = ColumnBuffer<UInt64>(capacity: size)
        slots.append(repeating: 0, count: size)
        return slots
    }

    private func grow() {
        let old = slots
        slots = Self.empty(old.count * 2)
        for slot in 0..<old.count where old[slot] != 0 { place(old[slot]) }
    }

    private func place(_ entry: UInt64) {
        let slots = slots
        let mask = slots.count &- 1
        var slot = Int(entry >> 32) & mask
        while slots[slot] != 0 { slot = (slot &+ 1) & mask }
        slots[slot] = entry
    }
}
