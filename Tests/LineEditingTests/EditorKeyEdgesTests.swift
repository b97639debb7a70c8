// Keys at the ends of texts and lists: what is killed together, undone together, kept and given up.

import LineEditing
import Testing
import TextAnalysis

@Suite struct EditorKeyEdgesTests {
    private static let killed: [(keys: String, text: String)] = [
        // What is killed in a row is put back as it stood.
        ("ab cd<C-w><C-u><C-y>", "ab cd|"), ("ab cd<C-a><M-d><M-d><C-y>", "ab cd|"),
        ("ab cd<M-BS><M-BS><C-y>", "ab cd|"),
        ("ab cd<C-a><M-d><C-k><C-y>", "ab cd|"), ("ab cd<C-w>x<C-w><C-y>", "ab x|"),
        ("ab<C-w><C-b><C-k><C-y>", "ab|"), ("ab cd<C-w><C-b><C-w><C-y>", "ab| "), (" <C-w>", "|"), ("a<C-w>", "|"),
        ("aa<C-u>b<C-u>xy<Left><C-y><M-y>", "xaa|y"), ("aa<C-u>b<C-u><C-y>x<M-y>", "bx|"), ("<C-y><M-y>", "|"),
    ]

    private static let moved: [(keys: String, text: String)] = [
        ("a<C-t>", "a|"), ("ab<C-a><C-t>", "|ab"), ("abc<C-a><C-f><C-t>", "ba|c"), ("abc<C-b>x", "abx|c"),
        ("abc<C-a><C-f>x", "ax|bc"), ("a<M-Enter>b<C-p>x", "ax|\nb"), ("ab<M-Enter>cd<C-p><C-n>x", "ab\ncdx|"),
        ("<M-Enter>b<Up>x", "x|\nb"), ("日本<M-Enter>abc<Up>x", "日本x|\nabc"), ("日本<M-Enter>ab<Up>x", "日x|本\nab"),
        ("(<M-b>x", "x|("), ("a<M-b>x", "x|a"), ("a1b<M-b>x", "x|a1b"), ("na<S-Tab>x", "nax|"),
        ("ab<C-x><C-k>x", "abx|"),
    ]

    private static let undone: [(keys: String, text: String)] = [
        ("ab<BS><C-_>", "ab|"), ("ab<Left>c<C-_>", "a|b"),
        // A chosen candidate is a change: what was undone before cannot come back.
        ("p<C-u><C-_><Tab><Tab><Enter><M-z>", "population |"), ("p<Tab>zy<C-_>", "p|"),
    ]

    private static let completed: [(keys: String, text: String)] = [
        ("p<Tab>o<Tab>", "population|"), ("p<Tab> <Tab>", "p |"), ("P<Tab>", "P|"), ("ua<Tab>", "ua|"),
        ("pop<Tab><Tab><Tab><Tab>", "population|"), ("pop<Tab><S-Tab><S-Tab>", "population|"),
        ("pop<Tab><C-n><C-p>", "popular|"), ("pop<Tab><Tab><C-g>", "popula|"),
    ]

    @Test("Keys edit", arguments: [killed, moved, undone, completed])
    func edits(_ cases: [(keys: String, text: String)]) {
        for (keys, text) in cases {
            var state = EditorState()
            type(keys, into: &state)
            #expect(state.marked == text, "\(keys)")
        }
    }

    private static let modified: [(text: String, keys: [Key], marked: String)] = [
        ("ab\ncd", [.named(.home, .control)], "|ab\ncd"),
        ("ab\ncd", [.named(.home, .control), .named(.end, .meta)], "ab\ncd|"),
        ("ab\ncd", [.named(.home, .control), .named(.end)], "ab|\ncd"),
        (
            "ab cd ef",
            [.control("a"), .named(.delete, .control), .named(.delete, .meta), .control("e"), .control("y")],
            " efab cd|"
        ),
        ("ab cd", [.named(.left, .meta)], "ab |cd"), ("ab cd", [.control("a"), .named(.right, .control)], "ab| cd"),
        ("a", [.named(.enter, .shift)], "a\n|"), ("na", [.named(.tab, .control)], "na|"),
        ("ab", [.control("a"), .named(.delete)], "|b"), ("ab", [.named(.delete)], "ab|"),
        ("ab", [.control("a"), .named(.backspace)], "|ab"), ("ab", [.control("a"), .control("h")], "|ab"),
        ("ab", [.named(.insert), .named(.escape)], "ab|"), ("ab cd", [.meta("B"), .meta("D")], "ab |"),
        ("ab cd", [.control("a"), .meta("F")], "ab| cd"),
        // A text without characters, as the decoder makes it of controls, is no change.
        ("", [.text(""), .text("a"), .control("_")], "|"),
    ]

    @Test("Keys with modifiers go by words, and to the ends of the whole text", arguments: modified.indices)
    func modifiers(index: Int) {
        let (text, keys, marked) = Self.modified[index]
        var state = EditorState()
        state.set(text)
        for key in keys { _ = state.handle(key, TestLanguage()) }
        #expect(state.marked == marked, "\(text) \(keys)")
    }

    private static let entered: [(keys: String, text: String)] = [
        ("<C-p><C-p><Enter>", "older aa"), ("<C-p><C-p><C-n><Enter>", "newer bb"),
        ("x<C-r>older<BS><BS><BS><BS><BS><Enter>", "x"), ("<C-r>olderz<Enter>", "older aa"), ("<C-r>zz<Enter>", ""),
        ("<C-r>old<Up><Down><Enter>", "older aa"), ("<C-r>older<Tab>!<Enter>", "older aa!"),
        ("x<C-r>older<C-c><Enter>", "x"), ("<C-r><Paste:older><Enter>", "older aa"),
        ("<C-r>oldez<C-h><Enter>", "older aa"),
        // The next text begins behind the newest entry.
        ("<Up><Up><Enter><Up><Enter>", "newer bb"),
    ]

