// What is told of fields: how many values, how many different ones, which.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct SchemaEdgesTests {
    // MARK: Distinct values

    /// FNV-1a and the finaliser of MurmurHash3, as they are published.
    private static func hash(_ text: String) -> UInt64 {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in text.utf8 {
            hash ^= UInt64(byte)
            hash = hash.multipliedReportingOverflow(by: 1_099_511_628_211).partialValue
        }
        for factor: UInt64 in [18_397_679_294_719_823_053, 14_181_476_777_654_086_739] {
            hash ^= hash >> 33
            hash = hash.multipliedReportingOverflow(by: factor).partialValue
        }
        return hash ^ (hash >> 33)
    }

    /// Up to 4,096 are counted, beyond the 4,096th smallest hash tells how many there are.
    @Test func distinctValuesAreCountedOrEstimated() {
        var sketch = DistinctSketch()
        #expect(sketch.isExact && sketch.count == 0)
        var hashes: [UInt64] = []
        for number in 0..<9_000 {
            // Each twice, and in no order of their hashes.
            for _ in 0..<2 { sketch.insert(.int64(Int64(number))) }
            hashes.append(Self.hash("\(number)"))
            let count = number + 1
            if count <= 4_096 {
                if count % 64 == 0 || count == 4_095 { #expect(sketch.isExact && sketch.count == count) }
            } else if count % 1_000 == 0 || count < 4_110 {
                let smallest = hashes.sorted()[4_095]
                #expect(!sketch.isExact)
                #expect(sketch.count == Int(4_095 / (Double(smallest) / 18_446_744_073_709_551_616)), "\(count)")
                #expect(abs(sketch.count - count) * 20 < count)
            }
        }
    }

    // MARK: Values

    private static func summary(_ values: [FieldValue]) -> FieldSummary {
        var summary = FieldSummary()
        for value in values { summary.insert(value) }
        return summary
    }

    private static func place(_ latitude: Double, _ longitude: Double) -> FieldValue {
        .location(Location(latitude: latitude, longitude: longitude))
    }

    /// Values of a field, and what is shown of them.
    static let values: [(values: [FieldValue], text: String)] = [
        ([], ""), ([.null], ""), ([5], "5 … 5"), ([3, 2.5, 7, .null, 4], "2.5 … 7"), ([7, 3], "3 … 7"),
        ([true, false], "true, false"),
        // Those that occur most come first, as many times in the order of their texts, then those seen first.
        (["b", "a", "c", "c", "d", "d", "d"], "d, c, b"), (["z", "y", "x", "w"], "z, y, x"),
        (["q", "p", "q", "p"], "p, q"), (["a", "b", "c", "d", "e", "e", "d", "c", "b"], "b, c, d"),
        (["", "", "e"], "e"), ([.string(String(repeating: "x", count: 24))], String(repeating: "x", count: 24)),
        ([.string(String(repeating: "x", count: 25))], String(repeating: "x", count: 23) + "…"),
        // Those that are cut to the same text are shown once.
        (
            [.string(String(repeating: "x", count: 25)), .string(String(repeating: "x", count: 26)), "y"],
            String(repeating: "x", count: 23) + "…, y"
        ),
        ([["x"], [], ["x", "y", "z"]], "0 … 3 elements: x, y, z"), ([["x", "y"], ["z"]], "1 … 2 elements: x, y, z"),
        ([["x", "y", "z"], [], ["x"]], "0 … 3 elements: x, y, z"),
        (
            [place(10, 20), place(-5, 30), place(3, -40)],
            "latitude -5.0 … 10.0, longitude -40.0 … 30.0"
        ),
        ([place(-1, -2), place(1, 2)], "latitude -1.0 … 1.0, longitude -2.0 … 2.0"),
        (
            [.date(Date(timeIntervalSince1970: 86_400)), .date(Date(timeIntervalSince1970: 0))],
            "1970-01-01 … 1970-01-02"
        ),
    ]

    @Test func valuesAreSummedUp() {
        for (values, text) in Self.values {
            let summary = Self.summary(values)
            #expect(summary.values == text)
            #expect(summary.present == values.count { !$0.isNull })
            #expect(summary.distinct.count == Set(values.filter { !$0.isNull }).count)
        }
    }

    /// Of more than 4,096 different values the first are counted.
    @Test func theFirstValuesAreCounted() {
        let many = (0..<4_095).map { FieldValue.string("v\($0)") }
        #expect(Self.summary(many + ["zz", "zz"]).values == "zz, v0, v1")
        #expect(Self.summary(many + ["v", "zz", "zz"]).values == "v0, v1, v2")
        #expect(Self.summary(many + ["v", "v1"]).values == "v1, v0, v2")
    }

    // MARK: What is written

    private static let records: String = {
        let towns = (0..<8).map { number in
            "{\"id\":\"\(number)\",\"type\":\"T\",\"n\":\(number)\(number < 3 ? ",\"s\":\"x\"" : "")}\n"
        }
        return towns.joined() + #"{"id":"u","type":"U","flag":true,"tags":["p","q"]}"# + "\n"
    }()

    @Test func fieldsOfTypesAreWritten() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", Self.records)
        let table = CommandCall(["schema", file, "-o", "table", "--width", "200"])
        #expect(
            table.output == """
                T: 8
                field  type    present  distinct  values
                ─────  ──────  ───────  ────────  ──────
                n      int64   100.0 %         8  0 … 7
                s      string   37.5 %         1  x

                U: 1
                field  type            present  distinct  values
                ─────  ──────────────  ───────  ────────  ────────────────────
                flag   bool            100.0 %         1  true
                tags   list of string  100.0 %         1  2 … 2 elements: p, q

                """)
        let one = CommandCall(["schema", file, "-o", "markdown", "--type", "U"])
        let titles = "| field | type           | present | distinct | values               |"
        #expect(one.lines.prefix(2) == ["U: 1", titles])
        let lines = CommandCall(["schema", file, "-o", "ndjson"]).lines
        #expect(
            lines == [
                #"{"type":"T","field":"n","fieldType":"int64","records":8,"present":8,"distinct":8,"isExact":true,"#
                    + #""values":"0 … 7"}"#,
                #"{"type":"T","field":"s","fieldType":"string","records":8,"present":3,"distinct":1,"isExact":true,"#
                    + #""values":"x"}"#,
                #"{"type":"U","field":"flag","fieldType":"bool","records":1,"present":1,"distinct":1,"#
                    + #""isExact":true,"values":"true"}"#,
                #"{"type":"U","field":"tags","fieldType":"list of string","records":1,"present":1,"distinct":1,"#
                    + #""isExact":true,"values":"2 … 2 elements: p, q"}"#,
            ], "\(lines)")
        let colored = CommandCall(["schema", file, "-o", "table", "--width", "200"], isColored: true)
        #expect(colored.output.hasPrefix("\u{1B}[1mT\u{1B}[0m: 8\n"))
    }

    /// In a narrow table the values are cut.
    @Test func narrowTables() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", "{\"n\":1}\n{}\n{\"n\":1234567}\n{\"n\":2}\n")
        let run = CommandCall(["schema", file, "-o", "table", "--width", "43"])
        #expect(run.lines.first?.hasSuffix(": 4") == true, "\(run)")
        #expect(run.lines.last == "n      int64   75.0 %         3  1 … 12345…", "\(run)")
    }

    /// Types of fields, from every kind of value.
    @Test func typesHaveNames() {
        let types: [(type: FieldType, name: String)] = [
            (.int64, "int64"), (.double, "double"), (.number, "number"), (.bool, "bool"), (.string, "string"),
            (.date, "date"), (.data, "data"), (.location, "location"), (.reference, "reference"), (.asset, "asset"),
            (.list(nil), "list"), (.list(.list(.date)), "list of list of date"), (.object, "object"), (.any, "any"),
        ]
        for (type, name) in types { #expect(type.name == name) }
    }
}
