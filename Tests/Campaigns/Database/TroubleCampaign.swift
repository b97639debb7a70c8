// A container on several servers that are stopped and started, and whose connections are cut around commits.

import Dispatch
import FoundationEssentials
import Glibc
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization

/// Clients, each with records of its own and some that all have, while servers and connections are in trouble.
///
/// Whatever a client is told must be true: what it saved is there once, what failed is not there, a result has all
/// records or is an error that names a node. Of a save alone whose outcome could not be told either may be true.
struct TroubleCampaign {
    /// What a campaign did and found.
    struct Result: Sendable {
        var steps = 0
        /// Calls that saved or deleted records.
        var saved = 0
        var cuts = 0
        var stops = 0
        var comparisons = 0
        var errors: [DatabaseError.Code: Int] = [:]
        var differences: [String] = []

        /// Takes in what another client did.
        mutating func add(_ other: Result) {
            (steps, saved, comparisons) = (steps + other.steps, saved + other.saved, comparisons + other.comparisons)
            errors.merge(other.errors) { $0 + $1 }
            differences += other.differences
        }
    }

    private let seed: UInt64
    private let clientCount: Int
    private let servers: [PostgreSQLServer]
    private let proxies: [CuttingProxy]
    private let identifier: String

    /// Starts servers of its own.
    /// - Throws: Where they do not start.
    init(seed: UInt64, nodes: Int, clients: Int) throws {
        (self.seed, clientCount) = (seed, max(1, clients))
        servers = try (0..<max(2, nodes)).map { _ in try PostgreSQLServer() }
        proxies = try servers.enumerated().map { number, server in
            try CuttingProxy(server, seed: seed &+ UInt64(number))
        }
        identifier = "trouble \(seed) \(UUID().uuidString.prefix(8))"
        let list = Nodes(identifier: identifier, connectingTo: proxies[0].address)
        for proxy in proxies.dropFirst() { _ = try list.add(proxy.address) }
    }

    /// Makes so many calls, and looks at what is there at the end.
    /// - Throws: What keeps the campaign from beginning.
    func run(steps: Int) throws -> Result {
        defer {
            for proxy in proxies { proxy.stop() }
            for server in servers { server.stop() }
        }
        let clients = try (0..<clientCount).map { number in try TroubleClient(number, seed: seed, open()) }
        try clients[0].prepare(clientCount)
        let (group, trouble) = (DispatchGroup(), DispatchGroup())
        let results = Mutex<[Result]>([])
        let isOver = Mutex(false)
        let stops = Mutex(0)
        DispatchQueue(label: "trouble").async(group: trouble) { makeTrouble(isOver, stops) }
        for client in clients {
            // SAFETY: nobody else uses the client until the group is done.
            nonisolated(unsafe) let client = client
            DispatchQueue(label: "client").async(group: group) {
                let result = unsafe client.run(steps: max(1, steps / clientCount))
                results.withLock { $0.append(result) }
            }
        }
        group.wait()
        isOver.withLock { $0 = true }
        trouble.wait()
        var result = Result()
        for other in results.withLock({ $0 }) { result.add(other) }
        result.stops = stops.withLock { $0 }
        result.cuts = proxies.reduce(0) { $0 + $1.cuts.before + $1.cuts.within + $1.cuts.after }
        result.differences += try TroubleClient.end(clients)
        for client in clients { client.container.close() }
        return result
    }

    /// The container as a process of its own has it.
    private func open() throws(DatabaseError) -> Container {
        try Container(
            identifier: identifier,
            on: NodeContainer.open(identifier: identifier, connectingTo: proxies[0].address, connectionCount: 4),
            account: .localUser, configuration: Configuration())
    }

    /// Cuts connections most of the time, and stops a server now and then, or has it crash.
    private func makeTrouble(_ isOver: borrowing Mutex<Bool>, _ stops: borrowing Mutex<Int>) {
        var random = SeededGenerator(seed: seed)
        for proxy in proxies { proxy.isCutting = true }
        while !isOver.withLock({ $0 }) {
            usleep(useconds_t(Int.random(in: 100_000...600_000, using: &random)))
            let server = servers[Int.random(in: 0..<servers.count, using: &random)]
            if random.oneIn(2) { server.stop() } else { server.crash() }
            stops.withLock { $0 += 1 }
            usleep(useconds_t(Int.random(in: 0...150_000, using: &random)))
            // One that does not start keeps every client from its end.
            for _ in 0..<20 where (try? server.start()) == nil { usleep(100_000) }
        }
        for proxy in proxies { proxy.isCutting = false }
    }
}
