// Reads of several nodes: each gets its part, and what they give is joined.

import FoundationEssentials
package import RecordDatabase
package import RecordModel

extension NodeContainer {
    /// Reads one node.
    typealias ReadPart = @Sendable (Int32, ServerNeed) throws(DatabaseError) -> ServerMoment

    package func read(_ origin: DatabaseOrigin, _ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        try read(origin, need, isAside: false)
    }

    /// - Parameter isAside: Whether the caller has a connection of a node, which others may wait for. It is told at
    ///   once where nodes have several schemas: they get one again only when it has let go.
    func read(
        _ origin: DatabaseOrigin, _ need: ServerNeed, isAside: Bool
    ) throws(DatabaseError) -> ServerMoment {
        var attempts = 0
        while true {
            do throws(DatabaseError) {
                return try readJoined(origin, need) { [self] number, need throws(DatabaseError) in
                    try node(number).call { container throws(DatabaseError) in
                        try container.read(origin, need, of: isAside ? container.assetPool : nil)
                    }
                }
            } catch {
                // Nodes get another schema one after another.
                attempts += 1
                guard error == Self.mixedSchemas, !isAside, attempts < 5 else { throw error }
                try level()
            }
        }
    }

    package func moments(
        _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> [(node: Int32, moment: ServerMoment)] {
        try SideBySide.run(nodes) { node throws(DatabaseError) in
            let moment = try node.call { container throws(DatabaseError) in try container.read(origin, ServerNeed()) }
            return (node.number, moment)
        }
    }

    package func reading<Outcome>(
        _ origin: DatabaseOrigin, _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        var attempts = 0
        while true {
            let outcome: Outcome? = try open(nodes[...], origin, [:]) { opened throws(DatabaseError) in
                let parts = opened.sorted { $0.key < $1.key }.map { ($0.key, $0.value.moment) }
                if Self.haveOneSchema(parts) {
                    return try body(Self.join(parts), NodeReading(self, origin, opened.mapValues(\.reading)))
                }
                return nil
            }
            if let outcome { return outcome }
            attempts += 1
            if attempts > 5 { throw Self.mixedSchemas }
            try level()
        }
    }

    private typealias Opened = [Int32: (moment: ServerMoment, reading: any ServerReading)]

    /// Begins reading on one node after another.
    private func open<Outcome>(
        _ rest: ArraySlice<Node>, _ origin: DatabaseOrigin, _ opened: Opened,
        _ body: (Opened) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        guard let node = rest.first else { return try body(opened) }
        return try node.call { container throws(DatabaseError) in
            try container.reading(origin) { moment, reading throws(DatabaseError) in
                var opened = opened
                opened[node.number] = (moment, reading)
                return try open(rest.dropFirst(), origin, opened, body)
            }
        }
    }

    // MARK: Reading parts

    static var mixedSchemas: DatabaseError {
        DatabaseError(.zoneBusy, "the schema of the nodes is being changed", retryAfter: .milliseconds(200))
    }

    static func haveOneSchema(_ parts: [(Int32, ServerMoment)]) -> Bool {
        Set(parts.map(\.1.roles.version)).count <= 1
    }

    /// Reads from each node its part of what is needed, and joins what they give.
    ///
    /// - Throws: `DatabaseError` where a node gives none: nothing is given without its part.
    func readJoined(_ origin: DatabaseOrigin, _ need: ServerNeed, _ readPart: @escaping ReadPart) throws(DatabaseError)
        -> ServerMoment
    {
        var need = need
        try findTargets(&need, origin, readPart)
        var parts = try parts(of: need, origin, sharing: true, readPart)
        try readShort(&parts, need, origin, readPart)
        if need.selection?.followsReferences == true { try follow(&parts, origin, readPart) }
        guard Self.haveOneSchema(parts) else { throw Self.mixedSchemas }
        return Self.join(parts)
    }

    /// Reads from each node its part of what is needed.
    ///
    /// - Parameters:
    ///   - isSharing: Whether nodes of a spread zone give their shares of a page at first.
    ///   - numbers: The nodes that are read; `nil` for all that have some of it.
    func parts(
        of need: ServerNeed, _ origin: DatabaseOrigin, sharing isSharing: Bool = false, only numbers: [Int32]? = nil,
        _ readPart: @escaping ReadPart
    ) throws(DatabaseError) -> [(Int32, ServerMoment)] {
        let needs = try split(need, origin, sharing: isSharing).filter { numbers?.contains($0.node) ?? true }
        return try SideBySide.run(needs) { part throws(DatabaseError) in
            (part.node, try readPart(part.node, part.need))
        }
    }

    /// Reads whole what nodes gave their shares of, where more of their rows may be wanted.
    private func readShort(
        _ parts: inout [(Int32, ServerMoment)], _ need: ServerNeed, _ origin: DatabaseOrigin,
        _ readPart: @escaping ReadPart
    ) throws(DatabaseError) {
        guard let selection = need.selection else { return }
        // What a node gave is left out when it is read again, as of a later moment: others may be short by that. Each
        // turn makes one whole at least.
        while parts.contains(where: \.1.areRowsShared) {
            let page = SharedPage(selection, parts.map(\.1))
            let short = parts.filter { !page.isWhole($0.1) }.map(\.0)
            if short.isEmpty { return }
            let whole = try self.parts(of: need, origin, only: short, readPart)
            parts = parts.filter { !short.contains($0.0) } + whole
            parts.sort { $0.0 < $1.0 }
        }
    }

    /// Reads the records of other nodes that references lead to.
    private func follow(
        _ parts: inout [(Int32, ServerMoment)], _ origin: DatabaseOrigin, _ readPart: @escaping ReadPart
    ) throws(DatabaseError) {
        var known: Set<Record.ID> = []
        var rows = parts.flatMap(\.1.rows)
        while true {
            var targets: Set<Record.ID> = []
            for row in rows {
                known.insert(row.id)
                row.collectTargets(into: &targets)
            }
            targets.subtract(known)
            if targets.isEmpty { return }
            // What is not there is looked for once.
            known.formUnion(targets)
            var need = ServerNeed()
            need.records = Array(targets)
            let more = try self.parts(of: need, origin, readPart)
            rows = more.flatMap(\.1.rows)
            parts += more
        }
    }

    /// The records of other nodes that the references of a moment's rows lead to, and those that these lead to.
    ///
    /// - Parameter first: Identifiers of more that are wanted.
    /// - Throws: `DatabaseError`.
    func followed(
        from moment: ServerMoment, and first: [Record.ID], beyond home: Int32, _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> [ServerRow] {
        var (known, targets) = (Set(moment.rows.map(\.id)), Set(first))
        for row in moment.rows { row.collectTargets(into: &targets) }
        var found: [ServerRow] = []
        while true {
            targets.subtract(known)
            known.formUnion(targets)
            let nodes = try placement.nodes(of: targets, in: origin)
            var need = ServerNeed()
            need.records = targets.filter { nodes[$0] != home }
            if need.records.isEmpty { return found }
            let more = try read(origin, need, beside: moment).rows
            found += more
            targets = []
            for row in more { row.collectTargets(into: &targets) }
        }
    }

    /// What each node is to give: there is one at least.
    private func split(
        _ need: ServerNeed, _ origin: DatabaseOrigin, sharing isSharing: Bool
    ) throws(DatabaseError) -> [(node: Int32, need: ServerNeed)] {
        let zones = need.zoneIDs
        var named = zones
        let isOfAllZones = need.selection.map { $0.zoneID == nil } ?? false
        if isOfAllZones { named.insert(.default) }
        let places = try placement.places(of: named, in: origin)
        let isOfAll =
            isOfAllZones || !need.wholeTypes.isEmpty
            || need.shares == .all || zones.isEmpty && need.subscribers == nil
        func isOn(_ number: Int32, _ zone: RecordZone.ID) -> Bool { places[zone]?.nodes.contains(number) ?? false }
        func node(of id: Record.ID) -> Int32 { places[id.zoneID]?.node(of: id) ?? 0 }
        let ids = need.records + need.roots + need.targets + need.trees + need.heldBy
        var numbers = Set(ids.map(node))
        for zone in need.sharingZoneIDs { numbers.insert(places[zone]?.first ?? 0) }
        if let zone = need.selection?.zoneID { numbers.formUnion(places[zone]?.nodes ?? []) }
        if let zone = need.conditions?.zoneID { numbers.formUnion(places[zone]?.nodes ?? []) }
        if let zone = need.changes?.zoneID { numbers.insert(places[zone]?.first ?? 0) }
        // References of a spread zone lead to records of any node.
        let isSpread = places[need.selection?.zoneID ?? .default]?.isSpread ?? false
        if isOfAll { numbers.formUnion(nodes.map(\.number)) }
        // Subscriptions, and batches, are the control node's.
        if need.subscribers != nil || numbers.isEmpty { numbers.insert(0) }
        return numbers.sorted().map { number in
            func isHere(_ id: Record.ID) -> Bool { node(of: id) == number }
            var part = need
            part.records.removeAll { !isHere($0) }
            part.roots.removeAll { !isHere($0) }
            part.targets.removeAll { !isHere($0) }
            part.heldBy.removeAll { !isHere($0) }
            part.trees.removeAll { !isHere($0) }
            if let zone = need.selection?.zoneID, !isOn(number, zone) { part.selection = nil }
            if let zone = need.changes?.zoneID, places[zone]?.first != number { part.changes = nil }
            if isSpread { part.selection?.referencesLeadElsewhere = true }
            if isSharing, let selection = part.selection, let zone = selection.zoneID, let limit = selection.limit {
                let count = places[zone]?.nodes.count ?? 1
                if count > 1 { part.selection?.share = SharedPage.share(of: limit, among: count) }
            }
            if number != 0 { part.subscribers = nil }
            return (number, part)
        }
    }

    // MARK: Joining

    /// What nodes gave, as one server would have.
    static func join(_ parts: [(node: Int32, moment: ServerMoment)]) -> ServerMoment {
        guard var joined = parts.first?.moment else { return ServerMoment(schema: ContainerSchema()) }
        if parts.count == 1 {
            joined.pushed = pushed(parts)
            return joined
        }
        let moments = parts.map(\.moment)
        joined.zones = []
        for moment in moments {
            joined.zones += moment.zones.map { zone in
                var zone = zone
                zone.nodeChange = moment.lastChange
                return zone
            }
        }
        for moment in moments.dropFirst() {
            joined.lastChange = max(joined.lastChange, moment.lastChange)
            joined.lastDate = max(joined.lastDate, moment.lastDate)
            joined.links += moment.links
            joined.heldLinks += moment.heldLinks
            joined.moves += moment.moves
            joined.deletions += moment.deletions
            joined.subscriptions += moment.subscriptions
            joined.countedRows += moment.countedRows
        }
        // A node may have given two parts.
        let zones = Dictionary(joined.zones.map { ($0.name, $0) }) { a, _ in a }
        joined.zones = zones.values.sorted { $0.name < $1.name }
        let gone = Dictionary(moments.flatMap(\.goneZones).map { ($0.name, $0) }) { a, _ in a }
        joined.goneZones = gone.values.sorted { $0.name < $1.name }
        let areSure = moments.compactMap(\.areRowsSure)
        joined.areRowsSure = areSure.isEmpty ? nil : areSure.allSatisfy { $0 }
        joined.rows = joined.areRowsSure == true ? moments.flatMap(\.rows) : merged(moments.map(\.rows))
        joined.groups = sum(moments.map(\.groups))
        joined.pushed = pushed(parts)
        return joined
    }

    /// Rows in the order in which they were made, each once. On one node no row is older than the one before it.
    private static func merged(_ parts: [[ServerRow]]) -> [ServerRow] {
        var seen: Set<Record.ID> = []
        let rows = parts.joined().filter { seen.insert($0.id).inserted }
        return rows.enumerated().sorted { a, b in
            (a.element.creationDate, a.offset) < (b.element.creationDate, b.offset)
        }.map(\.element)
    }

    /// The counts of values on all nodes; `nil` where the records of one have to tell.
    private static func sum(
        _ parts: [[(value: FieldValue, count: Int)]?]
    ) -> [(value: FieldValue, count: Int)]? {
        var counts: [FieldValue: Int] = [:]
        for part in parts {
            guard let part else { return nil }
            for (value, count) in part { counts[value, default: 0] += count }
        }
        return counts.map { ($0.key, $0.value) }
    }

    private static func pushed(_ parts: [(node: Int32, moment: ServerMoment)]) -> QueryExplanation.Pushed? {
        let found = parts.compactMap { part in part.moment.pushed.map { (Int(part.node), $0) } }
        guard var joined = found.first?.1 else { return nil }
        joined.nodes = found.flatMap { number, pushed in
            pushed.nodes.map { node in
                var node = node
                node.number = number
                return node
            }
        }
        return joined
    }
}

/// Reads all nodes, each at the moment at which it was opened.
private final class NodeReading: ServerReading {
    private let container: NodeContainer
    private let origin: DatabaseOrigin
    private let opened: [Int32: any ServerReading]

    init(_ container: NodeContainer, _ origin: DatabaseOrigin, _ opened: [Int32: any ServerReading]) {
        (self.container, self.origin, self.opened) = (container, origin, opened)
    }

    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        let opened = opened
        return try container.readJoined(origin, need) { number, need throws(DatabaseError) in
            guard let reading = opened[number] else {
                throw DatabaseError(.internalError, "node \(number) is not read")
            }
            do throws(DatabaseError) { return try reading.read(need) } catch { throw error.ofNode(number) }
        }
    }

    func portions(of types: [String]) throws(DatabaseError) -> any ServerPortions {
        var parts: [(node: Int32, portions: any ServerPortions)] = []
        for (number, reading) in opened.sorted(by: { $0.key < $1.key }) {
            do throws(DatabaseError) {
                parts.append((number, try reading.portions(of: types)))
            } catch {
                throw error.ofNode(number)
            }
        }
        return NodePortions(parts)
    }
}

extension ServerNeed {
    /// The zones that are named of which shares, all records or moves are needed.
    var sharingZoneIDs: Set<RecordZone.ID> {
        var zones = Set(wholeZones + moves)
        if case .named(let named)? = shares { zones.formUnion(named) }
        return zones
    }

    /// The zones that are named.
    var zoneIDs: Set<RecordZone.ID> {
        var zones = Set(records.lazy.map(\.zoneID))
        for id in roots { zones.insert(id.zoneID) }
        for id in targets + trees + heldBy { zones.insert(id.zoneID) }
        zones.formUnion(sharingZoneIDs)
        for zone in [selection?.zoneID, changes?.zoneID, conditions?.zoneID] { if let zone { zones.insert(zone) } }
        return zones
    }
}
