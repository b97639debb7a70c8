// The order in which stores bring files to the disk, and what a power cut leaves: a short run of the campaign that
// `predicate-fuzz powercut` runs for longer.

import Foundation
import Testing
import _TestSupport

@testable import Campaigns

/// The rule, and the disk, over records that are made up.
@Suite struct SyncRuleTests {
    private static let start: [RecordedCall] = [
        mark(.opening, 0), .makeFolder(path: "store"), .create(file: 1, path: "store/data.mdb"),
        .write(file: 1, path: "store/data.mdb", offset: 0, bytes: [1], isSynced: false),
        .sync(file: 1, path: "store/data.mdb"), .sync(file: 8, path: "store"), .sync(file: 9, path: ""),
    ]
    private static let made: [RecordedCall] = [
        .create(file: 2, path: "store/a.new"),
        .write(file: 2, path: "store/a.new", offset: 0, bytes: [1, 2, 3], isSynced: false),
        .sync(file: 2, path: "store/a.new"), .rename(from: "store/a.new", to: "store/a"),
        .sync(file: 8, path: "store"),
    ]
    private static let named = RecordedCall.write(
        file: 1, path: "store/data.mdb", offset: 9000, bytes: [2], isSynced: true)
    private static let removed: [RecordedCall] = [.unlink(path: "store/a")]
    private static let copied: [RecordedCall] = [
        .makeFolder(path: "copy"), .create(file: 3, path: "copy/unfinished-copy"), .makeFolder(path: "copy/segments"),
        .create(file: 4, path: "copy/segments/data.mdb"), .sync(file: 5, path: "copy/segments"),
        .sync(file: 6, path: "copy"), .sync(file: 9, path: ""), .link(file: 4, path: "copy/data.mdb"),
    ]

    private static func mark(_ verb: PowerCutMark.Verb, _ number: Int, _ durability: String = "full") -> RecordedCall {
        .mark(PowerCutMark(verb, number, durability, "store").text)
    }

    private static func without(_ index: Int, _ calls: [RecordedCall]) -> [RecordedCall] {
        calls.enumerated().filter { $0.offset != index }.map(\.element)
    }

    private static func wrote(_ offset: Int, _ isSynced: Bool) -> RecordedCall {
        .write(file: 1, path: "store/data.mdb", offset: offset, bytes: [3], isSynced: isSynced)
    }

    /// Calls, and how many of them come too early.
    static let records: [(String, [RecordedCall], Int)] = [
        ("all in order", start + made + [named, mark(.saved, 1)] + removed, 0),
        ("a file that was not synced", start + without(2, made) + [mark(.saved, 1)], 2),
        ("a folder that was not synced", start + without(4, made) + [mark(.saved, 1)], 1),
        ("a folder that was synced before", start + made.dropLast() + [named, made[4], mark(.saved, 1)], 1),
        ("a file that was synced before it was written", start + [made[0], made[2], made[1]] + made[3...], 1),
        ("a link to a file that was not synced", start + made[..<2] + [.link(file: 2, path: "store/a")], 1),
        ("a link, in order", start + made[..<3] + [.link(file: 2, path: "store/a"), made[4], mark(.saved, 1)], 0),
        (
            "one of two names removed",
            start + made[..<3] + [.link(file: 2, path: "store/a"), .unlink(path: "store/a.new")], 0
        ),
        ("tables that were not synced", start + [wrote(9000, false), mark(.saved, 1)], 1),
        ("tables that were synced", start + [wrote(9000, true), mark(.saved, 1)], 0),
        ("a removal before the tables are synced", start + made + [wrote(9000, false)] + removed, 1),
        (
            "a removal before the head is synced",
            [mark(.opening, 0, "normal")] + (start + made).dropFirst() + [wrote(0, false)] + removed, 1
        ),
        (
            "a head that normal need not sync",
            [mark(.opening, 0, "normal")] + start.dropFirst() + [wrote(0, false), mark(.saved, 1, "normal")], 0
        ),
        (
            "pages that normal must sync",
            [mark(.opening, 0, "normal")] + start.dropFirst() + [wrote(9000, false), mark(.saved, 1, "normal")], 1
        ),
        (
            "nothing is promised",
            [mark(.opening, 0, "off")] + start.dropFirst() + made[..<2] + [made[3], mark(.saved, 1, "off")], 0
        ),
        (
            "a promise after none",
            [mark(.opening, 0, "off")] + start.dropFirst() + made[..<2] + [
                made[3], mark(.opening, 1), mark(.saved, 2),
            ], 1
        ),
        ("a new folder without a name", [mark(.opening, 0)] + start[1..<6] + [mark(.saved, 0)], 2),
        (
            "a mark of an unfinished copy that may come back",
            start + [
                .create(file: 3, path: "store/unfinished-copy"), .sync(file: 8, path: "store"),
                .unlink(path: "store/unfinished-copy"), mark(.copied, 1),
            ], 1
        ),
        ("tables of a copy, in order", start + copied, 0),
        ("tables of a copy before the names beside them", start + without(4, copied), 1),
        ("locks", start + [.create(file: 3, path: "store/lock.mdb"), mark(.saved, 1)], 0),
    ]

