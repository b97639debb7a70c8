// Disks that fail, fill up or were not waited for, and copies that are interrupted.

import Foundation
import RecordDatabase
import Testing
import _TestSupport

@testable import Campaigns
@testable import RecordStorage

/// A disk of a fixed size, as far as the machine lets a test have one.
private struct SmallDisk: ~Copyable {
    let path: String

    static let canBeMounted: Bool = {
        guard let disk = try? SmallDisk(kibibytes: 64) else { return false }
        return disk.path.hasPrefix("/")
    }()

    init(kibibytes: Int) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let mount = ChildProcess.run(
            ["/usr/bin/env", "mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", path])
        if mount.status != 0 { throw CocoaError(.fileWriteNoPermission) }
    }

    deinit {
        _ = ChildProcess.run(["/usr/bin/env", "umount", "-l", path])
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Leaves so many bytes of room.
    func fill(leaving room: Int) throws {
        let size = try FileManager.default.attributesOfFileSystem(forPath: path)[.systemFreeSize] as? Int ?? 0
        try Data(count: max(0, size - room)).write(to: URL(filePath: path + "/fill"))
    }

    func empty() throws { try FileManager.default.removeItem(atPath: path + "/fill") }
}

@Suite(.requires("predicate-fuzz", FuzzProgram.isThere))
struct FullDiskTests {
    private static let words = "No space left on device"
    private static let hint = "make room on the disk"

    /// LMDB gives an input/output error for a write that the disk took a part of.
    @Test(.enabled(if: SmallDisk.canBeMounted, "no disk can be mounted"), arguments: [0, 4096, 40960, 200_000])
    func aFullDiskSaysSo(_ room: Int) async throws {
        let disk = try SmallDisk(kibibytes: 4096)
        let folder = disk.path + "/s"
        let store = try Writer(folder, in: .thisProcess)
        try await store.succeed("save a", "load b", "large c", "checkpoint")
        try disk.fill(leaving: room)
        for command in ["large d", "load e", "compact", "asset f", "backup \(disk.path)/copy"] {
            // What fits may succeed.
            var result = try await store.perform(command)
            for number in 0..<20 where result.hasPrefix("ok") && command == "large d" {
                result = try await store.perform("large d\(number)")
            }
            if result.hasPrefix("ok") { continue }
            #expect(result.contains(Self.words) && result.contains(Self.hint), "\(command): \(result)")
        }
        try disk.empty()
        try await Writer(disk.path + "/t", in: .thisProcess).succeed("close")
        try await store.succeed("close")
        let next = try Writer(folder, in: .thisProcess)
        try await next.succeed("save g", "compact", "close")
        #expect(try Container.verify(storedAt: URL(filePath: folder)) == [])
    }

    /// LMDB maps its list of readers and writes there: without room for it, the process would be ended.
    @Test(.enabled(if: SmallDisk.canBeMounted, "no disk can be mounted"))
    func aListOfReadersWithoutRoom() async throws {
        let disk = try SmallDisk(kibibytes: 2048)
        let folder = disk.path + "/s"
        try await Writer(folder, in: .anotherProcess).succeed("save a", "load b", "close")
        try FileManager.default.removeItem(atPath: folder + "/lock.mdb")
        try disk.fill(leaving: 0)
        let outcome = ChildProcess.run([FuzzProgram.path, "hold", folder, "full"])
        try #require(outcome.status == 0, "\(outcome)")
        #expect(outcome.lines.joined().contains(Self.words), "\(outcome)")
        #expect(outcome.lines.joined().contains(Self.hint), "\(outcome)")
        // A reader does without the list.
        let reader = try Container(
            identifier: nil, storedAt: URL(filePath: folder), options: StorageOptions(mode: .readOnly))
        #expect(try reader.statistics().recordCount == 201)
        try disk.empty()
        try await Writer(folder, in: .anotherProcess).succeed("save c", "close")
        #expect(try Container.verify(storedAt: URL(filePath: folder)) == [])
    }

    @Test func addressSpaceThatIsUsedUpSaysSo() {
        // MDB_MAP_FULL.
        let error = TableFile.error(-30792, "cannot write", path: "/")
        #expect(error.code == .diskFull && error.hint?.isEmpty == false)
        #expect(TableFile.error(EIO, "cannot write", path: "/").code == .ioFailure)
        for number in [ENOSPC, EDQUOT] {
            let error = StorageError(path: "/", "cannot write", number: number)
            #expect(error.code == .diskFull && error.hint?.contains(Self.hint) == true)
        }
    }
}

@Suite(.waits, .requires("predicate-fuzz", FuzzProgram.isThere), .requires(program: "cc"))
struct FaultyDiskTests {
    private static let errors = [EIO, ENOMEM, EACCES]

