// Keys -> text and cursor.

import LineEditing
import Testing
import TextAnalysis

struct EditorTests {
    private static let editing: [(keys: String, text: String)] = [
        ("abc", "abc|"), ("abc<Left><Left>x", "ax|bc"), ("abc<C-a>x<C-e>y", "xabcy|"), ("abc<Home><Del>", "|bc"),
        ("abc<C-b><C-b><C-f><C-d>", "ab|"), ("abc<BS><C-h>", "a|"), ("ab cd<C-Left><C-Left><C-Right>", "ab| cd"),
        ("ab cd_ef<M-b>x", "ab x|cd_ef"), ("ab cd<C-a><M-f>", "ab| cd"),
        // Killing and yanking.
        ("ab cd<C-w><C-a><C-y>", "cd|ab "), ("a b c<C-w><C-w><C-y>", "a b c|"),
        ("abcd<Left><Left><C-k><C-y><C-y>", "abcdcd|"),
        ("abcd<C-u>x<C-y>", "xabcd|"), ("ab cd<C-a><M-d><C-e><C-y>", " cdab|"), ("one two<M-BS><C-y>", "one two|"),
        ("aa<C-u>bb<C-u><C-y><M-y>", "aa|"), ("aa<C-u>bb<C-u>cc<C-u><C-y><M-y><M-y><M-y>", "cc|"),
        // Letters.
        ("ab<C-t>", "ba|"), ("abc<Left><C-t>", "acb|"), ("abc dEF<M-b><M-u>", "abc DEF|"), ("abc<C-a><M-c>", "Abc|"),
        ("ABC<C-a><M-l>", "abc|"),
        // Undo by words, redo, and nothing left to undo.
        ("ab cd<C-_>", "ab |"), ("ab cd<C-_><C-_>", "|"), ("ab<C-_><C-_>", "|"), ("ab cd<C-w><C-_>", "ab cd|"),
        ("ab<C-x><C-u>", "|"), ("ab cd<C-_><M-z>", "ab cd|"), ("ab<C-_>x<M-z>", "x|"),
        // Lines.
        ("(a<Enter>b", "(a\nb|"), ("a<M-Enter>b<Up><C-e>x", "ax|\nb"), ("abc<M-Enter>d<Up><Down>", "abc\nd|"),
        ("abcd<M-Enter>e<M-Enter>fghi<Up><Up>x", "abcdx|\ne\nfghi"), ("ab<M-Enter>cd<C-a>x<Home><Left>y", "aby|\nxcd"),
        ("ab<M-Enter>cd<M-lt>x<M-gt>y", "xab\ncdy|"), ("a<M-Enter>b<Up><C-k>", "a|b"),
        // Paste: line ends and control characters.
        ("<Paste:a\r\nb\rc\nd>", "a\nb\nc\nd|"), ("x<Paste:a\u{7}b\u{1B}[31mc>y", "xab[31mcy|"), ("<Paste:>x", "x|"),
        // Characters as a reader sees them.
        ("日本<Left>x", "日x|本"), ("👩‍👩‍👧‍👦e\u{301}<BS>", "👩‍👩‍👧‍👦|"), ("👩‍👩‍👧‍👦<BS>", "|"), ("🇩🇪🇫🇷<Left><BS>", "|🇫🇷"),
        ("e<Left><Right>\u{301}x<BS><BS>", "|"), ("नमस्ते<Left>x", "नमx|स्ते"), ("a\u{1F}b", "b|"),
        // Keys without a meaning here.
        ("a<C-]>\u{1B}[20~\u{1B}[99;5Rb", "ab|"),
    ]

    @Test(arguments: editing.indices) func keysEdit(index: Int) {
        let (keys, text) = Self.editing[index]
        var state = EditorState()
        type(keys, into: &state)
        #expect(state.marked == text, "\(keys)")
    }

