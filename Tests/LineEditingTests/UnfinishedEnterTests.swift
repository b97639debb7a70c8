// Enter in a text that is not finished: an empty line runs it only where the cursor is in that line.

import LineEditing
import Testing

@Suite struct UnfinishedEnterTests {
    private static let cases: [(keys: String, action: EditorAction, text: String)] = [
        ("(ab<Enter>", .edit, "(ab\n|"),
        ("(ab<Enter><Enter>", .submit("(ab\n"), "|"),
        ("(ab<Enter><Left><Left><Enter>", .edit, "(a\n|b\n"),
        ("(ab<Enter><Up><Enter>", .edit, "\n|(ab\n"),
        ("(ab<Enter><Left><Enter>", .edit, "(ab\n|\n"),
        ("(ab<Enter>c<Enter>", .edit, "(ab\nc\n|"),
        ("(ab)<M-Enter><Left><Left><Enter>", .submit("(ab)\n"), "|"),
    ]

    @Test("Enter begins a line within the text, and runs it behind an empty one", arguments: cases.indices)
    func enters(index: Int) {
        let (keys, action, text) = Self.cases[index]
        var state = EditorState()
        #expect(type(keys, into: &state) == action, "\(keys)")
        #expect(state.marked == text, "\(keys)")
    }
}
