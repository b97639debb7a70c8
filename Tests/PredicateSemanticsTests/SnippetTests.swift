// Places of words and snippets around them, in texts of several scripts.

import PredicateSemantics
import RecordModel
import Testing

@Suite struct SnippetTests {
    static let record = Record(
        type: "Note", id: .init("n"),
        fields: [
            "title": "The Crème brûlée of New York, new and old", "tags": ["Dessert", "Straße 7", 12, "the new"],
            "body": .string(
                (0..<40).map { "w\($0)" }.joined(separator: " ") + " (crème)\nbrulee. "
                    + (40..<80).map { "w\($0)" }.joined(separator: " ")),
            "city": "私は東京都に行きます", "thai": "ภาษาไทยง่ายมาก", "count": 3, "echo": "ha ha ha ha ho",
        ])

    /// What is found: field, element, and the words as they stand.
    static let places: [(String, [String])] = [
        ("title TOKENMATCHES[cd] 'new creme'", ["title: Crème|New|new"]),
        ("title TOKENMATCHES 'new'", ["title: new"]),
        ("title TOKENMATCHES[cdp] 'creme BRULEE'", ["title: Crème brûlée"]),
        ("title TOKENMATCHES[cdp] 'new and' OR title TOKENMATCHES[cd] 'and'", ["title: new and"]),
        // Each search reads the text with its own letters.
        ("title TOKENMATCHES[cd] 'creme' OR title TOKENMATCHES 'new'", ["title: Crème|new"]),
        (
            "title TOKENMATCHES 'The' OR title TOKENMATCHES[p] 'New York' OR title TOKENMATCHES[c] 'OLD'",
            ["title: The|New York|old"]
        ),
        ("allTokens TOKENMATCHES[cdl] 'new strasse'", ["tags1: Straße", "tags3: new", "title: New|new"]),
        ("self CONTAINS '7'", ["tags1: 7"]),
        ("ANY allTokens BEGINSWITH[cd] 'bru'", ["body: brulee", "title: brûlée"]),
        ("ANY tokenize(title, 'cd') BEGINSWITH 'yo'", ["title: York"]),
        ("tags TOKENMATCHES[cd] 'dessert'", ["tags0: Dessert"]),
        ("ANY tags TOKENMATCHES[cdp] 'the new'", ["tags3: the new"]),
        ("ALL tokenize('old york', 'cd') IN allTokens", ["title: York|old"]),
        ("city TOKENMATCHES '東京'", ["city: 東京"]), ("city TOKENMATCHES[p] '東京都'", ["city: 東京都"]),
        ("thai TOKENMATCHES 'ไทย'", ["thai: ไทย"]),
        // Phrases that overlap are all found, and told as one.
        ("echo TOKENMATCHES[p] 'ha ha ha'", ["echo: ha ha ha ha"]),
        ("NOT (title TOKENMATCHES[cd] 'new')", []), ("NOT (NOT (title TOKENMATCHES[c] 'york'))", ["title: York"]),
        ("NONE tokenize('york', 'cd') IN allTokens", []), ("title CONTAINS 'York'", []),
        ("missing TOKENMATCHES 'x'", []), ("title TOKENMATCHES[cd] 'absent'", []), ("count == 3", []),
    ]

    @Test(arguments: places) func placesOfWords(text: String, expected: [String]) throws {
        let matches = try RecordPredicate(format: text).textMatches(in: Self.record)
        let found = matches.map { match in
            let words = match.stringRanges.map { String(match.text[$0]) }
            let bytes = Array(match.text.utf8)
            #expect(words == match.ranges.map { String(decoding: bytes[$0], as: UTF8.self) })
            return "\(match.field)\(match.element.map(String.init) ?? ""): \(words.joined(separator: "|"))"
        }
        #expect(found == expected)
    }

    /// Snippets of at most so many words, what was found in brackets.
    static let snippets: [(String, Int, [String])] = [
        ("title TOKENMATCHES[cd] 'york'", 3, ["…New [York], new…"]),
        ("title TOKENMATCHES[cd] 'york'", 100, ["The Crème brûlée of New [York], new and old"]),
        ("title TOKENMATCHES[cd] 'old'", 3, ["…new and [old]"]), ("title TOKENMATCHES[cd] 'the'", 2, ["[The] Crème…"]),
        ("title TOKENMATCHES[cd] 'new york'", 2, ["…[New] [York],…"]),
        ("body TOKENMATCHES[cdp] 'creme brulee'", 4, ["…w39 ([crème)\nbrulee]. w40…"]),
        ("body TOKENMATCHES[cdp] 'creme brulee'", 1, ["…([crème])…"]),
        ("body TOKENMATCHES[cdp] 'creme brulee'", 0, ["…([crème])…"]),
        ("body TOKENMATCHES[cdp] 'creme brulee'", -3, ["…([crème])…"]),
        ("body TOKENMATCHES 'w1 w70 w72'", 5, ["…w69 [w70] w71 [w72] w73…"]),
        (
            "allTokens TOKENMATCHES[cdl] 'new creme'", 3,
            ["…[New] York, [new]…", "the [new]", "…w39 ([crème])\nbrulee.…"]
        ),
        ("city TOKENMATCHES '東京'", 3, ["…は[東京]都…"]), ("title == 'x'", 3, []),
    ]

