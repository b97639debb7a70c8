// What is on the disk before a store that is opened loses files that nothing names any more.

import Foundation
import Testing
import _TestSupport

@testable import Campaigns

@Suite(.waits, .requires("predicate-fuzz", FuzzProgram.isThere), .requires(program: "cc"))
struct OpeningOrderTests {
    /// A writer of durability `normal` ended before its last commit was on the disk. The next one removes what that
    /// commit does not name when a power cut cannot bring back an earlier one.
    @Test func filesGoBehindTheLastCommit() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "opening-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "root"), withIntermediateDirectories: true)
        let root = folder.resolvingSymlinksInPath().path + "/root"
        let recorder = try CallRecorder(in: folder.path, project: ProjectFiles.root)
        func session(_ input: String) throws -> [RecordedCall] {
            try recorder.calls(
                of: ["/bin/sh", "-c", "\(input) | '\(FuzzProgram.path)' hold '\(root)/s' normal"], in: root,
                record: folder.path + "/record")
        }
        var calls = try session("echo save a")
        // A file of an earlier state, which lasts.
        let path = "s/segments/99.segment"
        try Data([1, 2, 3]).write(to: URL(filePath: "\(root)/\(path)"))
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")
        let number = UInt64(try #require(attributes[.systemFileNumber] as? Int))
        calls += [
            .create(file: number, path: path), .sync(file: number, path: path), .sync(file: 0, path: "s/segments"),
        ]
        let next = try session("true")
        #expect(next.contains(.unlink(path: path)))
        #expect(SyncRule.verdict(calls + next).violations == [])
    }
}
