// Clients that read and write one database at the same time, and whether what they saw keeps the promised isolation.

import FoundationEssentials
import RecordDatabase
import RecordModel

/// Histories of clients of a database in memory or in a folder, each checked as a whole.
struct IsolationCampaign {
    struct Result {
        var steps = 0
        var commits = 0
        var conflicts = 0
        var faults: [String] = []
    }

    let seed: UInt64
    var clients = 4

    /// Has the clients make so many calls together.
    ///
    /// - Parameter folder: Where the store is; `nil` for one in memory.
    func run(calls: Int, folder: String? = nil) async -> Result {
        let recorder = HistoryRecorder()
        do {
            let container =
                try folder.map { try Container(identifier: "isolation", storedAt: URL(filePath: $0)) }
                ?? Container(identifier: "isolation")
            defer { container.close() }
            let database = container.privateDatabase
            var first = IsolationClient(number: 0, database, recorder, seed: seed)
            await first.open()
            await withTaskGroup(of: Void.self) { group in
                for number in 1...max(1, clients) {
                    group.addTask {
                        var client = IsolationClient(number: number, database, recorder, seed: seed)
                        for _ in 0..<calls / max(1, clients) { await client.step() }
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
        result.faults += IsolationChecker.faults(in: history).map(\.description)
        return result
    }
}
