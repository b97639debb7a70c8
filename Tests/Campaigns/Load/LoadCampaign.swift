// Mixed load on one store for minutes or hours, watched by the process that started it.

import FoundationEssentials
import Glibc
import RecordDatabase
import RecordModel

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
    let executable: String
    let killsPerMinute: Int
    /// Processes that read.
    var readers = Self.readers

    private var store: String { folder + "/store" }
    private var filler: String { folder + "/filler" }

    /// What was found and what was done.
    struct Tally {
        var faults: [String] = []
        var commits = 0
        var refused = 0
        var moments = 0
        var kills = 0
        var fullDisks = 0
        var maintained: [String: Int] = [:]
        var samples: [LoadSample] = []

        var summary: String {
            let works = maintained.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            let pause = (samples.map(\.longest).max() ?? 0) / 1000
            return "\(commits) commits, longest \(pause) ms, \(moments) moments read, \(kills) kills, "
                + "\(fullDisks) full disks (\(refused) calls refused), \(works)"
        }
    }

    /// Runs it so long.
    func run(seconds: Int) async -> Tally {
        var run = Run(campaign: self)
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            guard !FileManager.default.fileExists(atPath: store) else {
                run.tally.faults.append("\(store) is there already; name a new folder")
                return run.tally
            }
            try await run.work(seconds: seconds)
            try LoadChart(samples: run.tally.samples, seed: seed).write(to: folder)
            run.tally.faults += Self.growth(run.tally.samples)
            if run.tally.faults.isEmpty { try FileManager.default.removeItem(atPath: store) }
        } catch {
            run.tally.faults.append("\(error)")
        }
        try? FileManager.default.removeItem(atPath: filler)
        return run.tally
    }

    /// What grows without end, in runs of ten minutes and more: the last third is compared with the second one.
    static func growth(_ samples: [LoadSample]) -> [String] {
        guard samples.count >= 600 else { return [] }
        let third = samples.count / 3
        let (second, last) = (samples[third..<2 * third], samples[(2 * third)...])
        let judged: [(String, KeyPath<LoadSample, Int>)] = [
            ("the writer's memory", \.writerMemory), ("a reader's memory", \.readerMemory), ("the store", \.storeBytes),
        ]
        return judged.compactMap { name, path in
            let (before, after) = (
                second.map { $0[keyPath: path] }.max() ?? 0, last.map { $0[keyPath: path] }.max() ?? 0
            )
            guard after > before * 3 / 2 + 64 << 20 else { return nil }
            return "\(name) grows from \(before >> 20) MB to \(after >> 20) MB"
        }
    }
}

/// One run under way.
private struct Run {
    let campaign: LoadCampaign
    var tally = LoadCampaign.Tally()

    private var random: SeededGenerator
    private var writer: SpokenProcess?
    private var readers: [SpokenProcess] = []
    private var acknowledged = [Int64](repeating: 0, count: LoadStore.ledgers)
    private var sample = LoadSample()

    init(campaign: LoadCampaign) {
        self.campaign = campaign
        random = SeededGenerator(seed: campaign.seed)
    }

    mutating func work(seconds: Int) async throws {
        try start()
        for number in 0..<campaign.readers { readers.append(try reader(number)) }
        let clock = ContinuousClock()
        let start = clock.now
        var (nextSample, nextReader) = (1, 10)
        while clock.now - start < .seconds(seconds), tally.faults.count < 10 {
            try await Task.sleep(for: .milliseconds(50))
            collect()
            let elapsed = Int((clock.now - start) / .seconds(1))
            if elapsed >= nextSample {
                noteSample(elapsed)
                nextSample = elapsed + 1
                try await disturb()
            }
            if elapsed >= nextReader {
                try replaceReader()
                nextReader = elapsed + 10
            }
        }
        finish()
    }

    // MARK: Processes

    private mutating func start() throws {
        let arguments = [campaign.executable, "load-writer", campaign.storePath, "\(random.next() >> 1)"]
        guard let process = SpokenProcess(arguments), process.line() == "open" else {
            throw DatabaseError(.internalError, "the writer does not open its store")
        }
        writer = process
    }

    private mutating func reader(_ number: Int) throws -> SpokenProcess {
        let arguments = [campaign.executable, "load-reader", campaign.storePath, "\(random.next() >> 1)"]
        guard let process = SpokenProcess(arguments) else {
            throw DatabaseError(.internalError, "reader \(number) does not start")
        }
        return process
    }

    /// Kills a reader wherever it is, and starts another one.
    private mutating func replaceReader() throws {
        let number = Int.random(in: readers.indices, using: &random)
        readers[number].kill()
        take(readers[number].linesSoFar())
        readers[number].forget()
        readers[number] = try reader(number)
    }

