// Readers beside a writer: every snapshot must be whole.

import PredicateSemantics
import QueryExecution
import RecordModel
import RecordStore
import Synchronization

/// A writer that keeps an invariant with every commit, and readers that check it meanwhile.
///
/// Every commit moves an amount from one account to another, deletes an account and opens one with its balance: the
/// number of accounts and the sum of balances never change.
struct ConcurrentCampaign {
    /// What readers did and saw.
    struct Result {
        var reads = 0
        /// How often a reader saw commits that it had not seen before.
        var versions = 0
        var faults: [String] = []
    }

    /// Reads that have ended, of all readers.
    private final class Reads: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    private let seed: UInt64
    private let records: Int
    private static let balance: Int64 = 1000

    init(seed: UInt64, records: Int) {
        self.seed = seed
        self.records = max(2, records)
    }

    /// Commits so many times, with three readers at work.
    func run(commits: Int) async -> Result {
        let store = RecordStore()
        var accounts = (0..<records).map { account($0, Self.balance, kind: $0 % 3) }
        var opening = RecordBatch()
        for account in accounts { opening.save(account) }
        do throws(CommitError) { try store.commit(opening) } catch { return Result(faults: ["\(error)"]) }
        return await withTaskGroup(of: Result.self) { group in
            let ended = Reads()
            for _ in 0..<3 { group.addTask { await read(store, ended) } }
            var generator = SeededGenerator(seed: seed)
            var result = Result()
            for number in 0..<commits {
                do throws(CommitError) {
                    try store.commit(transfer(&accounts, number: records + number, &generator))
                } catch { result.faults.append("\(error)") }
                if number % 64 == 63 { store.merge() }
                await Task.yield()
                // However busy the machine is, commits come between reads.
                let before = ended.value
                while number % 16 == 15, ended.value == before { await Task.yield() }
            }
            group.cancelAll()
            for await read in group {
                result.reads += read.reads
                result.versions += read.versions
                result.faults += read.faults
            }
            return result
        }
    }

    private func account(_ number: Int, _ balance: Int64, kind: Int) -> Record {
        Record(
            type: "Account", id: Record.ID("a\(number)"),
            fields: [
                "balance": .int64(balance), "kind": .string("kind \(kind)"), "note": .string("account of no \(number)"),
            ])
    }

    private func transfer(
        _ accounts: inout [Record], number: Int, _ generator: inout SeededGenerator
    ) -> RecordBatch {
        var batch = RecordBatch()
        let from = Int.random(in: 0..<accounts.count, using: &generator)
        let to = Int.random(in: 0..<accounts.count, using: &generator)
        let amount = Int64.random(in: 1...50, using: &generator)
        for (position, change) in [(from, -amount), (to, amount)] {
            guard case .int64(let balance) = accounts[position]["balance"] else { continue }
            accounts[position]["balance"] = .int64(balance + change)
            batch.change(accounts[position].id, ["balance": accounts[position]["balance"]])
        }
        let closed = Int.random(in: 0..<accounts.count, using: &generator)
        guard case .int64(let balance) = accounts[closed]["balance"] else { return batch }
        batch.delete(accounts[closed].id)
        accounts[closed] = account(number, balance, kind: number % 3)
        batch.save(accounts[closed])
        return batch
    }

    /// Reads until cancelled.
    private func read(_ store: RecordStore, _ ended: Reads) async -> Result {
        var result = Result()
        var version = 0
        repeat {
            let snapshot = store.snapshot
            if snapshot.version < version { result.faults.append("version went back") }
            if snapshot.version > version { result.versions += 1 }
            version = snapshot.version
            do {
                try check(snapshot, &result)
            } catch {
                // A reader that is told to end in the middle of a question gets no answer to it.
                let isEnded = (error as? EvaluationError)?.kind == .cancelled && Task.isCancelled
                if !isEnded { result.faults.append("\(error)") }
            }
            result.reads += 1
            ended.add()
            await Task.yield()
        } while !Task.isCancelled
        return result
    }

    private func check(_ snapshot: Snapshot, _ result: inout Result) throws {
        func query(_ text: String) throws -> SnapshotQuery {
            let binder = Binder(schema: snapshot.schema(ofType: "Account"))
            return SnapshotQuery(try binder.bind(RecordPredicate(format: text)), over: snapshot, type: "Account")
        }
        let sum = try query("TRUEPREDICATE").rows().reduce(into: Int64(0)) { sum, row in
            if case .int64(let balance) = snapshot.record(row)["balance"] { sum += balance }
        }
        let low = try query("balance < \(Self.balance)").count()
        let high = try query("balance >= \(Self.balance)").count()
        let kinds = try (0..<3).reduce(0) { try $0 + query("kind == 'kind \($1)'").count() }
        let words = try query("note TOKENMATCHES[cd] 'account'").count()
        if sum != Int64(records) * Self.balance { result.faults.append("balances sum up to \(sum)") }
        if low + high != records || kinds != records || words != records {
            result.faults.append("\(low) + \(high), \(kinds), \(words) of \(records) accounts")
        }
    }
}
