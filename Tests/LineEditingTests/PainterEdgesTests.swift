// What is sent to the terminal, byte for byte: no more than what differs, and colours that end where they should.

import LineEditing
import Testing

@Suite struct PainterEdgesTests {
    private static let escape = "\u{1B}["
    private static let flag = [Cell("🇩🇪", width: 2, CellStyle())]

    private static func cells(_ text: String, _ role: TextRole = .plain, isUnderlined: Bool = false) -> [Cell] {
        text.map { Cell(String($0), width: 1, CellStyle(role, isUnderlined: isUnderlined)) }
    }

    private static func screen(_ rows: [[Cell]], _ row: Int, _ column: Int, columns: Int = 40) -> Screen {
        var screen = Screen(columns: columns)
        (screen.rows, screen.cursorRow, screen.cursorColumn) = (rows, row, column)
        return screen
    }

    /// Screens one after another; `^[` stands for the beginning of a sequence.
    private func expect(
        _ steps: [(Screen, String)], columns: Int = 40, palette: Palette = .colored,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var painter = ScreenPainter(columns: columns, palette: palette)
        for (screen, output) in steps {
            #expect(
                painter.paint(screen) == output.replacing("^[", with: Self.escape), sourceLocation: sourceLocation)
            #expect(painter.shown == screen, sourceLocation: sourceLocation)
        }
    }

    @Test("Colours are sent where they change, and end with the row")
    func colours() {
        let two = Self.cells("a", .keyword) + Self.cells("b")
        expect([
            (Self.screen([two], 0, 2), "^[0;35ma^[0mb"), (Self.screen([two], 0, 2), ""),
            // Brackets are drawn like plain text.
            (Self.screen([two + Self.cells("c", .bracket)], 0, 3), "c"),
        ])
        expect([(Self.screen([Self.cells("a", .keyword)], 0, 1), "^[0;35ma^[0m")])
        expect([(Self.screen([Self.cells("a", .error, isUnderlined: true)], 0, 1), "^[0;31;4ma^[0m")])
        expect([(Self.screen([Self.cells("a", isUnderlined: true)], 0, 1), "^[0;4ma^[0m")])
        expect([(Self.screen([Self.cells("a", .keyword)], 0, 1), "a")], palette: .monochrome)
        expect([(Self.screen([Self.cells("a", .prompt)], 0, 1), "^[0;1ma^[0m")], palette: .monochrome)
    }

    @Test("Of a row only what differs is sent, and what was longer is wiped out")
    func rows() {
        let abc = (Self.screen([Self.cells("abc")], 0, 3), "abc")
        expect([abc, (Self.screen([Self.cells("a")], 0, 1), "\r^[1C^[K")])
        expect([abc, (Self.screen([Self.cells("x", .keyword)], 0, 1), "\r^[0;35mx^[0m^[K")])
        expect([abc, (Self.screen([Self.cells("axc")], 0, 3), "\r^[1Cx\r^[3C")])
        expect([abc, (Self.screen([Self.cells("abx")], 0, 3), "\r^[2Cx")])
    }

    @Test("Behind what terminals draw differently the column is set")
    func flags() {
        let styled = [Cell("🇩🇪", width: 2, CellStyle(.keyword))] + Self.cells("a", .keyword)
        expect([(Self.screen([Self.flag + Self.cells("a")], 0, 3, columns: 10), "🇩🇪\r^[2C^[Ka")], columns: 10)
        expect(
            [(Self.screen([styled], 0, 3, columns: 10), "^[0;35m🇩🇪^[0m\r^[2C^[K^[0;35ma^[0m")], columns: 10)
        // At the edge there is nothing behind it.
        expect([(Self.screen([Self.flag], 0, 0, columns: 2), "🇩🇪\r")], columns: 2)
        expect([
            (Self.screen([Self.cells("x") + Self.flag], 0, 3), "x🇩🇪\r^[3C^[K"),
            (Self.screen([Self.cells("y") + Self.flag], 0, 3), "\ry🇩🇪\r^[3C^[K"),
        ])
        let marks = [Cell("e\u{301}", width: 1, CellStyle()), Cell("日", width: 2, CellStyle())]
        expect([(Self.screen([marks], 0, 3), "e\u{301}日")])
    }

    @Test("Rows are added below, and wiped out when they are gone")
    func manyRows() {
        let both = [Self.cells("a"), Self.cells("b")]
        let first = (Self.screen(both, 1, 1), "a\r\r\nb")
        expect([
            first, (Self.screen([Self.cells("a")], 0, 1), "\r^[J\r^[1A^[1C"),
            (Self.screen([Self.cells("a")], 0, 1), ""),
        ])
        expect([
            first,
            (Self.screen([Self.cells("x", .keyword)], 0, 1), "\r^[1A^[0;35mx^[0m\r^[1B^[J\r^[1A^[1C"),
        ])
        expect([(Self.screen(both, 0, 0), "a\r\r\nb\r^[1A"), (Self.screen(both, 1, 1), "\r^[1B^[1C")])
    }

    @Test("A new screen begins below the one that is left")
    func leaving() {
        var painter = ScreenPainter(columns: 40, palette: .colored)
        #expect(painter.leave() == "\r\n")
        _ = painter.paint(Self.screen([Self.cells("a"), Self.cells("b")], 0, 0))
        #expect(painter.leave() == "\r\u{1B}[1B\r\n")
        #expect(painter.shown == Screen(columns: 40))
        #expect(painter.paint(Self.screen([Self.cells("a")], 0, 1)) == "a")
        painter.reset(columns: 7)
        #expect(painter.shown == Screen(columns: 7))
    }

    @Test("A narrower terminal is painted from the first row of what it made of the rows")
    func narrower() {
        func cells(_ count: Int) -> [Cell] { Self.cells(String(repeating: "x", count: count)) }
        let cases: [(rows: [[Cell]], column: Int, output: String)] = [
            ([cells(10), cells(3)], 3, "\r^[2A^[Ja"), ([cells(11), cells(3)], 3, "\r^[3A^[Ja"),
            ([[], cells(7)], 7, "\r^[2A^[Ja"), ([cells(3)], 3, "\r^[Ja"),
        ]
        for (rows, column, output) in cases {
            var painter = ScreenPainter(columns: 40, palette: .colored)
            _ = painter.paint(Self.screen(rows, rows.count - 1, column))
            let next = Self.screen([Self.cells("a")], 0, 1, columns: 5)
            #expect(painter.paint(next) == output.replacing("^[", with: Self.escape))
            #expect(painter.paint(next) == "")
        }
    }
}
