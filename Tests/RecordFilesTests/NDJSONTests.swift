// Loading NDJSON: values of every kind, bad lines, conventions.

import Foundation
import Geospatial
import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

func load(_ text: String, name: String = "f.ndjson", _ change: (inout LoadOptions) -> Void = { _ in }) throws
    -> LoadedRecords
{
    try load(Array(text.utf8), name: name, change)
}

func load(_ bytes: [UInt8], name: String = "f.ndjson", _ change: (inout LoadOptions) -> Void = { _ in }) throws
    -> LoadedRecords
{
    var options = LoadOptions()
    change(&options)
    let reader = RecordFileReader(options: options)
    try reader.load(bytes: bytes, name: name)
    return reader.finish()
}

@Suite struct NDJSONTests {
    @Test func everyKindOfValue() throws {
        let text = """
            {"id":"a","type":"T","i":1,"d":1.5,"n":2,"b":true,"s":"x","t":"2025-07-04T00:00:00Z","l":{"latitude":1,"longitude":2},"r":{"reference":"b","action":"deleteSelf"},"ls":["p","q"],"ln":[1,null,2.5],"o":{"k":[1,{"z":null}]},"data":{"$data":"AQI="},"e":[]}
            {"id":2,"type":"T","i":-9,"d":0.25,"n":2.5,"b":false,"s":"y\\u0000\\n","t":"2025-07-04T02:00:00.5+02:00","l":{"type":"Point","coordinates":[4,-3]},"r":{"reference":"c"},"ls":[],"o":{},"nothing":null,"e":[]}
            """
        let table = try load(text).table
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
            "l": .location(Location(latitude: 1, longitude: 2)), "r": .reference(Reference("b", action: .deleteSelf)),
            "ls": ["p", "q"], "ln": [1, nil, 2.5], "o": .object(["k": [1, .object(["z": nil])]]),
            "data": .data(Data([1, 2])), "e": [],
        ]
        #expect(table.record(0) == Record(type: "T", id: Record.ID("a"), fields: first))
        let second = table.record(1)
        #expect(second.id.recordName == "2")
        #expect(second["s"] == "y\u{0}\n")
        #expect(second["n"] == 2.5)
        #expect(second["t"] == .date(Date(timeIntervalSinceReferenceDate: 773_280_000.5)))
        #expect(second["l"] == .location(Location(latitude: -3, longitude: 4)))
        #expect(second["r"] == .reference(Reference("c")))
        #expect(table.position(named: "2") == 1)
        #expect(table[1]["id"] == "2")
        #expect(table[1]["type"] == "T")
    }
}

@Suite struct CSVTests {
    @Test func kindsAreInferred() throws {
        let text = "id,n,f,b,d,s,z,e,q\r\na,1,1.5,true,2025-07-04T00:00:00Z,\"x,\"\"y\"\"\r\nz\",007,,\"\"\r\nb,2,2,FALSE,,y,1,,\r\n"
        let table = try load(text, name: "f.csv").table
        let types = Dictionary(uniqueKeysWithValues: table.schemas[0].fields.map { ($0.name, $0.type) })
        let expected: [String: FieldType] = [
            "n": .int64, "f": .number, "b": .bool, "d": .date, "s": .string, "z": .string, "e": .string, "q": .string,
        ]
        #expect(types == expected)
        #expect(table.record(0)["s"] == "x,\"y\"\r\nz")
        #expect(table.record(0)["z"] == "007")
        #expect(table.record(0)["q"] == "")
        #expect(table.record(1)["q"] == nil)
        #expect(table.record(1)["b"] == false)
    }
}
