// What stored predicates are filed under, and that records find them there.

import FoundationEssentials
import Geospatial
import PredicateSemantics
import RecordModel
import Testing

@testable import Percolation

/// A predicate, a record that it holds for, and one that it does not hold for.
struct ExtractionCase: Sendable, CustomTestStringConvertible {
    var text: String
    var arguments: [FieldValue] = []
    var holds: [String: FieldValue]
    var fails: [String: FieldValue]
    /// Whether nothing in it can be looked up.
    var isAlwaysTried = false

    init(
        _ text: String, _ arguments: [FieldValue] = [], holds: [String: FieldValue], fails: [String: FieldValue],
        isAlwaysTried: Bool = false
    ) {
        self.text = text
        self.arguments = arguments
        self.holds = holds
        self.fails = fails
        self.isAlwaysTried = isAlwaysTried
    }

    var testDescription: String { text }

    func predicate() throws -> BoundPredicate {
        try Binder(schema: Fixtures.schema).bind(RecordPredicate(format: text, arguments: arguments))
    }

    private static let kyiv = FieldValue.location(Location(latitude: 50.45, longitude: 30.52))
    private static let near = FieldValue.location(Location(latitude: 50.46, longitude: 30.51))
    private static let tokyo = FieldValue.location(Location(latitude: 35.68, longitude: 139.77))
    private static let fiji = FieldValue.location(Location(latitude: -17.7, longitude: 179.99))
    private static let dateline = FieldValue.location(Location(latitude: -17.7, longitude: 180))
    private static let samoa = FieldValue.location(Location(latitude: -17.7, longitude: -179.99))

