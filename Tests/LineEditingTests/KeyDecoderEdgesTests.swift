// Sequences with little or much in them, and what is held until more comes.

import LineEditing
import Testing

@Suite struct KeyDecoderEdgesTests {
    private static let cases: [(bytes: String, keys: [Key])] = [
        ("a b", [.text("a b")]), ("a\u{7F}b", [.text("a"), .named(.backspace), .text("b")]), ("न", [.text("न")]),
        // Controls of eight bits mean nothing within UTF-8; the blank behind them is a letter like others.
        ("\u{80}\u{9F}\u{A0}x", [.text("\u{A0}x")]),
        ("\u{1D}\u{1E}\u{1F}", [.control("]"), .control("^"), .control("_")]),
        // Keys that stand for none, each with its end.
        ("\u{1B}[@x", [.text("x")]), ("\u{1B}[20~x", [.text("x")]), ("\u{1B}Oxy", [.text("y")]),
        // What is left out is 1, and 1 stands for no modifiers.
        ("\u{1B}[;5C", [.named(.right, .control)]), ("\u{1B}[1;C", [.named(.right)]), ("\u{1B}[1;1C", [.named(.right)]),
        ("\u{1B}[1;0C", [.named(.right)]), ("\u{1B}[1;9C", [.named(.right)]),
        ("\u{1B}[1;5:1C", [.named(.right, .control)]),
        ("\u{1B}[1;8C", [.named(.right, [.shift, .meta, .control])]),
        ("\u{1B}[F\u{1B}OM\u{1B}OHx", [.named(.end), .named(.enter), .named(.home), .text("x")]),
        ("\u{1B}[1~\u{1B}[7~\u{1B}[2~\u{1B}[3~", [.named(.home), .named(.home), .named(.insert), .named(.delete)]),
        ("\u{1B}[4~\u{1B}[8~\u{1B}[5~\u{1B}[6~", [.named(.end), .named(.end), .named(.pageUp), .named(.pageDown)]),
        ("\u{1B}[97u\u{1B}[97;3u\u{1B}[97;7u", [.text("a"), .meta("a"), .control("a")]),
        (
            "\u{1B}[9u\u{1B}[27u\u{1B}[127;3u\u{1B}[13u",
            [.named(.tab), .named(.escape), .named(.backspace, .meta), .named(.enter)]
        ),
        ("\u{1B}\u{1B}[Dx", [.named(.left, .meta), .text("x")]),
        ("\u{1B}\u{7F}x", [.named(.backspace, .meta), .text("x")]),
        ("\u{1B}bc", [.meta("b"), .text("c")]), ("\u{1B}éc", [.meta("é"), .text("c")]),
        ("\u{1B}\u{1}x", [.control("a"), .text("x")]),
        // Pastes keep blanks and tabs, not controls.
        ("\u{1B}[200~a\u{1F} b\u{7F}\u{80}\u{9F}\u{A0}\tc!\u{1B}[201~", [.paste("a b\u{A0}\tc!")]),
        ("\u{1B}[200~a\n\n\r\rb\u{1B}[201~", [.paste("a\n\n\n\nb")]),
        ("\u{1B}[200~a\u{1B}[200~b\u{1B}[201~c", [.paste("a[200~b"), .text("c")]),
    ]

    @Test("Bytes that come together are keys", arguments: cases.indices)
    func decodes(index: Int) {
        let (bytes, keys) = Self.cases[index]
        var decoder = KeyDecoder()
        #expect(decoder.keys(bytes.utf8) == keys, "\(bytes.debugDescription)")
        #expect(!decoder.isPending)
    }

    @Test("A character whose bytes come apart is one key, behind another key, too")
    func pieces() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0x61, 0x0D, 0xC3]) == [.text("a"), .named(.enter)])
        #expect(decoder.isPending)
        #expect(decoder.keys([0xA9, 0xE0]) == [.text("é")])
        #expect(decoder.keys([0xA4]) == [])
        #expect(decoder.keys([0xA8, 0x78]) == [.text("नx")])
        #expect(!decoder.isPending)
    }

    @Test("A sequence of more than 64 bytes is none")
    func longSequences() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 62)) == [])
        #expect(decoder.isPending)
        #expect(decoder.keys([0x31]) == [])
        #expect(!decoder.isPending)
        #expect(decoder.keys([0x78]) == [.text("x")])
    }

    @Test("What has begun is given up after a time, but no paste is")
    func flushing() {
        var decoder = KeyDecoder()
        #expect(!decoder.isPending)
        #expect(decoder.keys("\u{1B}[".utf8) == [])
        #expect(decoder.isPending)
        #expect(decoder.flush() == [])
        #expect(decoder.keys("A".utf8) == [.text("A")])
        #expect(decoder.keys("\u{1B}[200~ab".utf8) == [])
        #expect(!decoder.isPending)
        #expect(decoder.flush() == [])
        #expect(decoder.keys("c\u{1B}[201~".utf8) == [.paste("abc")])
        #expect(decoder.keys("d".utf8) == [.text("d")])
    }
}
