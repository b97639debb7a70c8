// What completion offers within longer predicates, behind operators written in other ways, and for records of one type.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct CompletionEdgesTests {
    private static func set() throws -> RecordSet {
        try RecordSet(
            records: (0..<20).map { number in
                let isPeak = number % 2 == 0
                let fields: [String: FieldValue] = [
                    "height": .int64(Int64(number)), "kind": isPeak ? "hill" : "lake", "tags": ["wet", "dry"],
                ]
                return record("r\(number)", fields, type: isPeak ? "Peak" : "Pond")
            })
    }

    private static func candidates(_ marked: String, _ set: RecordSet) -> [PredicateCompletion] {
        PredicateCompleter(for: set).completions(
            of: marked.replacing("|", with: ""), at: marked.utf8.count - 1
        ).candidates
    }

    /// Behind `AND`, `OR` and `NOT` all begins anew, in parentheses, too: the first candidates.
    @Test(arguments: [
        ("height > 3 AND kind |", ["==", "!=", "CONTAINS", "CONTAINS[cd]"]),
        ("height > 3 OR tags |", ["CONTAINS", "=="]), ("kind == 'hill' |", ["AND", "OR"]),
        ("height > 3 AND (AN|", ["ANY"]), ("NOT (AN|", ["ANY"]),
    ]) func whatBeginsAnew(_ marked: String, _ first: [String]) throws {
        let found = Self.candidates(marked, try Self.set()).map(\.text)
        #expect(Array(found.prefix(first.count)) == first, "\(marked)")
    }

    /// Operators and quantifiers mean the same in all of their spellings.
    @Test(arguments: [
        ("height = |", "nil", true), ("height != |", "nil", true), ("height <> |", "nil", true),
        ("height < |", "nil", false), ("tags = |", "'wet'", false), ("tags <> |", "'wet'", false),
        ("any tags == |", "'wet'", true), ("none tags = |", "'wet'", true), ("kind in {|", "nil", true),
    ]) func spellingsOfOperators(_ marked: String, _ text: String, _ isThere: Bool) throws {
        let found = Self.candidates(marked, try Self.set())
        #expect(found.contains { $0.text == text } == isThere, "\(marked)")
    }

    /// A set of one type has the values of its records alone.
    @Test(
        arguments: [("Peak", ["'hill'"]), ("Pond", ["'lake'"]), (nil, ["'hill'", "'lake'"])] as [(String?, [String])])
    func valuesOfOneType(_ type: String?, _ values: [String]) throws {
        let found = Self.candidates("kind == |", try Self.set().ofType(type))
        #expect(found.filter { $0.kind == .value }.map(\.text) == values)
    }
}