    static let all: [ExtractionCase] = [
        // Values.
        .init("whole == 3", holds: ["whole": 3], fails: ["whole": 4]),
        .init("whole == 3.0", holds: ["whole": 3], fails: ["whole": 3.5]),
        .init("flag == TRUE", holds: ["flag": true], fails: ["flag": false]),
        .init("fraction == 0", holds: ["fraction": -0.0], fails: [:]),
        .init("NOT (whole != 3)", holds: ["whole": 3], fails: [:]),
        .init("name == 'Ann'", holds: ["name": "Ann"], fails: ["name": "ann"]),
        .init("name ==[c] 'ANN'", holds: ["name": "aNN"], fails: ["name": "änn"]),
        .init("name ==[cd] 'ANN'", holds: ["name": "änn"], fails: ["name": "anna"]),
        .init("name ==[n] 'Ann'", holds: ["name": "Ann"], fails: ["name": "ann"]),
        .init("name ==[l] 'Ann'", holds: ["name": "Ann"], fails: [:]),
        .init("whole IN {1, 2.0, 2}", holds: ["whole": 2], fails: ["whole": 3]),
        .init("name IN[c] {'a', 'b'}", holds: ["name": "B"], fails: ["name": "c"]),
        .init(
            "owner == %@", [.reference(RecordReference("x"))], holds: ["owner": .reference(RecordReference("x"))],
            fails: [:]),
        .init("date == CAST(5, 'NSDate')", holds: ["date": day(5)], fails: ["date": day(6)]),
        .init("recordName == 'it'", holds: ["recordName": "it"], fails: ["recordName": "other"]),
        .init("name == nil", holds: [:], fails: ["name": ""]),
        .init("name != nil", holds: ["name": ""], fails: [:]),
        // Elements.
        .init("ANY tags == 'x'", holds: ["tags": ["y", "x", "x"]], fails: ["tags": ["X"]]),
        .init("tags CONTAINS[c] 'x'", holds: ["tags": ["X"]], fails: ["tags": []]),
        .init("ANY tags IN {'x', 'y'}", holds: ["tags": ["x", "y"]], fails: ["tags": ["z"]]),
        .init("ANY tags BEGINSWITH 'ab'", holds: ["tags": ["c", "abc"]], fails: ["tags": ["cab"]]),
        .init("ANY tags LIKE 'a*b'", holds: ["tags": ["c", "axb"]], fails: ["tags": ["abc"]]),
        .init("ANY numbers > 5", holds: ["numbers": [1, 6]], fails: ["numbers": [5]]),
        // Ranges.
        .init("whole > 3", holds: ["whole": 4], fails: ["whole": 3]),
        .init("whole >= 3", holds: ["whole": 3], fails: [:]),
        .init("fraction < 0.5", holds: ["fraction": 0.49], fails: ["fraction": 0.5]),
        .init("3 >= whole", holds: ["whole": 3], fails: ["whole": 4]),
        .init("whole BETWEEN {7, 3}", holds: ["whole": 7], fails: ["whole": 8]),
        .init("whole BETWEEN {3, 3}", holds: ["whole": 3], fails: ["whole": 2]),
        .init("fraction BETWEEN {-1e308, 1e308}", holds: ["fraction": 0], fails: [:]),
        .init("fraction >= -1e308 AND fraction < 1e308", holds: ["fraction": -1e308], fails: ["fraction": 1e308]),
        .init("whole > 3 AND whole <= 5", holds: ["whole": 5], fails: ["whole": 6]),
        .init(
            "whole > 9007199254740993", holds: ["whole": .int64(.max)], fails: ["whole": .int64(9_007_199_254_740_993)]),
        .init("date > CAST(5, 'NSDate')", holds: ["date": day(6)], fails: ["date": day(5)]),
        .init("date < now()", holds: ["date": day(0)], fails: ["date": .date(.distantFuture)]),
        .init("whole * 2 + 1 > 9", holds: ["whole": 5], fails: ["whole": 4]),
        .init("tags.@count > 1", holds: ["tags": ["a", "b"]], fails: ["tags": ["a"]]),
        .init("name > 'm'", holds: ["name": "n"], fails: ["name": "a"]),
        // Parts of texts.
        .init("name BEGINSWITH 'ab'", holds: ["name": "abc"], fails: ["name": "Abc"]),
        .init("name BEGINSWITH[cd] 'Cafe'", holds: ["name": "CAFÉS"], fails: ["name": "caf"]),
        .init("name BEGINSWITH 'cafe'", holds: ["name": "cafe1"], fails: ["name": "cafe\u{301}"]),
        .init("name BEGINSWITH 'cafx'", holds: ["name": "cafx1"], fails: ["name": "cafx\u{301}"]),
        .init("name BEGINSWITH[n] 'cafe'", holds: ["name": "cafe\u{301}"], fails: ["name": "caf"]),
        .init(
            "name BEGINSWITH 'abcdefghijklmnopqrstuvwxyz0123456789'",
            holds: ["name": "abcdefghijklmnopqrstuvwxyz0123456789!"],
            fails: ["name": "abcdefghijklmnopqrstuvwxyz012345678!"]),
        // A letter lies across the byte where long ones are cut.
        .init(
            "name BEGINSWITH 'aéééééééééééééééé'", holds: ["name": "aééééééééééééééééx"],
            fails: ["name": "aééééééééééééééé"]),
        .init(
            "name ENDSWITH 'éééééééééééééééé1'", holds: ["name": "xéééééééééééééééé1"],
            fails: ["name": "ééééééééééééééé1"]),
        .init("name BEGINSWITH ''", holds: [:], fails: ["name": "a"], isAlwaysTried: false),
        .init("name ENDSWITH[c] 'SON'", holds: ["name": "Jonson"], fails: ["name": "sonny"]),
        // A mark belongs to the letter before it, and to none at the beginning.
        .init(
            "name ENDSWITH %@", ["\u{301}"], holds: ["name": "\u{301}"], fails: ["name": "abcdex\u{301}"]),
        .init("name CONTAINS[d] 'tele'", holds: ["name": "hôtélet\u{E9}l\u{E9}"], fails: ["name": "tel e"]),
        .init("name CONTAINS 'é'", holds: ["name": "née"], fails: ["name": "nee"]),
        .init("name LIKE 'a?c*'", holds: ["name": "abcd"], fails: ["name": "bbcd"]),
        .init("name MATCHES '[a-c]+'", holds: ["name": "abc"], fails: ["name": "abd"]),
        // Words.
        .init("allTokens TOKENMATCHES[cd] 'red fox'", holds: ["body": "A Fox", "name": "réd"], fails: ["body": "fox"]),
        .init("body TOKENMATCHES[c] 'red fox'", holds: ["body": "fox, red"], fails: ["body": "fox", "name": "red"]),
        .init("tags TOKENMATCHES[c] 'red fox'", holds: ["tags": ["fox", "red"]], fails: ["tags": ["fox"]]),
        .init("body TOKENMATCHES[cp] 'red fox'", holds: ["body": "a red fox"], fails: ["body": "fox red"]),
        .init("self CONTAINS 'red fox'", holds: ["body": "fox red"], fails: ["body": "foxes"]),
        .init("'Fox' IN allTokens", holds: ["body": "Fox"], fails: ["body": "fox"]),
        .init("ANY allTokens BEGINSWITH[c] 'RE'", holds: ["body": "a red"], fails: ["body": "are"]),
        .init("ANY tokenize(body, 'cd') BEGINSWITH 're'", holds: ["body": "RÉD"], fails: ["name": "red"]),
        .init(
            "ANY allTokens BEGINSWITH 'aéééééééééééééééé'", holds: ["body": "an aéééééééééééééééés"],
            fails: ["body": "aééééééééééééééé"]),
        .init("body TOKENMATCHES ''", holds: [:], fails: ["body": "a"]),
        // Places.
        .init(circle("<", 5000), [kyiv], holds: ["place": near], fails: ["place": tokyo]),
        .init(circle("<=", 5000), [fiji], holds: ["place": samoa], fails: ["place": tokyo]),
        .init(circle("<=", 5000), [fiji], holds: ["place": dateline], fails: ["place": tokyo]),
        .init(circle("<=", 5000), [samoa], holds: ["place": dateline], fails: ["place": tokyo]),
        .init(circle(">", 5000), [kyiv], holds: ["place": tokyo], fails: ["place": near]),
        .init(circle("<", 1e8), [kyiv], holds: ["place": tokyo], fails: [:]),
        .init(circle("<", -1), [kyiv], holds: [:], fails: ["place": kyiv]),
        // Several conditions.
        .init("name == 'a' AND whole >= 3", holds: ["name": "a", "whole": 3], fails: ["name": "a", "whole": 2]),
        .init("whole >= 3 AND name == 'a'", holds: ["name": "a", "whole": 3], fails: ["whole": 3]),
        .init("ANY tags == 'x' AND flag == TRUE", holds: ["tags": ["x"], "flag": true], fails: ["tags": ["x"]]),
        .init("name == 'a' OR whole > 3", holds: ["name": "a", "whole": 4], fails: ["name": "b"]),
        .init(
            "(name == 'a' OR whole IN {3, 4}) AND flag == TRUE", holds: ["whole": 4, "flag": true],
            fails: ["name": "a", "whole": 3]),
        .init("NOT (name != 'a' OR whole < 3)", holds: ["name": "a", "whole": 3], fails: ["name": "a", "whole": 2]),
        .init("name == 'a' AND numbers[0] == 1", holds: ["name": "a", "numbers": [1]], fails: ["name": "a"]),
        .init("whole > 3 AND whole < 3", holds: [:], fails: ["whole": 3]),
        .init("whole >= 3 AND whole <= 3", holds: ["whole": 3], fails: ["whole": 2]),
        .init("3 <= whole AND NOT (whole > 3)", holds: ["whole": 3], fails: ["whole": 4]),
        // Nothing to look up.
        .init("name != 'a'", holds: [:], fails: ["name": "a"], isAlwaysTried: true),
        .init("NOT (whole < 3)", holds: [:], fails: ["whole": 2], isAlwaysTried: true),
        .init("NONE tags == 'x'", holds: [:], fails: ["tags": ["x"]], isAlwaysTried: true),
        .init("name == 'a' OR whole != 3", holds: [:], fails: ["whole": 3], isAlwaysTried: true),
        .init(
            "numbers[0] == 1 AND name == 'a'", holds: ["numbers": [1], "name": "a"], fails: [:], isAlwaysTried: true),
        .init("TRUEPREDICATE", holds: [:], fails: [:], isAlwaysTried: true),
    ]

