// A process that is killed at each step of writing a store's state, of compacting it, and of carrying its records
// through a migration: the store is what it was, or what the migration made of it.

import FoundationEssentials
import Glibc
import RecordDatabase
import RecordModel

/// What a process does to a store, and may not finish.
enum Maintenance: String, CaseIterable {
    case checkpoint
    case compact
    case migrate

    /// Opens the store, queries it, so that it has indexes that are in no file yet, and does the work. The store is not
    /// closed: that would be work of its own.
    func run(folder: String) async throws {
        let container = try await work(folder: folder)
        guard try self == .migrate || container.statistics().logChanges == 0 else { exit(4) }
        exit(0)
    }

    private func work(folder: String) async throws -> Container {
        var configuration = Configuration()
        // What is written is the same every time.
        configuration.clock = { .distantPast }
        let container = try Container(
            identifier: nil, storedAt: URL(filePath: folder), configuration: configuration)
        _ = try await SampleStore.results(of: container)
        switch self {
        case .checkpoint: try await container.checkpoint()
        case .compact: try await container.compact()
        case .migrate: try await container.migrate([Self.migration])
        }
        return container
    }

    /// A migration of the records of a sample store, in both of its databases.
    private static let migration = SchemaMigration("batches have fractions") { change in
        change.retypeField("batch", of: CrashBatch.type, to: .double)
        change.addField("mark", ContainerSchema.Field(.string), to: CrashBatch.type)
        change.updateRecords(ofType: CrashBatch.type) { $0["mark"] = "made" }
    }

    /// What a store may be after a process that was killed at the work; what is written then has no change tags, which
    /// are different every time.
    ///
    /// - Parameters:
    ///   - original: The store before.
    ///   - copy: A place for a copy of it.
    func outcomes(_ original: String, _ copy: String) async throws -> [[String]] {
        let before = try await KillCampaign.state(of: original)
        guard self == .migrate else { return [before] }
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: original, toPath: copy)
        try await work(folder: copy).close()
        let after = try await KillCampaign.state(of: copy)
        return [before, KillCampaign.withoutTags(after)]
    }
}

/// A work that leaves the store as it was.
private struct WorthlessWork: Error {}

/// Ends a process in front of every call to the system that changes the store, or in the middle of it where it writes
/// bytes.
///
/// Tests/CommandTests/Fixtures/Faults/faults.c, built as a library that is loaded before the system's, counts the calls
/// and kills the process.
struct KillCampaign {
    /// What became of so many processes.
    struct Tally {
        var faults: [String] = []
        /// How often a process was killed at a call of a name.
        var kills: [String: Int] = [:]

        /// Indexes in the files of the store, which every killed process leaves or replaces.
        var indexCount = 0

        var killCount: Int { kills.values.reduce(0, +) }
    }

    /// Where in a call the process ends.
    enum Moment: String, CaseIterable {
        case before = "kill"
        case halfWritten = "torn"
    }

    private let sample: SampleStore
    private let folder: String
    private let executable: String
    private let shim: String
    private var original: String { folder + "/store" }
    private var copy: String { folder + "/copy" }
    private var log: String { folder + "/log" }

    /// - Parameters:
    ///   - folder: A folder of the campaign's own.
    ///   - executable: The program that works on a store when it is called with `maintain`.
    ///   - shim: The library that kills.
    ///   - isSmall: Whether the store shall be made and read in little time.
    init(seed: UInt64, folder: String, executable: String, shim: String, isSmall: Bool = false) {
        sample = SampleStore(seed: seed, loadedCount: isSmall ? 520 : 700, isSmall: isSmall)
        (self.folder, self.executable, self.shim) = (folder, executable, shim)
    }

