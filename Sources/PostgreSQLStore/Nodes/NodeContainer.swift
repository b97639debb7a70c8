// A container on several servers, each of which has some of its zones.

import Dispatch
import FoundationEssentials
package import RecordDatabase
package import RecordModel
import Synchronization

/// The databases of a container on several servers: a control node, which knows the others and where each zone lives.
///
/// The servers know nothing of each other. Each has the tables of a container, with the same schema and the same roles.
package final class NodeContainer: RecordServer {
    let control: PostgreSQLContainer
    /// By their numbers, the control node first.
    let nodes: [Node]
    let placement: Placement
    /// The connection that has the lock under which schema and roles of all nodes change.
    let lockPool: ConnectionPool
    let lock: Int64
    let watches = NodeWatches()
    let endings = NodeEndings()

    /// Opens a container on the servers that its control node lists; on one where it lists none.
    ///
    /// - Parameters: As of `PostgreSQLContainer`; connections are those to each server.
    /// - Throws: `DatabaseError` when the control node cannot be reached, does not let the user in, or has a container
    ///   of a newer version.
    package static func open(
        identifier: String, connectingTo address: String, connectionCount: Int = 8, patience: Duration = .seconds(60),
        copiesFrom: Int = 200
    ) throws(DatabaseError) -> any RecordServer {
        let control = try PostgreSQLContainer(
            identifier: identifier, connectingTo: address, connectionCount: connectionCount, patience: patience,
            copiesFrom: copiesFrom)
        let list = try control.nodeList()
        if list.isEmpty { return control }
        let others = list.map { entry in
            Node(entry.number) { () throws(DatabaseError) in
                let container = try PostgreSQLContainer(
                    identifier: identifier, connectingTo: entry.connection, connectionCount: connectionCount,
                    patience: patience, copiesFrom: copiesFrom, assetPaths: control.assetPaths)
                guard container.incarnation == entry.incarnation else {
                    container.close()
                    throw DatabaseError(
                        .badContainer, "the server has another container than the one that was added",
                        hint: "restore the server's part of the container")
                }
                return container
            }
        }
        do throws(DatabaseError) { return try NodeContainer(control, others, address) } catch {
            control.close()
            throw error
        }
    }

    private init(_ control: PostgreSQLContainer, _ others: [Node], _ address: String) throws(DatabaseError) {
        self.control = control
        let first = Node(0, known: control) { () throws(DatabaseError) in
            throw DatabaseError(.internalError, "the control node is open already")
        }
        nodes = [first] + others
        placement = Placement(control: first, numbers: nodes.map(\.number))
        let path = Statement.name(Layout.schemaName(of: control.identifier))
        do throws(ServerError) {
            lockPool = ConnectionPool(
                try ConnectionString(address), count: 1,
                preparation: [Statement("SELECT set_config('search_path', $1, false)", [.text(path)])])
        } catch {
            throw error.databaseError
        }
        lock = Int64(bitPattern: Layout.hash("nodes " + control.identifier))
    }

    /// The node of a number.
    func node(_ number: Int32) throws(DatabaseError) -> Node {
        guard let node = nodes.first(where: { $0.number == number }) else {
            throw DatabaseError(.badContainer, "there is no node \(number)", hint: "open the container again")
        }
        return node
    }

    /// Calls a body with every node, side by side.
    func onAll<Outcome: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLContainer) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> [Outcome] {
        try SideBySide.run(nodes) { node throws(DatabaseError) in try node.call(body) }
    }

    package var incarnation: String { control.incarnation }
    package var callCount: Int { control.callCount }
    package var nodeCount: Int { nodes.count }

    package func close() {
        watches.close()
        endings.close()
        for node in nodes { node.close() }
        lockPool.close()
    }

    // MARK: Assets

    package var assetFolder: String { control.assetFolder }

    /// The commit that names them stores them on its node.
    package func storeAssets(_: [Asset]) throws(DatabaseError) {}

    package func readAsset(
        _ digest: String, _ take: ([UInt8]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> Bool {
        for node in nodes {
            let isFound = try node.call { container throws(DatabaseError) in try container.readAsset(digest, take) }
            if isFound { return true }
        }
        return false
    }

    package func assetsInUse(among digests: [String]) throws(DatabaseError) -> Set<String> {
        let parts = try onAll { container throws(DatabaseError) in try container.assetsInUse(among: digests) }
        return parts.reduce(into: []) { $0.formUnion($1) }
    }

    package func removeUnusedAssets() throws(DatabaseError) -> [String] {
        let parts = try onAll { container throws(DatabaseError) in try container.removeUnusedAssets() }
        let removed = Set(parts.joined())
        // Another node may have the bytes for its own records.
        return removed.subtracting(try assetsInUse(among: Array(removed))).sorted()
    }

    // MARK: Sharing

    package func share(withToken token: String) throws(DatabaseError) -> (owner: String, id: Record.ID)? {
        try onAll { container throws(DatabaseError) in try container.share(withToken: token) }.compactMap(\.self).first
    }

    package func sharers(of userName: String) throws(DatabaseError) -> [ServerSharer] {
        let parts = try SideBySide.run(nodes) { node throws(DatabaseError) in
            try node.call { container throws(DatabaseError) in try container.sharers(of: userName) }.map { sharer in
                var sharer = sharer
                sharer.node = node.number
                return sharer
            }
        }
        return parts.joined().sorted { ($0.owner, $0.node) < ($1.owner, $1.node) }
    }

    package func isKnown(_ origin: DatabaseOrigin) throws(DatabaseError) -> Bool {
        try onAll { container throws(DatabaseError) in try container.isKnown(origin) }.contains(true)
    }

    // MARK: What others commit

    package var nodeNumbers: [Int32] { nodes.map(\.number) }

    package func notices(
        _ origin: DatabaseOrigin, of users: Set<String>, on number: Int32, after place: NoticePlace,
        through end: Int64?, limit: Int
    ) throws(DatabaseError) -> (notices: [ServerNotice], end: Int64) {
        try node(number).call { container throws(DatabaseError) in
            try container.notices(origin, of: users, on: number, after: place, through: end, limit: limit)
        }
    }

    package func watch(
        _ origin: DatabaseOrigin, on number: Int32, _ tell: @escaping @Sendable () -> Void
    ) -> Int { watches.add(nodes.filter { $0.number == number }, origin, tell) }

    package func watch(_ origin: DatabaseOrigin, _ tell: @escaping @Sendable () -> Void) -> Int {
        watches.add(nodes, origin, tell)
    }

    package func endWatching(_ number: Int) { watches.remove(number) }
}

/// Who is told of commits, on all nodes. A node that cannot be reached is tried again. May be used from any thread.
final class NodeWatches: Sendable {
    private struct State {
        /// What ends each watch, node by node.
        var ends: [Int: [@Sendable () -> Void]] = [:]
        var next = 0
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "watched nodes", attributes: .concurrent)

    func add(_ nodes: [Node], _ origin: DatabaseOrigin, _ tell: @escaping @Sendable () -> Void) -> Int {
        let number = state.withLock { state in
            state.next += 1
            state.ends[state.next] = []
            return state.next
        }
        for node in nodes { attach(node, number, origin, tell) }
        return number
    }

    func remove(_ number: Int) {
        let ends = state.withLock { $0.ends.removeValue(forKey: number) }
        for end in ends ?? [] { end() }
    }

    func close() { state.withLock { $0.ends = [:] } }

    private func attach(
        _ node: Node, _ number: Int, _ origin: DatabaseOrigin, _ tell: @escaping @Sendable () -> Void
    ) {
        queue.async { [self] in
            guard state.withLock({ $0.ends[number] != nil }) else { return }
            do throws(DatabaseError) {
                let end = try node.call { container throws(DatabaseError) -> @Sendable () -> Void in
                    let inner = container.watch(origin, tell)
                    return { container.endWatching(inner) }
                }
                let isWatched = state.withLock { state in
                    state.ends[number]?.append(end)
                    return state.ends[number] != nil
                }
                if !isWatched { end() }
            } catch {
                queue.asyncAfter(deadline: .now() + .milliseconds(500)) { [self] in
                    attach(node, number, origin, tell)
                }
            }
        }
    }
}