    @Test(arguments: snippets) func stretches(text: String, words: Int, expected: [String]) throws {
        let snippets = try RecordPredicate(format: text).snippets(in: Self.record, words: words)
        #expect(Set(snippets.map { $0.marked("[", "]") }) == Set(expected))
        for snippet in snippets {
            let value = Self.record[snippet.field]
            let element: FieldValue =
                if let place = snippet.element, case .list(let elements) = value { elements[place] } else { value }
            guard case .string(let whole) = element else { continue }
            #expect(String(decoding: Array(whole.utf8)[snippet.range], as: UTF8.self) == snippet.text)
        }
    }

    private static let letters = Record(
        type: "Note", id: .init("l"),
        fields: [
            "t": "alpha beta gamma delta epsilon alpha beta zeta", "l": ["one two", "two three", "two two"],
        ])

    /// Where what is sought stands closest together, with what stands around it on both sides.
    @Test(arguments: [
        ("t TOKENMATCHES 'beta zeta'", 0, "…[beta]…"), ("t TOKENMATCHES 'beta zeta'", 1, "…[beta]…"),
        ("t TOKENMATCHES 'beta zeta'", 2, "…[beta] [zeta]"), ("t TOKENMATCHES 'beta zeta'", 3, "…alpha [beta] [zeta]"),
        ("t TOKENMATCHES 'zeta alpha'", 3, "…[alpha] beta [zeta]"),
        ("t TOKENMATCHES 'delta'", 3, "…gamma [delta] epsilon…"),
        ("t TOKENMATCHES 'delta'", 4, "…gamma [delta] epsilon alpha…"),
        ("t TOKENMATCHES 'alpha'", 3, "[alpha] beta gamma…"),
        ("t TOKENMATCHES[p] 'beta gamma' OR t TOKENMATCHES 'gamma'", 3, "…[beta gamma] delta…"),
        ("t TOKENMATCHES 'gamma beta'", 8, "alpha [beta] [gamma] delta epsilon alpha [beta] zeta"),
    ])
    func surroundings(text: String, words: Int, expected: String) throws {
        let snippets = try RecordPredicate(format: text).snippets(in: Self.letters, words: words)
        #expect(snippets.map { $0.marked("[", "]") } == [expected])
    }

    /// Texts of a list each have their own, the ones with more of what is sought first, equals in their order.
    @Test func textsOfAListInOrder() throws {
        let predicate = try RecordPredicate(format: "allTokens TOKENMATCHES 'two alpha'")
        let snippets = try predicate.snippets(in: Self.letters, words: 2)
        #expect(snippets.map(\.element) == [2, nil, 0, 1])
        let marked = snippets.map { $0.marked("<b>", "</b>", ellipsis: "...") }
        #expect(
            marked == ["<b>two</b> <b>two</b>", "<b>alpha</b> beta...", "one <b>two</b>", "<b>two</b> three"])
        #expect(snippets.map(\.range) == [0..<7, 0..<10, 0..<7, 0..<9])
    }

    @Test func theTextWithMostOfWhatIsSoughtComesFirst() throws {
        let predicate = try RecordPredicate(format: "allTokens TOKENMATCHES[cdl] 'the new creme'")
        #expect(try predicate.snippets(in: Self.record).map(\.field) == ["title", "tags", "body"])
    }

    @Test func ofTextsWithTheSameWordsTheOneThatRepeatsThemComesFirst() throws {
        let record = Record(type: "Note", id: .init("n"), fields: ["a": "x y", "b": "x x x y", "c": "y x"])
        let predicate = try RecordPredicate(format: "allTokens TOKENMATCHES 'x y'")
        #expect(try predicate.snippets(in: record).map(\.field) == ["b", "a", "c"])
    }

    @Test func theMarkOfACutIsThatOfTheCaller() throws {
        let snippets = try RecordPredicate(format: "title TOKENMATCHES[cd] 'york'").snippets(in: Self.record, words: 3)
        #expect(snippets.map { $0.marked("<", ">", ellipsis: "~") } == ["~New <York>, new~"])
    }

    @Test func aMalformedPredicateIsAnError() {
        #expect(throws: RecordPredicateError.self) {
            let broken: RecordPredicate = "title TOKENMATCHES"
            return try broken.textMatches(in: Self.record)
        }
    }
}
