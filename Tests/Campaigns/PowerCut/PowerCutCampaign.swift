// Power cuts: what may be on the disk after one, at any call of a process that wrote a store, opens with what was
// promised.

import FoundationEssentials
import Glibc

/// What a store must hold, from what its process had said when the power went.
///
/// With `full`, all that was acknowledged; with `normal`, all but the last of it. With `off`, nothing: the store holds
/// what it did after some batch, or it is refused in words. A batch that was under way may be there. No batch is there
/// in part.
struct PowerCutPromise {
    /// The batches of which the last one may be there.
    private(set) var batches = 0...1
    /// The least file beside a record.
    private(set) var asset = 0
    /// Whether the store may be refused, as `off` gives up.
    private(set) var mayBeLost = false
    /// Copies that are whole.
    private(set) var copies: Set<String> = []

    /// - Parameter calls: Those before the cut.
    init(_ calls: some Sequence<RecordedCall>) {
        var (firm, last, previous) = ((batch: 0, asset: 0), (batch: 0, asset: 0), (batch: 0, asset: 0))
        for case .mark(let text) in calls {
            guard let mark = PowerCutMark(text) else { continue }
            switch mark.verb {
            case .opening:
                if mark.durability == "off" { (firm, mayBeLost) = ((0, 0), true) }
                continue
            case .saved: (previous, last.batch) = (last, mark.number)
            case .attached: (previous, last.asset) = (last, mark.number)
            case .settled: previous = last
            case .copied:
                copies.insert(mark.folder)
                continue
            }
            switch mark.durability {
            case "off": break
            case "normal": (firm, mayBeLost) = (previous, false)
            default: (firm, mayBeLost) = (last, false)
            }
        }
        batches = firm.batch...last.batch + 1
        asset = firm.asset
    }
}

/// Records the calls of processes that write stores, makes folders as a power cut may leave them, and opens those.
struct PowerCutCampaign {
    struct Tally {
        var faults: [String] = []
        /// States that were opened, that were refused where they may be, and calls that were recorded.
        var (opened, rejected, calls) = (0, 0, 0)
        /// Copies that were opened.
        var copies = 0
    }

    private let seed: UInt64
    private let folder: String
    private let executable: String
    private let recorder: CallRecorder

    /// States that one process opens.
    private static let statesPerProcess = 25

    /// - Parameters:
    ///   - folder: A folder of the campaign's own, which is made.
    ///   - executable: The program that writes when it is called with `powercut-writer`, and reads with
    ///     `powercut-reader`.
    ///   - project: The folder of the project's sources.
    init(seed: UInt64, folder: String, executable: String, project: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // SAFETY: the path is passed as a NUL-terminated copy; the result is ours, copied and freed.
        guard let path = unsafe realpath(folder, nil) else { throw CallRecorder.Failure(description: "no \(folder)") }
        defer { unsafe free(path) }
        self.folder = unsafe String(cString: path)
        (self.seed, self.executable) = (seed, executable)
        recorder = try CallRecorder(in: self.folder, project: project)
    }

    /// Records a process, and makes sure that nothing it did to files was missed.
    func record(_ scenario: PowerCutScenario) throws -> [RecordedCall] {
        let root = "\(folder)/\(scenario.rawValue)/world"
        try? FileManager.default.removeItem(atPath: root)
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let calls = try recorder.calls(
            of: [executable, "powercut-writer", root, "\(seed)", scenario.rawValue], in: root,
            record: "\(folder)/\(scenario.rawValue)/record")
        if let fault = try Self.fault(of: calls, root: root) { throw CallRecorder.Failure(description: fault) }
        return calls
    }

    /// What the calls do not explain of the folder that they left.
    static func fault(of calls: [RecordedCall], root: String) throws -> String? {
        var disk = Disk()
        for call in calls {
            disk.apply(call)
            if case .map(let path) = call, !SyncRule.isExempt(path) { return "\(path) is written through a map" }
        }
        let left = Set(try FileManager.default.subpathsOfDirectory(atPath: root))
        let differences = left.symmetricDifference(disk.names.keys)
        if !differences.isEmpty { return "no call tells what became of \(differences.sorted())" }
        for (path, entry) in disk.names where !SyncRule.isExempt(path) {
            guard case .file(let place) = entry else { continue }
            let bytes = FileManager.default.contents(atPath: "\(root)/\(path)").map(Array.init)
            if bytes != disk.files[place].bytes { return "not all calls were seen that wrote \(path)" }
        }
        return nil
    }

    /// Makes so many states, and opens each.
    func run(states: Int, _ scenarios: [PowerCutScenario] = PowerCutScenario.allCases) -> Tally {
        var tally = Tally()
        for (index, scenario) in scenarios.enumerated() {
            let count = states / scenarios.count + (index < states % scenarios.count ? 1 : 0)
            do {
                let calls = try record(scenario)
                tally.calls += calls.count
                if scenario.isOrdered {
                    let violations = SyncRule.verdict(calls).violations
                    tally.faults += violations.prefix(5).map { "\(scenario.rawValue), order: \($0)" }
                }
                try run(scenario, calls, states: count, &tally)
            } catch {
                tally.faults.append("\(scenario.rawValue): \(error)")
            }
        }
        return tally
    }

