// Ordinals in the order of sort keys; of a limited answer only as many as are asked for are ever held.

import RecordModel

/// Collects ordinals and gives them back in order.
///
/// With a limit `k` it is a heap of the best `k`, worst on top: O(n log k) time and O(k) room.
struct OrderedSelection {
    private struct Entry {
        var key: FieldValue
        var ordinal: Int
    }

    private let keys: [SortKey]
    private let limit: Int
    private let value: (SortKey.Criterion, Int) -> FieldValue
    private var entries: [Entry] = []

    /// A selection by one key or more; `value` gives what a key compares.
    init(keys: [SortKey], limit: Int?, value: @escaping (SortKey.Criterion, Int) -> FieldValue) {
        self.keys = keys
        self.limit = limit ?? Int.max
        self.value = value
    }

    /// Takes in an ordinal; ordinals come in ascending order.
    mutating func append(_ ordinal: Int) {
        if limit == 0 { return }
        let entry = Entry(key: key(0, ordinal), ordinal: ordinal)
        if entries.count < limit {
            entries.append(entry)
            if entries.count == limit { heapify() }
        } else if precedes(entry, entries[0]) {
            entries[0] = entry
            siftDown(from: 0)
        }
    }

    /// The ordinals in order.
    consuming func ordinals() -> [Int] { entries.sorted { precedes($0, $1) }.map(\.ordinal) }

    private func key(_ index: Int, _ ordinal: Int) -> FieldValue {
        keys[index].prepared(value(keys[index].criterion, ordinal))
    }

    /// Whether `a` stands before `b`: by the first key, held ready, then by the others, looked up, then by ordinal.
    private func precedes(_ a: Entry, _ b: Entry) -> Bool {
        var order = keys[0].compare(prepared: a.key, b.key)
        var index = 0
        while order == 0, index + 1 < keys.count {
            index += 1
            order = keys[index].compare(prepared: key(index, a.ordinal), key(index, b.ordinal))
        }
        return order == 0 ? a.ordinal < b.ordinal : order < 0
    }

    private mutating func heapify() {
        for parent in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(from: parent) }
    }

    private mutating func siftDown(from start: Int) {
        var parent = start
        while true {
            var worst = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && precedes(entries[worst], entries[child]) {
                worst = child
            }
            if worst == parent { return }
            entries.swapAt(parent, worst)
            parent = worst
        }
    }
}
