// What pages send and are sent, as texts: offsets, members of JSON, orders, rows, conditions, edits.

import RecordDatabase
import Testing

@testable import ExploreServer

@Suite struct PageTextsEdgesTests {
    private static func json(_ text: String) throws -> JSONValue { try JSONReader.tree(text) }

    // MARK: Places in texts

    /// Bytes of one, two, three and four bytes' characters; the last of them is of two units.
    @Test func offsetsOfBytesAndBack() {
        let offsets = TextOffsets("aé€😀")
        #expect((0...10).map { offsets[$0] } == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 5])
        #expect([-1, 11, 99].map { offsets[$0] } == [0, 5, 5])
        #expect([0, 1, 2, 3, 5].map(offsets.byte) == [0, 1, 3, 6, 10])
        #expect([-1, 6, 99].map(offsets.byte) == [0, 10, 10])
        let plain = TextOffsets("0123456789")
        #expect((0...10).map { plain[$0] } == (0...10).map { Int64($0) })
        #expect((0...10).map(plain.byte) == Array(0...10))
        let none = TextOffsets("")
        #expect([-1, 0, 1].map { none[$0] } == [0, 0, 0] && [-1, 0, 1].map(none.byte) == [0, 0, 0])
    }

    @Test func durationsToAThousandthOfAMicrosecond() {
        let cases: [(Duration, Double)] = [
            (.zero, 0), (.seconds(2), 2e6), (.seconds(2) + .microseconds(3), 2_000_003), (.nanoseconds(1500), 1.5),
            (.milliseconds(7), 7000), (.seconds(100) + .nanoseconds(1), 100_000_000.001),
        ]
        for (duration, microseconds) in cases { #expect(duration.microseconds == microseconds, "\(duration)") }
    }

    // MARK: Members of JSON

    @Test func wholeNumbersOfMembers() throws {
        let cases: [(json: String, bounds: ClosedRange<Int>, number: Int??)] = [
            (#"{"n":5}"#, 5...9, 5), (#"{"n":5}"#, 1...5, 5), (#"{"n":0}"#, 0...0, 0), (#"{"n":-1}"#, -1...0, -1),
            (#"{"n":null}"#, 1...5, .some(nil)), (#"{"m":3}"#, 1...5, .some(nil)),
            (#"{"n":4}"#, 5...9, nil), (#"{"n":6}"#, 1...5, nil), (#"{"n":"5"}"#, 1...5, nil),
            (#"{"n":4.5}"#, 1...5, nil), (#"{"n":true}"#, 0...5, nil), (#"{"n":[1]}"#, 0...5, nil),
        ]
        for (text, bounds, number) in cases {
            let json = try Self.json(text)
            if let number {
                #expect(try json.number("n", in: bounds) == number, "\(text) in \(bounds)")
            } else {
                #expect(throws: RequestError.self, "\(text) in \(bounds)") { try json.number("n", in: bounds) }
            }
        }
    }

    @Test func textsOfMembers() throws {
        func list(_ count: Int) -> String {
            #"{"a":["# + [String](repeating: #""x""#, count: count).joined(separator: ",") + "]}"
        }
        #expect(try Self.json("{}").text("a") == nil && Self.json(#"{"a":null}"#).text("a") == nil)
        #expect(try Self.json(#"{"a":""}"#).text("a") == "" && Self.json(#"{"b":"x","a":"y"}"#).text("a") == "y")
        #expect(try Self.json("{}").texts("a") == [] && Self.json(#"{"a":null}"#).texts("a") == [])
        #expect(try Self.json(#"{"a":["x","","y"]}"#).texts("a") == ["x", "", "y"])
        #expect(try Self.json(list(500)).texts("a").count == 500)
        for text in [#"{"a":1}"#, #"{"a":["x"]}"#, #"{"a":false}"#] {
            #expect(throws: RequestError.self, "\(text)") { try Self.json(text).text("a") }
        }
        for text in [#"{"a":"x"}"#, #"{"a":["x",1]}"#, #"{"a":[null]}"#, #"{"a":{}}"#, list(501)] {
            #expect(throws: RequestError.self, "\(text.prefix(40))") { try Self.json(text).texts("a") }
        }
    }

    @Test func numbersAsDoubles() {
        #expect(JSONValue.int64(-3).double == -3 && JSONValue.double(2.5).double == 2.5)
        for json in [JSONValue.double(.infinity), .double(.nan), .string("1"), .null, .bool(true)] {
            #expect(json.double == nil, "\(json)")
        }
    }

    @Test func membersOfAQuery() throws {
        let query = try PageQuery(
            Self.json(#"{"text":"n > $x","type":"T","variables":{"x":3,"y":"a"},"sort":["n:desc","m"]}"#))
        #expect(query.text == "n > $x" && query.type == "T")
        #expect(query.variables == ["x": 3, "y": "a"])
        #expect(query.sort == [.descending("n"), .ascending("m")])
        let blank = try PageQuery(Self.json(#"{"text":null,"type":null,"variables":null,"sort":null}"#))
        #expect(blank.text == "" && blank.type == nil && blank.variables.isEmpty && blank.sort.isEmpty)
        for text in [#"{"text":1}"#, #"{"type":[]}"#, #"{"sort":"n"}"#, #"{"sort":[1]}"#] {
            #expect(throws: RequestError.self, "\(text)") { try PageQuery(Self.json(text)) }
        }
    }

    // MARK: Orders and conditions

    @Test func orders() throws {
        let place = Location(latitude: 1, longitude: -2.5)
        let cases: [(text: String, key: SortKey?)] = [
            ("n", .ascending("n")), ("n:desc", .descending("n")), ("relevance", .relevance),
            ("relevance:desc", .descending("relevance")), ("n:asc", .ascending("n:asc")),
            // Names of fields that look alike.
            ("f(a)", .ascending("f(a)")), ("x,1,-2.5)", .ascending("x,1,-2.5)")), ("distance", .ascending("distance")),
            ("distance(p,1,-2.5", .ascending("distance(p,1,-2.5")),
            ("a distance(p,1,2)", .ascending("a distance(p,1,2)")),
            ("distance(p,1,-2.5)", .distance("p", place)),
            ("distance(p,1,-2.5):desc", SortKey(.distance("p", from: place), isAscending: false)),
            ("distance(a,b,1,-2.5)", .distance("a,b", place)), ("distance(a,,1,-2.5)", .distance("a,", place)),
            ("distance(a(b),1,-2.5)", .distance("a(b)", place)),
            ("distance()", nil), ("distance(1)", nil), ("distance(1,2)", nil), ("distance(p,1,)", nil),
            ("distance(p,x,2)", nil), ("distance(p,1,x)", nil), ("distance(p,90.5,0)", nil), ("distance(p,0,181)", nil),
        ]
        for (text, key) in cases {
            let json = JSONValue.of(["sort": .array([.string(text)])])
            if let key {
                #expect(try PageQuery(json).sort == [key], "\(text)")
            } else {
                #expect(throws: RequestError.self, "\(text)") { try PageQuery(json) }
            }
        }
    }

    @Test func theConditionsOnAFieldAreLeftOut() throws {
        let cases: [(text: String, field: String, rest: String?)] = [
            ("a == 1 AND b == 2 AND a != 3", "a", "b == 2"), ("a == 1 AND b == 2 AND a != 3", "b", "a == 1 AND a != 3"),
            ("a == 1", "a", ""), ("a == 1", "b", nil), ("", "a", nil), ("a ==", "a", nil),
            ("a == 1 OR b == 2", "a", nil), ("(a == 1 OR b == 2) AND a.c < 3", "a.c", "(a == 1 OR b == 2)"),
        ]
        for (text, field, rest) in cases {
            var query = try PageQuery(Self.json(#"{"type":"T","sort":["n"]}"#))
            query.text = text
            let wider = query.without(conditionsOn: field)
            #expect(wider?.text == rest, "\(text) without \(field)")
            if let wider { #expect(wider.type == "T" && wider.sort == query.sort) }
        }
    }

    @Test func valuesAsText() {
        let cases: [(FieldValue, String?)] = [
            (true, "TRUE"), (false, "FALSE"), (-3, "-3"), (2.5, "2.5"), (.double(.nan), nil),
            (.double(-.infinity), nil), ("it's", #"'it\'s'"#), (.null, nil), (.list([1]), nil),
            (.reference(RecordReference("r1", action: .none)), "'r1'"),
        ]
        for (value, text) in cases { #expect(LanguageTexts.expression(value) == text, "\(value)") }
        #expect(LanguageTexts.date(0) == "date('2001-01-01')")
        #expect(LanguageTexts.date(86_400) == "date('2001-01-02')")
        #expect(LanguageTexts.date(129_600) == "date('2001-01-02T12:00:00Z')")
        #expect(LanguageTexts.date(1e12) == "CAST(1000000000000, 'NSDate')")
    }

    @Test func numbersAndPathsAsText() {
        let numbers: [(Double, String)] = [(3, "3"), (-7, "-7"), (0, "0"), (2.5, "2.5"), (-0.125, "-0.125")]
        for (number, text) in numbers { #expect(LanguageTexts.number(number) == text) }
        let paths: [(field: String, text: String)] = [
            ("a", "a"), ("a.b", "a.b"), ("a b", "#'a b'"), ("a.b c.d", "a.#'b c'.d"), ("", "#''"), ("a.", "a.#''"),
            ("a..b", "a.#''.b"), ("it's", #"#'it\'s'"#),
        ]
        for (field, text) in paths { #expect(LanguageTexts.path(field) == text, "\(field)") }
        #expect(LanguageTexts.path("o", .reference) == "o.recordName")
        #expect(LanguageTexts.path("o", .list(.reference)) == "o.recordName")
        for type in [FieldType.list(.string), .string, nil] { #expect(LanguageTexts.path("o", type) == "o") }
        #expect(FieldType.list(.int64).isList && !FieldType.int64.isList)
        #expect(LanguageTexts.range("n", 1, 2.5, areDates: false) == "n BETWEEN {1, 2.5}")
        #expect(
            LanguageTexts.range("n", 0.4, 86_399.5, areDates: true)
                == "n BETWEEN {date('2001-01-01'), date('2001-01-02')}")
    }

    // MARK: Rows

    /// Texts of more than 300 bytes are cut after 200 of them, or before the character that is there.
    @Test func longTextsOfRowsAreCut() throws {
        func text(_ count: Int) -> String { String(repeating: "a", count: count) }
        let split = text(199) + "é" + text(100)
        let records = try RowSample.set([["n": 1, "t": "x"], [:], ["t": .string(text(300))], ["n": 2]])
        var writer = RowsWriter(records, ["n", "t"])
        writer.begin("<")
        writer.write([0, 1, 2])
        #expect(
            String(decoding: writer.finished(">"), as: UTF8.self)
                == #"<[0,"r0",1,"x"],[1,"r1",null,null],[2,"r2",null,""# + text(300) + #""]>"#)
        var other = RowsWriter(try RowSample.set([["t": .string(text(301))], ["t": .string(split)]]), ["t"])
        other.write([1, 0])
        #expect(
            String(decoding: other.finished(""), as: UTF8.self)
                == #"[1,"r1",{"$cut":""# + text(199) + #"","length":301}],[0,"r0",{"$cut":""# + text(200)
                + #"","length":301}]"#)
        var names = RowsWriter(records, [])
        names.write([3])
        #expect(String(decoding: names.finished("!"), as: UTF8.self) == #"[3,"r3"]!"#)
    }

    // MARK: Files

    @Test func filesThatArePackedOrDoNotGetSmaller() {
        func sent(_ bytes: [UInt8], _ accepted: [String]) -> (bytes: [UInt8], headers: [String]) {
            let reply = PageFile(type: "text/plain", bytes: bytes).reply(accepting: accepted)
            return (reply.bytes, reply.headers.map { "\($0.name): \($0.value)" })
        }
        let (type, vary, packed) = ("Content-Type: text/plain", "Vary: Accept-Encoding", "Content-Encoding: gzip")
        for accepted in [[], ["gzip"]] {
            #expect(sent([1, 2, 3], accepted) == ([1, 2, 3], [type, vary]), "three bytes get no smaller")
            #expect(sent([0x1F, 0x8B, 8], accepted) == ([0x1F, 0x8B, 8], [type, vary, packed]), "they are packed")
            #expect(sent([0x1F, 0x8C, 8], accepted) == ([0x1F, 0x8C, 8], [type, vary]))
        }
        let zeros = [UInt8](repeating: 0, count: 10_000)
        #expect(sent(zeros, []) == (zeros, [type, vary]))
        let small = sent(zeros, ["gzip"])
        #expect(small.headers == [type, vary, packed] && small.bytes.count < 100)
        #expect(small.bytes.starts(with: [0x1F, 0x8B]))
    }

    @Test func encodingsWithTabsAndWeights() {
        for value in ["br,\tgzip", "gzip;q=1", "gzip ;\tq=0.001", "br;q=0, gzip", "*;q=1"] {
            #expect(PageFile.isAccepted("gzip", in: [value]), "\(value)")
        }
        for value in ["gzip;\tq=0", "br;q=1", "gzip;q=0, *;q=1", "*;q=0"] {
            #expect(!PageFile.isAccepted("gzip", in: [value]), "\(value)")
        }
    }
}
