// Files that only look like the store's own: those of a folder whose name begins alike, and keys that do not end.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct OwnFileEdgesTests {
    /// A file of a folder beside the store's own is copied, though the names of the folders begin alike.
    @Test func foldersWhoseNamesBeginAlike() throws {
        let scratch = try AssetRules.Scratch()
        let folder = AssetFolder(scratch.folder.appending(path: "assets"))
        let beside = scratch.folder.appending(path: "assets-old")
        try FileManager.default.createDirectory(at: beside, withIntermediateDirectories: true)
        let file = try scratch.file("assets-old/a", Data("a".utf8))
        let stored = try folder.store(Asset(fileURL: file))
        #expect(stored.path.hasPrefix(folder.path + "/"))
        // Its bytes stay when the file that they came from is gone.
        try FileManager.default.removeItem(at: file)
        #expect(try Data(contentsOf: URL(filePath: stored.path)) == Data("a".utf8))
    }

    /// A key is a whole line: without its end it may be cut off, or there may be more of it.
    @Test(arguments: ["0", "x", " "]) func keysWithoutAnEnd(_ last: String) throws {
        let scratch = try AssetRules.Scratch()
        let path = scratch.folder.path + "/key"
        let digits = String(repeating: "0f", count: 32)
        for (end, isKey) in [("\n", true), (last, false)] {
            try Data("record-database-key 1 \(digits)\(end)".utf8).write(to: URL(filePath: path))
            #expect(chmod(path, 0o600) == 0)
            let code = Result { () throws(DatabaseError) in try KeyFile(path: path).key(ofContainer: "test") }
                .failure?.code
            #expect(code == (isKey ? nil : .internalError))
        }
    }
}
