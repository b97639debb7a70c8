// Words of the names that every record has: of its name and its type, stored without a schema.

import PredicateSemantics
import RecordModel
import Testing

@testable import Percolation

@Suite struct NameWordsTests {
    /// A predicate, and which of the records `Self.records` it holds for.
    private static let cases: [(text: String, holds: [Int])] = [
        ("recordName TOKENMATCHES 'red'", [0, 1]), ("NOT (recordName TOKENMATCHES 'red')", [2, 3]),
        ("recordName TOKENMATCHES[cd] 'RED'", [0, 1, 3]), ("recordName TOKENMATCHES 'red fox'", [0]),
        ("recordName TOKENMATCHES[cdp] 'red fox'", [0]), ("recordName TOKENMATCHES[cdp] 'fox red'", []),
        ("recordType TOKENMATCHES 'Wild'", [0, 1, 2]), ("NOT (recordType TOKENMATCHES 'Wild')", [3]),
        ("recordType TOKENMATCHES 'red'", []), ("ANY tokenize(recordName, 'c') BEGINSWITH 're'", [0, 1]),
        ("ANY tokenize(recordName, 'c') BEGINSWITH 'hen'", [1, 2]),
        ("recordName TOKENMATCHES 'red' AND name == 'x'", [1]), ("allTokens TOKENMATCHES 'red'", [2]),
        ("NOT (allTokens TOKENMATCHES 'red')", [0, 1, 3]), ("allTokens TOKENMATCHES 'Wild'", []),
        ("allTokens TOKENMATCHES 'red' AND recordName TOKENMATCHES 'hen'", [2]),
        ("name TOKENMATCHES 'red' OR recordName TOKENMATCHES 'fox'", [0, 2]),
    ]

    private static let records = [
        Record(type: "Wild Thing", id: Record.ID("red fox"), fields: [:]),
        Record(type: "Wild Thing", id: Record.ID("red hen"), fields: ["name": "x"]),
        Record(type: "Wild Thing", id: Record.ID("hen"), fields: ["name": "red barn"]),
        Record(type: "Thing", id: Record.ID("Réd"), fields: ["name": "réd"]),
    ]

    /// Each alone and all in one index find what the evaluator says, and what is written here.
    @Test func namesHaveWords() throws {
        var together = PredicateIndex()
        for (id, (text, holds)) in Self.cases.enumerated() {
            let predicate = try Binder().bind(RecordPredicate(format: text))
            var alone = PredicateIndex()
            alone.insert(predicate, id: id, type: nil)
            together.insert(predicate, id: id, type: nil)
            let evaluated = try Self.records.indices.filter { try predicate.evaluate(on: Self.records[$0]) }
            #expect(evaluated == holds, "\(text)")
            let found = Self.records.indices.filter { alone.matches(Self.records[$0]).ids == [id] }
            #expect(found == holds, "\(text)")
        }
        for (number, record) in Self.records.enumerated() {
            let expected = Self.cases.indices.filter { Self.cases[$0].holds.contains(number) }
            #expect(together.matches(record).ids.sorted() == expected, "\(number)")
        }
    }

    /// Fields that a change leaves as they were give their words again, names included.
    @Test func namesHaveWordsAfterAChange() throws {
        var index = PredicateIndex()
        for (id, text) in ["recordName TOKENMATCHES 'red'", "name TOKENMATCHES 'x'", "n == 1"].enumerated() {
            index.insert(try Binder().bind(RecordPredicate(format: text)), id: id, type: nil)
        }
        func record(_ n: FieldValue) -> Record {
            Record(type: "T", id: Record.ID("red fox"), fields: ["name": "x y", "n": n])
        }
        let transition = index.transition(from: record(1), to: record(2))
        #expect(transition.stayed.sorted() == [0, 1] && transition.left == [2] && transition.entered.isEmpty)
    }
}
