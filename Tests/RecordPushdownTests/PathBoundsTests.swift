// Conditions behind references, numbers beside the ends of 64 bits, places, and orders of texts.

import Geospatial
import PredicateSemantics
import RecordModel
import RecordPushdown
import Testing

@Suite struct PathBoundsTests {
    private static let types: [String: FieldType] = [
        "owner": .reference, "weight": .int64, "rate": .double, "name": .string, "at": .location,
    ]
    private static let city = ColumnLayout(types, table: "r_City")
    /// A type without weights.
    private static let person = ColumnLayout(["owner": .reference], table: "r_Person")
    private static let shop = ColumnLayout(["weight": .int64], table: "r_Shop")
    /// A type whose weights have no column.
    private static let thing = ColumnLayout(["weight": .object], table: "r_Thing")

    private static func bind(_ text: String, _ arguments: [FieldValue] = []) throws -> BoundPredicate {
        let schema = RecordSchema(
            recordType: "City", fields: types.map { FieldDefinition(name: $0.key, type: $0.value) })
        return try Binder(schema: schema).bind(RecordPredicate(format: text, arguments: arguments))
    }

    private static func bounds(
        _ text: String, _ arguments: [FieldValue] = [], among types: [ColumnLayout] = [PathBoundsTests.city]
    ) throws -> Bounds {
        try Lowering(city, zoneID: .default, types: types).bounds(bind(text, arguments))
    }

    private static func words(_ condition: Condition) -> String {
        condition.text.printed().text.replacing("\"r\".", with: "")
    }

    /// The rows whose owner is a record of a table that satisfies a condition.
    private static func owner(in table: String, _ condition: String) -> String {
        "(EXISTS (SELECT 1 FROM \"\(table)\" \"t1\" WHERE \"t1\"._z = \"_z\" AND \"t1\"._n = \"owner~r\" AND "
            + "\(condition)))"
    }

    // MARK: Paths

