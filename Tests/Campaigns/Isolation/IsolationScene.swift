// The records that clients of an isolation campaign meet at, and what may be read and changed together.

import RecordDatabase
import RecordModel

/// Records of the default zone and of zones of their own.
///
/// On one server or none, a commit and a moment are about all of them. Of several servers each has its own.
struct IsolationScene: Sendable {
    static let type = "Item"

    /// Records that are there from the beginning and change again and again: those of each server.
    let keys: [[Record.ID]]
    /// How many servers the records are on; 0 for a store of this process.
    let serverCount: Int
    private let zones: [RecordZone.ID]
    private let placement: ServerPlacement

    /// Makes the zones.
    ///
    /// - Parameter identifier: Names the container.
    init(on ground: ContainerGround, _ identifier: String, _ container: Container) async throws(DatabaseError) {
        serverCount = ground.serverCount
        let ownCount = max(1, serverCount)
        let own = (0..<ownCount).map { RecordZone.ID("Own \($0)") }
        for zone in own { try await container.privateDatabase.save(RecordZone(id: zone)) }
        zones = [.default] + own
        let origin = DatabaseOrigin(container: identifier, scope: .private, user: Account.localUser.userName)
        placement = try ground.placement(identifier, origin)
        // Enough names for each server to have some of them.
        var ids = (0..<3 * ownCount).map { Record.ID("key \($0)") }
        for zone in own { ids += (0..<3).map { Record.ID("key \($0)", zoneID: zone) } }
        var byNode: [Int32: [Record.ID]] = [:]
        for id in ids { byNode[try placement.node(of: id), default: []].append(id) }
        keys = byNode.sorted { $0.key < $1.key }.map(\.value)
    }

    func close() { placement.close() }

    /// A zone for each number.
    func zone(_ number: Int) -> RecordZone.ID { zones[number % zones.count] }

    func node(of id: Record.ID) throws(DatabaseError) -> Int32 { try placement.node(of: id) }

    /// The zones that a transaction may look through which is about some records: on several servers one that is not
    /// spread over them.
    func zones(of ids: [Record.ID]) -> QueryZones? {
        if serverCount < 2 { return .all }
        return ids.map(\.zoneID).first { !$0.isDefault }.map { .zone($0) }
    }

    // MARK: What was seen

    static func value(_ record: Record) -> Int64? {
        if case .int64(let value) = record["value"] { value } else { nil }
    }

    static func record(_ id: Record.ID, _ value: Int64) -> Record {
        Record(type: type, id: id, fields: ["value": .int64(value)])
    }

    func observation(_ id: Record.ID, _ value: Int64?) throws(DatabaseError) -> History.Observation {
        History.Observation(id.short, value, node: try node(of: id))
    }

    func observations(_ records: [Record]) throws(DatabaseError) -> [History.Observation] {
        try records.map { record throws(DatabaseError) in try observation(record.id, Self.value(record)) }
    }

    func write(_ id: Record.ID, from base: Int64?, to value: Int64?) throws(DatabaseError) -> History.Write {
        History.Write(id.short, from: base, to: value, node: try node(of: id))
    }

    /// The records of a moment that match.
    func records(
        of reader: some RecordReading, in zones: QueryZones = .all,
        matching predicate: RecordPredicate = "TRUEPREDICATE"
    ) throws(DatabaseError) -> [History.Observation] {
        do {
            return try observations(
                reader.records(ofType: Self.type, in: zones).records(matching: predicate))
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw DatabaseError(.internalError, "\(error)")
        }
    }
}
