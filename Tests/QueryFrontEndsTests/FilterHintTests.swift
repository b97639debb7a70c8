// What helps where the web service has no filter for a predicate.

import PredicateSemantics
import QueryFrontEnds
import Testing

@Suite struct FilterHintTests {
    private static let options = "filters take no options; TOKENMATCHES is [cdl]"
    private static let alternatives =
        "IN says that a field equals one of several values; else send one query for each alternative"

    private static let cases: [(text: String, hint: String?)] = [
        ("name BEGINSWITH[c] 'x'", options), ("name ==[cd] 'x'", options), ("name TOKENMATCHES 'x'", options),
        ("name LIKE 'x*'", nil), ("a + 1 == 2", nil), ("NOT a > 3", nil), ("a == 1 OR b == 2", alternatives),
        ("b == nil", "store a value that stands for a missing one"),
        ("b != nil", "store a value that stands for a missing one"),
    ]

    @Test("What no filter says has the hint that is about it", arguments: cases.indices)
    func hints(index: Int) throws {
        let (text, hint) = Self.cases[index]
        let predicate = try RecordPredicate(format: text)
        let error = #expect(throws: FilterError.self) { try predicate.filterBy() }
        #expect(error?.kind == .unsupported && error?.hint == hint, "\(text)")
    }
}
