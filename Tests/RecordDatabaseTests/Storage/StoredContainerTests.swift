// Containers in folders: opening, one writer, readers, and what may be wrong with a folder.

import Foundation
import Synchronization
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite struct StoredContainerTests {
    private func open(
        _ folder: TemporaryFolder, _ mode: StorageOptions.Mode = .readWrite, identifier: String = "test",
        durability: StorageOptions.Durability = .full
    ) throws -> Container {
        try Container(
            identifier: identifier, storedAt: folder.url, options: StorageOptions(mode: mode, durability: durability))
    }

    @Test(arguments: [StorageOptions.Durability.full, .normal, .off])
    func whatWasSavedIsThereAgain(_ durability: StorageOptions.Durability) async throws {
        let folder = TemporaryFolder()
        var container = try open(folder, durability: durability)
        for number in 0..<3 {
            let records = (0..<100).map { record("r\(number)-\($0)", ["n": .int64($0), "t": .string("text \($0)")]) }
            _ = try await container.privateDatabase.modifyRecords(saving: records, deleting: [])
            let contents = container.client.store.contents
            container.close()
            container = try open(folder, durability: durability)
            #expect(container.client.store.contents == contents)
        }
        let found = try await container.privateDatabase.recordPage(
            matching: Query(recordType: "T", predicate: "n == \(7) AND t == \("text 7")"), in: .default)
        #expect(found.matchResults.count == 3)
    }

    @Test func thereIsOneWriter() async throws {
        let folder = TemporaryFolder()
        let first = try open(folder)
        try await first.privateDatabase.put(record("a"))
        let error = await fails(.serviceUnavailable) { try open(folder) }
        #expect(error?.reason.contains("this process has the store open for writing") == true)
        #expect(error?.hint == "close it there, or open the store for reading only")
        let reader = try open(folder, .readOnly)
        #expect(await reader.privateDatabase.has("a"))
        try await first.privateDatabase.put(record("b"))
        // A reader sees the store as it was when it was opened.
        #expect(await !reader.privateDatabase.has("b"))
        #expect(try await open(folder, .readOnly).privateDatabase.has("b"))
        await fails(.permissionFailure) { try await reader.privateDatabase.save(record("c")) }
        await fails(.permissionFailure) { try reader.setSchema(ContainerSchema(recordTypes: ["T": .init()])) }
        await fails(.permissionFailure) { try reader.setRoles(["a"], ofUser: "_b") }
        #expect(await !reader.privateDatabase.has("c"))
        first.close()
        first.close()
        #expect(try await open(folder).privateDatabase.has("b"))
    }

    /// A program that is started meanwhile would keep the disk busy and the store locked.
    @Test(arguments: [StorageOptions.Mode.readWrite, .readOnly])
    func programsThatAreStartedGetNoFileOfAStore(_ mode: StorageOptions.Mode) async throws {
        let folder = TemporaryFolder()
        let writer = try open(folder)
        try await writer.privateDatabase.put(record("a"))
        try await writer.checkpoint()
        if mode == .readOnly { writer.close() }
        let container = mode == .readOnly ? try open(folder, mode) : writer
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        let own = files.filter { file in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file)")
            return path?.contains(folder.url.lastPathComponent) == true
        }
        #expect(!own.isEmpty)
        for file in own { #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0) }
        container.close()
    }

    @Test func aStoreIsOfOneContainer() async throws {
        let folder = TemporaryFolder()
        try open(folder).close()
        await fails(.invalidArguments) { try open(folder, identifier: "other") }
    }

    @Test func foldersThatAreNoStores() async throws {
        let missing = TemporaryFolder()
        await fails(.serviceUnavailable) { try open(missing, .readOnly) }
        #expect(!FileManager.default.fileExists(atPath: missing.path))
        let other = TemporaryFolder()
        try FileManager.default.createDirectory(at: other.url, withIntermediateDirectories: true)
        await fails(.invalidArguments) { try open(other, .readOnly) }
        try Data("x".utf8).write(to: other.url.appending(path: "notes.txt"))
        let error = await fails(.invalidArguments) { try open(other) }
        #expect(error?.reason.contains("notes.txt") == true)
        let file = TemporaryFolder()
        try Data("x".utf8).write(to: file.url)
        await fails(.invalidArguments) { try open(file) }
        await fails(.invalidArguments) { try open(file, .readOnly) }
        let garbage = TemporaryFolder()
        try FileManager.default.createDirectory(at: garbage.url, withIntermediateDirectories: true)
        try Data((0..<20000).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(
            to: garbage.url.appending(path: "data.mdb"))
        await fails(.invalidArguments) { try open(garbage) }
    }

    @Test func aFolderThatIsRemovedWhileItIsOpen() async throws {
        let folder = TemporaryFolder()
        let container = try open(folder)
        try await container.privateDatabase.put(record("a"))
        try FileManager.default.removeItem(at: folder.url)
        let error = await fails(.serviceUnavailable) { try await container.privateDatabase.save(record("b")) }
        #expect(error?.reason.contains("removed") == true)
        // What was read before can be read on, and nothing of what failed is there.
        #expect(await container.privateDatabase.has("a"))
        #expect(await !container.privateDatabase.has("b"))
    }
}

@Suite(.waits) struct StoredStateTests {
    private func open(_ folder: URL, checkpointing bytes: Int = 1 << 24) throws -> Container {
        var options = StorageOptions()
        options.checkpointByteCount = bytes
        return try Container(identifier: "test", storedAt: folder, options: options)
    }

    /// Batches of saves, changes and deletions in two databases, with a state written after some of them.
    private func fill(_ container: Container, batches: Int, seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        try await container.privateDatabase.save(RecordZone(id: RecordZone.ID("Z")))
        for number in 0..<batches {
            let zone = number % 3 == 0 ? RecordZone.ID("Z") : .default
            let names = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
                "r\(Int.random(in: 0..<200, using: &generator))"
            }
            let records = Set(names).map {
                record($0, in: zone, ["n": .int64(Int64(number)), "t": .string("batch \(number) of \($0)")])
            }
            let database = number % 3 == 1 ? container.publicDatabase : container.privateDatabase
            let gone = Set((0..<8).map { _ in "r\(Int.random(in: 0..<200, using: &generator))" }).subtracting(names)
            _ = try await database.modifyRecords(
                saving: records, deleting: gone.map { Record.ID($0, zoneID: zone) }, savePolicy: .allKeys)
            if number % 7 == 6 { try await container.checkpoint() }
        }
    }

    @Test(arguments: [1 << 12, 1 << 24])
    func stateAndLogTogetherAreAll(_ checkpointByteCount: Int) async throws {
        let folder = TemporaryFolder()
        var container = try open(folder.url, checkpointing: checkpointByteCount)
        for round in 0..<4 {
            try await fill(container, batches: 15, seed: UInt64(round))
            let contents = container.client.store.contents
            let reader = try Container(
                identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly))
            #expect(reader.client.store.contents == contents)
            if round == 2 { try await container.compact() }
            container.close()
            container = try open(folder.url, checkpointing: checkpointByteCount)
            #expect(container.client.store.contents == contents)
        }
        container.close()
        #expect(try Container.verify(storedAt: folder.url) == [])
        let statistics = try await open(folder.url).storageStatistics()
        #expect(statistics.recordCount > 300)
        #expect(statistics.logChanges == 0)
        #expect(statistics.segmentFiles > 0)
    }

    private func size(of folder: TemporaryFolder) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: folder.path + "/data.mdb")[.size] as? Int ?? 0
    }

    @Test func compactingGivesBackTheRoomOfTheTables() async throws {
        let folder = TemporaryFolder()
        var container = try open(folder.url, checkpointing: 1 << 22)
        try await fill(container, batches: 30, seed: 3)
        let large = record("large", ["t": .string(String(repeating: "text ", count: 100_000))])
        try await container.privateDatabase.save(large)
        let before = try size(of: folder)
        let reader = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly))
        let contents = container.client.store.contents
        try await container.compact()
        let after = try size(of: folder)
        #expect(after < before / 4 && after < 100_000, "\(before) bytes before, \(after) after")
        #expect(try await container.storageStatistics().tableBytes <= after)
        // Who had the store open has it as it was, and who opens it now has it as it is.
        #expect(reader.client.store.contents == contents)
        try await container.privateDatabase.put(record("later", ["n": 1]))
        let second = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly))
        #expect(second.client.store.contents == container.client.store.contents)
        try await container.compact()
        let last = container.client.store.contents
        container.close()
        // What a process that was killed on the way left is removed.
        let leftover = folder.url.appending(path: "segments/data.mdb")
        try Data("half of a file".utf8).write(to: leftover)
        container = try open(folder.url)
        #expect(!FileManager.default.fileExists(atPath: leftover.path))
        #expect(container.client.store.contents == last)
        container.close()
        #expect(try Container.verify(storedAt: folder.url) == [])
    }

    /// A store whose indexes of text were made with another version of ICU and Unicode.
    private func outdatedStore(_ folder: TemporaryFolder) async throws {
        var options = StorageOptions()
        options.textVersion = "ICU 1, Unicode 1"
        let container = try Container(identifier: "test", storedAt: folder.url, options: options)
        let words = ["été", "Ete", "zoo", "straße", "Strasse"]
        let records = (0..<800).map {
            record("r\($0)", ["t": .string("\(words[$0 % 5]) \($0)"), "n": .int64(Int64($0))])
        }
        _ = try await container.privateDatabase.modifyRecords(saving: Array(records[..<400]), deleting: [])
        _ = try await container.privateDatabase.modifyRecords(saving: Array(records[400...]), deleting: [])
        for predicate in Self.queries { _ = try await count(predicate, in: container) }
        container.close()
    }

    private static let queries: [RecordPredicate] = [
        "t BEGINSWITH[cd] 'ete'", "t TOKENMATCHES[cd] 'STRASSE'", "n < 100", "t > 'straße 5'",
    ]

    private func count(_ predicate: RecordPredicate, in container: Container) async throws -> Int {
        try await container.privateDatabase.recordPage(
            matching: Query("T", predicate), in: .default, resultsLimit: 1000
        )
        .matchResults.count
    }

    @Test func indexesOfAnotherICUAreRebuiltOnOpening() async throws {
        let folder = TemporaryFolder()
        try await outdatedStore(folder)
        var expected: [Int] = []
        do {
            // A reader does not use them, and answers rightly.
            let reader = try Container(
                identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly))
            #expect(reader.outdatedTextIndexCount > 0)
            for predicate in Self.queries { expected.append(try await count(predicate, in: reader)) }
            #expect(expected == [320, 320, 100, 391])
        }
        var steps: [(done: Int, count: Int)] = []
        let writer = try Container(identifier: "test", storedAt: folder.url) { steps.append(($0, $1)) }
        #expect(writer.outdatedTextIndexCount == 0)
        // They are written at once: who opens the store beside the writer finds them.
        let beside = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly))
        #expect(beside.outdatedTextIndexCount == 0)
        #expect(!steps.isEmpty && steps.map(\.done) == Array(1...steps.count))
        #expect(steps.allSatisfy { $0.count == steps.count })
        for (predicate, expected) in zip(Self.queries, expected) {
            #expect(try await count(predicate, in: writer) == expected)
        }
        writer.close()
        // They were written: the next one finds them.
        var again = 0
        let next = try Container(identifier: "test", storedAt: folder.url) { _, _ in again += 1 }
        #expect(again == 0 && next.outdatedTextIndexCount == 0)
        next.close()
        #expect(try Container.verify(storedAt: folder.url) == [])
    }

    @Test func aCopyTakenWhileOthersWriteIsWhole() async throws {
        let folder = TemporaryFolder()
        let container = try open(folder.url, checkpointing: 1 << 13)
        try await container.privateDatabase.put(record("count", ["n": 0, "sum": 0]))
        let writer = BackgroundLoop(pause: 0.001) { round in
            let records = [record("count", ["n": .int64(Int64(round))]), record("r\(round)", ["n": 1])]
            _ = try container.privateDatabase.modify(ModifyRequest(saves: records, policy: .allKeys))
        }
        var copies: [TemporaryFolder] = []
        // Copies during which commits began and ended.
        var overlaps = 0
        while overlaps < 3, copies.count < 30 {
            try await Task.sleep(for: .milliseconds(10))
            let copy = TemporaryFolder()
            let before = writer.rounds
            try await container.backUp(to: copy.url)
            if writer.rounds > before + 1 { overlaps += 1 }
            copies.append(copy)
        }
        let rounds = try await writer.stop()
        #expect(overlaps == 3, "\(copies.count) copies, \(rounds) commits")
        for copy in copies {
            let opened = try open(copy.url)
            let count = try await opened.privateDatabase.record(for: Record.ID("count"))
            guard case .int64(let number) = count["n"] else {
                Issue.record("no count")
                continue
            }
            let others = try await opened.privateDatabase.recordPage(
                matching: Query("T", "n == 1 AND recordName != \("count")"), in: .default, resultsLimit: 1_000_000)
            #expect(others.matchResults.count == Int(number))
            opened.close()
            #expect(try Container.verify(storedAt: copy.url) == [])
        }
        await fails(.invalidArguments) { try await container.backUp(to: copies[0].url) }
    }

    /// They are refused, and the files of records left as they are.
    @Test func compactedTablesThatAreCutAreDamaged() async throws {
        let folder = TemporaryFolder()
        let container = try open(folder.url)
        try await container.privateDatabase.put(record("r", ["n": 1]))
        try await container.compact()
        container.close()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/segments")
        let tables = folder.url.path + "/data.mdb"
        #expect(truncate(tables, off_t(sysconf(Int32(_SC_PAGESIZE)))) == 0)
        for _ in 0..<2 { await fails(.internalError) { try open(folder.url) } }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/segments") == files)
    }

    @Test func savesGoOnWhileTheStoreIsCompacted() async throws {
        let folder = TemporaryFolder()
        let container = try open(folder.url)
        let writer = BackgroundLoop(pause: 0.005) { round in
            _ = try container.privateDatabase.modify(
                ModifyRequest(saves: [record("r\(round)", ["n": .int64(Int64(round))])]))
        }
        for _ in 0..<5 {
            let before = writer.rounds
            try await container.compact()
            while writer.rounds == before, !writer.isEnded { try await Task.sleep(for: .milliseconds(1)) }
        }
        let saved = try await writer.stop()
        container.close()
        let found = try await open(folder.url).privateDatabase.recordPage(
            matching: Query("T", "n >= 0"), in: .default, resultsLimit: .max)
        #expect(saved > 0 && found.matchResults.count == saved)
    }

    /// Files of loads that merges have replaced do not wait for the log to become long.
    @Test func filesOfLoadsAreTidiedUp() async throws {
        let folder = TemporaryFolder()
        let container = try open(folder.url, checkpointing: 1 << 12)
        let set = try RecordSet(records: (0..<4000).map { record("r\($0)", ["n": .int64(Int64($0))]) })
        for start in stride(from: 0, to: 4000, by: 40) {
            _ = try container.privateDatabase.load(start..<start + 40, of: set)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/segments")
        #expect(files.count < 50)
        container.close()
        #expect(try Container.verify(storedAt: folder.url) == [])
    }

    @Test func assetsFollowTheirStore() async throws {
        let (folder, copy) = (TemporaryFolder(), TemporaryFolder())
        let file = TemporaryFolder()
        try Data("bytes of an asset".utf8).write(to: file.url)
        let container = try open(folder.url)
        for number in 0..<2 {
            var saved = record("a\(number)")
            saved["file"] = .asset(try Asset(fileURL: file.url))
            try await container.privateDatabase.put(saved)
            // The first is in a file of records, the second in the log.
            if number == 0 { try await container.checkpoint() }
        }
        try await container.backUp(to: copy.url)
        container.close()
        try FileManager.default.removeItem(at: folder.url)
        let moved = try open(copy.url)
        for number in 0..<2 {
            let record = try await moved.privateDatabase.record(for: Record.ID("a\(number)"))
            guard case .asset(let asset)? = record["file"] as FieldValue?, let url = asset.fileURL else {
                Issue.record("no asset")
                continue
            }
            #expect(url.path.hasPrefix(copy.path))
            #expect(try Data(contentsOf: url) == Data("bytes of an asset".utf8))
        }
        #expect(await moved.removeUnusedAssets() == 0)
    }

    @Test func tasksOpenFoldersAndFiles() async throws {
        let folder = TemporaryFolder()
        let container = try await Container.open(identifier: "test", storedAt: folder.url)
        _ = try await container.privateDatabase.modifyRecords(saving: [record("a", ["n": 1])])
        container.close()
        let again = try await Container.open(identifier: nil, storedAt: folder.url)
        #expect(again.identifier == "test")
        #expect(try again.privateDatabase.snapshot().records(ofType: "T").count == 1)
        _ = try await again.privateDatabase.modifyRecords(deleting: [Record.ID("a")])
        again.close()
        await #expect(throws: DatabaseError.self) {
            try await Container.open(identifier: "other", storedAt: folder.url)
        }
        let file = TemporaryFolder()
        try Data("{\"n\": 1}\n{\"n\": 2}\n".utf8).write(to: file.url)
        #expect(try await RecordSet.load(contentsOf: file.url, file.url).count(matching: "n == 2") == 2)
        var options = LoadOptions()
        options.defaultType = "Peak"
        #expect(try await RecordSet.load(contentsOf: file.url, options: options).recordType(at: 1) == "Peak")
        let error = await #expect(throws: FileError.self) {
            try await RecordSet.load(contentsOf: URL(filePath: "/nowhere.ndjson"))
        }
        #expect(error != nil)
    }
}