    /// Kills processes at one call after another, until one comes to its end.
    ///
    /// - Parameters:
    ///   - stride: Calls from one that is met to the next.
    ///   - first: The first call that is met.
    func run(
        _ works: [Maintenance] = Maintenance.allCases, _ moments: [Moment] = Moment.allCases, first: Int = 1,
        stride: Int = 1
    ) async -> Tally {
        var tally = Tally()
        do {
            try await sample.make(at: original)
            tally.indexCount = try Self.indexCount(original)
            for work in works {
                let expected = try await work.outcomes(original, copy)
                guard Set(expected).count == expected.count else { throw WorthlessWork() }
                for moment in moments {
                    var call = first
                    while tally.faults.count < 10, try await step(work, moment, call, expected, &tally) {
                        call += stride
                    }
                }
            }
        } catch {
            tally.faults.append("\(error)")
        }
        return tally
    }

    /// Kills one process; false when it came to its end.
    private func step(
        _ work: Maintenance, _ moment: Moment, _ call: Int, _ expected: [[String]], _ tally: inout Tally
    ) async throws -> Bool {
        for path in [copy, log] { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.copyItem(atPath: original, toPath: copy)
        let outcome = ChildProcess.run(
            [executable, "maintain", copy, work.rawValue],
            environment: [
                "LD_PRELOAD": shim, "FAULT_FOLDER": copy, "FAULT_KIND": "write", "FAULT_MODE": moment.rawValue,
                "FAULT_CALL": "\(call)", "FAULT_LOG": log,
            ])
        let name = FileManager.default.contents(atPath: log).map { String(decoding: $0, as: UTF8.self) }?
            .split(separator: " ").first.map(String.init)
        let place = "\(work), \(moment.rawValue) at call \(call), \(name ?? "which there is not")"
        guard outcome.isKilled || outcome.status == 0, outcome.isKilled == (name != nil) else {
            tally.faults.append("\(place): status \(outcome.status) \(outcome.lines.joined(separator: " "))")
            return false
        }
        if let name { tally.kills[name, default: 0] += 1 }
        do {
            if let fault = try await fault(expected) { tally.faults.append("\(place): \(fault)") }
        } catch {
            tally.faults.append("\(place): \(error)")
        }
        return outcome.isKilled
    }

    /// What is wrong with the copy: as it was left, and when the next process goes on with it.
    private func fault(_ outcomes: [[String]]) async throws -> String? {
        let problems = try Container.verify(storedAt: URL(filePath: copy))
        if !problems.isEmpty { return "verify: \(problems)" }
        let isBefore = try await Self.state(of: copy) == outcomes[0]
        let expected = isBefore ? outcomes[0] : outcomes.last ?? []
        let isTagged = isBefore || outcomes.count == 1
        func state() async throws -> [String] {
            let lines = try await Self.state(of: copy)
            return isTagged ? lines : Self.withoutTags(lines)
        }
        let read = try await state()
        if let fault = SampleStore.difference(expected, read) { return "read: \(fault)" }
        let next = try Container(identifier: nil, storedAt: URL(filePath: copy))
        _ = try await next.publicDatabase.save(Record(type: "Probe", id: Record.ID("probe")))
        try await next.compact()
        let files = try next.statistics().segmentFiles
        next.close()
        let found = try await state()
        let rest = found.filter { !$0.contains("Probe") }
        if rest.count != found.count - 1 { return "what was written is not there" }
        let left = try FileManager.default.subpathsOfDirectory(atPath: copy + "/segments").count
        if left != files { return "\(left) files are there, and \(files) belong to the store" }
        return SampleStore.difference(expected, rest).map { "after compacting: \($0)" }
    }

    private static func indexCount(_ path: String) throws -> Int {
        let reader = try Container(
            identifier: nil, storedAt: URL(filePath: path), options: StorageOptions(mode: .readOnly))
        defer { reader.close() }
        return try reader.statistics().records.reduce(0) { $0 + $1.indexes }
    }

    /// Lines of a state without the change tags at the ends of those about records.
    static func withoutTags(_ lines: [String]) -> [String] {
        lines.map { line in
            guard line.hasPrefix("record "), let end = line.lastIndex(of: " ") else { return line }
            return String(line[..<end])
        }
    }

    static func state(of path: String) async throws -> [String] {
        let reader = try Container(
            identifier: nil, storedAt: URL(filePath: path), options: StorageOptions(mode: .readOnly))
        defer { reader.close() }
        return try await SampleStore.state(of: reader)
    }
}