    @Test("Entries are found from the newest on", arguments: entered.indices)
    func enters(index: Int) {
        let (keys, text) = Self.entered[index]
        var state = EditorState(history: InputHistory(file: "oldest Ab\nolder aa\nnewer bb\n"))
        #expect(type(keys, into: &state) == .submit(text), "\(keys)")
    }

    @Test("What continues a text is offered at its end only, while nothing else is open")
    func continuation() {
        let cases: [(keys: String, rest: String?)] = [
            ("new", "er bb"), ("", nil), ("new<Left>", nil), ("newer bb", nil), ("new<C-r>", nil),
            ("new<C-r><C-g>", "er bb"), ("pop", "ular x"), ("pop<Tab>", nil), ("pop<Tab><C-g>", "r x"),
        ]
        for (keys, rest) in cases {
            var state = EditorState(history: InputHistory(file: "older aa\nnewer bb\npopular x\n"))
            type(keys, into: &state)
            #expect(state.continuation == rest, "\(keys)")
            state.offersContinuation = false
            #expect(state.continuation == nil, "\(keys)")
        }
    }

    @Test("An entry that was added is the next one before the text")
    func addedEntries() {
        var history = InputHistory(file: "a\nb\n")
        let isNew = history.add("c")
        #expect(isNew)
        let before = history.step(-1, from: "")
        #expect(before == "c")
        #expect(history.continuation(of: "b") == nil)
        #expect(history.search("", before: 3) == nil)
        #expect(history.search("b", before: 1) == nil && history.search("b", before: 9) == 1)
        #expect(history.search("B", before: 3) == nil)
        #expect(InputHistory(file: "x1\nx2\nx3\n").search("x", after: 1) == 2)
        #expect(InputHistory(file: "cut\\").entries == ["cut"])
    }

    @Test("What helped with the last key is gone with the next")
    func notice() {
        var state = EditorState()
        type("zz<Tab>", into: &state)
        #expect(state.notice == "nothing to complete here")
        type("<Left>", into: &state)
        #expect(state.notice == nil)
    }

    @Test("A text that is set can be undone, apart from what is typed behind it")
    func setTexts() {
        var state = EditorState()
        type("a", into: &state)
        state.set("ab")
        type("c", into: &state)
        #expect(state.marked == "abc|")
        type("<C-_>", into: &state)
        #expect(state.marked == "ab|")
        // The same text once more is no change.
        state.set("ab")
        type("<C-_>", into: &state)
        #expect(state.marked == "a|")
    }

    @Test("The last thousand changes can be undone")
    func mostUndone() {
        var state = EditorState()
        // Each of the first three is a change of its own.
        type("1<End>2<End>3<End>", into: &state)
        for change in 4...1_002 { type(change.isMultiple(of: 2) ? "a" : "<BS>", into: &state) }
        for _ in 0..<1_100 { _ = state.handle(.control("_"), TestLanguage()) }
        #expect(state.marked == "12|")
    }

    @Test("The last thirty killed texts can be put back")
    func mostKilled() {
        var state = EditorState()
        for number in 1...31 { type("k\(number)<C-u>", into: &state) }
        type("<C-y>" + String(repeating: "<M-y>", count: 29), into: &state)
        #expect(state.marked == "k2|")
        type("<M-y>", into: &state)
        #expect(state.marked == "k31|")
    }

    @Test("A byte within a character is the place behind it")
    func bytes() {
        let places = (0...5).map { EditBuffer("日x", byteCursor: $0).cursor }
        #expect(places == [0, 1, 1, 1, 2, 2])
        var buffer = EditBuffer("日xy")
        #expect(buffer.byteCursor == 5 && buffer.byteOffset(of: 1) == 3 && buffer.isAtEnd)
        buffer.replace(bytes: 3..<4, with: "ab")
        #expect(buffer == EditBuffer("日aby", byteCursor: 5))
        let removed = buffer.remove(0..<1)
        #expect(removed == "日" && buffer == EditBuffer("aby", byteCursor: 0))
    }

    /// Words of letters; what they are completed by has no blank behind it where it is a part.
    private struct PartLanguage: EditorLanguage {
        func highlights(of text: String) -> [HighlightedRange] { [] }
        func diagnosis(of text: String, cursor: Int) -> Diagnosis? { nil }
        func isFinished(_ text: String) -> Bool { true }

        func completions(of text: String, cursor: Int) -> CompletionList {
            let typed = text.utf8.prefix(cursor).reversed().prefix { $0 >= 0x61 }.count
            let word = String(decoding: Array(text.utf8)[cursor - typed..<cursor], as: UTF8.self)
            let candidates = ["part.", "peer", "other"].filter { $0.hasPrefix(word) }
                .map { CompletionCandidate($0, isWhole: !$0.hasSuffix(".")) }
            return CompletionList(range: cursor - typed..<cursor, candidates: candidates)
        }
    }

    @Test("No blank follows a part, and a sign closes the menu of the word before it")
    func parts() {
        let cases: [(keys: String, text: String)] = [
            ("pa<Tab>", "part.|"), ("pe<Tab>", "peer |"), ("p<Tab><Tab><Enter>", "part.|"),
            ("p<Tab><Tab>x", "part.x|"), ("p<Tab>(<Tab>", "p(|"), ("p<Tab>(<Tab><Tab>", "p(part.|"),
        ]
        for (keys, text) in cases {
            var state = EditorState()
            for key in KeyText.keys(keys) { _ = state.handle(key, PartLanguage()) }
            #expect(state.marked == text, "\(keys)")
        }
    }
}
