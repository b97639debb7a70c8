// Transfers between accounts: whoever reads sees the same sum, beside writers and after those that were killed.

import FoundationEssentials
import Glibc
import RecordDatabase
import RecordModel
import Synchronization

/// Sixteen tasks that move money between accounts in two zones, each in a transaction.
struct BankCampaign {
    let seed: UInt64

    private static let accountCount = 20
    private static let balance: Int64 = 1000
    private static let zone = RecordZone.ID("Savings")
    static let total = Int64(accountCount) * balance

    private static func id(_ number: Int) -> Record.ID {
        number.isMultiple(of: 2) ? Record.ID("a\(number)") : Record.ID("a\(number)", zoneID: zone)
    }

    /// Makes the accounts.
    static func open(_ database: Database) async throws {
        try await database.save(RecordZone(id: zone))
        try await database.write { transaction in
            for number in 0..<accountCount {
                try transaction.save(
                    Record(type: "Account", id: id(number), fields: ["balance": .int64(balance), "moves": 0]))
            }
        }
    }

    /// Moves amounts between two accounts again and again, until it is no longer wanted.
    static func transfer(
        in database: Database, seed: UInt64, while isWanted: @Sendable () -> Bool
    ) async throws -> Int {
        var random = SeededGenerator(seed: seed)
        var count = 0
        while isWanted() {
            let from = Int.random(in: 0..<accountCount, using: &random)
            let to = (from + Int.random(in: 1..<accountCount, using: &random)) % accountCount
            let amount = Int64.random(in: 1...50, using: &random)
            let isAbandoned = random.oneIn(8)
            do {
                try await database.write { transaction in
                    for (number, change) in [(from, -amount), (to, amount)] {
                        var account = try transaction.record(for: id(number))
                        account["balance"] = (account["balance"] ?? 0) + change
                        account["moves"] = (account["moves"] ?? 0) + 1
                        try transaction.save(account)
                        // A transaction that is given up half-way.
                        if isAbandoned { throw Abandoned() }
                    }
                }
                count += 1
            } catch is Abandoned {}
        }
        return count
    }

    private struct Abandoned: Error {}

    /// Snapshots that are still to be read, and what was wrong with those before.
    private final class Reading: Sendable {
        private let state: Mutex<(left: Int, moves: Int64, faults: [String])>

        /// - Parameter moves: How many moves there were before.
        init(_ count: Int, moves: Int64 = 0) { state = Mutex((count, moves, [])) }

        var isWanted: Bool { state.withLock { $0.left > 0 && $0.faults.count < 10 } }
        var moves: Int64 { state.withLock(\.moves) }
        var faults: [String] { state.withLock(\.faults) }

        /// Takes in a moment that is not before the one that was read last.
        func note(_ moment: (moves: Int64, fault: String?)) {
            let earlier = moves
            let isLost = moment.fault == nil && moment.moves < earlier
            note(isLost ? "\(moment.moves) moves, and there were \(earlier)" : moment.fault)
            state.withLock { $0.moves = max(earlier, moment.moves) }
        }

        func note(_ fault: String?) {
            state.withLock { state in
                state.left -= 1
                if let fault { state.faults.append(fault) }
            }
        }

        func end() { state.withLock { $0.left = 0 } }
    }

    /// What is wrong with one moment; `nil` for nothing.
    static func fault(_ snapshot: DatabaseSnapshot) throws -> String? { try look(at: snapshot).fault }

    /// How many moves there were by one moment, two for each transfer, and what is wrong with it.
    private static func look(at snapshot: DatabaseSnapshot) throws -> (moves: Int64, fault: String?) {
        let accounts = try snapshot.records(ofType: "Account")
        let groups = try accounts.group(by: [], [.sum("balance"), .sum("moves")])
        guard accounts.count == accountCount, let group = groups.first else { return (0, "\(accounts.count) accounts") }
        guard group.values.first == .int64(total) else { return (0, "the sum is \(group.values)") }
        guard case .int64(let moves) = group.values.last, moves.isMultiple(of: 2) else {
            return (0, "half a transfer")
        }
        return (moves, nil)
    }

    // MARK: Readers beside writers

