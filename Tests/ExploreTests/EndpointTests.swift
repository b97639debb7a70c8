// What the page is told, against the record set itself: on random records and predicates.

import ExploreServer
import Foundation
import PredicateSyntax
import RecordDatabase
import Testing
import _TestSupport

/// Random records with fields of many kinds, and predicates over them.
private struct Sample {
    var random: SplitMix64

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func records(_ count: Int) -> [Record] {
        (0..<count).map { number in
            var record = Record(type: number % 3 == 0 ? "U" : "T", id: Record.ID("r\(number)"))
            if below(6) > 0 { record["country"] = .string(["CH", "AT", "it's", "D \"E\""][below(4)]) }
            if below(6) > 0 { record["amount"] = .int64(Int64(below(50))) }
            if below(6) > 0 { record["height"] = .double(Double(below(400)) / 8) }
            if below(6) > 0 { record["when"] = .date(Date(timeIntervalSinceReferenceDate: Double(below(40)) * 86_400)) }
            if below(3) > 0 { record["tags"] = .list((1...below(3) + 1).map { _ in .string("t\(below(4))") }) }
            if below(3) > 0 {
                record["place"] = .location(
                    Location(latitude: Double(below(170)) - 85, longitude: Double(below(350)) - 175))
            }
            if below(3) > 0 { record["owner"] = .reference(RecordReference("r\(below(count))", action: .none)) }
            return record
        }
    }

    mutating func term() -> String {
        switch below(7) {
        case 0: "country == '\(["CH", "AT", "it\\'s"][below(3)])'"
        case 1: "amount > \(below(50))"
        case 2: "height BETWEEN {\(below(20)), \(20 + below(30))}"
        case 3: "ANY tags == 't\(below(4))'"
        case 4: "country IN {'CH', 'AT'}"
        case 5: "(amount < \(below(50)) OR country == 'CH')"
        default: "NOT country == 'AT'"
        }
    }

    mutating func predicate() -> String {
        if below(8) == 0 { return "" }
        let terms = (0...below(3)).map { _ in term() }
        return terms.joined(separator: below(5) == 0 ? " OR " : " AND ")
    }
}

