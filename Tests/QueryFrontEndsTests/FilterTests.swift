// Filters of CloudKit's web service: read, written, and refused with a place.

import Foundation
import Geospatial
import PredicateSemantics
import PredicateSyntax
import QueryFrontEnds
import RecordModel
import Testing
import _TestSupport

@Suite struct FilterTests {
    /// Filters in JSON, the place of their error and its kind.
    static let faults: [(json: String, kind: FilterError.Kind, place: String)] = [
        ("[", .malformed, "byte 1"),
        ("{}", .structure, ""),
        ("[3]", .structure, "[0]"),
        ("[{}]", .structure, "[0]"),
        (#"[{"comparator":"EQUALS","fieldName":"a"}]"#, .structure, "[0]"),
        (#"[{"comparator":"EQUALS","fieldValue":{"value":1}}]"#, .structure, "[0]"),
        (#"[{"comparator":"EQUALS","fieldName":"","fieldValue":{"value":1}}]"#, .structure, "[0]"),
        (#"[{"comparator":"EQUAL","fieldName":"a","fieldValue":{"value":1}}]"#, .comparator, "[0].comparator"),
        (#"[{"comparator":3,"fieldName":"a","fieldValue":{"value":1}}]"#, .structure, "[0].comparator"),
        (#"[{"comparator":"EQUALS","fieldName":3,"fieldValue":{"value":1}}]"#, .structure, "[0].fieldName"),
        (#"[{"comparator":"EQUALS","field":"a","fieldValue":{"value":1}}]"#, .structure, "[0].field"),
        (#"[{"comparator":"EQUALS","fieldName":"a","fieldValue":1}]"#, .structure, "[0].fieldValue"),
        (#"[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"type":"INT64"}}]"#, .structure, "[0].fieldValue"),
        (#"[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":null}}]"#, .value, "[0].fieldValue.value"),
        (
            #"[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1,"type":"NUMBER"}}]"#, .value,
            "[0].fieldValue.type"
        ),
        (
            #"[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":"1","type":"INT64"}}]"#, .value,
            "[0].fieldValue.value"
        ),
        (
            #"[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1.5,"type":"INT64"}}]"#, .value,
            "[0].fieldValue.value"
        ),
        (
            #"[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":"?","type":"BYTES"}}]"#, .value,
            "[0].fieldValue.value"
        ),
        (
            #"[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":[1],"type":"INT64_LIST"}}]"#, .comparator,
            "[0].fieldValue"
        ),
        (
            #"[{"comparator":"IN","fieldName":"a","fieldValue":{"value":[1,"x"],"type":"INT64_LIST"}}]"#, .value,
            "[0].fieldValue.value[1]"
        ),
        (#"[{"comparator":"IN","fieldName":"a","fieldValue":{"value":1}}]"#, .comparator, "[0].fieldValue"),
        (
            #"[{"comparator":"IN","fieldName":"a","fieldValue":{"value":1,"type":"INT64_LIST"}}]"#, .structure,
            "[0].fieldValue.value"
        ),
        (#"[{"comparator":"BEGINS_WITH","fieldName":"a","fieldValue":{"value":1}}]"#, .comparator, "[0].fieldValue"),
        (
            #"[{"comparator":"NEAR","fieldName":"a","fieldValue":{"value":{"latitude":1,"longitude":2}}}]"#, .structure,
            "[0].distance"
        ),
        (
            #"[{"comparator":"NEAR","fieldName":"a","distance":"5","fieldValue":{"value":{"latitude":1,"longitude":2}}}]"#,
            .value, "[0].distance"
        ),
        (
            #"[{"comparator":"NEAR","fieldName":"a","distance":5,"fieldValue":{"value":{"latitude":91,"longitude":2}}}]"#,
            .value, "[0].fieldValue.value"
        ),
        (
            #"[{"comparator":"EQUALS","fieldName":"a","distance":5,"fieldValue":{"value":1}}]"#, .structure,
            "[0].distance"
        ),
        (
            #"[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":{"recordName":"x","action":"DIE"}}}]"#,
            .value,
            "[0].fieldValue.value.action"
        ),
        (
            #"[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":{"recordName":"x","zoneID":{}}}}]"#,
            .structure,
            "[0].fieldValue.value.zoneID"
        ),
    ]

    @Test(arguments: faults.indices)
    func faultsHaveAPlace(_ index: Int) {
        let row = Self.faults[index]
        let error = #expect(throws: FilterError.self) { try RecordPredicate(filterBy: row.json) }
        #expect(error?.kind == row.kind)
        #expect(error?.place == row.place)
    }

    @Test func hints() {
        let json = #"[{"comparator":"LIST_CONTAIN","fieldName":"a","fieldValue":{"value":1}}]"#
        let error = #expect(throws: FilterError.self) { try RecordPredicate(filterBy: json) }
        #expect(error?.hint == "did you mean LIST_CONTAINS?")
        #expect(error?.description == "[0].comparator: no such comparator (did you mean LIST_CONTAINS?)")
    }

    /// Predicates that no filters say, and the part that is at fault.
    static let unsupported: [(predicate: RecordPredicate, part: String)] = [
        ("a == 1 AND (b == 2 OR c == 3)", "b == 2 OR c == 3"),
        ("NOT (a == 1 AND b == 2)", "NOT (a == 1 AND b == 2)"),
        ("NOT a > 3", "NOT a > 3"),
        ("NOT a BETWEEN {1, 2}", "NOT a BETWEEN {1, 2}"),
        ("NOT allTokens TOKENMATCHES[cdl] 'x'", #"NOT allTokens TOKENMATCHES[cdl] "x""#),
        ("a == 1 AND b == nil", "b == nil"),
        ("a == b", "a == b"),
        ("a + 1 == 2", "a + 1 == 2"),
        ("owner.name == 'x'", #"owner.name == "x""#),
        ("name BEGINSWITH[c] 'x'", #"name BEGINSWITH[c] "x""#),
        ("name TOKENMATCHES 'x'", #"name TOKENMATCHES "x""#),
        ("name TOKENMATCHES[cdlp] 'x y'", #"name TOKENMATCHES[cdlp] "x y""#),
        ("name ENDSWITH 'x'", #"name ENDSWITH "x""#),
        ("name LIKE 'x*'", #"name LIKE "x*""#),
        ("name IN 'abc'", #"name IN "abc""#),
        ("ALL tokenize('', 'cdl') IN allTokens", "ALL "),
        ("ANY {'Red'} IN tokenize(name, 'cdl')", "ANY "),
        ("ANY {'new york'} IN tokenize(name, 'cdl')", "ANY "),
        ("ANY {'a', ''} IN tokenize(name, 'cdl')", "ANY "),
        ("ALL scores > 3", "ALL scores > 3"),
        ("scores.@count > 1", "scores.@count > 1"),
        ("a == {1, 2}", "a == {1, 2}"),
        ("a IN {1, 'x'}", #"a IN {1, "x"}"#),
        ("a IN {1, nil}", "a IN {1, nil}"),
        ("distanceToLocation:fromLocation:(spot, \(kyiv)) > 5", "distanceToLocation:fromLocation:(spot, %@) > 5"),
        ("distanceToLocation:fromLocation:(spot, \(kyiv)) <= 5", "distanceToLocation:fromLocation:(spot, %@) <= 5"),
        ("founded > \(Date(timeIntervalSince1970: 0.000_4))", "founded > CAST"),
        ("a > $least", "a > $least"),
        ("FALSEPREDICATE", "FALSEPREDICATE"),
    ]

    @Test(arguments: unsupported.indices)
    func whatFiltersCannotSay(_ index: Int) {
        let row = Self.unsupported[index]
        let error = #expect(throws: FilterError.self) { try row.predicate.filterBy() }
        #expect(error?.kind == .unsupported)
        #expect(error?.place.hasPrefix(row.part) == true, "\(error as Any)")
    }

    /// Predicates in other words than filters are read as.
    static let spellings: [(predicate: RecordPredicate, same: RecordPredicate)] = [
        ("5 < a", "a > 5"), ("5 >= a", "a <= 5"), ("'x' == a", "a == 'x'"),
        ("'red' IN tags", "tags CONTAINS 'red'"), ("ANY tags == 'red'", "tags CONTAINS 'red'"),
        ("NONE tags == 'red'", "NOT tags CONTAINS 'red'"), ("NONE tags IN {'a'}", "NOT ANY tags IN {'a'}"),
        ("NONE tags BEGINSWITH 'a'", "NOT ANY tags BEGINSWITH 'a'"),
        ("a BETWEEN {9, 3}", "a >= 3 AND a <= 9"), ("{'a', 'b'} CONTAINS name", "name IN {'a', 'b'}"),
        ("ANY {'a', 'b'} == name", "name IN {'a', 'b'}"), ("NOT NOT a == 1", "a == 1"), ("NOT a != 1", "a == 1"),
        ("NOT a == 1", "a != 1"), ("a == 1 AND TRUEPREDICATE AND (b == 2 AND c == 3)", "a == 1 AND b == 2 AND c == 3"),
        ("a == 2 + 3", "a == 5"), ("a == TRUE", "a == 1"), ("SELF.a == 1", "a == 1"),
        ("name TOKENMATCHES[cd] 'x'", "name TOKENMATCHES[cdl] 'x'"),
        ("ALL tokenize('Bob Smith', 'cdl') IN allTokens", "allTokens TOKENMATCHES[cdl] 'bob smith'"),
        ("ANY tokenize('Bob Smith', 'cdl') IN allTokens", "SELF CONTAINS 'bob smith'"),
        (
            "1000 > distanceToLocation:fromLocation:(\(kyiv), spot)",
            "distanceToLocation:fromLocation:(spot, \(kyiv)) < 1000.0"
        ),
    ]

    @Test(arguments: spellings.indices)
    func otherSpellings(_ index: Int) throws {
        let row = Self.spellings[index]
        #expect(try RecordPredicate(filterBy: row.predicate.filterBy()).description == row.same.description)
    }

    @Test("Only searches look through all fields under the name allTokens")
    func fieldNamedAllTokens() throws {
        func predicate(_ comparator: String) throws -> RecordPredicate {
            try RecordPredicate(
                filterBy: #"[{"comparator":"\#(comparator)","fieldName":"allTokens","fieldValue":{"value":"x"}}]"#)
        }
        #expect(try predicate("EQUALS").description.hasPrefix("allTokens == "))
        #expect(try predicate("CONTAINS_ANY_TOKENS").description.hasPrefix("SELF CONTAINS "))
    }

    @Test func partsOfRecords() throws {
        let json = """
            [{"fieldName":"___createTime","comparator":"LESS_THAN","fieldValue":{"value":5,"type":"TIMESTAMP"}},\
            {"fieldName":"___recordID","comparator":"IN","fieldValue":{"value":[{"recordName":"a",\
            "zoneID":{"zoneName":"z","ownerRecordName":"o"}}],"type":"REFERENCE_LIST"}},\
            {"fieldName":"a","comparator":"EQUALS","fieldValue":{"value":"AQI=","type":"BYTES"}}]
            """
        let predicate = try RecordPredicate(filterBy: json)
        #expect(predicate.text.contains("creationDate < CAST("))
        #expect(predicate.text.contains("recordID IN %@ AND a == %@"))
        let id = Record.ID("a", zoneID: RecordZone.ID("z", ownerName: "o"))
        #expect(predicate.arguments == [.list([.reference(RecordReference(recordID: id))]), .data(Data([1, 2]))])
        #expect(try RecordPredicate(filterBy: predicate.filterBy()) == predicate)
        #expect(try predicate.filterBy().contains("___createTime"))
    }

    /// What random filters say is said by the filters of the predicate that they are read as.
    @Test func randomFiltersComeBack() throws {
        var random = SplitMix64(seed: 3)
        func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
        let scalars = [
            #"{"value":"x\"y","type":"STRING"}"#, #"{"value":-7,"type":"INT64"}"#, #"{"value":2.5,"type":"DOUBLE"}"#,
            #"{"value":978308200123,"type":"TIMESTAMP"}"#, #"{"value":"AAEC","type":"BYTES"}"#,
            #"{"value":{"recordName":"r","action":"DELETE_SELF"},"type":"REFERENCE"}"#,
        ]
        let lists = [
            #"{"value":["x","y"],"type":"STRING_LIST"}"#, #"{"value":[1,2],"type":"INT64_LIST"}"#,
            #"{"value":[],"type":"STRING_LIST"}"#, #"{"value":[1.5],"type":"DOUBLE_LIST"}"#,
        ]
        let texts = [#"{"value":"one two","type":"STRING"}"#, #"{"value":"","type":"STRING"}"#]
        let place = #"{"value":{"latitude":50.5,"longitude":30.25},"type":"LOCATION"}"#
        let comparators: [(names: [String], values: [String])] = [
            (
                [
                    "EQUALS", "NOT_EQUALS", "LESS_THAN", "LESS_THAN_OR_EQUALS", "GREATER_THAN",
                    "GREATER_THAN_OR_EQUALS",
                    "LIST_CONTAINS", "NOT_LIST_CONTAINS",
                ], scalars
            ),
            (
                [
                    "IN", "NOT_IN", "LIST_CONTAINS_ANY", "NOT_LIST_CONTAINS_ANY", "LIST_CONTAINS_ALL",
                    "NOT_LIST_CONTAINS_ALL",
                ], lists
            ),
            (
                [
                    "BEGINS_WITH", "NOT_BEGINS_WITH", "LIST_MEMBER_BEGINS_WITH", "NOT_LIST_MEMBER_BEGINS_WITH",
                    "CONTAINS_ALL_TOKENS", "CONTAINS_ANY_TOKENS",
                ], texts
            ),
            (["NEAR"], [place]),
        ]
        for _ in 0..<500 {
            let filters = (0..<random.next() % 4).map { _ in
                let kind = pick(comparators)
                let name = pick(kind.names)
                let field =
                    name.hasPrefix("CONTAINS") && pick([true, false]) ? "" : #""fieldName":"\#(pick(["a", "b"]))","#
                let distance = name == "NEAR" ? #","distance":1500.5"# : ""
                return #"{"comparator":"\#(name)",\#(field)"fieldValue":\#(pick(kind.values))\#(distance)}"#
            }
            let json = "[" + filters.joined(separator: ",") + "]"
            let predicate = try RecordPredicate(filterBy: json)
            let text = "\(json)\n\(predicate)"
            #expect(try predicate.filterBy() == json, "\(text)")
        }
    }
}
