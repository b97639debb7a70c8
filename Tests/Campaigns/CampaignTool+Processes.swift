// The processes that campaigns start, to kill them or to watch what they do. Each gets its name and what follows it.

import Glibc

extension CampaignTool {
    static let processes: [String: @Sendable ([String]) async -> Never] = [
        "crash-writer": crashWriter, "damage-runs": damageRuns, "maintain": maintain, "hold": hold,
        "powercut-writer": powerCutWriter, "powercut-reader": powerCutReader, "bank-writer": bankWriter,
        "sync-writer": syncWriter, "turn-writer": turnWriter, "load-writer": loadWriter, "load-reader": loadReader,
    ]

    /// The process that writes turn after turn while a page looks at its store.
    @Sendable private static func turnWriter(_ arguments: [String]) async -> Never {
        guard arguments.count == 3, let seed = UInt64(arguments[2]) else { exit(2) }
        do { try await TurnStore(folder: arguments[1], seed: seed).write() } catch {
            print("\(error)")
            exit(3)
        }
        exit(0)
    }

    /// The process whose tasks write the store of a load.
    @Sendable private static func loadWriter(_ arguments: [String]) async -> Never {
        guard arguments.count == 5, let seed = UInt64(arguments[2]),
            let durability = CrashWriter.durabilities[arguments[3]], let rest = Int(arguments[4]), rest > 0
        else { exit(2) }
        let writer = LoadWriter(folder: arguments[1], seed: seed, durability: durability, longestRest: rest)
        do { try await writer.run() } catch {
            LoadReport.fault("the writer: \(error)")
            exit(3)
        }
        exit(0)
    }

    /// A process that reads moments of the store of a load.
    @Sendable private static func loadReader(_ arguments: [String]) async -> Never {
        guard arguments.count == 3, let seed = UInt64(arguments[2]) else { exit(2) }
        await LoadReader(folder: arguments[1], seed: seed).run()
        exit(0)
    }

    /// The process that opens damaged stores.
    @Sendable private static func damageRuns(_ arguments: [String]) async -> Never {
        guard arguments.count == 5, let seed = UInt64(arguments[2]), let first = Int(arguments[3]),
            let end = Int(arguments[4]), first <= end
        else { exit(2) }
        await DamageCampaign.open(folder: arguments[1], seed: seed, runs: first..<end)
        exit(0)
    }

    /// The process that `kill` kills.
    @Sendable private static func maintain(_ arguments: [String]) async -> Never {
        guard arguments.count == 3, let work = Maintenance(rawValue: arguments[2]) else { exit(2) }
        do { try await work.run(folder: arguments[1]) } catch { print("\(error)") }
        exit(3)
    }

    /// A process that has a store open, and works on it as lines of its input say.
    @Sendable private static func hold(_ arguments: [String]) async -> Never {
        guard arguments.count == 3 else { exit(2) }
        await HeldStore.serve(arguments[1], arguments[2])
        exit(0)
    }

    /// The process that `crash` kills.
    @Sendable private static func crashWriter(_ arguments: [String]) async -> Never {
        guard arguments.count == 6, let seed = UInt64(arguments[2]), let first = Int(arguments[3]),
            let bytes = Int(arguments[4]), let durability = CrashWriter.durabilities[arguments[5]]
        else { exit(2) }
        do {
            try await CrashWriter.run(
                folder: arguments[1], seed: seed, first: first, checkpointByteCount: bytes, durability: durability)
        } catch {
            print("\(error)")
        }
        exit(3)
    }

    /// The process that transfers money until it ends itself.
    @Sendable private static func bankWriter(_ arguments: [String]) async -> Never {
        guard arguments.count == 5, let seed = UInt64(arguments[2]), let time = Int(arguments[3]),
            let durability = CrashWriter.durabilities[arguments[4]]
        else { exit(2) }
        do {
            try await BankCampaign.write(
                folder: arguments[1], seed: seed, milliseconds: time, durability: durability)
        } catch {
            print("\(error)")
        }
        exit(3)
    }

    /// The process whose sync engines change records until it ends itself, or all changes were made.
    @Sendable private static func syncWriter(_ arguments: [String]) async -> Never {
        guard arguments.count == 6, let seed = UInt64(arguments[2]), let changes = Int(arguments[3]),
            let limit = Int(arguments[4])
        else { exit(2) }
        do {
            let faults = try await SyncCampaign(seed: seed, folder: arguments[1], place: SyncPlace(arguments[5]))
                .work(changes: changes, killAfter: limit).faults
            for fault in faults { print(fault) }
            exit(faults.isEmpty ? 0 : 3)
        } catch {
            print("\(error)")
            exit(3)
        }
    }

    /// The process whose calls are recorded.
    @Sendable private static func powerCutWriter(_ arguments: [String]) async -> Never {
        guard arguments.count == 4, let seed = UInt64(arguments[2]),
            let scenario = PowerCutScenario(rawValue: arguments[3])
        else { exit(2) }
        do {
            try await PowerCutWriter(root: arguments[1], seed: seed, scenario: scenario).run()
        } catch {
            print("\(error)")
            exit(3)
        }
        exit(0)
    }

    /// The process that opens what a power cut left.
    @Sendable private static func powerCutReader(_ arguments: [String]) async -> Never {
        guard arguments.count == 6, let seed = UInt64(arguments[2]),
            let scenario = PowerCutScenario(rawValue: arguments[3]), let first = Int(arguments[4]),
            let end = Int(arguments[5]), first <= end
        else { exit(2) }
        await PowerCutReader(folder: arguments[1], seed: seed, scenario: scenario).run(first..<end)
        exit(0)
    }
}
