// Bytes -> keys, in whatever pieces they come.

import LineEditing
import Testing
import _TestSupport

struct KeyDecoderTests {
    private static let cases: [(bytes: String, keys: [Key])] = [
        ("abc", [.text("abc")]), ("é日👍", [.text("é日👍")]), ("a\rb", [.text("a"), .named(.enter), .text("b")]),
        ("\u{0}\u{1}\u{1A}\u{1C}\u{1F}", [.control("@"), .control("a"), .control("z"), .control("\\"), .control("_")]),
        ("\u{1B}[A\u{1B}OA", [.named(.up), .named(.up)]), ("\u{1B}[1;5C", [.named(.right, .control)]),
        ("\u{1B}[1;3D", [.named(.left, .meta)]), ("\u{1B}[3;2~", [.named(.delete, .shift)]),
        ("\u{1B}[13;2u\u{1B}[97;5u", [.named(.enter, .shift), .control("a")]), ("\u{1B}[Z", [.named(.tab, .shift)]),
        ("\u{1B}b\u{1B}é", [.meta("b"), .meta("é")]), ("\u{1B}\u{7F}", [.named(.backspace, .meta)]),
        ("\u{1B}\u{1B}[D", [.named(.left, .meta)]),
        ("\u{1B}[200~a\u{1B}[Ab\u{1B}[201~c", [.paste("a[Ab"), .text("c")]),
        ("\u{1B}[?1;2c\u{1B}[Ix", [.text("x")]), ("\u{1B}[200~\u{1B}[201~", [.paste("")]),
    ]

    @Test(arguments: cases.indices) func decodes(index: Int) {
        let (bytes, keys) = Self.cases[index]
        var whole = KeyDecoder()
        #expect(whole.keys(bytes.utf8) == keys)
        #expect(!whole.isPending)
        // One byte at a time text comes in single characters, everything else as before.
        var pieces = KeyDecoder()
        let found = bytes.utf8.flatMap { pieces.keys([$0]) }
        let single = keys.flatMap { key in
            if case .text(let text) = key { text.map { Key.text(String($0)) } } else { [key] }
        }
        #expect(found == single)
    }

    @Test func escapeAloneIsAKeyOnceTimeHasPassed() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0x1B]).isEmpty)
        #expect(decoder.isPending)
        #expect(decoder.flush() == [.named(.escape)])
        #expect(decoder.keys(Array("x".utf8)) == [.text("x")])
    }

    @Test func noBytesAreFatal() {
        var random = SplitMix64(seed: 7)
        var decoder = KeyDecoder()
        var state = EditorState()
        for _ in 0..<20_000 {
            let byte = UInt8(truncatingIfNeeded: random.next())
            let isSpecial = random.next() % 4 == 0
            for key in decoder.keys([isSpecial ? [0x1B, 0x5B, 0x09, 0x0D, 0x7E][Int(byte) % 5] : byte]) {
                _ = state.handle(key, TestLanguage())
            }
            if random.next() % 50 == 0 { for key in decoder.flush() { _ = state.handle(key, TestLanguage()) } }
        }
        #expect(state.buffer.cursor <= state.buffer.clusters.count)
    }
}
