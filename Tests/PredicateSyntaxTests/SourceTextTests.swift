// Places shown under the text: wide and combining characters, tabs, long lines.
import PredicateSyntax
import Testing

@Suite("Source text")
struct SourceTextTests {
    /// A text, a part of it to mark, and the two lines that are shown.
    static let places: [(text: String, part: String, line: String, marker: String)] = [
        ("age NOT IN {1}", "NOT", "age NOT IN {1}", "    ^~~"),
        ("a == 1", "", "a == 1", "      ^"),
        ("名前 == x y", "y", "名前 == x y", "          ^"),
        ("名前 == x", "名前", "名前 == x", "^~~~"),
        ("e\u{301} == x y", "y", "e\u{301} == x y", "       ^"),
        ("'👨‍👩‍👧' y", "y", "'👨‍👩‍👧' y", "     ^"),
        ("'한글ｶﾅ' y", "y", "'한글ｶﾅ' y", "         ^"),
        ("a\t== y", "y", "a   == y", "       ^"),
        ("a == 1\nAND b c\n", "c", "AND b c", "      ^"),
        ("a == 1\r\nAND b c\r\nx", "c", "AND b c", "      ^"),
        ("a == 'x\ny'", "'x\ny'", "a == 'x", "     ^~"),
        ("a\u{7}b \u{202E}c", "c", "a␇b \u{FFFD}c", "     ^"),
        ("🇩🇪 y", "y", "🇩🇪 y", "   ^"),
        ("☀\u{FE0F} y", "y", "☀\u{FE0F} y", "   ^"), ("1\u{FE0F}\u{20E3} y", "y", "1\u{FE0F}\u{20E3} y", "   ^"),
        // Signs that cannot be seen, tabs from where they stand, a mark without a letter, the edges of wide blocks.
        ("ab\tc", "c", "ab  c", "    ^"), ("abcd\tc", "\t", "abcd    c", "    ^~~~"),
        ("a\u{7F}\u{1B}c", "c", "a␡␛c", "   ^"), ("\u{85}x\u{2069}c", "c", "\u{FFFD}x\u{FFFD}c", "   ^"),
        ("\u{301}x c", "c", "\u{25CC}\u{301}x c", "   ^"), ("a\u{200B}b c", "c", "a\u{200B}b c", "   ^"),
        ("\u{303E}\u{303F} y", "y", "\u{303E}\u{303F} y", "    ^"),
        ("\u{2E5D}\u{2E80} y", "y", "\u{2E5D}\u{2E80} y", "    ^"),
        ("\u{115F}\u{FF60} y", "y", "\u{115F}\u{FF60} y", "     ^"),
        // A return belongs to the line feed behind it, and to nothing else.
        ("x\nb c\r", "c", "b c␍", "  ^"), ("a\rb c", "c", "a␍b c", "    ^"),
    ]

    @Test("The caret stands under the place", arguments: places.indices)
    func caret(_ index: Int) {
        let (text, part, line, marker) = Self.places[index]
        let bytes = Array(text.utf8)
        let wanted = Array(part.utf8)
        let start = wanted.isEmpty ? bytes.count : bytes.indices.last { bytes[$0...].starts(with: wanted) } ?? 0
        let shown = SourceText(text).caret(SourceSpan(start, start + wanted.count))
        #expect(shown == line + "\n" + marker, "\(shown)")
    }

    @Test("Long lines are cut around the place")
    func longLines() {
        let text =
            String(repeating: "日本 == 1 AND ", count: 5000) + "here" + String(repeating: " OR a == 1", count: 5000)
        let source = SourceText(text)
        let bytes = Array(text.utf8)
        let start = bytes.indices.first { bytes[$0...].starts(with: Array("here".utf8)) } ?? 0
        for columns in [20, 40, 79, 200] {
            let lines = source.caret(SourceSpan(start, start + 4), maximumColumns: columns).split(separator: "\n")
            #expect(lines[0].hasPrefix("…") && lines[0].hasSuffix("…"))
            let width = lines[0].unicodeScalars.reduce(0) { $0 + ($1.value > 0x3000 ? 2 : 1) }
            #expect(width <= columns && width >= columns - 2)
            let before = lines[0].prefix(upTo: lines[0].firstRange(of: "here")!.lowerBound)
            let indent = before.unicodeScalars.reduce(0) { $0 + ($1.value > 0x3000 ? 2 : 1) }
            #expect(lines[1] == String(repeating: " ", count: indent) + "^~~~")
        }
    }

    @Test("Long lines are cut on one side where the other is near")
    func endsOfLongLines() {
        let first = "here" + String(repeating: " OR a == 1", count: 500)
        let last = String(repeating: "a == 1 OR ", count: 5000) + "here"
        #expect(
            SourceText(first).caret(SourceSpan(0, 4), maximumColumns: 40) == first.prefix(38) + "…\n^~~~")
        #expect(
            SourceText(last).caret(SourceSpan(50_000, 50_004), maximumColumns: 40)
                == "…" + last.suffix(38) + "\n" + String(repeating: " ", count: 35) + "^~~~")
        // What just fits is not cut; at least twenty columns there are always.
        for (count, columns, shown) in [(40, 40, 40), (41, 40, 38), (20, 5, 20), (21, 5, 18), (21, 21, 21)] {
            let text = String(repeating: "a", count: count)
            let expected = text.prefix(shown) + (shown < count ? "…" : "") + "\n^"
            #expect(SourceText(text).caret(SourceSpan(0, 1), maximumColumns: columns) == expected, "\(count)")
        }
    }

    @Test("Offsets in bytes, scalars, lines and columns")
    func offsets() {
        let source = SourceText("é日\n😀b")
        let expected = [(0, 0, 1, 1), (2, 1, 1, 2), (5, 2, 1, 3), (6, 3, 2, 1), (10, 4, 2, 2), (11, 5, 2, 3)]
        for (byte, scalar, line, column) in expected {
            #expect(source.scalarOffset(ofByte: byte) == scalar)
            #expect(source.byteOffset(ofScalar: scalar) == byte)
            #expect(source.position(ofByte: byte) == (line, column))
        }
        #expect(source.scalarOffset(ofByte: 99) == 5 && source.byteOffset(ofScalar: 99) == 11)
        #expect(source.scalarOffset(ofByte: -1) == 0 && source.byteOffset(ofScalar: -1) == 0)
    }

    @Test("An error with message and hint")
    func rendering() throws {
        let error = try #require(syntaxError("a == 1\nAND name NOT IN {'x'}"))
        #expect(
            SourceText("a == 1\nAND name NOT IN {'x'}").rendering(of: error) == """
                line 2, column 10:
                AND name NOT IN {'x'}
                         ^~~
                syntax error: comparison operator expected
                hint: there is no infix NOT: write NOT (x IN …)
                """)
        let plain = SyntaxError(.limit, span: SourceSpan(0, 1), message: "too long")
        #expect(SourceText("a ==").rendering(of: plain) == "a ==\n^\nlimit error: too long")
    }
}
