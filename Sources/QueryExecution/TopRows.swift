// The first few rows in the order of a column, out of many.

import Indexing
import OrdinalSets
import RecordColumns

/// Keeps the `limit` rows with the smallest keys; equal keys in row order.
struct TopRows {
    private let limit: Int
    /// A heap with the last row on top.
    private var heap: [KeyedRow] = []

    init(limit: Int) {
        self.limit = limit
        heap.reserveCapacity(limit)
    }

    /// Takes a row in. Complexity: O(1) for most rows, O(log limit) for those that are among the first so far.
    mutating func insert(_ row: KeyedRow) {
        if heap.count < limit {
            heap.append(row)
            var child = heap.count - 1
            while child > 0, KeyedRow.precedes(heap[(child - 1) / 2], heap[child]) {
                heap.swapAt(child, (child - 1) / 2)
                child = (child - 1) / 2
            }
        } else if KeyedRow.precedes(row, heap[0]) {
            heap[0] = row
            siftDown()
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var last = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && KeyedRow.precedes(heap[last], heap[child]) {
                last = child
            }
            if last == parent { return }
            heap.swapAt(parent, last)
            parent = last
        }
    }

    /// The rows in order.
    consuming func rows() -> [UInt32] { heap.sorted(by: KeyedRow.precedes).map(\.row) }
}

extension Column {
    /// A key per row that sorts as the values do, for columns of one kind of number; `nil` for others.
    ///
    /// In descending order keys are turned round, so that the smallest comes first all the same.
    func sortKey(isAscending: Bool) -> ((Int) -> UInt64)? {
        let turn: UInt64 = isAscending ? 0 : .max
        switch values {
        case .int64(let numbers): return { RowSorting.key(numbers[$0]) ^ turn }
        case .double(let numbers), .date(let numbers): return { RowSorting.key(numbers[$0]) ^ turn }
        default: return nil
        }
    }
}
