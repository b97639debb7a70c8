// Building an ordered index from a sealed column.

import OrdinalSets
package import RecordColumns
package import TextAnalysis

extension OrderedIndex {
    /// Sorts the rows of a column by value; for a list column the rows by each distinct element.
    ///
    /// - Parameter options: How texts are folded; ignored for other kinds.
    /// - Returns: `nil` for kinds without an order (locations, data, nested objects, whole numbers beyond 2⁵³ mixed
    ///   with fractions, references into several zones).
    /// - Complexity: O(n) for numbers, about O(n log n) for texts.
    package static func build(over column: Column, options: TextOptions = []) -> OrderedIndex? {
        if case .list(let lists) = column.values {
            return build(over: lists.elements, rows: ParentRows(lists, rowCount: column.count), options: options)
        }
        return build(over: column, rows: nil, options: options)
    }

    /// - Parameter rows: The row of each element, when the column holds the elements of lists.
    private static func build(over column: Column, rows: ParentRows?, options: TextOptions) -> OrderedIndex? {
        let present = PresentPositions(column)
        switch column.values {
        case .int64(let numbers):
            return build(.number, present.map { RowSorting.key(numbers[$0]) }, column, rows) { .int(numbers[$0]) }
        case .bool(let bits):
            return build(.number, present.map { bits[$0] ? 1 : 0 }, column, rows) { .int(bits[$0] ? 1 : 0) }
        case .double(let numbers):
            return build(.number, present.map { RowSorting.key(numbers[$0]) }, column, rows) {
                .double(numbers[$0])
            }
        case .date(let seconds):
            return build(.date, present.map { RowSorting.key(seconds[$0]) }, column, rows) { .double(seconds[$0]) }
        case .number(let numbers):
            guard present.allExact(numbers) else { return nil }
            return build(.number, present.map { RowSorting.key(numbers.double($0)) }, column, rows) {
                .double(numbers.double($0))
            }
        case .text(let texts):
            let folded = FoldedTexts.fold(texts, options)
            let (order, starts) = TextSorting.sort(present.positions, of: folded)
            return finish(.text(options), order, starts, .texts(folded), column, rows)
        case .dictionary(let dictionary):
            let folded = FoldedTexts.fold(dictionary.values, options)
            return build(.text(options), codes: dictionary.codes, texts: folded, present, column, rows)
        case .reference(let references):
            guard let zoneID = references.zone else { return nil }
            return build(.reference(zoneID), codes: references.codes, texts: references.names, present, column, rows)
        case .missing:
            return finish(.number, [], [], .numbers([]), column, rows)
        case .data, .location, .list, .any:
            return nil
        }
    }

    /// What a position's key is, for numbers.
    private enum Key {
        case int(Int64)
        case double(Double)
    }

    private static func build(
        _ family: Family, _ keyed: [KeyedRow], _ column: Column, _ rows: ParentRows?, _ key: (Int) -> Key
    ) -> OrderedIndex {
        var sorted = keyed
        RowSorting.sort(&sorted)
        var order: [UInt32] = []
        var starts: [UInt32] = []
        order.reserveCapacity(sorted.count)
        var last: UInt64?
        for row in sorted {
            if row.key != last { starts.append(UInt32(truncatingIfNeeded: order.count)) }
            last = row.key
            order.append(row.row)
        }
        return finish(family, order, starts, .numbers(starts.map { key(Int(order[Int($0)])) }), column, rows)
    }

    /// Coded texts: the distinct texts are sorted, the rows are counted into place.
    private static func build(
        _ family: Family, codes: ColumnBuffer<UInt32>, texts: TextColumn, _ present: PresentPositions,
        _ column: Column, _ rows: ParentRows?
    ) -> OrderedIndex {
        let (byText, textStarts) = TextSorting.sort((0..<UInt32(truncatingIfNeeded: texts.count)).map { $0 }, of: texts)
        var rank = [UInt32](repeating: 0, count: texts.count)
        for (number, start) in textStarts.enumerated() {
            let end = number + 1 < textStarts.count ? Int(textStarts[number + 1]) : byText.count
            for position in Int(start)..<end { rank[Int(byText[position])] = UInt32(truncatingIfNeeded: number) }
        }
        var places = [Int](repeating: 0, count: textStarts.count + 1)
        for position in present.positions { places[Int(rank[Int(codes[Int(position)])]) + 1] += 1 }
        for number in 0..<textStarts.count { places[number + 1] += places[number] }
        var starts: [UInt32] = []
        var keys: [UInt32] = []
        for number in 0..<textStarts.count where places[number + 1] > places[number] {
            starts.append(UInt32(truncatingIfNeeded: places[number]))
            keys.append(byText[Int(textStarts[number])])
        }
        var order = [UInt32](repeating: 0, count: present.positions.count)
        for position in present.positions {
            let number = Int(rank[Int(codes[Int(position)])])
            order[places[number]] = position
            places[number] += 1
        }
        return finish(family, order, starts, .coded(texts, keys), column, rows)
    }

