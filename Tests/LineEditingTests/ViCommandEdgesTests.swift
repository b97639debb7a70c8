// vi's commands at the ends of lines and words, with counts, and what they leave behind.

import LineEditing
import Testing

@Suite struct ViCommandEdgesTests {
    private static let lines: [(keys: String, text: String)] = [
        ("ab<M-Enter>cd<Esc>ka-", "ab-|\ncd"), ("ab<M-Enter>cd<Esc>k5x", "a|\ncd"), ("ab<M-Enter>cd<Esc>0X", "ab\n|cd"),
        ("ab<M-Enter>cd<Esc>k0X", "|ab\ncd"), ("ab<M-Enter>cd<Esc>5h", "ab\n|cd"),
        ("ab<M-Enter>cd<Esc>k09l", "ab|\ncd"),
        ("ab<M-Enter>cd<Esc>k$", "ab|\ncd"), ("x<M-Enter>  ab<Esc>^", "x\n  |ab"), ("x<M-Enter>   <Esc>^", "x\n|   "),
        ("  a<Esc>0^", "  |a"), ("ab<M-Enter>c<Esc>k$rx", "ab|\nc"), ("ab<M-Enter>cb<Esc>k0fc", "|ab\ncb"),
        ("ab<M-Enter>cd<Esc>ccx", "ab\nx|"), ("ab<M-Enter>cd<Esc>kdd", "|\ncd"), ("ab<M-Enter>cd<Esc>kCx", "ax|\ncd"),
        ("ab<M-Enter>cd<Esc>kSx", "x|\ncd"), ("ab<M-Enter>cd<Esc>Sx", "ab\nx|"), ("ab<M-Enter>cd<Esc>k9sx", "ax|\ncd"),
        ("ab<M-Enter>cd<Esc>k0D", "|\ncd"), ("ab<M-Enter>cd<Esc>kA-", "ab-|\ncd"), ("ab<M-Enter>cd<Esc>I-", "ab\n-|cd"),
        ("ab<M-Enter>cd<Esc>k9~", "aB|\ncd"), ("ab<M-Enter>cd<Esc>-x", "a|\ncd"), ("ab<M-Enter>cd<Esc>k0+x", "ab\n|d"),
        ("ab<M-Enter>cd<Esc>k0de", "|\ncd"), ("ab<M-Enter><Esc>i-", "ab\n-|"),
    ]

    private static let counted: [(keys: String, text: String)] = [
        ("abcd<Esc>2X", "a|d"), ("abcd<Esc>2h", "a|bcd"), ("abcd<Esc>02l", "ab|cd"), ("abcd<Esc>0 ", "a|bcd"),
        ("abcdefghijklmno<Esc>012x", "|mno"), ("abcdefghijklmno<Esc>010x", "|klmno"),
        ("abcdefghijklmno<Esc>0d12l", "|mno"), ("abcdefghijklmno<Esc>0d10l", "|klmno"), ("abc<Esc>d0", "|c"),
        // A count is of one command only.
        ("abcdef<Esc>03lx", "abc|ef"), ("abcdef<Esc>0l2x", "a|def"), ("one two three four<Esc>02dwx", "|hree four"),
        ("abcd<Esc>02rxlx", "xx|d"), ("abc<Esc>2rx", "ab|c"), ("abc<Esc>2rxx", "ab|"), ("abcd<Esc>02sx", "x|cd"),
        ("ab<Esc>yy3P", "ababab|ab"), ("abc<Esc>03<Esc>x", "|bc"), ("abc<Esc>0d<Esc>x", "|bc"),
        // To a character.
        ("abcabc<Esc>03fb", "|abcabc"), ("aa<Esc>0fa", "a|a"), ("abcabc<Esc>02tc", "abca|bc"),
        ("abcabc<Esc>0fbx", "a|cabc"), ("abcabc<Esc>0dtc", "|cabc"), ("abc<Esc>0ctcx", "x|c"),
        ("abcabc<Esc>0d2fb", "|c"), ("abcabc<Esc>02dfb", "|c"), ("abc<Esc>0yfbP", "ab|abc"), ("abc<Esc>0dfzx", "|bc"),
        ("<Esc>fa", "|"), ("<Esc>dta", "|"),
    ]

