// The records that a query may find: the server looks for them, and what it cannot tell is decided here.

import PredicateSemantics
import RecordDatabase
import RecordModel
import RecordPushdown

/// Reads the records that a query may find, portion by portion, until there are enough.
struct SelectionReader {
    /// Rows of a portion at most, unless more are wanted at once.
    private static let largestPortion = 1_000

    private let selection: ServerSelection
    private let database: Int32
    private let bounds: Bounds
    /// The order in which portions come; `nil` where all rows come at once.
    private let order: OrderShape?
    private let table: String
    private var portion: Int
    /// Where the next portion begins; `nil` when there is none.
    private var start: ServerSelection.Start?
    private(set) var isDone = false
    /// Rows that satisfy the predicate, among those that were read.
    private var matchCount = 0
    /// The rows that were read.
    private(set) var found: [(row: ServerRow, order: Int64)] = []

    init(_ selection: ServerSelection, database: Int32, _ schema: ContainerSchema, knowsTexts: Bool) {
        let type = schema.recordTypes[selection.type] ?? ContainerSchema.RecordType()
        let layout = Layout.columns(of: selection.type, type)
        let lowering = Lowering(
            layout, zoneID: selection.zoneID, types: Layout.columns(schema), knowsTexts: knowsTexts)
        let bounds = lowering.bounds(selection.predicate)
        (self.selection, self.database, self.bounds) = (selection, database, bounds)
        table = layout.table
        // An error is that of the whole result, and records that references lead to are read for all rows at once.
        let isByPortion =
            selection.limit != nil && !bounds.mayFail && !selection.followsReferences
            && !selection.predicate.usesContext && selection.predicate.openVariables.isEmpty
        order = isByPortion ? OrderShape(selection.order, layout, knowsTexts: knowsTexts) : nil
        portion = selection.limit ?? 0
        start = selection.start
        if bounds.possible == .constant(false) { isDone = true }
    }

    // MARK: Statements

    private var zoneName: SQLText { "z.name" }

    /// The statement for the next portion.
    func statement() -> Statement {
        var conditions = [bounds.possible]
        var rest: SQLText = ""
        if let order {
            let isOfZone = selection.zoneID != nil
            if let start {
                let zone = isOfZone ? nil : start.zoneName.map { (text: zoneName, name: $0) }
                conditions.append(order.behind(start.values, zone: zone) ?? .constant(true))
            }
            rest =
                " ORDER BY \(order.clause(zone: isOfZone ? nil : zoneName)) LIMIT \(.int64(Int64(portion)))"
        }
        let text = "\(head) AND \(Condition.every(conditions).text)\(rest)" as SQLText
        let (words, values) = text.printed()
        return Statement(words, values.map(\.parameter))
    }

    private var head: SQLText {
        let sure: SQLText = "(\(bounds.certain.text)) IS TRUE"
        let columns: SQLText = "r._n, r._c, r._t0, r._u0, r._t1, r._u1, r._p, r._r, r._s"
        let type = SQLValue.text(selection.type)
        guard let zone = selection.zoneID else {
            return """
                SELECT \(type) AS type, \(zoneName), \(columns), \(sure) FROM \(name: table) AS r \
                JOIN zone z ON z.number = r._z WHERE z.database = \(.int64(Int64(database)))
                """
        }
        // The one number is known before the rows are looked for: an index gives them in order.
        let name = SQLValue.text(zone.isStorable ? zone.zoneName : "")
        return """
            SELECT \(type) AS type, \(name) AS zone, \(columns), \(sure) FROM \(name: table) AS r \
            WHERE r._z = (SELECT number FROM zone WHERE database = \(.int64(Int64(database))) AND name = \(name))
            """
    }

    // MARK: Rows

    /// Takes in the rows of the last statement.
    mutating func take(_ set: RowSet) throws(CallError) {
        let rows = try MomentReader.rows(set)
        guard let order, let limit = selection.limit else {
            found = rows
            isDone = true
            return
        }
        for (number, row) in rows.enumerated() {
            if set.bool(number, 11) == true || isMatch(row.row) { matchCount += 1 }
        }
        found += rows
        guard rows.count == portion, matchCount < limit, let last = rows.last?.row else {
            isDone = true
            return
        }
        start = ServerSelection.Start(
            values: selection.order.map { last.value(of: $0.criterion) }, zoneName: last.id.zoneID.zoneName)
        // Boundaries that cannot be told would read the same portion again.
        if order.behind(start?.values ?? [], zone: nil) == nil { throw MomentReader.damaged }
        portion = max(portion, min(portion * 4, Self.largestPortion))
    }

    private func isMatch(_ row: ServerRow) -> Bool {
        do throws(EvaluationError) {
            return try selection.predicate.evaluate(on: row.record)
        } catch {
            // Whoever requested the rows meets the same error, with its place.
            return true
        }
    }
}

extension ServerRow {
    /// What an order compares of the row.
    fileprivate func value(of criterion: SortKey.Criterion) -> FieldValue {
        guard case .field(let name) = criterion else { return .string(id.recordName) }
        switch name {
        case "creationDate": return .date(creationDate)
        case "modificationDate": return .date(modificationDate)
        default: return fields[name] ?? .null
        }
    }
}
