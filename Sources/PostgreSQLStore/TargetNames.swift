// The names of records that references lead to, by what they have to satisfy.

import PredicateSemantics
import RecordDatabase
import RecordModel
import RecordPushdown

/// Looks up the names of the records of one node.
struct TargetNames {
    private let targets: ServerTargets
    private let database: Int32
    /// The conditions that the server can tell, with the statement for each; none where no record satisfies it.
    private let lookups: [(condition: TargetCondition, statement: Statement?)]

    init(_ targets: ServerTargets, _ reader: MomentReader) {
        (self.targets, database) = (targets, reader.database)
        let types = Layout.columns(reader.known.schema)
        let lowering = Lowering(
            ColumnLayout([:], table: ""), zoneID: targets.zoneID, types: types, knowsTexts: reader.known.knowsTexts,
            joinsReferences: false, foundTargets: targets.foundTargets)
        lookups = targets.conditions.compactMap { condition in
            guard let parts = Self.parts(condition, lowering, types, reader.database, targets) else { return nil }
            if parts.isEmpty { return (condition, nil) }
            let text: SQLText = "\(.joined(parts, by: " UNION ALL ")) LIMIT \(.int64(Int64(targets.limit) + 1))"
            return (condition, Statement(of: text, keeping: .text))
        }
    }

    private static func parts(
        _ condition: TargetCondition, _ lowering: Lowering, _ types: [ColumnLayout], _ database: Int32,
        _ targets: ServerTargets
    ) -> [SQLText]? {
        var parts: [SQLText] = []
        for type in types {
            guard let bounds = lowering.bounds(condition, of: type), bounds.possible != .constant(true), !bounds.mayFail
            else { return nil }
            if bounds.possible == .constant(false) { continue }
            parts.append(
                """
                SELECT r._n, (\(bounds.certain.text)) IS TRUE FROM \(name: type.table) AS r WHERE r._z = \
                (SELECT number FROM zone WHERE database = \(.int64(Int64(database))) \
                AND name = \(.text(targets.zoneID.zoneName))) AND \(bounds.possible.text)
                """)
        }
        return parts
    }

    var statements: [Statement] { lookups.compactMap(\.statement) }

    /// What was found; nothing of conditions with too many names.
    ///
    /// - Parameter results: What the statements gave, which are taken away.
    func found(
        _ results: inout ArraySlice<RowSet>
    ) throws(CallError) -> [TargetCondition: FoundTargets] {
        var foundTargets: [TargetCondition: FoundTargets] = [:]
        for (condition, statement) in lookups {
            var found = FoundTargets(certain: [], possible: [])
            if statement != nil {
                guard let rows = results.popFirst() else { throw MomentReader.damaged }
                if rows.count > targets.limit { continue }
                for row in 0..<rows.count {
                    guard let name = rows.text(row, 0), let isCertain = rows.bool(row, 1) else {
                        throw MomentReader.damaged
                    }
                    found.possible.append(name)
                    if isCertain { found.certain.append(name) }
                }
            }
            foundTargets[condition] = found
        }
        return foundTargets
    }
}
