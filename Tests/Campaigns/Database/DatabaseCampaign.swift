// Clients of one store, at work at the same time, against a model that does one thing after another.

import Dispatch
import FoundationEssentials
import RecordDatabase
import Synchronization

/// Several clients of several users, each on a thread of its own: saves under all policies, deletes and cascades,
/// zones, subscriptions, live queries, questions, change tokens. After each round everything that they were told is
/// compared.
struct DatabaseCampaign {
    /// What a campaign did and found.
    struct Result {
        var operations = 0
        var commits = 0
        /// The servers that commits were made on.
        var nodes: Set<Int32> = []
        var deletions = 0
        var notifications = 0
        var comparisons = 0
        var differences: [String] = []
        /// The fewest calls, one after another, that lead to a difference; empty where none was found, and where only
        /// calls at the same time lead to it.
        var trace: [String] = []
    }

    /// Who makes calls when.
    private enum Schedule {
        /// So many calls, each client's on a thread of its own.
        case threads(Int)
        /// The calls of these numbers, one after another.
        case numbers([Int])
    }

    private let seed: UInt64
    /// What decides about each call of a client that is alone; `nil` where each call follows from its number.
    private let generator: SeededGenerator?
    private let clientCount: Int
    private let ground: DatabaseGround
    /// Whether there is one call at a time. On several servers a query sees each at a moment of its own: only calls that
    /// nobody disturbs are what one moment of the model says.
    private var isSequential: Bool { ground.nodes.count > 1 }

    /// - Parameters:
    ///   - clientCount: Clients, of two users in turn; one client makes the same calls every time.
    ///   - ground: Where the databases are.
    init(seed: UInt64, clientCount: Int = 4, ground: DatabaseGround = .memory) {
        (self.seed, self.ground, generator) = (seed, ground, nil)
        self.clientCount = max(1, clientCount)
    }

    /// A campaign of one client.
    ///
    /// - Parameter generator: What decides about each call.
    init(_ generator: SeededGenerator) { (seed, clientCount, ground, self.generator) = (0, 1, .memory, generator) }

    /// Makes so many calls, in rounds. Where they lead to differences, the fewest that do are looked for.
    ///
    /// - Parameter attempts: How many shorter traces are tried at most.
    func run(operations: Int, attempts: Int = 150) -> Result {
        let numbers = Array(0..<max(1, operations))
        var result = run(isSequential ? .numbers(numbers) : .threads(operations))
        result.trace = []
        guard generator == nil, !result.differences.isEmpty, attempts > 0 else { return result }
        var shortest: Result?
        _ = ShortestTrace.of(numbers, attempts: attempts) { numbers in
            let shorter = run(.numbers(numbers))
            if shorter.differences.isEmpty { return false }
            shortest = shorter
            return true
        }
        result.trace = shortest.map { $0.trace + $0.differences.prefix(1) } ?? []
        return result
    }

    private func run(_ schedule: Schedule) -> Result {
        do throws(DatabaseError) { return try rounds(schedule) } catch { return Result(differences: ["\(error)"]) }
    }

    private func rounds(_ schedule: Schedule) throws(DatabaseError) -> Result {
        var generator = generator ?? SeededGenerator(seed: seed)
        let configuration = Self.configuration(&generator)
        let log = DatabaseLog()
        let clients = try clients(configuration, log, &generator)
        defer { if ground.isServer { clients[0].container.close() } }
        let readings = clients.map { $0.container.readNotifications() }
        var checker = DatabaseChecker(
            deletionLimit: configuration.limits.deletionsPerZone, isServer: ground.isServer, nodes: ground.nodes)
        var (result, made) = (Result(), 0)
        while checker.differences.isEmpty {
            let count = makeCalls(clients, schedule, from: made)
            if count == 0 { break }
            made += count
            if case .numbers = schedule { result.trace += clients.flatMap { client in client.steps.map { "\($0)" } } }
            // One after another, to the end of all there is to be told.
            for client in clients { client.finish() }
            let accounts = zip(clients, readings).map { client, reading in
                DatabaseChecker.Account(
                    client: client.container.clientNumber, user: client.user, steps: client.takeSteps(),
                    notifications: reading.takeWaiting())
            }
            result.operations += accounts.reduce(0) { $0 + $1.steps.count }
            checker.check(accounts, log.take())
        }
        (result.commits, result.nodes) = (checker.commits, checker.nodesOfCommits)
        result.deletions = checker.deletions
        result.notifications = checker.notifications
        result.comparisons = checker.comparisons
        result.differences = (checker.differences + clients.flatMap(\.faults)).map { "seed \(seed): \($0)" }
        return result
    }

    private static func configuration(_ generator: inout SeededGenerator) -> Configuration {
        var configuration = Configuration()
        configuration.limits.deletionsPerZone = generator.oneIn(2) ? 12 : 1_000_000
        configuration.limits.notificationsWaiting = 1_000_000
        configuration.limits.stepsWaiting = generator.oneIn(2) ? 4 : 1000
        // A clock that now and then goes back.
        let clock = Mutex((seconds: 1_700_000_000.0, generator: SeededGenerator(seed: generator.next())))
        configuration.clock = {
            clock.withLock { clock in
                clock.seconds += Double.random(in: -1...3, using: &clock.generator)
                return Date(timeIntervalSince1970: clock.seconds)
            }
        }
        return configuration
    }

    private func clients(
        _ configuration: Configuration, _ log: DatabaseLog, _ generator: inout SeededGenerator
    ) throws(DatabaseError) -> [DatabaseClient] {
        let users = DatabaseScene.users
        let (first, begin) = try ground.open(configuration, log)
        try first.setSchema(DatabaseScene.schema)
        // Every user has records of their own from the beginning.
        _ = try Container(sharing: first, account: .user(users[1]), configuration: configuration)
        var clients: [DatabaseClient] = []
        for number in 0..<clientCount {
            let user = users[number % users.count]
            let container =
                number == 0
                ? first : try Container(sharing: first, account: .user(user), configuration: configuration)
            clients.append(
                DatabaseClient(container, user: user, log: log, generator, staysInZone: isSequential))
        }
        begin()
        return clients
    }

    // MARK: Calls

    /// Makes the calls of a round.
    ///
    /// - Parameter made: How many there were before.
    /// - Returns: How many were made.
    private func makeCalls(_ clients: [DatabaseClient], _ schedule: Schedule, from made: Int) -> Int {
        let roundSize = 800
        switch schedule {
        case .numbers(let numbers):
            let round = numbers.dropFirst(made).prefix(roundSize)
            for number in round { call(clients[number % clients.count], number) }
            return round.count
        case .threads(let all):
            if made >= all { return 0 }
            let count = clients.count
            let share = max(1, min(roundSize, all - made) / count)
            let group = DispatchGroup()
            for (place, client) in clients.enumerated() {
                // SAFETY: nobody else uses the client until the group is done.
                nonisolated(unsafe) let client = client
                DispatchQueue(label: "client \(place)").async(group: group) {
                    for turn in 0..<share { unsafe call(client, made + turn * count + place) }
                }
            }
            group.wait()
            return share * count
        }
    }

    private func call(_ client: DatabaseClient, _ number: Int) {
        if generator == nil { client.step(seed &* 0x1_0000_0001 &+ UInt64(number)) } else { client.step() }
    }
}
