// Whole stores whose files were damaged: opened rightly, or refused in words.

import FoundationEssentials
import Glibc
import PredicateSemantics
import RecordDatabase
import RecordModel

/// Damages one file of a copy of a store, each time in another way, and opens what is left: for reading, for verifying,
/// and for writing. This is done in a process of its own, so that one that is ended by a signal is a fault like others.
struct DamageCampaign {
    /// What became of so many damaged stores.
    struct Tally {
        var (rejected, opened, harmless) = (0, 0, 0)
        var files: Set<String> = []
        var faults: [String] = []

        mutating func add(_ other: Tally) {
            rejected += other.rejected
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
            try await SampleStore(seed: seed).make(at: original)
        } catch {
            tally.faults.append("the store cannot be made: \(error)")
            return tally
        }
        var next = 0
        while next < runs {
            let outcome = ChildProcess.run([
                executable, "damage-runs", folder, "\(seed)", "\(next)", "\(runs)",
            ])
            for line in outcome.lines {
                let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                guard words.count == 4, let number = Int(words[0]) else { continue }
                next = number + 1
                tally.files.insert(words[1])
                switch words[2] {
                case "refused": tally.rejected += 1
                case "opened": tally.opened += 1
                case "same": tally.harmless += 1
                default: tally.faults.append("seed \(seed), run \(number), \(words[1]): \(words[3])")
                }
            }
            if outcome.status == 0 { break }
            tally.faults.append("seed \(seed), run \(next): the process ended with status \(outcome.status)")
            next += 1
        }
        return tally
    }

    // MARK: The process that opens

    /// Damages and opens copies, and prints a line about each.
    static func open(folder: String, seed: UInt64, runs: Range<Int>) async {
        let campaign = DamageCampaign(seed: seed, folder: folder)
        do {
            let whole = try Container(
                identifier: nil, storedAt: URL(filePath: campaign.original), options: StorageOptions(mode: .readOnly))
            let expected = try await SampleStore.state(of: whole)
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
            var isRejected = false
            if let fault = try await read(expected, &isRejected) { return (file, "fault", "\(what): \(fault)") }
            if let fault = try await write(expected, &isRejected, &generator) {
                return (file, "fault", "\(what): \(fault)")
            }
            return (file, isRejected ? "refused" : bytes == before ? "same" : "opened", what)
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
    private func read(_ expected: [String], _ isRejected: inout Bool) async throws -> String? {
        do {
            let reader = try Container(
                identifier: nil, storedAt: URL(filePath: copy), options: StorageOptions(mode: .readOnly))
            if let fault = SampleStore.difference(expected, try await SampleStore.state(of: reader)) {
                return "read: \(fault)"
            }
        } catch let error as DatabaseError {
            if let fault = Self.fault(of: error) { return "read: \(fault)" }
            isRejected = true
        }
        do throws(DatabaseError) {
            let problems = try Container.verify(storedAt: URL(filePath: copy))
            if isRejected, problems.isEmpty { return "verified, and refused by a reader" }
        } catch {
            if let fault = Self.fault(of: error) { return "verify: \(fault)" }
            if !isRejected { return "verify: \(error.reason), and opened by a reader" }
        }
        return nil
    }

    /// Opens the copy for writing, writes, and reads again.
    private func write(
        _ expected: [String], _ isRejected: inout Bool, _ generator: inout SeededGenerator
    ) async throws -> String? {
        do {
            let writer = try Container(identifier: nil, storedAt: URL(filePath: copy))
            defer { writer.close() }
            if let fault = SampleStore.difference(expected, try await SampleStore.state(of: writer)) {
                return "write: \(fault)"
            }
            _ = try await writer.publicDatabase.save(Record(type: "Probe", id: Record.ID("probe")))
            if generator.oneIn(2) { try await writer.compact() }
        } catch let error as DatabaseError {
            isRejected = true
            return Self.fault(of: error).map { "write: \($0)" }
        }
        let again = try Container(
            identifier: nil, storedAt: URL(filePath: copy), options: StorageOptions(mode: .readOnly))
        let state = try await SampleStore.state(of: again)
        let isThere = state.contains { $0.hasPrefix("record Probe") }
        let rest = state.filter { !$0.contains("Probe") }
        if !isThere { return "what was written is not there" }
        return SampleStore.difference(expected, rest).map { "after writing: \($0)" }
    }

    /// What is wrong with the refusal of a damaged store.
    private static func fault(of error: DatabaseError) -> String? {
        let fitting: Set<DatabaseError.Code> = [
            .internalError, .invalidArguments, .incompatibleVersion, .serviceUnavailable,
        ]
        if !fitting.contains(error.code) { return "refused as \(error.code): \(error.reason)" }
        return error.reason.isEmpty ? "refused without words" : nil
    }
}
