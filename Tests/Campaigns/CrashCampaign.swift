// A writer that is killed at random instants: what it acknowledged is there, whole, and nothing is there in part.

import FoundationEssentials
import Glibc
import PredicateSemantics
import RecordDatabase
import RecordModel

/// Starts a writer, kills it, opens what it left and compares that with what it must have left; again and again.
struct CrashCampaign {
    /// What was found wrong.
    private(set) var faults: [String] = []
    private(set) var batches = 0
    /// Batches that were stored and not acknowledged any more.
    private(set) var unacknowledged = 0

    /// The program that is the writer when it is called with `crash-writer`.
    private let executable: String
    private let folder: String
    private let seed: UInt64
    private var generator: SeededGenerator
    /// The records as they must be.
    private var model = CrashModel()
    private var token: ChangeToken?
    /// Whether the token may expire: a writer was killed that did not wait for the disk, and the next one to open the
    /// store cannot tell that from a power cut.
    private var mayExpire = false
    /// The largest number of a change that was seen so far.
    private var lastChange: Int64 = 0

    init(seed: UInt64, executable: String, folder: String) {
        self.seed = seed
        self.executable = executable
        self.folder = folder
        generator = SeededGenerator(seed: seed)
    }

    /// Kills a writer so many times.
    mutating func run(kills: Int) async {
        for kill in 1...max(1, kills) {
            do {
                let acknowledged = try crash()
                try await check(acknowledged)
            } catch {
                faults.append("kill \(kill): \(error)")
            }
            if faults.count > 10 { return }
        }
    }

    // MARK: The writer

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A writer at work.
    private struct Writer {
        let process: pid_t
        /// Where it tells which batches it acknowledged.
        let output: Int32

        /// Waits for its first word.
        func waitUntilOpen() {
            var first = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&first, 1, 20_000)
        }

