// The layout at the edges of the terminal: rows that are full, help that hardly fits, menus longer than the screen.

import LineEditing
import Testing

/// A language that says what it was told to say.
private struct StubLanguage: EditorLanguage {
    var ranges: [HighlightedRange] = []
    var fault: Diagnosis?
    var candidates: [CompletionCandidate] = []

    func highlights(of text: String) -> [HighlightedRange] { ranges }
    func diagnosis(of text: String, cursor: Int) -> Diagnosis? { fault }
    func isFinished(_ text: String) -> Bool { true }
    func completions(of text: String, cursor: Int) -> CompletionList {
        CompletionList(range: 0..<cursor, candidates: candidates)
    }
}

extension Screen {
    /// The text of each row, with `|` at the cursor.
    fileprivate var marked: [String] {
        rows.indices.map { row in
            guard row == cursorRow else { return lines[row] }
            var (text, column) = ("", 0)
            for cell in rows[row] {
                text += (column == cursorColumn ? "|" : "") + cell.text
                column += cell.width
            }
            return column == cursorColumn ? text + "|" : text
        }
    }

    /// Where the cells of a row have a role.
    fileprivate func places(_ role: TextRole, row: Int = 0) -> [Int] {
        rows[row].indices.filter { rows[row][$0].style.role == role }
    }
}

@Suite struct ScreenEdgesTests {
    private struct Case: Sendable {
        var columns = 30
        var height = 10
        var history = ""
        var keys: String
        var rows: [String]
    }

    private static let fitting = [
        Case(columns: 5, keys: "a<M-Enter>b", rows: ["> a", "b|"]),
        Case(columns: 6, keys: "a<M-Enter>b", rows: ["> a", "  b|"]),
        Case(columns: 10, keys: "abcdefghij<Left><Left>", rows: ["> abcdefgh", "|ij"]),
        Case(columns: 10, keys: "abcdefgh<M-Enter>x<Home><Left>", rows: ["> abcdefg|h", "  x"]),
        // What goes on in the history leaves two rows free.
        Case(
            columns: 10, height: 4, history: "abcdefghijklmnopqrstuvwxyz\n", keys: "ab",
            rows: ["> ab|cdefgh", "ijklmnop"]),
        Case(height: 4, history: "ab\\ncd\\nef\\ngh\n", keys: "ab", rows: ["> ab|", "  cd"]),
        Case(history: "a\\nsee\n", keys: "<C-r>see", rows: ["search: see|", "a", "see"]),
        Case(history: "bad idea\n", keys: "bad", rows: ["> bad|", "  ^~~", "this is bad", "hint: say good"]),
        Case(history: "odd one\n", keys: "odd", rows: ["> odd| one", "  ^~~", "this is odd", "hint: say good"]),
    ]

    private static let faults = [
        Case(
            columns: 10, keys: "bad abcdefghij",
            rows: ["> bad abcd", "efghij|", "this is", "bad", "hint: say", "good"]),
        Case(
            keys: "x<M-Enter>bad<M-Enter>y", rows: ["> x", "  bad", "  y|", "line 2: this is bad", "hint: say good"]),
        Case(height: 3, keys: "bad", rows: ["> bad|", "this is bad"]),
        Case(height: 4, keys: "bad", rows: ["> bad|", "  ^~~", "this is bad"]),
        Case(columns: 12, height: 5, keys: "bad", rows: ["> bad|", "  ^~~", "this is bad", "hint: say"]),
        Case(columns: 10, height: 4, keys: "bad", rows: ["> bad|", "  ^~~", "this is"]),
        Case(columns: 12, height: 4, keys: "zz<Tab>", rows: ["> zz|", "nothing to", "complete"]),
        Case(columns: 12, height: 3, keys: "zz<Tab>", rows: ["> zz|", "nothing to"]),
        Case(columns: 11, keys: "zz<Tab>", rows: ["> zz|", "nothing to", "complete", "here"]),
        Case(columns: 10, keys: "zz<Tab>", rows: ["> zz|", "nothing", "to", "complete", "here"]),
    ]

