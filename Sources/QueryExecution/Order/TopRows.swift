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

    /// Takes rows in, ascending, by their values in a column. Complexity: O(1) for most rows, O(log limit) for those
    /// that are among the first so far.
    @inline(__always)
    mutating func insert<Value: BitwiseCopyable>(
        _ rows: [UInt32], _ values: ColumnBuffer<Value>, key: (Value) -> UInt64
    ) {
        unsafe values.withElements { values in
            for row in rows {
                // SAFETY: rows of a segment have a value each in its columns.
                let key = key(unsafe values[Int(row)])
                // An equal key comes too late: rows ascend.
                if heap.count == limit, limit == 0 || key >= heap[0].key { continue }
                insert(KeyedRow(key: key, row: row))
            }
        }
    }

    /// Takes the places of a list of scores in; the highest comes first unless `isAscending`.
    mutating func insert(scores: [Double], isAscending: Bool) {
        let turn: UInt64 = isAscending ? 0 : .max
        for (place, score) in scores.enumerated() {
            let key = RowSorting.key(score) ^ turn
            if heap.count == limit, limit == 0 || key >= heap[0].key { continue }
            insert(KeyedRow(key: key, row: UInt32(truncatingIfNeeded: place)))
        }
    }

    private mutating func insert(_ row: KeyedRow) {
        if heap.count == limit {
            heap[0] = row
            siftDown()
            return
        }
        heap.append(row)
        var child = heap.count - 1
        while child > 0, KeyedRow.precedes(heap[(child - 1) / 2], heap[child]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
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

    /// Of rows of a column that went in, ascending, those that are among the first or level with the last of them,
    /// ascending. Complexity: O(rows).
    consuming func rows(
        levelWithLastOf rows: [UInt32], _ column: Column, _ isAscending: Bool
    ) -> [UInt32] {
        guard limit > 0, heap.count == limit, let last = heap.first?.key else { return rows }
        let turn: UInt64 = isAscending ? 0 : .max
        return switch column.values {
        case .int64(let numbers): rows.filter { RowSorting.key(numbers[Int($0)]) ^ turn <= last }
        case .double(let numbers), .date(let numbers): rows.filter { RowSorting.key(numbers[Int($0)]) ^ turn <= last }
        default: rows
        }
    }

    /// The rows in order.
    consuming func rows() -> [UInt32] { heap.sorted(by: KeyedRow.precedes).map(\.row) }
}

extension TopRows {
    /// Takes the rows of a column of one kind of number in, all of which have a value; false for other columns.
    ///
    /// In descending order keys are turned round, so that the smallest comes first all the same.
    mutating func insert(_ rows: [UInt32], of column: Column, isAscending: Bool) -> Bool {
        let turn: UInt64 = isAscending ? 0 : .max
        switch column.values {
        case .int64(let numbers): insert(rows, numbers) { RowSorting.key($0) ^ turn }
        case .double(let numbers), .date(let numbers): insert(rows, numbers) { RowSorting.key($0) ^ turn }
        default: return false
        }
        return true
    }
}