        /// Kills it; gives the last batch that it acknowledged, if it came so far.
        func kill() throws -> Int? {
            defer { close(output) }
            Glibc.kill(process, SIGKILL)
            var result: Int32 = 0
            _ = unsafe waitpid(process, &result, 0)
            guard result & 0x7F == SIGKILL else {
                throw Failure(description: "the writer ended with status \(result)")
            }
            var last: Int?
            var number: UInt64 = 0
            while unsafe read(output, &number, 8) == 8 { last = Int(UInt64(littleEndian: number)) }
            return last
        }
    }

    /// Starts a writer that goes on behind the last batch.
    private func start(checkpointByteCount: Int, durability: String) throws -> Writer {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let arguments = [
            executable, "crash-writer", folder, "\(seed)", "\(model.last + 1)", "\(checkpointByteCount)", durability,
        ]
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        var child: pid_t = 0
        let status = unsafe posix_spawn(&child, executable, &actions, nil, &pointers, environ)
        close(ends[1])
        guard status == 0 else {
            close(ends[0])
            throw Failure(description: "\(executable) cannot be started")
        }
        return Writer(process: child, output: ends[0])
    }

    /// Runs a writer until it is killed; gives the last batch that it acknowledged, if it came so far.
    private mutating func crash() throws -> Int? {
        let durability = CrashWriter.durability(&generator)
        let writer = try start(
            checkpointByteCount: generator.pick([1 << 11, 1 << 14, 1 << 17, 1 << 24]), durability: durability)
        if durability != "full" { mayExpire = true }
        // Most are killed while they write, some while they open what the one before left.
        if generator.oneIn(4) {
            usleep(UInt32.random(in: 0..<120_000, using: &generator))
        } else {
            writer.waitUntilOpen()
            usleep(UInt32.random(in: 0..<generator.pick([2_000, 40_000, 250_000]), using: &generator))
        }
        return try writer.kill()
    }

    // MARK: Copies

    /// Copies the store again and again while a writer is at work: each copy is the store behind some batch.
    mutating func run(backups: Int) async {
        do {
            // Checkpoints come fast, and take files away from under the copies.
            let writer = try start(checkpointByteCount: 1 << 12, durability: "full")
            writer.waitUntilOpen()
            for number in 1...max(1, backups) where faults.count < 10 {
                usleep(UInt32.random(in: 0..<60_000, using: &generator))
                do {
                    try await backUp()
                } catch {
                    faults.append("copy \(number): \(error)")
                }
            }
            _ = try writer.kill()
        } catch {
            faults.append("\(error)")
        }
    }

    private mutating func backUp() async throws {
        let copy = folder + "-copy"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try Container.backUp(storedAt: URL(filePath: folder), to: URL(filePath: copy))
        let problems = try Container.verify(storedAt: URL(filePath: copy))
        guard problems.isEmpty else { throw Failure(description: "\(problems)") }
        let container = try open(.readWrite, copy).get()
        defer { container.close() }
        let (publicRecords, privateRecords) = (
            try await CrashModel.publicRecords(container), try CrashModel.privateRecords(container)
        )
        // The zone may not be there yet, and later copies are never of an earlier moment.
        for _ in 0..<Self.batchesBetweenCopies {
            if model.privateRecords == privateRecords, model.publicRecords == publicRecords { break }
            model.apply(CrashBatch(model.last + 1, seed: seed))
        }
        batches = model.last
        guard model.privateRecords == privateRecords, model.publicRecords == publicRecords else {
            throw Failure(description: "the copy is not the store behind any batch")
        }
    }

    /// More than a writer can do between two copies.
    private static let batchesBetweenCopies = 20_000

    // MARK: What it left

    private mutating func check(_ acknowledged: Int?) async throws {
        let mode = generator.pick([StorageOptions.Mode.readWrite, .readOnly])
        let opened = open(mode)
        if case .failure(let error) = opened, acknowledged == nil, model.last == 0, error.code != .internalError {
            // Killed before there was anything.
            return
        }
        let container = try opened.get()
        defer { container.close() }
        let publicRecords = try await CrashModel.publicRecords(container)
        guard let changes = try? container.privateDatabase.zoneChanges(CrashBatch.zone, since: nil, limit: 1_000_000)
        else {
            guard model.last == 0, acknowledged == nil else { throw Failure(description: "the zone is gone") }
            return
        }
        var privateRecords: [String: [String: FieldValue]] = [:]
        var numbers: [String: Int64] = [:]
        for (id, result) in changes.modifications {
            let record = try result.get()
            privateRecords[id.recordName] = record.fields
            numbers[id.recordName] = record.recordChangeTag.flatMap { Int64($0, radix: 36) }
        }
        while model.last < acknowledged ?? 0 { model.apply(CrashBatch(model.last + 1, seed: seed)) }
        if model.privateRecords != privateRecords || model.publicRecords != publicRecords {
            // The batch that was under way may be there, as a whole.
            model.apply(CrashBatch(model.last + 1, seed: seed))
            unacknowledged += 1
            guard model.privateRecords == privateRecords, model.publicRecords == publicRecords else {
                throw Failure(description: "the records are not those of batch \(model.last - 1) or \(model.last)")
            }
        }
        batches = model.last
        try check(numbers)
        try checkChanges(container)
        if mode == .readWrite { mayExpire = false }
        try await checkQueries(container)
    }

    /// Every record has a number of its own; those that were written since the last time have larger ones than any
    /// before.
    private mutating func check(_ numbers: [String: Int64]) throws {
        guard Set(numbers.values).count == model.privateRecords.count else {
            throw Failure(description: "records without a change tag, or two with the same")
        }
        for (name, number) in numbers where model.touched.contains(name) != (number > lastChange) {
            throw Failure(description: "\(name) has change \(number), and \(lastChange) was the last one before")
        }
        lastChange = max(lastChange, numbers.values.max() ?? 0)
    }

    private func open(_ mode: StorageOptions.Mode, _ copy: String? = nil) -> Result<Container, DatabaseError> {
        do throws(DatabaseError) {
            let options = StorageOptions(mode: mode)
            return .success(
                try Container(identifier: "crash", storedAt: URL(filePath: copy ?? folder), options: options))
        } catch {
            return .failure(error)
        }
    }

    /// The changes since the last token, or all where that expired and may.
    private mutating func zoneChanges(_ container: Container) throws -> RecordZoneChanges {
        let database = container.privateDatabase
        let isGone = mayExpire && Self.hasExpired(token, database)
        if isGone { (token, model.touched, model.listed) = (nil, CrashBatch.names, []) }
        return try database.zoneChanges(CrashBatch.zone, since: token, limit: 1_000_000)
    }

    private static func hasExpired(_ token: ChangeToken?, _ database: Database) -> Bool {
        do throws(DatabaseError) {
            _ = try database.zoneChanges(CrashBatch.zone, since: token, limit: 1)
            return false
        } catch {
            return error.code == .changeTokenExpired
        }
    }

    /// Changes since the last time are those of the batches since then.
    private mutating func checkChanges(_ container: Container) throws {
        let changes = try zoneChanges(container)
        let saved = Set(changes.modifications.map(\.id.recordName))
        let deleted = Set(changes.deletions.map(\.recordID.recordName))
        let live = model.touched.filter { model.privateRecords[$0] != nil }
        let gone = model.touched.subtracting(live)
        guard saved == live, deleted.isSubset(of: gone), deleted.isSuperset(of: gone.intersection(model.listed)) else {
            throw Failure(
                description:
                    "changes since the last token: \(saved.symmetricDifference(live)) differ, deleted \(deleted)")
        }
        let none = try container.privateDatabase.zoneChanges(CrashBatch.zone, since: changes.changeToken, limit: 10)
        guard none.modifications.isEmpty, none.deletions.isEmpty else {
            throw Failure(description: "changes behind the last token")
        }
        token = changes.changeToken
        model.touched = []
        model.listed = Set(model.privateRecords.keys)
    }

    /// Answers that indexes give are those of looking at every record.
    private mutating func checkQueries(_ container: Container) async throws {
        guard !model.privateRecords.isEmpty else { return }
        let number = Int64(max(0, model.last - Int.random(in: 0..<40, using: &generator)))
        let word = generator.pick(CrashBatch.words)
        if let fault = try await model.faultOfResults(container, number: number, word: word) {
            throw Failure(description: fault)
        }
    }
}