    /// With vi's keys; `<Esc>` begins commands.
    private static let commands: [(keys: String, text: String)] = [
        ("abc<Esc>", "ab|c"), ("abc<Esc>i-", "ab-|c"), ("abc<Esc>a-", "abc-|"), ("abc<Esc>I-", "-|abc"),
        ("abc<Esc>0A-", "abc-|"), ("abc<Esc>hx", "a|c"), ("abcd<Esc>02x", "|cd"), ("abc<Esc>X", "a|c"),
        ("one two three<Esc>0wD", "one |"), ("one two three<Esc>bdw", "one two |"), ("one two<Esc>0dw", "|two"),
        ("one two<Esc>0cwx<Esc>", "|x two"), ("a.b cd<Esc>0dw", "|.b cd"), ("a.b cd<Esc>0dW", "|cd"),
        ("one two<Esc>0de", "| two"), ("one two<Esc>db", "one |o"), ("one two<Esc>0d$", "|"),
        ("one two<Esc>ddi3", "3|"), ("one two<Esc>0ccx", "x|"), ("one<Esc>0ywP", "one|one"), ("ab<Esc>yyp", "aab|b"),
        ("ab<Esc>xp", "ab|"), ("abcabc<Esc>0fc", "ab|cabc"), ("abcabc<Esc>0dfb", "|cabc"),
        ("abcabc<Esc>02fb", "abca|bc"),
        ("abc<Esc>0tc", "a|bc"), ("abc<Esc>rx", "ab|x"), ("abc<Esc>02rx", "x|xc"), ("aBc<Esc>03~", "AbC|"),
        ("abc<Esc>xu", "ab|c"), ("abc<Esc>Cx", "abx|"), ("abc<Esc>Sx", "x|"), ("abc<Esc>0sx", "x|bc"),
        ("one two three<Esc>02dw", "|three"), ("one two three<Esc>0d2w", "|three"), ("  ab<Esc>^i-", "  -|ab"),
        ("one<Esc>zq", "on|e"), ("<Esc>x", "|"), ("abc<Esc>0e", "ab|c"), ("abc<M-0>", "|abc"),
    ]

    @Test(arguments: commands.indices) func commandsEdit(index: Int) {
        let (keys, text) = Self.commands[index]
        var state = EditorState()
        state.usesViKeys = true
        type(keys, into: &state)
        #expect(state.marked == text, "\(keys)")
    }

    /// What was pasted or typed ahead comes as one key: its first letters may be commands, the rest is text.
    @Test func commandsAndTextAtOnce() {
        var state = EditorState()
        state.usesViKeys = true
        type("ab<Esc>", into: &state)
        _ = state.handle(.text("0ihello "), TestLanguage())
        #expect(state.marked == "hello |ab")
    }

    /// Commands end with their entry; `k` and `/` go to earlier ones.
    @Test(arguments: [
        ("<Esc>k<Enter>", "newer bb"), ("x<Esc>kk<Enter>", "older aa"), ("ab<Esc><Enter>", "ab"),
        ("<Esc>/older<Enter>", "older aa"), ("ab<Esc>k<Esc>j<Enter>", "ab"),
    ]) func commandsEnter(_ keys: String, _ text: String) {
        var state = EditorState(history: InputHistory(file: "oldest Ab\nolder aa\nnewer bb\n"))
        state.usesViKeys = true
        #expect(type(keys, into: &state) == .submit(text), "\(keys)")
        type("ik", into: &state)
        #expect(state.marked == "ik|")
    }

    private static let entering: [(keys: String, action: EditorAction)] = [
        ("ab<Enter>", .submit("ab")), ("(ab<Enter><Enter>", .submit("(ab\n")),
        ("(ab<Enter>)<Enter>", .submit("(ab\n)")),
        ("ab<Left><Enter>", .submit("ab")), ("<C-d>", .end), ("ab<C-a><C-d>", .edit), ("ab<C-c>", .interrupt("ab")),
        ("<C-c>", .interrupt("")), ("a<C-l>", .clearScreen), ("a<C-z>", .suspend), ("ab<C-x><C-e>", .openEditor("ab")),
        // From the history: old, older.
        ("<Up><Enter>", .submit("newer bb")), ("x<Up><Up><Enter>", .submit("older aa")),
        ("x<Up><Up><Down><Down><Enter>", .submit("x")), ("<PgUp><Enter>", .submit("oldest Ab")),
        ("<PgUp><PgDn><Enter>", .submit("")),
        // Behind a beginning only what begins so.
        ("old<Up><Enter>", .submit("older aa")), ("old<Up><Up><Enter>", .submit("oldest Ab")),
        ("old<Up><Up><Up><Enter>", .submit("oldest Ab")), ("old<Up><Up><Down><Down><Enter>", .submit("old")),
        ("old<PgUp><Enter>", .submit("oldest Ab")), ("new<Up><Enter>", .submit("newer bb")),
        // Searched.
        ("<C-r>older<Enter>", .submit("older aa")), ("<C-r>o<C-r><C-r><Enter>", .submit("oldest Ab")),
        ("<C-r>old<C-r><C-s><Enter>", .submit("older aa")), ("x<C-r>zzz<C-g><Enter>", .submit("x")),
        ("<C-r>olde<BS><BS><BS><BS>new<Esc>!<Enter>", .submit("newer bb!")), ("<C-r>AB<Enter>", .submit("oldest Ab")),
        ("<C-r>ab<Enter>", .submit("oldest Ab")), ("<C-r>older<C-a>x<Enter>", .submit("xolder aa")),
        // Continued from the history.
        ("new<Right><Enter>", .submit("newer bb")), ("new<C-e><Enter>", .submit("newer bb")),
        ("new<M-f><Enter>", .submit("newer")), ("new<Enter>", .submit("new")),
    ]