    @Test(arguments: records)
    func whatComesTooEarlyIsFound(_ name: String, _ calls: [RecordedCall], _ count: Int) {
        let violations = SyncRule.verdict(calls).violations
        #expect(violations.count == count, "\(name): \(violations)")
    }

    /// All that may be lost is lost in some state, and nothing else.
    @Test func aDiskLosesWhatWasNotSynced() {
        var disk = Disk()
        let old = [UInt8](repeating: 1, count: 3000)
        let calls: [RecordedCall] = [
            .create(file: 1, path: "a"), .write(file: 1, path: "a", offset: 0, bytes: old, isSynced: false),
            .sync(file: 1, path: "a"), .sync(file: 9, path: ""),
            .write(file: 1, path: "a", offset: 500, bytes: [2, 2, 2], isSynced: true),
            .write(file: 1, path: "a", offset: 1000, bytes: [UInt8](repeating: 3, count: 600), isSynced: false),
            .rename(from: "a", to: "b"), .create(file: 2, path: "c"),
        ]
        for call in calls { disk.apply(call) }
        var (names, torn): (Set<Set<String>>, Set<[UInt8]>) = ([], [])
        for seed in 0..<200 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let contents = disk.contents(.some, unit: 512, keepsOrderOfNames: false, &generator)
            names.insert(Set(contents.keys))
            guard let bytes = contents["a"] ?? contents["b"] ?? nil else { continue }
            #expect(bytes.count == 3000 && bytes[500...502] == [2, 2, 2] && bytes[1600...].allSatisfy { $0 == 1 })
            torn.insert([bytes[1000], bytes[1024], bytes[1536]])
        }
        #expect(names == [["a"], ["b"], ["a", "c"], ["b", "c"]])
        #expect(torn.count == 8)
    }
}

