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
        var deletions = 0
        var notifications = 0
        var comparisons = 0
        var differences: [String] = []
    }

    private let seed: UInt64
    private let generator: SeededGenerator
    private let clientCount: Int

    /// - Parameter clientCount: Clients, of two users in turn; one client makes the same calls every time.
    init(seed: UInt64, clientCount: Int = 4) {
        self.init(SeededGenerator(seed: seed), seed: seed, clientCount: clientCount)
    }

    /// - Parameters:
    ///   - generator: What decides; about each call of the client, if there is one alone.
    ///   - seed: What differences are told with.
    init(_ generator: SeededGenerator, seed: UInt64, clientCount: Int) {
        self.seed = seed
        self.generator = generator
        self.clientCount = max(1, clientCount)
    }

    /// Makes so many calls, in rounds.
    func run(operations: Int) -> Result {
        do throws(DatabaseError) { return try rounds(operations) } catch { return Result(differences: ["\(error)"]) }
    }

    private func rounds(_ operations: Int) throws(DatabaseError) -> Result {
        var generator = generator
        let configuration = Self.configuration(&generator)
        let log = DatabaseLog()
        let clients = try clients(configuration, log, &generator)
        let readings = clients.map { $0.container.readNotifications() }
        _ = clients[0].container.watchCommits { log.append($0) }
        var checker = DatabaseChecker(deletionLimit: configuration.limits.deletionsPerZone)
        var result = Result()
        while result.operations < operations, checker.differences.isEmpty {
            let share = max(1, min(800, operations - result.operations) / clients.count)
            Self.run(clients, steps: share)
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
        result.commits = checker.commits
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
        var clients: [DatabaseClient] = []
        let users = DatabaseScene.users
        let first = try Container(identifier: "campaign", account: .user(users[0]), configuration: configuration)
        try first.setSchema(DatabaseScene.schema)
        // Every user has records of their own from the beginning.
        _ = try Container(sharing: first, account: .user(users[1]), configuration: configuration)
        for number in 0..<clientCount {
            let user = users[number % users.count]
            let container =
                number == 0
                ? first : try Container(sharing: first, account: .user(user), configuration: configuration)
            let own = clientCount == 1 ? generator : SeededGenerator(seed: generator.next())
            clients.append(DatabaseClient(container, user: user, log: log, own))
        }
        return clients
    }

    /// Lets every client make calls on a thread of its own.
    private static func run(_ clients: [DatabaseClient], steps: Int) {
        let group = DispatchGroup()
        for (number, client) in clients.enumerated() {
            // SAFETY: nobody else uses the client until the group is done.
            nonisolated(unsafe) let client = client
            DispatchQueue(label: "client \(number)").async(group: group) {
                for _ in 0..<steps { unsafe client.step() }
            }
        }
        group.wait()
    }
}