    // MARK: States

    /// A state, and what must be in it.
    private struct State {
        let number: Int
        let cut: Int
        var generator: SeededGenerator
    }

    private func run(
        _ scenario: PowerCutScenario, _ calls: [RecordedCall], states count: Int, _ tally: inout Tally
    ) throws {
        var generator = SeededGenerator(seed: seed)
        // Most calls write bytes of segments; the others are met as often.
        let turns = calls.indices.filter { if case .write = calls[$0] { false } else { true } }
        let states = (0..<count).map { number in
            let cut =
                generator.oneIn(2)
                ? Int.random(in: 0...calls.count, using: &generator)
                : generator.pick(turns) + Int.random(in: 0...1, using: &generator)
            return State(number: number, cut: cut, generator: SeededGenerator(seed: generator.next()))
        }.sorted { $0.cut < $1.cut }
        let found = tally.faults.count
        var (disk, done) = (Disk(), 0)
        for first in stride(from: 0, to: count, by: Self.statesPerProcess) {
            let group = states[first..<min(count, first + Self.statesPerProcess)]
            let place = "\(folder)/\(scenario.rawValue)/states"
            for (index, state) in group.enumerated() {
                while done < state.cut {
                    disk.apply(calls[done])
                    done += 1
                }
                let next = state.cut < calls.count ? calls[state.cut] : nil
                try make(state, of: disk, next, PowerCutPromise(calls[..<done]).copies, at: "\(place)/\(index)")
            }
            read(scenario, Array(group), calls, at: place, &tally)
            if tally.faults.count > found + 20 { return }
            try FileManager.default.removeItem(atPath: place)
        }
    }

    /// Makes a folder as a power cut may leave it, with those copies that are whole.
    private func make(
        _ state: State, of disk: Disk, _ next: RecordedCall?, _ copies: Set<String>, at path: String
    ) throws {
        var (disk, generator) = (disk, state.generator)
        // The call under way may have done some of its work.
        switch next {
        case .write(let file, let path, let offset, let bytes, _)?:
            disk.apply(.write(file: file, path: path, offset: offset, bytes: bytes, isSynced: false))
        case .sync?, .syncAll?, nil: break
        case let next?: disk.apply(next)
        }
        let loss = generator.oneIn(8) ? Disk.Loss.nothing : generator.oneIn(4) ? .everything : .some
        let contents = disk.contents(
            loss, unit: generator.pick([512, 4096]), keepsOrderOfNames: generator.oneIn(2), &generator)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, bytes) in contents.sorted(by: { $0.key < $1.key }) {
            let top = String(name.prefix { $0 != "/" })
            guard top == PowerCutWriter.store || copies.contains(top) else { continue }
            guard let bytes else {
                try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
                continue
            }
            guard FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(bytes)) else {
                throw CallRecorder.Failure(description: "\(name) cannot be made")
            }
        }
    }

    // MARK: Reading

    /// Lets a process open states, and another one go on behind a state that ends it.
    private func read(
        _ scenario: PowerCutScenario, _ states: [State], _ calls: [RecordedCall], at place: String,
        _ tally: inout Tally
    ) {
        var next = 0
        while next < states.count {
            let outcome = ChildProcess.run([
                executable, "powercut-reader", place, "\(seed)", scenario.rawValue, "\(next)", "\(states.count)",
            ])
            for line in outcome.lines {
                let words = line.split(separator: "\t", maxSplits: 2).map(String.init)
                guard words.count == 3, let index = Int(words[0]), states.indices.contains(index) else { continue }
                next = index + 1
                judge(scenario, states[index], calls, words[1], words[2], &tally)
            }
            if next < states.count {
                let end = "ended the process with status \(outcome.status)"
                judge(scenario, states[next], calls, "ended", end, &tally)
                next += 1
            }
        }
    }

    /// Compares what became of a state with what was promised.
    private func judge(
        _ scenario: PowerCutScenario, _ state: State, _ calls: [RecordedCall], _ outcome: String, _ words: String,
        _ tally: inout Tally
    ) {
        let promise = PowerCutPromise(calls[..<state.cut])
        let place = "\(scenario.rawValue), state \(state.number), cut at call \(state.cut) of \(calls.count)"
        switch outcome {
        case "opened":
            let numbers = words.split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 3, promise.batches.contains(numbers[0]), numbers[1] >= promise.asset else {
                let promised = "\(promise.batches), asset \(promise.asset)"
                return tally.faults.append("\(place): batch and asset \(words) instead of \(promised)")
            }
            tally.opened += 1
            tally.copies += numbers[2]
        case "refused" where promise.mayBeLost: tally.rejected += 1
        default: tally.faults.append("\(place): \(outcome): \(words)")
        }
    }
}