    private enum Found {
        case numbers([Key])
        /// The texts of the positions themselves.
        case texts(TextColumn)
        /// The text of each distinct value, by position in the column.
        case coded(TextColumn, [UInt32])
    }

    private static func finish(
        _ family: Family, _ order: [UInt32], _ starts: [UInt32], _ found: Found, _ column: Column, _ rows: ParentRows?
    ) -> OrderedIndex {
        var textPositions: [UInt32]?
        switch found {
        case .coded(_, let positions): textPositions = positions
        case .texts where rows != nil: textPositions = starts.map { order[Int($0)] }
        case .texts, .numbers: break
        }
        var order = order
        var starts = starts
        if let rows { rows.replacePositions(in: &order, &starts) }
        let isDistinct = starts.count == order.count
        let keys: OrderedKeys =
            switch found {
            case .texts(let texts), .coded(let texts, _):
                .text(TextKeys(texts: texts, positions: textPositions.map { ColumnBuffer($0) }))
            case .numbers(let numbers): Self.keys(numbers)
            }
        if !isDistinct { starts.append(UInt32(truncatingIfNeeded: order.count)) }
        return OrderedIndex(
            family: family, order: ColumnBuffer(order), starts: isDistinct ? nil : ColumnBuffer(starts), keys: keys,
            rowCount: rows?.rowCount ?? column.count, isOverLists: rows != nil)
    }

    private static func keys(_ numbers: [Key]) -> OrderedKeys {
        let ints = ColumnBuffer<Int64>(capacity: numbers.count)
        let doubles = ColumnBuffer<Double>(capacity: numbers.count)
        for number in numbers {
            switch number {
            case .int(let value): ints.append(value)
            case .double(let value): doubles.append(value)
            }
        }
        return doubles.count > 0 ? .double(doubles) : .int(ints)
    }
}

/// The positions of a column that have a value, ascending.
struct PresentPositions {
    let positions: [UInt32]

    init(_ column: Column) {
        guard let presence = column.presence else {
            positions = (0..<UInt32(truncatingIfNeeded: column.count)).map { $0 }
            return
        }
        var positions: [UInt32] = []
        positions.reserveCapacity(presence.cardinality)
        presence.forEachMember { positions.append(UInt32(truncatingIfNeeded: $0)) }
        self.positions = positions
    }

    func map(_ key: (Int) -> UInt64) -> [KeyedRow] { positions.map { KeyedRow(key: key(Int($0)), row: $0) } }

    /// Whether every number is exact as a double.
    func allExact(_ numbers: NumberColumn) -> Bool {
        positions.allSatisfy {
            numbers.isDouble[Int($0)] || Int64(bitPattern: numbers.payload[Int($0)]).magnitude <= 1 << 53
        }
    }
}

/// The row that each element of a list column belongs to.
struct ParentRows {
    let rowCount: Int
    private let rows: [UInt32]

    init(_ lists: ListColumn, rowCount: Int) {
        self.rowCount = rowCount
        var rows: [UInt32] = []
        rows.reserveCapacity(lists.elements.count)
        for row in 0..<rowCount {
            for _ in lists.range(row) { rows.append(UInt32(truncatingIfNeeded: row)) }
        }
        self.rows = rows
    }

    /// Turns sorted element positions into rows, each row once for a distinct value.
    func replacePositions(in order: inout [UInt32], _ starts: inout [UInt32]) {
        var kept = 0
        for number in starts.indices {
            let start = Int(starts[number])
            let end = number + 1 < starts.count ? Int(starts[number + 1]) : order.count
            starts[number] = UInt32(truncatingIfNeeded: kept)
            var last: UInt32?
            for position in start..<end {
                let row = rows[Int(order[position])]
                if row == last { continue }
                last = row
                order[kept] = row
                kept += 1
            }
        }
        order.removeLast(order.count - kept)
    }
}
