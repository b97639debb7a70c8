// Marks that go on behind the end of a line that is cut: they end with what is shown.

import PredicateSyntax
import Testing

@Suite("Marks of cut lines")
struct MarkedLineTests {
    /// The letters of a line, the part to mark, and what is shown: letters and whether a cut is before them, then the
    /// blanks before the caret and the tildes behind it. Of 20 columns 18 are left where a line is cut.
    @Test(arguments: [
        (50, 0..<50, false, 0, 17), (100, 30..<50, true, 7, 11), (100, 30..<42, true, 7, 11),
        (100, 30..<41, true, 7, 10),
    ])
    func marks(letters: Int, marked: Range<Int>, isCutBefore: Bool, blanks: Int, tildes: Int) {
        let text = String(repeating: "a", count: letters)
        let span = SourceSpan(marked.lowerBound, marked.upperBound)
        let line = (isCutBefore ? "…" : "") + String(repeating: "a", count: 18) + "…"
        let marker = String(repeating: " ", count: blanks) + "^" + String(repeating: "~", count: tildes)
        #expect(SourceText(text).caret(span, maximumColumns: 20) == line + "\n" + marker)
    }
}
