// The menu of candidates where it is longer or wider than the terminal.

import LineEditing
import Testing

/// A language with some candidates for any text.
private struct CandidateLanguage: EditorLanguage {
    var candidates: [CompletionCandidate]

    func highlights(of text: String) -> [HighlightedRange] { [] }
    func diagnosis(of text: String, cursor: Int) -> Diagnosis? { nil }
    func isFinished(_ text: String) -> Bool { true }
    func completions(of text: String, cursor: Int) -> CompletionList {
        CompletionList(range: 0..<cursor, candidates: candidates)
    }
}

@Suite struct MenuEdgesTests {
    /// The screen behind Tab on no text, and other keys.
    private func screen(
        _ candidates: [CompletionCandidate], columns: Int = 30, height: Int = 30, _ keys: [Key] = []
    ) -> Screen {
        let language = CandidateLanguage(candidates: candidates)
        var state = EditorState()
        for key in [.named(.tab)] + keys { _ = state.handle(key, language) }
        return ScreenLayout(prompt: "> ", columns: columns, height: height).screen(of: state, language)
    }

    /// `w01`, `w02` and so on.
    private func words(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { "w\($0 / 10)\($0 % 10)" } }

    private func numbered(_ count: Int) -> [CompletionCandidate] { words(1...count).map { CompletionCandidate($0) } }

    @Test("A menu has eight rows and says where it is, in less room fewer")
    func heights() {
        func shown(_ range: ClosedRange<Int>) -> [String] { words(range).map { "  " + $0 } }
        let twenty = numbered(20)
        #expect(screen(twenty).lines == ["> w"] + shown(1...8) + ["  20 in all"])
        #expect(screen(twenty, height: 10).lines == ["> w"] + shown(1...7) + ["  20 in all"])
        #expect(screen(twenty, height: 3).lines == ["> w", "  w01", "  20 in all"])
        let tabs = [Key](repeating: .named(.tab), count: 6)
        #expect(screen(twenty, tabs).lines == ["> w06"] + shown(2...5) + ["› w06"] + shown(7...9) + ["  6 of 20"])
        let last: [Key] = [.named(.tab, .shift)]
        #expect(screen(twenty, last).lines == ["> w20"] + shown(13...19) + ["› w20", "  20 of 20"])
        #expect(screen(numbered(9)).lines == ["> w0"] + shown(1...8) + ["  9 in all"])
        #expect(screen(numbered(9), last).lines == ["> w09"] + shown(2...8) + ["› w09", "  9 of 9"])
        #expect(screen(numbered(8)).lines == ["> w0"] + shown(1...8))
        #expect(screen(twenty, columns: 8, height: 3).lines == ["> w", "  w01", "  20 i…"])
    }

    @Test("Candidates take two thirds of the columns, or all but twenty; what is beside them the rest")
    func widths() {
        func lines(_ names: [String], _ columns: Int, detail: String = "") -> [String] {
            Array(screen(names.map { CompletionCandidate($0, detail: detail) }, columns: columns).lines.dropFirst())
        }
        func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
        #expect(
            lines([many("a", 25), "b"], 30, detail: "detail")
                == ["  " + many("a", 19) + "…  detail", "  b" + many(" ", 19) + "  detail"])
        #expect(lines([many("a", 80), "b"], 90) == ["  " + many("a", 69) + "…", "  b" + many(" ", 69)])
        #expect(lines(["abcd", "x"], 12, detail: "detail") == ["  abcd  det…", "  x     det…"])
        #expect(lines(["abcde", "x"], 12, detail: "detail") == ["  abcde", "  x    "])
        #expect(lines(["abcdef", "x"], 6) == ["  ab…", "  x  "])
        #expect(lines(["ab", "x"], 4) == ["  …", "  x"])
    }

    @Test("What is typed into a menu is something new: what was undone before does not come back")
    func redo() {
        let language = CandidateLanguage(candidates: [CompletionCandidate("a"), CompletionCandidate("b")])
        var state = EditorState()
        let keys: [Key] = [.text("x"), .control("_"), .named(.tab), .text("y")]
        for key in keys { _ = state.handle(key, language) }
        #expect(state.buffer.text == "y")
        _ = state.handle(.meta("z"), language)
        #expect(state.buffer.text == "y")
        _ = state.handle(.control("_"), language)
        #expect(state.buffer.text.isEmpty)
        var erased = EditorState()
        for key: Key in [.text("a"), .text(" "), .text("b"), .control("_"), .named(.tab), .named(.backspace)] {
            _ = erased.handle(key, language)
        }
        #expect(erased.buffer.text == "a")
        _ = erased.handle(.meta("z"), language)
        #expect(erased.buffer.text == "a")
        _ = erased.handle(.control("_"), language)
        #expect(erased.buffer.text == "a ")
    }

    @Test("Candidates have the colours of what they are, the chosen one has its own")
    func roles() {
        let candidates = [CompletionCandidate("a", detail: "d", role: .keyword), CompletionCandidate("b")]
        func roles(_ screen: Screen, _ row: Int) -> [TextRole] { screen.rows[row].map(\.style.role) }
        let open = screen(candidates)
        #expect(open.lines == ["> ", "  a  d", "  b"])
        #expect(roles(open, 1) == [.menu, .menu, .keyword, .menu, .menu, .faint])
        #expect(roles(open, 2) == [.menu, .menu, .menu])
        let chosen = screen(candidates, [.named(.tab)])
        #expect(chosen.lines == ["> a", "› a  d", "  b"])
        #expect(roles(chosen, 1) == [TextRole](repeating: .chosen, count: 6))
        #expect(roles(chosen, 2) == [.menu, .menu, .menu])
    }
}