    /// What is written by a process whose calls are counted, and the calls.
    private func run(
        _ scene: borrowing Scene, _ shim: String, _ commands: [String], folder: String = "s", kind: String = "write",
        mode: String, name: String? = nil, call: Int = 1, error: Int32 = EIO
    ) throws -> (outcome: ChildProcess.Outcome, calls: [String]) {
        let log = scene.path("calls")
        try? FileManager.default.removeItem(atPath: log)
        try Data(commands.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: scene.path("commands")))
        var environment = [
            "LD_PRELOAD": shim, "FAULT_FOLDER": scene.path(folder), "FAULT_KIND": kind, "FAULT_MODE": mode,
            "FAULT_CALL": "\(call)", "FAULT_ERRNO": "\(error)", "FAULT_LOG": log, "SWIFT_BACKTRACE": "enable=no",
        ]
        environment["FAULT_NAME"] = name
        // The library is for the program alone, not for the shell that starts it.
        let words = environment.map { "\($0.key)='\($0.value)'" }.sorted().joined(separator: " ")
        let outcome = ChildProcess.run([
            "/bin/sh", "-c",
            "\(words) exec '\(FuzzProgram.path)' hold '\(scene.path("s"))' full < '\(scene.path("commands"))'",
        ])
        let text = FileManager.default.contents(atPath: log).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return (outcome, text.split(separator: "\n").map(String.init))
    }

    /// A session that did not wait for the disk leaves files that a machine's failure takes, and with them what later
    /// sessions wrote to rest on them: the next session that waits brings all of them to the disk first.
    @Test(arguments: [false, true]) func aSessionThatDidNotWait(isClosed: Bool) async throws {
        let scene = try Scene()
        let shim = try Shim.build(in: URL(filePath: scene.path("shim")))
        let store = scene.path("s")
        let hasty = try Writer(store, in: .anotherProcess, durability: "off")
        try await hasty.succeed("save a", "load b", "asset c", "checkpoint", "save d", "load e")
        if isClosed { try await hasty.succeed("close") }
        hasty.end()
        let parts = try ["segments", "assets"].flatMap { part in
            try FileManager.default.contentsOfDirectory(atPath: store + "/" + part).map { "\(store)/\(part)/\($0)" }
        }
        // What cannot be brought to the disk is promised to nobody.
        let failed = try run(scene, shim, ["save f"], mode: "fail", name: "fsync")
        #expect(failed.outcome.lines.first?.hasPrefix("failed") == true, "\(failed)")
        let opened = try run(scene, shim, [], mode: "list", name: "fsync")
        let synced = Set(opened.calls.compactMap { $0.split(separator: " ", maxSplits: 2).last.map(String.init) })
        let expected = Set(parts + [store, store + "/segments", store + "/assets", store + "/data.mdb"])
        #expect(parts.count >= 3 && synced.isSuperset(of: expected), "\(expected.subtracting(synced))")
        // Once is enough.
        let again = try run(scene, shim, [], mode: "list", name: "fsync")
        #expect(again.calls.filter { $0.contains("/segments/") } == [], "\(again.calls)")
        #expect(try await scene.records(of: "s").isSuperset(of: ["a", "b-0", "asset-c", "d", "e-0"]))
    }

    /// Only what is said not to be there is absent: no store is made over one that cannot be looked at.
    @Test func aLookThatFails() async throws {
        let scene = try Scene()
        let shim = try Shim.build(in: URL(filePath: scene.path("shim")))
        let writer = try Writer(scene.path("original"), in: .anotherProcess)
        for number in 0..<20 { try await writer.succeed("save \(number)") }
        // All is in the log.
        writer.end()
        let saved = Set((0..<20).map { "\($0)" })
        var call = 1
        while true {
            try? scene.remove("s")
            try FileManager.default.copyItem(atPath: scene.path("original"), toPath: scene.path("s"))
            // Errors take turns, which is another turn for each mode.
            let (outcome, calls) = try run(
                scene, shim, ["save x"], kind: "look", mode: call % 2 == 0 ? "on" : "fail", call: call,
                error: Self.errors[call % Self.errors.count])
            let place = "call \(call), \(calls), \(outcome.lines)"
            #expect(outcome.status == 0, "\(place)")
            let found = try await scene.records(of: "s")
            #expect(found.isSuperset(of: saved), "\(place)")
            #expect(!outcome.lines.contains("ok") || found.contains("x"), "\(place)")
            if calls.isEmpty { break }
            call += 1
        }
        #expect(call > 10)
    }

    /// Some file systems have no links: files get their names by renaming, and none takes the place of another.
    @Test(arguments: [EPERM, EOPNOTSUPP, ENOSYS, EMLINK]) func aDiskWithoutLinks(_ error: Int32) async throws {
        let scene = try Scene()
        let shim = try Shim.build(in: URL(filePath: scene.path("shim")))
        let commands = ["save a", "load b", "asset c", "checkpoint", "save d", "compact", "save e"]
        let (outcome, calls) = try run(scene, shim, commands, mode: "on", name: "linkat", error: error)
        #expect(!calls.isEmpty && outcome.status == 0, "\(outcome)")
        #expect(outcome.lines == ["open"] + commands.map { _ in "ok" }, "\(outcome)")
        #expect(try await scene.records(of: "s").isSuperset(of: ["a", "b-0", "asset-c", "d", "e"]))
    }

    /// Some file systems reserve no room: LMDB's list of readers gets what it takes when it is written.
    @Test(arguments: [EOPNOTSUPP, EINVAL, ENODEV, ENOSYS]) func aDiskThatReservesNoRoom(_ error: Int32) async throws {
        let scene = try Scene()
        let shim = try Shim.build(in: URL(filePath: scene.path("shim")))
        let commands = ["save a", "compact", "save b"]
        let (outcome, calls) = try run(scene, shim, commands, mode: "on", name: "fallocate", error: error)
        #expect(!calls.isEmpty && outcome.status == 0, "\(outcome)")
        #expect(outcome.lines == ["open"] + commands.map { _ in "ok" }, "\(outcome)")
        #expect(try await scene.records(of: "s") == ["a", "b"])
    }

    /// Where folders cannot be locked, tables are read and changed, and not replaced: that is told at once.
    @Test func aDiskThatLocksNoFolders() async throws {
        let scene = try Scene()
        let shim = try Shim.build(in: URL(filePath: scene.path("shim")))
        let (outcome, calls) = try run(
            scene, shim, ["save a", "compact", "save b"], kind: "lock", mode: "on", error: ENOLCK)
        #expect(!calls.isEmpty && outcome.status == 0, "\(outcome)")
        try #require(outcome.lines.count == 4, "\(outcome)")
        #expect(outcome.lines[1] == "ok" && outcome.lines[3] == "ok", "\(outcome)")
        #expect(outcome.lines[2].hasPrefix("failed") && outcome.lines[2].contains("cannot lock the folder"))
        #expect(try await scene.records(of: "s") == ["a", "b"])
    }

    /// Savers share waits for the disk: those whose wait fails are told so, and what others were told is there.
    @Test func aSyncThatFailsFailsItsGroup() async throws {
        let scene = try Scene()
        let shim = try Shim.build(in: URL(filePath: scene.path("shim")))
        try await Writer(scene.path("original"), in: .anotherProcess).succeed("save a", "close")
        var (call, failed, most) = (1, 0, 0)
        while true {
            try? scene.remove("s")
            try FileManager.default.copyItem(atPath: scene.path("original"), toPath: scene.path("s"))
            let (outcome, calls) = try run(
                scene, shim, ["group g", "save b"], mode: "fail", name: "fdatasync", call: call)
            #expect(outcome.status == 0, "\(outcome)")
            let group = outcome.lines.first { $0.hasPrefix("ok g") || $0 == "ok" } ?? ""
            var expected = Set(group.split(separator: " ").dropFirst().map(String.init))
            most = max(most, 16 - expected.count)
            if expected.count < 16 { failed += 1 }
            if outcome.lines.last == "ok" { expected.insert("b") }
            #expect(try await scene.records(of: "s") == expected.union(["a"]), "call \(call): \(outcome.lines)")
            if calls.isEmpty { break }
            call += 1
        }
        // The first save of the group begins alone; those that came meanwhile wait together.
        #expect(failed > 0 && most > 1, "\(call) calls, \(failed) failed, \(most) saves at most")
    }

    /// A copy that is interrupted is no store, and opening it for writing does not make one of it.
    @Test func aBackupThatIsInterrupted() async throws {
        let scene = try Scene()
        let shim = try Shim.build(in: URL(filePath: scene.path("shim")))
        let writer = try Writer(scene.path("s"), in: .anotherProcess)
        for number in 0..<20 { try await writer.succeed("save \(number)") }
        try await writer.succeed("asset y")
        writer.end()
        let saved = Set((0..<20).map { "\($0)" } + ["asset-y"])
        var (call, rejections) = (1, 0)
        while true {
            try? scene.remove("copy")
            let (outcome, calls) = try run(
                scene, shim, ["backup \(scene.path("copy"))"], folder: "copy", mode: "kill", call: call)
            #expect(outcome.isKilled != calls.isEmpty, "\(call): \(outcome)")
            if calls.isEmpty { break }
            call += 1
            // A folder in which nothing was made yet is any empty folder.
            let parts = (try? FileManager.default.contentsOfDirectory(atPath: scene.path("copy"))) ?? []
            if parts.isEmpty { continue }
            do {
                let opened = try Container(identifier: nil, storedAt: URL(filePath: scene.path("copy")))
                opened.close()
                #expect(try await scene.records(of: "copy") == saved, "\(calls)")
            } catch let error as DatabaseError {
                rejections += 1
                #expect(error.code == .invalidArguments && error.reason.contains("interrupted"), "\(calls): \(error)")
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: scene.path("copy")).sorted() == parts.sorted())
            }
        }
        #expect(rejections >= 5, "\(rejections) of \(call)")
        #expect(try await scene.records(of: "copy") == saved)
    }
}
