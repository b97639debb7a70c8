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
    /// The parts of the predicate that the server does not decide; only explanations need them.
    private let undecided: [BoundNode]
    private let coding: RowCoding
    /// The order in which portions come; `nil` where all rows come at once.
    private let order: OrderShape?
    private let table: String
    private var portion: Int
    /// Whether no more than this server's share were given, and there may be more.
    private(set) var isCut = false
    /// Where the next portion begins; `nil` when there is none.
    private var start: ServerSelection.Start?
    private(set) var isDone = false
    /// Rows that satisfy the predicate, among those that were read.
    private var matchCount = 0
    /// What the last row that is enough has of the keys that others may share with it.
    private var lastPlace: [FieldValue]?
    /// Rows of which the server was certain.
    private var sureCount = 0
    /// Whether the server was sure of all that it gave, in order.
    var isSure: Bool { order != nil && selection.tiedKeys == nil && sureCount == found.count }
    /// Whether the server would tell more of texts if the columns were as this process derives them; found out for
    /// explanations.
    private let readsTextsByPresence: Bool
    /// Whether the server counts the rows of which it is certain, and gives the others.
    private let counts: Bool
    /// The column by whose values rows are counted.
    private let grouping: FieldColumn?
    /// The values with their counts, where the server tells.
    private(set) var groups: [(value: FieldValue, count: Int)]?
    /// Rows that were counted and not read.
    private(set) var countedRows = 0
    /// The rows that were read.
    private(set) var found: [(row: ServerRow, order: Int64)] = []

    init(
        _ selection: ServerSelection, database: Int32, _ known: PostgreSQLContainer.KnownSchema, _ coding: RowCoding
    ) {
        self.coding = coding
        let (schema, knowsTexts) = (known.schema, known.knowsTexts)
        let type = schema.recordTypes[selection.type] ?? ContainerSchema.RecordType()
        let layout = Layout.columns(of: selection.type, type)
        func lowering(knowsTexts: Bool) -> Lowering {
            var lowering = Lowering(
                layout, zoneID: selection.zoneID, types: Layout.columns(schema), knowsTexts: knowsTexts,
                joinsReferences: !selection.referencesLeadElsewhere, foundTargets: selection.foundTargets)
            // All that a second condition does here is to have the server sort what an index gives in order.
            if selection.limit != nil, case .field(let field)? = selection.order.first?.criterion,
                type.fields[field]?.indexes.contains(.sortable) == true
            {
                lowering.orderedBy = layout.fields[field]?.name
            }
            return lowering
        }
        let bounds = lowering(knowsTexts: knowsTexts).bounds(selection.predicate)
        undecided = selection.explains ? lowering(knowsTexts: knowsTexts).undecided(selection.predicate) : []
        (self.selection, self.database, self.bounds) = (selection, database, bounds)
        table = layout.table
        // Records that references lead to would be taken for rows to be decided here.
        counts = selection.counts && (bounds.isExact || !selection.followsReferences)
        // An error is that of the whole result, and records that references lead to are read for all rows at once.
        let isByPortion =
            selection.limit != nil && !bounds.mayFail && !selection.followsReferences
            && !selection.predicate.usesContext && selection.predicate.openVariables.isEmpty
        order = isByPortion ? OrderShape(selection.order, layout, knowsTexts: knowsTexts) : nil
        let limit = selection.limit ?? 0
        portion = selection.tiedKeys == nil ? min(limit, selection.share ?? limit) : limit
        start = selection.start
        readsTextsByPresence =
            selection.explains && !knowsTexts
            && (lowering(knowsTexts: true).bounds(selection.predicate) != bounds
                || isByPortion && order == nil && OrderShape(selection.order, layout) != nil)
        let column = selection.groupField.flatMap { layout.fields[$0] }
        grouping = bounds.isExact && column?.isGrouped(knowsTexts: knowsTexts) == true ? column : nil
        isDone = bounds.possible == .constant(false) || selection.groupField != nil && grouping == nil
    }

    // MARK: Statements

    private var zoneName: SQLText { "z.name" }

    /// The statements for the next portion; none at the end.
    var statements: [Statement] {
        if isDone { return [] }
        if let grouping {
            let text = "\(grouping.counted)\(source) AND \(bounds.certain.text)\(grouping.groups)" as SQLText
            return [Statement(of: text, keeping: .text)]
        }
        if !counts { return [statement] }
        var statements: [Statement] = []
        if bounds.certain != .constant(false) {
            let text = "SELECT count(*)\(source) AND \(bounds.certain.text)" as SQLText
            statements.append(Statement(of: text, keeping: .text))
        }
        if !bounds.isExact {
            let rest = Condition.every([bounds.possible, bounds.certain.negated])
            statements.append(Statement(of: "\(head) AND \(rest.text)" as SQLText, keeping: .text))
        }
        return statements
    }

    private func clause(of order: OrderShape) -> SQLText {
        order.clause(zone: selection.zoneID == nil ? zoneName : nil)
    }

    private var statement: Statement {
        var conditions = [bounds.possible]
        var rest: SQLText = ""
        if let order {
            let isOfZone = selection.zoneID != nil
            if let start {
                let zone = isOfZone ? nil : start.zoneName.map { (text: zoneName, name: $0) }
                conditions.append(order.behind(start.values, zone: zone) ?? .constant(true))
            }
            rest =
                " ORDER BY \(clause(of: order)) LIMIT \(.int64(Int64(portion)))"
        }
        // Queries of one shape differ in their parameters alone.
        return Statement(of: "\(head) AND \(Condition.every(conditions).text)\(rest)" as SQLText, keeping: .text)
    }

    private var head: SQLText {
        let sure: SQLText = "(\(bounds.certain.given(bounds.possible).text)) IS TRUE"
        let columns: SQLText = "r._n, r._c, r._t0, r._u0, r._t1, r._u1, r._p, r._r, r._s, r._h"
        let type = SQLValue.text(selection.type)
        let zone: SQLText = selection.zoneID.map { "\(Self.name(of: $0)) AS zone" } ?? zoneName
        return "SELECT \(type) AS type, \(zone), \(columns), \(sure)\(source)"
    }

    private static func name(of zone: RecordZone.ID) -> SQLValue { .text(zone.isStorable ? zone.zoneName : "") }

    /// Where rows are looked for.
    private var source: SQLText {
        let number = SQLValue.int64(Int64(database))
        guard let zone = selection.zoneID else {
            return " FROM \(name: table) AS r JOIN zone z ON z.number = r._z WHERE z.database = \(number)"
        }
        // The one number is known before the rows are looked for: an index gives them in order.
        return """
             FROM \(name: table) AS r WHERE r._z = \
            (SELECT number FROM zone WHERE database = \(number) AND name = \(Self.name(of: zone)))
            """
    }

    // MARK: Explanations

    /// The statement that tells how the rows are found; `nil` where nobody wants to know.
    var explanation: Statement? {
        guard selection.explains, !isDone else { return nil }
        let rows = statement
        return Statement("EXPLAIN (FORMAT JSON) " + rows.text, rows.parameters)
    }

    /// What the server did.
    ///
    /// - Parameter plan: What the server says to the statement of `explanation`.
    func pushed(_ plan: String) -> QueryExplanation.Pushed {
        var node = QueryExplanation.Pushed.Node(
            told: bounds.printed(order: order.map(clause)), undecided: undecided, indexes: Self.indexes(plan),
            rows: found.count, rechecked: found.count - sureCount)
        node.readsTextsByPresence = readsTextsByPresence
        return QueryExplanation.Pushed(node, names: selection.foundTargets.values.reduce(0) { $0 + $1.possible.count })
    }

    /// Indexes by which zones are found, not records.
    private static let zoneIndexes = ["zone_pkey", "zone_database_name_key"]

    /// The names of the indexes of a plan, each once. They hold no quotes.
    static func indexes(_ plan: String) -> [String] {
        var names: [String] = []
        for part in plan.split(separator: "\"Index Name\": \"").dropFirst() {
            let name = String(part.prefix { $0 != "\"" })
            if !names.contains(name), !zoneIndexes.contains(name) { names.append(name) }
        }
        return names
    }

    // MARK: Rows

    /// Takes in what the last statements gave.
    mutating func take(_ sets: [RowSet]) throws(CallError) {
        if let grouping {
            groups = sets.first.flatMap { grouping.counts($0) }
            isDone = true
            return
        }
        guard counts else {
            for set in sets { try take(set) }
            return
        }
        var sets = sets[...]
        if bounds.certain != .constant(false) {
            guard let count = sets.popFirst()?.int64(0, 0) else { throw MomentReader.damaged }
            countedRows = Int(count)
        }
        for set in sets { found += try coding.readRows(set) }
        isDone = true
    }

    private mutating func take(_ set: RowSet) throws(CallError) {
        let rows = try coding.readRows(set)
        guard let order, let limit = selection.limit else {
            found = rows
            for number in rows.indices where set.bool(number, RowCoding.columnCount) == true { sureCount += 1 }
            isDone = true
            return
        }
        for (number, row) in rows.enumerated() {
            let isSure = set.bool(number, RowCoding.columnCount) == true
            if isSure { sureCount += 1 }
            guard isSure || isMatch(row.row) else { continue }
            matchCount += 1
            if matchCount == limit { lastPlace = place(of: row.row) }
        }
        found += rows
        isCut = isSure && found.count < limit && found.count == selection.share
        guard !isCut, rows.count == portion, let last = rows.last?.row, matchCount < limit || isTied(last) else {
            isDone = true
            return
        }
        start = ServerSelection.Start(
            values: selection.order.map { last.value(of: $0.criterion) }, zoneName: last.id.zoneID.zoneName)
        // Boundaries that cannot be told would read the same portion again.
        if order.behind(start?.values ?? [], zone: nil) == nil { throw MomentReader.damaged }
        // With what came already, as many as are enough; then more at a time.
        portion = found.count < limit ? limit - found.count : max(limit, min(portion * 4, Self.largestPortion))
    }

    private func place(of row: ServerRow) -> [FieldValue]? {
        selection.tiedKeys.map { count in selection.order.prefix(count).map { row.value(of: $0.criterion) } }
    }

    /// Whether a row shares the place of the last one that is enough, so that others behind it may.
    private func isTied(_ row: ServerRow) -> Bool {
        guard let lastPlace, let place = place(of: row) else { return false }
        return zip(lastPlace, place).allSatisfy { SortOrder.compare($0, $1) == 0 }
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

extension Statement {
    /// A statement with its parameters.
    init(of text: SQLText, keeping: Keeping = .nothing) {
        let (words, values) = text.printed()
        self.init(words, values.map(\.parameter), keeping: keeping)
    }
}
