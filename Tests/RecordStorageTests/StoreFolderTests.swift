// Where a store may be copied to, what a copy takes along, and what a store says of its sizes.

import Foundation
import RecordStore
import Testing
import _TestSupport

@testable import RecordStorage

@Suite struct StoreFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> StorageEnvironment {
        try StorageEnvironment(
            path: folder.file("store"), mode: .readWrite, durability: .off,
            new: StoreMetadata(identifier: "test", assetFolder: ""))
    }

    private func make(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    }

    /// Places beside a store and in it, whether they are there or not.
    @Test(arguments: [
        ("store", true), ("store/copy", true), ("store/segments/a/b", true), ("link/copy", true),
        ("beside/../store/copy", true), ("store-2", false), ("store-2/copy", false), ("store2/copy", false),
        ("stor", false), ("beside/copy", false), ("beside/store", false), ("store/../copy", false),
    ])
    func whatLiesInAStore(_ place: String, isInside: Bool) throws {
        for name in ["store/segments", "store-2", "beside"] { try make(name) }
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file("store"))
        let store = StoreFolder(path: folder.file("store"))
        #expect(StoreFolder(path: folder.file(place)).lies(in: store) == isInside)
    }

    /// Into a folder whose name begins as that of the store; a copy takes finished assets along, and nothing else.
    @Test func aCopyHasTheAssetsThatAreWhole() throws {
        let environment = try open()
        defer { environment.close() }
        try environment.append([1])
        for name in ["whole", "copy-1-1"] { _ = try folder.write([1, 2], "store/assets/\(name)") }
        try make("store/assets/folder")
        try make("store-2")
        let copy = StoreFolder(path: folder.file("store-2/copy"))
        try environment.copy(to: copy) { _ in [] }
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy.assets) == ["whole"])
        #expect(try folder.bytes("store-2/copy/assets/whole") == [1, 2])
        #expect(try StorageEnvironment(reading: copy.path).contents().log == [[1]])
    }

    /// Of the log and of the state each its own; files beside a change count a quarter, until a state is written.
    @Test func sizesAreThoseOfTheirTables() throws {
        let environment = try open()
        defer { environment.close() }
        for number in 0..<3 { try environment.append([UInt8](repeating: UInt8(number), count: 10)) }
        #expect(environment.logByteCount == 30)
        let parts = ["a": [UInt8](repeating: 1, count: 200_000), "b": [2]]
        try environment.checkpoint(parts, through: 1)
        let sizes = try environment.sizes()
        #expect(sizes.logEntries == 2 && sizes.log > 0 && sizes.log < 100_000)
        #expect(sizes.state > 200_000 && sizes.tables > sizes.state)
        #expect(environment.logByteCount == 0)
        try environment.append([[1, 2, 3], [4]], beside: 400)
        #expect(environment.logByteCount == 104 && environment.lastChange == 5)
    }
}
