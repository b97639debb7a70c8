// What pages get for what they send, at the ends of what they may send: rows, records, values, downloads, words.

import Campaigns
import Foundation
import RecordDatabase
import Synchronization
import Testing
import _TestSupport

@testable import ExploreServer

@Suite(.waits, .timeLimit(.minutes(2))) struct RepliesEdgesTests {
    private static func client(
        _ records: RecordSet, _ options: ExploreServer.Options = ExploreServer.Options()
    ) throws -> PageClient {
        let source = ExploredRecords(name: "t", version: { nil }, load: { nil })
        return try PageClient(ExploreServer(source, records, options: options))
    }

    private static func names(_ rows: Any?) throws -> [String?] {
        try #require(rows as? [[Any]]).map { $0[1] as? String }
    }

    // MARK: Rows

    /// The first ten thousand rows of an order are there at once, the others when a page turns to them.
    @Test func rowsBehindTheFirstTenThousand() throws {
        // 7919 is prime, and no divisor of the count: each number once.
        let client = try Self.client(RowSample.numbers((0..<10_020).map { $0 * 7919 % 10_020 }))
        let parts = try client.query(["text": "", "sort": ["n:desc"], "fields": ["n"], "rows": 2])
        #expect(parts["rows"]?.count == 1)
        let first = try #require(parts["rows"]?.first?["rows"] as? [[Any]])
        #expect(first.map { $0[2] as? Int } == [10_019, 10_018])
        let result = try #require(parts["count"]?.first?["result"] as? String)
        func numbers(from: Int, count: Int) throws -> [Int?] {
            let page = try client.call("rows", ["result": result, "from": from, "count": count, "fields": ["n"]])
            #expect(page["from"] as? Int == min(from, 10_020) && page["version"] as? Int == 1)
            return try #require(page["rows"] as? [[Any]]).map { $0[2] as? Int }
        }
        #expect(try numbers(from: 9_998, count: 2) == [21, 20])
        for _ in 1...2 { #expect(try numbers(from: 9_990, count: 100) == (0..<30).map { 29 - $0 }) }
        #expect(try numbers(from: 10_000, count: 1) == [19])
        #expect(try numbers(from: 10_019, count: 1) == [0])
        #expect(try numbers(from: 20_000, count: 1) == [])
    }

    @Test func howManyRowsAndFromWhere() throws {
        let client = try Self.client(RowSample.numbers([4, 5, 6]))
        for (rows, count) in [(1, 1), (2, 2), (3, 3), (500, 3), (nil, 3)] as [(Int?, Int)] {
            let parts = try client.query(["text": "", "rows": rows.map { $0 as Any } ?? NSNull()])
            #expect(try Self.names(parts["rows"]?.first?["rows"]).count == count)
            #expect(parts["rows"]?.first?["count"] as? Int == count && parts["rows"]?.first?["from"] as? Int == 0)
        }
        for rows: Any in [0, 501, -1, "1", 1.5] {
            #expect(try client.send("query", ["text": "", "rows": rows]).status == 400, "\(rows)")
        }
        let result = try #require(try client.query(["text": ""])["count"]?.first?["result"] as? String)
        for (from, count, names) in [
            (0, 1, ["r0"]), (1, 1, ["r1"]), (1, 500, ["r1", "r2"]), (2, 1, ["r2"]), (3, 1, []),
        ] {
            let page = try client.call("rows", ["result": result, "from": from, "count": count])
            #expect(try Self.names(page["rows"]) == names, "\(count) from \(from)")
        }
        for (body, status) in [
            (["result": result], 400), (["from": 0], 400), (["result": result, "from": -1], 400),
            (["result": result, "from": 0, "count": 0], 400), (["result": result, "from": 0, "count": 501], 400),
            (["result": "none", "from": 0], 410),
        ] as [([String: Any], Int)] {
            #expect(try client.send("rows", body).status == status, "\(body)")
        }
    }

    /// A reply in parts has an end, also of a text that is no predicate.
    @Test func repliesInPartsEnd() throws {
        let client = try Self.client(RowSample.numbers([4]))
        for text in ["n > 3", "n ==", ")", ""] {
            let body = #"{"text":"\#(text)"}"#
            let reply = SocketClient.exchange(
                client.port,
                "POST /api/query HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nContent-Type: application/json\r\n"
                    + "Authorization: Bearer \(client.key)\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Connection: close\r\n\r\n" + body)
            #expect(reply.hasPrefix("HTTP/1.1 200 ") && reply.hasSuffix("}\n\r\n0\r\n\r\n"), "\(text): \(reply)")
            #expect(reply.contains("Content-Type: application/x-ndjson\r\n"))
        }
    }

    // MARK: Records

    /// Records that refer to each other by one reference, by lists, and within objects.
    private static func family() throws -> RecordSet {
        func reference(_ name: String) -> FieldValue { .reference(RecordReference(name, action: .none)) }
        return try RowSample.set([
            [
                "owner": reference("r1"), "boss": reference("gone"), "title": "r1", "n": 5,
                "friends": .list([reference("r2"), reference("r1")]),
                "info": .object(["y": reference("r1"), "x": reference("r2")]),
            ],
            ["title": "r1"], ["title": "r0", "owner": reference("r1"), "boss": reference("r0")],
        ])
    }

    @Test func aRecordWithItsFieldsInOrder() throws {
        let client = try Self.client(Self.family())
        let shown = try client.call("record", ["version": 1, "ordinal": 0])
        #expect(shown["id"] as? String == "r0" && shown["type"] as? String == "T")
        #expect(shown["zone"] as? String == Record.ID("r0").zoneID.zoneName)
        let fields = try #require(shown["fields"] as? [[Any]])
        #expect(fields.map { $0[0] as? String } == ["boss", "friends", "info", "n", "owner", "title"])
        #expect(fields[3][1] as? Int == 5 && fields[5][1] as? String == "r1")
        let references = try #require(shown["references"] as? [[String: Any]])
        #expect(
            references.map { "\($0["path"] ?? "") \($0["id"] ?? "")" }
                == ["boss gone", "friends r2", "friends r1", "info r2", "info r1", "owner r1"])
        #expect(references.map { $0["found"] as? Bool } == [false, true, true, true, true, true])
        #expect(references.map { $0["type"] as? String } == [nil, "T", "T", "T", "T", "T"])
    }

    /// By references and lists of them; a text that is the record's name is none.
    @Test func whoRefersToARecord() throws {
        let client = try Self.client(Self.family())
        let expected: [(name: String, referrers: [String: Int])] = [
            ("r0", ["boss.recordName == 'r0'": 1]),
            ("r1", ["owner.recordName == 'r1'": 2, "ANY friends.recordName == 'r1'": 1]),
            ("r2", ["ANY friends.recordName == 'r2'": 1]),
        ]
        for (name, referrers) in expected {
            let shown = try client.call("record", ["id": name])
            #expect(shown["id"] as? String == name)
            let told = try #require(shown["referrers"] as? [[String: Any]])
            #expect(told.count == referrers.count && told.allSatisfy { $0["type"] as? String == "T" }, "\(told)")
            for referrer in told {
                let text = try #require(referrer["text"] as? String)
                #expect(referrer["count"] as? Int == referrers[text], "\(text)")
                #expect(text.contains("\(referrer["field"] ?? "?").recordName"))
            }
        }
    }

    /// A place in other records than those that are shown is none; a name is one in any.
    @Test func recordsByPlaceAndByName() throws {
        let client = try Self.client(RowSample.numbers([4, 5]))
        for (body, name) in [
            (["version": 1, "ordinal": 0], "r0"), (["version": 1, "ordinal": 1], "r1"), (["id": "r1"], "r1"),
            (["version": 2, "ordinal": 0, "id": "r1"], "r1"), (["version": 0, "ordinal": 0, "id": "r1"], "r1"),
            (["version": 1, "ordinal": 0, "id": "r1"], "r0"), (["version": 1, "id": "r1"], "r1"),
        ] as [([String: Any], String)] {
            #expect(try client.call("record", body)["id"] as? String == name, "\(body)")
        }
        for (body, status) in [
            (["version": 0, "ordinal": 0], 404), (["version": 2, "ordinal": 0], 404), (["ordinal": 0], 404),
            (["version": 1, "ordinal": 2], 404), (["id": "r2"], 404), ([:], 404), (["version": -1, "ordinal": 0], 400),
            (["version": 1, "ordinal": -1], 400), (["id": 1], 400),
        ] as [([String: Any], Int)] {
            #expect(try client.send("record", body).status == status, "\(body)")
        }
    }

    // MARK: Values

    /// The alternatives to a value stay in view: conditions on the field itself do not count, all others do.
    @Test func valuesWithoutTheConditionsOnTheirField() throws {
        let client = try Self.client(
            RowSample.set([
                ["country": "CH", "n": 1], ["country": "CH", "n": 5], ["country": "AT", "n": 5],
                ["country": "DE", "n": 5], ["n": 5], ["country": "DE", "n": 0],
            ]))
        let body: [String: Any] = ["text": "country == 'CH' AND n > 1", "values": ["country"], "field": "country"]
        let parts = try client.query(body)
        for told in [try #require(parts["values"]?.first), try client.call("values", body)] {
            let values = try #require(told["values"] as? [[Any]])
            #expect(values.map { $0[0] as? String } == ["AT", "CH", "DE"])
            #expect(values.map { $0[1] as? Int } == [1, 1, 1])
            #expect(values.map { $0[2] as? String } == ["'AT'", "'CH'", "'DE'"])
            #expect(values.map { $0[3] as? Bool } == [false, true, false])
            #expect(told["distinct"] as? Int == 3 && told["missing"] as? Int == 1)
        }
        #expect(parts["count"]?.first?["matched"] as? Int == 1 && parts["count"]?.first?["records"] as? Int == 6)
    }

    @Test func howManyValues() throws {
        let client = try Self.client(RowSample.numbers(Array(0..<20)))
        let summary = try #require(client.query(["text": "", "values": ["n"]])["values"]?.first)
        #expect((summary["values"] as? [Any])?.count == 12 && summary["distinct"] as? Int == 20)
        for (limit, count) in [(1, 1), (2, 2), (1000, 20)] {
            let values = try client.call("values", ["text": "", "field": "n", "limit": limit])
            #expect((values["values"] as? [Any])?.count == count && values["distinct"] as? Int == 20)
        }
        for (body, status) in [
            (["text": "", "field": "n", "limit": 0], 400), (["text": "", "field": "n", "limit": 1001], 400),
            (["text": ""], 400), (["text": "n >", "field": "n"], 422),
        ] as [([String: Any], Int)] {
            #expect(try client.send("values", body).status == status, "\(body)")
        }
    }

    // MARK: Downloads

    @Test func pathsOfDownloads() throws {
        let client = try Self.client(RowSample.numbers([4, 5]))
        func path(_ text: String, _ format: String) throws -> String {
            try #require(try client.call("export", ["text": text, "format": format])["path"] as? String)
        }
        let (first, second) = (try path("n > 4", "csv"), try path("", "tsv"))
        #expect(first.hasPrefix("/export/") && first.hasSuffix("/records.csv") && second.hasSuffix("/records.tsv"))
        // Too little or too much of a path takes no ticket.
        let folder = String(first.dropLast("/records.csv".count))
        for wrong in [folder, folder + "/", first + "/b", "/export/", "/export/none/records.csv"] {
            #expect(try client.get(wrong).status == 404, "\(wrong)")
        }
        let reply = SocketClient.exchange(
            client.port,
            "GET \(folder)/a-b_c1%22.csv HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nConnection: close\r\n\r\n")
        #expect(reply.hasPrefix("HTTP/1.1 200 "))
        #expect(reply.contains("Content-Type: application/octet-stream\r\n"))
        #expect(reply.contains("Content-Disposition: attachment; filename=\"abc.csv\"\r\n"), "letters and points")
        let lines = try #require(SocketReply(reply)).body.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("n") && lines[1].contains("5"))
        #expect(try client.get(second).status == 200)
        for (text, format) in [("n > 4", "xml"), ("n > 4", "")] {
            #expect(try client.send("export", ["text": text, "format": format]).status == 400)
        }
        #expect(try client.get(path("n >", "csv")).status == 422)
    }

    /// A download of many pieces has each record once, in order.
    @Test func aLargeDownloadIsWhole() throws {
        let filler = String(repeating: "x", count: 200)
        let records = try RowSample.set((0..<4000).map { ["n": .int64(3999 - $0), "filler": .string(filler)] })
        let client = try Self.client(records)
        let path = try client.call("export", ["text": "", "sort": ["n"], "format": "ndjson"])["path"] as? String
        let file = try client.get(try #require(path))
        let lines = String(decoding: file.body, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 4000)
        let misplaced = lines.enumerated().first { !$0.element.contains("\"id\":\"r\(3999 - $0.offset)\"") }
        #expect(misplaced == nil)
    }

    // MARK: Typing

    @Test func fortyCandidatesAtMost() throws {
        let fields = Dictionary(uniqueKeysWithValues: (0..<60).map { ("column\($0)", FieldValue.int64(1)) })
        let client = try Self.client(RowSample.set([fields]))
        let completed = try client.call("complete", ["text": "col", "cursor": 3])
        #expect((completed["candidates"] as? [Any])?.count == 40)
        #expect(completed["start"] as? Int == 0 && completed["end"] as? Int == 3)
        // Before all words where no place is told.
        for body in [["text": "col"], ["text": "col", "cursor": 0]] as [[String: Any]] {
            let completed = try client.call("complete", body)
            #expect(completed["start"] as? Int == 0 && completed["end"] as? Int == 0, "\(body)")
        }
        #expect(try client.send("complete", ["text": "col", "cursor": -1]).status == 400)
    }

    @Test func variablesHaveTheirValues() throws {
        let client = try Self.client(RowSample.numbers([1, 2, 3, 4, 5]))
        let parts = try client.query(["text": "n > $x", "cursor": 0, "variables": ["x": 3]])
        #expect(parts["check"]?.count == 1 && parts["check"]?.first?["diagnosis"] == nil)
        #expect(parts["count"]?.first?["matched"] as? Int == 2)
        #expect(try client.query(["text": "n > $x", "cursor": 0])["check"]?.first?["diagnosis"] != nil)
    }

    /// A word at the cursor is still being typed, wherever the cursor is; without one it is at the end.
    @Test func whatIsAtTheCursorIsNotWrongYet() throws {
        let client = try Self.client(RowSample.set([["country": "CH"]]))
        func isToldOf(_ text: String, _ cursor: Int?) throws -> Bool {
            let check = try client.query(["text": text, "cursor": cursor.map { $0 as Any } ?? NSNull()])["check"]?.first
            let message = (check?["diagnosis"] as? [String: Any])?["message"] as? String
            return message == "no record has a field 'contry'"
        }
        #expect(try isToldOf("contry == 'CH'", nil) && !isToldOf("contry == 'CH'", 6))
        #expect(try isToldOf("contry == 'CH'", 5) && isToldOf("contry == 'CH'", 0))
        #expect(try isToldOf("'CH' == contry", 0) && !isToldOf("'CH' == contry", nil))
    }

    /// Where a query of another language is meant a page offers it: not while a word is typed, nor for one that
    /// deletes, nor for a predicate that is wrong in itself.
    @Test func whatIsNotMeant() throws {
        let client = try Self.client(RowSample.set([["country": "CH", "n": 1]]))
        for text in ["CH", "DELETE FROM t WHERE n > 3", "country MATCHES '['"] {
            let check = try #require(client.query(["text": text])["check"]?.first)
            #expect(check["meant"] == nil && check["isPredicate"] as? Bool == false, "\(text)")
        }
        let wrong = try client.query(["text": "country MATCHES '['"])
        #expect((wrong["check"]?.first?["diagnosis"] as? [String: Any])?["severity"] as? String == "error")
        #expect(wrong["count"] == nil && wrong["rows"] == nil)
    }

    @Test func conditionsWithTheirPlaces() throws {
        let client = try Self.client(RowSample.set([["é": 4, "country": "CH"]]))
        let check = try #require(client.query(["text": "é > 3 AND (NOT country == 'AT')"])["check"]?.first)
        let clauses = try #require(check["clauses"] as? [[String: Any]])
        #expect(clauses.map { $0["start"] as? Int } == [0, 10] && clauses.map { $0["end"] as? Int } == [5, 31])
        #expect(clauses.map { $0["field"] as? String } == ["é", nil])
        #expect(clauses.map { $0["words"] as? String } == ["é > 3", "(NOT country == 'AT')"])
        #expect(check["isPredicate"] as? Bool == true)
    }

    /// Only where nothing matches a page is told what would, were letter case no matter.
    @Test func whatWouldMatchIsToldWhereNothingDoes() throws {
        let client = try Self.client(RowSample.set([["country": "CH"], ["country": "ch"], ["country": "AT"]]))
        for (text, matched, relaxed) in [
            ("country == 'cH'", 0, 2), ("country == 'ch'", 1, nil), ("country IN {'ch', 'CH'}", 2, nil),
        ] as [(String, Int, Int?)] {
            let count = try #require(client.query(["text": text])["count"]?.first)
            #expect(count["matched"] as? Int == matched, "\(text)")
            #expect((count["relaxed"] as? [String: Any])?["count"] as? Int == relaxed, "\(text)")
        }
    }

    @Test func languagesForPrograms() throws {
        let translations = [
            PageTranslation("a") { .success("\($0) \($1.count) \($2.count)") },
            PageTranslation("b") { _, _, _ in .failure(PageTranslation.Failure("there is none")) },
        ]
        let client = try Self.client(
            RowSample.numbers([1, 2]), ExploreServer.Options(translations: translations))
        #expect(try client.call("about", [:])["languages"] as? [String] == ["a", "b"])
        let body: [String: Any] = ["text": "n > $x", "variables": ["x": 1]]
        func told(_ language: String) throws -> [String: String] {
            try #require(client.call("translate", body.merging(["to": language]) { $1 }) as? [String: String])
        }
        #expect(try told("a") == ["text": "n > $x 1 2"] && told("b") == ["message": "there is none"])
        #expect(try client.call("translate", ["text": " ", "to": "a"])["text"] as? String == "TRUEPREDICATE 0 2")
        for wrong in [["text": "n > 1", "to": "c"], ["text": "n > 1"]] {
            #expect(try client.send("translate", wrong).status == 400)
        }
    }

    /// Files of the page and wrong keys are no calls.
    @Test func theFirstCallIsOneWithTheKey() throws {
        let server = try ExploreServer(RowSample.numbers([1]))
        let client = try PageClient(server)
        let early = Mutex(0)
        let late = Mutex(0)
        server.onFirstCall { early.withLock { $0 += 1 } }
        #expect(try client.get("/").status == 200 && client.send("about", ["a": 1], key: "wrong").status == 401)
        #expect(early.withLock { $0 } == 0)
        for _ in 1...2 {
            _ = try client.call("about", [:])
            #expect(early.withLock { $0 } == 1)
        }
        server.onFirstCall { late.withLock { $0 += 1 } }
        #expect(late.withLock { $0 } == 1)
    }
}
