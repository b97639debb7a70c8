// Ordinals in the order of sort keys; of a limited result never more than the limit are held.

import PredicateSemantics
import RecordModel

/// Collects ordinals and gives them back in order.
///
/// With a limit `k` it is a heap of the best `k`, worst on top: O(n log k) time and O(k) room. However long it takes, a
/// query's deadline ends it.
///
/// An object, as a sort would otherwise copy all of it for each comparison.
final class OrderedSelection {
    private struct Entry {
        var key: FieldValue
        var ordinal: Int
    }

    private let keys: [SortKey]
    /// Whether the first key's values descend.
    private let isDescending: Bool
    private let limit: Int
    private let value: (SortKey.Criterion, Int) -> FieldValue
    private let settlesTie: (Int, Int) -> Int
    private let watch = QueryDeadline.watch
    private var entries: [Entry] = []
    /// Whether more came than the limit, so that the worst is on top.
    private var isHeap = false
    private var appended = 0

    /// A selection by keys; without any, only ties are settled.
    ///
    /// - Parameters:
    ///   - settlesTie: −1, 0 or 1 as the first of two ordinals that are level by all keys comes before, level with or
    ///     behind the other; those level then, too, come in ascending order.
    ///   - value: What a key compares of an ordinal.
    init(
        keys: [SortKey], limit: Int?, settlesTie: @escaping (Int, Int) -> Int = { _, _ in 0 },
        value: @escaping (SortKey.Criterion, Int) -> FieldValue
    ) {
        self.keys = keys
        isDescending = keys.first?.isAscending == false
        self.limit = limit ?? Int.max
        self.settlesTie = settlesTie
        self.value = value
    }

    /// Takes in an ordinal; ordinals come in ascending order.
    ///
    /// - Throws: `EvaluationError` when the query's time is over.
    func append(_ ordinal: Int) throws(EvaluationError) {
        if limit == 0 { return }
        appended &+= 1
        if appended % 1024 == 0 { try watch.check() }
        let entry = Entry(key: keys.isEmpty ? .null : key(0, ordinal), ordinal: ordinal)
        if entries.count < limit {
            entries.append(entry)
            return
        }
        if !isHeap { heapify() }
        if precedes(entry, entries[0]) {
            entries[0] = entry
            siftDown(from: 0)
        }
    }

    /// The ordinals in order.
    ///
    /// - Throws: `EvaluationError` when the query's time is over.
    func ordinals() throws(EvaluationError) -> [Int] {
        var failure: EvaluationError?
        var comparisons = 0
        // Once it has failed, the rest of the sort compares nothing.
        let sorted = entries.sorted { a, b in
            comparisons &+= 1
            if comparisons % 1024 == 0, failure == nil {
                do throws(EvaluationError) { try watch.check() } catch { failure = error }
            }
            return failure == nil && precedes(a, b)
        }
        if let failure { throw failure }
        return sorted.map(\.ordinal)
    }

    private func key(_ index: Int, _ ordinal: Int) -> FieldValue {
        keys[index].prepared(value(keys[index].criterion, ordinal))
    }

    /// Whether `a` precedes `b`: by the first key, held ready, then by the others, looked up, then as ties are
    /// settled, then by ordinal.
    private func precedes(_ a: Entry, _ b: Entry) -> Bool {
        var order = SortOrder.compare(prepared: a.key, b.key)
        if isDescending { order = -order }
        var index = 0
        while order == 0, index + 1 < keys.count {
            index += 1
            order = keys[index].compare(prepared: key(index, a.ordinal), key(index, b.ordinal))
        }
        if order == 0 { order = settlesTie(a.ordinal, b.ordinal) }
        return order == 0 ? a.ordinal < b.ordinal : order < 0
    }

    private func heapify() {
        isHeap = true
        for parent in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(from: parent) }
    }

    private func siftDown(from start: Int) {
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
