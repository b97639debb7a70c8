// Widths, order and marks of tables, at the limits of the room that they have.

import RecordDatabase
import Testing

@testable import predicate

struct TableEdgesTests {
    /// A table of one row, and the titles that had no room.
    private static func table(
        _ format: OutputFormat, _ columns: [TableWriter.Column], _ rows: [[TableWriter.Cell]], _ available: Int?,
        isColored: Bool = false
    ) -> (lines: [String], hidden: [String]) {
        let written = WrittenBytes()
        let writer = written.writer
        var table = TableWriter(
            format, columns: columns, available: available, style: Style(isColored: isColored), writer: writer)
        for row in rows { table.append(cells: row) }
        table.finish()
        writer.flush()
        return (written.text.split(separator: "\n").map(String.init), table.hiddenColumns)
    }

    /// How wide columns want to be, below zero where they are rigid; the room; and how wide they are.
    static let widths: [(wanted: [Int], available: Int?, widths: [Int])] = [
        ([5, 3], nil, [5, 3]), ([3, 3], 8, [3, 3]), ([10, 18], 30, [10, 18]), ([10, 18], 29, [10, 17]),
        ([10, 30], 30, [10, 18]), ([20, 20], 27, [13, 12]), ([5, 20, 20], 38, [5, 15, 14]),
        // The last goes where all would be narrower than 8, on wide terminals than a sixth of them, at most 12.
        ([10, 10, 10], 28, [8, 8, 8]), ([10, 10, 10], 27, [10, 10]),
        ([40, 40, 40, 40, 40], 48, [8, 8, 8, 8, 8]), ([40, 40, 40, 40, 40], 47, [11, 10, 10, 10]),
        ([40, 40, 40, 40, 40, 40], 58, [10, 10, 10, 10, 10]),
        ([40, 40, 40, 40, 40, 40], 82, [12, 12, 12, 12, 12, 12]),
        // One column is always there.
        ([40], 5, [5]), ([40], 0, [1]), ([-40], 20, [20]),
        // Rigid columns are cut last, and not below 32 while others are there.
        ([-30, 40], 42, [30, 10]), ([30, -5], 20, [13, 5]), ([-30, 40], 40, [30, 8]), ([-40, 20], 42, [20, 20]),
        ([-40, 20], 41, [40]),
    ]

