// Predicates whose texts are equal to Swift and not to the language.

import Testing

@testable import RecordDatabase

@Suite struct TextFormTests {
    @Test(arguments: ["name ==[n] '%'", "name BEGINSWITH[n] '%'", "name IN[n] {'%'}", "length('%') == n"])
    func eachTextIsItself(_ form: String) throws {
        let forms = ["\u{E9}", "e\u{301}"]
        let set = try RecordSet(
            records: forms.map { name in
                let count = Int64(name.unicodeScalars.count)
                let fields: [String: FieldValue] = ["name": .string(name), "n": .int64(count)]
                return Record(type: "T", id: Record.ID("\(count)"), fields: fields)
            })
        for _ in 0..<2 {
            for name in forms {
                let predicate = try RecordPredicate(format: form.replacing("%", with: name))
                let found = try set.records(matching: predicate).map { $0["name"] }
                #expect(found.count == 1 && found[0].isIdentical(to: .string(name)), "\(form) \(name.unicodeScalars)")
            }
        }
    }
}
