// What people find in the lock file of a store.

import Foundation
import Testing

@testable import RecordStorage

@Suite struct LockFileTests {
    /// The number of the process that writes, and nothing that was there before it.
    @Test(arguments: ["", "1\n", "12345678901234567890\nand more\n"])
    func theLockFileNamesItsWriter(before: String) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("store"), withIntermediateDirectories: true)
        _ = try folder.write(Array(before.utf8), "store/writer.lock")
        let environment = try StorageEnvironment(
            path: folder.file("store"), mode: .readWrite, durability: .off,
            new: StoreMetadata(identifier: "test", assetFolder: ""))
        let text = String(decoding: try folder.bytes("store/writer.lock"), as: UTF8.self)
        #expect(text == "\(ProcessInfo.processInfo.processIdentifier)\n")
        environment.close()
    }
}
