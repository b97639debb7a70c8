// What the assistant offers while a predicate is typed: the variables that have values among it, in their colour.

import LineEditing
import RecordDatabase
import Testing

@testable import PredicateEditing

@Suite struct AssistantCompletionTests {
    @Test("Variables that have values are offered behind a dollar sign")
    func variables() throws {
        let records = try Towns.records.get()
        let completer = PredicateCompleter(for: records)
        var assistant = PredicateAssistant(records: records)
        let text = "population > $"
        #expect(assistant.completions(of: text, cursor: 14, by: completer).candidates.isEmpty)
        assistant.variables = ["limit": 1, "least": 2]
        let list = assistant.completions(of: text, cursor: 14, by: completer)
        #expect(list.range == 13..<14)
        #expect(Set(list.candidates.map(\.text)) == ["$least", "$limit"])
        #expect(list.candidates.allSatisfy { $0.role == .variable })
    }
}
