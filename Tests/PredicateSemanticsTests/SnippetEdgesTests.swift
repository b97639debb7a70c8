// Words found within phrases, phrases at the end of a stretch, and words that are sought twice.

import PredicateSemantics
import RecordModel
import Testing

@Suite struct SnippetEdgesTests {
    private static func record(_ fields: [String: FieldValue]) -> Record {
        Record(type: "T", id: Record.ID("r"), fields: fields)
    }

    /// A word within a phrase does not end the phrase's mark.
    @Test func aWordWithinAPhrase() throws {
        let predicate = try RecordPredicate(format: "t TOKENMATCHES[p] 'one two three' OR t TOKENMATCHES 'two'")
        let matches = try predicate.textMatches(in: Self.record(["t": "one two three four"]))
        #expect(matches.map(\.ranges) == [[0..<13]])
    }

    /// A phrase that begins at the end of a stretch does not make it longer.
    @Test func aPhraseAtTheEndOfAStretch() throws {
        let predicate = try RecordPredicate(format: "t TOKENMATCHES 'x' OR t TOKENMATCHES[p] 'b c'")
        let snippets = try predicate.snippets(in: Self.record(["t": "x a b c"]), words: 3)
        #expect(snippets.map { $0.marked("[", "]") } == ["[x] a [b]…"])
    }

    /// A word that is sought twice counts once: the text with two words comes first.
    @Test func aWordThatIsSoughtTwice() throws {
        let predicate = try RecordPredicate(
            format: "allTokens TOKENMATCHES 'x' OR allTokens TOKENMATCHES 'x' OR allTokens TOKENMATCHES 'y z'")
        let snippets = try predicate.snippets(in: Self.record(["a": "x", "b": "y z"]))
        #expect(snippets.map(\.field) == ["b", "a"])
    }
}
