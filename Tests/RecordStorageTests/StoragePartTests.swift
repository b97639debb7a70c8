// What a store says of strange files under its names, of forms that it does not know, and of folders that are locked.

import Foundation
import Glibc
import Testing

@testable import RecordStorage

@Suite struct StoragePartTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The error of a call; `nil` where it has none.
    private static func error(_ body: () throws -> Void) -> StorageError? {
        do {
            try body()
            return nil
        } catch { return error as? StorageError }
    }

    /// Makes a file, a folder, a pipe, and links to the first two and to nothing.
    private func makeEntries() throws {
        _ = try folder.write([1, 2, 3], "file")
        try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
        try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
        for (name, target) in [("link", "file"), ("folder link", "folder"), ("dangling", "absent")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.file(name), withDestinationPath: folder.file(target))
        }
    }

    @Test("A name of the store has a file or a folder, or nothing, and what else it has is told")
    func kindsOfEntries() throws {
        try makeEntries()
        let found: [(name: String, asFile: String?, asFolder: String?)] = [
            ("file", nil, "a file"), ("folder", "a folder", nil), ("pipe", "a pipe", "a pipe"),
            ("link", "a symbolic link", "a symbolic link"), ("folder link", "a symbolic link", "a symbolic link"),
            ("dangling", "a symbolic link", "a symbolic link"), ("absent", nil, nil),
        ]
        for (name, asFile, asFolder) in found {
            let path = folder.file(name)
            let (file, other) = (
                Self.error { try StorePart.file.check(path) }, Self.error { try StorePart.folder.check(path) }
            )
            #expect(file?.reason == asFile.map { "expected a regular file, found \($0)" }, "\(name)")
            #expect(other?.reason == asFolder.map { "expected a folder, found \($0)" }, "\(name)")
            for error in [file, other].compactMap(\.self) {
                #expect(error.code == .corrupted && error.path == path && error.hint == "restore a backup")
            }
        }
        let below = Self.error { try StorePart.file.check(folder.file("file/x")) }
        #expect(below?.code == .missing && below?.reason.hasPrefix("cannot look at the file: ") == true)
    }

    @Test("A file is opened that is one: nobody waits for a pipe, and no link is followed")
    func openingFiles() throws {
        try makeEntries()
        let root = try OpenFolder(folder.path)
        let found: [(name: String, reason: String?)] = [
            ("file", nil), ("folder", "expected a regular file, found a folder"),
            ("pipe", "expected a regular file, found a pipe"),
            ("link", "expected a regular file, found a symbolic link"),
            ("dangling", "expected a regular file, found a symbolic link"),
        ]
        for (name, reason) in found {
            let code: StorageError.Code? = reason == nil ? nil : .corrupted
            for parent in [root, nil] {
                let error = Self.error {
                    close(try StorePart.openFile(folder.file(name), O_RDONLY, "cannot open it", in: parent))
                }
                #expect(error?.reason == reason && error?.code == code, "\(name)")
            }
        }
        let absent = Self.error { close(try StorePart.openFile(folder.file("absent"), O_RDONLY, "cannot open it")) }
        #expect(absent?.code == .missing && absent?.reason.hasPrefix("cannot open it: ") == true)
        #expect(try folder.bytes("file") == [1, 2, 3])
    }

    @Test("A store of a form that is known is read, and one of a later form is left to others")
    func forms() throws {
        func form(_ text: String) -> (metadata: StoreMetadata?, error: StorageError?) {
            do throws(StorageError) {
                return (try StoreMetadata(Array(text.utf8), path: "s"), nil)
            } catch {
                return (nil, error)
            }
        }
        let rest = #""identifier":"a","assetFolder":"b""#
        for number in [1, 2] {
            let read = form("{\"format\":\(number),\(rest)}").metadata
            #expect(read?.format == number && read?.identifier == "a" && read?.assetFolder == "b", "\(number)")
            #expect(read?.generation == nil)
        }
        // A later form may say anything else.
        for text in ["{\"format\":3,\(rest)}", "{\"format\":3}"] {
            let error = form(text).error
            #expect(error?.code == .incompatibleVersion && error?.path == "s")
            #expect(error?.reason == "the store has form 3, and this version knows forms up to 2")
            #expect(error?.hint == "use the version that wrote it, or a newer one")
        }
        for (text, reason) in [
            ("{\"format\":2}", "what the store says about itself cannot be read"),
            ("{\(rest)}", "the store does not say which form it has"), ("", "the store does not say which form it has"),
        ] {
            let error = form(text).error
            #expect(error?.code == .corrupted && error?.reason == reason, "\(text)")
        }
        let made = StoreMetadata(identifier: "a", assetFolder: "b")
        #expect(try StoreMetadata(made.bytes(path: "s"), path: "s") == made && made.format == 2)
    }

    @Test("Who cannot pass is told for whom to wait")
    func lockedFolders() throws {
        func refusal(_ passage: FolderGate.Passage) -> StorageError? {
            Self.error { try FolderGate(folder.path, for: passage, patience: .zero).leave() }
        }
        let writer = try FolderGate(folder.path, for: .replacing, patience: .seconds(10))
        let reader = refusal(.reading)
        writer.leave()
        #expect(reader?.reason == "another process has kept the folder locked for more than 0 seconds")
        #expect(reader?.code == .locked && reader?.path == folder.path && reader?.hint?.contains("lslocks") == true)
        let passing = try FolderGate(folder.path, for: .reading, patience: .seconds(10))
        let other = refusal(.replacing)
        passing.leave()
        #expect(other?.reason == "another process has been reading the tables for more than 0 seconds")
        #expect(other?.code == .locked && other?.hint == "try again when it is done")
    }
}
