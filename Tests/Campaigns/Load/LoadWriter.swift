// The process that writes the store of a load: ten tasks, and what looks after the store beside them.

import FoundationEssentials
import Glibc
import RecordDatabase
import RecordModel
import Synchronization

/// Eight tasks that write ledgers, two that move money, and one that checkpoints, compacts and copies the store now and
/// then; until the input of the process ends.
struct LoadWriter: Sendable {
    let folder: String
    let seed: UInt64
    let durability: StorageOptions.Durability
    /// Tenths of a second between two works of looking after the store, at most.
    let longestRest: Int

    /// What the tasks with ledgers count between two reports.
    private struct Tally {
        var commits = 0
        var refused = 0
        /// Why the last one was refused.
        var reason: String?
        var longest = Duration.zero
    }

    private final class Progress: Sendable {
        private let tally = Mutex(Tally())
        private let isEnding = Mutex(false)

        var isWanted: Bool { isEnding.withLock { !$0 } }
        func end() { isEnding.withLock { $0 = true } }

        func note(_ time: Duration) {
            tally.withLock { tally in
                tally.commits += 1
                tally.longest = max(tally.longest, time)
            }
        }

        func noteRefusal(_ error: DatabaseError) {
            tally.withLock { tally in
                tally.refused += 1
                tally.reason = "\(error)"
            }
        }

        func take() -> Tally { tally.withLock { exchange(&$0, Tally()) } }

        private func exchange(_ tally: inout Tally, _ new: Tally) -> Tally {
            defer { tally = new }
            return tally
        }
    }