    /// Reads so many snapshots beside sixteen writers, in memory or of a store in a folder, which wait for the disk or do
    /// not.
    ///
    /// - Returns: What was wrong, and how many transfers were made meanwhile.
    func run(snapshots: Int, folder: String?) async -> (faults: [String], transfers: Int) {
        do {
            var random = SeededGenerator(seed: seed)
            let options = StorageOptions(
                durability: CrashWriter.durabilities[CrashWriter.durability(&random)] ?? .full)
            let container =
                try folder.map { try Container(identifier: "bank", storedAt: URL(filePath: $0), options: options) }
                ?? Container(identifier: "bank")
            defer { container.close() }
            let database = container.privateDatabase
            try await Self.open(database)
            let reading = Reading(snapshots)
            let transfers = try await withThrowingTaskGroup(of: Int.self) { group in
                for writer in 0..<16 {
                    group.addTask {
                        try await Self.transfer(
                            in: database, seed: seed &* 31 &+ UInt64(writer), while: { reading.isWanted })
                    }
                }
                for _ in 0..<2 {
                    group.addTask {
                        while reading.isWanted { reading.note(try await database.read(Self.fault)) }
                        return 0
                    }
                }
                return try await group.reduce(0, +)
            }
            return (reading.faults, transfers)
        } catch {
            return (["\(error)"], 0)
        }
    }

    // MARK: Kills

    /// Has processes killed while they transfer, and reads beside them and after them. Each waits for the disk as it
    /// likes: what others have seen of it is there afterwards, whichever way that is.
    ///
    /// - Returns: What was wrong, and how many snapshots were read by other processes meanwhile.
    func run(kills: Int, folder: String, executable: String) async -> (faults: [String], snapshots: Int) {
        var (faults, snapshots, moves) = ([String](), 0, Int64(0))
        var random = SeededGenerator(seed: seed)
        do {
            let url = URL(filePath: folder)
            let container = try Container(identifier: "bank", storedAt: url)
            try await Self.open(container.privateDatabase)
            container.close()
            for kill in 0..<kills where faults.count < 10 {
                let time = Int.random(in: 1...120, using: &random)
                let arguments = [
                    executable, "bank-writer", folder, "\(seed &+ UInt64(kill))", "\(time)",
                    CrashWriter.durability(&random),
                ]
                let reading = Reading(.max, moves: moves)
                async let outcome = Task.detached { ChildProcess.run(arguments) }.value
                async let read = Self.readBeside(url, reading)
                let ended = await outcome
                reading.end()
                snapshots += await read
                reading.note(try Self.look(at: url))
                faults += reading.faults.map { "process \(kill), \(arguments[5]): \($0)" }
                moves = reading.moves
                if !ended.isKilled { faults.append("process \(kill): \(ended.status) \(ended.lines)") }
            }
        } catch {
            faults.append("\(error)")
        }
        return (faults, snapshots)
    }

    private static func readBeside(
        _ url: URL, _ reading: Reading
    ) async -> Int {
        var snapshots = 0
        repeat {
            do { reading.note(try look(at: url)) } catch { reading.note("\(error)") }
            snapshots += 1
            await Task.yield()
        } while reading.isWanted
        return snapshots
    }

    private static func look(at url: URL) throws -> (moves: Int64, fault: String?) {
        let reader = try Container(identifier: nil, storedAt: url, options: StorageOptions(mode: .readOnly))
        defer { reader.close() }
        return try look(at: reader.privateDatabase.snapshot())
    }

    /// Transfers in a process that ends itself by SIGKILL after some milliseconds of transfers.
    static func write(
        folder: String, seed: UInt64, milliseconds: Int, durability: StorageOptions.Durability
    ) async throws {
        let container = try Container(
            identifier: nil, storedAt: URL(filePath: folder), options: StorageOptions(durability: durability))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for writer in 0..<16 {
                group.addTask {
                    try await transfer(in: container.privateDatabase, seed: seed &* 31 &+ UInt64(writer)) { true }
                }
            }
            group.addTask {
                try await Task.sleep(for: .milliseconds(milliseconds))
                Glibc.kill(getpid(), SIGKILL)
                return 0
            }
            try await group.waitForAll()
        }
    }
}
