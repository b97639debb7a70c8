// Where zones live.

import RecordDatabase
import RecordModel
import Synchronization

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
    private let known = Mutex<[Key: Int32]>([:])

    init(control: Node, numbers: [Int32]) { (self.control, self.numbers) = (control, numbers) }

    /// The nodes of zones; the control node for those that have no place.
    ///
    /// - Parameter isPlacing: Whether zones without a place get one.
    /// - Throws: `DatabaseError`, of code `badContainer` for a zone on a node that was added since the container was
    ///   opened.
    func nodes(
        of zones: Set<RecordZone.ID>, in origin: DatabaseOrigin, isPlacing: Bool = false
    ) throws(DatabaseError) -> [RecordZone.ID: Int32] {
        var found: [RecordZone.ID: Int32] = [:]
        var unknown: [String] = []
        for zone in zones {
            if zone.ownerName != RecordZone.ID.currentUserName || !zone.isStorable {
                found[zone] = 0
            } else if let node = known.withLock({ $0[Self.key(zone.zoneName, origin)] }) {
                found[zone] = node
            } else {
                found[zone] = 0
                unknown.append(zone.zoneName)
            }
        }
        if unknown.isEmpty { return found }
        for (name, node) in try look(for: unknown.sorted(), in: origin, isPlacing: isPlacing) {
            guard numbers.contains(node) else {
                throw DatabaseError(
                    .badContainer, "zone \(name) is on node \(node), which was added meanwhile",
                    hint: "open the container again")
            }
            known.withLock { known in
                if known.count >= Self.capacity { known = [:] }
                known[Self.key(name, origin)] = node
            }
            found[RecordZone.ID(name)] = node
        }
        return found
    }

    /// Whether a zone has a place.
    func isPlaced(_ zone: RecordZone.ID, in origin: DatabaseOrigin) throws(DatabaseError) -> Bool {
        if known.withLock({ $0[Self.key(zone.zoneName, origin)] }) != nil { return true }
        return try !look(for: [zone.zoneName], in: origin, isPlacing: false).isEmpty
    }

    private static func key(_ zone: String, _ origin: DatabaseOrigin) -> Key {
        Key(scope: origin.scope.rawValue, owner: origin.user ?? "", zone: zone)
    }

    private func look(
        for names: [String], in origin: DatabaseOrigin, isPlacing: Bool
    ) throws(DatabaseError) -> [(name: String, node: Int32)] {
        let key: [Parameter] = [.int32(Int32(origin.scope.rawValue)), .text(origin.user ?? "")]
        var statements = [
            Statement(
                "SELECT zone, node FROM place WHERE scope = $1 AND owner = $2 AND zone = ANY($3)", key + [.texts(names)]
            )
        ]
        if isPlacing {
            let nodes = names.map { name in
                let hash = Layout.hash("\(origin.scope.rawValue)\n\(origin.user ?? "")\n\(name)")
                return numbers[Int(hash % UInt64(numbers.count))]
            }
            statements.insert(
                Statement(
                    """
                    INSERT INTO place SELECT $1, $2, z, n FROM unnest($3::text[], $4::int4[]) w(z, n)
                    ON CONFLICT DO NOTHING
                    """, key + [.texts(names), .int32s(nodes)]), at: 0)
        }
        return try control.call { container throws(DatabaseError) in
            try container.retrying { () throws(CallError) in
                // Whoever looks may have a connection of the other pool, and keep it.
                try container.withConnection(of: container.assetPool) { connection throws(CallError) in
                    guard let rows = try connection.call(statements).last else { throw MomentReader.damaged }
                    var found: [(name: String, node: Int32)] = []
                    for row in 0..<rows.count {
                        guard let name = rows.text(row, 0), let node = rows.int64(row, 1) else {
                            throw MomentReader.damaged
                        }
                        found.append((name, Int32(truncatingIfNeeded: node)))
                    }
                    return found
                }
            }
        }
    }
}
