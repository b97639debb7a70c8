// Commits: each on the one node that has its zones.

package import RecordDatabase
package import RecordModel

extension NodeContainer {
    package func parts(
        of zones: [RecordZone.ID], in origin: DatabaseOrigin, isMaking: Bool
    ) throws(DatabaseError) -> [[RecordZone.ID]] {
        let places = try placement.places(of: Set(zones), in: origin, isPlacing: isMaking)
        var (parts, order): ([Int32: [RecordZone.ID]], [Int32]) = ([:], [])
        for zone in zones {
            let node = places[zone]?.first ?? 0
            if parts[node] == nil { order.append(node) }
            parts[node, default: []].append(zone)
        }
        return order.compactMap { parts[$0] }
    }

    package func nodes(
        of records: Set<Record.ID>, in origin: DatabaseOrigin
    ) throws(DatabaseError) -> [Record.ID: Int32] {
        try placement.nodes(of: records, in: origin, placesDefaults: true)
    }

    package func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        if case .user(let name)? = need.subscribers { return try writeSubscriptions(origin, of: name, need, body) }
        var first = (need: need, origin: origin)
        let owners = need.locksOwners ? try self.owners(ofSharesAcceptedBy: origin.user ?? "") : []
        if need.changed.isEmpty, need.zones.isEmpty, need.zoneIDs.isEmpty {
            switch try firstNeed(origin, owners, body) {
            case .done(let outcome): return outcome
            case .again(let found): first = found
            }
        }
        let home = try home(of: first.need, in: first.origin)
        let own = try divide(need, at: home, origin).own
        try check(own, at: home, origin)
        var marks = CommitMarks(origin: origin)
        do throws(DatabaseError) {
            let outcome = try write(origin, need, own, at: (home, owners), &marks, body)
            forget(marks.links.left, marks.origin)
            // What is left behind here does no harm.
            _ = try? removeUnheld(marks.claims.released(isStored: true), at: home, marks.origin)
            return outcome
        } catch {
            // Of a commit that may have been stored the links stay.
            if error.code != .serverResponseLost { forget(marks.links.all, marks.origin) }
            _ = try? removeUnheld(marks.claims.released(isStored: false), at: home, marks.origin)
            throw error
        }
    }

    /// What other nodes know of a commit that is being made.
    struct CommitMarks {
        /// The database that it changes.
        var origin: DatabaseOrigin
        var links = LinkMarks()
        var claims = ClaimMarks()
    }

    /// The node of a commit, and who shares something with the user of a shared database, on whichever node.
    private typealias Home = (node: Int32, owners: [String])

    /// Attempts at a commit on a node, after what has to be on other nodes before it.
    private func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed, _ own: ServerNeed, at home: Home, _ marks: inout CommitMarks,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        var (attempts, claimAttempts, levelAttempts) = (0, 0, 0)
        while true {
            var (ended, known) = ([EndedSubscriptions](), marks)
            let end = try node(home.node).call { container throws(DatabaseError) -> Attempt<Outcome, Missing> in
                try container.write(origin, own) { moment, reading throws(DatabaseError) in
                    let reading = HomeReading(reading, self, origin, home.node, home.owners, known)
                    let made = try attempt(on: moment, need, reading, &known, body)
                    ended = made.commit.map { EndedSubscriptions.all(of: $0, origin) } ?? []
                    return made
                }
            }
            marks = known
            switch end {
            case .done(let outcome):
                for user in ended { endSubscriptions(user.origin, of: user.name) }
                return outcome
            case .again(.schema(let schema, let version)): try grow(to: schema, from: version)
            case .again(.links(let links, let limit)):
                attempts += 1
                if attempts > 5 { throw Self.changingTargets }
                try note(links, &marks.links, limit: limit, marks.origin)
            case .again(.claims(let claims)):
                // Two that look for each other's record at the same time do so again, at another time.
                PostgreSQLContainer.pause(claimAttempts * 4)
                claimAttempts += 1
                if claimAttempts > 20 { throw Self.contestedValues }
                try settle(claims, at: home.node, &marks.claims, marks.origin)
            case .again(.oneSchema):
                // Here no connection is held: a change of the schema would wait for this commit's own transaction.
                levelAttempts += 1
                if levelAttempts > 5 { throw Self.mixedSchemas }
                try level()
            }
        }
    }

    private static var changingTargets: DatabaseError {
        DatabaseError(
            .zoneBusy, "owners or parents on other nodes change meanwhile", retryAfter: .milliseconds(200))
    }

    private static var contestedValues: DatabaseError {
        DatabaseError(
            .zoneBusy, "records of several nodes are to have the same UNIQUE values", retryAfter: .milliseconds(200))
    }

    /// How an attempt ended.
    private enum Attempt<Outcome, Reason> {
        case done(Outcome)
        case again(Reason)
    }

    /// What has to be on other nodes before a commit.
    private enum Missing {
        /// A schema, and the number of that which it takes the place of.
        case schema(ContainerSchema, from: Int64)
        /// Links of its records, and how many holders a record may have.
        case links([ServerLink], limit: Int)
        /// Claims of values that its records are to have alone.
        case claims([ValueClaim])
        /// The same schema on all of them.
        case oneSchema
    }

    private func attempt<Outcome>(
        on moment: ServerMoment, _ need: ServerNeed, _ reading: HomeReading, _ marks: inout CommitMarks,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Attempt<Outcome, Missing>) {
        let decided: (commit: ServerCommit?, outcome: Outcome)
        do throws(DatabaseError) { decided = try body(try reading.completed(moment, need), reading) } catch {
            if reading.rejection == Self.mixedSchemas { return (nil, .again(.oneSchema)) }
            throw reading.rejection ?? error
        }
        // Whoever called may have gone on without what was rejected.
        if reading.rejection == Self.mixedSchemas { return (nil, .again(.oneSchema)) }
        if let rejection = reading.rejection { throw rejection }
        guard var commit = decided.commit else { return (nil, .done(decided.outcome)) }
        marks.origin = reading.origin(of: commit)
        if let schema = commit.schema { return (nil, .again(.schema(schema, from: moment.roles.version))) }
        let missing = try reading.divideLinks(of: &commit, &marks.links)
        if !missing.isEmpty { return (nil, .again(.links(missing, limit: reading.holderLimit))) }
        let claims = try reading.unsettledClaims(of: commit, moment.schema, &marks.claims)
        return claims.isEmpty ? (commit, .done(decided.outcome)) : (nil, .again(.claims(claims)))
    }

    // MARK: Which node

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

    static var spreadZone: DatabaseError {
        DatabaseError(
            .badDatabase, "a commit does not depend on all records of a zone that is spread over nodes",
            hint: "name the records, or keep those that change together in a zone of their own, which is on one node")
    }

    /// The one node of what changes together. A default zone gets its place when it is first written.
    private func home(of need: ServerNeed, in origin: DatabaseOrigin) throws(DatabaseError) -> Int32 {
        let ids = need.changed.isEmpty ? need.records + need.roots + need.targets : need.changed
        if !need.changed.isEmpty || need.zones.isEmpty && !ids.isEmpty {
            let numbers = Set(try nodes(of: Set(ids), in: origin).values)
            guard let home = numbers.first, numbers.count == 1 else { throw Self.severalNodes }
            return home
        }
        let zones = need.zones.isEmpty ? need.zoneIDs : Set(need.zones)
        let places = try placement.places(of: zones, in: origin, placesDefaults: true)
        let numbers = Set(places.values.map(\.first))
        guard let home = numbers.first, numbers.count == 1 else { throw Self.severalNodes }
        return home
    }

    /// Divides what a batch needs: what the node of the commit gives, and records that the batch refers to and does
    /// not change, of nodes that have other records of a spread zone. These are as they are by then.
    func divide(
        _ need: ServerNeed, at home: Int32, _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> (own: ServerNeed, apart: [Record.ID], targets: [Record.ID]) {
        if need.changed.isEmpty { return (need, [], []) }
        let ids = Set(need.records + need.neighbours + need.targets)
        let places = try placement.places(of: Set(ids.map(\.zoneID)), in: origin)
        let changed = Set(need.changed)
        func isApart(_ id: Record.ID) -> Bool {
            guard let place = places[id.zoneID], place.isSpread else { return false }
            return place.node(of: id) != home
        }
        var own = need
        own.records.removeAll { isApart($0) && !changed.contains($0) }
        own.neighbours.removeAll(where: isApart)
        own.targets.removeAll(where: isApart)
        let apart = need.records.filter { isApart($0) && !changed.contains($0) }
        return (own, apart, need.targets.filter(isApart))
    }

    /// Reads other nodes for a commit.
    ///
    /// - Parameter home: What the node of the commit gave. Its records are as a migration left them, or all of them
    ///   are not.
    func read(
        _ origin: DatabaseOrigin, _ need: ServerNeed, beside home: ServerMoment
    ) throws(DatabaseError) -> ServerMoment {
        let found = try read(origin, need, isAside: true)
        if found.schema.migrations != home.schema.migrations { throw Self.mixedSchemas }
        return found
    }

    /// Checks that a node has all that is needed, as far as a commit depends on it.
    /// - Throws: `DatabaseError` of code `badDatabase`.
    func check(_ need: ServerNeed, at home: Int32, _ origin: DatabaseOrigin) throws(DatabaseError) {
        // The public database has one zone.
        let isOfAll =
            need.selection.map { $0.zoneID == nil } ?? false || !need.wholeTypes.isEmpty || need.shares == .all
        if isOfAll, origin.scope != .public { throw Self.allZones }
        var zones = need.zoneIDs.union(need.zones)
        if isOfAll { zones.insert(.default) }
        let places = try placement.places(of: zones, in: origin)
        let whole = [need.selection.map { $0.zoneID ?? .default }, isOfAll ? .default : nil]
        for case .some(let zone) in whole where places[zone]?.isSpread == true { throw Self.spreadZone }
        var apart = Set(need.zones.filter { places[$0].map { !$0.nodes.contains(home) } ?? false })
        for zone in [need.selection?.zoneID, need.changes?.zoneID] + need.sharingZoneIDs.map(Optional.init) {
            if let zone, places[zone]?.first != home { apart.insert(zone) }
        }
        for id in need.records + need.roots + need.targets + need.trees where places[id.zoneID]?.node(of: id) != home {
            apart.insert(id.zoneID)
        }
        // A zone without a place has no records.
        if apart.contains(where: { !$0.isDefault }) { throw Self.severalNodes }
        if !apart.isEmpty, try placement.isPlaced(.default, in: origin) { throw Self.severalNodes }
    }

    /// What a body needs first, and the database that it is of.
    private typealias FirstNeed = (need: ServerNeed, origin: DatabaseOrigin)

    /// Runs a body that names no zone, until it needs records of one.
    private func firstNeed<Outcome>(
        _ origin: DatabaseOrigin, _ owners: [String],
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Attempt<Outcome, FirstNeed> {
        let reading = FirstReading(origin, owners)
        let decided: (commit: ServerCommit?, outcome: Outcome)
        do throws(DatabaseError) {
            // Schema and roles are enough, and those are on every node: others may be down.
            let moment = try nodes[0].call { control throws(DatabaseError) in try control.read(origin, ServerNeed()) }
            decided = try body(moment, reading)
        } catch {
            guard let first = reading.first else { throw error }
            return .again((try suited(first.need, first.origin), first.origin))
        }
        if let first = reading.first { return .again((try suited(first.need, first.origin), first.origin)) }
        // What is about no zone, as the token of a batch without items, has its place with the default one.
        if decided.commit != nil { return .again((Self.ofDefaultZone, origin)) }
        return .done(decided.outcome)
    }

    private static var ofDefaultZone: ServerNeed {
        var need = ServerNeed()
        need.zones = [.default]
        return need
    }

    /// A need that tells the zone of a commit.
    private func suited(_ need: ServerNeed, _ origin: DatabaseOrigin) throws(DatabaseError) -> ServerNeed {
        if !need.changed.isEmpty || !need.zones.isEmpty || !need.zoneIDs.isEmpty { return need }
        if origin.scope == .public { return Self.ofDefaultZone }
        throw Self.allZones
    }
}

/// Somebody whose subscriptions to a database a commit ended on its node.
private struct EndedSubscriptions: Hashable {
    let origin: DatabaseOrigin
    let name: String

    /// - Parameter origin: The database of the call.
    static func all(of commit: ServerCommit, _ origin: DatabaseOrigin) -> [EndedSubscriptions] {
        let own = commit.owner.map(origin.ofOwner) ?? origin
        let ended =
            commit.deletedSubscriptions.map { EndedSubscriptions(origin: own, name: $0.userName) }
            + commit.endedSharedSubscriptions.map { user, _ in
                EndedSubscriptions(
                    origin: DatabaseOrigin(container: origin.container, scope: .shared, user: user), name: user)
            }
        return Array(Set(ended))
    }
}
