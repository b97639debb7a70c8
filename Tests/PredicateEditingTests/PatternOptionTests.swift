// Options of patterns in MongoDB's documents: one letter among others, before the pattern's own or behind them.

import PredicateEditing
import Testing

@Suite struct PatternOptionTests {
    private static let cases: [(text: String, predicate: String)] = [
        (#"{a: {$regex: 'x', $options: 'i'}}"#, "a CONTAINS[c] 'x'"),
        (#"{a: {$regex: 'x', $options: 'im'}}"#, "a CONTAINS[c] 'x'"),
        (#"{a: {$regex: 'x', $options: 'mi'}}"#, "a CONTAINS[c] 'x'"),
        (#"{a: {$options: 'si', $regex: 'x'}}"#, "a CONTAINS[c] 'x'"),
        (#"{a: {$regex: 'x', $options: 'm'}}"#, "a CONTAINS 'x'"),
        (#"{a: {$regex: 'x', $options: ''}}"#, "a CONTAINS 'x'"),
        (#"{a: {$regex: /x/i, $options: 'm'}}"#, "a CONTAINS[c] 'x'"),
        (#"{a: {$regex: /x/i}}"#, "a CONTAINS[c] 'x'"),
        (#"{a: {$regex: /x/m, $options: 'i'}}"#, "a CONTAINS[c] 'x'"),
        (#"{a: {$regex: /x/m, $options: 's'}}"#, "a CONTAINS 'x'"),
    ]

    @Test("Letter case is ignored where one of the options says so", arguments: cases.indices)
    func ignoredCase(index: Int) {
        let (text, predicate) = Self.cases[index]
        let found = ForeignLanguage.translation(of: text)
        #expect(found?.language == .mongo && found?.query.predicate == predicate, "\(text)")
    }
}
