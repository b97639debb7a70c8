// Loading JSON: values of every kind, conventions, the data sets.

import Foundation
import Geospatial
import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct NDJSONTests {
    @Test func everyKindOfValue() throws {
        let text = """
            {"id":"a","type":"T","i":1,"d":1.5,"n":2,"b":true,"s":"x","t":"2025-07-04T00:00:00Z","l":{"latitude":1,"longitude":2},"r":{"reference":"b","action":"deleteSelf"},"ls":["p","q"],"ln":[1,null,2.5],"o":{"k":[1,{"z":null}]},"data":{"$data":"AQI="},"e":[]}
            {"id":2,"type":"T","i":-9,"d":0.25,"n":2.5,"b":false,"s":"y\\u0000\\n","t":"2025-07-04T02:00:00.5+02:00","l":{"type":"Point","coordinates":[4,-3]},"r":{"reference":"c"},"ls":[],"o":{},"nothing":null,"e":[]}
            """
        let table = try load(text).records
        #expect(table.count == 2)
        #expect(table.schemas.count == 1)
        let types = Dictionary(uniqueKeysWithValues: table.schemas[0].fields.map { ($0.name, $0.type) })
        let expected: [String: FieldType] = [
            "i": .int64, "d": .double, "n": .number, "b": .bool, "s": .string, "t": .date, "l": .location,
            "r": .reference, "ls": .list(.string), "ln": .list(.number), "o": .object, "data": .data, "e": .list(nil),
            "nothing": .any,
        ]
        #expect(types == expected)
        let first: [String: FieldValue] = [
            "i": 1, "d": 1.5, "n": 2, "b": true, "s": "x",
            "t": .date(Date(timeIntervalSinceReferenceDate: 773_280_000)),
            "l": .location(Location(latitude: 1, longitude: 2)),
            "r": .reference(RecordReference("b", action: .deleteSelf)),
            "ls": ["p", "q"], "ln": [1, nil, 2.5], "o": .object(["k": [1, .object(["z": nil])]]),
            "data": .data(Data([1, 2])), "e": [],
        ]
        #expect(table[0].record == Record(type: "T", id: Record.ID("a"), fields: first))
        let second = table[1].record
        #expect(second.id.recordName == "2")
        #expect(second["s"] == "y\u{0}\n")
        #expect(second["n"] == 2.5)
        #expect(second["t"] == .date(Date(timeIntervalSinceReferenceDate: 773_280_000.5)))
        #expect(second["l"] == .location(Location(latitude: -3, longitude: 4)))
        #expect(second["r"] == .reference(RecordReference("c")))
        #expect(table[1].recordName == "2")
        #expect(table[1]["id"] == "2")
        #expect(table[1]["type"] == "T")
    }

    @Test func conventions() throws {
        // Text, how many records, names of the records.
        let cases: [(String, [String])] = [
            ("", []),
            ("\n\r\n  \n", []),
            ("\u{FEFF}{\"id\":\"a\"}", ["a"]),
            ("{\"id\":\"a\"}\r\n\r\n{\"x\":1}\r\n", ["a", "3"]),
            (
                "{\"id\":7}\n{\"id\":1.5}\n{\"id\":null}\n{\"id\":18446744073709551615}",
                ["7", "1.5", "3", "18446744073709551615"]
            ),
            ("[{\"x\":1},\n {\"id\":\"b\"}]", ["1", "b"]),
            ("{\n \"id\": \"one\",\n \"x\": [1]\n}\n", ["one"]),
            ("{}", ["1"]),
        ]
        for (text, names) in cases {
            let table = try load(text, name: "f").records
            #expect((0..<table.count).map { table[$0].record.id.recordName } == names, "\(text)")
        }
        let table = try load("{\"key\":\"k\",\"kind\":\"T\",\"id\":5}") {
            $0.idField = "key"
            $0.typeField = "kind"
        }.records
        #expect(table[0].record == Record(type: "T", id: Record.ID("k"), fields: ["id": 5]))
        let untyped = try load("{\"type\":\"T\"}") {
            $0.typeField = nil
            $0.defaultType = "U"
        }.records
        #expect(untyped[0].record == Record(type: "U", id: Record.ID("1"), fields: ["type": "T"]))
    }

    @Test func numbersKeepTheirKind() throws {
        let text = """
            {"n":1}
            {"n":1.0}
            {"n":-9223372036854775808}
            {"n":9223372036854775808}
            {"n":123456789012345678901234567890}
            {"n":-0.0}
            {"n":5e-324}
            """
        let table = try load(text).records
        let values = (0..<table.count).map { table[$0]["n"] }
        let expected: [FieldValue] = [
            .int64(1), .double(1), .int64(.min), .double(9_223_372_036_854_775_808), .double(1.2345678901234568e29),
            .double(-0.0), .double(.leastNonzeroMagnitude),
        ]
        #expect(values == expected)
        #expect(table.schemas[0].type(of: "n") == .number)
        #expect(throws: FileError.self) { try load("{\"n\":1e400}") }
    }

    @Test func severalTypesAndFiles() throws {
        let reader = RecordFileReader()
        try reader.load(
            bytes: Array("{\"type\":\"A\",\"x\":1}\n{\"type\":\"B\",\"x\":\"s\"}\n".utf8), name: "one.ndjson")
        try reader.load(bytes: Array("type,x\nA,2\n".utf8), name: "two.csv")
        let loaded = reader.finish()
        let table = loaded.records
        #expect(table.schemas.map(\.recordType) == ["A", "B"])
        #expect(table.schemas.first?.type(of: "x") == .int64)
        #expect(table.schemas.last?.type(of: "x") == .string)
        #expect((0..<3).map { table[$0].record.id.recordName } == ["1", "2", "2:2"])
        #expect((0..<3).map { table[$0]["x"] } == [1, "s", 2])
        #expect(table.origins[2] == RowOrigin(file: 1, line: 2))
        #expect(loaded.files == ["one.ndjson", "two.csv"])
        #expect((0..<3).map { table[$0].recordType } == ["A", "B", "A"])
    }

    /// Loading is the same as reading every line by itself with the thorough parser.
    @Test(arguments: ["places", "relations"]) func fixturesAsTheyStand(name: String) throws {
        let url = try #require(Bundle.module.url(forResource: name, withExtension: "ndjson", subdirectory: "Fixtures"))
        let bytes = Array(try Data(contentsOf: url))
        let lines = bytes.split(separator: 0x0A).map(Array.init)
        let loaded = try load(bytes) { $0.keepsSource = true }
        let table = loaded.records
        #expect(table.count == lines.count)
        for (position, line) in lines.enumerated() {
            var tree = try JSONReader.tree(line)
            let record = table[position].record
            guard case .object(let members) = tree else { continue }
            #expect(.string(record.id.recordName) == tree["id"])
            #expect(.string(record.type) == tree["type"])
            for member in members where member.key != "id" && member.key != "type" {
                var value = try FieldValue(json: member.value)
                if case .string(let text) = value, let date = RFC3339.date(text) { value = .date(date) }
                #expect(record[member.key] == value)
            }
            #expect(try loaded.source?.text(position) == line)
            var writer = JSONWriter()
            writer.write(row: table[position], keys: table.keys, includesName: true, includesType: true)
            tree = sorted(tree)
            #expect(sorted(try JSONReader.tree(writer.bytes)) == tree)
        }
        let path = url.path
        let reader = RecordFileReader(
            options: {
                var options = LoadOptions()
                options.keepsSource = true
                return options
            }())
        try reader.load(path: path)
        let again = reader.finish()
        #expect(try again.source?.text(lines.count - 1) == lines.last)
    }

    /// Members in order of their keys.
    private func sorted(_ json: JSONValue) -> JSONValue {
        switch json {
        case .object(let members):
            .object(members.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: sorted($0.value)) })
        case .array(let elements): .array(elements.map(sorted))
        default: json
        }
    }

    @Test func segmentsSplitAndAgree() throws {
        var lines: [String] = []
        for number in 0..<3000 {
            lines.append(
                "{\"id\":\"r\(number)\",\"n\":\(number < 1500 ? "\(number)" : "\(number).5"),\"d\":\"2025-01-01T00:00:00Z\",\"l\":[\(number)]\(number == 2500 ? ",\"late\":true" : "")}"
            )
        }
        let text = lines.joined(separator: "\n")
        let whole = try load(text).records
        let split = try load(text) { $0.loaderLimits.segmentRows = 100 }.records
        #expect(whole.segments.count == 1)
        #expect(split.segments.count > 2)
        #expect(split.schemas == whole.schemas)
        #expect(split.schemas[0].type(of: "n") == .number)
        #expect(split.schemas[0].type(of: "d") == .date)
        for position in 0..<3000 { #expect(split[position].record == whole[position].record) }
        #expect(split[2999].recordName == "r2999")
        let address = split.addresses[2999]
        #expect(split.segments[address.segment].row(named: "r2999") == address.row)
        #expect(split.positions[address.segment][address.row] == 2999)
    }
}
