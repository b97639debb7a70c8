// What is stored on several nodes, on its way to another schema.

import RecordDatabase
import RecordModel
import Synchronization

/// The databases of all nodes, each in a transaction that keeps everybody else from writing. Used by one thread.
final class NodeMigration: MigrationGround {
    /// The transaction of one node.
    struct Opened {
        let number: Int32
        let migration: OpenMigration
        /// Whether the node was changed before, by a call that was cut off.
        let isMade: Bool
    }

    private let container: NodeContainer
    private let opened: [Opened]
    /// Links between nodes that no record holds when the work is done, and those that were noted for it.
    private(set) var left: [(origin: DatabaseOrigin, links: [ServerLink])] = []
    private(set) var noted: [(origin: DatabaseOrigin, links: [ServerLink])] = []

    init(_ container: NodeContainer, _ opened: [Opened]) { (self.container, self.opened) = (container, opened) }

    // MARK: All nodes

    var origins: [DatabaseOrigin] {
        let all = Set(opened.flatMap(\.migration.origins))
        return all.sorted { ($0.scope.rawValue, $0.user ?? "") < ($1.scope.rawValue, $1.user ?? "") }
    }

    var parts: [any MigrationGround] { pending.map { Part(whole: self, node: $0) } }

    private var pending: [Opened] { opened.filter { !$0.isMade } }

    func read(_ origin: DatabaseOrigin, _ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        let reading = try reading(origin)
        return try reading.read(need)
    }

    func reading(_ origin: DatabaseOrigin) throws(DatabaseError) -> any ServerReading {
        var readings: [Int32: any ServerReading] = [:]
        for node in opened where node.migration.origins.contains(origin) {
            readings[node.number] = try node.migration.reading(origin)
        }
        return OpenNodes(container: container, origin: origin, readings: readings)
    }

