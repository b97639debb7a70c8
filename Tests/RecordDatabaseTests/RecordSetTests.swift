// Record sets: order, limits, types, references, and what goes wrong.

import FoundationEssentials
import RecordDatabase
import Testing

struct RecordSetTests {
    private static func record(_ name: String, _ fields: [String: FieldValue], type: String = "Item") -> Record {
        Record(type: type, id: Record.ID(name), fields: fields)
    }

    private static func set() throws -> RecordSet {
        try RecordSet(records: [
            record("a", ["n": 2, "text": "b", "place": .location(Location(latitude: 0, longitude: 10))]),
            record("b", ["n": 1.5, "text": "É", "owner": .reference(RecordReference("o"))]),
            record("c", ["text": "a"]),
            record("d", ["n": 2, "text": "e\u{301}", "place": .location(Location(latitude: 0, longitude: 1))]),
            record("o", ["name": "Ann", "boss": .reference(RecordReference("p"))], type: "Owner"),
            record("p", ["name": "Bea", "boss": .reference(RecordReference("gone"))], type: "Owner"),
        ])
    }

    /// Conditions with arithmetic, and what they say of a whole number and of half of it.
    private static let arithmetic: [(text: RecordPredicate, holds: @Sendable (Int, Double) -> Bool)] = [
        ("-n < -1990", { n, _ in n > 1990 }), ("-x <= -995.5", { _, x in x >= 995.5 }),
        ("-x == -7.5", { _, x in x == 7.5 }), ("-(n + x) > -30", { n, x in Double(n) + x < 30 }),
        ("n / 2.5 > 790", { n, _ in Double(n) / 2.5 > 790 }), ("n / 3.5 == 2", { n, _ in n == 7 }),
        ("x / -0.5 < -1900", { _, x in x > 950 }), ("n * x >= 1900000", { n, x in Double(n) * x >= 1_900_000 }),
        ("n - x == 20", { n, x in Double(n) - x == 20 }), ("abs(n - 1000) <= 3", { n, _ in (997...1003).contains(n) }),
    ]

    /// Enough records that columns are searched as a whole.
    @Test func arithmeticOverColumns() throws {
        let set = try RecordSet(
            records: (0..<2000).map { number in
                Self.record("r\(number)", ["n": .int64(Int64(number)), "x": .double(Double(number) / 2)])
            })
        for (predicate, holds) in Self.arithmetic {
            let expected = (0..<2000).filter { holds($0, Double($0) / 2) }
            #expect(try set.ordinals(matching: predicate) == expected, "\(predicate)")
            #expect(expected.isEmpty == false)
        }
    }

    /// Bounds at and beyond the ends of the integers.
    @Test func boundsOfIntegers() throws {
        let set = try RecordSet(
            records: [Int64.min, -1, 0, .max].map { Self.record("r\($0)", ["n": .int64($0)]) })
        let cases: [(RecordPredicate, [Int])] = [
            ("n >= 9223372036854775808.0 AND n > 1", []), ("n < 9223372036854775808.0 AND n > -2", [1, 2, 3]),
            ("n >= -9223372036854775808.0 AND n < 0", [0, 1]), ("n < -9223372036854775808.0 AND n < 1", []),
            ("n > 9223372036854775806 AND n <= 9223372036854775807", [3]),
        ]
        for (predicate, ordinals) in cases {
            #expect(try set.ordinals(matching: predicate) == ordinals, "\(predicate)")
        }
    }

    /// Sort keys and the names that must come out, for records of type Item.
    static let orders: [(keys: [SortKey], names: String)] = [
        ([], "abcd"),
        ([.ascending("n")], "cbad"),
        ([.descending("n")], "adbc"),
        ([.ascending("text")], "cabd"),
        ([.descending("text")], "dbac"),
        ([.distance("place", Location(latitude: 0, longitude: 0))], "dabc"),
        ([SortKey(.distance("place", from: Location(latitude: 0, longitude: 0)), isAscending: false)], "adbc"),
        ([.descending("n"), .descending("id")], "dabc"),
        ([.ascending("nothing"), .descending("id")], "dcba"),
        ([.descending("recordName")], "dcba"),
    ]

