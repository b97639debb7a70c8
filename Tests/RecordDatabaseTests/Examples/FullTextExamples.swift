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

    @Test func analyzers() throws {
        let english = TextAnalyzer(
            language: .english, stopWords: TextAnalyzer.englishStopWords, synonyms: [["car", "automobile"]])
        var articles = try RecordSet(records: [
            Record(type: "Article", id: Record.ID("a"), fields: ["body": "Art of running cars", "title": "Running"]),
            Record(type: "Article", id: Record.ID("b"), fields: ["body": "A dog runs", "title": "Dogs"]),
        ])
        articles.analyzers = ["body": english]
        let running = try articles.ordinals(matching: "body TOKENMATCHES[cd] 'the automobile run'")
        let asWritten = try articles.ordinals(matching: "title TOKENMATCHES[cd] 'runs'")
        #expect(running == [0] && asWritten.isEmpty)
        #expect(try articles.count(matching: "body TOKENMATCHES[cdp] 'art in running'") == 1)

        let container = try Container(identifier: "example")
        let fields: [String: ContainerSchema.Field] = [
            "body": .init(.string, analyzer: english), "title": .init(.string),
        ]
        try container.setSchema(ContainerSchema(recordTypes: ["Article": .init(fields: fields)]))
        #expect(container.schema.recordTypes["Article"]?.fields["body"]?.analyzer == english)
    }
}
