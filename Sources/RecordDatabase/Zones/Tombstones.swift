// What is remembered of deleted records. A commit that rests on another one has a state of its own: what states share
// is in small parts, so that a change copies those that it touches and not a million deletions.

/// A record that is no more, as readers of changes learn of it.
struct Tombstone: Hashable, Sendable {
    let recordName: String
    let recordType: String
    /// Number of the change that deleted the record.
    let change: Int64
}

/// Deletions in order, oldest first.
struct Tombstones: RandomAccessCollection, Sendable {
    private static let perBlock = 1024
    /// All are full but the last.
    private var blocks: [[Tombstone]] = []
    /// How many of the first block were removed.
    private var removed = 0

    var startIndex: Int { 0 }
    var endIndex: Int {
        guard let last = blocks.last else { return 0 }
        return (blocks.count - 1) * Self.perBlock + last.count - removed
    }

    subscript(index: Int) -> Tombstone {
        let place = index + removed
        return blocks[place / Self.perBlock][place % Self.perBlock]
    }

    /// Complexity: amortised O(1), and O(blocks) after a copy.
    mutating func append(_ tombstone: Tombstone) {
        if endIndex + removed == blocks.count * Self.perBlock { blocks.append([]) }
        blocks[blocks.count - 1].append(tombstone)
    }

    /// Removes the oldest; those of a block go from memory with its last one.
    mutating func removeFirst(_ number: Int) {
        removed += number
        blocks.removeFirst(removed / Self.perBlock)
        removed %= Self.perBlock
    }
}

/// A dictionary in parts: after a copy, a change copies the part of its key and no other.
struct PartitionedDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private static var perPart: Int { 256 }
    /// A power of two of them, by the lowest bits of hash values.
    private var parts: [[Key: Value]] = [[:]]
    private var count = 0

    var isEmpty: Bool { count == 0 }

    /// Complexity: O(1) to read; to change amortised O(1), and O(parts) after a copy.
    subscript(key: Key) -> Value? {
        get { parts[part(of: key)][key] }
        set {
            let part = part(of: key)
            guard let newValue else {
                // What is not there leaves the part shared.
                if parts[part][key] != nil, parts[part].removeValue(forKey: key) != nil { count -= 1 }
                return
            }
            guard parts[part].updateValue(newValue, forKey: key) == nil else { return }
            count += 1
            if count > parts.count * Self.perPart { grow() }
        }
    }

    private func part(of key: Key) -> Int { key.hashValue & (parts.count - 1) }

    private mutating func grow() {
        let old = parts
        parts = Array(repeating: [:], count: old.count * 4)
        for part in old {
            for (key, value) in part { parts[self.part(of: key)][key] = value }
        }
    }
}
