// What completion offers for names that are no fields: of a record's own name and type, and of variables.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct CompletionNameEdgesTests {
    private static func candidates(_ text: String, variables: [String] = []) throws -> [String] {
        let set = try RecordSet(records: [record("a", ["n": 1]), record("b", ["n": 2], type: "U")])
        let completer = PredicateCompleter(for: set)
        return completer.completions(of: text, at: text.utf8.count, variables: variables).candidates.map(\.text)
    }

    /// The name of a record and that of its type are texts.
    @Test(arguments: ["id ", "type "]) func operatorsOfNames(_ text: String) throws {
        #expect(try Self.candidates(text).prefix(4) == ["==", "!=", "CONTAINS", "CONTAINS[cd]"])
        #expect(try Self.candidates("n ").prefix(4) == ["==", "!=", "<", "<="])
    }

    /// Variables come in the order of their names, wherever there may be a value.
    @Test(arguments: ["n > $", "$", "n > 1 + $"]) func variablesAreInOrder(_ text: String) throws {
        #expect(try Self.candidates(text, variables: ["b", "c", "a"]) == ["$a", "$b", "$c"])
    }
}
