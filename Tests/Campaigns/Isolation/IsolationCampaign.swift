// Clients that read and write one database at the same time, and whether what they saw keeps the promised isolation.

import FoundationEssentials
import RecordDatabase

/// Histories of clients of a database, each checked as a whole.
struct IsolationCampaign {
    struct Result {
        var steps = 0
        var commits = 0
        var conflicts = 0
        /// Servers, each of which has moments of its own.
        var nodes = 0
        var faults: [String] = []
    }

    let seed: UInt64
    var clients = 4
    /// Where the store is.
    var ground = ContainerGround.memory
    /// What clients do wrong.
    var flaw: IsolationClient.Flaw?

    /// Has the clients make so many calls together.
    func run(calls: Int) async -> Result {
        let recorder = HistoryRecorder()
        do {
            let identifier = "isolation " + UUID().uuidString
            try ground.prepare(identifier)
            let containers = try open(identifier)
            defer { for container in containers { container.close() } }
            let scene = try await IsolationScene(on: ground, identifier, containers[0])
            defer { scene.close() }
            // The first one begins and ends alone.
            let all = (0...max(1, clients)).map { number in
                let database = containers[number / 2 % containers.count].privateDatabase
                return IsolationClient(number: number, database, scene, recorder, seed: seed, flaw: flaw)
            }
            var first = all[0]
            await first.open()
            await withTaskGroup(of: Void.self) { group in
                for client in all.dropFirst() {
                    group.addTask {
                        var client = client
                        for _ in 0..<calls / (all.count - 1) { await client.step() }
                    }
                }
            }
            await first.readAll()
        } catch {
            recorder.add(fault: "\(error)")
        }
        let history = recorder.history
        var result = Result(steps: history.steps.count, faults: recorder.faults)
        result.commits = history.steps.count(where: \.isCommit)
        result.conflicts = history.steps.count { $0.outcome == .rejected }
        result.nodes = history.ofEachNode.count
        result.faults += IsolationChecker.faults(in: history).map(\.description)
        return result
    }

    /// The containers of the clients: one, or, on servers, one for each two clients, with connections of its own, as
    /// processes have them.
    private func open(_ identifier: String) throws(DatabaseError) -> [Container] {
        var containers: [Container] = []
        let count = ground.serverCount == 0 ? 1 : max(1, clients) / 2 + 1
        for _ in 0..<count { containers.append(try ground.open(identifier, .localUser, Configuration())) }
        return containers
    }
}
