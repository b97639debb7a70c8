// Numbers for the values of rows: by codes and bits where columns have them, else value by value.

internal import CKernels
import Deadlines
import Indexing
import OrdinalSets
import PredicateSemantics
import RecordColumns
import RecordModel

/// The numbers of the values of rows.
struct NumberedRows {
    /// For each row its value's number; for a row with a list, one for each distinct element.
    var numbers: [UInt32] = []
    /// The positions in the list of rows that `numbers` are of; `nil` when each row has one number.
    var positions: [UInt32]?
}

extension DistinctValues {
    /// Numbers the values of rows.
    ///
    /// - Throws: `EvaluationError` of kind `timeLimit` or `cancelled`.
    /// - Complexity: O(rows), and a hash of every value where columns have neither codes nor fixed size.
    mutating func numbered(
        _ source: FieldSource, at rows: [UInt32], watch: Deadline.Watch
    ) throws(EvaluationError) -> NumberedRows {
        switch source {
        case .constant(let value):
            return NumberedRows(numbers: [UInt32](repeating: number(of: value), count: rows.count))
        case .column(let column, let index):
            if case .list(let lists) = column.values {
                return try numbered(lists, of: column, at: rows, watch: watch)
            }
            if case .any = column.values { break }
            return NumberedRows(numbers: try numbered(column, index, at: rows, watch: watch))
        case .rows: break
        }
        return try numberedByValue(source, at: rows, watch: watch)
    }

    /// Values of any kind, lists among them.
    private mutating func numberedByValue(
        _ source: FieldSource, at rows: [UInt32], watch: Deadline.Watch
    ) throws(EvaluationError) -> NumberedRows {
        var entries = ListEntries()
        for (position, row) in rows.enumerated() {
            if position & 0xFFF == 0xFFF { try watch.check() }
            switch source.value(Int(row)) {
            case .list(let elements), .set(let elements):
                for element in elements { entries.add(number(of: element), at: position) }
            case let value: entries.add(number(of: value), at: position)
            }
            entries.close(position)
        }
        return entries.rows
    }

    private mutating func numbered(
        _ lists: ListColumn, of column: Column, at rows: [UInt32], watch: Deadline.Watch
    ) throws(EvaluationError) -> NumberedRows {
        var elements: [UInt32] = []
        for row in rows where column.isPresent(Int(row)) {
            elements.append(contentsOf: lists.range(Int(row)).lazy.map { UInt32(truncatingIfNeeded: $0) })
        }
        let numbers = try numbered(lists.elements, nil, at: elements, watch: watch)
        var entries = ListEntries()
        var next = 0
        for (position, row) in rows.enumerated() {
            if column.isPresent(Int(row)) {
                let end = next + lists.range(Int(row)).count
                while next < end {
                    entries.add(numbers[next], at: position)
                    next += 1
                }
            }
            entries.close(position)
        }
        return entries.rows
    }

    private mutating func numbered(
        _ column: Column, _ index: OrderedIndex?, at rows: [UInt32], watch: Deadline.Watch
    ) throws(EvaluationError) -> [UInt32] {
        switch column.values {
        case .missing: return [UInt32](repeating: 0, count: rows.count)
        case .dictionary(let dictionary) where dictionary.values.count <= rows.count:
            return numbered(column, dictionary, at: rows)
        case .dictionary(let dictionary):
            return try numbered(column, rows, watch, { Int(dictionary.codes[$0]) }, { .string(dictionary.string($0)) })
        case .reference(let references):
            return try numbered(
                column, rows, watch, { Int(references.codes[$0]) }, { .reference(references.reference($0)) })
        case .bool(let bits):
            return numbered(column, bits, at: rows)
        case .int64(let numbers):
            var table = CodeTable()
            return try numbered(
                column, rows, watch, { table.number(of: UInt64(bitPattern: numbers[$0])) }, { .int64(numbers[$0]) })
        case .double(let numbers), .date(let numbers):
            var table = CodeTable()
            return try numbered(
                column, rows, watch, { table.number(of: numbers[$0].equalBits) }, { column.value($0) })
        case .text:
            if let index, rows.count > column.count / 8, index.family == .text([]), !index.isOverLists {
                let ranks = index.distinctByRow
                return try numbered(column, rows, watch, { Int(ranks[$0]) }, { column.value($0) })
            }
            fallthrough
        case .number, .data, .location, .list, .any:
            var numbers: [UInt32] = []
            numbers.reserveCapacity(rows.count)
            for row in rows {
                if numbers.count & 0xFFF == 0xFFF { try watch.check() }
                numbers.append(number(of: column.value(Int(row))))
            }
            return numbers
        }
    }

