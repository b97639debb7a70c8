// The campaigns that hold databases against models, as commands.

import FoundationEssentials
import Glibc

extension Campaign {
    static let database = Campaign(
        "database", "clients of one store at work at the same time, against calls made one after another"
    ) { options in
        guard options.isOnServer else { return database(options, "database", on: .memory) }
        // Servers that are stopped and started are those of their campaign.
        let isInTrouble = options.nodes > 1 && !options.isSequential
        return await withServers("database on PostgreSQL", count: isInTrouble ? 0 : options.nodes) { servers in
            guard let server = servers.first else { return try overNodes(options) }
            if servers.count > 1 {
                return database(options, "database on \(servers.count) nodes, call by call", on: .nodes(servers))
            }
            return database(options, "database on PostgreSQL", on: .server(server.address))
        }
    }

    /// Calls a body with servers of its own, which end with it. Where PostgreSQL is not installed, says so, and has
    /// found nothing, unless nothing may be missing: `.ci/run` sets the variable.
    static func withServers(
        _ name: String, count: Int = 1, _ body: ([PostgreSQLServer]) async throws -> Bool
    ) async -> Bool {
        guard PostgreSQLServer.isInstalled else {
            let isRequired = unsafe getenv("TESTS_REQUIRE_TOOLS") != nil
            let outcome = isRequired ? "not run, and nothing may be missing" : "skipped"
            print("\(name): \(outcome): there is no \(PostgreSQLServer.programs)/postgres")
            return !isRequired
        }
        do {
            let servers = try (0..<count).map { _ in try PostgreSQLServer() }
            defer { for server in servers { server.stop() } }
            return try await body(servers)
        } catch {
            print("\(name): \(error)")
            return false
        }
    }

    private static func database(_ options: CampaignOptions, _ name: String, on ground: DatabaseGround) -> Bool {
        // A container on several servers takes its time to make.
        let result = DatabaseCampaign(seed: options.seed, clientCount: options.clients, ground: ground)
            .run(operations: options.operations, attempts: ground.nodes.count > 1 ? 40 : 150)
        for difference in result.differences.prefix(20) { print(difference) }
        for (number, step) in result.trace.enumerated() { print("shortest trace \(number): \(step)") }
        print(
            "\(name), seed \(options.seed): \(result.operations) calls, \(result.commits) commits, "
                + "\(result.deletions) records deleted, \(result.notifications) notifications, "
                + "\(result.comparisons) comparisons, \(result.differences.count) differences")
        return result.differences.isEmpty
    }

    /// Clients of a container on several servers, which are stopped and started, and whose connections are cut.
    private static func overNodes(_ options: CampaignOptions) throws -> Bool {
        let campaign = try TroubleCampaign(seed: options.seed, nodes: options.nodes, clients: options.clients)
        let result = try campaign.run(steps: options.operations)
        for difference in result.differences.prefix(20) { print(difference) }
        let errors = result.errors.sorted { "\($0.key)" < "\($1.key)" }.map { "\($0.value) \($0.key)" }
        print(
            "database on \(options.nodes) nodes, seed \(options.seed): \(result.steps) calls, \(result.saved) saves, "
                + "\(result.cuts) connections cut around a commit, nodes stopped \(result.stops) times, errors: "
                + "\(errors.joined(separator: ", ")), \(result.comparisons) comparisons, "
                + "\(result.differences.count) differences")
        return result.differences.isEmpty
    }

    static let sharing = Campaign(
        "sharing", "an owner and participants of shares: what each may do and sees, against a model"
    ) { options in
        if options.isOnServer { return await onServers("sharing", options, sharing(_:_:on:)) }
        let folder = CampaignTool.temporaryFolder("sharing")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return sharing(options, "sharing") { batch in
            // Every fourth one is in a folder, and is opened again now and then.
            batch % 4 == 3 ? .folder(folder + "/store") : .memory
        }
    }

    /// Runs a campaign, whose name is given, on the nodes of a container.
    private static func onServers(
        _ name: String, _ options: CampaignOptions,
        _ run: (CampaignOptions, String, _ ground: (UInt64) -> ContainerGround) -> Bool
    ) async -> Bool {
        await withServers("\(name) on PostgreSQL", count: options.nodes) { servers in
            let ground = ContainerGround.servers(PostgreSQLNodes(servers))
            return run(options, "\(name) on PostgreSQL, \(options.nodes) nodes") { _ in ground }
        }
    }

    /// - Parameter ground: Where the store of a batch of steps is, by its number.
    private static func sharing(
        _ options: CampaignOptions, _ name: String, on ground: (UInt64) -> ContainerGround
    ) -> Bool {
        var (isClean, refused, comparisons) = (true, 0, 0)
        options.forEachBatch(of: 250) { seed, count in
            let result = SharingCampaign(seed: seed, ground: ground((seed &- options.seed) / 250)).run(steps: count)
            refused += result.refused
            comparisons += result.comparisons
            if !isSame(result.difference, result.trace) { isClean = false }
        }
        print(
            "\(name), seed \(options.seed): \(options.runs) steps, \(refused) refused as they must be, "
                + "\(comparisons) views compared, \(isClean ? "no difference" : "differences")")
        return isClean
    }

    static let migrations = Campaign(
        "migrations", "saves and changes of the schema in a store that is opened again between them, against a model"
    ) { options in
        if options.isOnServer { return await onServers("migrations", options, migrations(_:_:on:)) }
        let folder = CampaignTool.temporaryFolder("migrations")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return migrations(options, "migrations") { _ in .folder(folder + "/store") }
    }

    /// - Parameter ground: Where the store of a batch of steps is, by its number.
    private static func migrations(
        _ options: CampaignOptions, _ name: String, on ground: (UInt64) -> ContainerGround
    ) -> Bool {
        var (isClean, made, refused, reopened) = (true, 0, 0, 0)
        options.forEachBatch(of: 100) { seed, count in
            let result = MigrationCampaign(seed: seed, ground: ground((seed &- options.seed) / 100)).run(steps: count)
            (made, refused, reopened) = (made + result.made, refused + result.refused, reopened + result.reopened)
            if !isSame(result.difference, result.trace) { isClean = false }
        }
        print(
            "\(name), seed \(options.seed): \(options.runs) steps, \(made) migrations made, \(refused) refused as "
                + "they must be, opened again \(reopened) times, \(isClean ? "no difference" : "differences")")
        return isClean
    }

    /// Whether there is no difference; prints the one there is, with the steps that lead to it.
    private static func isSame(_ difference: String?, _ trace: [String]) -> Bool {
        guard let difference else { return true }
        print(difference)
        for (number, step) in trace.enumerated() { print("shortest trace \(number): \(step)") }
        return false
    }
}
