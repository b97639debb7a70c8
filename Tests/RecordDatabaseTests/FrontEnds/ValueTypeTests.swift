// Values of every Swift type in databases: the fields that they make, nested ones among them.

import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

private enum Level: String, Codable { case low, high }
private enum Rank: Int, Codable, CaseIterable { case first, second }

private struct Road: FieldNamed, Equatable {
    var name = "Main"
    var number: Int? = 5
}

private struct Home: FieldNamed, Equatable {
    var city = "Zürich"
    var street = Road()
    var isHome = true
    var tags: [String] = []
    var level: Level?
}

/// A property of every kind, each with and without a value.
private struct Everything: RecordConvertible, Equatable {
    var metadata: RecordMetadata?
    var flag = true
    var whole = 7
    var small: UInt8 = 7
    var fraction = 2.0
    var single: Float = 0.5
    var text = "naïve"
    var date = Date(timeIntervalSinceReferenceDate: 5)
    var data = Data([1, 2])
    var place = Location(latitude: 46.9, longitude: 7.4)
    var link = RecordReference("a")
    var typed: RecordReference.To<Everything>?
    var target: Record.ID?
    var token: UUID? = UUID(uuidString: "00000000-0000-4000-8000-000000000001")
    var page: URL?
    var level = Level.low
    var levels: [Level] = []
    var rank: Rank? = .second
    var texts: [String] = []
    var numbers: [Double] = [1, 2]
    var flags: [Bool] = []
    var dates: Set<Date> = []
    var maybeWhole: Int?
    var maybeText: String?
    var maybeDate: Date?
    var maybeTexts: [String]?
    var address = Home()
    var former: Home?
    var addresses: [Home] = []
    var counts: [String: Int] = [:]
    var free: FieldValue?
}

@Suite(.mayDeadlock) struct ValueTypeTests {
    /// The types of the fields, as the schema language writes them.
    private static let fields = [
        "flag": "INT64", "whole": "INT64", "small": "INT64", "fraction": "DOUBLE", "single": "DOUBLE",
        "text": "STRING", "date": "TIMESTAMP", "data": "BYTES", "place": "LOCATION", "link": "REFERENCE",
        "typed": "REFERENCE", "target": "REFERENCE", "token": "STRING", "page": "STRING", "level": "STRING",
        "levels": "LIST<STRING>", "rank": "INT64", "texts": "LIST<STRING>", "numbers": "LIST<DOUBLE>",
        "flags": "LIST<INT64>", "dates": "LIST<TIMESTAMP>", "maybeWhole": "INT64", "maybeText": "STRING",
        "maybeDate": "TIMESTAMP", "maybeTexts": "LIST<STRING>", "address": "OBJECT", "former": "OBJECT",
        "addresses": "LIST<OBJECT>", "counts": "OBJECT",
    ]

    private static let full: Everything = {
        var value = Everything()
        value.typed = RecordReference.To(Record.ID("b"))
        value.target = Record.ID("c")
        value.page = URL(string: "https://example.org/a?b")
        value.levels = [.high, .low]
        value.texts = ["a", ""]
        value.flags = [true, false]
        value.dates = [Date(timeIntervalSinceReferenceDate: 1), Date(timeIntervalSinceReferenceDate: 2)]
        (value.maybeWhole, value.maybeText, value.maybeTexts) = (0, "", [])
        value.maybeDate = Date(timeIntervalSinceReferenceDate: 0.1)
        value.address.tags = ["x"]
        value.address.level = .high
        value.former = Home(city: "Bern", street: Road(number: nil), isHome: false)
        value.addresses = [Home(), Home(city: "Genf")]
        value.counts = ["a": 1, "b": 2]
        value.free = "text"
        return value
    }()

    private func container(_ folder: TemporaryFolder?) throws -> Container {
        try folder.map { try Container(identifier: "types", storedAt: $0.url) } ?? Container(identifier: "types")
    }

    private func database(_ folder: TemporaryFolder? = nil) throws -> Database { try container(folder).privateDatabase }

