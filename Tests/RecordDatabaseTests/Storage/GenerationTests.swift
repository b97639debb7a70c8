// Change tokens and stores that went back: backups, copies, power cuts.

import Foundation
import Testing

@testable import RecordDatabase
@testable import RecordStorage

@Suite struct GenerationTests {
    private static let zone = RecordZone.ID("Z")

    private func open(
        _ folder: URL, _ durability: StorageOptions.Durability = .full, _ mode: StorageOptions.Mode = .readWrite
    ) throws -> Container {
        try Container(
            identifier: "test", storedAt: folder, options: StorageOptions(mode: mode, durability: durability))
    }

    /// A store with a zone and a record.
    private func makeStore(
        _ folder: URL, _ durability: StorageOptions.Durability = .full
    ) async throws -> Container {
        let container = try open(folder, durability)
        try await container.privateDatabase.save(RecordZone(id: Self.zone))
        try await container.privateDatabase.put(record("first", in: Self.zone))
        return container
    }

    private typealias Tokens = (zone: ChangeToken, database: ChangeToken)

    private func tokens(_ container: Container) async throws -> Tokens {
        let database = container.privateDatabase
        return (try database.changes(in: Self.zone).token, try await database.databaseChanges().changeToken)
    }

    private func expectExpired(
        _ tokens: Tokens, in container: Container, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let database = container.privateDatabase
        await fails(.changeTokenExpired, location) {
            try await database.recordZoneChanges(inZoneWith: Self.zone, since: recoded(tokens.zone))
        }
        await fails(.changeTokenExpired, location) {
            try await database.databaseChanges(since: recoded(tokens.database))
        }
    }