    private static let searches = [
        ("<C-r>", ["search: |"]), ("<C-r>zq<BS><BS>", ["search: |"]), ("<C-r>s<BS>", ["search: |"]),
        ("<C-r>se<C-r>", ["not found: se|", "see you"]), ("<C-r>se<C-r><BS>", ["search: s|", "see you"]),
        ("<C-r>sez", ["not found: sez|", "see you"]), ("<C-r><Paste:a\nb>", ["not found: a", "b|"]),
    ].map { Case(history: "first\nsee you\n", keys: $0.0, rows: $0.1) }

    @Test("Rows end where the terminal does", arguments: [0, 1, 2])
    func rows(_ part: Int) {
        for test in [Self.fitting, Self.faults, Self.searches][part] {
            var state = EditorState(history: InputHistory(file: test.history))
            type(test.keys, into: &state)
            let layout = ScreenLayout(prompt: "> ", columns: test.columns, height: test.height)
            #expect(layout.screen(of: state, TestLanguage()).marked == test.rows, "\(test)")
        }
    }

    private func screen(
        _ text: String, _ language: StubLanguage, columns: Int = 30, height: Int = 10, keys: [Key] = []
    ) -> Screen {
        var state = EditorState()
        state.set(text)
        for key in keys { _ = state.handle(key, language) }
        return ScreenLayout(prompt: "> ", columns: columns, height: height).screen(of: state, language)
    }

    @Test("A terminal has at least four columns and three rows")
    func leastSize() {
        let sizes = [(1, 1), (4, 3), (9, 7)].map { ScreenLayout(prompt: "", columns: $0.0, height: $0.1) }
        #expect(sizes.map(\.columns) == [4, 4, 9])
        #expect(sizes.map(\.height) == [3, 3, 7])
    }

    @Test("Of a long text the rows around the cursor are shown")
    func cropping() {
        let ups = { [Key](repeating: .named(.up), count: $0) }
        let cases: [(text: String, ups: Int, rows: [String])] = [
            ("a\nb\nc\nd\ne\nf", 0, ["  c", "  d", "  e", "  f|"]),
            ("a\nb\nc\nd\ne\nf", 2, ["  b", "  c", "  d|", "  e"]),
            ("a\nb\nc\nd\ne\nf", 5, ["> a|", "  b", "  c", "  d"]), ("a\nb\nc\nd", 0, ["> a", "  b", "  c", "  d|"]),
        ]
        for (text, count, rows) in cases {
            #expect(screen(text, StubLanguage(), height: 4, keys: ups(count)).marked == rows, "\(text) \(count)")
        }
    }

    @Test("A text that was entered is shown without help, the cursor behind it")
    func finalScreens() {
        let layout = ScreenLayout(prompt: "> ", columns: 10, height: 10)
        #expect(layout.finalScreen(of: "bad\nx", TestLanguage()).marked == ["> bad", "  x|"])
        #expect(layout.finalScreen(of: "abcdefgh", TestLanguage()).marked == ["> abcdefgh", "|"])
    }

    @Test("What has no picture of its own takes a column")
    func pictures() {
        let cases: [(text: String, shown: String, column: Int)] = [
            ("a\tb", "> a␉b", 5), ("\u{7F}", "> ␡", 3), ("\u{1}", "> ␁", 3), ("\u{85}", "> \u{FFFD}", 3),
            ("\u{202E}x", "> \u{FFFD}x", 4), ("\u{301}x", "> ◌\u{301}x", 4), ("日", "> 日", 4),
        ]
        for (text, shown, column) in cases {
            let screen = screen(text, StubLanguage())
            #expect(screen.lines == [shown] && screen.cursorColumn == column, "\(text.debugDescription)")
        }
    }