    /// The first value has no elements and no optional values; the type says what they will be.
    @Test(arguments: [false, true], [false, true])
    func roundTrips(isStored: Bool, isFullFirst: Bool) async throws {
        let folder = isStored ? TemporaryFolder() : nil
        var container = try container(folder)
        var database: Database { container.privateDatabase }
        let values = isFullFirst ? [Self.full, Everything()] : [Everything(), Self.full]
        for (number, value) in values.enumerated() {
            let saved = try await database.save(value)
            var expected = value
            expected.metadata = saved.metadata
            #expect(saved == expected)
            let fields = try #require(container.schema.recordTypes["Everything"]?.fields)
            var words = Self.fields
            if number > 0 || isFullFirst { words["free"] = "STRING" }
            #expect(fields.mapValues(\.type.schemaName) == words)
        }
        let all = try await database.values(of: Everything.self)
        #expect(all.count == 2)
        guard isStored else { return }
        // From the log, then from a checkpoint.
        for _ in 0..<2 {
            container.close()
            container = try self.container(folder)
            #expect(try await database.values(of: Everything.self) == all)
            #expect(try await database.values(of: Everything.self, matching: "former.city == 'Bern'").count == 1)
            try await container.checkpoint()
        }
    }

    /// Paths into objects, with and without an index, before and after a save.
    @Test(
        arguments: [
            ("address.city == 'Zürich'", ["a", "b"]), ("address.street.name BEGINSWITH 'Neb'", ["b"]),
            ("address.street.number == nil", ["b"]), ("address.isHome == TRUE", ["a"]),
            ("former != nil", ["c"]), ("former.city == 'Bern'", ["c"]), ("ANY addresses.city == 'Genf'", ["c"]),
            ("address.tags CONTAINS 'x'", ["c"]), ("address.street.number > 5 AND whole == 7", ["c"]),
            ("NOT address.city == 'Zürich'", ["c"]), ("counts.a == 1", ["c"]), ("addresses.@count == 0", ["a", "b"]),
        ] as [(String, [String])])
    func paths(_ text: String, _ names: [String]) async throws {
        let database = try database()
        var values = [Everything(), Everything(), Self.full]
        for (index, name) in ["a", "b", "c"].enumerated() {
            values[index].metadata = RecordMetadata(id: Record.ID(name))
        }
        (values[1].address.isHome, values[1].address.street) = (false, Road(name: "Nebenweg", number: nil))
        values[2].address.city = "Basel"
        (values[2].address.isHome, values[2].address.street.number) = (false, 9)
        try await database.save(values)
        let predicate = try RecordPredicate(format: text)
        let found = try await database.values(
            of: Everything.self, matching: predicate, sortedBy: [.ascending("recordName")])
        #expect(found.map { $0.metadata?.id.recordName } == names)
        let inside = try await database.write { transaction in
            try transaction.save(Self.full)
            return try transaction.values(of: Everything.self, matching: predicate).count
        }
        #expect(try inside == names.count + RecordSet(values: [Self.full]).count(matching: predicate))
        let live = database.watch(Query("Everything", predicate), in: .all)
        #expect(try live.takeSteps().count == 1)
        let sorted = try await database.values(
            of: Everything.self, sortedBy: [.descending("address.street.number"), .ascending("recordName")], limit: 1)
        #expect(sorted.first?.metadata?.id.recordName == "c")
    }

    @Test func misspeltFieldsAndOtherTypes() async throws {
        let database = try database()
        try await database.save(Everything())
        let error = await fails(.invalidArguments) {
            try await database.values(of: Everything.self, matching: "maybeTxt == 'x'")
        }
        #expect(error?.hint?.contains("maybeText") == true)
        // What was nil in every value so far is known, and of its type.
        #expect(try await database.values(of: Everything.self, matching: "maybeText == nil").count == 1)
        await fails(.invalidArguments) {
            try await database.save(Record(type: "Everything", id: Record.ID("r"), fields: ["maybeWhole": "text"]))
        }
        #expect(try await database.save(Everything(fraction: 2.5)).fraction == 2.5)
    }

    /// What an object cannot hold: the value, and a word of the error.
    static let wrong: [(FieldValue, String)] = [
        (.asset(Asset(path: "/x")), "asset"), (.set([1]), "set"), (.double(.nan), "finite"),
        (.reference(RecordReference("x", action: .deleteSelf)), "deleteSelf"),
        (.location(Location(latitude: 91, longitude: 0)), "degrees"),
        (.list([.object(["b": .double(.infinity)])]), "finite"),
        ((0..<200).reduce(FieldValue.int64(1)) { value, _ in .object(["a": value]) }, "levels"),
        (.reference(RecordReference(recordID: Record.ID("x", zoneID: RecordZone.ID("other")))), "zone"),
    ]

