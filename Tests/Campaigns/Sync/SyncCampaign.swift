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
    /// Where copies are, and the store, unless that is on servers.
    let folder: String
    var place = SyncPlace.folder(durability: "full")
    /// What both copies do wrong.
    var flaw: SyncFlaw?

    fileprivate func open(_ faults: SyncFaults) throws -> SyncStore {
        var configuration = Configuration()
        configuration.faults = { _ in faults.next() }
        configuration.encryptionKeys = KeyFile(path: folder + "/key")
        // Few deletions are remembered: tokens expire, and copies learn by the difference what is gone.
        (configuration.limits.deletionsPerZone, configuration.limits.changesPerRequest) = (5, 7)
        return try SyncStore(place, folder: folder, configuration)
    }

    // MARK: Runs

    /// Makes changes until there were so many since the campaign began, or the process is killed.
    ///
    /// - Parameter killAfter: The number of changes of this process after which it ends itself, in the midst of a call;
    ///   `nil` for never.
    /// - Returns: What was wrong by then, and the number of steps.
    func work(changes: Int, killAfter: Int?) async throws -> (faults: [String], steps: Int) {
        let run = try await SyncRun(self)
        var number = 0
        while run.changeCount < changes, run.faultsFound.isEmpty {
            try await run.step(number, killAfter: killAfter)
            number += 1
        }
        run.close()
        return (run.faultsFound, number)
    }

    /// What is wrong when nothing fails any more and all is sent: nothing where both copies are the database's, and
    /// that is what its commits have made.
    func differences() async throws -> [String] {
        let run = try await SyncRun(self)
        run.faults.isOn = false
        defer { run.close() }
        // Each round settles what the rounds before have sent; conflicts take another one.
        for _ in 0..<12 {
            for replica in run.replicas { await replica.synchronize(sends: true) }
        }
        var stored: [Record.ID: String] = [:]
        let database = run.store.containers[0].privateDatabase
        for zone in try await database.allRecordZones() where zone.id != .default {
            let changes = try await database.recordZoneChanges(
                inZoneWith: zone.id, since: nil, resultsLimit: 10_000)
            for (id, result) in changes.modifications { stored[id] = SyncReplica.text(try result.get()) }
        }
        var faultsFound = run.faultsFound
        let made = run.model.texts.mapValues { "\($0) s\($0)" }
        for id in Set(made.keys).union(stored.keys) where made[id] != stored[id] {
            faultsFound.append("\(id.short): stored \(stored[id] ?? "none"), commits made \(made[id] ?? "none")")
        }
        for (number, replica) in run.replicas.enumerated() {
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

    /// The whole campaign: processes that are killed, then one that ends, then the comparison. In a folder each process
    /// waits for the disk as it likes: what is killed loses nothing, but tokens may expire.
    ///
    /// - Parameter servers: Those that the store is on; `nil` for one in the folder.
    /// - Returns: What was wrong, and how many processes were killed.
    func run(
        changes: Int, kills: Int, executable: String, on servers: PostgreSQLNodes? = nil
    ) async -> (faults: [String], kills: Int) {
        var random = SeededGenerator(seed: seed ^ 0x5D)
        do {
            let served = try startAnew(on: servers)
            var (faults, killed) = ([String](), 0)
            for kill in 0..<kills where faults.isEmpty {
                let share = max(1, changes / (kills + 1))
                let limit = Int.random(in: 1...(2 * share), using: &random)
                let place = served ?? .folder(durability: CrashWriter.durability(&random))
                let ended = ChildProcess.run([
                    executable, "sync-writer", folder, "\(seed &+ UInt64(kill) &* 977)", "\(changes)", "\(limit)",
                    place.argument,
                ])
                try servers?.endSessions(SyncPlace.identifier(folder))
                if ended.isKilled {
                    killed += 1
                } else if ended.status != 0 {
                    faults.append("process \(kill): \(ended.status) \(ended.lines.prefix(5))")
                }
            }
            let last = SyncCampaign(seed: seed &+ 1, folder: folder, place: served ?? place, flaw: flaw)
            faults += try await last.work(changes: changes, killAfter: nil).faults
            faults += try await differences()
            return (faults, killed)
        } catch {
            return (["\(error)"], 0)
        }
    }

    /// One process that nobody kills; where something is wrong, the fewest steps that lead to it.
    ///
    /// - Parameters:
    ///   - servers: As for `run`.
    ///   - attempts: How many shorter traces are tried at most.
    func shortestTrace(
        changes: Int, on servers: PostgreSQLNodes? = nil, attempts: Int = 60
    ) async -> (faults: [String], trace: [String]) {
        guard let whole = try? await attempt(until: changes, on: servers), !whole.faults.isEmpty else {
            return ([], [])
        }
        var trace = ShortestTrace(Array(0..<whole.steps), attempts: attempts)
        while let numbers = trace.next() { trace.tell((try? await attempt(numbers, on: servers).isEmpty) == false) }
        return (whole.faults, trace.steps.map { "\(SyncStep($0, seed: seed))" })
    }

    /// Takes away what an earlier run left.
    ///
    /// - Returns: Where the store is, of one on servers.
    private func startAnew(on servers: PostgreSQLNodes?) throws -> SyncPlace? {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return try servers.map { .servers(address: try $0.makeNamedContainer(SyncPlace.identifier(folder))) }
    }

    private func attempt(
        until changes: Int, on servers: PostgreSQLNodes?
    ) async throws -> (faults: [String], steps: Int) {
        var campaign = self
        campaign.place = try startAnew(on: servers) ?? place
        var result = try await campaign.work(changes: changes, killAfter: nil)
        result.faults += try await campaign.differences()
        return result
    }

    private func attempt(_ numbers: [Int], on servers: PostgreSQLNodes?) async throws -> [String] {
        var campaign = self
        campaign.place = try startAnew(on: servers) ?? place
        let run = try await SyncRun(campaign)
        for number in numbers { try await run.step(number, killAfter: nil) }
        run.close()
        return try await run.faultsFound + campaign.differences()
    }
}

/// One process of the campaign: a store, two copies with their engines, and the model that they are held against.
private final class SyncRun {
    let faults: SyncFaults
    private(set) var store: SyncStore
    private(set) var replicas: [SyncReplica] = []
    private(set) var model: SyncModel
    private let campaign: SyncCampaign
    private var made = 0
    private var earlierFaults: [String] = []

    init(_ campaign: SyncCampaign) async throws {
        self.campaign = campaign
        faults = SyncFaults(seed: campaign.seed)
        faults.isOn = false
        store = try campaign.open(faults)
        model = try await SyncModel(store)
        try makeReplicas()
    }

    var changeCount: Int { replicas.reduce(0) { $0 + $1.changeCount } }
    var faultsFound: [String] { earlierFaults + model.faults }

    func close() { store.close() }

    private func makeReplicas() throws {
        replicas = []
        for (number, container) in store.containers.enumerated() {
            let file = campaign.folder + "/copy\(number)"
            replicas.append(try SyncReplica(container, file: file, number: number, model, flaw: campaign.flaw))
        }
    }

    /// Takes the step of a number.
    func step(_ number: Int, killAfter: Int?) async throws {
        let step = SyncStep(number, seed: campaign.seed)
        let replica = replicas[step.copy]
        faults.isOn = true
        for change in step.changes {
            try replica.change(change.id, to: change.value)
            made += 1
        }
        if step.deletesZone { replica.deleteZone(SyncStep.zones[1]) }
        if let killAfter, made >= killAfter { Self.endSoon(step.delay) }
        guard step.synchronizes else { return }
        await replica.synchronize(sends: step.sends)
        switch step.restart {
        case .none: break
        case .engines: try makeReplicas()
        case .store:
            close()
            earlierFaults += model.faults
            faults.isOn = false
            store = try campaign.open(faults)
            model = try await SyncModel(store)
            try makeReplicas()
        }
    }

    /// Ends the process by SIGKILL in some microseconds, on a thread of its own.
    private static func endSoon(_ microseconds: Int) {
        Task.detached {
            try? await Task.sleep(for: .microseconds(microseconds))
            Glibc.kill(getpid(), SIGKILL)
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
