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
        let (elements, ends) = Self.elements(of: lists, column, at: rows)
        try watch.check()
        let numbers = try numbered(lists.elements, nil, at: elements, watch: watch)
        var entries = ListEntries(capacity: max(numbers.count, rows.count), values: values.count)
        var next = 0
        for (position, end) in ends.enumerated() {
            while next < end {
                entries.add(numbers[next], at: position)
                next += 1
            }
            entries.close(position)
        }
        return entries.rows
    }

    /// The positions of the elements of rows, one row behind the other, and for each row where its elements end.
    private static func elements(
        of lists: ListColumn, _ column: Column, at rows: [UInt32]
    ) -> (elements: [UInt32], ends: [Int]) {
        var (elements, ends) = ([UInt32](), [Int]())
        elements.reserveCapacity(rows.count * 2)
        ends.reserveCapacity(rows.count)
        unsafe column.withPresence { present in
            unsafe lists.offsets.withElements { offsets in
                for row in rows {
                    let row = Int(row)
                    // SAFETY: the column has a bit for each row, and an offset more than rows.
                    let isPresent = unsafe present.map { unsafe $0[row >> 6] >> UInt64(row & 63) & 1 != 0 } ?? true
                    if isPresent {
                        var (element, end) = unsafe (offsets[row], offsets[row &+ 1])
                        while element < end {
                            elements.append(element)
                            element &+= 1
                        }
                    }
                    ends.append(elements.count)
                }
            }
        }
        return (elements, ends)
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
        case .text(let texts):
            if let index, rows.count > column.count / 8, index.family == .text([]), !index.isOverLists {
                let ranks = index.distinctByRow
                return try numbered(column, rows, watch, { Int(ranks[$0]) }, { column.value($0) })
            }
            return try numbered(column, texts, at: rows, watch: watch)
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

    /// Numbers rows of texts: of equal bytes a value is made once.
    private mutating func numbered(
        _ column: Column, _ texts: TextColumn, at rows: [UInt32], watch: Deadline.Watch
    ) throws(EvaluationError) -> [UInt32] {
        var codes = [UInt32](repeating: .max, count: rows.count)
        var firsts: [UInt32] = []
        var table = TextTable()
        for start in stride(from: 0, to: rows.count, by: GroupedRows.stretch) {
            try watch.check()
            let part = start..<min(start + GroupedRows.stretch, rows.count)
            unsafe texts.bytes.withElements { bytes in
                unsafe texts.offsets.withElements { offsets in
                    unsafe column.withPresence { present in
                        for position in part {
                            let row = Int(rows[position])
                            // SAFETY: the column has a bit and a text for each row, and lives as long as the table.
                            guard unsafe present.map({ unsafe $0[row >> 6] >> UInt64(row & 63) & 1 != 0 }) ?? true
                            else { continue }
                            let text = unsafe UnsafeBufferPointer(
                                rebasing: bytes[Int(offsets[row])..<Int(offsets[row &+ 1])])
                            let code = unsafe table.number(of: text)
                            if code == firsts.count { firsts.append(UInt32(truncatingIfNeeded: row)) }
                            codes[position] = UInt32(truncatingIfNeeded: code)
                        }
                    }
                }
            }
        }
        let numbers = firsts.map { number(of: column.value(Int($0))) }
        for position in codes.indices { codes[position] = codes[position] == .max ? 0 : numbers[Int(codes[position])] }
        return codes
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
    private var numbers: [UInt32] = []
    private var positions: [UInt32] = []
    /// By number, the last position that has it, plus one.
    private var last: [Int]
    private var start = 0

    /// - Parameters:
    ///   - capacity: So many numbers are expected.
    ///   - values: Numbers are below this, or `last` grows.
    init(capacity: Int = 0, values: Int = 0) {
        numbers.reserveCapacity(capacity)
        positions.reserveCapacity(capacity)
        last = [Int](repeating: 0, count: values)
    }

    /// What was collected.
    var rows: NumberedRows { NumberedRows(numbers: numbers, positions: positions) }

    /// Adds a number to the row at a position; 0 for elements without a value.
    @inline(__always)
    mutating func add(_ number: UInt32, at position: Int) {
        let index = Int(number)
        guard index != 0 else { return }
        while last.count <= index { last.append(0) }
        guard last[index] != position &+ 1 else { return }
        last[index] = position &+ 1
        append(number, position)
    }

    /// Ends the row at a position: without a number it has no value.
    @inline(__always)
    mutating func close(_ position: Int) {
        if numbers.count == start { append(0, position) }
        start = numbers.count
    }

    @inline(__always)
    private mutating func append(_ number: UInt32, _ position: Int) {
        numbers.append(number)
        positions.append(UInt32(truncatingIfNeeded: position))
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
