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

    /// A copy has what the store has and nothing of what it was made with, by a writer and by who only reads.
    @Test func aCopyIsAStoreAndNothingElse() throws {
        let environment = try open()
        try environment.append([1])
        let copies = ["a/b/copy", "second"].map { StoreFolder(path: folder.file($0)) }
        try environment.copy(to: copies[0]) { _ in [] }
        for place in ["a/b/copy", "store/copy", "store/segments/copy"] {
            let error = #expect(throws: StorageError.self) {
                try environment.copy(to: StoreFolder(path: folder.file(place))) { _ in [] }
            }
            #expect(error?.code == .notAStore, "\(place)")
        }
        environment.close()
        try StorageEnvironment(reading: folder.file("store")).copy(to: copies[1]) { _ in [] }
        for copy in copies {
            #expect(try names(copy.path) == ["assets", "data.mdb", "segments"])
            #expect(try names(copy.segments) == [] && names(copy.assets) == [])
            #expect(try StorageEnvironment(reading: copy.path).contents().log == [[1]])
        }
        #expect(try names(folder.file("store")) == ["assets", "data.mdb", "lock.mdb", "segments", "writer.lock"])
    }

    /// Where a writer has removed a file meanwhile, a copy is of a later state, with the files of that and no others.
    @Test func aCopyIsOfTheStateWhoseFilesItHas() throws {
        let environment = try open()
        defer { environment.close() }
        for number in [1, 3, 4] { _ = try folder.write([UInt8(number)], "store/segments/\(number).segment") }
        let copy = StoreFolder(path: folder.file("copy"))
        var states: [Set<Int>] = [[3, 4], [1, 2, 3], [1, 2]]
        var seen: [Int] = []
        try environment.copy(to: copy) { contents throws(StorageError) -> Set<Int> in
            seen.append(contents.log.count)
            try environment.append([7])
            return states.removeLast()
        }
        #expect(seen == [0, 1, 2])
        #expect(try names(copy.segments) == ["3.segment", "4.segment"])
        #expect(try folder.bytes("copy/segments/3.segment") == [3] && folder.bytes("copy/segments/4.segment") == [4])
        #expect(try StorageEnvironment(reading: copy.path).contents().log == [[7], [7]])
    }

    @Test func aCopyThatCameToNoEndIsNoStore() throws {
        let environment = try open()
        defer { environment.close() }
        let copy = StoreFolder(path: folder.file("copy"))
        let error = #expect(throws: StorageError.self) {
            try environment.copy(to: copy) { _ throws(StorageError) -> Set<Int> in
                throw StorageError(.ioFailure, path: "", "stopped")
            }
        }
        #expect(error?.reason == "stopped")
        #expect(try names(copy.path) == ["assets", "segments", "unfinished-copy"])
        for mode in [StorageEnvironment.Mode.readOnly, .readWrite] {
            let error = #expect(throws: StorageError.self) {
                try StorageEnvironment(path: copy.path, mode: mode, new: StoreMetadata(identifier: "", assetFolder: ""))
            }
            #expect(error?.code == .notAStore && error?.reason.contains("interrupted") == true)
        }
    }

    /// Of the log and of the state each its own; files beside a change count a quarter, until a state is written.
    @Test func sizesAreThoseOfTheirTables() throws {
        let environment = try open()
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
        // Room that a state had is free for the next.
        try environment.checkpoint(["b": [2]], through: 1)
        let later = try environment.sizes()
        #expect(later.state < 100_000 && later.free > 150_000 && later.logEntries == 4)
        environment.close()
        let again = try open()
        defer { again.close() }
        #expect(again.logByteCount > 0, "what an earlier writer left counts")
    }

    // MARK: Folders

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    private static func code(_ body: () throws -> Void) -> StorageError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? StorageError)?.code }
    }

    /// What lies in a folder that is to be opened, and what comes of it to a reader and to a writer.
    private static let folders: [(entries: [String], reader: StorageError.Code?, writer: StorageError.Code?)] = [
        ([], .notAStore, nil), (["lock.mdb", "writer.lock", "segments/", "assets/"], .notAStore, nil),
        (["segments/", "x"], .notAStore, .notAStore), ([".hidden"], .notAStore, .notAStore),
        (["unfinished-copy"], .notAStore, .notAStore), (["segments/", "unfinished-copy"], .notAStore, .notAStore),
        (["assets/", "assets/logo.png"], .notAStore, .notAStore),
        (["assets/", "assets/copy-of-plan.txt"], .notAStore, .notAStore),
        // A store that has lost its tables.
        (["assets/", "assets/" + String(repeating: "0f", count: 32)], .notAStore, .corrupted),
    ]

    @Test(arguments: folders.indices) func foldersBecomeStores(_ number: Int) throws {
        let (entries, reader, writer) = Self.folders[number]
        try make("store")
        for entry in entries {
            if entry.hasSuffix("/") { try make("store/" + entry) } else { _ = try folder.write([], "store/" + entry) }
        }
        #expect(Self.code { try StorageEnvironment(reading: folder.file("store")).close() } == reader)
        #expect(Self.code { try open().close() } == writer)
        #expect(entries.allSatisfy { FileManager.default.fileExists(atPath: folder.file("store/" + $0)) })
        guard writer == nil else { return }
        // A store stays one, whatever else lies in it.
        for name in ["notes", "unfinished-copy"] { _ = try folder.write([1], "store/" + name) }
        #expect(Self.code { try StorageEnvironment(reading: folder.file("store")).close() } == nil)
        #expect(Self.code { try open().close() } == nil)
    }

    /// Of files among the assets, those of a store are told by the form of their names.
    @Test(arguments: [
        ("copy-1-2", true, false), ("copy-1", false, false), ("copy-1-2-3", false, false), ("copy--2", false, false),
        ("copy-1-x", false, false), ("a-1-2", false, false), ("copy-of-plan.txt", false, false), ("", false, false),
        (String(repeating: "0f", count: 32), false, true), (String(repeating: "0f", count: 31), false, false),
        (String(repeating: "0F", count: 32), false, false), (String(repeating: "0g", count: 32), false, false),
    ])
    func namesOfAssets(_ name: String, isCopy: Bool, isDigest: Bool) {
        #expect(AssetName.isCopy(name) == isCopy && AssetName.isDigest(name) == isDigest)
        let new = AssetName.ofNewCopy()
        #expect(AssetName.isCopy(new) && new != AssetName.ofNewCopy())
    }

    /// Tables that a process was making when it ended are taken away by the next writer.
    @Test func tablesThatWereNotPutInPlaceAreTakenAway() throws {
        try open().close()
        for name in ["data.mdb", "lock.mdb"] { _ = try folder.write([1], "store/segments/" + name) }
        try open().close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("store/segments")) == [])
    }

    @Test func pathsThatLeadToNoFolder() throws {
        _ = try folder.write([1], "file")
        for (name, code) in [("absent", StorageError.Code.missing), ("file", .notAStore), ("file/x", .missing)] {
            #expect(Self.code { try StorageEnvironment(reading: folder.file(name)).close() } == code, "\(name)")
        }
        #expect(Self.code { _ = try StoreFolder.exists(folder.file("file/x")) } == .missing)
        #expect(try !StoreFolder.exists(folder.file("absent")) && StoreFolder.exists(folder.file("file")))
        for (path, name) in [("a/b", "b"), ("b", "b"), ("/b", "b"), ("a/", "")] {
            #expect(StoreFolder.name(of: path) == name)
        }
    }

    /// A folder is opened by its name in another one without following a link, and is the same wherever it is moved.
    @Test func foldersAreOpenedByTheirNames() throws {
        try make("real/inner")
        _ = try folder.write([1], "file")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file("real"))
        let root = try OpenFolder(folder.path)
        for (name, code) in [
            ("real", nil), ("link", .corrupted), ("file", .corrupted), ("absent", .missing),
        ] as [(String, StorageError.Code?)] {
            #expect(Self.code { _ = try OpenFolder(folder.file(name), in: root) } == code, "\(name)")
        }
        #expect(try OpenFolder(folder.file("link")).names() == ["inner"])
        #expect(try OpenFolder("").identity() == FileIdentity.ofFile("."))
        let opened = try OpenFolder(folder.file("real"), in: root)
        try FileManager.default.moveItem(atPath: folder.file("real"), toPath: folder.file("moved"))
        for _ in 0..<2 { #expect(try opened.names() == ["inner"]) }
        #expect(try FileIdentity.ofFile(opened.location) == opened.identity())
        #expect(opened.path == folder.file("real"))
        _ = try folder.write([1, 2], "moved/inner/a")
        _ = try folder.write([1, 2, 3], "moved/inner/b")
        let files = try StoreFolder(path: folder.path).files(in: folder.file("moved/inner"))
        #expect(files.count == 2 && files.bytes == 5)
    }

    /// Many read the tables beside each other, and nobody beside one who replaces them.
    @Test func readersPassTogether() throws {
        try make("store")
        let path = folder.file("store")
        func code(_ passage: FolderGate.Passage) -> StorageError.Code? {
            Self.code { try FolderGate(path, for: passage, patience: .zero).leave() }
        }
        // The second by another path of the folder.
        let readers = [
            try FolderGate(path, for: .reading, patience: .seconds(10)),
            try FolderGate(folder.file("gone"), at: path, for: .reading, patience: .seconds(10)),
        ]
        #expect(code(.replacing) == .locked && code(.reading) == nil)
        for reader in readers { reader.leave() }
        // A process that another test starts may have the folder open for a moment.
        let writer = try FolderGate(path, for: .replacing, patience: .seconds(10))
        #expect(code(.reading) == .locked && code(.replacing) == .locked)
        writer.leave()
        try FolderGate(path, for: .reading, patience: .seconds(10)).leave()
        #expect(Self.code { try FolderGate(folder.file("gone"), for: .reading, patience: .zero).leave() } == .missing)
    }

    /// Who only reads changes nothing.
    @Test func readersWriteNothing() throws {
        try open().close()
        let reader = try StorageEnvironment(reading: folder.file("store"))
        let before = try reader.metadata()
        let writings: [() throws -> Void] = [
            { try reader.append([1]) }, { try reader.checkpoint([:], through: 0) }, { try reader.compactTables() },
            { try reader.checkWritable() }, { try reader.writing { () throws(StorageError) in } },
        ]
        for writing in writings { #expect(Self.code(writing) == .readOnly) }
        #expect(try reader.metadata() == before && reader.contents().log == [])
    }

    /// What a writer left in the log counts for the next one, so that it writes a state at last.
    @Test func theLogOfAnEarlierWriterCounts() throws {
        for byteCount in [100, 50_000] {
            let first = try open()
            try first.append([UInt8](repeating: 7, count: byteCount))
            first.close()
            let next = try open()
            #expect(next.logByteCount >= byteCount)
            try next.checkpoint([:], through: next.lastChange)
            next.close()
            let last = try open()
            #expect(last.logByteCount == 0)
            last.close()
        }
    }
}
