// The rows of a table that may satisfy a predicate, portion by portion.

import FoundationEssentials
import PredicateSemantics
package import RecordDatabase
import RecordModel
package import RecordPushdown

/// Rows of a table at one moment, which a cursor of the server gives in portions. Used by one thread at a time.
package final class TableRows {
    /// Bytes and rows of a portion, about and at most.
    private static let portion = (bytes: 4 << 20, rows: 10_000, first: 100)

    private let source: ServerTable
    /// The rows of which the server is certain, and those that are possible.
    package let bounds: Bounds
    /// The parts of the predicate that the server does not decide; only explanations need them.
    var undecided: [BoundNode] = []
    private let columns: [TableColumn]
    /// The order in which rows come, where the first of them may be enough.
    private let order: TableOrder?
    private let request: TableRequest
    private let moment: Date
    /// The condition of the rows that are read.
    private var condition: Condition
    private var isOpen = false
    private var isDone = false
    private var nextCount: Int
    /// Rows that were given, and of these those of which the server was certain.
    package private(set) var rowCount = 0
    private var sureCount = 0
    private var plan = ""
    /// What the order compares of the last row, and of the last one that is wanted.
    private var (last, end): ([FieldValue], [FieldValue]?) = ([], nil)

    init(
        _ source: ServerTable, _ bounds: Bounds, columns: [TableColumn], _ order: TableOrder?, _ request: TableRequest,
        moment: Date
    ) {
        (self.source, self.bounds, self.columns, self.request) = (source, bounds, columns, request)
        self.order = order
        self.moment = moment
        condition = bounds.possible
        nextCount = max(1, min(request.limit ?? Self.portion.first, Self.portion.first))
    }

    deinit { if isOpen { source.end() } }

    /// The rows of which the server is certain, counted; from now on only the others are given. To be called first.
    ///
    /// - Throws: `DatabaseError`.
    package func countCertain() throws(DatabaseError) -> Int {
        if bounds.certain == .constant(false) { return 0 }
        let sets = try source.run(beginning + [Statement(of: source.count(bounds.certain))])
        condition = bounds.isExact ? .constant(false) : .every([bounds.possible, bounds.certain.negated])
        guard let count = sets.last?.int64(0, 0) else { throw Self.damaged }
        return Int(count)
    }

    /// The rows that match, counted on the server by the values of a column. To be called first, and alone.
    ///
    /// - Returns: The groups in the order of the values; `nil` where the rows have to tell: where the server cannot
    ///   decide on each of them, for lists and nested values, for values that are one although the server tells them
    ///   apart, and where no row matches.
    /// - Throws: `DatabaseError`.
    package func groups(by field: String) throws(DatabaseError) -> [RecordGroup]? {
        guard bounds.isExact, let column = columns.first(where: { $0.name == field }) else { return nil }
        switch column.form {
        case .list, .json, .bytes, .text(isBytewise: false): return nil
        default: break
        }
        guard let rows = try source.run(beginning + [Statement(of: source.counts(by: column, bounds.certain))]).last
        else { throw Self.damaged }
        var counts: [(value: FieldValue, count: Int)] = []
        for row in 0..<rows.count {
            guard let value = column.form.value(rows.bytes(row, 0)), let count = rows.int64(row, 1) else {
                throw Self.damaged
            }
            if value.isNegativeZero { return nil }
            counts.append((value, Int(count)))
        }
        return counts.isEmpty ? nil : RecordGroup.groups(of: counts)
    }

    /// The next rows; `nil` at the end.
    ///
    /// - Throws: `DatabaseError`.
    package func next() throws(DatabaseError) -> RecordSet? {
        let loader = RecordTableLoader(source.table, columns: columns.map(\.name), after: rowCount, moment: moment)
        return try read(into: loader) ? loader.finish(pushed: pushed) : nil
    }

    /// All rows that are left; where an order was requested, those that have the first places in it.
    ///
    /// - Throws: `DatabaseError`, also where memory has no room for them.
    package func rest() throws(DatabaseError) -> RecordSet {
        let loader = RecordTableLoader(source.table, columns: columns.map(\.name), after: rowCount, moment: moment)
        while !hasEnough, try read(into: loader) {}
        if hasEnough { finish() }
        return loader.finish(pushed: pushed)
    }

    private var pushed: QueryExplanation.Pushed? {
        guard request.explains else { return nil }
        let node = QueryExplanation.Pushed.Node(
            told: bounds.printed(order: order?.clause), undecided: undecided, indexes: SelectionReader.indexes(plan),
            rows: rowCount, rechecked: rowCount - sureCount)
        return QueryExplanation.Pushed(node)
    }

    // MARK: Portions

    /// Whether rows that are left have no place among the first.
    private var hasEnough: Bool {
        guard let order, let end else { return false }
        return order.isBehind(last, end)
    }

    /// Whether the server tells of each row whether it is certain of it.
    private var tellsCertain: Bool { request.explains || order != nil }

    private func finish() {
        isDone = true
        if isOpen { source.end() }
        isOpen = false
    }

    private static var damaged: DatabaseError {
        DatabaseError(.internalError, "the server's rows of the table cannot be read")
    }

    /// The statements that begin a transaction, where none is open.
    private var beginning: [Statement] {
        defer { isOpen = true }
        return isOpen ? [] : [Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")]
    }

    private var hasCursor = false

    /// - Returns: Whether there were rows.
    private func read(into loader: RecordTableLoader) throws(DatabaseError) -> Bool {
        if isDone { return false }
        if condition == .constant(false) {
            isDone = true
            return false
        }
        let rows = try fetch()
        var byteCount = 0
        for row in 0..<rows.count {
            var values: [FieldValue] = []
            values.reserveCapacity(columns.count)
            for (index, column) in columns.enumerated() {
                let bytes = rows.bytes(row, index)
                byteCount += 16 + (bytes?.count ?? 0)
                guard let value = column.form.value(bytes) else { throw Self.damaged }
                values.append(value)
            }
            let isSure = tellsCertain && rows.bool(row, columns.count) == true
            if isSure { sureCount += 1 }
            if let order {
                last = order.values(values)
                if isSure, sureCount == request.limit { end = last }
            }
            try loader.append(values)
        }
        rowCount += rows.count
        if rows.count < nextCount {
            finish()
        } else {
            let fitting = Self.portion.bytes / max(1, byteCount / max(1, rows.count))
            nextCount = max(1, min(nextCount * 4, Self.portion.rows, fitting))
        }
        return rows.count > 0
    }

    private func fetch() throws(DatabaseError) -> RowSet {
        var statements = beginning
        if !hasCursor {
            hasCursor = true
            let selection = source.selection(columns, condition, certain: tellsCertain ? bounds.certain : nil, order)
            if request.limit == nil { statements.append(Statement("SET LOCAL cursor_tuple_fraction = 1")) }
            // Plans of cursors are made for the first rows.
            let cursor = "DECLARE found NO SCROLL CURSOR FOR \(selection)" as SQLText
            if request.explains { statements.append(Statement(of: "EXPLAIN (FORMAT JSON) \(cursor)")) }
            statements.append(Statement(of: cursor))
        }
        statements.append(Statement("FETCH FORWARD \(nextCount) FROM found"))
        let sets = try source.run(statements)
        if request.explains, plan.isEmpty, sets.count > 2 { plan = sets[sets.count - 3].text(0, 0) ?? "" }
        guard let rows = sets.last else { throw Self.damaged }
        return rows
    }
}
