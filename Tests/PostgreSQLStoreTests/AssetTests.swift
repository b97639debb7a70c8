// Assets on a server: their bytes are there with the records that name them, for every process.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct AssetTests {
    /// Files in a folder that goes with this.
    private final class Files: Sendable {
        let folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")

        init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: folder) }

        func asset(_ bytes: Data) throws -> FieldValue {
            let url = folder.appending(path: UUID().uuidString)
            try bytes.write(to: url)
            return .asset(try Asset(fileURL: url))
        }
    }

    private static let zone = RecordZone.ID("Z")

    private static func bytes(_ record: Record, _ field: String = "file") throws -> Data {
        let asset: Asset = try #require(record[field])
        return try Data(contentsOf: #require(asset.fileURL))
    }

    private static func record(_ name: String, in zone: RecordZone.ID = .default, _ value: FieldValue) -> Record {
        Record(type: "T", id: Record.ID(name, zoneID: zone), fields: ["file": value])
    }

    /// Bytes of several parts, an exact number of them, one, and none.
    private static let contents = [(2 << 20) + 7, 2 << 20, 1, 0].map { count in
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
    }

    @Test func otherProcessesReadTheBytes() async throws {
        let (place, files) = (try ServerPlace(), try Files())
        let (first, second) = (try place.open(), try place.open())
        try await first.privateDatabase.save(RecordZone(id: Self.zone))
        for (number, bytes) in Self.contents.enumerated() {
            let saved = try await first.privateDatabase.save(
                Self.record("r\(number)", in: Self.zone, files.asset(bytes)))
            #expect(try Self.bytes(saved) == bytes)
        }
        #expect(try place.number("SELECT count(*) FROM asset") == 3 + 2 + 1 + 1)
        let database = second.privateDatabase
        let ids = Self.contents.indices.map { Record.ID("r\($0)", zoneID: Self.zone) }
        let narrow = try await database.records(for: ids, desiredKeys: [])
        #expect(narrow.count == ids.count)
        for (id, bytes) in zip(ids, Self.contents) {
            #expect(try Self.bytes(await database.record(for: id)) == bytes)
        }
        // Also through pages, changes and transactions of a process that has no file yet.
        let others = try (0..<3).map { _ in try place.open() }
        let third = others[0].privateDatabase
        let page = try await third.recordPage(matching: Query("T", sortedBy: [.ascending("recordName")]), in: .all)
        #expect(try page.matchResults.map { try Self.bytes($0.1.get()) } == Self.contents)
        let changes = try others[1].privateDatabase.zoneChanges(Self.zone, since: nil)
        #expect(try changes.modifications.map { try Self.bytes($0.result.get()) } == Self.contents)
        let read = try await others[2].privateDatabase.read { try Self.bytes($0.record(for: ids[0])) }
        #expect(read == Self.contents[0])
    }

    @Test func bytesGoWithTheLastRecord() async throws {
        let (place, files) = (try ServerPlace(), try Files())
        let container = try place.open()
        let (mine, everyones) = (container.privateDatabase, container.publicDatabase)
        func digests() throws -> Int64? { try place.number("SELECT count(DISTINCT digest) FROM asset") }
        let shared = Data("shared".utf8)
        try await mine.save(RecordZone(id: Self.zone))
        try await mine.save(Self.record("a", files.asset(shared)))
        try await everyones.save(Self.record("b", files.asset(shared)))
        try await mine.save(Self.record("c", in: Self.zone, files.asset(shared)))
        var own = try await mine.save(Self.record("d", in: Self.zone, files.asset(Data("own".utf8))))
        #expect(try digests() == 2)
        // Other fields of the record leave the bytes alone.
        own["other"] = 1
        own = try await mine.save(own)
        #expect(try digests() == 2 && Self.bytes(own) == Data("own".utf8))
        own["file"] = try files.asset(Data("new".utf8))
        own = try await mine.save(own)
        #expect(try digests() == 2)
        try await mine.deleteRecord(withID: Record.ID("a"))
        let other = try place.open()
        #expect(try await Self.bytes(other.publicDatabase.record(for: Record.ID("b"))) == shared)
        try await everyones.deleteRecord(withID: Record.ID("b"))
        #expect(try digests() == 2)
        try await mine.deleteRecordZone(withID: Self.zone)
        // The rest goes with the zone's rows, when somebody sweeps.
        #expect(try digests() == 2)
        try place.run("UPDATE asset SET made = now() - interval '61 minutes'")
        var told: [Swept] = []
        try Nodes(identifier: place.identifier, connectingTo: place.server.address).sweep { told.append($1) }
        #expect(told.map(\.records) == [2] && told.map(\.assets) == [2])
        #expect(try digests() == 0)
        #expect(try place.number("SELECT count(*) FROM asset_holder") == 0)
    }

    /// Also where the body of a transaction read the records.
    @Test func bytesGoWithRecordsOfTransactions() async throws {
        let (place, files) = (try ServerPlace(), try Files())
        let database = try place.open().privateDatabase
        try await database.save(RecordZone(id: Self.zone))
        for (name, text) in [("a", "one"), ("b", "one"), ("c", "two"), ("d", "three")] {
            try await database.save(Self.record(name, in: Self.zone, files.asset(Data(text.utf8))))
        }
        func counts() throws -> [Int64?] {
            try ["count(DISTINCT digest) FROM asset", "count(*) FROM asset_holder"].map {
                try place.number("SELECT \($0)")
            }
        }
        #expect(try counts() == [3, 4])
        let ids = ["a", "b", "c", "d"].map { Record.ID($0, zoneID: Self.zone) }
        try await database.write { $0.deleteRecord(withID: ids[0]) }
        #expect(try counts() == [3, 3])
        let new = try files.asset(Data("new".utf8))
        try await database.write { transaction in
            var record = try transaction.record(for: ids[2])
            record["file"] = .null
            try transaction.save(record)
            var other = try transaction.record(for: ids[3])
            other["file"] = new
            try transaction.save(other)
            transaction.deleteRecord(withID: ids[1])
        }
        #expect(try counts() == [1, 1])
        #expect(try await Self.bytes(database.record(for: ids[3])) == Data("new".utf8))
    }

    /// Records of a deleted zone name nothing, whether they were swept or not.
    @Test func bytesOfDeletedZonesAreUnused() async throws {
        let (place, files) = (try ServerPlace(), try Files())
        let container = try place.open()
        let database = container.privateDatabase
        let kept = Data("kept".utf8)
        try await database.save(RecordZone(id: Self.zone))
        for (name, bytes) in [("a", kept), ("b", Data("own".utf8))] {
            try await database.save(Self.record(name, in: Self.zone, files.asset(bytes)))
        }
        try await database.save(Self.record("c", files.asset(kept)))
        #expect(await container.removeUnusedAssets() == 0)
        try await database.deleteRecordZone(withID: Self.zone)
        #expect(try place.number("SELECT count(*) FROM asset_holder") == 3)
        #expect(await container.removeUnusedAssets() == 1)
        #expect(try place.number("SELECT count(*) FROM asset") == 1)
        let other = try place.open()
        #expect(try await Self.bytes(other.privateDatabase.record(for: Record.ID("c"))) == kept)
        // What is gone comes back with a record that names it.
        try await database.save(Self.record("d", files.asset(Data("own".utf8))))
        #expect(try await Self.bytes(other.privateDatabase.record(for: Record.ID("d"))) == Data("own".utf8))
    }

    @Test func bytesThatAreGoneFailTheirRecordOnly() async throws {
        let (place, files) = (try ServerPlace(), try Files())
        let (container, reader) = (try place.open(), try place.open())
        let (database, other) = (container.privateDatabase, reader.privateDatabase)
        for name in ["a", "b", "c"] { try await database.save(Self.record(name, files.asset(Data(name.utf8)))) }
        try place.run("DELETE FROM asset WHERE bytes = 'a'")
        try place.run("UPDATE asset SET bytes = 'x' WHERE bytes = 'b'")
        let found = try await other.recordPage(matching: Query("T", sortedBy: [.ascending("recordName")]), in: .default)
        let codes = found.matchResults.map { result -> DatabaseError.Code? in
            if case .failure(let error) = result.1 { error.code } else { nil }
        }
        #expect(codes == [.assetNotAvailable, .assetNotAvailable, nil])
        // Whoever has a file brings the bytes back with it.
        try await database.save(Self.record("d", files.asset(Data("a".utf8))))
        #expect(try await Self.bytes(other.record(for: Record.ID("a"))) == Data("a".utf8))
    }

    @Test func transactionsSaveAssets() async throws {
        let (place, files) = (try ServerPlace(), try Files())
        let container = try place.open()
        let database = container.privateDatabase
        let value = try files.asset(Self.contents[0])
        try await database.write { transaction in
            try transaction.save(Self.record("a", value))
            #expect(try Self.bytes(transaction.record(for: Record.ID("a"))) == Self.contents[0])
        }
        let other = try place.open()
        #expect(try await Self.bytes(other.privateDatabase.record(for: Record.ID("a"))) == Self.contents[0])
    }

    /// Bytes are on the server before the commit that names them: those of a save that fails are left to be swept.
    @Test func bytesComeBeforeTheirCommit() async throws {
        let (place, files) = (try ServerPlace(), try Files())
        let container = try place.open()
        let database = container.privateDatabase
        let saved = try await database.save(Self.record("a", files.asset(Data("old".utf8))))
        var newer = saved
        newer["other"] = 1
        try await database.save(newer)
        var older = saved
        older["file"] = try files.asset(Data("new".utf8))
        let result = try database.modify(ModifyRequest(saves: [older], isAtomic: false)).saves[0].result
        #expect(throws: DatabaseError.self) { try result.get() }
        #expect(try place.number("SELECT count(*) FROM asset") == 2)
        #expect(try place.number("SELECT count(*) FROM asset_holder") == 1)
        _ = await container.removeUnusedAssets()
        #expect(try place.number("SELECT count(*) FROM asset") == 1)
        #expect(try await Self.bytes(database.record(for: saved.id)) == Data("old".utf8))
    }

    @Test func bytesThatNobodyNamesAreRemoved() async throws {
        let (place, files) = (try ServerPlace(), try Files())
        let container = try place.open()
        try await container.privateDatabase.save(Self.record("a", files.asset(Data("a".utf8))))
        try place.run(
            "INSERT INTO asset SELECT 'd' || i, p, 'x' FROM generate_series(1, 700) i, generate_series(0, 1) p")
        #expect(await container.removeUnusedAssets() == 700)
        #expect(try place.number("SELECT count(*) FROM asset") == 1)
        #expect(await container.removeUnusedAssets() == 0)
    }

    @Test("A file has no more parts than its bytes fill, and an empty one has one")
    func parts() async throws {
        let (place, files) = (try ServerPlace(), try Files())
        let database = try place.open().privateDatabase
        // The parts of all that were saved so far.
        for (number, (count, parts)) in [(0, 1), (1 << 20, 2), (1 << 20 + 1, 4)].enumerated() {
            let bytes = Data(repeating: 7, count: count)
            try await database.save(Self.record("\(number)", files.asset(bytes)))
            #expect(try place.number("SELECT count(*) FROM asset") == Int64(parts), "\(count) bytes")
        }
    }

    @Test func noRecordLosesItsBytes() async throws {
        let (place, files) = (try ServerPlace(), try Files())
        let values = try (0..<3).map { try files.asset(Data("\($0)".utf8)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for process in 0..<3 {
                let container = try place.open()
                group.addTask {
                    // Each process has a database of its own: their commits do not wait for each other.
                    let other = try Container(
                        sharing: container, account: .user("_user\(process)"), configuration: Configuration())
                    var random = SplitMix64(seed: UInt64(process))
                    for _ in 0..<40 {
                        let id = Record.ID("r\(Int.random(in: 0..<3, using: &random))")
                        if Int.random(in: 0..<3, using: &random) == 0 {
                            _ = try other.privateDatabase.modify(ModifyRequest(deletes: [id]))
                        } else if Int.random(in: 0..<10, using: &random) == 0 {
                            _ = await container.removeUnusedAssets()
                        } else {
                            let record = Record(
                                type: "T", id: id,
                                fields: ["file": values[Int.random(in: 0..<3, using: &random)].unclaimed])
                            _ = try other.privateDatabase.modify(ModifyRequest(saves: [record], policy: .allKeys))
                                .saves[0].result.get()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(
            try place.number(
                """
                SELECT count(*) FROM asset_holder h
                WHERE NOT EXISTS (SELECT 1 FROM asset a WHERE a.digest = h.digest)
                """) == 0)
        #expect(
            try place.number(
                """
                SELECT count(*) FROM asset a
                WHERE NOT EXISTS (SELECT 1 FROM asset_holder h WHERE a.digest = h.digest)
                """) == 0)
        let reader = try place.open()
        for process in 0..<3 {
            let other = try Container(
                sharing: reader, account: .user("_user\(process)"), configuration: Configuration())
            for (_, result) in try await other.privateDatabase.recordPage(matching: Query("T"), in: .default)
                .matchResults
            {
                #expect(try Self.bytes(result.get()).count == 1)
            }
        }
    }
}

extension FieldValue {
    /// An asset of the same file that belongs to no record yet.
    fileprivate var unclaimed: FieldValue {
        if case .asset(let asset) = self { .asset(Asset(path: asset.path)) } else { self }
    }
}