    func forEachPortion(
        of types: [String], _ origin: DatabaseOrigin, _ body: ([ServerRow]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        for part in parts where part.origins.contains(origin) { try part.forEachPortion(of: types, origin, body) }
    }

    func store(
        _: ServerCommit, on _: [ServerRow], _: DatabaseOrigin
    ) throws(DatabaseError) {
        throw DatabaseError(.internalError, "a commit is on one node")
    }

    func noteEncryptionKey(_ name: String) throws(DatabaseError) {
        for part in parts { try part.noteEncryptionKey(name) }
    }

    func check(_ demands: [ServerDemand]) throws(DatabaseError) {
        let own = demands.filter { $0.kind != .unique }
        for part in parts { try part.check(own) }
        for demand in demands where demand.kind == .unique {
            for origin in origins { try checkUnlike(demand, origin) }
        }
    }

    /// Checks the records of all nodes together, and adds the claims that they rest on from now on.
    private func checkUnlike(_ demand: ServerDemand, _ origin: DatabaseOrigin) throws(DatabaseError) {
        var check = DemandCheck(demand)
        for node in opened where node.migration.origins.contains(origin) {
            try node.migration.forEachPortion(of: [demand.type], origin) { rows throws(DatabaseError) in
                for row in rows { try check.add(row, of: 0) }
                try container.add(rows.flatMap { $0.claims(node.migration.schema, in: origin) }, origin)
            }
        }
    }

    // MARK: One node

    /// What one node has. Records that are named are read wherever they are.
    private struct Part: MigrationGround {
        let whole: NodeMigration
        let node: Opened

        var origins: [DatabaseOrigin] { node.migration.origins }

        func read(_ origin: DatabaseOrigin, _ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
            let nodes = try whole.container.placement.nodes(of: Set(need.records), in: origin)
            var (own, apart) = (need, ServerNeed())
            own.records.removeAll { nodes[$0] != node.number }
            apart.records = need.records.filter { nodes[$0] != node.number }
            var moment = try call { migration throws(DatabaseError) in try migration.read(origin, own) }
            if !apart.records.isEmpty { moment.rows += try whole.read(origin, apart).rows }
            return moment
        }

        func forEachPortion(
            of types: [String], _ origin: DatabaseOrigin, _ body: ([ServerRow]) throws(DatabaseError) -> Void
        ) throws(DatabaseError) {
            try call { migration throws(DatabaseError) in try migration.forEachPortion(of: types, origin, body) }
        }

        func store(
            _ commit: ServerCommit, on rows: [ServerRow], _ origin: DatabaseOrigin
        ) throws(DatabaseError) {
            let divided = try whole.divideLinks(of: commit, at: node, origin)
            try call { migration throws(DatabaseError) in try migration.store(divided, on: rows, origin) }
        }

        func reading(_ origin: DatabaseOrigin) throws(DatabaseError) -> any ServerReading {
            try node.migration.reading(origin)
        }

        func noteEncryptionKey(_ name: String) throws(DatabaseError) {
            try call { migration throws(DatabaseError) in try migration.noteEncryptionKey(name) }
        }

        func check(_ demands: [ServerDemand]) throws(DatabaseError) {
            try call { migration throws(DatabaseError) in try migration.check(demands) }
        }

        func carried(in origin: DatabaseOrigin) throws(DatabaseError) -> [StoredSubscription]? {
            // Every node has all subscriptions.
            guard let made = whole.opened.first(where: \.isMade), made.migration.origins.contains(origin) else {
                return nil
            }
            var need = ServerNeed()
            need.subscribers = .everyone
            return try made.migration.read(origin, need).subscriptions
        }

        private func call<Outcome>(
            _ body: (OpenMigration) throws(DatabaseError) -> Outcome
        ) throws(DatabaseError) -> Outcome {
            do throws(DatabaseError) { return try body(node.migration) } catch { throw error.ofNode(node.number) }
        }
    }

    // MARK: Links between nodes

    /// Divides the links of a commit on a node into its own and those to records of other nodes. These have them
    /// before any node is changed: a link that no record holds does no harm.
    private func divideLinks(
        of commit: ServerCommit, at node: Opened, _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> ServerCommit {
        var (commit, marks) = (commit, LinkMarks())
        try dropRenamed(of: &commit, at: node.number, origin)
        let reading = try node.migration.reading(origin)
        var divided = commit
        let missing = try container.divideLinks(
            of: &divided, &marks, at: node.number, targets: [], reading, origin)
        if !missing.isEmpty {
            marks.note(try note(missing, origin))
            divided = commit
            let more = try container.divideLinks(
                of: &divided, &marks, at: node.number, targets: [], reading, origin)
            guard more.isEmpty else { throw DatabaseError(.internalError, "a link between nodes was lost") }
        }
        left.append((origin, marks.left))
        return divided
    }

    /// Leaves out links between nodes that stay what they are: nodes do not look at the type of a holder elsewhere.
    private func dropRenamed(
        of commit: inout ServerCommit, at home: Int32, _ origin: DatabaseOrigin
    ) throws(DatabaseError) {
        let kept = Set(commit.addedLinks.lazy.map(\.unmarked)).intersection(commit.removedLinks.lazy.map(\.unmarked))
        if kept.isEmpty { return }
        let nodes = try container.placement.nodes(of: Set(kept.lazy.map(\.target)), in: origin)
        func isDropped(_ link: ServerLink) -> Bool { kept.contains(link.unmarked) && nodes[link.target] != home }
        commit.addedLinks.removeAll(where: isDropped)
        commit.removedLinks.removeAll(where: isDropped)
    }

    /// - Returns: The links with their marks.
    private func note(_ links: [ServerLink], _ origin: DatabaseOrigin) throws(DatabaseError) -> [ServerLink] {
        let marked = links.map { link in
            var link = link
            link.mark = .random(in: .min ... .max)
            return link
        }
        let nodes = try container.placement.nodes(of: Set(links.map(\.target)), in: origin)
        for node in opened {
            let own = marked.filter { nodes[$0.target] == node.number }
            if own.isEmpty { continue }
            do throws(DatabaseError) { try node.migration.note(own, origin) } catch {
                throw error.ofNode(node.number)
            }
        }
        noted.append((origin, marked))
        return marked
    }
}

/// Reads a database in the open transactions of the nodes that have it.
private struct OpenNodes: ServerReading {
    let container: NodeContainer
    let origin: DatabaseOrigin
    let readings: [Int32: any ServerReading]

    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        let readings = readings
        let parts = try container.parts(of: need, origin) { number, need throws(DatabaseError) in
            // Nothing of the database was ever saved there.
            guard let reading = readings[number] else { return ServerMoment(schema: ContainerSchema()) }
            do throws(DatabaseError) { return try reading.read(need) } catch { throw error.ofNode(number) }
        }
        return NodeContainer.join(parts)
    }
}
