// Files that are one object around the records that were meant.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct WrapperNoteTests {
    private static let two = #"[{"a":1},{"a":2}]"#

    /// A document, and whether it is told that its list was meant.
    static let documents: [(text: String, isTold: Bool)] = [
        ("{\n\"items\":\(two)}", true), ("{\n\"x\":1,\"y\":2,\"items\":\(two)}", true),
        ("{\n\"x\":1,\"y\":2,\"z\":3,\"items\":\(two)}", false), ("{\n\"items\":[{\"a\":1}]}", false),
        ("{\n\"items\":[{\"a\":1},5]}", false), ("{\n\"items\":[5,6]}", false),
        ("[{\"items\":\(two)},\n{\"items\":\(two)}]", false),
    ]

    @Test(arguments: documents.indices) func aListOfObjectsIsToldWhereItIsAllThereIs(_ index: Int) throws {
        let (text, isTold) = Self.documents[index]
        let folder = try TemporaryFolder()
        let file = try folder.file("f.json", text)
        let run = CommandCall(["query", "TRUEPREDICATE", file])
        #expect(run.status == .success)
        let note =
            "the file is one record; for the 2 objects in its 'items': jq -c '.\"items\"[]' "
            + "\(ShellWord.quoted(file)) | predicate …"
        #expect(run.messages.contains(note) == isTold, "\(run)")
        if !isTold { #expect(!run.messages.contains("the file is one record"), "\(run)") }
    }
}
