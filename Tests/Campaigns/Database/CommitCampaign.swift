// Commits of several processes at a time on a server: each counts once, and readers of changes miss none.

import FoundationEssentials
import Glibc
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization

/// Savers and readers of one zone, in several processes: savers of one process share transactions.
package struct CommitCampaign: Sendable {
    package struct Result {
        package var commits = 0
        /// Connections that were cut before a commit arrived, within it or its response, and after.
        package var cuts = (before: 0, within: 0, after: 0)
        package var findings: [String] = []
    }

    private static let zone = RecordZone.ID("Z")
    /// Names that savers of changes share.
    private static let names = (0..<30).map { Record.ID("r\($0)", zoneID: zone) }

    private let server: PostgreSQLServer
    private let seed: UInt64
    private let identifier = "commits " + UUID().uuidString
    private let savers = 8
    private let processes = 2

    package init(on server: PostgreSQLServer, seed: UInt64) { (self.server, self.seed) = (server, seed) }

    /// A container as another process would have it.
    private func container(_ address: String) throws -> Container {
        try Container(
            identifier: "commits", on: PostgreSQLContainer(identifier: identifier, connectingTo: address),
            account: .localUser, configuration: Configuration())
    }

    private func makeZone() throws -> Container {
        let first = try container(server.address)
        _ = try first.privateDatabase.modifyZones(saving: [RecordZone(id: Self.zone)], deleting: [])
        return first
    }

    // MARK: Saves over connections that are cut

    /// Saves so many new records over connections that are cut around commits: every record is there, and the changes
    /// are numbered without a gap.
    ///
    /// - Parameter forgetsTokens: Whether the server forgets what tells that a commit was stored: then some are made
    ///   twice.
    package func cutSaves(_ count: Int, forgetsTokens: Bool = false) throws -> Result {
        let proxy = try CuttingProxy(server, seed: seed)
        defer { proxy.stop() }
        let first = try makeZone()
        defer { first.close() }
        var follower = try follower(of: first)
        if forgetsTokens { try forgetTokens() }
        let containers = try (0..<processes).map { _ in try container(proxy.address) }
        defer { for container in containers { container.close() } }
        proxy.isCutting = true
        let share = (count + savers - 1) / savers
        var result = Result(commits: share * savers)
        result.findings = Self.together(savers) { saver throws(DatabaseError) in
            for number in 0..<share {
                try Self.save(number, by: saver, containers[saver % processes], whileFailing: [.zoneBusy])
            }
        }
        proxy.isCutting = false
        result.cuts = proxy.cuts
        result.findings += try Self.differences(of: first, &follower, share * savers)
        return result
    }

    private func follower(of container: Container) throws -> Follower {
        let earlier = Record(type: "T", id: Record.ID("r", zoneID: Self.zone), fields: ["n": 0])
        _ = try container.privateDatabase.modify(ModifyRequest(saves: [earlier])).saves.first?.result.get()
        var follower = Follower()
        try follower.follow(container.privateDatabase, Self.zone)
        return follower
    }

    private func forgetTokens() throws {
        let path = Statement.name(Layout.schemaName(of: identifier))
        try server.run(
            """
            CREATE FUNCTION \(path).forget() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN NEW.token := '\\x00'; RETURN NEW; END $$
            """,
            """
            CREATE TRIGGER forget BEFORE INSERT OR UPDATE ON \(path).client
            FOR EACH ROW EXECUTE FUNCTION \(path).forget()
            """
        )
    }

    /// Saves a new record. Saved twice, it would be there already, and the save would fail.
    ///
    /// - Parameter codes: Those of errors after which the call is made again: nothing was saved then.
    private static func save(
        _ number: Int, by saver: Int, _ container: Container, whileFailing codes: Set<DatabaseError.Code>
    ) throws(DatabaseError) {
        let id = Record.ID("r\(saver)-\(number)", zoneID: zone)
        let record = Record(type: "T", id: id, fields: ["n": .int64(Int64(number))])
        try patiently(codes) { () throws(DatabaseError) in
            _ = try container.privateDatabase.modify(ModifyRequest(saves: [record])).saves.first?.result.get()
        }
    }

    /// What is wrong with the changes since a follower looked, which are so many new records.
    private static func differences(
        of container: Container, _ follower: inout Follower, _ count: Int
    ) throws(DatabaseError) -> [String] {
        var findings: [String] = []
        try follower.follow(container.privateDatabase, zone)
        let there = follower.copy.count
        if there != count + 1 { findings.append("\(there) records are there") }
        let numbers = follower.told.compactMap { Int($0, radix: 36) }
        if numbers != Array((numbers.first ?? 0)..<(numbers.first ?? 0) + count + 1) {
            findings.append("changes are numbered \(numbers)")
        }
        return findings
    }

    // MARK: Saves on a server that crashes

    /// Saves new records on a server that crashes so often, and is started again: what was saved is there once, and
    /// what failed is not.
    package func savesOverCrashes(_ count: Int) throws -> Result {
        let first = try makeZone()
        defer { first.close() }
        var follower = try follower(of: first)
        let containers = try (0..<processes).map { _ in try container(server.address) }
        defer { for container in containers { container.close() } }
        let isOver = Atomic(false)
        let saved = Atomic(0)
        let problems = Mutex<[String]>([])
        let codes: Set<DatabaseError.Code> = [.zoneBusy, .networkUnavailable, .networkFailure, .serviceUnavailable]
        var result = Result()
        // The last worker is who has the server crash.
        result.findings = Self.together(savers + 1) { worker throws(DatabaseError) in
            if worker == savers {
                defer { isOver.store(true, ordering: .sequentiallyConsistent) }
                do {
                    for _ in 0..<count {
                        usleep(150_000)
                        server.crash()
                        try server.start()
                    }
                    usleep(50_000)
                } catch { problems.withLock { $0.append("\(error)") } }
                return
            }
            var number = 0
            while !isOver.load(ordering: .sequentiallyConsistent) {
                try Self.save(number, by: worker, containers[worker % processes], whileFailing: codes)
                number += 1
            }
            saved.add(number, ordering: .sequentiallyConsistent)
        }
        result.commits = saved.load(ordering: .sequentiallyConsistent)
        result.findings += problems.withLock { $0 } + (try Self.differences(of: first, &follower, result.commits))
        return result
    }

    // MARK: Readers of changes

    /// Makes so many commits of a few records, while readers follow the changes: what these have in the end is what is
    /// there, and each was told in order.
    package func followedCommits(_ count: Int) throws -> Result {
        let first = try makeZone()
        defer { first.close() }
        let containers = try (0..<processes).map { _ in try container(server.address) }
        let readers = try (0..<2).map { _ in try container(server.address) }
        defer { for container in containers + readers { container.close() } }
        let share = (count + savers - 1) / savers
        let left = Atomic(savers)
        let copies = Mutex<[[String: String]]>([])
        var result = Result(commits: share * savers)
        result.findings = Self.together(savers + readers.count) { worker throws(DatabaseError) in
            if worker >= savers {
                let copy = try Self.copy(by: readers[worker - savers].privateDatabase) {
                    left.load(ordering: .sequentiallyConsistent) == 0
                }
                return copies.withLock { $0.append(copy) }
            }
            defer { left.subtract(1, ordering: .sequentiallyConsistent) }
            var random = SeededGenerator(seed: seed &+ UInt64(worker))
            for number in 0..<share {
                try Self.change(number, containers[worker % processes].privateDatabase, &random)
            }
        }
        var expected: [String: String] = [:]
        for case .success(let record) in try first.privateDatabase.fetch(Self.names).values {
            expected[record.id.recordName] = record.recordChangeTag
        }
        let kept = copies.withLock { $0 }
        if kept.count != readers.count || expected.isEmpty { result.findings.append("\(kept.count) readers ended") }
        for copy in kept where copy != expected {
            result.findings.append("a reader has \(copy), and there is \(expected)")
        }
        return result
    }

    /// Saves or deletes one of the records.
    private static func change(
        _ number: Int, _ database: Database, _ random: inout SeededGenerator
    ) throws(DatabaseError) {
        let id = random.pick(names)
        var request = ModifyRequest(policy: .changedKeys)
        if random.oneIn(4) {
            request.deletes = [id]
        } else {
            request.saves = [Record(type: "T\(number % 3)", id: id, fields: ["n": .int64(Int64(number))])]
        }
        // A record of another type may be there: that save fails, by the rules.
        let change = request
        try patiently { () throws(DatabaseError) in _ = try database.modify(change) }
    }

    /// What a reader has that follows the changes until all are made.
    private static func copy(by database: Database, _ isLast: () -> Bool) throws(DatabaseError) -> [String: String] {
        var follower = Follower()
        while true {
            let ends = isLast()
            follower.told = []
            try follower.follow(database, zone)
            let numbers = follower.told.compactMap { Int($0, radix: 36) }
            if numbers != numbers.sorted() {
                throw DatabaseError(.internalError, "changes were told out of order: \(numbers)")
            }
            if ends { return follower.copy }
            usleep(2_000)
        }
    }

    /// Runs a body with each number below a count, side by side.
    ///
    /// - Returns: The error of the first that failed, in words.
    private static func together(
        _ count: Int, _ body: @escaping @Sendable (Int) throws(DatabaseError) -> Void
    ) -> [String] {
        do throws(DatabaseError) {
            _ = try SideBySide.run(Array(0..<count), body)
            return []
        } catch {
            return ["\(error)"]
        }
    }

    /// A call made again while its zone is busy, as clients of CloudKit do, or fails with one of other codes: nothing
    /// was saved then.
    private static func patiently(
        _ codes: Set<DatabaseError.Code> = [.zoneBusy], _ call: () throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let end = ContinuousClock.now + .seconds(120)
        while true {
            do throws(DatabaseError) { return try call() } catch {
                if !codes.contains(error.code) || ContinuousClock.now > end { throw error }
                usleep(error.code == .zoneBusy ? 200_000 : 20_000)
            }
        }
    }

    /// Who reads changes: the tags of the records that are there, and all that were told.
    private struct Follower {
        var copy: [String: String] = [:]
        var told: [String] = []
        private var token: ChangeToken?

        mutating func follow(_ database: Database, _ zone: RecordZone.ID) throws(DatabaseError) {
            while true {
                let changes = try database.zoneChanges(zone, since: token, limit: 7)
                for (id, result) in changes.modifications {
                    let tag = try result.get().recordChangeTag ?? ""
                    copy[id.recordName] = tag
                    told.append(tag)
                }
                for deletion in changes.deletions { copy[deletion.recordID.recordName] = nil }
                token = changes.changeToken
                if !changes.moreComing { return }
            }
        }
    }
}

extension Campaign {
    static let commits = Campaign(
        "commits", "processes that save over crashes and cut connections, and readers of changes, on PostgreSQL"
    ) { options in
        await withServers("commits") { servers in
            guard let server = servers.first else { return false }
            let cut = try CommitCampaign(on: server, seed: options.seed).cutSaves(options.runs)
            let followed = try CommitCampaign(on: server, seed: options.seed).followedCommits(options.runs)
            let crashed = try CommitCampaign(on: server, seed: options.seed)
                .savesOverCrashes(max(1, options.runs / 200))
            let findings = cut.findings + followed.findings + crashed.findings
            for finding in findings.prefix(20) { print(finding) }
            print(
                "commits, seed \(options.seed): \(cut.commits) saves over connections of which \(cut.cuts.before) were "
                    + "cut before a commit, \(cut.cuts.within) within and \(cut.cuts.after) after, \(followed.commits) "
                    + "commits that 2 readers followed, \(crashed.commits) saves over crashes of the server, "
                    + "\(findings.count) differences")
            return findings.isEmpty
        }
    }
}
