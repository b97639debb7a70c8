// Parts of texts that reach beyond a word: the index of words knows nothing of signs, so the texts themselves decide.

import PredicateSemantics
import RecordDatabase
import RecordModel
import Testing

@Suite struct WordSignTests {
    /// Signs whose codes are next to those of letters and digits, a blank, and nothing.
    private static let signs = ["{", "[", "@", "`", ":", "/", " ", ""]
    /// So many texts hold each.
    private static let each = 300
    private static let set = Result {
        try RecordSet(
            records: (0..<each * signs.count).map { number in
                let sign = signs[number % signs.count]
                return Record(
                    type: "T", id: Record.ID("r\(number)"), fields: ["t": .string("ab\(sign)cd 7\(sign)9 n\(number)")])
            })
    }

    /// With the words of the field at hand, whatever letters are folded.
    @Test(arguments: ["", "[c]", "[cd]"]) func partsWithSigns(options: String) throws {
        let set = try Self.set.get()
        func count(_ part: String) throws -> Int {
            try set.count(matching: RecordPredicate(format: "t CONTAINS\(options) '\(part)'"))
        }
        // What is looked for once has its index, which tells of parts of words.
        #expect(try set.count(matching: RecordPredicate(format: "t TOKENMATCHES\(options) 'abcd'")) == Self.each)
        for part in ["bc", "b"] {
            let explanation = try set.explain(RecordPredicate(format: "t CONTAINS\(options) '\(part)'"))
            #expect(explanation.description.contains("word part"), "\(part)")
        }
        for sign in Self.signs {
            #expect(try count("b\(sign)c") == Self.each, "\(sign)")
            #expect(try count("ab\(sign)cd") == Self.each, "\(sign)")
            #expect(try count("7\(sign)9 n") == Self.each, "\(sign)")
            if !sign.isEmpty { #expect(try count("b\(sign)9") == 0, "\(sign)") }
        }
        #expect(try count("b") == Self.each * Self.signs.count && count("d 7") == Self.each * Self.signs.count)
    }
}
