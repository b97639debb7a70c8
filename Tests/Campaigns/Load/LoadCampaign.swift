// Mixed load on one store for minutes or hours, watched by the process that started it.

import FoundationEssentials
import Glibc

/// Starts a writer and readers, kills some, fills the disk now and then, and compares what is left with what was
/// acknowledged.
struct LoadCampaign {
    /// Writers that are killed in a minute unless fewer are wanted.
    static let killsPerMinute = 2
    static let readers = 5
    /// File systems that are larger are not filled.
    private static let largestFilled = 2 << 30

    let seed: UInt64
    /// The folder of the store and of what is drawn; made where it is missing.
    let folder: String
    /// What runs `predicate-fuzz`, to be followed by the name of a process and its arguments.
    let command: [String]
    let killsPerMinute: Int
    /// What saves wait for, by a name of `CrashWriter.durabilities`.
    var durability = "normal"
    /// Processes that read.
    var readers = Self.readers
    /// Seconds from one reader that is killed to the next one; the first reader lasts.
    var secondsPerReader = 10
    /// Tenths of a second between two works of looking after the store, at most.
    var longestRest = 60
    /// Whether the disk is filled, where it is small enough.
    var fills = true
    /// Whether so much was seen that the load may end before its time.
    var isEnough: @Sendable (Tally) -> Bool = { _ in false }

    var store: String { folder + "/store" }
    var filler: String { folder + "/filler" }

    /// What was found and what was done.
    struct Tally: Sendable {
        static let works = ["checkpoint", "compact", "backup", "sweep"]

        /// How long it was.
        var seconds = 0
        var faults: [String] = []
        /// What was not looked for.
        var warnings: [String] = []
        var commits = 0
        /// Calls of the writer that were refused, and openings of readers.
        var (refused, refusedReaders) = (0, 0)
        var moments = 0
        var kills = 0
        /// How often each reader was started.
        var starts: [Int] = []
        var fullDisks = 0
        var maintained: [String: Int] = [:]
        var samples: [LoadSample] = []

        var summary: String {
            let works = Self.works.map { "\(maintained[$0, default: 0]) \($0)" }.joined(separator: ", ")
            let pause = (samples.map(\.longest).max() ?? 0) / 1000
            let parts = [
                "\(commits) commits", "longest \(pause) ms", "\(moments) moments read", "\(kills) kills",
                "\(max(0, starts.reduce(0, +) - starts.count)) readers replaced",
                "\(fullDisks) full disks (\(refused) calls refused, \(refusedReaders) of readers)", works,
            ]
            return (parts + warnings).joined(separator: ", ")
        }
    }

    /// Runs it so long.
    func run(seconds: Int) async -> Tally {
        var run = LoadRun(campaign: self)
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            guard !FileManager.default.fileExists(atPath: store) else {
                run.tally.faults.append("\(store) is there already; name a new folder")
                return run.tally
            }
            await run.work(seconds: seconds)
            try LoadChart(samples: run.tally.samples, seed: seed).write(to: folder)
            let judgement = LoadJudgement(
                samples: run.tally.samples, seconds: run.tally.seconds,
                fullDisks: canFill ? run.tally.fullDisks : nil, refused: run.tally.refused + run.tally.refusedReaders)
            run.tally.faults += judgement.faults
            run.tally.warnings += judgement.warnings
            if run.tally.faults.isEmpty { try FileManager.default.removeItem(atPath: store) }
        } catch {
            run.tally.faults.append("\(error)")
        }
        // The filler, and a copy whose writer was killed.
        for rest in [filler, store + "-copy"] { try? FileManager.default.removeItem(atPath: rest) }
        return run.tally
    }

    /// Whether the disk is to be filled, and the folder's file system is small enough for it.
    var canFill: Bool {
        guard fills else { return false }
        var facts = statvfs()
        // SAFETY: the function fills the structure that it is given.
        guard unsafe statvfs(folder, &facts) == 0 else { return false }
        return Int(facts.f_blocks) * Int(facts.f_frsize) <= Self.largestFilled
    }
}