    private func expectValid(
        _ tokens: Tokens, in container: Container, _ entries: [String], _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let database = container.privateDatabase
        #expect(
            try database.changes(in: Self.zone, since: recoded(tokens.zone)).entries == entries,
            sourceLocation: location)
        _ = try await database.databaseChanges(since: recoded(tokens.database))
    }

    /// Ways in which a folder comes to hold an earlier moment of its store.
    enum Restore: CaseIterable, Sendable {
        /// A backup of the library in the place of the folder.
        case backup
        /// Its files over those of the store.
        case backupInPlace
        /// A copy of the closed folder in its place.
        case copy
        /// A copy of the tables alone under their name.
        case tables
    }

    private func restore(_ kept: URL, to folder: URL, _ way: Restore) throws {
        let files = FileManager.default
        switch way {
        case .backup, .copy:
            try files.removeItem(at: folder)
            try files.moveItem(at: kept, to: folder)
        case .backupInPlace:
            // Into the same file, as `cp` does.
            let handle = try FileHandle(forWritingTo: folder.appending(path: "data.mdb"))
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(contentsOf: kept.appending(path: "data.mdb")))
            try handle.close()
            for name in try files.contentsOfDirectory(atPath: kept.path + "/segments") {
                let place = folder.appending(path: "segments/\(name)")
                if files.fileExists(atPath: place.path) { try files.removeItem(at: place) }
                try files.copyItem(at: kept.appending(path: "segments/\(name)"), to: place)
            }
        case .tables:
            try files.removeItem(at: folder)
            try files.copyItem(at: kept, to: folder)
            try files.removeItem(at: folder.appending(path: "data.mdb"))
            try files.copyItem(at: kept.appending(path: "data.mdb"), to: folder.appending(path: "data.mdb"))
        }
    }

    /// Saves records, one of them in a database that the backup lacks, and gives their change tags.
    private func tagsOfSaves(_ container: Container) async throws -> [String] {
        let other = try Container(sharing: container, account: .user("_other"))
        defer { other.close() }
        var saved = try await container.privateDatabase.put(record("a", in: Self.zone), record("b", in: Self.zone))
        saved += try await container.publicDatabase.put(record("a"))
        saved += try await other.privateDatabase.put(record("a"))
        return try saved.map { try #require($0.recordChangeTag) }
    }

    /// Clients keep what they fetched under a tag: it must not come again with other contents, whether the store was
    /// opened and closed after the restore without a change, or restored twice from one backup.
    @Test(arguments: Restore.allCases, [0, 1])
    func tagsAreNotGivenAgainAfterARestore(_ way: Restore, openedBetween: Int) async throws {
        let (folder, kept) = (TemporaryFolder(), TemporaryFolder())
        var container = try await makeStore(folder.url)
        if way == .backup || way == .backupInPlace { try await container.backUp(to: kept.url) }
        container.close()
        if way == .copy || way == .tables { try FileManager.default.copyItem(at: folder.url, to: kept.url) }
        container = try open(folder.url)
        var given = Set(try await tagsOfSaves(container))
        container.close()
        for _ in 0..<2 {
            let copy = TemporaryFolder()
            try FileManager.default.copyItem(at: kept.url, to: copy.url)
            try restore(copy.url, to: folder.url, way)
            for _ in 0..<openedBetween { try open(folder.url).close() }
            container = try open(folder.url)
            let tags = try await tagsOfSaves(container)
            #expect(given.isDisjoint(with: tags), "\(tags)")
            given.formUnion(tags)
            container.close()
        }
    }

    /// Numbers of changes go up from one history to the next, whatever the clock says, and stay exact everywhere.
    @Test(arguments: [-1e12, 0, 1.7e9, 8e9, 1e12, .infinity, .nan] as [TimeInterval])
    func numbersGoUpFromHistoryToHistory(_ time: TimeInterval) throws {
        let folder = StoreFolder(path: "/nowhere")
        var known = StoreGeneration(of: folder, after: nil, date: Date(timeIntervalSince1970: 1.6e9))
        for _ in 0..<3 {
            let next = StoreGeneration(of: folder, after: known, date: Date(timeIntervalSince1970: time))
            let numbers = (try #require(known.lastForeignChange), try #require(next.lastForeignChange))
            #expect(numbers.1 > numbers.0)
            #expect(numbers.1 < 1 << 53)
            known = next
        }
    }

    @Test(arguments: Restore.allCases, [0, 3])
    func tokensExpireWhenABackupIsRestored(_ way: Restore, savedLater: Int) async throws {
        let (folder, kept) = (TemporaryFolder(), TemporaryFolder())
        var container = try await makeStore(folder.url)
        let before = try await tokens(container)
        if way == .backup || way == .backupInPlace {
            try await container.backUp(to: kept.url)
        } else {
            container.close()
            try FileManager.default.copyItem(at: folder.url, to: kept.url)
            container = try open(folder.url)
        }
        // The client sees two records that the backup does not have.
        try await container.privateDatabase.put(record("lost", in: Self.zone), record("gone", in: Self.zone))
        let seen = try await tokens(container)
        container.close()
        try restore(kept.url, to: folder.url, way)
        // Who only reads the backup gives no token that becomes another moment.
        do {
            let reader = try open(folder.url, .full, .readOnly)
            try await expectExpired(seen, in: reader)
            try await expectValid(before, in: reader, [])
        }
        container = try open(folder.url)
        for number in 0..<savedLater {
            try await container.privateDatabase.put(record("later\(number)", in: Self.zone))
        }
        try await expectExpired(seen, in: container)
        try await expectExpired(before, in: container)
        let fresh = try await tokens(container)
        container.close()
        // From here on it is a store like any other.
        container = try open(folder.url)
        try await container.privateDatabase.put(record("new", in: Self.zone))
        try await expectValid(fresh, in: container, ["+new"])
        container.close()
        #expect(try Container.verify(storedAt: folder.url) == [])
    }

    @Test(arguments: [StorageOptions.Durability.full, .normal, .off])
    func tokensLastAsLongAsTheStore(_ durability: StorageOptions.Durability) async throws {
        let (folder, moved, copy) = (TemporaryFolder(), TemporaryFolder(), TemporaryFolder())
        var container = try await makeStore(folder.url, durability)
        let first = try await tokens(container)
        container.close()
        for round in 0..<3 {
            container = try open(folder.url, [.full, .normal, .off][(round + 1) % 3])
            try await container.privateDatabase.put(record("r\(round)", in: Self.zone))
            if round == 1 { try await container.compact() }
            if round == 2 { try await container.backUp(to: copy.url) }
            container.close()
        }
        try FileManager.default.moveItem(at: folder.url, to: moved.url)
        container = try open(moved.url, durability)
        try await expectValid(first, in: container, ["+r0", "+r1", "+r2"])
        // A backup that was opened for writing goes a way of its own.
        let other = try open(copy.url)
        try await other.privateDatabase.put(record("other", in: Self.zone))
        try await expectExpired(first, in: other)
        try await expectExpired(try await tokens(other), in: container)
        container.close()
        other.close()
    }

    /// The files of a store as they were at a moment, into the same files: what a machine that failed leaves.
    private func failMachine(_ folder: URL, _ bytes: Data) throws {
        let handle = try FileHandle(forWritingTo: folder.appending(path: "data.mdb"))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    /// With `normal` and `off`, readers of changes may have been told of some that were lost.
    @Test(arguments: [StorageOptions.Durability.full, .normal, .off], [true, false])
    func tokensExpireAfterAPowerCut(_ durability: StorageOptions.Durability, losesSave: Bool) async throws {
        let folder = TemporaryFolder()
        var container = try await makeStore(folder.url, durability)
        let early = try await tokens(container)
        var bytes = try Data(contentsOf: folder.url.appending(path: "data.mdb"))
        try await container.privateDatabase.put(record("lost", in: Self.zone))
        let late = try await tokens(container)
        if !losesSave { bytes = try Data(contentsOf: folder.url.appending(path: "data.mdb")) }
        // Without the checkpoint of a store that is closed: its files are those of the moment.
        container.client.store.journal?.close()
        try failMachine(folder.url, bytes)
        container = try open(folder.url, durability)
        try await container.privateDatabase.put(record("other", in: Self.zone))
        if durability == .full {
            // Nothing is lost with `full`, whatever fails: the history goes on.
            if !losesSave { try await expectValid(late, in: container, ["+other"]) }
        } else {
            try await expectExpired(early, in: container)
            try await expectExpired(late, in: container)
        }
        let fresh = try await tokens(container)
        container.close()
        container = try open(folder.url)
        try await expectValid(fresh, in: container, [])
        container.close()
    }

    /// A container in memory begins anew with each process, under the same name.
    @Test func tokensOfAnotherContainerInMemory() async throws {
        var seen: [Tokens] = []
        for _ in 0..<3 {
            let container = try Container(identifier: "test")
            try await container.privateDatabase.save(RecordZone(id: Self.zone))
            for token in seen { try await expectExpired(token, in: container) }
            try await container.privateDatabase.put(record("r", in: Self.zone))
            for token in seen { try await expectExpired(token, in: container) }
            seen.append(try await tokens(container))
            try await expectValid(seen[seen.count - 1], in: container, [])
        }
    }

    /// A token as an older version coded it, and one whose moment has not come.
    @Test func tokensThatAreNotOfTheStore() async throws {
        let container = try Container(identifier: "test")
        try await container.privateDatabase.save(RecordZone(id: Self.zone))
        let token = try container.privateDatabase.changes(in: Self.zone).token
        let changes: [(inout [String: Any]) -> Void] = [
            { $0["incarnation"] = nil }, { ($0["incarnation"], $0["format"]) = (nil, 1) },
            { $0["incarnation"] = "another" }, { $0["position"] = 1000 }, { $0["position"] = Int64.max },
            { $0["deletionsAfter"] = 1000 },
        ]
        for change in changes {
            var fields = try #require(
                JSONSerialization.jsonObject(with: JSONEncoder().encode(token)) as? [String: Any])
            change(&fields)
            let old = try JSONDecoder().decode(
                ChangeToken.self, from: JSONSerialization.data(withJSONObject: fields))
            #expect(try recoded(old) == old && old != token)
            await fails(.changeTokenExpired) {
                try await container.privateDatabase.recordZoneChanges(inZoneWith: Self.zone, since: old)
            }
        }
        await fails(.incompatibleVersion) {
            var fields = try #require(
                JSONSerialization.jsonObject(with: JSONEncoder().encode(token)) as? [String: Any])
            fields["format"] = ChangeToken.currentFormat + 1
            return try JSONDecoder().decode(
                ChangeToken.self, from: JSONSerialization.data(withJSONObject: fields))
        }
    }

    /// Stores of the first form say nothing of their history.
    @Test func aStoreOfTheFirstForm() throws {
        let folder = TemporaryFolder()
        try open(folder.url).close()
        #expect(StoreMetadata.currentFormat == 2)
        let environment = try StorageEnvironment(reading: folder.path)
        let generation = try #require(try environment.metadata().generation)
        try open(folder.url).close()
        #expect(try environment.metadata().generation == generation)
        let bytes = Data(#"{"format":1,"identifier":"test","assetFolder":""}"#.utf8)
        let old = try JSONDecoder().decode(StoreMetadata.self, from: bytes)
        #expect(old.generation == nil && old.format == 1)
    }
}
