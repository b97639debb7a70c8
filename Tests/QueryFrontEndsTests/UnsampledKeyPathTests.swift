// Properties of types that no samples can be made of: those that may lack a value have their fields, too.

import RecordModel
import Testing

@testable import QueryFrontEnds

/// A type that cannot be decoded from samples, whose first properties are decoded before that shows.
struct Rated: RecordConvertible {
    var note: String?
    var amount: Int?
    var name: String
    var grade: Grade
}

@Suite struct UnsampledKeyPathTests {
    @Test("A property is a field whether or not it is optional")
    func optionalProperties() throws {
        let names: [(PartialKeyPath<Rated>, String)] = [
            (\.note, "note"), (\.amount, "amount"), (\.name, "name"), (\.grade, "grade"),
        ]
        for (keyPath, name) in names { #expect(try Rated.path(of: keyPath) == [name], "\(name)") }
        #expect(Rated.where { $0.note == "x" && $0.amount > 3 }.description == #"note == "x" AND amount > 3"#)
    }
}
