// Names: of variables within variables, of the members of objects in their order, and as predicates are written down.

import Foundation
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct NameOrderTests {
    /// A variable is that of the innermost SUBQUERY of its name, also where what lies behind it gets other names.
    @Test func variablesOfOneName() throws {
        let text = "SUBQUERY(friends, $f, SUBQUERY($f.pets, $f, $f.name == 1).@count > 0).@count > 0"
        var asked: Set<[String]> = []
        let renamed = try RecordPredicate(format: text).renamingPaths { keys in
            asked.insert(keys)
            return keys.map { $0 + "2" }
        }
        let expected = "SUBQUERY(friends, $f, SUBQUERY($f.pets2, $f, $f.name2 == 1).@count > 0).@count > 0"
        #expect(renamed == RecordPredicate(stringLiteral: expected))
        let paths: Set<[String]> = asked.filter { $0.count > 1 }
        #expect(paths == [["friends", "pets"], ["friends", "pets", "name"]])
    }

    @Test func membersInTheOrderOfTheirKeys() {
        let names = "abcdefghijkl".map(String.init)
        let members = names.enumerated().map { ($0.element, FieldValue.int64(Int64($0.offset))) }
        let object = FieldValue.object(["o": .object(Dictionary(uniqueKeysWithValues: members))])
        let (keys, values) = (names.map { FieldValue.string($0) }, members.map(\.1))
        #expect(outcome("o.@allKeys == %@", [.list(keys)], of: object) == "T")
        #expect(outcome("o.@allValues == %@", [.list(values)], of: object) == "T")
    }

    /// Predicates are written in their canonical form, malformed ones as they are.
    @Test(arguments: [
        ("a=1", "a == 1"), ("a  ==  1", "a == 1"), ("a >", "a >"), ("a == 1 and b = 2", "a == 1 AND b == 2"),
    ])
    func writtenPredicates(text: String, written: String) throws {
        let data = try JSONEncoder().encode(RecordPredicate(stringLiteral: text))
        #expect(try JSONDecoder().decode([String: String].self, from: data) == ["format": written])
    }
}
