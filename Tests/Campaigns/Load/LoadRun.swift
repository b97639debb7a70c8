// One load under way: its processes, what they say, and the trouble they get.

import FoundationEssentials
import Glibc
import RecordDatabase
import RecordModel

/// One load; made for one run.
struct LoadRun {
    /// Faults that end a load.
    private static let mostFaults = 10
    /// How long a process may take to open its store, or to end with its input.
    private static let longestWait = Duration.seconds(300)

    let campaign: LoadCampaign
    var tally = LoadCampaign.Tally()

    private var random: SeededGenerator
    private var watch: LoadWatch
    private var writer: SpokenProcess?
    /// Writers so far.
    private var writers = 0
    private var readers: [SpokenProcess] = []
    private var acknowledged = [Int64](repeating: 0, count: LoadStore.ledgers)
    private var sample = LoadSample()

    init(campaign: LoadCampaign) {
        self.campaign = campaign
        random = SeededGenerator(seed: campaign.seed)
        watch = LoadWatch(readers: campaign.readers)
    }

    /// Runs the load so long, and ends its processes.
    mutating func work(seconds: Int) async {
        do {
            try start()
            for number in 0..<campaign.readers {
                readers.append(try reader(number))
                tally.starts.append(1)
            }
            try await run(seconds: seconds)
        } catch {
            tally.faults.append("\(error)")
        }
        finish()
    }