    func run() async throws {
        var configuration = Configuration()
        configuration.limits.deletionsPerZone = LoadStore.deletions
        let container = try Container(
            identifier: "load", storedAt: URL(filePath: folder), options: StorageOptions(durability: durability),
            configuration: configuration)
        let database = container.privateDatabase
        if try await !database.allRecordZones().contains(where: { $0.id == LoadStore.zone }) {
            try await BankCampaign.open(database)
            try await database.save(RecordZone(id: LoadStore.zone))
        }
        LoadReport.say("open")
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for ledger in 0..<LoadStore.ledgers {
                group.addTask { try await write(ledger, in: database, progress) }
            }
            for teller in 0..<2 {
                group.addTask { try await transfer(UInt64(teller), in: database, progress) }
            }
            group.addTask { try await maintain(container, progress) }
            group.addTask { try await report(progress) }
            try await group.waitForAll()
        }
        container.close()
        LoadReport.say("closed")
    }

    /// Tells once a second what was done and how much memory that takes, until the input ends.
    private func report(_ progress: Progress) async throws {
        while progress.isWanted {
            for _ in 0..<10 where progress.isWanted {
                try await Task.sleep(for: .milliseconds(100))
                if LoadReport.isInputAtEnd(after: 0) { progress.end() }
            }
            let tally = progress.take()
            LoadReport.say(
                "second \(tally.commits) \(tally.refused) \(Int(tally.longest / .microseconds(1))) "
                    + "\(ProcessMemory.resident) \(ProcessMemory.allocated)")
            if let reason = tally.reason { LoadReport.refused(reason) }
        }
    }

    /// Does something that a full disk may refuse.
    ///
    /// - Returns: Why it was refused, after a rest; `nil` where it was done.
    private func attempt(_ progress: Progress, _ body: () async throws -> Void) async throws -> DatabaseError? {
        do {
            try await body()
            return nil
        } catch let error as DatabaseError where error.isOfFullDisk {
            progress.noteRefusal(error)
            try await Task.sleep(for: .milliseconds(20))
            return error
        }
    }

    // MARK: Tasks

    /// Adds entries to a ledger, and deletes its oldest ones, in transactions and in batches.
    private func write(_ ledger: Int, in database: Database, _ progress: Progress) async throws {
        var random = SeededGenerator(seed: seed &* 31 &+ UInt64(ledger))
        var head = try await database.read { try LoadStore.heads($0)[ledger] }
        while progress.isWanted {
            var next = head
            next.last += Int64.random(in: 1...random.pick([1, 3, 40]), using: &random)
            next.first = max(head.first, next.last - Int64(LoadStore.window) + 1)
            let inTransaction = random.oneIn(2)
            let (old, new) = (head, next)
            let refusal = try await attempt(progress) {
                let start = ContinuousClock.now
                try await commit(ledger, from: old, to: new, inTransaction, database)
                progress.note(ContinuousClock.now - start)
            }
            guard refusal == nil else { continue }
            head = next
            LoadReport.acknowledged(ledger, head.last)
            if random.oneIn(16) { try await Task.sleep(for: .milliseconds(Int.random(in: 1...20, using: &random))) }
        }
    }

    private func commit(
        _ ledger: Int, from old: LoadStore.Head, to new: LoadStore.Head, _ inTransaction: Bool, _ database: Database
    ) async throws {
        let entries = (old.last + 1...new.last).map { LoadStore.entry(ledger, $0) }
        let deleted = (old.first..<new.first).map { LoadStore.entryID(ledger, $0) }
        if inTransaction {
            try await database.write { transaction in
                for record in entries { try transaction.save(record) }
                // What is there already is changed: a new record of the name would be a conflict.
                var head = LoadStore.head(ledger, new)
                if old.last > 0 {
                    let fields = head.fields
                    head = try transaction.record(for: head.id)
                    for (field, value) in fields { head[field] = value }
                }
                try transaction.save(head)
                for id in deleted { transaction.deleteRecord(withID: id) }
            }
        } else {
            let results = try await database.modifyRecords(
                saving: entries + [LoadStore.head(ledger, new)], deleting: deleted, savePolicy: .allKeys,
                atomically: true)
            for result in results.saveResults.values { _ = try result.get() }
            for result in results.deleteResults.values { try result.get() }
        }
    }

    private func transfer(_ teller: UInt64, in database: Database, _ progress: Progress) async throws {
        var round: UInt64 = 0
        while progress.isWanted {
            round += 1
            let part = seed &* 7919 &+ teller &* 104_729 &+ round
            _ = try await attempt(progress) {
                let left = Mutex(20)
                _ = try await BankCampaign.transfer(in: database, seed: part) {
                    progress.isWanted
                        && left.withLock { left in
                            left -= 1
                            return left >= 0
                        }
                }
            }
        }
    }

    /// Looks after the store at random moments.
    private func maintain(_ container: Container, _ progress: Progress) async throws {
        var random = SeededGenerator(seed: seed &* 17 &+ 5)
        while progress.isWanted {
            let rest = Int.random(in: longestRest / 6...longestRest, using: &random)
            for _ in 0..<rest where progress.isWanted {
                try await Task.sleep(for: .milliseconds(100))
            }
            guard progress.isWanted else { return }
            let work = random.pick(LoadCampaign.Tally.works)
            if let refusal = try await attempt(progress, { try await maintain(container, work) }) {
                LoadReport.skipped(work, "\(refusal)")
            } else {
                LoadReport.say("did \(work)")
            }
        }
    }

    private func maintain(_ container: Container, _ work: String) async throws {
        switch work {
        case "checkpoint": try await container.checkpoint()
        case "compact": try await container.compact()
        case "backup": try await backUp(container)
        default: _ = await container.removeUnusedAssets()
        }
    }

    private func backUp(_ container: Container) async throws {
        let copy = URL(filePath: folder + "-copy")
        defer { try? FileManager.default.removeItem(at: copy) }
        try? FileManager.default.removeItem(at: copy)
        try await container.backUp(to: copy)
        if let fault = try LoadReader.fault(at: copy) { LoadReport.fault("a copy: \(fault)") }
    }
}

extension DatabaseError {
    /// Whether something was refused for want of room on the disk, all of it or parts.
    fileprivate var isOfFullDisk: Bool {
        code == .serviceUnavailable || partialErrors.values.contains { $0.code == .serviceUnavailable }
    }
}