    @Test(arguments: wrong.indices) func whatObjectsCannotHold(_ index: Int) async throws {
        let database = try database()
        let object = FieldValue.object(["a": Self.wrong[index].0])
        for value in [object, .list([object])] {
            let error = await fails(.invalidArguments) {
                try await database.save(Record(type: "T", id: Record.ID("r"), fields: ["o": value]))
            }
            #expect(
                error?.reason.contains(Self.wrong[index].1) == true && error?.reason.contains("field o of T") == true)
        }
        let saved = try await database.save(
            Record(type: "T", id: Record.ID("r"), fields: ["o": .object(["a": nil, "b": .object(["c": nil])])]))
        #expect(saved["o"] == .object(["b": .object([:])]))
    }

    @Test func cloudKitHasNoObjects() async throws {
        var configuration = Configuration()
        configuration.dialect = .cloudKit
        let database = try Container(identifier: "strict", configuration: configuration).privateDatabase
        let error = await fails(.invalidArguments) { try await database.save(Everything()) }
        #expect(error?.reason.contains("CloudKit has no objects") == true)
        // What has no value is no object.
        struct Place: RecordConvertible { var address: Home? }
        try await database.save(Place())
        await fails(.invalidArguments) { try await database.save(Place(address: Home())) }
    }

    @Test func schemasNameObjects() async throws {
        let container = try container(nil)
        try await container.privateDatabase.save(Everything())
        let schema = container.schema
        #expect(try ContainerSchema(text: schema.text) == schema)
        #expect(schema.text.contains("OBJECT QUERYABLE"))
    }

    @Test func aTypeThatNobodySavedHasNoValues() async throws {
        let database = try database()
        #expect(try await database.values(of: Everything.self, matching: "text == 'x'").isEmpty)
        let here = Location(latitude: 0, longitude: 0)
        let query = Query("Everything", "whole > 6", sortedBy: [.ascending("whole"), .distance("place", here)])
        #expect(try await database.recordPage(matching: query, in: .all).matchResults.isEmpty)
        #expect(try database.snapshot().values(of: Everything.self, matching: "whole > 6").isEmpty)
        #expect(try database.snapshot().records(ofType: "Everything").count(matching: "whole > 6") == 0)
        #expect(try await database.write { try $0.values(of: Everything.self, matching: "whole > 6").count } == 0)
        // A live query is there before the first save.
        let live = database.watch(Query("Everything", "whole > 6"), in: .all)
        #expect(try live.takeSteps().count == 1)
        try await database.save([Everything(), Everything(whole: 5)])
        #expect(try live.takeSteps().count == 1)
        await fails(.invalidArguments) { try await database.values(of: Everything.self, matching: "whle > 6") }
        var configuration = Configuration()
        configuration.environment = .production
        let production = try Container(identifier: "production", configuration: configuration).privateDatabase
        await fails(.unknownItem) { try await production.values(of: Everything.self) }
    }

    @Test func productionLearnsNothing() async throws {
        let container = try Container(identifier: "grown", account: .user("_me"))
        struct Small: RecordConvertible {
            static let recordType = "Small"
            var a = 1
        }
        struct Large: RecordConvertible {
            static let recordType = "Small"
            var a = 1
            var b: String?
        }
        try await container.privateDatabase.save(Small())
        var configuration = Configuration()
        configuration.environment = .production
        let production = try Container(sharing: container, account: .user("_me"), configuration: configuration)
            .privateDatabase
        try await production.save(Large())
        await fails(.invalidArguments) { try await production.save(Large(b: "x")) }
        #expect(container.schema.recordTypes["Small"]?.fields.count == 1)
        var record = try await container.privateDatabase.save(Record(Small()))
        try record.update(with: Large())
        _ = try await container.privateDatabase.save(record)
        #expect(container.schema.recordTypes["Small"]?.fields["b"]?.type == .string)
    }
}