    @Test func columnsShareTheRoom() {
        for (wanted, available, expected) in Self.widths {
            let columns = wanted.map { TableWriter.Column(title: "t", isNumeric: false, isRigid: $0 < 0) }
            let row = wanted.map { TableWriter.Cell(text: String(repeating: "x", count: abs($0))) }
            let (lines, hidden) = Self.table(.table, columns, [row], available)
            #expect(lines.count == 3)
            #expect(
                lines[1].split(separator: "  ").map(\.count) == expected, "\(wanted) in \(available ?? -1): \(lines)")
            #expect(hidden.count == wanted.count - expected.count)
        }
    }

    @Test func boxesNeedRoomForTheirLines() {
        for (wanted, available, expected) in [
            ([10], 14, [10]), ([10], 13, [9]), ([10, 10], 27, [10, 10]), ([10, 10], 26, [10, 9]),
        ] {
            let columns = wanted.map { _ in TableWriter.Column(title: "t", isNumeric: false) }
            let row = wanted.map { TableWriter.Cell(text: String(repeating: "x", count: $0)) }
            let (lines, _) = Self.table(.box, columns, [row], available)
            let top = lines[0].dropFirst().dropLast().split(separator: "┬").map { $0.count - 2 }
            #expect(top == expected, "\(lines)")
            #expect(lines.allSatisfy { $0.count == expected.reduce(0, +) + 3 * expected.count + 1 }, "\(lines)")
            #expect(lines.last?.hasPrefix("└─") == true && lines.last?.hasSuffix("─┘") == true)
        }
    }

    @Test func numbersAreAlignedRightAndNoLineEndsInBlanks() {
        let columns = [
            TableWriter.Column(title: "n", isNumeric: true), TableWriter.Column(title: "text", isNumeric: false),
        ]
        let rows = [["5", "x"], ["123", ""]].map { $0.map { TableWriter.Cell(text: $0) } }
        #expect(Self.table(.table, columns, rows, nil).lines == ["  n  text", "───  ────", "  5  x", "123"])
        #expect(Self.table(.table, columns, [], nil).lines == ["n  text", "─  ────"])
        // Markdown is never cut, and needs three dashes.
        let markdown = Self.table(.markdown, columns, rows.suffix(1) + rows.prefix(1), 4).lines
        #expect(markdown == ["|   n | text |", "| --: | ---- |", "| 123 |      |", "|   5 | x    |"])
        let narrow = Self.table(.markdown, [TableWriter.Column(title: "n", isNumeric: true)], [], nil).lines
        #expect(narrow == ["| n |", "| --: |"])
        let text = Self.table(.markdown, [TableWriter.Column(title: "n", isNumeric: false)], [], nil).lines
        #expect(text == ["| n |", "| --- |"])
    }

    /// The first thousand rows settle the widths; later cells are cut to them.
    @Test func aThousandRowsSettleTheWidths() {
        let column = [TableWriter.Column(title: "n", isNumeric: false)]
        let texts = Array(repeating: "a", count: 999) + ["bbbb", "cccccccc", "dddd"]
        let (lines, _) = Self.table(.table, column, texts.map { [TableWriter.Cell(text: $0)] }, nil)
        #expect(lines.prefix(3) == ["n", "────", "a"])
        #expect(lines.suffix(3) == ["bbbb", "ccc…", "dddd"])
    }

    /// Wanted columns come first where some of them had no room, in rows behind the first thousand, too.
    @Test func wantedColumnsAreNotLeftOut() {
        let columns = ["a", "b", "c"].map { TableWriter.Column(title: $0, isNumeric: false, isWanted: $0 == "c") }
        let row = ["a", "b", "c"].map { TableWriter.Cell(text: String(repeating: $0, count: 10)) }
        let rows = Array(repeating: row, count: 1_001)
        let narrow = Self.table(.table, columns, rows, 27)
        #expect(narrow.hidden == ["b"])
        #expect(narrow.lines[0] == "c           a")
        #expect(narrow.lines.dropFirst(2).allSatisfy { $0 == "cccccccccc  aaaaaaaaaa" })
        let wide = Self.table(.table, columns, rows.suffix(1), 34)
        #expect(wide.hidden.isEmpty && wide.lines.last == "aaaaaaaaaa  bbbbbbbbbb  cccccccccc")
    }

    @Test func highlightsAreCutWithTheirText() {
        let column = [TableWriter.Column(title: "t", isNumeric: false)]
        let cells = [
            TableWriter.Cell(text: "abcdefghij", highlights: [2..<4, 6..<9, 9..<10]),
            TableWriter.Cell(text: "abcdefghij", highlights: [6..<7, 7..<9]),
            TableWriter.Cell(text: "xyz", highlights: [0..<1, 2..<3]), TableWriter.Cell(text: "plain"),
        ]
        let (lines, _) = Self.table(.table, column, cells.map { [$0] }, 8, isColored: true)
        func red(_ text: String) -> String { "\u{1B}[1;31m\(text)\u{1B}[0m" }
        #expect(
            lines == [
                "\u{1B}[1mt\u{1B}[0m", "ab\(red("cd"))ef\(red("g"))…", "abcdef\(red("g"))…", "\(red("x"))y\(red("z"))",
                "plain",
            ], "\(lines)")
        #expect(Self.table(.table, column, cells.map { [$0] }, 8).lines.dropFirst(2).first == "abcdefg…")
        let bars = [TableWriter.Cell(text: "a|b|c", highlights: [2..<3, 4..<5])]
        #expect(Self.table(.markdown, column, [bars], nil).lines.last == #"| a\|**b**\|**c** |"#)
    }

    @Test func wideCharactersAreCutAtTheirEdges() {
        for (text, width, cut, used) in [
            ("abc", 3, "abc", 3), ("abcd", 3, "ab…", 3), ("東京都", 6, "東京都", 6), ("東京都", 5, "東京…", 5),
            ("東京都", 4, "東…", 3), ("東京都", 1, "…", 1), ("né", 2, "né", 2),
        ] {
            let (found, columns) = TableWriter.cut(text, to: width)
            #expect(found == cut && columns == used, "\(text) \(width)")
        }
    }

    @Test func textsAreBrokenBetweenWords() {
        for (columns, lines) in [
            (10, ["aaa bbb cc"]), (9, ["aaa bbb", "cc"]), (7, ["aaa bbb", "cc"]), (6, ["aaa", "bbb cc"]),
            (2, ["aaa", "bbb", "cc"]),
        ] {
            #expect(WrappedText.lines(of: "aaa bbb cc", columns: columns) == lines)
        }
        #expect(WrappedText.lines(of: "a  b", columns: 4) == ["a  b"])
        #expect(WrappedText.lines(of: "a  b", columns: 3) == ["a b"])
    }
}
