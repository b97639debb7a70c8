// Stored records that may not satisfy what a schema demands of them.

import RecordDatabase
import RecordModel
import RecordPushdown

/// Checks demands of a schema in a transaction that is open: nobody writes a record before it ends.
struct DemandReader {
    /// The schema with the demands; its columns are there.
    let schema: ContainerSchema
    /// The one before: what goes is in its columns.
    let earlier: ContainerSchema
    let connection: Connection
    let coding: RowCoding

    /// Rows that are read at once.
    private static let portion = 1_000

    /// - Throws: `CallError`, of a `DatabaseError` that names a record where a demand is not satisfied.
    func check(_ demands: [ServerDemand]) throws(CallError) {
        for demand in demands {
            try connection.call([
                Statement(
                    """
                    DECLARE checked NO SCROLL CURSOR FOR \(candidates(of: demand))
                    ORDER BY d.scope, d.owner, r._s, r._n
                    """
                )
            ])
            var check = DemandCheck(demand)
            while let rows = try connection.call([Statement("FETCH \(Self.portion) FROM checked")]).first,
                rows.count > 0
            {
                for (number, row) in try coding.readRows(rows).enumerated() {
                    guard let database = rows.int64(number, RowCoding.columnCount) else { throw MomentReader.damaged }
                    do throws(DatabaseError) {
                        try check.add(row.row, of: Int32(truncatingIfNeeded: database))
                    } catch {
                        throw .database(error)
                    }
                }
            }
            try connection.call([Statement("CLOSE checked")])
        }
    }

    /// A query for the rows that may not satisfy a demand: a value has its column, and equal values have equal ones.
    private func candidates(of demand: ServerDemand) -> String {
        let source = """
            FROM \(Layout.table(of: demand.type)) r JOIN zone z ON z.number = r._z
            JOIN database d ON d.number = z.database
            """
        let select = "SELECT \(RowCoding.columns(ofType: demand.type)), d.number \(source)"
        // A field without a column is looked at in every row.
        let fields = columns(of: demand)
        let columns = demand.keys.compactMap { fields[$0].map { "r." + Statement.name($0.presence) } }
        guard columns.count == demand.keys.count else { return select }
        switch demand.kind {
        case .noRecords: return select
        case .present: return select + " WHERE " + columns.map { $0 + " IS NULL" }.joined(separator: " OR ")
        case .absent: return select + " WHERE " + columns.map { $0 + " IS NOT NULL" }.joined(separator: " OR ")
        case .unique:
            let present = columns.map { $0 + " IS NOT NULL" }.joined(separator: " AND ")
            let keys = (["d.number"] + columns).joined(separator: ", ")
            return """
                \(select) WHERE \(present) AND (\(keys)) IN
                (SELECT \(keys) \(source) WHERE \(present) GROUP BY \(keys) HAVING count(*) > 1)
                """
        }
    }

    private func columns(of demand: ServerDemand) -> [String: FieldColumn] {
        let schema = if case .absent = demand.kind { earlier } else { self.schema }
        return Layout.columns(of: demand.type, schema.recordTypes[demand.type] ?? ContainerSchema.RecordType()).fields
    }
}
