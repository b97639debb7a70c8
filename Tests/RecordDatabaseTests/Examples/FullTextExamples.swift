// The examples of the article about full text.

import RecordDatabase
import Testing

struct FullTextExamples {
    @Test func fullText() throws {
        let notes = try RecordSet(records: [
            Record(type: "Note", id: Record.ID("a"), fields: ["body": "New York is large. York is old."]),
            Record(type: "Note", id: Record.ID("b"), fields: ["body": "A new café in York"]),
            Record(type: "Note", id: Record.ID("c"), fields: ["body": "東京都に行く", "tags": ["New York", "Tōkyō"]]),
        ])
        let both = try notes.count(matching: "allTokens TOKENMATCHES[cd] 'york new'")
        #expect(both == 3)

        let phrase = try notes.ordinals(matching: "allTokens TOKENMATCHES[cdp] 'new york'")
        #expect(phrase == [0, 2])

        let ranked = try notes.ordinalsByRelevance(matching: "allTokens TOKENMATCHES[cd] 'york'", limit: 2)
        for result in ranked { print(result.ordinal, result.score) }
        let query = try notes.prepare("allTokens TOKENMATCHES[cd] $words", sortedBy: [.relevance], limit: 10)
        let best = try query.records(["words": "new york"])
        #expect(ranked.map(\.ordinal) == [0, 1])
        #expect(best.count == 3)

        let predicate: RecordPredicate = "body TOKENMATCHES[cdp] 'new york' OR body TOKENMATCHES[cd] 'old'"
        if let record = notes.record(at: 0) {
            for match in try predicate.textMatches(in: record) { print(match.field, match.ranges) }
            for snippet in try predicate.snippets(in: record, words: 4) { print(snippet.marked("[", "]")) }
        }
        let snippets = try notes.record(at: 0).map { try predicate.snippets(in: $0, words: 4) }
        #expect(snippets?.first?.marked("[", "]") == "[New York] is large.…")
    }
}
