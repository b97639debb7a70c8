// Whole stores whose files were damaged: opened rightly, or refused in words.

import FoundationEssentials
import Glibc
import PredicateSemantics
import RecordDatabase
import RecordModel

/// Damages one file of a copy of a store, each time in another way, and opens what is left: for reading, for verifying, and
/// for writing. This is done in a process of its own, so that one that is ended by a signal is a fault like others.
struct DamageCampaign {
    /// What became of so many damaged stores.
    struct Tally {
        var (refused, opened, harmless) = (0, 0, 0)
        var files: Set<String> = []
        var faults: [String] = []

        mutating func add(_ other: Tally) {
            refused += other.refused
            opened += other.opened
            harmless += other.harmless
            files.formUnion(other.files)
            faults += other.faults
        }
    }

    private let seed: UInt64
    private let folder: String
    private var original: String { folder + "/store" }
    private var copy: String { folder + "/copy" }

    /// - Parameter folder: A folder of the campaign's own.
    init(seed: UInt64, folder: String) { (self.seed, self.folder) = (seed, folder) }

    // MARK: The process that watches

    /// Damages so many copies.
    ///
    /// - Parameter executable: The program that opens them when it is called with `damage-runs`.
    func run(_ runs: Int, executable: String) async -> Tally {
        var tally = Tally()
        do {
            try await makeStore()
        } catch {
            tally.faults.append("the store cannot be made: \(error)")
            return tally
        }
        var next = 0
        while next < runs {
            let (lines, status) = Self.output(of: [executable, "damage-runs", folder, "\(seed)", "\(next)", "\(runs)"])
            for line in lines {
                let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                guard words.count == 4, let number = Int(words[0]) else { continue }
                next = number + 1
                tally.files.insert(words[1])
                switch words[2] {
                case "refused": tally.refused += 1
                case "opened": tally.opened += 1
                case "same": tally.harmless += 1
                default: tally.faults.append("seed \(seed), run \(number), \(words[1]): \(words[3])")
                }
            }
            if status == 0 { break }
            tally.faults.append("seed \(seed), run \(next): the process ended with status \(status)")
            next += 1
        }
        return tally
    }

    /// The lines that a program prints, and how it ended.
    private static func output(of arguments: [String]) -> (lines: [String], status: Int32) {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return ([], -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        var child: pid_t = 0
        let status = unsafe posix_spawn(&child, arguments[0], &actions, nil, &pointers, environ)
        close(ends[1])
        guard status == 0 else { return ([], status) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            // SAFETY: no more is read than the piece holds.
            let count = unsafe Glibc.read(ends[0], &piece, piece.count)
            if count <= 0 { break }
            bytes += piece[..<count]
        }
        var result: Int32 = 0
        _ = unsafe waitpid(child, &result, 0)
        return (String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init), result)
    }

