// What commits on one of several nodes read: of the node itself, and of others as they are by then.

import RecordDatabase
import RecordModel
import Synchronization

/// Notes what a body needs first, and gives nothing.
final class FirstReading: ServerReading {
    private let origin: DatabaseOrigin?
    let owners: [String]
    private let noted: Noted

    private final class Noted: Sendable {
        let first = Mutex<(need: ServerNeed, origin: DatabaseOrigin?)?>(nil)
    }

    /// - Parameter owners: Who shares something with the user of a shared database.
    convenience init(_ origin: DatabaseOrigin? = nil, _ owners: [String] = []) { self.init(origin, owners, Noted()) }

    private init(_ origin: DatabaseOrigin?, _ owners: [String], _ noted: Noted) {
        (self.origin, self.owners, self.noted) = (origin, owners, noted)
    }

    /// What was needed first, and the database that it is of.
    var first: (need: ServerNeed, origin: DatabaseOrigin)? {
        noted.first.withLock { first in first.flatMap { first in first.origin.map { (first.need, $0) } } }
    }

    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        noted.first.withLock { if $0 == nil { $0 = (need, origin) } }
        throw DatabaseError(.zoneBusy, "the call is made again on the node of its zone")
    }

    func reading(of owner: String) -> (any ServerReading)? {
        guard owners.contains(owner), let origin else { return nil }
        return FirstReading(origin.ofOwner(owner), [], noted)
    }
}

extension DatabaseOrigin {
    /// The private database of another user of the container.
    func ofOwner(_ owner: String) -> DatabaseOrigin {
        DatabaseOrigin(container: container, scope: .private, user: owner)
    }
}

/// Reads a private database of which nothing is shared on the node of a commit: what is elsewhere is rejected before.
private struct AbsentReading: ServerReading {
    /// Reads the shared database that the call is about, which has neither zones nor records of its own.
    let shared: any ServerReading

    func read(_: ServerNeed) throws(DatabaseError) -> ServerMoment { try shared.read(ServerNeed()) }
}

/// Reads the node of a commit, and of others what the references of records lead to: those are as they are by then.
final class HomeReading: ServerReading {
    private let reading: any ServerReading
    private let container: NodeContainer
    private let origin: DatabaseOrigin
    private let home: Int32
    /// Targets on other nodes whose holders are counted.
    private let crowded: Set<Record.ID>
    /// What reads the databases of those who share something with the user of a shared one.
    private let parts: [String: HomeReading]
    /// Records of other nodes with values that records of the commit are to have.
    private let rivals: [ServerRow]
    private let state = Mutex(State())

    private struct State {
        var rejection: DatabaseError?
        /// Records of which other nodes have holders or children.
        var targets: Set<Record.ID> = []
        var holderLimit = Int.max
        /// Records as they are before the commit, where some have values that no others may have.
        var earlier: [Record.ID: ServerRow] = [:]
    }

    /// - Parameter owners: Who shares something with the user of a shared database, on whichever node.
    init(
        _ reading: any ServerReading, _ container: NodeContainer, _ origin: DatabaseOrigin, _ home: Int32,
        _ owners: [String], _ marks: NodeContainer.CommitMarks
    ) {
        (self.reading, self.container, self.origin, self.home) = (reading, container, origin, home)
        crowded = marks.links.crowded
        rivals = marks.claims.rivals.values.sorted { $0.id.recordName < $1.id.recordName }
        var parts: [String: HomeReading] = [:]
        for owner in Set(owners).union(reading.owners) {
            parts[owner] = HomeReading(
                reading.reading(of: owner) ?? AbsentReading(shared: reading), container, origin.ofOwner(owner), home,
                [], marks)
        }
        self.parts = parts
    }

    var owners: [String] { parts.keys.sorted() }

    func reading(of owner: String) -> (any ServerReading)? { parts[owner] }

    /// Why a read was rejected.
    var rejection: DatabaseError? {
        state.withLock { $0.rejection } ?? parts.values.lazy.compactMap(\.rejection).first
    }

    /// How many holders a record may have, as those who read said.
    var holderLimit: Int { state.withLock { $0.holderLimit } }

    /// The database that a commit changes.
    func origin(of commit: ServerCommit) -> DatabaseOrigin { commit.owner.map(origin.ofOwner) ?? origin }

    /// Divides the links of a commit that rests on what was read.
    /// - Returns: Links that the nodes of their targets have to have before.
    func divideLinks(
        of commit: inout ServerCommit, _ marks: inout LinkMarks
    ) throws(DatabaseError) -> [ServerLink] {
        if let owner = commit.owner, let part = parts[owner] { return try part.divideLinks(of: &commit, &marks) }
        let targets = state.withLock { $0.targets }
        return try container.divideLinks(of: &commit, &marks, at: home, targets: targets, reading, origin)
    }

    /// The claims of a commit that it cannot rest on yet.
    func unsettledClaims(
        of commit: ServerCommit, _ schema: ContainerSchema, _ marks: inout ClaimMarks
    ) throws(DatabaseError) -> [ValueClaim] {
        if let owner = commit.owner, let part = parts[owner] {
            return try part.unsettledClaims(of: commit, schema, &marks)
        }
        let earlier = state.withLock { $0.earlier }
        return try container.unsettledClaims(of: commit, schema, at: home, earlier: earlier, &marks, origin)
    }

    /// What the node of the commit gave, with what others have of what is needed.
    func completed(_ moment: ServerMoment, _ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        var moment = moment
        moment.node = home
        let (_, apart, targets) = try container.divide(need, at: home, origin)
        try noting { () throws(DatabaseError) in
            try container.complete(&moment, need, apart: apart, crowded: crowded.intersection(targets), origin)
        }
        state.withLock { state in
            state.targets.formUnion(moment.targetsApart)
            state.holderLimit = min(state.holderLimit, need.holderLimit)
            guard moment.schema.hasUniqueFields else { return }
            for row in moment.rows { state.earlier[row.id] = row }
        }
        return moment
    }

    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        if need.isOfRivals {
            var moment = try reading.read(need)
            moment.rows += rivals
            return moment
        }
        guard need.selection?.followsReferences == true || need.leadsElsewhere else {
            return try completed(try readHome(try container.divide(need, at: home, origin).own), need)
        }
        var own = need
        let nodes = try container.placement.nodes(of: Set(need.records), in: origin)
        own.records.removeAll { nodes[$0] != home }
        var moment = try readHome(own)
        moment.node = home
        let apart = need.records.filter { nodes[$0] != home }
        if need.leadsElsewhere {
            var more = ServerNeed()
            (more.records, more.zoneStates) = (apart, .named([]))
            if apart.isEmpty { return moment }
            moment.rows += try noting { () throws(DatabaseError) in
                try container.read(origin, more, beside: moment).rows
            }
            return moment
        }
        moment.rows += try noting { () throws(DatabaseError) in
            try container.followed(from: moment, and: apart, beyond: home, origin)
        }
        return moment
    }

    private func readHome(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        do throws(DatabaseError) {
            try container.check(need, at: home, origin)
        } catch {
            state.withLock { $0.rejection = error }
            throw error
        }
        return try reading.read(need)
    }

    /// Reads other nodes, and notes where they have several schemas: the commit has to let go of its node for that to
    /// end.
    private func noting<Outcome>(
        _ body: () throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        do throws(DatabaseError) { return try body() } catch {
            if error == NodeContainer.mixedSchemas { state.withLock { $0.rejection = error } }
            throw error
        }
    }
}
