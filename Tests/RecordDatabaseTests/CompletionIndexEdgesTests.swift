// What completion offers behind an element of a list.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct CompletionIndexEdgesTests {
    /// An element is compared, as a field is: brackets of indices are not those of an operator's options.
    @Test(arguments: ["tags[0] |", "tags[FIRST] |", "height > 3 AND tags[LAST] |", "NOT tags[SIZE] |"])
    func elementsAreCompared(_ marked: String) throws {
        let set = try RecordSet(records: [record("r", ["height": 1, "tags": ["wet", "dry"]])])
        let found = PredicateCompleter(for: set).completions(
            of: marked.replacing("|", with: ""), at: marked.utf8.count - 1
        ).candidates
        #expect(found.prefix(3).map(\.text) == ["==", "!=", "<"], "\(marked)")
    }
}