    /// A store with files of records and indexes, deletions, zones, subscriptions, an asset, and changes in the log.
    private func makeStore() async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: original)
        let asset = folder + "/asset"
        guard FileManager.default.createFile(atPath: asset, contents: Data((0..<9000).map { UInt8($0 % 251) })) else {
            throw DatabaseError(.assetNotAvailable, "no file for an asset")
        }
        var configuration = Configuration()
        configuration.limits.itemsPerRequest = 1 << 20
        let container = try Container(
            identifier: "damage", storedAt: URL(filePath: original), configuration: configuration)
        try await container.privateDatabase.save(RecordZone(id: CrashBatch.zone))
        var saved = Record(type: "WithFile", id: Record.ID("asset"))
        saved["file"] = FieldValue.asset(try Asset(fileURL: URL(filePath: asset)))
        _ = try await container.privateDatabase.save(saved)
        let batches = 24 + Int(seed % 16)
        for number in 1...batches {
            try await CrashBatch(number, seed: seed).write(to: container)
            if number % 10 == 0 {
                // Indexes are written with the records only once they were asked for.
                _ = try await Self.state(of: container)
                try await container.checkpoint()
            }
        }
        try await container.privateDatabase.save(
            Subscription(recordType: CrashBatch.type, predicate: "batch > \(3)", id: "all"))
        // The log stays: closing would write a state in its place.
        try FileManager.default.copyItem(atPath: original, toPath: original + ".open")
        container.close()
        try FileManager.default.removeItem(atPath: original)
        guard unsafe rename(original + ".open", original) == 0 else {
            throw DatabaseError(.internalError, "the store cannot be named")
        }
    }

    // MARK: The process that opens

    /// Damages and opens copies, and prints a line about each.
    static func open(folder: String, seed: UInt64, runs: Range<Int>) async {
        let campaign = DamageCampaign(seed: seed, folder: folder)
        do {
            let whole = try Container(
                identifier: nil, storedAt: URL(filePath: campaign.original), options: StorageOptions(mode: .readOnly))
            let expected = try await state(of: whole)
            for run in runs {
                let (file, outcome, words) = await campaign.step(run, expected)
                print("\(run)\t\(file)\t\(outcome)\t\(words.replacing("\n", with: " ").replacing("\t", with: " "))")
                fflush(nil)
            }
        } catch {
            print("0\tstore\tfault\t\(error)")
        }
    }

    private func step(_ run: Int, _ expected: [String]) async -> (file: String, outcome: String, words: String) {
        var generator = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(run))
        var file = ""
        var what = ""
        do {
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: original, toPath: copy)
            let files = try FileManager.default.subpathsOfDirectory(atPath: copy).filter { path in
                path.hasSuffix(".mdb") || path.hasSuffix(".segment")
            }.sorted()
            // Everything leads from the tables: they are damaged more often than one file of many.
            file = generator.oneIn(3) ? "data.mdb" : generator.pick(files)
            let path = copy + "/" + file
            guard var bytes = FileManager.default.contents(atPath: path).map({ [UInt8]($0) }), !bytes.isEmpty else {
                return (file, "same", "")
            }
            let before = bytes
            what = Self.damage(&bytes, &generator)
            guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
                return (file, "fault", "cannot be written")
            }
            var isRefused = false
            if let fault = try await read(expected, &isRefused) { return (file, "fault", "\(what): \(fault)") }
            if let fault = try await write(expected, &isRefused, &generator) {
                return (file, "fault", "\(what): \(fault)")
            }
            return (file, isRefused ? "refused" : bytes == before ? "same" : "opened", what)
        } catch {
            return (file, "fault", "\(what): \(error)")
        }
    }

    private static func damage(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) -> String {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1:
            // At a page's end as well: that is what file systems leave.
            let end = generator.oneIn(2) ? place : place & ~4095
            bytes.removeSubrange(end...)
            return "cut off at \(end)"
        case 2:
            let start = place & ~4095
            for index in start..<min(bytes.count, start + 4096) { bytes[index] = 0 }
            return "zeros from \(start)"
        case 3:
            let (from, to) = (place & ~4095, Int.random(in: 0..<bytes.count, using: &generator) & ~4095)
            guard from + 4096 <= bytes.count, to + 4096 <= bytes.count else { return "nothing" }
            bytes.replaceSubrange(to..<(to + 4096), with: Array(bytes[from..<(from + 4096)]))
            return "page \(from / 4096) in place of page \(to / 4096)"
        case 4:
            // In the first bytes of a page, which say what it is.
            let head = min(bytes.count - 1, place & ~4095 + place % 48)
            bytes[head] = UInt8.random(in: 0...255, using: &generator)
            return "another byte at \(head)"
        case 5:
            for index in place..<min(bytes.count, place + 64) {
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            return "noise at \(place)"
        default:
            let bit = UInt8.random(in: 0..<8, using: &generator)
            bytes[place] ^= 1 << bit
            return "bit \(bit) of byte \(place)"
        }
    }

    /// Opens the copy for reading, and checks it.
    /// - Returns: What is wrong, in words.
    private func read(_ expected: [String], _ isRefused: inout Bool) async throws -> String? {
        do {
            let reader = try Container(
                identifier: nil, storedAt: URL(filePath: copy), options: StorageOptions(mode: .readOnly))
            if let fault = Self.difference(expected, try await Self.state(of: reader)) { return "read: \(fault)" }
        } catch let error as DatabaseError {
            if let fault = Self.fault(of: error) { return "read: \(fault)" }
            isRefused = true
        }
        do throws(DatabaseError) {
            let problems = try Container.verify(storedAt: URL(filePath: copy))
            if isRefused, problems.isEmpty { return "verified, and refused by a reader" }
        } catch {
            if let fault = Self.fault(of: error) { return "verify: \(fault)" }
            if !isRefused { return "verify: \(error.reason), and opened by a reader" }
        }
        return nil
    }

    /// Opens the copy for writing, writes, and reads again.
    private func write(
        _ expected: [String], _ isRefused: inout Bool, _ generator: inout SeededGenerator
    ) async throws -> String? {
        do {
            let writer = try Container(identifier: nil, storedAt: URL(filePath: copy))
            defer { writer.close() }
            if let fault = Self.difference(expected, try await Self.state(of: writer)) { return "write: \(fault)" }
            _ = try await writer.publicDatabase.save(Record(type: "Probe", id: Record.ID("probe")))
            if generator.oneIn(2) { try await writer.compact() }
        } catch let error as DatabaseError {
            isRefused = true
            return Self.fault(of: error).map { "write: \($0)" }
        }
        let again = try Container(
            identifier: nil, storedAt: URL(filePath: copy), options: StorageOptions(mode: .readOnly))
        let state = try await Self.state(of: again)
        let isThere = state.contains { $0.contains(#""id":"probe""#) }
        let rest = state.filter { !$0.contains(#""id":"probe""#) && !$0.contains("Probe") }
        if !isThere { return "what was written is not there" }
        return Self.difference(expected, rest).map { "after writing: \($0)" }
    }

    /// What is wrong with the refusal of a damaged store.
    private static func fault(of error: DatabaseError) -> String? {
        let fitting: Set<DatabaseError.Code> = [
            .internalError, .invalidArguments, .incompatibleVersion, .serviceUnavailable,
        ]
        if !fitting.contains(error.code) { return "refused as \(error.code): \(error.reason)" }
        return error.reason.isEmpty ? "refused without words" : nil
    }

    private static func difference(_ expected: [String], _ found: [String]) -> String? {
        if expected == found { return nil }
        let (missing, more) = (Set(expected).subtracting(found), Set(found).subtracting(expected))
        return "\(missing.count) lines of \(expected.count) differ: \(missing.first ?? "") became \(more.first ?? "")"
    }

    /// All that a store holds, and the answers that its indexes give, line by line.
    private static func state(of container: Container) async throws -> [String] {
        var lines = container.schema.text.components(separatedBy: "RECORD TYPE").filter { !$0.hasPrefix(" Probe") }
        let types = container.schema.recordTypes.keys.filter { $0 != ContainerSchema.userRecordType }.sorted()
        for (type, database) in types.flatMap({ [($0, container.publicDatabase), ($0, container.privateDatabase)] }) {
            let found = try await database.records(matching: Query(type), resultsLimit: 1_000_000)
            for (_, result) in found.matchResults { lines.append(try line(try result.get())) }
        }
        for zone in try await container.privateDatabase.allRecordZones() where !zone.id.isDefault {
            let changes = try container.privateDatabase.zoneChanges(zone.id, since: nil, limit: 1_000_000)
            for (_, result) in changes.modifications { lines.append(try line(try result.get())) }
            lines += changes.deletions.map { "deleted \($0.recordID.recordName) \($0.recordType)" }.sorted()
        }
        for (database, zone) in [
            (container.privateDatabase, CrashBatch.zone), (container.publicDatabase, RecordZone.ID.default),
        ] {
            for predicate in predicates where types.contains(CrashBatch.type) {
                let found = try await database.records(
                    matching: Query(CrashBatch.type, predicate), inZoneWith: zone, resultsLimit: 1_000_000)
                lines.append("\(predicate): \(found.matchResults.map(\.0.recordName).sorted())")
            }
        }
        lines += try await container.privateDatabase.allSubscriptions().map { "subscription \($0.id) \($0.subject)" }
        return lines
    }

    /// A record with what the database wrote about it; assets by what is in them.
    private static func line(_ record: Record) throws -> String {
        var fields = record.fields
        for case (let name, .asset(let asset)) in record.fields {
            fields[name] = .data(asset.fileURL.flatMap { try? Data(contentsOf: $0) } ?? Data())
        }
        let set = try RecordSet(records: [Record(type: record.type, id: record.id, fields: fields)])
        let dates = [record.creationDate, record.modificationDate].map { "\($0?.timeIntervalSinceReferenceDate ?? 0)" }
        return try RecordExport(set, as: .ndjson).text() + dates.joined(separator: " ")
            + " \(record.recordChangeTag ?? "")"
    }

    private static let predicates: [RecordPredicate] = [
        "batch > \(20)", "half <= \(9.5)", "tags CONTAINS \("gamma")", "text BEGINSWITH \("omega")",
        "allTokens TOKENMATCHES \("alpha")", "text CONTAINS \("of 1")",
    ]
}