    private mutating func run(seconds: Int) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        defer { tally.seconds = Int((clock.now - start) / .seconds(1)) }
        var (last, nextSample, nextReader) = (start, 1, campaign.secondsPerReader)
        while clock.now - start < .seconds(seconds), tally.faults.count < Self.mostFaults, !campaign.isEnough(tally) {
            try await Task.sleep(for: .milliseconds(50))
            collect()
            let now = clock.now
            watch.note(.passed((now - last) / .seconds(1)))
            last = now
            tally.faults += watch.takeFaults()
            try replaceEnded()
            let elapsed = Int((now - start) / .seconds(1))
            if elapsed >= nextSample {
                noteSample(elapsed)
                nextSample = elapsed + 1
                try await disturb()
            }
            if elapsed >= nextReader {
                if let number = Self.replaced(readers.indices).randomElement(using: &random) { try replace(number) }
                nextReader = elapsed + campaign.secondsPerReader
            }
        }
    }

    // MARK: Processes

    private mutating func start() throws {
        writer = nil
        let arguments = [
            "load-writer", campaign.store, "\(random.next() >> 1)", campaign.durability, "\(campaign.longestRest)",
        ]
        guard let process = SpokenProcess(campaign.command + arguments) else {
            throw DatabaseError(.internalError, "the writer does not start")
        }
        let line = process.line(within: Self.longestWait)
        guard line == "open" else {
            end(process, "the writer")
            throw DatabaseError(.internalError, "the writer does not open its store: \(line ?? "it says nothing")")
        }
        writer = process
        writers += 1
    }

    private mutating func reader(_ number: Int) throws -> SpokenProcess {
        let arguments = ["load-reader", campaign.store, "\(random.next() >> 1)"]
        guard let process = SpokenProcess(campaign.command + arguments) else {
            throw DatabaseError(.internalError, "reader \(number) does not start")
        }
        return process
    }

    /// Kills a process wherever it is; that it had ended before is a fault.
    ///
    /// - Parameter reader: The number of a reader; `nil` for the writer.
    @discardableResult
    private mutating func end(_ process: SpokenProcess, _ name: String, reader: Int? = nil) -> SpokenProcess.Ending {
        let ending = process.kill()
        take(process.linesSoFar(), reader: reader)
        process.forget()
        if let fault = ending.fault { tally.faults.append("\(name) \(fault)") }
        return ending
    }

    /// The readers that are killed: not the first one, in which slow growth can be seen.
    static func replaced(_ readers: Range<Int>) -> Range<Int> { readers.dropFirst() }

    /// Kills a reader, and starts another one.
    private mutating func replace(_ number: Int) throws {
        end(readers[number], "reader \(number)", reader: number)
        readers[number] = try reader(number)
        tally.starts[number] += 1
    }

    /// Kills the writer, compares what it leaves with what it acknowledged, and starts another one.
    private mutating func replaceWriter() throws {
        guard let writer else { return }
        let wasKilled = end(writer, "the writer") == .killed
        if wasKilled { tally.kills += 1 }
        checkAcknowledged(wasKilled ? "after kill \(tally.kills)" : "after the writer ended")
        try start()
    }

    /// Puts others in the place of processes that have ended by themselves, which is a fault.
    private mutating func replaceEnded() throws {
        for number in readers.indices where readers[number].hasEnded { try replace(number) }
        if writer?.hasEnded == true { try replaceWriter() }
    }

    private mutating func finish() {
        for (number, process) in readers.enumerated() { finish(process, "reader \(number)", reader: number) }
        guard let writer else { return }
        if finish(writer, "the writer").last != "closed" { tally.faults.append("the writer did not close its store") }
        checkAcknowledged("at the end")
    }

    /// Ends a process by the end of its input.
    /// - Returns: The lines that were its last ones.
    @discardableResult
    private mutating func finish(_ process: SpokenProcess, _ name: String, reader: Int? = nil) -> [String] {
        let ending = process.finish(within: Self.longestWait)
        let lines = process.linesSoFar()
        take(lines, reader: reader)
        process.forget()
        if let fault = ending.fault { tally.faults.append("\(name) \(fault)") }
        return lines
    }

    // MARK: What they say

    private mutating func collect() {
        for (number, process) in readers.enumerated() { take(process.linesSoFar(), reader: number) }
        if let writer { take(writer.linesSoFar()) }
    }

    private mutating func take(_ lines: [String], reader: Int? = nil) {
        for line in lines {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().map { Int($0) ?? 0 }
            let rest = words.dropFirst().joined(separator: " ")
            switch words.first {
            case "ack" where numbers.count == 2: acknowledged[numbers[0]] = Int64(numbers[1])
            case "second" where numbers.count == 5: note(numbers)
            case "moment" where numbers.count == 2: noteMoment(reader ?? 0, numbers[0], numbers[1])
            case "refused": noteRefusal(rest, reader)
            case "did":
                tally.maintained[rest, default: 0] += 1
                watch.note(.done(.maintenance))
                watch.note(.done(.work(rest)))
            case "skipped" where words.count > 1:
                watch.note(.refused(.work(String(words[1])), words.dropFirst(2).joined(separator: " ")))
            case "fault": tally.faults.append(rest)
            default: break
            }
        }
    }

    /// Takes a second of the writer: commits, refusals, microseconds of the longest call, bytes in memory and
    /// allocated.
    private mutating func note(_ numbers: [Int]) {
        tally.commits += numbers[0]
        tally.refused += numbers[1]
        sample.commits += numbers[0]
        sample.longest = max(sample.longest, numbers[2])
        (sample.writerMemory, sample.writerAllocated) = (numbers[3], numbers[4])
        if numbers[0] > 0 { watch.note(.done(.writer)) }
    }

    /// Takes a moment of a reader, and its bytes in memory and allocated.
    private mutating func noteMoment(_ reader: Int, _ memory: Int, _ allocated: Int) {
        tally.moments += 1
        sample.readerMemory = max(sample.readerMemory, memory)
        if reader == 0 { (sample.lastingMemory, sample.lastingAllocated) = (memory, allocated) }
        watch.note(.done(.reader(reader)))
        watch.note(.done(.readers))
    }

    private mutating func noteRefusal(_ reason: String, _ reader: Int?) {
        if reader != nil { tally.refusedReaders += 1 }
        watch.note(.refused(reader.map { .reader($0) } ?? .writer, reason))
    }

    private mutating func noteSample(_ second: Int) {
        sample.second = second
        sample.storeBytes = Self.size(of: campaign.store)
        sample.entries = Int(acknowledged.min() ?? 0) * LoadStore.ledgers
        sample.writer = writers
        tally.samples.append(sample)
        // What lasts has its memory also in seconds in which it tells nothing.
        let before = sample
        sample = LoadSample()
        (sample.lastingMemory, sample.lastingAllocated) = (before.lastingMemory, before.lastingAllocated)
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
        if Int.random(in: 0..<60, using: &random) < campaign.killsPerMinute { try replaceWriter() }
        if random.oneIn(20), campaign.canFill { try await fill() }
    }

    /// Takes all room of the disk for a second or two.
    private mutating func fill() async throws {
        // SAFETY: the path lives as long as the call.
        let file = unsafe open(campaign.filler, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
        guard file >= 0 else { return }
        watch.note(.filled)
        let block = [UInt8](repeating: 0x55, count: 1 << 20)
        for size in [1 << 20, 1 << 12] {
            // SAFETY: no more is written than the block holds.
            while unsafe Glibc.write(file, block, size) > 0 {}
        }
        if errno == ENOSPC { tally.fullDisks += 1 }
        try await Task.sleep(for: .milliseconds(Int.random(in: 200...2000, using: &random)))
        close(file)
        // SAFETY: the path lives as long as the call.
        unsafe unlink(campaign.filler)
        collect()
        watch.note(.freed)
    }

    /// Nothing that was acknowledged is missing from the store that is there now.
    private mutating func checkAcknowledged(_ moment: String) {
        do {
            let url = URL(filePath: campaign.store)
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
