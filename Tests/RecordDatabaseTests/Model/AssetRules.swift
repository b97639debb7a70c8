// Assets and places.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct AssetRules {
    /// A file with some bytes in a folder of its own, which goes with this.
    final class Scratch: Sendable {
        let folder = FileManager.default.temporaryDirectory.appending(path: "assets-\(UUID().uuidString)")

        init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: folder) }

        func file(_ name: String, _ bytes: Data) throws -> URL {
            let url = folder.appending(path: name)
            try bytes.write(to: url)
            return url
        }
    }

    private static func bytes(_ record: Record, _ key: String = "a") throws -> Data {
        let asset: Asset = try #require(record[key])
        return try Data(contentsOf: #require(asset.fileURL))
    }

    static let rules: [Rule] = [
        Rule(296, text: "assets are files") { world async throws in
            await fails(.invalidArguments) { try Asset(fileURL: #require(URL(string: "https://example.org/x"))) }
            #expect(try Asset(fileURL: URL(filePath: "/x")).fileURL?.path == "/x")
        },
        Rule(125, 297, 298, text: "the bytes are copied") { world async throws in
            let scratch = try Scratch()
            let url = try scratch.file("source.txt", Data("bytes".utf8))
            let saved = try await world.mine.save(record("r", ["a": .asset(Asset(fileURL: url))]))
            #expect(try Data(contentsOf: url) == Data("bytes".utf8))
            try FileManager.default.removeItem(at: url)
            let fetched = try await world.mine2.record(for: saved.id)
            let asset: Asset = try #require(fetched["a"])
            #expect(try bytes(fetched) == Data("bytes".utf8) && asset.size == 5)
            #expect(asset.fileURL != url && asset.fileURL?.lastPathComponent.contains("source") == false)
            var list = record("list", ["l": .list([try .asset(Asset(fileURL: scratch.file("x", Data([1]))))])])
            list["n"] = 1
            #expect(try await world.mine.save(list)["l"] as [Asset]? != nil)
        },
        Rule(125, 298, text: "a record of a conflict keeps its assets") { world async throws in
            let scratch = try Scratch()
            let url = try scratch.file("kept", Data("kept".utf8))
            let saved = try await world.mine.save(record("r", ["a": .asset(Asset(fileURL: url)), "n": 1]))
            var newer = saved
            newer["n"] = 2
            try await world.mine.save(newer)
            var conflict: DatabaseError?
            var older = saved
            older["n"] = 3
            do throws(DatabaseError) { try await world.mine.save(older) } catch { conflict = error }
            var server = try #require(conflict?.serverRecord)
            server["n"] = 4
            let (results, _) = try await world.mine.modifyRecords(
                saving: [server], deleting: [], savePolicy: .allKeys)
            #expect(try results[server.id]?.get()["n"] == 4)
            let fetched = try await world.mine2.record(for: saved.id)
            #expect(try bytes(fetched) == Data("kept".utf8) && fetched["n"] == 4)
        },
        Rule(299, text: "files that cannot be copied") { world async throws in
            let scratch = try Scratch()
            let missing = try Asset(fileURL: scratch.folder.appending(path: "none"))
            await fails(.assetFileNotFound) { try await world.mine.save(record("r", ["a": .asset(missing)])) }
            let folder = try Asset(fileURL: scratch.folder)
            await fails(.assetNotAvailable) { try await world.mine.save(record("r", ["a": .asset(folder)])) }
            let url = try scratch.file("grows", Data(count: 600_000))
            world.alice.client.store.assets.whileCopying.withLock {
                $0 = { try? Data(count: 700_000).write(to: url) }
            }
            await fails(.assetFileModified) {
                try await world.mine.save(record("r", ["a": .asset(Asset(fileURL: url))]))
            }
            #expect(!(await world.mine.has("r")))
        },
        Rule(245, 300, text: "files that are gone fail their records only") { world async throws in
            let scratch = try Scratch()
            for name in ["a", "b"] {
                let url = try scratch.file(name, Data(name.utf8))
                try await world.mine.put(record(name, ["a": .asset(Asset(fileURL: url)), "n": 1]))
            }
            let lost: Asset = try #require(try await world.mine.record(for: .init("a"))["a"])
            try world.loseBytes(lost)
            let found = try await world.mine.recordPage(matching: Query("T"), in: .default).matchResults
            #expect(found.map { $0.1.failure?.code } == [.assetNotAvailable, nil])
            await fails(.assetNotAvailable) { try await world.mine.record(for: .init("a")) }
            let narrow = try await world.mine.records(for: [.init("a")], desiredKeys: ["n"])
            #expect(try narrow[.init("a")]?.get()["n"] == 1)
            // Those of a list, too.
            let files = try ["c", "d"].map { FieldValue.asset(try Asset(fileURL: scratch.file($0, Data($0.utf8)))) }
            try await world.mine.put(record("list", ["l": .list(files)], type: "U"))
            let listed = try await world.mine.record(for: .init("list"))
            try world.loseBytes(#require(listed.fields["l"]?.assets.last))
            await fails(.assetNotAvailable) { try await world.mine.record(for: .init("list")) }
        },
        Rule(301, text: "an asset belongs to one record") { world async throws in
            let scratch = try Scratch()
            let asset = try Asset(fileURL: scratch.file("x", Data([1])))
            let outcomes = try world.mine.outcomes(saving: [
                record("a", ["a": .asset(asset)]), record("b", ["a": .asset(asset)]),
            ])
            #expect(outcomes == ["a": nil, "b": .invalidArguments])
            let other = try Asset(fileURL: URL(filePath: asset.path))
            try await world.mine.put(record("b", ["a": .asset(other)]))
        },
        Rule(302, text: "unused bytes are collected") { world async throws in
            let scratch = try Scratch()
            var paths: [String: String] = [:]
            for name in ["kept", "cleared", "deleted"] {
                let url = try scratch.file(name, Data(name.utf8))
                let saved = try await world.mine.save(record(name, ["a": .asset(Asset(fileURL: url))]))
                paths[name] = try #require(saved["a"] as Asset?).path
            }
            var cleared = try await world.mine.record(for: .init("cleared"))
            cleared["a"] = .null
            try await world.mine.put(cleared)
            try await world.mine.deleteRecord(withID: .init("deleted"))
            #expect(await world.alice.removeUnusedAssets() == 2)
            #expect(
                paths.mapValues(FileManager.default.fileExists) == ["kept": true, "cleared": false, "deleted": false])
            #expect(await world.alice.removeUnusedAssets() == 0)
        },
        Rule(303, text: "assets do not count") { world async throws in
            let scratch = try Scratch()
            let url = try scratch.file("large", Data(count: 3 << 20))
            try await world.mine.put(record("r", ["a": .asset(Asset(fileURL: url))]))
        },
        Rule(304, text: "conflicts carry no files") { world async throws in
            let scratch = try Scratch()
            let url = try scratch.file("x", Data([1]))
            let saved = try await world.mine.save(record("r", ["a": .asset(Asset(fileURL: url)), "n": 1]))
            _ = try await world.mine2.save(saved)
            let error = await fails(.serverRecordChanged) { try await world.mine.save(saved) }
            var server = try #require(error?.serverRecord)
            #expect((server["a"] as Asset?)?.fileURL == nil && server["a"] as Asset? != nil)
            server["n"] = 2
            for policy in SavePolicy.allCases {
                server = try await world.mine.put(server, policy: policy)[0]
                #expect(try bytes(server) == Data([1]))
            }
        },
        Rule(305, 306, 307, text: "places") { world async throws in
            let details = Location.Details(
                altitude: 120.5, horizontalAccuracy: 5, verticalAccuracy: 8, course: 270, speed: 1.5,
                timestamp: Date(timeIntervalSince1970: 1_700_000_000))
            let place = Location(latitude: 50.45, longitude: 30.52, details: details)
            try await world.mine.put(record("plain", ["p": .location(Location(latitude: 50.45, longitude: 30.52))]))
            let saved = try await world.mine.save(record("r", ["p": .location(place), "l": [.location(place)]]))
            let fetched = try await world.mine2.record(for: saved.id)
            #expect(fetched["p"] as Location? == place && fetched["l"] as [Location]? == [place])
            #expect(try recoded(fetched)["p"] as Location? == place)
            // Still there when rows were moved to other segments.
            for number in 0..<200 { try await world.mine.put(record("x\(number)")) }
            #expect(try await world.mine.record(for: saved.id)["p"] as Location? == place)
            let bare = Location(latitude: 50.45, longitude: 30.52)
            #expect(try await world.mine.names("p == \(bare)") == ["plain", "r"])
            #expect(try await world.mine.names("p == \(place)") == ["plain", "r"])
            for (latitude, longitude) in [(90.1, 0.0), (-90.1, 0), (0, 180.1), (0, -180.1), (.nan, 0)] {
                let wrong = Location(latitude: latitude, longitude: longitude)
                await fails(.invalidArguments) { try await world.mine.save(record("w", ["p": .location(wrong)])) }
            }
        },
    ]

    @Test("Assets and places", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(World()) }

    /// Examples of the standard, and lengths about the ends of blocks.
    @Test func digests() {
        let known = [
            "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq":
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ]
        for (text, digest) in known {
            var whole = SHA256()
            whole.update(Array(text.utf8)[...])
            #expect(whole.hexDigest() == digest)
        }
        for count in [1, 55, 56, 63, 64, 65, 119, 120, 1000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            var (whole, pieces) = (SHA256(), SHA256())
            whole.update(bytes[...])
            for byte in bytes { pieces.update([byte]) }
            #expect(whole.hexDigest() == pieces.hexDigest())
        }
    }
}