    private mutating func finish() {
        for process in readers {
            _ = process.finish()
            take(process.linesSoFar())
            process.forget()
        }
        guard let writer else { return }
        let status = writer.finish()
        let lines = writer.linesSoFar()
        take(lines)
        writer.forget()
        if status != 0 || lines.last != "closed" { tally.faults.append("the writer ended with \(status)") }
        checkAcknowledged("at the end")
    }

    // MARK: What they say

    private mutating func collect() {
        for process in readers { take(process.linesSoFar()) }
        if let writer { take(writer.linesSoFar()) }
    }

    private mutating func take(_ lines: [String]) {
        for line in lines {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().map { Int($0) ?? 0 }
            switch words.first {
            case "ack" where numbers.count == 2: acknowledged[numbers[0]] = Int64(numbers[1])
            case "second" where numbers.count == 5: note(numbers)
            case "moment" where numbers.count == 1:
                tally.moments += 1
                sample.readerMemory = max(sample.readerMemory, numbers[0])
            case "did": tally.maintained[words.dropFirst().joined(separator: " "), default: 0] += 1
            case "fault": tally.faults.append(String(line.dropFirst(6)))
            default: break
            }
        }
    }

    /// Takes a second of the writer: commits, refusals, microseconds of the longest call, bytes in memory and allocated.
    private mutating func note(_ numbers: [Int]) {
        tally.commits += numbers[0]
        tally.refused += numbers[1]
        sample.commits += numbers[0]
        sample.longest = max(sample.longest, numbers[2])
        (sample.writerMemory, sample.writerAllocated) = (numbers[3], numbers[4])
    }

    private mutating func noteSample(_ second: Int) {
        sample.second = second
        sample.storeBytes = Self.size(of: campaign.storePath)
        tally.samples.append(sample)
        sample = LoadSample()
    }

    private static func size(of folder: String) -> Int {
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return files.reduce(0) { sum, file in
            var facts = stat()
            // SAFETY: the function fills the structure that it is given; what is gone by now counts nothing.
            return unsafe stat(folder + "/" + file, &facts) == 0 ? sum + Int(facts.st_size) : sum
        }
    }

    // MARK: Trouble

    /// Kills the writer or fills the disk, as the seed says; called once a second.
    private mutating func disturb() async throws {
        if Int.random(in: 0..<60, using: &random) < campaign.killsPerMinute { try kill() }
        if random.oneIn(20), campaign.canFill { try await fill() }
    }

    private mutating func kill() throws {
        guard let writer else { return }
        writer.kill()
        take(writer.linesSoFar())
        writer.forget()
        tally.kills += 1
        checkAcknowledged("after kill \(tally.kills)")
        try start()
    }

    /// Takes all room of the disk for a second or two.
    private mutating func fill() async throws {
        tally.fullDisks += 1
        // SAFETY: the path lives as long as the call.
        let file = unsafe open(campaign.fillerPath, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
        guard file >= 0 else { return }
        let block = [UInt8](repeating: 0x55, count: 1 << 20)
        for size in [1 << 20, 1 << 12] {
            // SAFETY: no more is written than the block holds.
            while unsafe Glibc.write(file, block, size) > 0 {}
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 200...2000, using: &random)))
        close(file)
        // SAFETY: the path lives as long as the call.
        unsafe unlink(campaign.fillerPath)
        collect()
    }

    /// Nothing that was acknowledged is missing from the store that is there now.
    private mutating func checkAcknowledged(_ moment: String) {
        do {
            let url = URL(filePath: campaign.storePath)
            if let fault = try LoadReader.fault(at: url) { tally.faults.append("\(moment): \(fault)") }
            let reader = try Container(identifier: nil, storedAt: url, options: StorageOptions(mode: .readOnly))
            defer { reader.close() }
            for (ledger, head) in try LoadStore.heads(reader.privateDatabase.snapshot()).enumerated()
            where head.last < acknowledged[ledger] {
                tally.faults.append(
                    "\(moment): ledger \(ledger) ends with \(head.last), and \(acknowledged[ledger]) was acknowledged")
            }
        } catch {
            tally.faults.append("\(moment): \(error)")
        }
    }
}

extension LoadCampaign {
    fileprivate var storePath: String { store }
    fileprivate var fillerPath: String { filler }

    /// Whether the folder's file system is small enough to be filled.
    fileprivate var canFill: Bool {
        var facts = statvfs()
        // SAFETY: the function fills the structure that it is given.
        guard unsafe statvfs(folder, &facts) == 0 else { return false }
        return Int(facts.f_blocks) * Int(facts.f_frsize) <= Self.largestFilled
    }
}
