// The process whose calls are recorded: it does everything that a store writes for, and says what it has acknowledged.

import FoundationEssentials
import Glibc
import PredicateSemantics
import RecordDatabase
import RecordModel

/// What a process does to a store, session after session.
enum PowerCutScenario: String, CaseIterable {
    case full
    case normal
    case off
    /// A store that was written without waiting, closed well, and written on with waiting.
    case offThenFull = "off-then-full"
    /// States are written beside saves.
    case background

    struct Session {
        var durability: StorageOptions.Durability
        var batches: ClosedRange<Int>
        /// Whether its indexes of text are of another version of ICU: those that the next one builds anew.
        var isOutdated = false
    }

    var sessions: [Session] {
        switch self {
        case .full, .background: Self.sessions(.full)
        case .normal: Self.sessions(.normal)
        case .off: Self.sessions(.off)
        case .offThenFull: [Session(durability: .off, batches: 1...9), Session(durability: .full, batches: 10...14)]
        }
    }

    private static func sessions(_ durability: StorageOptions.Durability) -> [Session] {
        [
            Session(durability: durability, batches: 1...12, isOutdated: true),
            Session(durability: durability, batches: 13...24),
        ]
    }

    var lastBatch: Int { sessions.last?.batches.upperBound ?? 0 }

    /// Whether one thing is done after another.
    var isOrdered: Bool { self != .background }

    var checkpointByteCount: Int { isOrdered ? 1 << 30 : 1 << 13 }
}

/// What is saved beside the batches: a record with a file, which every few batches replace.
enum PowerCutAsset {
    static let type = "WithFile"
    static let id = Record.ID("asset")
    private static let interval = 4

    static func isSaved(before batch: Int) -> Bool { batch % interval == 0 }

    /// The last file that was saved before a batch was.
    static func number(at batch: Int) -> Int { batch / interval * interval }

    static func bytes(_ number: Int) -> [UInt8] { (0..<3000 + number).map { UInt8(truncatingIfNeeded: $0 &* number) } }
}

/// Records that are loaded first: so many that indexes are built for them, which a later session builds anew.
enum PowerCutBase {
    static let type = "Base"
    static let count = 520

    static func load(into container: Container) async throws {
        if container.schema.recordTypes[type] != nil { return }
        let records = (0..<count).map { number in
            let words = CrashBatch.words
            return Record(
                type: type, id: Record.ID("base\(number)"),
                fields: ["text": .string("\(words[number % words.count]) \(number)")])
        }
        _ = try container.publicDatabase.load(0..<count, of: RecordSet(records: records))
    }

    /// How many there are, and how many of them begin with a word, as an index of text says.
    static func counts(in container: Container) async throws -> [Int] {
        if container.schema.recordTypes[type] == nil { return [0, 0] }
        var counts: [Int] = []
        for predicate: RecordPredicate in ["TRUEPREDICATE", "text BEGINSWITH \("omega")"] {
            let found = try await container.publicDatabase.recordPage(
                matching: Query(type, predicate), in: .default, resultsLimit: 1_000_000)
            counts.append(found.matchResults.count)
        }
        return counts
    }

    static let expectedCounts = [count, count / CrashBatch.words.count]
}

/// Runs in a process of its own, to its end.
struct PowerCutWriter {
    static let store = "store"
    private let root: String
    private let seed: UInt64
    private let scenario: PowerCutScenario

    init(root: String, seed: UInt64, scenario: PowerCutScenario) {
        (self.root, self.seed, self.scenario) = (root, seed, scenario)
    }

    func run() async throws {
        for session in scenario.sessions { try await run(session) }
    }

    private func run(_ session: PowerCutScenario.Session) async throws {
        let durability = "\(session.durability)"
        func say(_ verb: PowerCutMark.Verb, _ number: Int, _ folder: String = Self.store) {
            // What a copy holds waits for the disk whatever the saves of the store do.
            let mark = PowerCutMark(verb, number, verb == .copied ? "full" : durability, folder)
            let bytes = Array(mark.text.utf8)
            _ = unsafe write(1, bytes, bytes.count)
        }
        say(.opening, session.batches.lowerBound - 1)
        var options = StorageOptions(durability: session.durability)
        options.checkpointByteCount = scenario.checkpointByteCount
        if session.isOutdated { options.textVersion = "ICU of long ago" }
        let container = try Container(
            identifier: "crash", storedAt: URL(filePath: "\(root)/\(Self.store)"), options: options,
            configuration: CrashBatch.configuration)
        try await container.privateDatabase.save(RecordZone(id: CrashBatch.zone))
        try await PowerCutBase.load(into: container)
        for number in session.batches {
            if PowerCutAsset.isSaved(before: number) {
                try await save(file: number, to: container)
                say(.attached, number)
            }
            try await CrashBatch(number, seed: seed).write(to: container)
            say(.saved, number)
            try await lookAfter(container, number) { say($0, number, $1) }
        }
        container.close()
        say(.settled, session.batches.upperBound)
    }

    private func save(file number: Int, to container: Container) async throws {
        // Beside what is recorded.
        let path = "\(root)/../asset"
        guard FileManager.default.createFile(atPath: path, contents: Data(PowerCutAsset.bytes(number))) else {
            throw DatabaseError(.assetNotAvailable, "no file for an asset")
        }
        let record = Record(
            type: PowerCutAsset.type, id: PowerCutAsset.id,
            fields: [
                "number": .int64(Int64(number)), "file": .asset(try Asset(fileURL: URL(filePath: path))),
            ])
        _ = try await container.privateDatabase.modifyRecords(saving: [record], deleting: [], savePolicy: .allKeys)
    }

    /// Writes states, compacts and copies.
    private func lookAfter(
        _ container: Container, _ number: Int, _ say: (PowerCutMark.Verb, String) -> Void
    ) async throws {
        // Indexes are written with the records only once they were asked for.
        if number % 3 == 0 {
            _ = try await SampleStore.results(of: container)
            _ = try await PowerCutBase.counts(in: container)
            try await container.checkpoint()
            say(.settled, Self.store)
        }
        if number % 8 == 7 {
            try await container.compact()
            say(.settled, Self.store)
        }
        if number % 10 == 8 {
            let copy = "copy-\(number)"
            try await container.backUp(to: URL(filePath: "\(root)/\(copy)"))
            say(.copied, copy)
        }
    }
}
