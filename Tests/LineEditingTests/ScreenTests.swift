// Editor -> screen -> what a terminal then shows.

import LineEditing
import Testing
import _TestSupport

struct ScreenTests {
    /// Keys and the rows they lead to, with `|` at the cursor.
    private static let layouts: [(columns: Int, keys: String, rows: [String])] = [
        (20, "abc", ["> abc|"]), (10, "abcdefgh", ["> abcdefgh", "|"]), (10, "abcdefghij", ["> abcdefgh", "ij|"]),
        (10, "abcdefg日", ["> abcdefg", "日|"]), (10, "abcdefgh<Left>", ["> abcdefg|h"]),
        (20, "a<M-Enter>b", ["> a", "  b|"]), (20, "e\u{301}👩‍👩‍👧‍👦日<Left>", ["> e\u{301}👩‍👩‍👧‍👦|日"]),
        (20, "\u{301}x", ["> ◌\u{301}x|"]), (20, "<Paste:a\tb>", ["> a␉b|"]),
        // What is wrong stands below, under its place.
        (30, "a bad x", ["> a bad x|", "    ^~~", "this is bad", "hint: say good"]),
        (30, "日 odd", ["> 日 odd|", "     ^~~", "this is odd", "hint: say good"]),
        (12, "bad", ["> bad|", "  ^~~", "this is bad", "hint: say", "good"]), (30, "(", ["> (|", "')' expected"]),
        (30, "bad<M-Enter>x", ["> bad", "  x|", "line 1: this is bad", "hint: say good"]),
        // The menu.
        (30, "pop<Tab><Tab>", ["> population|", "› population  word", "  popular     word"]),
        (30, "zz<Tab>", ["> zz|", "nothing to complete here"]),
        // The history.
        (30, "se<C-r>s", ["search: s|", "see you"]), (30, "<C-r>zq", ["not found: zq|"]), (30, "see", ["> see| you"]),
    ]

    @Test(arguments: layouts.indices) func laysOut(index: Int) {
        let (columns, keys, rows) = Self.layouts[index]
        var state = EditorState(history: InputHistory(file: "first\nsee you\n"))
        type(keys, into: &state)
        let screen = ScreenLayout(prompt: "> ", columns: columns, height: 10).screen(of: state, TestLanguage())
        var terminal = TerminalModel(columns: columns, height: 10)
        var painter = ScreenPainter(columns: columns, palette: .monochrome)
        terminal.show(painter.paint(screen))
        #expect(terminal.marked == rows, "\(keys)")
    }

    @Test func bracketsMatch() {
        var state = EditorState()
        let cases: [(keys: String, matched: [Int], invalid: [Int])] = [
            ("(a)", [2, 4], []), ("(a(b))<Left>", [4, 6], []), ("(a(b))<C-a>", [2, 7], []),
            ("(a(b))<C-a><Right><Right>", [4, 6], []), ("a)", [], [3]),
            ("([)]", [3, 5], [4]), ("(a)(b)", [5, 7], []), ("ab", [], []),
        ]
        for (keys, matched, invalid) in cases {
            type("<C-e><C-u>" + keys, into: &state)
            let row = ScreenLayout(prompt: "> ", columns: 40, height: 10).screen(of: state, TestLanguage()).rows[0]
            #expect(row.indices.filter { row[$0].style.role == .matchedBracket } == matched, "\(keys)")
            #expect(row.indices.filter { row[$0].style.role == .invalid }.prefix(1) == invalid.prefix(1), "\(keys)")
        }
    }

    /// However the screen came about, the terminal shows it; and a key at the end of a line costs a few bytes.
    @Test func terminalShowsTheScreen() {
        let strokes = [
            "a", "日", "é", "👍", "(", ")", " ", "bad", "odd", "<Left>", "<Right>", "<BS>", "<M-Enter>", "<Up>", "<Down>",
            "<C-a>", "<C-e>", "<C-k>", "<C-y>", "<C-w>", "<C-_>", "<Tab>", "<Esc>", "<C-r>", "pop", "<Del>", "<Enter>",
        ]
        for seed in 1...20 {
            var random = SplitMix64(seed: UInt64(seed))
            let columns = [5, 9, 20, 40, 200][seed % 5]
            var terminal = TerminalModel(columns: columns, height: 8)
            var painter = ScreenPainter(columns: columns, palette: .colored)
            var state = EditorState(history: InputHistory(file: "first\nsee you\n"))
            let layout = ScreenLayout(prompt: "> ", columns: columns, height: 8)
            for _ in 0..<200 {
                type(strokes[Int(random.next() % UInt64(strokes.count))], into: &state)
                let screen = layout.screen(of: state, TestLanguage())
                #expect(screen.rows.count <= 8)
                terminal.show(painter.paint(screen))
                var wanted = screen.lines
                while wanted.count > screen.cursorRow + 1, wanted.last == "" { wanted.removeLast() }
                #expect(terminal.lines(from: terminal.row - screen.cursorRow) == wanted)
                #expect(terminal.column == screen.cursorColumn)
            }
        }
    }

    /// What is wrong, and what would help, ends where the terminal does.
    @Test(arguments: 4...8) func helpFitsTheTerminal(height: Int) {
        for columns in [5, 7, 9, 12, 30] {
            var state = EditorState()
            type("bad", into: &state)
            let screen = ScreenLayout(prompt: "> ", columns: columns, height: height).screen(of: state, TestLanguage())
            #expect(screen.rows.count <= height, "\(columns) columns: \(screen.lines)")
        }
    }

    @Test func writesLittle() {
        var state = EditorState()
        var painter = ScreenPainter(columns: 80, palette: .colored)
        let layout = ScreenLayout(prompt: "> ", columns: 80, height: 24)
        type("name and place", into: &state)
        _ = painter.paint(layout.screen(of: state, TestLanguage()))
        type("s", into: &state)
        #expect(painter.paint(layout.screen(of: state, TestLanguage())) == "s")
        type("<Left>", into: &state)
        #expect(painter.paint(layout.screen(of: state, TestLanguage())) == "\r\u{1B}[16C")
        #expect(painter.paint(layout.screen(of: state, TestLanguage())) == "")
    }

    /// A terminal made narrower breaks its rows anew; the screen is painted over them.
    @Test func widthMayChange() {
        var state = EditorState()
        type("abcdefghijklmnop bad", into: &state)
        var painter = ScreenPainter(columns: 40, palette: .monochrome)
        _ = painter.paint(ScreenLayout(prompt: "> ", columns: 40, height: 10).screen(of: state, TestLanguage()))
        let narrow = painter.paint(
            ScreenLayout(prompt: "> ", columns: 10, height: 10).screen(of: state, TestLanguage()))
        // 22 columns of text in rows of 10: the cursor stands two rows down.
        #expect(narrow.hasPrefix("\r\u{1B}[2A\u{1B}[J"))
    }
}
