// Queries of pages that are about one type, or have variables: downloads, values and what is told of the text.

import ExploreServer
import Foundation
import RecordDatabase
import Testing
import _TestSupport

@Suite(.waits, .timeLimit(.minutes(2))) struct QueriesOfOneTypeTests {
    private static func client() throws -> PageClient {
        let rows: [(type: String, fields: [String: FieldValue])] = [
            ("T", ["country": "CH", "n": 1, "tags": ["a"]]),
            ("U", ["country": "CH", "n": 5, "tags": "a", "weight": 2]),
            ("T", ["country": "CH", "n": 5]), ("T", ["country": "AT", "n": 6]), ("T", ["country": "DE", "n": 2]),
        ]
        let records = rows.enumerated().map { number, row in
            Record(type: row.type, id: Record.ID("r\(number)"), fields: row.fields)
        }
        return try PageClient(ExploreServer(RecordSet(records: records)))
    }

    @Test("A download has the records that the page shows")
    func downloads() throws {
        let client = try Self.client()
        let cases: [(body: [String: Any], names: [String])] = [
            (["text": ""], ["r0", "r1", "r2", "r3", "r4"]), (["text": "", "type": "U"], ["r1"]),
            (["text": "n > 1", "type": "T"], ["r2", "r3", "r4"]),
            (["text": "n > $x", "variables": ["x": 4]], ["r1", "r2", "r3"]),
            (["text": "n > $x", "variables": ["x": 4], "type": "T", "sort": ["n:desc"]], ["r3", "r2"]),
        ]
        for (body, names) in cases {
            let ticket = try client.call("export", body.merging(["format": "ndjson"]) { $1 })
            let file = try client.get(try #require(ticket["path"] as? String))
            #expect(file.status == 200, "\(body)")
            let lines = String(decoding: file.body, as: UTF8.self).split(separator: "\n")
            let found = lines.map { line in (0..<5).map { "r\($0)" }.first { line.contains("\"id\":\"\($0)\"") } ?? "" }
            #expect((body["sort"] == nil ? found.sorted() : found) == names, "\(body)")
        }
    }

    @Test("The values of a field are those of the other conditions, with the variables in them")
    func values() throws {
        let client = try Self.client()
        let body: [String: Any] = [
            "text": "n > $x AND country == 'CH'", "variables": ["x": 3], "type": "T", "values": ["country"],
            "field": "country",
        ]
        for told in [try #require(client.query(body)["values"]?.first), try client.call("values", body)] {
            let values = try #require(told["values"] as? [[Any]])
            #expect(values.map { $0[0] as? String } == ["AT", "CH"])
            #expect(values.map { $0[1] as? Int } == [1, 1])
        }
    }

    @Test("A field of another type is none of the type that is queried")
    func unknownFields() throws {
        let client = try Self.client()
        for (type, isTold) in [("T", true), ("U", false), (nil, false)] as [(String?, Bool)] {
            var body: [String: Any] = ["text": "weight > 1", "cursor": 0]
            body["type"] = type
            let check = try #require(client.query(body)["check"]?.first)
            let message = (check["diagnosis"] as? [String: Any])?["message"] as? String
            #expect((message == "no record has a field 'weight'") == isTold, "\(type ?? "all"): \(message ?? "")")
        }
    }

    @Test("Types are told with their own fields and records")
    func types() throws {
        let types = try #require(Self.client().call("about", [:])["types"] as? [[String: Any]])
        #expect(types.map { $0["name"] as? String } == ["T", "U"])
        #expect(types.map { $0["records"] as? Int } == [4, 1])
        let fields = types.map { type in
            (type["fields"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }.sorted()
        }
        #expect(fields == [["country", "n", "tags"], ["country", "n", "tags", "weight"]])
    }

    @Test("A click on a value is of the field as the type that is queried has it")
    func clicks() throws {
        let client = try Self.client()
        for (type, text) in [("T", "ANY tags == 'a'"), ("U", "tags == 'a'")] {
            let edits = [["toggle": ["field": "tags", "value": "'a'"]]]
            #expect(try client.call("edit", ["text": "", "type": type, "edits": edits])["text"] as? String == text)
        }
    }
}
