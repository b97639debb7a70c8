// Files of assets that were changed, that are elsewhere, or that nobody finished.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct AssetEdgeTests {
    private static let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    private static func files(_ folder: AssetFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func whatIsWrongWithFiles() throws {
        let (scratch, folder) = (try AssetRules.Scratch(), AssetFolder(nil))
        let source = try scratch.file("abc", Data("abc".utf8))
        let stored = try folder.store(Asset(fileURL: source))
        #expect(stored.path == folder.path + "/" + Self.digest)
        #expect(folder.fault(ofFileAt: stored.path) == nil)
        // Files elsewhere may hold anything, and be links.
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: scratch.folder.path + "/link", withDestinationPath: source.path)
        for path in [source.path, scratch.folder.path + "/link"] { #expect(folder.fault(ofFileAt: path) == nil) }
        #expect(folder.fault(ofFileAt: folder.path + "/none") == "the file of an asset is not there")
        try manager.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: source.path)
        try manager.createDirectory(atPath: folder.path + "/folder", withIntermediateDirectories: false)
        for name in ["link", "folder"] {
            #expect(folder.fault(ofFileAt: folder.path + "/" + name) == "an asset is no file", "\(name)")
        }
        try manager.removeItem(atPath: stored.path)
        try Data("abd".utf8).write(to: URL(filePath: stored.path))
        #expect(folder.fault(ofFileAt: stored.path) == "the bytes of an asset were changed")
    }

    /// A file that is written over while it is copied is noticed, though it is as long as before.
    @Test func filesThatChangeAndKeepTheirLength() throws {
        let (scratch, folder) = (try AssetRules.Scratch(), AssetFolder(nil))
        let source = try scratch.file("abc", Data("abc".utf8))
        let manager = FileManager.default
        try manager.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1000)], ofItemAtPath: source.path)
        folder.whileCopying.withLock {
            $0 = {
                try? Data("abd".utf8).write(to: source)
                try? FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 2000)], ofItemAtPath: source.path)
            }
        }
        let error = #expect(throws: DatabaseError.self) { try folder.store(Asset(fileURL: source)) }
        #expect(error?.code == .assetFileModified)
        #expect(try Self.files(folder) == [])
    }

    /// Files are kept in the folder that the configuration names.
    @Test func theFolderThatIsConfigured() async throws {
        let scratch = try AssetRules.Scratch()
        let kept = scratch.folder.appending(path: "kept")
        var configuration = Configuration()
        configuration.assetFolder = kept
        let container = try Container(identifier: "test", configuration: configuration)
        let asset = try Asset(fileURL: scratch.file("abc", Data("abc".utf8)))
        let saved = try await container.privateDatabase.save(record("r", ["a": .asset(asset)]))
        #expect((saved["a"] as Asset?)?.path == kept.path + "/" + Self.digest)
        #expect(try Data(contentsOf: kept.appending(path: Self.digest)) == Data("abc".utf8))
    }

    /// Copies under way do not count, and nobody takes them away but who opens the store.
    @Test func copiesUnderWay() throws {
        let (scratch, folder) = (try AssetRules.Scratch(), AssetFolder(nil))
        for text in ["abc", "other"] {
            folder.release([try folder.store(Asset(fileURL: scratch.file(text, Data(text.utf8))))])
        }
        try Data(count: 100).write(to: URL(filePath: folder.path + "/copy-1-1"))
        #expect(folder.byteCount == 8)
        #expect(try folder.sweep { _ in [folder.path + "/" + Self.digest] } == 1)
        #expect(try Self.files(folder) == [Self.digest, "copy-1-1"])
        try folder.removeUnfinishedCopies()
        #expect(try Self.files(folder) == [Self.digest])
    }

    /// Gives bytes in two pieces.
    private struct GivenBytes: AssetSource {
        let bytes: [String: [UInt8]]

        func readAsset(
            _ digest: String, _ take: ([UInt8]) throws(DatabaseError) -> Void
        ) throws(DatabaseError) -> Bool {
            guard let bytes = bytes[digest] else { return false }
            try take(Array(bytes.prefix(2)))
            try take(Array(bytes.dropFirst(2)))
            return true
        }
    }

    /// A file that is kept elsewhere is copied when it is wanted, if its bytes are those of its name.
    @Test func filesThatAreElsewhere() throws {
        let wrong = String(repeating: "0", count: 64)
        let text = Array("abc".utf8)
        let folder = AssetFolder(nil, source: GivenBytes(bytes: [Self.digest: text, wrong: text]))
        func asset(_ name: String) -> Asset { Asset(path: folder.path + "/" + name) }
        try folder.checkIsReadable(asset(Self.digest), key: "a")
        #expect(try Data(contentsOf: URL(filePath: asset(Self.digest).path)) == Data(text))
        for name in [wrong, String(repeating: "1", count: 64)] {
            let error = #expect(throws: DatabaseError.self) { try folder.checkIsReadable(asset(name), key: "a") }
            #expect(error?.code == .assetNotAvailable && error?.reason.contains("field a") == true)
        }
        #expect(try Self.files(folder) == [Self.digest])
    }

    /// Digests of the numbers from 0 on, which need more than one byte for their length.
    @Test(arguments: [
        (119, "da18797ed7c3a777f0847f429724a2d8cd5138e6ed2895c3fa1a6d39d18f7ec6"),
        (120, "f52b23db1fbb6ded89ef42a23ce0c8922c45f25c50b568a93bf1c075420bbb7c"),
        (1000, "a8af099bf2e878609558dbf69d8f88f4a31040a8cf84b549a0cfa912f12ffc3f"),
    ]) func digestsOfLongerBytes(_ count: Int, _ digest: String) {
        var hash = SHA256()
        hash.update((0..<count).map { UInt8(truncatingIfNeeded: $0) }[...])
        #expect(hash.hexDigest() == digest)
    }

    /// An item with the asset of another record is wrong in itself: its zone fails with it, the default one, too.
    @Test func assetsOfOthersFailTheirZone() async throws {
        let (world, scratch) = (try await World(), try AssetRules.Scratch())
        let asset = FieldValue.asset(try Asset(fileURL: scratch.file("x", Data([1]))))
        let saves = [
            record("a", ["a": asset]), record("b", ["a": asset]), record("c"), record("z", in: world.zone),
        ]
        let outcomes = try world.mine.outcomes(saving: saves, atomically: true)
        #expect(
            outcomes == ["a": .batchRequestFailed, "b": .invalidArguments, "c": .batchRequestFailed, "z": nil])
        for name in ["a", "b", "c"] { #expect(!(await world.mine.has(name)), "\(name)") }
        #expect(await world.mine.has("z", in: world.zone))
    }
}