/// Stores whose calls are recorded.
@Suite(.waits, .requires("predicate-fuzz", FuzzProgram.isThere), .requires(program: "cc"))
struct PowerCutTests {
    private func withFolder<R>(_ body: (String) throws -> R) throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "powercut-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try body(folder.path)
    }

    private func campaign(_ folder: String, seed: UInt64) throws -> PowerCutCampaign {
        try PowerCutCampaign(
            seed: seed, folder: folder, executable: FuzzProgram.path, project: ProjectFiles.root)
    }

    /// Whatever calls a program writes with, the record explains all of its files.
    @Test func everyWayToWriteIsRecorded() throws {
        try withFolder { folder in
            let source = ProjectFiles.root + "/Tests/CommandTests/Fixtures/Faults/writes.c"
            let outcome = ChildProcess.run(["/usr/bin/env", "cc", "-o", folder + "/writes", source])
            try #require(outcome.status == 0)
            let root = URL(filePath: folder).resolvingSymlinksInPath().path + "/root"
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let recorder = try CallRecorder(in: folder, project: ProjectFiles.root)
            let calls = try recorder.calls(of: [folder + "/writes", root], in: root, record: folder + "/record")
            #expect(try PowerCutCampaign.fault(of: calls, root: root) == nil)
            #expect(calls.last == .mark("done"))
            #expect(calls.count { if case .sync = $0 { true } else { false } } == 3)
        }
    }

    /// Each placing of a file follows the sync of its bytes, and precedes that of its folder, on every way to write.
    @Test(arguments: [PowerCutScenario.full, .normal])
    func filesComeToTheDiskInOrder(_ scenario: PowerCutScenario) throws {
        try withFolder { folder in
            let calls = try campaign(folder, seed: 1).record(scenario)
            let verdict = SyncRule.verdict(calls)
            #expect(verdict.violations == [])
            #expect(verdict.placed > 20 && verdict.removed > 5, "\(verdict)")
            #expect(Self.ways.filter { !calls.contains(where: $0.value) }.keys.sorted() == [])
            // Indexes of another version of ICU are written anew when the store is opened.
            let opening = try #require(calls.lastIndex { $0.description.hasPrefix("mark opening") })
            let saving = try #require(calls[opening...].firstIndex { $0.description.hasPrefix("mark saved") })
            #expect(calls[opening..<saving].contains { Self.places($0, "store/segments/", ".segment") })
        }
    }

    private static func places(_ call: RecordedCall, _ prefix: String, _ suffix: String = "") -> Bool {
        switch call {
        case .rename(_, let path), .link(_, let path): path.hasPrefix(prefix) && path.hasSuffix(suffix)
        default: false
        }
    }

    /// What must have happened in a record that is to show something.
    private static let ways: [String: @Sendable (RecordedCall) -> Bool] = [
        "new tables": { places($0, "store/data.mdb") },
        "segments": { places($0, "store/segments/", ".segment") },
        "assets": { places($0, "store/assets/") },
        "a copy": { places($0, "copy-8/data.mdb") },
        "a removed segment": { $0.description.hasPrefix("unlink store/segments/") },
        "a removed asset": { $0.description.hasPrefix("unlink store/assets/") },
    ]

    /// Whatever sync is left out, with those that would make up for it before the next acknowledgement, is missed.
    /// Those that find nothing to wait for may be left out, and LMDB's own order is LMDB's.
    @Test func noSyncCanBeLeftOut() throws {
        try withFolder { folder in
            let calls = try campaign(folder, seed: 1).record(.full)
            var rule = SyncRule()
            var (found, unnoticed): (Int, [String]) = (0, [])
            for (index, call) in calls.enumerated() {
                if case .sync(let file, let path) = call, !path.hasSuffix("data.mdb"), rule.disk.waits(for: file, path)
                {
                    found += 1
                    if !Self.isMissed(call, rule, calls[index...]) { unnoticed.append("call \(index), \(call)") }
                }
                _ = rule.follow(call)
            }
            #expect(unnoticed == [])
            #expect(found > 100, "\(found)")
        }
    }

    private static func isMissed(_ sync: RecordedCall, _ rule: SyncRule, _ calls: ArraySlice<RecordedCall>) -> Bool {
        var rule = rule
        for call in calls where call != sync {
            if !rule.follow(call).isEmpty { return true }
            if case .mark = call { return false }
        }
        return false
    }

    /// Some states of each kind of session; `.ci/run` makes 100.
    @Test func whatAPowerCutLeavesHoldsWhatWasAcknowledged() throws {
        try withFolder { folder in
            let tally = try campaign(folder, seed: 1).run(states: 24, [.full, .normal, .off, .background])
            #expect(tally.faults == [])
            #expect(tally.opened > 15 && tally.copies > 3, "\(tally)")
        }
    }

    /// Files of a session that did not wait are on the disk before a session that waits acknowledges anything.
    @Test func aSessionThatWaitsWaitsForThoseBefore() throws {
        try withFolder { folder in
            let campaign = try campaign(folder, seed: 1)
            let verdict = SyncRule.verdict(try campaign.record(.offThenFull))
            let tally = campaign.run(states: 8, [.offThenFull])
            #expect(verdict.violations == [])
            #expect(tally.faults == [])
            #expect(verdict.placed > 5 && tally.opened > 0, "\(verdict) \(tally)")
        }
    }
}
