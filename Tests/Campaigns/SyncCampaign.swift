// Two applications with copies of their own, kept by sync engines: whatever happens to them on the way, both end with
// the records of the database.

import FoundationEssentials
import Glibc
import RecordDatabase
import RecordModel
import Synchronization

/// Two clients of one user, each with an engine and a copy in a file, in processes that are killed now and then.
///
/// Both change records at random, also the same ones, also offline; calls fail; engines are dropped and made again from
/// their serialised states, and the store is closed and opened.
struct SyncCampaign {
    let seed: UInt64
    let folder: String

    private static let zones = [RecordZone.ID("Notes"), RecordZone.ID("Tasks")]
    private static let recordCount = 24

    private var storePath: String { folder + "/store" }

    private func open(_ faults: SyncFaults) throws -> [Container] {
        var configuration = Configuration()
        configuration.faults = { _ in faults.next() }
        configuration.encryptionKeys = KeyFile(path: folder + "/key")
        // Few deletions are remembered: tokens expire, and copies learn by the difference what is gone.
        (configuration.limits.deletionsPerZone, configuration.limits.changesPerRequest) = (5, 7)
        let first = try Container(
            identifier: "sync", storedAt: URL(filePath: storePath), configuration: configuration)
        return [first, try Container(sharing: first, account: .localUser, configuration: configuration)]
    }

    /// Makes changes until there were so many since the campaign began, or the process is killed.
    ///
    /// - Parameter killAfter: The number of changes of this process after which it ends itself, in the midst of a call;
    ///   `nil` for never.
    func work(changes: Int, killAfter: Int?) async throws {
        let faults = SyncFaults(seed: seed)
        var random = SeededGenerator(seed: seed)
        var containers = try open(faults)
        var replicas = try await replicas(of: containers)
        var made = 0
        while replicas.reduce(0, { $0 + $1.changeCount }) < changes {
            let replica = replicas[Int.random(in: 0..<2, using: &random)]
            faults.isOn = true
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let zone = Self.zones[Int.random(in: 0..<Self.zones.count, using: &random)]
                let id = Record.ID("r\(Int.random(in: 0..<Self.recordCount, using: &random))", zoneID: zone)
                let value = random.oneIn(5) ? nil : Int64.random(in: 0..<1_000_000, using: &random)
                try replica.change(id, to: value)
                made += 1
            }
            if random.oneIn(150) { replica.deleteZone(Self.zones[1]) }
            if let killAfter, made >= killAfter { Self.endSoon(Int.random(in: 0..<4000, using: &random)) }
            if random.oneIn(3) { continue }
            await replica.synchronize(sends: !random.oneIn(4))
            if random.oneIn(25) {
                replicas = try await self.replicas(of: containers)
            } else if random.oneIn(60) {
                for container in containers { container.close() }
                containers = try open(faults)
                replicas = try await self.replicas(of: containers)
            }
        }
        for container in containers { container.close() }
    }

    /// Ends the process by SIGKILL in some microseconds, on a thread of its own.
    private static func endSoon(_ microseconds: Int) {
        Task.detached {
            try? await Task.sleep(for: .microseconds(microseconds))
            Glibc.kill(getpid(), SIGKILL)
        }
    }

    private func replicas(of containers: [Container]) async throws -> [SyncReplica] {
        var replicas: [SyncReplica] = []
        for (number, container) in containers.enumerated() {
            replicas.append(try SyncReplica(container, file: folder + "/copy\(number)"))
        }
        return replicas
    }

    /// What is wrong when nothing fails any more and all is sent: nothing where both copies are the database's.
    func differences() async throws -> [String] {
        let faults = SyncFaults(seed: seed)
        faults.isOn = false
        let containers = try open(faults)
        defer { for container in containers { container.close() } }
        let replicas = try await replicas(of: containers)
        // Each round settles what the rounds before have sent; conflicts take another one.
        for _ in 0..<12 {
            for replica in replicas { await replica.synchronize(sends: true) }
        }
        var stored: [Record.ID: String] = [:]
        for zone in try await containers[0].privateDatabase.allRecordZones() where zone.id != .default {
            let changes = try await containers[0].privateDatabase.recordZoneChanges(
                inZoneWith: zone.id, since: nil, resultsLimit: 10_000)
            for (id, result) in changes.modifications { stored[id] = SyncReplica.text(try result.get()) }
        }
        var faultsFound: [String] = []
        for (number, replica) in replicas.enumerated() {
            if replica.pendingCount > 0 {
                faultsFound.append("copy \(number) has \(replica.pendingCount) changes left")
            }
            let own = replica.texts
            for id in Set(own.keys).union(stored.keys) where own[id] != stored[id] {
                faultsFound.append("copy \(number), \(id): \(own[id] ?? "none"), stored \(stored[id] ?? "none")")
            }
        }
        return faultsFound
    }

    /// The whole campaign: processes that are killed, then one that ends, then the comparison.
    ///
    /// - Returns: What was wrong, and how many processes were killed.
    func run(changes: Int, kills: Int, executable: String) async -> (faults: [String], kills: Int) {
        var random = SeededGenerator(seed: seed ^ 0x5D)
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            var (faults, killed) = ([String](), 0)
            for kill in 0..<kills where faults.isEmpty {
                let share = max(1, changes / (kills + 1))
                let limit = Int.random(in: 1...(2 * share), using: &random)
                let ended = ChildProcess.run([
                    executable, "sync-writer", folder, "\(seed &+ UInt64(kill) &* 977)", "\(changes)", "\(limit)",
                ])
                if ended.isKilled {
                    killed += 1
                } else if ended.status != 0 {
                    faults.append("process \(kill): \(ended.status) \(ended.lines.prefix(5))")
                }
            }
            try await SyncCampaign(seed: seed &+ 1, folder: folder).work(changes: changes, killAfter: nil)
            faults += try await differences()
            return (faults, killed)
        } catch {
            return (["\(error)"], 0)
        }
    }
}

/// Calls that fail now and then, before anything is done.
final class SyncFaults: Sendable {
    private let state: Mutex<(random: SeededGenerator, isOn: Bool)>

    init(seed: UInt64) { state = Mutex((SeededGenerator(seed: seed ^ 0xFA17), true)) }

    var isOn: Bool {
        get { state.withLock { $0.isOn } }
        set { state.withLock { $0.isOn = newValue } }
    }

    func next() -> DatabaseError? {
        state.withLock { state in
            guard state.isOn, state.random.oneIn(9) else { return nil }
            return state.random.oneIn(3)
                ? DatabaseError(.zoneBusy, "the zone is busy", retryAfter: .milliseconds(1))
                : DatabaseError(.networkFailure, "the connection was lost")
        }
    }
}
