// A table of a server that is no container's: read where it is, by the conditions that predicates are lowered to.

import FoundationEssentials
package import PredicateSemantics
package import RecordDatabase
import RecordModel
import RecordPushdown

/// What is requested of a table.
package struct TableRequest: Sendable {
    /// What the rows have to satisfy; others may be among those that are given.
    package var predicate: RecordPredicate
    /// The values of its variables.
    package var variables: [String: FieldValue]
    /// The columns that are looked at besides those of the predicate; `nil` for all.
    package var columns: Set<String>?
    /// How many rows are likely to be taken; `nil` for all.
    package var limit: Int?
    /// The order in which the first `limit` rows that match are taken; all that share the place of the last of them are
    /// given, and more where the server cannot tell.
    package var order: [SortKey] = []
    /// Whether the records tell what the server did.
    package var explains = false

    /// A request for the rows that may satisfy a predicate, with all columns.
    package init(_ predicate: RecordPredicate, variables: [String: FieldValue] = [:]) {
        (self.predicate, self.variables) = (predicate, variables)
    }
}

/// A table or a view of a server, which is only read.
package final class ServerTable {
    package let table: RecordTable
    private let source: SQLText
    private let columns: [TableColumn]
    private let connection: Connection

    /// Connects to a server and looks a table up.
    ///
    /// - Parameters:
    ///   - name: The name of the table, perhaps with that of its schema and a dot before it.
    ///   - address: A connection string.
    ///   - key: The column that names records; by default the one of the primary key, if it is one.
    /// - Throws: `DatabaseError`, of code `invalidArguments` for a table or a column that is not there.
    package init(named name: String, at address: String, key: String? = nil) throws(DatabaseError) {
        do throws(ServerError) {
            connection = try Connection(ConnectionString(address))
        } catch {
            throw error.databaseError
        }
        let catalog = try TableCatalog(name, on: connection)
        if let key, !catalog.columns.contains(where: { $0.name == key }) {
            throw DatabaseError(.invalidArguments, "the table has no column '\(key)' to name records by")
        }
        columns = catalog.columns
        source = " FROM \(name: catalog.schemaName).\(name: catalog.name) AS \(name: "r")"
        table = RecordTable(
            name: catalog.name, fields: columns.map { FieldDefinition(name: $0.name, type: $0.fieldType) },
            key: key ?? catalog.key, indexed: catalog.indexed)
    }

    /// Begins to read the rows that may satisfy a predicate, all of one moment. One read at a time.
    ///
    /// - Throws: `RecordPredicateError` for a predicate that does not suit the columns.
    package func rows(_ request: TableRequest) throws(RecordPredicateError) -> TableRows {
        let (bound, moment) = try table.empty.bound(request.predicate, variables: request.variables)
        let lowering = Lowering(ColumnLayout(columns, table: table.name), zoneID: nil)
        let bounds = lowering.bounds(bound)
        // A record is named also where nobody looks at the column.
        let wanted = request.columns.map { names in
            let names = names.union(bound.fieldNames)
            return columns.filter { names.contains($0.name) || $0.name == table.key }
        }
        // An error is that of the whole result.
        let isOrdered = request.limit != nil && !bounds.mayFail && !bound.usesContext
        let rows = TableRows(
            self, bounds, columns: wanted ?? columns, isOrdered ? TableOrder(request.order, wanted ?? columns) : nil,
            request, moment: moment)
        if request.explains { rows.undecided = lowering.undecided(bound) }
        return rows
    }

    // MARK: Statements

    /// Selects the columns of rows, and whether the server is certain of each, where that is requested.
    func selection(
        _ columns: [TableColumn], _ condition: Condition, certain: Condition?, _ order: TableOrder?
    ) -> SQLText {
        var selected = columns.map(\.selected)
        if let certain { selected.append("(\(certain.text)) IS TRUE") }
        if selected.isEmpty { selected = ["NULL"] }
        let order: SQLText = order.map { " ORDER BY \($0.clause)" } ?? ""
        return "SELECT \(.joined(selected, by: ", "))\(source) WHERE \(condition.text)\(order)"
    }

    /// Counts rows by the values of a column; doubles of other bits are others.
    func counts(by column: TableColumn, _ condition: Condition) -> SQLText {
        let groups: SQLText = column.form == .double ? "1, float8send(\(name: "r").\(name: column.name))" : "1"
        return "SELECT \(column.selected), count(*)\(source) WHERE \(condition.text) GROUP BY \(groups)"
    }

    /// Counts rows.
    func count(_ condition: Condition) -> SQLText { "SELECT count(*)\(source) WHERE \(condition.text)" }

    /// - Throws: `DatabaseError`.
    func run(_ statements: [Statement]) throws(DatabaseError) -> [RowSet] {
        do throws(ServerError) { return try connection.run(statements) } catch { throw error.databaseError }
    }

    /// Ends the transaction of a read.
    func end() { connection.rollBack() }
}
