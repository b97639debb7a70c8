// Commits: each on the one node that has its zones.

package import RecordDatabase
package import RecordModel
import Synchronization

extension NodeContainer {
    package func parts(
        of zones: [RecordZone.ID], in origin: DatabaseOrigin, isMaking: Bool
    ) throws(DatabaseError) -> [[RecordZone.ID]] {
        let places = try placement.nodes(of: Set(zones), in: origin, isPlacing: isMaking)
        var (parts, order): ([Int32: [RecordZone.ID]], [Int32]) = ([:], [])
        for zone in zones {
            let node = places[zone] ?? 0
            if parts[node] == nil { order.append(node) }
            parts[node, default: []].append(zone)
        }
        return order.compactMap { parts[$0] }
    }

    package func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        if need.subscribers != nil { throw Self.noSubscriptions }
        var zones = need.changedZones
        if zones.isEmpty {
            switch try firstZones(origin, body) {
            case .done(let outcome): return outcome
            case .again(let found): zones = found
            }
        }
        let home = try home(of: zones, in: origin)
        try check(need, at: home, origin)
        while true {
            let end = try node(home).call { container throws(DatabaseError) -> Attempt<Outcome, Growth> in
                try container.write(origin, need) { moment, reading throws(DatabaseError) in
                    try attempt(on: moment, HomeReading(reading, self, origin, home), body)
                }
            }
            switch end {
            case .done(let outcome): return outcome
            case .again(let growth): try grow(to: growth.schema, from: growth.version)
            }
        }
    }

    /// How an attempt ended.
    private enum Attempt<Outcome, Reason> {
        case done(Outcome)
        case again(Reason)
    }

    /// A schema that has to be on all nodes before a commit by it.
    private struct Growth {
        let schema: ContainerSchema
        /// Number of the schema that it takes the place of.
        let version: Int64
    }

    private func attempt<Outcome>(
        on moment: ServerMoment, _ reading: HomeReading,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Attempt<Outcome, Growth>) {
        let decided: (commit: ServerCommit?, outcome: Outcome)
        do throws(DatabaseError) { decided = try body(moment, reading) } catch { throw reading.rejection ?? error }
        // Whoever called may have gone on without what was rejected.
        if let rejection = reading.rejection { throw rejection }
        guard let schema = decided.commit?.schema else { return (decided.commit, .done(decided.outcome)) }
        return (nil, .again(Growth(schema: schema, version: moment.roles.version)))
    }

    // MARK: Which node

    static var noSubscriptions: DatabaseError {
        DatabaseError(
            .badDatabase, "containers on several nodes do not offer subscriptions",
            hint: "watch a query, or fetch the changes of zones")
    }

    static var severalNodes: DatabaseError {
        DatabaseError(
            .badDatabase, "zones on several nodes do not change together",
            hint: "use one call for each zone: predicate nodes tells where zones are")
    }

    static var allZones: DatabaseError {
        DatabaseError(
            .badDatabase, "a commit on one of several nodes does not depend on all zones",
            hint: "name the zone that the records are in")
    }

    /// The one node of zones that change together. A default zone gets its place when it is first written.
    private func home(of zones: Set<RecordZone.ID>, in origin: DatabaseOrigin) throws(DatabaseError) -> Int32 {
        var places = try placement.nodes(of: zones.filter { !$0.isDefault }, in: origin)
        let defaults = zones.filter(\.isDefault)
        if !defaults.isEmpty {
            places.merge(try placement.nodes(of: defaults, in: origin, isPlacing: true)) { a, _ in a }
        }
        let numbers = Set(places.values)
        guard let home = numbers.first, numbers.count == 1 else { throw Self.severalNodes }
        return home
    }

    /// Checks that a node has all that is needed, as far as a commit depends on it.
    /// - Throws: `DatabaseError` of code `badDatabase`.
    func check(_ need: ServerNeed, at home: Int32, _ origin: DatabaseOrigin) throws(DatabaseError) {
        // The public database has one zone.
        let isOfAll = need.selection.map { $0.zoneID == nil } ?? false || !need.wholeTypes.isEmpty
        if isOfAll, origin.scope != .public { throw Self.allZones }
        let places = try placement.nodes(of: need.zoneIDs.union(need.zones), in: origin)
        // A zone without a place has no records.
        if places.contains(where: { $0.value != home && !$0.key.isDefault }) { throw Self.severalNodes }
        let defaults = places.contains { $0.value != home && $0.key.isDefault }
        if defaults, try hasPlace(.default, in: origin) { throw Self.severalNodes }
    }

    private func hasPlace(_ zone: RecordZone.ID, in origin: DatabaseOrigin) throws(DatabaseError) -> Bool {
        try placement.isPlaced(zone, in: origin)
    }

    /// Runs a body that names no zone, until it needs records of one.
    private func firstZones<Outcome>(
        _ origin: DatabaseOrigin,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Attempt<Outcome, Set<RecordZone.ID>> {
        let reading = FirstReading()
        let decided: (commit: ServerCommit?, outcome: Outcome)
        do throws(DatabaseError) {
            // Schema and roles are enough, and those are on every node: others may be down.
            let moment = try nodes[0].call { control throws(DatabaseError) in try control.read(origin, ServerNeed()) }
            decided = try body(moment, reading)
        } catch {
            guard let need = reading.need else { throw error }
            return .again(try zones(of: need, origin))
        }
        if let need = reading.need { return .again(try zones(of: need, origin)) }
        // What is about no zone, as the token of a batch without items, has its place with the default one.
        if decided.commit != nil { return .again([.default]) }
        return .done(decided.outcome)
    }

    private func zones(of need: ServerNeed, _ origin: DatabaseOrigin) throws(DatabaseError) -> Set<RecordZone.ID> {
        if origin.scope == .public { return [.default] }
        let zones = need.changedZones
        if zones.isEmpty { throw Self.allZones }
        return zones
    }
}

/// Notes what a body needs first, and gives nothing.
private final class FirstReading: ServerReading {
    private let first = Mutex<ServerNeed?>(nil)
    var need: ServerNeed? { first.withLock { $0 } }

    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        first.withLock { if $0 == nil { $0 = need } }
        throw DatabaseError(.zoneBusy, "the call is made again on the node of its zone")
    }
}

/// Reads the node of a commit, and of others what the references of records lead to: those are as they are by then.
private final class HomeReading: ServerReading {
    private let reading: any ServerReading
    private let container: NodeContainer
    private let origin: DatabaseOrigin
    private let home: Int32
    private let rejected = Mutex<DatabaseError?>(nil)

    init(_ reading: any ServerReading, _ container: NodeContainer, _ origin: DatabaseOrigin, _ home: Int32) {
        (self.reading, self.container, self.origin, self.home) = (reading, container, origin, home)
    }

    /// Why a read was rejected.
    var rejection: DatabaseError? { rejected.withLock { $0 } }

    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        guard need.selection?.followsReferences == true else { return try readHome(need) }
        var own = need
        let places = try container.placement.nodes(of: Set(need.records.map(\.zoneID)), in: origin)
        own.records.removeAll { places[$0.zoneID] != home }
        var moment = try readHome(own)
        let apart = need.records.filter { places[$0.zoneID] != home }
        moment.rows += try container.followed(from: moment.rows, and: apart, beyond: home, origin)
        return moment
    }

    private func readHome(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        do throws(DatabaseError) {
            try container.check(need, at: home, origin)
        } catch {
            rejected.withLock { $0 = error }
            throw error
        }
        return try reading.read(need)
    }
}
