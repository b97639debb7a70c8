// Parts of words, looked for among the words that an index has: what the evaluator finds, by that index.

import PredicateSemantics
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite struct WordPartTests {
    private static let syllables = ["al", "pha", "BE", "ta", "gam", "ma", "x1", "o", "7", "lp", "Ha"]
    /// Where what a word is, and which letters are one, is a matter of more than ASCII.
    private static let special = ["é", "E\u{301}", "ß", "日本", "İ", "a\u{200D}b", "ﬁ", "a\u{308}l"]
    private static let options = ["", "[c]", "[cd]", "[d]"]
    private static let parts = ["al", "lph", "PHA", "ta", "1o", "7", "zz", "a", "fi", "ss", "i", "alphabeta", "al-p"]

    private static func records(_ count: Int) -> [Record] {
        var random = SplitMix64(seed: 22)
        return (0..<count).map { number in
            var words = (0..<3).map { _ in
                (0..<Int.random(in: 1...4, using: &random)).map { _ in syllables.randomElement(using: &random) ?? "" }
                    .joined()
            }
            if number % 80 == 0 { words[1] += special.randomElement(using: &random) ?? "" }
            let text = words.joined(separator: [" ", "-", ", "].randomElement(using: &random) ?? " ")
            return Record(type: "T", id: Record.ID("r\(number)"), fields: ["text": .string("\(text) \(number)")])
        }
    }

    @Test func wordsThatHoldThePart() throws {
        let records = Self.records(6_000)
        let set = try RecordSet(records: records)
        let schema = RecordSchema(recordType: "T", fields: [FieldDefinition(name: "text", type: .string)])
        var uses = 0
        for options in Self.options {
            // What is looked for once has its index.
            _ = try set.count(matching: RecordPredicate(stringLiteral: "text TOKENMATCHES\(options) 'alpha'"))
            for part in Self.parts {
                for text in ["text CONTAINS\(options) '\(part)'", "NOT text CONTAINS\(options) '\(part)'"] {
                    let bound = try Binder(schema: schema).bind(RecordPredicate(stringLiteral: text))
                    var expected = 0
                    for record in records where try bound.evaluate(on: record) { expected += 1 }
                    #expect(try set.count(matching: RecordPredicate(stringLiteral: text)) == expected, "\(text)")
                    if try set.explain(RecordPredicate(stringLiteral: text)).description.contains("word part") {
                        uses += 1
                    }
                }
            }
        }
        #expect(uses > 10)
    }
}