@Suite(.timeLimit(.minutes(2))) struct EndpointTests {
    private static func set(seed: UInt64) throws -> RecordSet {
        var sample = Sample(random: SplitMix64(seed: seed))
        return try RecordSet(records: sample.records(600))
    }

    private static func predicate(_ text: String) throws -> RecordPredicate {
        try RecordPredicate(text.isEmpty ? "TRUEPREDICATE" : text, [], dialect: .full)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func queriesAgreeWithTheSet(seed: UInt64) throws {
        let set = try Self.set(seed: seed)
        let server = try ExploreServer(set, name: "sample")
        let client = try PageClient(server)
        var sample = Sample(random: SplitMix64(seed: seed + 100))
        for _ in 0..<40 {
            let text = sample.predicate()
            let predicate = try Self.predicate(text)
            let sort: [String] = [[], ["amount"], ["height:desc"]][sample.below(3)]
            let key: SortKey = sort == ["amount"] ? .ascending("amount") : .descending("height")
            let keys = sort.isEmpty ? [] : [key]
            let parts = try client.query([
                "text": text, "sort": sort, "fields": ["country", "amount"], "rows": 20, "values": ["country", "tags"],
                "spread": "height", "plan": true,
                "map": ["field": "place", "box": [-90, -180, 90, 180], "columns": 12, "rows": 6],
            ])
            let ordinals = try set.ordinals(matching: predicate, sortedBy: keys)
            let count = try #require(parts["count"]?.first)
            #expect(count["matched"] as? Int == ordinals.count, "\(text)")
            let rows = try #require(parts["rows"]?.first?["rows"] as? [[Any]])
            #expect(rows.map { $0[0] as? Int } == ordinals.prefix(20).map { Optional($0) }, "\(text) \(sort)")
            try expectSummaries(parts, of: set, text, predicate)
            #expect(parts["plan"]?.count == 1 && parts["failed"] == nil)
            // Pages of the same result.
            let result = try #require(count["result"] as? String)
            let from = sample.below(max(1, ordinals.count))
            let page = try client.call("rows", ["result": result, "from": from, "count": 30, "fields": ["amount"]])
            let shown = try #require(page["rows"] as? [[Any]])
            #expect(shown.map { $0[0] as? Int } == ordinals.dropFirst(from).prefix(30).map { Optional($0) })
        }
    }

    private func expectSummaries(
        _ parts: [String: [[String: Any]]], of set: RecordSet, _ text: String, _ predicate: RecordPredicate
    ) throws {
        let tags = try #require(parts["values"]?.first { $0["field"] as? String == "tags" })
        if !text.contains("tags") {
            let facets = try set.facets("tags", where: predicate, limit: 12)
            let counts = try #require(tags["values"] as? [[Any]]).map { $0[1] as? Int }
            #expect(counts == facets.values.map { Optional($0.count) }, "\(text)")
            #expect(tags["distinct"] as? Int == facets.distinctCount)
            #expect(tags["missing"] as? Int == facets.missingCount)
        }
        // The field's own condition is left out: both countries stay in view.
        if text == "country == 'CH'" {
            let country = try #require(parts["values"]?.first { $0["field"] as? String == "country" })
            #expect(try #require(country["values"] as? [[Any]]).count == set.facets("country").distinctCount)
        }
        let spread = try #require(parts["spread"]?.first)
        let all = try set.histogram(of: "height", bins: 60)
        #expect(spread["all"] as? [Int] == all.counts)
        let matching = try set.histogram(of: "height", where: predicate, bins: 60, within: all.range)
        #expect(spread["matching"] as? [Int] == matching.counts, "\(text)")
        let cells = try #require(parts["map"]?.first?["cells"] as? [[Double]])
        let places = try set.records(matching: predicate).count { $0["place"] != .null }
        #expect(cells.reduce(0) { $0 + Int($1[2]) } == places, "\(text)")
    }

    /// What is clicked is found: the edited text gives as many records as the value was counted.
    @Test(arguments: [3, 4] as [UInt64])
    func clicksFindWhatTheyCount(seed: UInt64) throws {
        let set = try Self.set(seed: seed)
        let server = try ExploreServer(set)
        let client = try PageClient(server)
        var sample = Sample(random: SplitMix64(seed: seed))
        for _ in 0..<30 {
            let text = (0...sample.below(2)).map { _ in "amount > \(sample.below(20))" }.joined(separator: " AND ")
            let field = ["country", "tags", "amount", "owner", "when"][sample.below(5)]
            let parts = try client.query(["text": text, "values": [field]])
            let values = try #require(parts["values"]?.first?["values"] as? [[Any]])
            guard field != "amount", let value = values.randomElement(using: &sample.random) else { continue }
            let expression = try #require(value[2] as? String, "\(field)")
            let edited = try client.call(
                "edit", ["text": text, "edits": [["toggle": ["field": field, "value": expression]]]])
            let new = try #require(edited["text"] as? String)
            #expect(try set.count(matching: Self.predicate(new)) == value[1] as? Int, "\(new)")
            // Another click takes it back.
            let back = try client.call(
                "edit", ["text": new, "edits": [["toggle": ["field": field, "value": expression]]]])
            #expect(back["text"] as? String == text)
        }
        let circle = try client.call(
            "edit",
            [
                "text": "amount > 3",
                "edits": [
                    ["circle": ["field": "place", "latitude": 47.5, "longitude": 8.5, "radius": 3_000_000]],
                    ["range": ["field": "when", "from": 86_400, "to": 864_000]],
                ],
            ])
        let text = try #require(circle["text"] as? String)
        #expect(
            text == "amount > 3 AND distance(place, 47.5, 8.5) < 3000000"
                + " AND when BETWEEN {date('2001-01-02'), date('2001-01-11')}")
        #expect(try SyntaxTree(parsing: text).description == text.replacing("'", with: "\""))
        let parts = try client.query(["text": text])
        let place = Location(latitude: 47.5, longitude: 8.5)
        let naive = (0..<set.count).filter { ordinal in
            guard let record = set.record(at: ordinal), case .int64(let amount) = record["amount"], amount > 3,
                case .location(let other) = record["place"], Geodesic.distance(from: other, to: place) < 3_000_000,
                case .date(let date) = record["when"]
            else { return false }
            return (86_400...864_000).contains(date.timeIntervalSinceReferenceDate)
        }
        #expect(parts["count"]?.first?["matched"] as? Int == naive.count)
    }

    /// The page may say that numbers are dates: of a function of dates no field tells.
    @Test func rangesOfNumbersAndDates() throws {
        let client = try PageClient(ExploreServer(try Self.set(seed: 4)))
        let cases: [(isDate: Bool?, text: String)] = [
            (nil, "height BETWEEN {86400, 864000}"), (false, "height BETWEEN {86400, 864000}"),
            (true, "height BETWEEN {date('2001-01-02'), date('2001-01-11')}"),
        ]
        for (isDate, text) in cases {
            var range: [String: Any] = ["field": "height", "from": 86_400, "to": 864_000]
            range["isDate"] = isDate
            #expect(try client.call("edit", ["text": "", "edits": [["range": range]]])["text"] as? String == text)
        }
    }

    /// Blanks and control characters alone mean all records; the first character behind them does not.
    @Test func blankTexts() throws {
        let client = try PageClient(ExploreServer(try Self.set(seed: 4)))
        for text in ["", " ", " \t\r\n"] {
            #expect(try client.query(["text": text])["count"]?.first?["matched"] as? Int == 600, "\(text)")
        }
        #expect(try client.query(["text": "!"])["count"] == nil)
    }

    @Test func recordsAndTheirReferences() throws {
        let set = try Self.set(seed: 5)
        let server = try ExploreServer(set)
        let client = try PageClient(server)
        for ordinal in stride(from: 0, to: 600, by: 37) {
            let record = try #require(set.record(at: ordinal))
            let shown = try client.call("record", ["version": 1, "ordinal": ordinal])
            #expect(shown["id"] as? String == record.id.recordName && shown["type"] as? String == record.type)
            #expect((shown["fields"] as? [[Any]])?.count == record.fields.count)
            if case .reference(let owner) = record["owner"] {
                let references = try #require(shown["references"] as? [[String: Any]])
                #expect(references.first?["id"] as? String == owner.recordID.recordName)
                #expect(references.first?["found"] as? Bool == true)
            }
            for referrer in try #require(shown["referrers"] as? [[String: Any]]) {
                let text = try #require(referrer["text"] as? String)
                let type = try #require(referrer["type"] as? String)
                let count = try set.ofType(type).count(matching: Self.predicate(text))
                #expect(referrer["count"] as? Int == count)
            }
            let naive = try set.records(matching: "TRUEPREDICATE").count { other in
                if case .reference(let owner) = other["owner"] { owner.recordID == record.id } else { false }
            }
            let told = try #require(shown["referrers"] as? [[String: Any]]).reduce(0) {
                $0 + ($1["count"] as? Int ?? 0)
            }
            #expect(told == naive)
        }
        #expect(try client.send("record", ["version": 1, "ordinal": 600]).status == 404)
    }

    @Test func exportsAreWholeAndTakenOnce() throws {
        let set = try Self.set(seed: 6)
        let server = try ExploreServer(set)
        let client = try PageClient(server)
        let body: [String: Any] = ["text": "amount > 20", "sort": ["amount:desc"], "format": "ndjson"]
        let path = try #require(try client.call("export", body)["path"] as? String)
        let file = try client.get(path)
        #expect(file.status == 200)
        let lines = String(decoding: file.body, as: UTF8.self).split(separator: "\n")
        let read = try RecordSet(bytes: Array(file.body), name: "export.ndjson")
        #expect(read.count == lines.count)
        let names = try set.records(matching: "amount > 20", sortedBy: [.descending("amount")]).map(\.id.recordName)
        #expect((0..<read.count).compactMap { read.record(at: $0)?.id.recordName } == names)
        #expect(try client.get(path).status == 404)
    }

    /// Orders that no column has: by distance, and by relevance.
    @Test func ordersOfPagesAreThoseOfTheSet() throws {
        let set = try Self.set(seed: 11)
        let server = try ExploreServer(set)
        let client = try PageClient(server)
        let place = Location(latitude: 47.5, longitude: -8.5)
        for (order, key, text) in [
            ("distance(place,47.5,-8.5)", SortKey.distance("place", place), "amount > 3"),
            ("distance(place,47.5,-8.5):desc", SortKey(.distance("place", from: place), isAscending: false), ""),
            ("relevance", .relevance, "allTokens TOKENMATCHES 'CH'"),
        ] {
            let parts = try client.query(["text": text, "sort": [order], "rows": 100])
            let rows = try #require(parts["rows"]?.first?["rows"] as? [[Any]], "\(parts)")
            let ordinals = try set.ordinals(matching: Self.predicate(text), sortedBy: [key], limit: 100)
            #expect(rows.map { $0[0] as? Int } == ordinals.map { Optional($0) } && rows.count > 20, "\(order)")
        }
        for wrong in ["distance(place,91,0)", "distance(place,1)", "distance(place,x,y)"] {
            #expect(try client.send("query", ["text": "", "sort": [wrong]]).status == 400)
        }
        #expect(try client.query(["text": "amount > 3", "sort": ["relevance"]])["failed"]?.count == 1)
    }

    /// A text of another query language is shown as the predicate that it means.
    @Test func otherLanguagesAreUnderstood() throws {
        let server = try ExploreServer(try Self.set(seed: 12))
        let client = try PageClient(server)
        let parts = try client.query(["text": "SELECT * FROM t WHERE amount > 3 ORDER BY height DESC"])
        let meant = try #require(parts["check"]?.first?["meant"] as? [String: Any])
        #expect(meant["text"] as? String == "amount > 3" && meant["sort"] as? [String] == ["height:desc"])
        #expect(try client.query(["text": "amount > 3"])["check"]?.first?["meant"] == nil)
    }

    /// What was not done within the time limit is named; what was done before is there.
    @Test func whatIsLateIsNamed() throws {
        let source = ExploredRecords(name: "t", version: { nil }, load: { nil })
        let options = ExploreServer.Options(time: .nanoseconds(1))
        let server = try ExploreServer(source, try Self.set(seed: 13), options: options)
        let parts = try PageClient(server).query([
            "text": "amount > 3", "values": ["country", "tags"], "spread": "height", "plan": true,
            "map": ["field": "place", "box": [-90, -180, 90, 180], "columns": 12, "rows": 6],
        ])
        #expect(parts["check"]?.count == 1 && parts["values"] == nil)
        #expect(
            parts["late"]?.first?["missing"] as? [String]
                == ["spread of height", "map", "values of country", "values of tags", "plan"])
    }

    @Test func typingIsHelpedAndErrorsHavePlaces() throws {
        let server = try ExploreServer(try Self.set(seed: 7))
        let client = try PageClient(server)
        let completed = try client.call("complete", ["text": "é == 1 AND coun", "cursor": 15])
        #expect(completed["start"] as? Int == 11)
        let candidates = try #require(completed["candidates"] as? [[Any]])
        #expect(candidates.contains { $0[0] as? String == "country" })
        let wrong = try client.query(["text": "country == == 1"])
        let diagnosis = try #require(wrong["check"]?.first?["diagnosis"] as? [String: Any])
        #expect(diagnosis["severity"] as? String == "error" && diagnosis["start"] as? Int == 11)
        #expect(wrong["count"] == nil)
        let open = try client.query(["text": "country =="])
        let unfinished = try #require(open["check"]?.first?["diagnosis"] as? [String: Any])
        #expect(unfinished["severity"] as? String == "unfinished")
        let slip = try client.query(["text": "contry == 'CH'"])
        #expect(
            (slip["check"]?.first?["diagnosis"] as? [String: Any])?["hint"] as? String == "did you mean 'country'?")
        let none = try client.query(["text": "country == 'ch'"])
        #expect((none["count"]?.first?["relaxed"] as? [String: Any])?["count"] as? Int ?? 0 > 0)
    }

    /// Pages that say no number get a hundred rows, and a hundred values.
    @Test func aHundredAtATime() throws {
        let records = (0..<150).map { Record(type: "T", id: Record.ID("r\($0)"), fields: ["amount": .int64($0)]) }
        let client = try PageClient(ExploreServer(RecordSet(records: records)))
        let parts = try client.query(["text": ""])
        #expect((parts["rows"]?.first?["rows"] as? [Any])?.count == 100)
        let result = try #require(parts["count"]?.first?["result"] as? String)
        #expect((try client.call("rows", ["result": result, "from": 0])["rows"] as? [Any])?.count == 100)
        #expect((try client.call("rows", ["result": result, "from": 60])["rows"] as? [Any])?.count == 90)
        let values = try client.call("values", ["text": "", "field": "amount"])
        #expect((values["values"] as? [Any])?.count == 100 && values["distinct"] as? Int == 150)
    }

    /// What a query of one type shows is about that type; which values are in the query is told, of lists, too.
    @Test func summariesOfOneType() throws {
        let rows: [(type: String, amount: Int64, tags: [String])] = [
            ("T", 1, ["a", "b"]), ("T", 1, ["a"]), ("T", 3, ["b"]), ("U", 6, ["c"]),
        ]
        let records = rows.enumerated().map { number, row in
            Record(
                type: row.type, id: Record.ID("r\(number)"),
                fields: ["amount": .int64(row.amount), "tags": .list(row.tags.map { .string($0) })])
        }
        let client = try PageClient(ExploreServer(RecordSet(records: records)))
        for (type, upper, counts) in [
            (nil, 6, [2, 0, 1, 0, 0, 1]), ("T", 3, [2, 0, 1]), ("U", 6, [1]),
        ] as [(String?, Double, [Int])] {
            var body: [String: Any] = ["text": "", "spread": "amount"]
            body["type"] = type
            let spread = try #require(client.query(body)["spread"]?.first)
            #expect(spread["all"] as? [Int] == counts && spread["matching"] as? [Int] == counts, "\(spread)")
            #expect(spread["upper"] as? Double == upper)
        }
        let text = "ANY tags == 'a' AND amount == 1"
        let told = try #require(client.query(["text": text, "type": "T", "values": ["tags", "amount"]])["values"])
        let tags = try #require(told.first?["values"] as? [[Any]])
        #expect(tags.map { $0[0] as? String } == ["a", "b"] && tags.map { $0[1] as? Int } == [2, 1])
        #expect(tags.map { $0[3] as? Bool } == [true, false], "'a' is in the query")
        let amounts = try #require(told.last?["values"] as? [[Any]])
        #expect(amounts.map { $0[0] as? Int } == [1] && amounts.map { $0[3] as? Bool } == [true])
    }

    /// A page keeps the rows that it has, dimmed, until the text is a predicate.
    @Test func whetherTheTextIsAPredicate() throws {
        let client = try PageClient(ExploreServer(Self.set(seed: 14)))
        for (text, expected) in [
            ("", true), ("  ", true), ("amount > 3", true), ("amount >", false), ("country == == 1", false),
            ("amount > 3 AND", false), ("country == 'C", false),
        ] {
            #expect(try client.query(["text": text])["check"]?.first?["isPredicate"] as? Bool == expected, "\(text)")
        }
    }

    /// Bodies that no page sends: none of them ends the server, each has its reply.
    @Test func nonsense() throws {
        let server = try ExploreServer(try Self.set(seed: 8))
        let client = try PageClient(server)
        let paths = ["about", "query", "rows", "record", "complete", "edit", "values", "translate", "export", "none"]
        let values: [Any] = [0, -1, 1.5, 1e300, "", "x", [Any](), ["a": 1], NSNull(), true, Int64.max, [1, 2, 3, 4]]
        let keys = [
            "text", "variables", "type", "sort", "fields", "rows", "cursor", "map", "values", "spread", "result",
            "from",
            "count", "ordinal", "version", "id", "edits", "field", "limit", "format", "to",
        ]
        var random = SplitMix64(seed: 9)
        for number in 0..<400 {
            var body: [String: Any] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                body[keys.randomElement(using: &random) ?? ""] = values.randomElement(using: &random)
            }
            let path = paths[number % paths.count]
            let status = try client.send(path, body).status
            #expect([200, 400, 404, 410, 422].contains(status), "\(path) \(body): \(status)")
        }
        for body: Any in [[Any](), ["edits": [["toggle": ["field": "a", "value": "'"]]]], ["edits": [1]]] {
            #expect([200, 400].contains(try client.send("edit", body).status))
        }
        #expect(try client.send("query", ["text": ""], key: "wrong").status == 401)
        #expect(try client.get("/../../etc/passwd").status == 404)
        #expect(try client.get("/explore.js").status == 200)
    }
}