    @Test(arguments: entering.indices) func keysEnter(index: Int) {
        let (keys, action) = Self.entering[index]
        var state = EditorState(history: InputHistory(file: "oldest Ab\nolder aa\nnewer bb\n"))
        #expect(type(keys, into: &state) == action, "\(keys)")
    }

    private static let completing: [(keys: String, text: String)] = [
        ("na<Tab>", "name |"), ("na<Tab> x", "name x|"), ("na<Tab>  x", "name  x|"),
        ("na<Tab><Left><Right> x", "name  x|"), ("pop<Tab><Tab><Enter> x", "population x|"),
        ("x na<Tab>y", "x name y|"), ("pop<Tab>", "popula|"), ("pop<Tab><Tab>", "population|"),
        ("pop<Tab><Tab><Tab>", "popular|"), ("pop<Tab><S-Tab>", "popular|"), ("pop<Tab><Tab><Esc>", "popula|"),
        ("pop<Tab><Tab><Enter>", "population |"), ("pop<Tab>t", "populat|"), ("pop<Tab><Tab> x", "population x|"),
        ("pop<Tab><Tab>x", "population x|"), ("pop<Tab><Tab>(", "population(|"), ("ppr<Tab>", "popular |"),
        ("zzz<Tab>", "zzz|"), ("<Tab><Tab><Tab><Tab><Tab>", "name|"), ("p<Tab><Down><Down><Up>", "population|"),
        ("pop<Tab><BS><BS>", "popu|"), ("pop<Tab><Tab><Left>x", "populationx| "),
        ("pop<Tab><Tab><Enter><C-_>", "popula|"),
        ("na y<Left><Left><Tab>", "name| y"),
    ]

    @Test(arguments: completing.indices) func tabCompletes(index: Int) {
        let (keys, text) = Self.completing[index]
        var state = EditorState()
        type(keys, into: &state)
        #expect(state.marked == text, "\(keys)")
    }

    @Test func historyFileGivesBackWhatWentIn() {
        let entries = ["plain", "two\nlines", "back\\slash \\n", "日本", "cr\rlf"]
        let file = entries.map(InputHistory.line).joined()
        #expect(file.split(separator: "\n").count == entries.count)
        #expect(InputHistory(file: file).entries == entries)
        var history = InputHistory(file: "a\n")
        let added = ["", " secret", "a", "b", "b", "a"].map { history.add($0) }
        #expect(added == [false, false, false, true, false, true])
        // Only the last entry is not there twice: what is used once more is the newest.
        #expect(history.entries == ["a", "b", "a"])
        let long = InputHistory(file: (0..<InputHistory.capacity + 5).map { "\($0)\n" }.joined())
        #expect(long.entries.count == InputHistory.capacity)
        #expect(long.entries.first == "5")
    }

    @Test func fuzzyMatchesAreRanked() {
        let ranked: [(typed: String, better: String, worse: String)] = [
            ("pop", "population", "isPopular"), ("ef", "elevationFeet", "reefs"), ("cc", "country_code", "access"),
            ("name", "name", "names"), ("bw", "BEGINSWITH", "cobweb"), ("sao", "São Paulo", "sea shore"),
        ]
        for (typed, better, worse) in ranked {
            let scores = [better, worse].map { FuzzyMatch(typed, in: $0)?.score ?? .min }
            #expect(scores[0] > scores[1], "\(typed)")
        }
        for (typed, candidate) in [("xyz", "xy"), ("ba", "ab"), ("ex", "e")] {
            #expect(FuzzyMatch(typed, in: candidate) == nil)
        }
    }
}