    private static func day(_ seconds: Double) -> FieldValue {
        .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    private static func circle(_ relation: String, _ radius: Double) -> String {
        "distanceToLocation:fromLocation:(place, %@) \(relation) \(radius)"
    }
}

enum Fixtures {
    static let schema = RecordSchema(
        recordType: "Thing",
        fields: ([
            ("whole", .int64), ("fraction", .double), ("flag", .bool), ("name", .string), ("body", .string),
            ("date", .date), ("tags", .list(.string)), ("numbers", .list(.int64)), ("place", .location),
            ("owner", .reference),
        ] as [(String, FieldType)]).map { FieldDefinition(name: $0.0, type: $0.1) })

    /// A record of the fields; its name is the value of `recordName`.
    static func record(_ fields: [String: FieldValue], type: String = "Thing") -> Record {
        var fields = fields
        var name = "r"
        if case .string(let text) = fields.removeValue(forKey: "recordName") { name = text }
        return Record(type: type, id: Record.ID(name), fields: fields)
    }
}

@Suite struct TermExtractionTests {
    @Test(arguments: ExtractionCase.all)
    func isFoundWhereItHolds(_ example: ExtractionCase) throws {
        let predicate = try example.predicate()
        var index = PredicateIndex()
        index.insert(predicate, id: 7, type: "Thing")
        #expect(index.alwaysTriedCount == (example.isAlwaysTried ? 1 : 0))
        for fields in [example.holds, example.fails] {
            let record = Fixtures.record(fields)
            let matches = index.matches(record)
            let holds = try predicate.evaluate(on: record)
            #expect(matches.ids == (holds ? [7] : []))
            #expect(matches.failures.isEmpty)
        }
        let isNever = index.types[0].stored[0]?.extraction.terms.isEmpty == true
        let isTrue = example.text == "TRUEPREDICATE"
        let holds = try predicate.evaluate(on: Fixtures.record(example.holds))
        let fails = try !predicate.evaluate(on: Fixtures.record(example.fails))
        #expect(holds || isNever)
        #expect(fails || isTrue)
    }

