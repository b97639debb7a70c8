// Empty lines of a text of several, and entries that end with half a line end.

import LineEditing
import Testing

@Suite struct LineEndsTests {
    @Test(
        "vi's `a` stays in its line, also where that is empty",
        arguments: [
            ("ab<M-Enter>cd<Esc>k$a-", "ab-|\ncd"), ("ab<M-Enter><M-Enter>cd<Esc>ka-", "ab\n-|\ncd"),
            ("<M-Enter>cd<Esc>ka-", "-|\ncd"), ("ab<M-Enter>cd<Esc>a-", "ab\ncd-|"),
        ])
    func appending(_ keys: String, _ text: String) {
        var state = EditorState()
        state.usesViKeys = true
        type(keys, into: &state)
        #expect(state.marked == text, "\(keys)")
    }

    @Test("Each entry of a history is a line of its own, whatever it ends with")
    func entries() {
        let entries = ["a\r", "b", "\r", "c\r\nd", "e\n", "f\\", "g\\r"]
        let file = entries.map { InputHistory.line(of: $0) }.joined()
        #expect(InputHistory(file: file).entries == entries)
        #expect(file.utf8.allSatisfy { $0 != 0x0D })
    }
}