    @Test("What is wrong is underlined, all of it and nothing else")
    func faultStyles() {
        for (text, role, places) in [
            ("a bad", TextRole.error, [4, 5, 6]), ("bad", .error, [2, 3, 4]), ("odd x", .warning, [2, 3, 4]),
        ] {
            var state = EditorState()
            state.set(text)
            let screen = ScreenLayout(prompt: "> ", columns: 30, height: 10).screen(of: state, TestLanguage())
            #expect(screen.places(role) == places)
            #expect(screen.rows[0].indices.filter { screen.rows[0][$0].style.isUnderlined } == places)
            #expect(screen.places(.prompt) == [0, 1])
            #expect(screen.places(role, row: 1) == places && screen.rows[2][0].style.role == role)
            #expect(screen.rows[3][0].style.role == .faint)
        }
        let unfinished = StubLanguage(fault: Diagnosis(.unfinished, 0..<2, "more expected", hint: "a sign"))
        let open = screen("ab", unfinished)
        #expect(open.lines == ["> ab", "more expected: a sign"])
        #expect(open.places(.plain) == [2, 3] && open.rows[1][0].style == CellStyle(.faint))
    }

    @Test("A fault at the end of the text has its mark there, where there is room")
    func faultsAtTheEnd() {
        let fault = StubLanguage(fault: Diagnosis(.error, 2..<2, "more"))
        #expect(screen("ab", fault).marked == ["> ab|", "    ^", "more"])
        let edge = StubLanguage(fault: Diagnosis(.error, 8..<8, "more"))
        #expect(screen("abcdefgh", edge, columns: 10, keys: [.named(.left)]).marked == ["> abcdefg|h", "more"])
        let long = StubLanguage(fault: Diagnosis(.error, 0..<1, "abcdefghijkl mn"))
        #expect(screen("x", long, columns: 10).lines == ["> x", "  ^", "abcdefgh…", "mn"])
    }

    @Test("Colours are those of the text, and end with it")
    func highlights() {
        let both = StubLanguage(ranges: [HighlightedRange(0..<1, .keyword), HighlightedRange(1..<5, .number)])
        let colored = screen("ab", both)
        #expect(colored.places(.keyword) == [2] && colored.places(.number) == [3])
        let beyond = screen("ab", StubLanguage(ranges: [HighlightedRange(2..<3, .bracket)]))
        #expect(beyond.lines == ["> ab"] && beyond.places(.plain) == [2, 3])
    }

    @Test("Brackets beside the cursor are marked with their partners, those before it first")
    func brackets() {
        let cases: [(keys: String, role: TextRole, places: [Int])] = [
            ("(a)(b)<C-a><Right>", .matchedBracket, [2, 4]), ("(a)(b)<Left><Left><Left>", .matchedBracket, [2, 4]),
            ("(a)<Left>", .matchedBracket, [2, 4]), ("{a}", .matchedBracket, [2, 4]), ("[a]", .matchedBracket, [2, 4]),
            ("(a}", .invalid, [4]), ("{a)", .invalid, [4]), ("x (a)<C-a>", .bracket, [4, 6]),
        ]
        for (keys, role, places) in cases {
            var state = EditorState()
            type(keys, into: &state)
            let screen = ScreenLayout(prompt: "> ", columns: 30, height: 10).screen(of: state, TestLanguage())
            #expect(screen.places(role) == places, "\(keys)")
        }
    }

    @Test("What a search found is marked in its entry")
    func foundTexts() {
        for (keys, places) in [("<C-r>e y", [2, 3, 4]), ("<C-r>Y", [4]), ("<C-r>see", [0, 1, 2])] {
            var state = EditorState(history: InputHistory(file: "See You\nsee you\n"))
            type(keys, into: &state)
            let screen = ScreenLayout(prompt: "> ", columns: 30, height: 10).screen(of: state, TestLanguage())
            #expect(screen.places(.found, row: 1) == places, "\(keys)")
            #expect(screen.places(.prompt) == Array(0..<8))
        }
        // Small letters of other lengths than their capitals: no wrong place is marked.
        var state = EditorState(history: InputHistory(file: "İ see\n"))
        type("<C-r>see", into: &state)
        let screen = ScreenLayout(prompt: "> ", columns: 30, height: 10).screen(of: state, TestLanguage())
        let found = screen.places(.found, row: 1).map { screen.rows[1][$0].text }.joined()
        #expect(screen.lines[1] == "İ see" && ["", "see"].contains(found))
    }
}
