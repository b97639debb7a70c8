// Where zones live.

import RecordDatabase
import RecordModel
import Synchronization

/// Where a zone lives.
enum Place: Hashable {
    /// The whole zone.
    case node(Int32)
    /// Its records by their names, each node with as many buckets.
    case spread([Int32])

    /// All nodes that may have records of the zone.
    var nodes: [Int32] {
        switch self {
        case .node(let number): [number]
        case .spread(let numbers): numbers
        }
    }

    /// The node of what is about the zone, and no record of it.
    var first: Int32 { nodes.first ?? 0 }

    var isSpread: Bool { nodes.count > 1 }

    /// The node of a record of the zone.
    func node(of id: Record.ID) -> Int32 {
        switch self {
        case .node(let number): number
        case .spread(let numbers):
            numbers.isEmpty ? 0 : numbers[Int(Layout.bucket(of: id, owner: "")) * numbers.count / Layout.bucketCount]
        }
    }
}

/// The nodes of zones. A zone that was placed stays where it is, also when it is deleted and made again: what is known
/// stays true. May be used from any thread that may wait.
final class Placement: Sendable {
    private struct Key: Hashable {
        let scope: Int
        let owner: String
        let zone: String
    }

    /// Zones that are remembered at most.
    private static let capacity = 100_000

    private let control: Node
    /// The nodes that new zones are spread over.
    private let numbers: [Int32]
    private let known = Mutex<[Key: Place]>([:])

    init(control: Node, numbers: [Int32]) { (self.control, self.numbers) = (control, numbers) }

    /// The nodes of records; the control node for those of zones that have no place.
    ///
    /// - Parameter placesDefaults: Whether default zones without a place get one.
    /// - Throws: As `places`.
    func nodes(
        of ids: Set<Record.ID>, in origin: DatabaseOrigin, placesDefaults: Bool = false
    ) throws(DatabaseError) -> [Record.ID: Int32] {
        let places = try places(of: Set(ids.map(\.zoneID)), in: origin, placesDefaults: placesDefaults)
        var nodes: [Record.ID: Int32] = Dictionary(minimumCapacity: ids.count)
        for id in ids { nodes[id] = places[id.zoneID]?.node(of: id) ?? 0 }
        return nodes
    }

    /// The places of zones, where default zones without one get it.
    func places(
        of zones: Set<RecordZone.ID>, in origin: DatabaseOrigin, placesDefaults: Bool
    ) throws(DatabaseError) -> [RecordZone.ID: Place] {
        let defaults: Set<RecordZone.ID> = placesDefaults ? zones.filter(\.isDefault) : []
        var places = try places(of: zones.subtracting(defaults), in: origin)
        if defaults.isEmpty { return places }
        places.merge(try self.places(of: defaults, in: origin, isPlacing: true)) { a, _ in a }
        return places
    }

    /// The places of zones; the control node for those that have none.
    ///
    /// - Parameter isPlacing: Whether zones without a place get one.
    /// - Throws: `DatabaseError`, of code `badContainer` for a zone on a node that was added since the container was
    ///   opened.
    func places(
        of zones: Set<RecordZone.ID>, in origin: DatabaseOrigin, isPlacing: Bool = false
    ) throws(DatabaseError) -> [RecordZone.ID: Place] {
        var found: [RecordZone.ID: Place] = [:]
        var unknown: [String] = []
        for zone in zones {
            if zone.ownerName != RecordZone.ID.currentUserName || !zone.isStorable {
                found[zone] = .node(0)
            } else if let place = known.withLock({ $0[Self.key(zone.zoneName, origin)] }) {
                found[zone] = place
            } else {
                found[zone] = .node(0)
                unknown.append(zone.zoneName)
            }
        }
        if unknown.isEmpty { return found }
        for (name, place) in try look(for: unknown.sorted(), in: origin, isPlacing: isPlacing) {
            if let node = place.nodes.first(where: { !numbers.contains($0) }) {
                throw DatabaseError(
                    .badContainer, "zone \(name) is on node \(node), which was added meanwhile",
                    hint: "open the container again")
            }
            known.withLock { known in
                if known.count >= Self.capacity { known = [:] }
                known[Self.key(name, origin)] = place
            }
            found[RecordZone.ID(name)] = place
        }
        return found
    }

    /// Whether a zone has a place.
    func isPlaced(_ zone: RecordZone.ID, in origin: DatabaseOrigin) throws(DatabaseError) -> Bool {
        if known.withLock({ $0[Self.key(zone.zoneName, origin)] }) != nil { return true }
        if !zone.isStorable { return false }
        return try !look(for: [zone.zoneName], in: origin, isPlacing: false).isEmpty
    }

    private static func key(_ zone: String, _ origin: DatabaseOrigin) -> Key {
        Key(scope: origin.scope.rawValue, owner: origin.user ?? "", zone: zone)
    }

    private func look(
        for names: [String], in origin: DatabaseOrigin, isPlacing: Bool
    ) throws(DatabaseError) -> [(name: String, place: Place)] {
        let key: [Parameter] = [.int32(Int32(origin.scope.rawValue)), .text(origin.user ?? "")]
        var statements = [
            Statement(
                """
                SELECT p.zone, s.n FROM place p CROSS JOIN unnest(COALESCE(p.spread, ARRAY[p.node])) WITH ORDINALITY
                s(n, o) WHERE p.scope = $1 AND p.owner = $2 AND p.zone = ANY($3) ORDER BY p.zone, s.o
                """, key + [.texts(names)])
        ]
        if isPlacing { statements.insert(placing(names, in: origin, key), at: 0) }
        return try control.call { container throws(DatabaseError) in
            try container.retrying { () throws(CallError) in
                // Whoever looks may have a connection of the other pool, and keep it.
                try container.withConnection(of: container.assetPool) { connection throws(CallError) in
                    guard let rows = try connection.call(statements).last else { throw MomentReader.damaged }
                    return try Self.places(rows)
                }
            }
        }
    }

    /// Gives zones their place: default zones all nodes that there are, others one.
    private func placing(_ names: [String], in origin: DatabaseOrigin, _ key: [Parameter]) -> Statement {
        let nodes = names.map { name in
            let hash = Layout.hash("\(origin.scope.rawValue)\n\(origin.user ?? "")\n\(name)")
            return numbers[Int(hash % UInt64(numbers.count))]
        }
        return Statement(
            """
            INSERT INTO place(scope, owner, zone, node, spread)
            SELECT $1, $2, z, n, CASE WHEN z = $5 THEN $6::int4[] END FROM unnest($3::text[], $4::int4[]) w(z, n)
            ON CONFLICT DO NOTHING
            """,
            key + [.texts(names), .int32s(nodes), .text(RecordZone.ID.default.zoneName), .int32s(numbers)])
    }

    private static func places(_ rows: RowSet) throws(CallError) -> [(name: String, place: Place)] {
        var found: [(name: String, nodes: [Int32])] = []
        for row in 0..<rows.count {
            guard let name = rows.text(row, 0), let node = rows.int64(row, 1) else { throw MomentReader.damaged }
            if found.last?.name != name { found.append((name, [])) }
            found[found.count - 1].nodes.append(Int32(truncatingIfNeeded: node))
        }
        return found.map { ($0.name, $0.nodes.count == 1 ? .node($0.nodes[0]) : .spread($0.nodes)) }
    }
}