    @Test("A reference may lead to a record of any type that has the field")
    func typesOfTargets() throws {
        let inCity = Self.owner(in: "r_City", #"("t1"."weight~i" = $1)"#)
        let inShop = Self.owner(in: "r_Shop", #"("t1"."weight~i" = $2)"#)
        let either = try Self.bounds("owner.weight == 1", among: [Self.city, Self.person, Self.shop])
        #expect(Self.words(either.possible) == "(\(inCity) OR \(inShop))" && either.isExact)
        let here = Self.owner(in: "r_City", #"("t1"."weight~i" IS NOT NULL)"#)
        let without = try Self.bounds("owner.weight == nil", among: [Self.city, Self.person])
        #expect(Self.words(without.possible) == "(\(here) IS NOT TRUE)" && without.isExact)
        #expect(try Self.bounds("owner.weight == 1", among: [Self.person]).possible == .constant(false))
        #expect(try Self.bounds("owner.weight == nil", among: [Self.person]).certain == .constant(true))
        let unknown = try Self.bounds("owner.weight == 1", among: [Self.city, Self.thing])
        #expect(unknown.possible == .constant(true) && unknown.certain == .constant(false))
    }

    @Test(
        "What every record has and no column tells is not taken for a field that no type has",
        arguments: [
            "recordChangeTag != nil", "recordChangeTag == nil", "recordChangeTag IN {1, 2}", "share != nil",
            "share == nil",
            "creationDate != nil",
        ])
    func propertiesOfTargets(_ condition: String) throws {
        let bounds = try Self.bounds("owner.\(condition)", among: [Self.city, Self.person])
        #expect(bounds.possible == .constant(true) && bounds.certain == .constant(false))
    }

    @Test("A path goes through three references at most")
    func longPaths() throws {
        for count in 1...5 {
            let path = Array(repeating: "owner.", count: count).joined()
            let bounds = try Self.bounds("\(path)weight == 1")
            #expect(bounds.isExact == (count <= 3), "\(count)")
            let joins = Self.words(bounds.possible).matches(of: /EXISTS/).count
            #expect(joins == (count <= 3 ? count : 0), "\(count)")
            #expect((bounds.possible == .constant(true)) == (count > 3), "\(count)")
        }
    }

    @Test("The name of what a reference leads to is in its column")
    func namesOfTargets() throws {
        let cases: [(text: String, words: String, isExact: Bool)] = [
            ("owner.recordName IN {'a', 'b'}", #"("owner~r" = ANY($1))"#, true),
            ("owner.recordName ==[c] 'a'", "TRUE", false), ("owner.recordName BEGINSWITH 'a'", "TRUE", false),
            ("owner.owner.recordName == 'a'", Self.owner(in: "r_City", #"("t1"."owner~r" = $1)"#), true),
            ("creatorUserRecordID.recordName == 'u'", #"("_u0" = $1)"#, true),
            ("creatorUserRecordID.weight == 1", "TRUE", false), ("recordName ==[c] 'a'", "TRUE", false),
            ("recordName == 'a'", #"("_n" = $1)"#, true), ("recordName BEGINSWITH 'a'", "TRUE", false),
        ]
        for (text, words, isExact) in cases {
            let bounds = try Self.bounds(text)
            #expect(Self.words(bounds.possible) == words && bounds.isExact == isExact, "\(text)")
        }
    }

    // MARK: Records on other servers

    private static func elsewhere(_ found: [TargetCondition: FoundTargets] = [:]) -> Lowering {
        Lowering(city, zoneID: .default, types: [city, person], joinsReferences: false, foundTargets: found)
    }

    @Test("What is asked of other servers comes once, and longer paths behind what they are made of")
    func conditionsOnTargets() throws {
        let bound = try Self.bind("owner.owner.weight == 1 AND NOT owner.weight == 2 OR owner.weight == 2")
        let conditions = Self.elsewhere().targetConditions(bound)
        let paths = conditions.map { ([$0.subject.field?.name ?? ""] + $0.subject.keys).joined(separator: ".") }
        #expect(paths == ["weight", "owner.weight", "weight"])
        #expect(Lowering(Self.city, zoneID: .default, types: [Self.city]).targetConditions(bound).isEmpty)
        let first = try #require(conditions.first)
        let bounds = try #require(Self.elsewhere().bounds(first, of: Self.shop))
        #expect(bounds.possible.text.printed().text == #"("r"."weight~i" = $1)"# && bounds.isExact)
        #expect(Self.elsewhere().bounds(first, of: Self.person)?.possible == .constant(false))
        #expect(Self.elsewhere().bounds(first, of: Self.thing) == nil)
    }

    @Test("Names that other servers found stand for a path")
    func foundNames() throws {
        let bound = try Self.bind("owner.weight == 2")
        let condition = try #require(Self.elsewhere().targetConditions(bound).first)
        let cases: [(found: FoundTargets?, certain: String, possible: String)] = [
            (nil, "FALSE", "TRUE"), (FoundTargets(certain: [], possible: []), "FALSE", "FALSE"),
            (FoundTargets(certain: [], possible: ["x", "y"]), "FALSE", #"("owner~r" = ANY($1))"#),
            (FoundTargets(certain: ["x"], possible: ["x", "y"]), #"("owner~r" = $1)"#, #"("owner~r" = ANY($1))"#),
        ]
        for (found, certain, possible) in cases {
            let lowering = Self.elsewhere(found.map { [condition: $0] } ?? [:])
            let bounds = lowering.bounds(bound)
            #expect(Self.words(bounds.certain) == certain && Self.words(bounds.possible) == possible)
        }
        let found = [condition: FoundTargets(certain: [], possible: ["x"])]
        let others = Self.elsewhere(found).bounds(try Self.bind("NOT owner.weight == 2"))
        #expect(Self.words(others.certain) == #"(("owner~r" = $1) IS NOT TRUE)"#)
        #expect(others.possible == .constant(true))
    }

    // MARK: Numbers

    @Test("Numbers are compared by their values beyond what their columns can hold")
    func numbersAtTheEnds() throws {
        let (isHere, top) = (#"("weight~i" IS NOT NULL)"#, 0x1p63)
        let cases: [(text: String, value: FieldValue, words: String, constant: SQLValue?)] = [
            ("weight < %@", .double(top), isHere, nil), ("weight >= %@", .double(top), "FALSE", nil),
            ("weight > %@", .double(-top), #"("weight~i" > $1)"#, .int64(.min)),
            ("weight >= %@", .double((-top).nextDown), isHere, nil),
            ("weight < %@", .double((-top).nextDown), "FALSE", nil),
            ("weight >= %@", 2.5, #"("weight~i" > $1)"#, .int64(2)),
            ("weight < %@", -2.5, #"("weight~i" <= $1)"#, .int64(-3)),
            ("rate < %@", .int64(.max), #"("rate~d" < $1)"#, .double(top)),
            ("rate <= %@", .int64(.max), #"("rate~d" < $1)"#, .double(top)),
            ("rate > %@", .int64(.max), #"("rate~d" >= $1)"#, .double(top)),
            ("rate == %@", .int64(.max), "FALSE", nil),
            ("rate IN {1, %@}", .int64(.max), #"("rate~d" = ANY($1))"#, .doubles([1])),
        ]
        for (text, value, words, constant) in cases {
            let bounds = try Self.bounds(text, [value])
            #expect(Self.words(bounds.possible) == words && bounds.isExact, "\(text) \(value)")
            #expect(bounds.possible.text.printed().values == (constant.map { [$0] } ?? []), "\(text) \(value)")
        }
    }

    @Test("Each step of whole arithmetic stays within 64 bits, or the row is looked at")
    func stepsOfArithmetic() throws {
        let (weight, range) = (#""weight~i"::numeric"#, "BETWEEN -9223372036854775808 AND 9223372036854775807")
        let product = try Self.bounds("(weight + 1) * 2 > 3")
        let (sum, twice) = ("(\(weight) + $4::numeric)", "((\(weight) + $5::numeric) * $6::numeric)")
        #expect(
            Self.words(product.certain)
                == "((((\(weight) + $1::numeric) * $2::numeric) > $3) AND (\(sum) \(range) AND \(twice) \(range)))")
        #expect(product.certain.text.printed().values == [1, 2, 3, 1, 1, 2].map { SQLValue.int64($0) })
        let negative = try Self.bounds("-weight > 3")
        #expect(Self.words(negative.possible) == "(((-\(weight)) > $1) OR (NOT ((-\(weight)) \(range))))")
        let other = try Self.bounds("weight - 1 != 3")
        let (first, second) = ("(\(weight) - $1::numeric)", "(\(weight) - $3::numeric)")
        #expect(
            Self.words(other.possible)
                == "(((\(first) = $2) IS NOT TRUE) OR ((\(second) \(range)) IS NOT TRUE))")
        #expect(
            Self.words(other.certain)
                == "(((\(first) = $2) IS NOT TRUE) AND ((NOT (\(second) \(range))) IS NOT TRUE))")
        #expect(try Self.bounds("weight + rate > 1").certain == .constant(false))
    }

    // MARK: Places

    @Test("A circle is a box of a metre more on each side, and nothing is as near as less than nothing")
    func circles() throws {
        let center = FieldValue.location(Location(latitude: 0, longitude: 0))
        func bounds(_ test: String) throws -> Bounds {
            try Self.bounds("distanceToLocation:fromLocation:(at, %@) \(test)", [center])
        }
        let numbers = try bounds("<= 1000").possible.text.printed().values.prefix(4).compactMap { value in
            if case .double(let number) = value { number } else { nil }
        }
        try #require(numbers.count == 4)
        // The equator is 6 378 137 m from the middle of the Earth.
        for (number, expected) in zip(numbers, [6_378_137 - 1_001.0, -1_001.0, 6_378_137 + 1_001.0, 1_001.0]) {
            #expect(abs(number - expected) < 0.1, "\(numbers)")
        }
        #expect(try bounds("< 0").possible == .constant(false))
        for (test, isAbove, isBelow) in [
            ("> 1000", true, false), ("< 1000", false, true), ("BETWEEN {500, 1000}", true, true),
        ] {
            let certain = Self.words(try bounds(test).certain)
            #expect(certain.contains(") > ") == isAbove && certain.contains(") < ") == isBelow, "\(certain)")
        }
        let same = try Self.bounds("at == %@", [.location(Location(latitude: 1, longitude: 2))])
        #expect(Self.words(same.possible) == #"("at~p~lat" = $1 AND "at~p~lon" = $2)"# && same.isExact)
        #expect(same.possible.text.printed().values == [.double(1), .double(2)])
    }

    // MARK: Orders

    @Test("A page in the order of texts begins at the head of its last one")
    func pagesOfTexts() throws {
        let long = String(repeating: "x", count: 300)
        let head = String(repeating: "x", count: 256)
        func behind(_ key: SortKey) throws -> (text: String, values: [SQLValue]) {
            let order = try #require(OrderShape([key, SortKey(.recordName)], Self.city))
            return try #require(order.behind([.string(long), "b"], zone: nil)).text.printed()
        }
        let name = #""r"."name~s""#
        let (up, down) = (try behind(.ascending("name")), try behind(.descending("name")))
        #expect(
            up.text == "((left(\(name), 256) >= $1 AND \(name) >= $2) AND "
                + "((left(\(name), 256) >= $3 AND \(name) > $4) OR "
                + "((left(\(name), 256) = $5 AND \(name) = $6) AND (\"r\"._n > $7))))")
        #expect(up.values == [head, long, head, long, head, long, "b"].map { SQLValue.text($0) })
        #expect(
            down.text == "(((left(\(name), 256) <= $1 AND \(name) < $2) OR (\(name) IS NULL)) OR "
                + "((left(\(name), 256) = $3 AND \(name) = $4) AND (\"r\"._n > $5)))")
        #expect(down.values == [head, long, head, long, "b"].map { SQLValue.text($0) })
    }
}