    private static let words: [(keys: String, text: String)] = [
        ("a.b<Esc>0w", "a|.b"), ("a.b c<Esc>0W", "a.b |c"), ("a  b<Esc>0lw", "a  |b"), ("ab<Esc>w", "ab|"),
        ("ab<Esc>2w", "ab|"), ("a b c d<Esc>03w", "a b c |d"), ("one two.x<Esc>b", "one two|.x"),
        ("one two.x<Esc>bb", "one |two.x"), ("one two.x<Esc>3b", "|one two.x"), ("one two.x<Esc>B", "one |two.x"),
        ("  a<Esc>b", "|  a"), ("a<Esc>b", "|a"), ("ab<Esc>b", "|ab"), ("one two<Esc>0e", "on|e two"),
        ("one two<Esc>0ee", "one tw|o"), ("one two<Esc>02e", "one tw|o"), ("a.b<Esc>0e", "a|.b"),
        ("a.b c<Esc>0E", "a.|b c"), ("ab  <Esc>0ee", "ab | "), ("a<Esc>e", "|a"), ("<Esc>e", "|"),
        ("one two<Esc>0cex", "x| two"), ("one two<Esc>0yeP", "one|one two"), ("one two<Esc>cbx", "one x|o"),
        ("one two<Esc>ybP", "one tw|two"), ("one two<Esc>0wc$x", "one x|"),
        ("a.b c d<Esc>0cWx", "x| c d"), ("a.b c.d e<Esc>0c2Wx", "x| e"), ("a.b c<Esc>0cwx", "x|.b c"),
        ("x y<Esc>0cwz", "z| y"), ("ab cd ef<Esc>0c2wz", "z| ef"), ("ab cd<Esc>0lcwz", "az| cd"),
        ("ab<M-Enter>cd<Esc>kcwz", "az|\ncd"), ("<Esc>cwz", "z|"),
        // From a blank, the blanks up to the next word or the end of the line.
        ("ab  cd ef<Esc>0llcwz", "abz|cd ef"), ("ab  cd<Esc>0lllcWz", "ab z|cd"),
        ("ab <M-Enter>cd<Esc>k$hcwz", "abz|\ncd"),
        ("ab  cd<Esc>0lldw", "ab|cd"), ("a.b c<Esc>0dE", "| c"), ("a.b c<Esc>0dW", "|c"),
        ("a.b c<Esc>0yEP", "a.b|a.b c"),
    ]

    private static let others: [(keys: String, text: String)] = [
        ("abc<Esc>dh", "a|c"), ("abc<Esc>d2h", "|c"), ("abc<Esc>dl", "ab|"), ("abc<Esc>0d ", "|bc"),
        ("abc<Esc>dzx", "ab|"), ("  ab<Esc>d^", "  |b"), ("ab<Esc>0xp", "ba|"), ("ab<Esc>P", "a|b"),
        ("ab<Esc>0~", "A|b"),
        ("abc<Esc>xu<C-r>", "ab|"), ("abc<Esc><BS>x", "a|c"),
        // What takes nothing out leaves what was taken before.
        ("ab<Esc>0xXP", "a|b"),
    ]

    @Test("Commands stay in their line, take their counts, and know words", arguments: [lines, counted, words, others])
    func commands(_ cases: [(keys: String, text: String)]) {
        for (keys, text) in cases {
            var state = EditorState()
            state.usesViKeys = true
            type(keys, into: &state)
            #expect(state.marked == text, "\(keys)")
        }
    }

    @Test("A count is at most ten thousand")
    func longestCount() {
        var state = EditorState()
        state.usesViKeys = true
        type("a<Esc>x99999P", into: &state)
        #expect(state.buffer.clusters.count == 10_000)
        state.set(String(repeating: "b", count: 10_002))
        type("0d99999l", into: &state)
        #expect(state.buffer.text == "bb")
    }

    @Test(
        "Commands go through earlier entries one by one",
        arguments: [
            ("<Esc>?older<Enter>", "older aa"), ("<Esc>kkj<Enter>", "newer bb"), ("<Esc>kk-<Enter>", "oldest Ab"),
            ("<Esc>kk+<Enter>", "newer bb"),
        ])
    func history(_ keys: String, _ text: String) {
        var state = EditorState(history: InputHistory(file: "oldest Ab\nolder aa\nnewer bb\n"))
        state.usesViKeys = true
        #expect(type(keys, into: &state) == .submit(text), "\(keys)")
    }

    @Test("Escape begins no commands where the keys are not vi's")
    func withoutViKeys() {
        var state = EditorState()
        type("ab<Esc>0x", into: &state)
        #expect(state.marked == "ab0x|")
    }
}