    /// Numbers rows of few distinct texts: all texts have numbers, also those of other rows.
    private mutating func numbered(
        _ column: Column, _ dictionary: DictionaryColumn, at rows: [UInt32]
    ) -> [UInt32] {
        let texts = (0..<dictionary.values.count).map { number(of: .string(dictionary.values.string($0))) }
        return unsafe Self.numbers(of: rows, column) { rows, present, numbers in
            unsafe texts.withUnsafeBufferPointer { texts in
                unsafe dictionary.codes.withElements { codes in
                    // SAFETY: the column has a code for each row, and a text for each code.
                    unsafe kernels_group_numbers(
                        codes.baseAddress, present, rows.baseAddress, rows.count, texts.baseAddress, numbers)
                }
            }
        }
    }

    /// Numbers rows of truth values: both have numbers, also where no row has one of them.
    private mutating func numbered(_ column: Column, _ bits: Bitmap, at rows: [UInt32]) -> [UInt32] {
        let both = [number(of: .bool(false)), number(of: .bool(true))]
        return unsafe Self.numbers(of: rows, column) { rows, present, numbers in
            unsafe both.withUnsafeBufferPointer { both in
                unsafe bits.words.withUnsafeBufferPointer { bits in
                    // SAFETY: the column has a bit for each row.
                    unsafe kernels_group_bit_numbers(
                        bits.baseAddress, present, rows.baseAddress, rows.count, both.baseAddress, numbers)
                }
            }
        }
    }

    /// What a kernel makes of rows: a number for each, of which it is given the place.
    private static func numbers(
        of rows: [UInt32], _ column: Column,
        _ kernel: (
            _ rows: UnsafeBufferPointer<UInt32>, _ present: UnsafePointer<UInt64>?,
            _ numbers: UnsafeMutablePointer<UInt32>?
        ) -> Void
    ) -> [UInt32] {
        // Of no capacity it would be the empty array that all threads share, and its count would be written.
        if rows.isEmpty { return [] }
        return unsafe [UInt32](unsafeUninitializedCapacity: rows.count) { numbers, count in
            unsafe rows.withUnsafeBufferPointer { rows in
                unsafe column.withPresence { present in
                    // SAFETY: there is room for a number of each row, and the kernel writes all of them.
                    unsafe kernel(rows, present, numbers.baseAddress)
                }
            }
            count = rows.count
        }
    }

    /// Numbers rows by the codes of their values: each code's value is read once.
    @inline(__always)
    private mutating func numbered(
        _ column: Column, _ rows: [UInt32], _ watch: Deadline.Watch, _ code: (_ row: Int) -> Int,
        _ value: (_ row: Int) -> FieldValue
    ) throws(EvaluationError) -> [UInt32] {
        var known: [UInt32] = []
        var numbers: [UInt32] = []
        numbers.reserveCapacity(rows.count)
        for row in rows {
            if numbers.count & 0x1FFF == 0x1FFF { try watch.check() }
            guard column.isPresent(Int(row)) else {
                numbers.append(0)
                continue
            }
            let code = code(Int(row))
            while known.count <= code { known.append(.max) }
            if known[code] == .max { known[code] = number(of: value(Int(row))) }
            numbers.append(known[code])
        }
        return numbers
    }
}

/// Collects the numbers of rows that may have several, each once a row.
private struct ListEntries {
    private(set) var rows = NumberedRows(numbers: [], positions: [])
    /// By number, the last position that has it, plus one.
    private var last: [Int] = []
    private var start = 0

    /// Adds a number to the row at a position; 0 for elements without a value.
    mutating func add(_ number: UInt32, at position: Int) {
        let number = Int(number)
        guard number != 0 else { return }
        while last.count <= number { last.append(0) }
        guard last[number] != position + 1 else { return }
        last[number] = position + 1
        append(UInt32(truncatingIfNeeded: number), position)
    }

    /// Ends the row at a position: without a number it has no value.
    mutating func close(_ position: Int) {
        if rows.numbers.count == start { append(0, position) }
        start = rows.numbers.count
    }

    private mutating func append(_ number: UInt32, _ position: Int) {
        rows.numbers.append(number)
        rows.positions?.append(UInt32(truncatingIfNeeded: position))
    }
}

extension Double {
    /// The same bits for all numbers that are equal, and for all NaN.
    @inline(__always)
    var equalBits: UInt64 { isNaN ? Double.nan.bitPattern : (self + 0).bitPattern }
}

extension OrderedIndex {
    /// By row the number of its distinct value. Rows without a value have any.
    fileprivate var distinctByRow: [UInt32] {
        var distinct = [UInt32](repeating: 0, count: rowCount)
        for value in 0..<distinctCount {
            for position in positions(ofDistinct: value..<value + 1) {
                distinct[Int(order[position])] = UInt32(truncatingIfNeeded: value)
            }
        }
        return distinct
    }
}