    @Test(arguments: orders.indices)
    func sorting(_ index: Int) throws {
        let order = Self.orders[index]
        var items = try Self.set().ofType("Item")
        items.allowsUnknownFields = true
        for limit in [nil, 0, 1, 2, 3, 4, 9] {
            let records = try items.records(matching: "TRUEPREDICATE", sortedBy: order.keys, limit: limit)
            let names = records.map(\.id.recordName).joined()
            #expect(
                names == String(order.names.prefix(limit ?? 4)), "\(order.keys), limit \(String(describing: limit))")
        }
    }

    /// A date that is no number of seconds is one value, above all others, as the number is: for the evaluator and on
    /// every path of a record set. Predicates with two such dates for `%@`, and the names that match.
    @Test(arguments: [
        ("d == %@", "ab"), ("d != %@", "cd"), ("d IN {%@}", "ab"), ("d == d", "abcd"), ("d != d", ""),
        ("d >= %@", "ab"), ("d > %@", ""), ("d < %@", "c"), ("d BETWEEN {%@, %@}", "ab"), ("%@ IN list", "b"),
        ("d IN list", "b"),
    ])
    func datesThatAreNoTime(text: String, names: String) throws {
        let (date, zero) = (FieldValue.date(Date(timeIntervalSinceReferenceDate: .nan)), Date(timeIntervalSince1970: 0))
        let records = [
            Self.record("a", ["d": date]), Self.record("b", ["d": date, "list": .list([date])]),
            Self.record("c", ["d": .date(zero), "list": .list([.date(zero.addingTimeInterval(1))])]),
            Self.record("d", [:]),
        ]
        let count = text.split(separator: "%@", omittingEmptySubsequences: false).count - 1
        let predicate = try RecordPredicate(format: text, arguments: Array(repeating: date, count: count))
        #expect(try records.filter { try predicate.evaluate(on: $0) }.map(\.id.recordName).joined() == names)
        let set = try RecordSet(records: records)
        #expect(try set.records(matching: predicate).map(\.id.recordName).joined() == names)
    }

    /// Predicates and the names of all records that match.
    static let queries: [(predicate: RecordPredicate, names: String)] = [
        ("n == 2", "ad"), ("n == nil", "cop"), ("n != 2", "bcop"), ("text ==[cd] 'e'", "bd"),
        ("owner.name == 'Ann'", "b"), ("owner.boss.name == 'Bea'", "b"), ("boss.name == nil", "abcdp"),
        ("recordType == 'Owner'", "op"), ("id IN {'a', 'o'}", "ao"), ("recordName == 'c'", "c"),
        ("allTokens TOKENMATCHES[cdl] 'E'", "bd"), ("nothing == nil", "abcdop"), ("nothing > 3", ""),
        ("distanceToLocation:fromLocation:(place, \(Location(latitude: 0, longitude: 1))) < 1", "d"),
    ]

    @Test(arguments: queries.indices)
    func matching(_ index: Int) throws {
        let (predicate, names) = Self.queries[index]
        var set = try Self.set()
        set.allowsUnknownFields = true
        #expect(try set.records(matching: predicate).map(\.id.recordName).joined() == names)
        #expect(try set.count(matching: predicate) == names.count)
        #expect(
            try set.ordinals(matching: predicate).compactMap { set.record(at: $0)?.id.recordName }.joined() == names)
        // Record by record the answer is the same, but for what needs the other records.
        if !predicate.text.contains(".") {
            let all = try set.records(matching: "TRUEPREDICATE")
            #expect(
                try predicate.filter(all.filter { $0.id.recordName != "" }).map(\.id.recordName).joined() == names
                    || predicate.text.contains("id IN"))
        }
    }

    @Test func variablesAndTypes() throws {
        let set = try Self.set()
        #expect(try set.count(matching: "n > $least", variables: ["least": 1.7]) == 2)
        #expect(set.schemas.map(\.recordType) == ["Item", "Owner"])
        #expect(set.ofType("Owner").count == 2)
        #expect(try set.ofType("Owner").count(matching: "name BEGINSWITH 'A'") == 1)
        #expect(set.ofType("Nothing").count == 0)
        #expect(set.record(named: "o")?["name"] == "Ann")
        #expect(set.record(named: "none") == nil)
        #expect(set.record(at: -1) == nil && set.record(at: 6) == nil)
        #expect(try RecordSet(records: []).records(matching: "a == 1").isEmpty)
    }

    @Test func errorsKeepTheirPlace() throws {
        let set = try Self.set()
        let clash = #expect(throws: RecordPredicateError.self) { try set.records(matching: "text == 'x' AND n > 'x'") }
        #expect(clash?.stage == .binding)
        #expect(clash?.scalarRange == 20..<23)
        #expect(clash?.excerpt.contains("^") == true)
        let literal = #expect(throws: RecordPredicateError.self) { try set.count(matching: "n >") }
        #expect(literal?.stage == .syntax)
        let twice = #expect(throws: DatabaseError.self) {
            try RecordSet(records: [Self.record("a", [:]), Self.record("a", [:])])
        }
        #expect(twice?.code == .invalidArguments && twice?.reason.hasPrefix("record 2") == true)
        let missing = #expect(throws: FileError.self) { try RecordSet(contentsOf: "/no/such/file.ndjson") }
        #expect(missing?.kind == .io)
    }

    @Test func typesNameRecordsWithoutOne() throws {
        let path = Fixtures.path("relations.ndjson")
        let albums = try RecordSet(contentsOf: path, type: "Album")
        #expect(albums.count > 0)
        #expect(try albums.records(matching: "TRUEPREDICATE").allSatisfy { $0.type == "Album" })
        #expect(try albums.count(matching: "artist.name != nil") == albums.count)
    }
}
