// Writers whose store was closed, or whose folder was moved, replaced or restored beneath them: not one file of the
// folder that is not theirs any more changes.

import Foundation
import RecordDatabase
import Testing
import _TestSupport

@testable import Campaigns

/// Where a writer runs.
enum Place: String, CaseIterable {
    case thisProcess
    case anotherProcess
}

/// A writer of a store that does what it is told.
final class Writer {
    private enum Form {
        case held(HeldStore)
        case process(ChildProcess, input: Int32, output: Int32)
    }

    private let form: Form
    private var rest: [UInt8] = []
    private var isEnded = false

    init(_ folder: String, in place: Place, durability: String = "full", environment: [String: String] = [:]) throws {
        guard place == .anotherProcess else {
            form = .held(try HeldStore(folder))
            return
        }
        let (input, output) = (try #require(ChildProcess.pipe()), try #require(ChildProcess.pipe()))
        let process = ChildProcess.start(
            [FuzzProgram.path, "hold", folder, durability], environment: environment,
            descriptors: [0: input.reading, 1: output.writing])
        for end in [input.reading, output.writing] { close(end) }
        form = .process(try #require(process), input: input.writing, output: output.reading)
        try #require(line() == "open")
    }

    deinit { end() }

    /// Ends a process without closing its store, as the end of its input does.
    func end() {
        guard case .process(let process, let input, let output) = form, !isEnded else { return }
        isEnded = true
        for end in [input, output] { close(end) }
        _ = process.wait()
    }

    private func line() throws -> String {
        guard case .process(_, _, let output) = form else { return "" }
        while true {
            if let end = rest.firstIndex(of: 10) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            rest += try #require(ChildProcess.read(output), "the process ended")
        }
    }

    func perform(_ command: String) async throws -> String {
        switch form {
        case .held(let store): return await store.perform(command)
        case .process(_, let input, _):
            let bytes = Array((command + "\n").utf8)
            try #require(write(input, bytes, bytes.count) == bytes.count, "the process ended")
            return try line()
        }
    }

    /// Does what has to succeed.
    func succeed(_ commands: String...) async throws {
        for command in commands {
            let result = try await perform(command)
            try #require(result.hasPrefix("ok"), "\(command): \(result)")
        }
    }

    /// Does all that changes a store, none of which may succeed.
    func failAll(_ situation: String) async throws {
        for command in HeldStore.changes + ["backup \(FileManager.default.temporaryDirectory.path)/never"] {
            let result = try await perform(command)
            // With no outdated index there is nothing to be written, and a sweep says how much it removed.
            if command == "reindex" { continue }
            #expect(result.hasPrefix("failed") || result == "ok 0", "\(situation), \(command): \(result)")
        }
    }
}

/// A folder with stores in it.
struct Scene: ~Copyable {
    private let root = FileManager.default.temporaryDirectory.appending(path: "held-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: root) }

    func path(_ name: String) -> String { root.appending(path: name).path }

    func move(_ name: String, to target: String) throws {
        try FileManager.default.moveItem(atPath: path(name), toPath: path(target))
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    /// All files of a folder with their bytes and their places on the disk; not the list of readers, which whoever
    /// looks at the store writes.
    func files(of name: String) throws -> [String: String] {
        var files: [String: String] = [:]
        for file in try FileManager.default.subpathsOfDirectory(atPath: path(name)) where file != "lock.mdb" {
            let path = path(name) + "/" + file
            let number = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int ?? 0
            files[file] = "\(number) \(FileManager.default.contents(atPath: path)?.base64EncodedString() ?? "folder")"
        }
        return files
    }

    /// The names of the records of a store that is whole.
    func records(of name: String) async throws -> Set<String> {
        let url = URL(filePath: path(name))
        #expect(try Container.verify(storedAt: url) == [])
        let reader = try Container(identifier: nil, storedAt: url, options: StorageOptions(mode: .readOnly))
        defer { reader.close() }
        var names: Set<String> = []
        for type in ["T", "A"] {
            let found = try? await reader.privateDatabase.recordPage(
                matching: Query(recordType: type, predicate: "TRUEPREDICATE"), in: .all, resultsLimit: 100_000)
            for (id, _) in found?.matchResults ?? [] { names.insert(id.recordName) }
        }
        return names
    }
}

@Suite(.waits, .requires("predicate-fuzz", FuzzProgram.isThere))
struct HeldStoreTests {
    private static let loaded = Set((0..<200).map { "x-\($0)" })

    /// A process that runs on, and only closes, leaves the backup that was put in its store's place as it is.
    @Test(arguments: Place.allCases) func aBackupInTheStoresPlace(_ place: Place) async throws {
        let scene = try Scene()
        let old = try Writer(scene.path("s"), in: place)
        try await old.succeed(
            "save a", "load b", "checkpoint", "save c", "backup \(scene.path("b"))", "save d", "load e")
        try scene.move("s", to: "gone")
        try scene.move("b", to: "s")
        let files = try scene.files(of: "s")
        try await old.succeed("close")
        old.end()
        #expect(try scene.files(of: "s") == files)
        let records = try await scene.records(of: "s")
        #expect(records.isSuperset(of: ["a", "b-7", "c"]) && !records.contains("d"))
        #expect(try await scene.records(of: "gone").isSuperset(of: ["a", "b-7", "c", "d", "e-7"]))
    }

    /// Whatever a writer is asked for, it leaves the store alone that another writer has at its path; back at its place
    /// it goes on.
    @Test(arguments: Place.allCases) func anotherStoreAtThePath(_ place: Place) async throws {
        let scene = try Scene()
        let old = try Writer(scene.path("s"), in: place)
        try await old.succeed("save a", "load b", "checkpoint", "asset c", "save d")
        try scene.move("s", to: "mine")
        try await old.failAll("nothing at the path")
        let other = try Writer(scene.path("s"), in: place)
        for name in ["1", "2"] {
            try await other.succeed("save \(name)", "load m\(name)", "asset \(name)", "checkpoint")
        }
        let files = try scene.files(of: "s")
        try await old.failAll("another store at the path")
        #expect(try scene.files(of: "s") == files)
        try await other.succeed("save 3", "checkpoint", "compact", "close")
        other.end()
        #expect(try await scene.records(of: "s").isSuperset(of: ["1", "2", "3", "m1-199", "m2-0", "asset-2"]))
        try scene.move("s", to: "other")
        try scene.move("mine", to: "s")
        try await old.succeed("save e", "load f", "asset g", "checkpoint", "compact", "sweep", "save h", "close")
        old.end()
        let expected: Set = ["a", "b-0", "asset-c", "d", "e", "f-199", "asset-g", "h"]
        #expect(try await scene.records(of: "s").isSuperset(of: expected))
        #expect(try await scene.records(of: "other").count == 2 * 202 + 1)
    }

    @Test(arguments: Place.allCases) func aStoreThatWasClosed(_ place: Place) async throws {
        let scene = try Scene()
        let old = try Writer(scene.path("s"), in: place)
        try await old.succeed("save a", "load b", "close")
        let next = try Writer(scene.path("s"), in: place)
        try await next.succeed("save c", "load d", "asset e", "checkpoint", "save f")
        let files = try scene.files(of: "s")
        try await old.failAll("closed")
        old.end()
        #expect(try scene.files(of: "s") == files)
        try await next.succeed("save g", "compact", "close")
        next.end()
        #expect(
            try await scene.records(of: "s").isSuperset(of: ["a", "b-1", "c", "d-1", "asset-e", "f", "g"]))
    }

    /// Parts of the folder that somebody puts in place of its own are not written either.
    @Test(arguments: ["segments", "assets", "data.mdb", "writer.lock"])
    func aPartThatWasReplaced(_ part: String) async throws {
        let scene = try Scene()
        let writer = try Writer(scene.path("s"), in: .thisProcess)
        try await writer.succeed("save a", "load b", "asset c", "checkpoint", "save d")
        try FileManager.default.copyItem(atPath: scene.path("s/\(part)"), toPath: scene.path("copy"))
        try scene.move("s/\(part)", to: "own")
        try scene.move("copy", to: "s/\(part)")
        let files = try scene.files(of: "s")
        for command in ["load x", "checkpoint", "compact", "sweep", "asset x"] {
            // A new asset is of no harm to tables that somebody else wrote.
            if part == "data.mdb", command == "asset x" { continue }
            let result = try await writer.perform(command)
            #expect(result.hasPrefix("failed") || result == "ok 0", "\(command): \(result)")
        }
        #expect(try scene.files(of: "s") == files)
        try scene.move("s/\(part)", to: "copy")
        try scene.move("own", to: "s/\(part)")
        try await writer.succeed("load e", "asset f", "compact", "close")
        #expect(try await scene.records(of: "s").isSuperset(of: ["a", "b-0", "asset-c", "d", "e-0", "asset-f"]))
    }

    /// Without its lock, or with another one, a store lets a second writer in: what either was told is stored, is
    /// stored.
    @Test(arguments: Place.allCases, [false, true])
    func aLockThatWasRemoved(_ place: Place, isReplaced: Bool) async throws {
        let scene = try Scene()
        let old = try Writer(scene.path("s"), in: place)
        try await old.succeed("save a", "load b")
        try scene.remove("s/writer.lock")
        if isReplaced { try Data().write(to: URL(filePath: scene.path("s/writer.lock"))) }
        let next = try Writer(scene.path("s"), in: .anotherProcess)
        try await next.succeed("save c")
        let rejected = try await old.perform("save x")
        #expect(rejected.hasPrefix("failed") && rejected.contains("lock of the store"), "\(rejected)")
        try await old.failAll("another writer")
        try await next.succeed("save d", "load e")
        try await old.succeed("close")
        old.end()
        try await next.succeed("save f", "close")
        next.end()
        #expect(try await scene.records(of: "s").isSuperset(of: ["a", "b-9", "c", "d", "e-9", "f"]))
    }

    /// Should both have the same lock again, the log itself tells the first that there was another writer, also one
    /// that has only opened the store.
    @Test(arguments: [true, false])
    func aLockThatWasRemovedAndPutBack(hasWritten: Bool) async throws {
        let scene = try Scene()
        try await Writer(scene.path("s"), in: .thisProcess).succeed("save a", "close")
        let old = try Writer(scene.path("s"), in: .thisProcess)
        if hasWritten { try await old.succeed("save c") }
        try scene.move("s/writer.lock", to: "lock")
        let next = try Writer(scene.path("s"), in: .anotherProcess)
        try await next.succeed("save b")
        try scene.remove("s/writer.lock")
        try scene.move("lock", to: "s/writer.lock")
        let rejected = try await old.perform("save x")
        #expect(rejected.contains("another process wrote the store"), "\(rejected)")
        #expect(try await old.perform("checkpoint").hasPrefix("failed"))
        try await old.succeed("close")
        next.end()
        #expect(try await scene.records(of: "s") == (hasWritten ? ["a", "b", "c"] : ["a", "b"]))
    }
}
