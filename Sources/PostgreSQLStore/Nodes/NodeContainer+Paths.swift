// Paths through references of a spread zone: the names of the records behind them are looked up on all nodes before.

import PredicateSemantics
import RecordDatabase
import RecordModel
import RecordPushdown

extension NodeContainer {
    /// Names that a condition of a query is given at most. Beyond them the records that are left are fetched with those
    /// that their references lead to.
    private static let mostTargets = 20_000

    /// Looks up which records of a spread zone the paths of a query are about, those at their ends first.
    func findTargets(
        _ need: inout ServerNeed, _ origin: DatabaseOrigin, _ readPart: @escaping ReadPart
    ) throws(DatabaseError) {
        guard let selection = need.selection, selection.followsReferences else { return }
        // The public database has one zone.
        guard let zone = selection.zoneID ?? (origin.scope == .public ? .default : nil),
            try placement.places(of: [zone], in: origin)[zone]?.isSpread == true
        else { return }
        let known = control.knownSchema
        let schema = known.schema
        guard let type = schema.recordTypes[selection.type] else { return }
        let lowering = Lowering(
            Layout.columns(of: selection.type, type), zoneID: zone, types: Layout.columns(schema),
            knowsTexts: known.knowsTexts, joinsReferences: false)
        var foundTargets: [TargetCondition: FoundTargets] = [:]
        // Some depend on what those before them found.
        for condition in lowering.targetConditions(selection.predicate) {
            foundTargets[condition] = try targets(of: condition, in: zone, foundTargets, origin, readPart)
        }
        need.selection?.foundTargets = foundTargets
    }

    /// The names that all nodes give; `nil` where they are too many, or a node cannot tell.
    private func targets(
        of condition: TargetCondition, in zone: RecordZone.ID, _ foundTargets: [TargetCondition: FoundTargets],
        _ origin: DatabaseOrigin, _ readPart: @escaping ReadPart
    ) throws(DatabaseError) -> FoundTargets? {
        var need = ServerNeed()
        need.conditions = ServerTargets(zone, [condition], foundTargets: foundTargets, limit: Self.mostTargets)
        var joined = FoundTargets(certain: [], possible: [])
        for (_, moment) in try parts(of: need, origin, readPart) {
            guard let part = moment.foundTargets[condition] else { return nil }
            joined.certain += part.certain
            joined.possible += part.possible
        }
        if joined.possible.count > Self.mostTargets { return nil }
        return FoundTargets(certain: joined.certain.sorted(), possible: joined.possible.sorted())
    }
}
