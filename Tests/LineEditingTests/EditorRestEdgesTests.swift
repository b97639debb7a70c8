// What stays of a text that was entered or given up, and what a search can be taken back to.

import LineEditing
import Testing

@Suite struct EditorRestEdgesTests {
    private static let cases: [(keys: String, text: String)] = [
        // Changes of a text go with it.
        ("ab cd<Enter><C-_>", "|"), ("ab cd<C-c><C-_>", "|"), ("ab cd<C-_><Enter><M-z>", "|"),
        ("ab cd<C-_><C-c><M-z>", "|"), ("ab cd<Enter>x<C-_>", "|"),
        // Killed texts do not.
        ("ab<C-u>c<Enter><C-y>", "ab|"), ("ab<C-u>c<C-c><C-y>", "ab|"), ("a<C-u>b<C-u>c<Enter><C-y><M-y>", "a|"),
        // What was found takes the place of the text as one change.
        ("x<C-r>older<Esc><C-_>", "x|"), ("x<C-r>older<Esc><C-_><M-z>", "older aa|"),
        ("x<C-r>older<Esc>!<C-_>", "older aa|"), ("x<C-r>older<C-g><C-_>", "|"),
        // A menu that was open is none of the next text.
        ("pop<Tab><C-c>na<Tab>", "name |"), ("pop<Tab><Enter>na<Tab>", "name |"),
    ]

    @Test("Changes are of one text, killed texts of all", arguments: cases.indices)
    func rests(index: Int) {
        let (keys, text) = Self.cases[index]
        var state = EditorState(history: InputHistory(file: "oldest Ab\nolder aa\nnewer bb\n"))
        type(keys, into: &state)
        #expect(state.marked == text, "\(keys)")
    }
}
