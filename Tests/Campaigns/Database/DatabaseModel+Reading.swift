// What readers must be told.

import PredicateSemantics
import RecordDatabase
import RecordModel
import Synchronization

/// Predicates bound to the scene's fields, each once.
final class BoundPredicates: Sendable {
    private let known = Mutex<[RecordPredicate: BoundPredicate]>([:])

    /// The predicate, or `nil` where it does not suit the fields.
    subscript(predicate: RecordPredicate) -> BoundPredicate? {
        known.withLock { known in
            if let bound = known[predicate] { return bound }
            let fields = DatabaseScene.fields.sorted { $0.key < $1.key }
            let schema = RecordSchema(
                recordType: "", fields: fields.map { FieldDefinition(name: $0.key, type: $0.value) })
            let bound = try? Binder(schema: schema).bind(predicate)
            known[predicate] = bound
            return bound
        }
    }

    /// Whether a predicate holds for a record of a database, by the per-record evaluator.
    func holds(_ predicate: RecordPredicate, _ record: SeenRecord, in model: DatabaseModel) -> Bool {
        guard let bound = self[predicate] else { return false }
        let records = model.records
        let source = RecordFields(record.record, names: bound.fieldNames) { records[$0.recordID]?.seen.record }
        return (try? bound.evaluate(on: source, context: .current())) ?? false
    }
}

extension DatabaseModel {
    /// Whether the zones of a query exist.
    func has(_ queried: QueryZones) -> Bool {
        switch queried {
        case .all: true
        case .zone(let id): zones[id] != nil
        }
    }

    /// Whether a predicate would tell what is in diaries of others: a reference may lead to one.
    func isDenied(_ predicate: RecordPredicate) -> Bool { key.scope == .public && predicate.text.contains("of.") }

    /// The records of one type in the zones of a query that match and may be read, in order.
    func result(_ query: Query, _ zones: QueryZones, _ user: String, _ predicates: BoundPredicates) -> [SeenRecord] {
        let matches = records.values.map(\.seen).filter { record in
            record.type == query.recordType && (zones == .all || zones == .zone(record.id.zoneID))
                && mayRead(record, user) && predicates.holds(query.predicate, record, in: self)
        }
        return matches.sorted { Self.precedes($0, $1, query) }
    }

    /// Whether a record comes before another one: missing values first, names and then zones for what is level.
    static func precedes(_ a: SeenRecord, _ b: SeenRecord, _ query: Query) -> Bool {
        for key in query.sortKeys {
            guard case .field(let field) = key.criterion else { continue }
            let order = compare(a.fields[field], b.fields[field])
            if order != 0 { return (order < 0) == key.isAscending }
        }
        if a.id.recordName != b.id.recordName { return a.id.recordName < b.id.recordName }
        return a.id.zoneID.zoneName < b.id.zoneID.zoneName
    }

