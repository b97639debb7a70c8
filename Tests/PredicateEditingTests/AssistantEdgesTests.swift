// What a predicate that is being typed is told: what is finished, what is wrong, and what only waits for more.

import LineEditing
import RecordDatabase
import Testing

@testable import PredicateEditing

@Suite struct AssistantEdgesTests {
    @Test("A text is finished where no more could put it right")
    func finished() throws {
        let assistant = PredicateAssistant(records: try Towns.records.get())
        let cases: [(text: String, isFinished: Bool)] = [
            ("population == 1", true), ("population ==", false), ("population ==  ", false),
            ("population == 1 AND", false), ("(population == 1", false), ("population = = 1", true),
            // A value alone begins no comparison.
            ("population == 1 OR 2", true), ("population == 1 OR 2  ", true), ("population == 1 OR 'x'", true),
            ("population == 1 OR name", false), ("name == 'x", false), ("name == \"x", false),
            ("population == §", true),
        ]
        for (text, isFinished) in cases { #expect(assistant.isFinished(text) == isFinished, "\(text)") }
    }

    @Test("What is at the cursor is being typed; elsewhere it is wrong")
    func syntax() throws {
        let assistant = PredicateAssistant(records: try Towns.records.get())
        let cases: [(text: String, cursor: Int, severity: Diagnosis.Severity?, range: Range<Int>)] = [
            ("", 0, nil, 0..<0), ("  ", 2, nil, 0..<0), ("# note", 0, nil, 0..<0), ("population > 3", 0, nil, 0..<0),
            ("population ==", 13, .unfinished, 13..<13), ("population ==", 0, .unfinished, 13..<13),
            ("population = = 1", 0, .error, 13..<14), ("population = = 1", 14, .error, 13..<14),
            ("population == 1 1", 17, .unfinished, 16..<17), ("population == 1 1", 0, .error, 16..<17),
            // An open text is seen by its colour, in one line.
            ("name == 'Be", 11, nil, 0..<0), ("name == 'Be", 0, nil, 0..<0), ("name ==\n'Be", 11, .unfinished, 8..<11),
        ]
        for (text, cursor, severity, range) in cases {
            let found = assistant.diagnosis(of: text, cursor: cursor)
            #expect(found?.severity == severity && found?.range ?? 0..<0 == range, "\(text) \(cursor)")
        }
    }

    @Test("What is expected is told as far as it is short")
    func expectations() throws {
        let assistant = PredicateAssistant(records: try Towns.records.get())
        let cases: [(text: String, message: String)] = [
            ("population ==", "expression expected: key number string %@ $variable { …"),
            ("(population == 1", "expected ')'"), ("population == 1 1", "unexpected token: AND OR end of text"),
        ]
        for (text, message) in cases {
            #expect(assistant.diagnosis(of: text, cursor: text.utf8.count)?.message == message, "\(text)")
        }
    }

    @Test("Fields that no record has, values that never match and variables without values are told, not while typed")
    func meanings() throws {
        // As at the prompt, which warns of such fields where a query would be an error.
        var records = try Towns.records.get()
        records.allowsUnknownFields = true
        var assistant = PredicateAssistant(records: records)
        assistant.variableHint = "set it"
        let cases: [(text: String, cursor: Int, found: Diagnosis?)] = [
            ("populaton > 3", 9, nil), ("population > $x", 15, nil), ("name == 5", 9, nil),
            ("population > $x", 0, Diagnosis(.warning, 13..<15, "the variable has no value", hint: "set it")),
            (
                "name == 5", 0,
                Diagnosis(
                    .warning, 8..<9, "text is never equal to a number",
                    hint: "numbers in it are texts: name == '5'")
            ),
            ("SUBQUERY(tags, $t, $t == 'old').@count > 0", 0, nil),
        ]
        for (text, cursor, found) in cases {
            #expect(assistant.diagnosis(of: text, cursor: cursor) == found, "\(text) \(cursor)")
        }
        assistant.variables = ["x": .int64(1)]
        #expect(assistant.diagnosis(of: "population > $x", cursor: 0) == nil)
        // The same name is told where it is not being typed.
        for (cursor, range) in [(0, 0..<9), (9, 17..<26)] {
            let found = assistant.diagnosis(of: "populaton > 3 OR populaton < 1", cursor: cursor)
            #expect(found?.severity == .warning && found?.range == range)
            #expect(found?.message == "no record has a field 'populaton'")
        }
        let clash = assistant.diagnosis(of: "population > 'x'", cursor: 0)
        #expect(clash?.severity == .error && clash?.range == 13..<16)
    }

    @Test("Without records no field is unknown")
    func noRecords() throws {
        let assistant = PredicateAssistant(records: try RecordSet(records: []))
        #expect(assistant.diagnosis(of: "populaton > 3", cursor: 0) == nil)
        #expect(assistant.diagnosis(of: "populaton = = 3", cursor: 0)?.severity == .error)
    }

    @Test("A text that is still open has the colour of texts, what cannot be read its own")
    func colours() {
        let cases: [(text: String, roles: [TextRole])] = [
            ("name == 'Be", [.plain, .comparison, .string]), ("name == \"Be", [.plain, .comparison, .string]),
            ("name == 'Be'", [.plain, .comparison, .string]), ("name == §", [.plain, .comparison, .invalid]),
        ]
        for (text, roles) in cases {
            #expect(PredicateAssistant.highlights(of: text).map(\.role) == roles, "\(text)")
        }
    }
}
