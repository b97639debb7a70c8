// Imports whose records come before those that they belong to.

import Foundation
import Testing

struct LateTargetTests {
    private static func owned(_ name: String, by owner: String) -> String {
        #"{"id":"\#(name)","o":{"reference":"\#(owner)","action":"deleteSelf"}}"#
    }

    /// In pieces of any length the same records are saved, and those whose targets are nowhere are told once.
    @Test(arguments: [1, 2, 100]) func piecesOfAnyLength(_ batch: Int) throws {
        let folder = try TemporaryFolder()
        let store = folder.url.path + "/s"
        let lines = [
            #"{"id":"child","$parent":{"reference":"parent"}}"#, Self.owned("a", by: "b"), #"{"id":"n","n":1}"#,
            Self.owned("b", by: "a"), Self.owned("lost", by: "nobody"), Self.owned("after", by: "lost"),
            #"{"id":"parent","n":2}"#,
        ]
        let file = try folder.file("a.ndjson", lines.joined(separator: "\n") + "\n")
        let run = try CommandRun(["import", store, file, "--type", "T", "--batch", "\(batch)"])
        #expect(run.status == 3 && run.errors.contains("5 records saved"), "\(run.errors)")
        #expect(run.errors.contains("2 rejected"), "\(run.errors)")
        #expect(run.errors.components(separatedBy: "record 'lost' was not saved").count == 2, "\(run.errors)")
        #expect(run.errors.contains("record 'after' was not saved"), "\(run.errors)")
        let exported = try CommandRun(["export", store]).output
        for name in ["child", "a", "b", "n", "parent"] { #expect(exported.contains(#""id":"\#(name)""#), "\(name)") }
        #expect(exported.contains(#""$parent""#))
        // What is exported is taken whole, in any order and piece by piece.
        let again = try folder.file("b.ndjson", exported)
        let copy = try CommandRun(["import", folder.url.path + "/t", again, "--batch", "\(batch)"])
        #expect(copy.status == 0 && copy.errors.contains("5 records saved"), "\(copy.errors)")
    }
}