    /// All cases in one index, which shares terms and lists among them; then one after the other leaves.
    @Test func casesTogetherAndLeaving() throws {
        let predicates = try ExtractionCase.all.map { try $0.predicate() }
        let records = ExtractionCase.all.flatMap { [Fixtures.record($0.holds), Fixtures.record($0.fails)] }
        var index = PredicateIndex()
        for (id, predicate) in predicates.enumerated() { index.insert(predicate, id: id, type: "Thing") }
        for removed in 0...predicates.count {
            for record in records where removed % 10 == 0 || removed == predicates.count {
                var expected: Set<Int> = []
                for id in removed..<predicates.count where try predicates[id].evaluate(on: record) {
                    expected.insert(id)
                }
                #expect(Set(index.matches(record).ids) == expected)
            }
            if removed < predicates.count {
                let wasThere = index.remove(removed)
                #expect(wasThere)
            }
        }
        #expect(index.count == 0)
        // What no predicate mentions is no longer looked up.
        #expect(index.types[0].dictionary.liveCount == 1)
        let idle = index.types[0].fields.filter { $0.values.isEmpty && $0.words.isEmpty && $0.assumptions.isEmpty }
        #expect(idle.count == index.types[0].fields.count)
        let used = index.types[0].postings.count { !$0.isEmpty }
        #expect(used == 0)
    }

    /// A rare word and not a frequent one, a value and not a range, the rare part of a text; the field's presence where
    /// a pattern begins with anything.
    @Test(arguments: [
        ("allTokens TOKENMATCHES 'common rare'", TermField.Kind.word, "rare"),
        ("whole > 3 AND name == 'b'", .value, "b"), ("flag == TRUE AND ANY tags == 'x'", .element, "x"),
        ("name BEGINSWITH 'zz' AND flag == TRUE", .prefix, "zz"), ("name CONTAINS 'abcd'", .gram, "bcd"),
        ("name CONTAINS 'zabc'", .gram, "zab"), ("name LIKE '?b*c'", .presence, ""),
    ])
    func theMostSelectiveConditionIsFiled(_ text: String, _ kind: TermField.Kind, _ key: String) throws {
        var index = PredicateIndex()
        let fillers = ["allTokens TOKENMATCHES 'common'", "flag == TRUE", "name CONTAINS 'abc'"]
        for (id, filler) in fillers.enumerated() {
            for copy in 0..<20 {
                index.insert(
                    try Binder(schema: Fixtures.schema).bind(RecordPredicate(format: filler)), id: id * 20 + copy,
                    type: "Thing")
            }
        }
        index.insert(try Binder(schema: Fixtures.schema).bind(RecordPredicate(format: text)), id: 99, type: "Thing")
        let type = index.types[0]
        let terms = try #require(type.stored[60]).extraction.terms
        try #require(terms.count == 1)
        let space = type.space(of: terms[0].number)
        #expect(space.kind == kind)
        #expect(type.mentions(of: Array(key.utf8).span, space) == 1)
    }
}