    private static func compare(_ a: FieldValue?, _ b: FieldValue?) -> Int {
        switch (a, b) {
        case (nil, nil): 0
        case (nil, _): -1
        case (_, nil): 1
        case (.int64(let a), .int64(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.double(let a), .double(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.string(let a), .string(let b)): a < b ? -1 : a > b ? 1 : 0
        default: 0
        }
    }

    /// A page of an answer.
    func page(
        _ query: Query, _ zones: QueryZones, limit: Int, after last: SeenRecord?, _ user: String,
        _ predicates: BoundPredicates
    ) -> DatabaseOutcome {
        if !has(zones) { return .failure(.zoneNotFound) }
        if isDenied(query.predicate) { return .failure(.permissionFailure) }
        var matches = result(query, zones, user, predicates)
        if let last { matches = matches.filter { Self.precedes(last, $0, query) } }
        return .records(Array(matches.prefix(limit)), hasMore: matches.count > limit)
    }

    /// Records by identifier.
    func fetch(_ ids: [Record.ID], desiredKeys: [String]?, _ user: String) -> DatabaseOutcome {
        .items(
            ids.map { id in
                let id = Self.known(id, to: user)
                guard zones[id.zoneID] != nil else { return .failure(.zoneNotFound) }
                guard var record = records[id]?.seen else { return .failure(.unknownItem) }
                if !mayRead(record, user) { return .failure(.permissionFailure) }
                if let desiredKeys { record.fields = record.fields.filter { desiredKeys.contains($0.key) } }
                return .record(record)
            })
    }

    // MARK: Changes

    /// Where a reader of changes stands.
    struct Position: Hashable {
        /// Number of the change that made the zone.
        var made: Int64 = 0
        var change: Int64
        /// Deletions up to this change concern records that the reader was never given.
        var deletionsAfter: Int64
    }

    /// What a reader goes on from: in a zone, or in the zones of each node.
    enum Start: Hashable {
        case zone(Position)
        case zones([Int32: Position])
    }

    /// Whether a reader's token must, may or cannot be too old.
    private func isTooOld(_ position: Position, for zone: Zone) -> Bool? {
        if zone.made != position.made { return true }
        let start = max(position.change, position.deletionsAfter)
        let unseen = zone.deletions.count { $0 > start }
        if unseen <= deletionLimit { return false }
        let counted = countsUndone ? unseen : zone.deleted.values.count { $0.change > start }
        return counted > deletionLimit + deletionLimit / 2 + 1 ? true : nil
    }

    /// The outcomes that a reader of changes may meet, and where each leaves it.
    func changes(
        _ operation: DatabaseOperation, from start: Start?
    ) -> [(outcome: DatabaseOutcome, next: Start?)] {
        switch (operation, start) {
        case (.zoneChanges(let zoneID, _, _, let limit), .zone(let position)?):
            return zoneChanges(zoneID, from: position, limit: limit)
        case (.zoneChanges(let zoneID, _, _, let limit), nil): return zoneChanges(zoneID, from: nil, limit: limit)
        case (.databaseChanges(_, _, let limit), .zones(let positions)?):
            return [zoneList(from: positions, limit: limit)]
        case (.databaseChanges(_, _, let limit), nil): return [zoneList(from: [:], limit: limit)]
        default: return []
        }
    }

    private func zoneChanges(
        _ zoneID: RecordZone.ID, from position: Position?, limit: Int
    ) -> [(outcome: DatabaseOutcome, next: Start?)] {
        if key.scope == .public { return [(.failure(.badDatabase), nil)] }
        guard let zone = zones[zoneID] else { return [(.failure(.zoneNotFound), nil)] }
        if zoneID == .default { return [(.failure(.invalidArguments), nil)] }
        var outcomes: [(DatabaseOutcome, Start?)] = []
        let isExpired = position.map { isTooOld($0, for: zone) } ?? false
        if isExpired != false { outcomes.append((.failure(.changeTokenExpired), nil)) }
        if isExpired == true { return outcomes }
        let lastChange = lastChange(on: zone.node)
        let start = position ?? Position(made: zone.made, change: 0, deletionsAfter: lastChange)
        enum Entry {
            case saved(SeenRecord)
            case deleted(SeenDeletion)
        }
        var entries: [(change: Int64, entry: Entry)] = []
        for stored in records.values where stored.seen.id.zoneID == zoneID && stored.change > start.change {
            entries.append((stored.change, .saved(stored.seen)))
        }
        for (id, deletion) in zone.deleted where deletion.change > max(start.change, start.deletionsAfter) {
            entries.append((deletion.change, .deleted(SeenDeletion(id: id, type: deletion.type))))
        }
        entries.sort { $0.change < $1.change }
        var (saved, deleted): ([SeenRecord], [SeenDeletion]) = ([], [])
        for (_, entry) in entries.prefix(limit) {
            switch entry {
            case .saved(let record): saved.append(record)
            case .deleted(let deletion): deleted.append(deletion)
            }
        }
        let hasMore = entries.count > limit
        var next = Position(made: zone.made, change: lastChange, deletionsAfter: 0)
        if hasMore {
            next = Position(
                made: zone.made, change: entries[limit - 1].change, deletionsAfter: start.deletionsAfter)
        }
        outcomes.append((.changes(saved, deletions: deleted, hasMore: hasMore), .zone(next)))
        return outcomes
    }

    /// The zones that changed, node by node, and where that leaves the reader.
    private func zoneList(
        from positions: [Int32: Position], limit: Int
    ) -> (outcome: DatabaseOutcome, next: Start?) {
        if key.scope == .public { return (.failure(.badDatabase), nil) }
        var next: [Int32: Position] = [:]
        var (made, deleted, hasMore) = ([String](), [String](), false)
        for node in nodes {
            let start = positions[node] ?? Position(change: 0, deletionsAfter: lastChange(on: node))
            let entries = zoneEntries(on: node, since: start)
            let page = entries.prefix(limit - made.count - deleted.count)
            made += page.filter { !$0.isDeleted }.map(\.name)
            deleted += page.filter(\.isDeleted).map(\.name)
            if page.count < entries.count {
                hasMore = true
                next[node] = Position(
                    change: page.last?.change ?? start.change, deletionsAfter: start.deletionsAfter)
            } else {
                next[node] = Position(change: lastChange(on: node), deletionsAfter: 0)
            }
        }
        return (.names(made, deleted: deleted, hasMore: hasMore), .zones(next))
    }

    /// The zones of a node that changed, in the order of their changes.
    private func zoneEntries(
        on node: Int32, since start: Position
    ) -> [(change: Int64, name: String, isDeleted: Bool)] {
        var entries: [(change: Int64, name: String, isDeleted: Bool)] = []
        for (id, zone) in zones where id != .default && zone.node == node && zone.lastChange > start.change {
            entries.append((zone.lastChange, id.zoneName, false))
        }
        for (id, deleted) in deletedZones
        where deleted.node == node && deleted.change > max(start.change, start.deletionsAfter) {
            entries.append((deleted.change, id.zoneName, true))
        }
        return entries.sorted { $0.change < $1.change }
    }
}
