// Steps of migrations, one by one: what they make of schemas, values, subscriptions, and which they refuse.

import Foundation
import RecordModel
import Testing
import TextAnalysis

@testable import RecordDatabase

@Suite struct MigrationStepTests {
    private typealias Change = @Sendable (inout SchemaMigration) -> Void

    private static func applied(_ change: Change, to schema: ContainerSchema) throws(DatabaseError) -> ContainerSchema {
        var schema = schema
        for step in SchemaMigration("1", change).steps { try step.apply(to: &schema) }
        return schema
    }

    // MARK: Schemas

    private static let marks: [(type: FieldType, marks: IndexMarks, newType: FieldType, expected: IndexMarks)] = [
        (.string, [.queryable, .sortable, .searchable], .int64, [.queryable, .sortable]),
        (.string, [.queryable, .searchable], .int64, .queryable),
        (.int64, [.queryable, .sortable], .string, [.queryable, .sortable, .searchable]),
        (.int64, .queryable, .string, .queryable), (.int64, [], .string, []),
        (.string, [.queryable, .searchable], .list(.string), [.queryable, .searchable]),
        (.string, .sortable, .list(.string), []),
    ]

    /// A field that was indexed for all that its type allows stays so; of others what suits is kept.
    @Test(arguments: marks.indices) func indexesFollowTheType(_ number: Int) throws {
        let (type, marks, newType, expected) = Self.marks[number]
        let schema = ContainerSchema(recordTypes: ["T": .init(fields: ["f": .init(type, indexes: marks)])])
        let next = try Self.applied({ $0.retypeField("f", of: "T", to: newType) }, to: schema)
        #expect(next.recordTypes["T"]?.fields["f"]?.type == newType)
        #expect(next.recordTypes["T"]?.fields["f"]?.indexes == expected)
    }

    @Test func analyzersStayWithTexts() throws {
        let analyzer = TextAnalyzer(stopWords: ["the"])
        let schema = ContainerSchema(recordTypes: ["T": .init(fields: ["f": .init(.string, analyzer: analyzer)])])
        for (type, expected) in [(FieldType.list(.string), analyzer), (.int64, nil)] as [(FieldType, TextAnalyzer?)] {
            let next = try Self.applied({ $0.retypeField("f", of: "T", to: type) }, to: schema)
            #expect(next.recordTypes["T"]?.fields["f"]?.analyzer == expected)
        }
    }

    private static let towns = ContainerSchema(recordTypes: [
        "Town": .init(fields: [
            "name": .init(.string), "pop": .init(.int64), "secret": .init(.string, traits: .encrypted),
        ]),
        "Other": .init(), ContainerSchema.shareType: .share,
    ])

    private static let refused: [(step: Change, reason: String, hint: String?)] = [
        (
            { $0.renameField("secret", of: "Town", to: "open") },
            "field secret of Town is encrypted: it can be dropped, not changed", "save its values in another field"
        ),
        (
            { $0.retypeField("secret", of: "Town", to: .int64) },
            "field secret of Town is encrypted: it can be dropped, not changed", "save its values in another field"
        ),
        ({ $0.addField("name", .init(.string), to: "Town") }, "Town has a field name already", nil),
        (
            { $0.setTraits(.encrypted, of: "name", in: "Town") }, "field name of Town is STRING and stays so",
            "save its values in another field"
        ),
        (
            { $0.setTraits([], of: "secret", in: "Town") }, "field secret of Town is ENCRYPTED STRING and stays so",
            "save its values in another field"
        ),
        ({ $0.renameType("cloudkit.share", to: "Share") }, "the type of shares stays", nil),
        ({ $0.updateRecords(ofType: "Users") { $0["a"] = 1 } }, "the type of users stays", nil),
        ({ $0.renameType("Towns", to: "City") }, "no type Towns", "did you mean Town?"),
        ({ $0.dropType("Towns") }, "no type Towns", "did you mean Town?"),
        ({ $0.updateRecords(ofType: "Towns") { $0["a"] = 1 } }, "no type Towns", "did you mean Town?"),
        ({ $0.setUniqueTogether([["name", "pop"]], in: "Towns") }, "no type Towns", "did you mean Town?"),
        ({ $0.dropField("names", of: "Town") }, "Town has no field names", "did you mean name?"),
        ({ $0.setIndexes([], of: "names", in: "Town") }, "Town has no field names", "did you mean name?"),
        ({ $0.renameType("Town", to: "Other") }, "there is a type Other already", nil),
    ]

    @Test(arguments: refused.indices) func stepsThatCannotBe(_ number: Int) {
        let (step, reason, hint) = Self.refused[number]
        let error = #expect(throws: DatabaseError.self) { try Self.applied(step, to: Self.towns) }
        #expect(error?.code == .invalidArguments && error?.reason == reason)
        #expect(error?.hint == hint, "\(reason)")
    }

    @Test func stepsThatCanBe() throws {
        let next = try Self.applied(
            { change in
                change.dropField("secret", of: "Town")
                change.setTraits([.unique, .required], of: "name", in: "Town")
                change.setIndexes(.queryable, of: "pop", in: "Town")
                change.addField("n", .init(.double), to: "New")
                change.setUniqueTogether([["pop", "name"]], in: "Town")
                change.renameField("pop", of: "Town", to: "population")
                change.dropType("Other")
            }, to: Self.towns)
        let town = try #require(next.recordTypes["Town"])
        #expect(town.fields.keys.sorted() == ["name", "population"])
        #expect(town.fields["name"]?.traits == [.unique, .required] && town.fields["name"]?.type == .string)
        #expect(town.fields["population"]?.indexes == .queryable && town.uniqueTogether == [["population", "name"]])
        #expect(town.uniqueKeys == [["name"], ["population", "name"]] && town.encryptedKeys == [])
        #expect(next.recordTypes["New"]?.fields.mapValues(\.type) == ["n": .double])
        #expect(next.recordTypes["Other"] == nil)
    }

    // MARK: Values

    private static let place = FieldValue.location(Location(latitude: 1, longitude: 2))
    private static let link = FieldValue.reference(RecordReference("r"))
    private static let second = FieldValue.date(Date(timeIntervalSinceReferenceDate: 1))

    private static let conversions: [(value: FieldValue, type: FieldType, expected: FieldValue?)] = [
        (.int64(-5), .string, "-5"), (.double(1.5), .string, "1.5"), (second, .string, "2001-01-01T00:00:01Z"),
        ("2001-01-01T00:00:01Z", .date, second), (second, .date, second), (second, .int64, nil),
        (.data(Data([1])), .data, .data(Data([1]))), (place, .location, place), (link, .reference, link),
        (.asset(Asset(path: "/f")), .asset, .asset(Asset(path: "/f"))), (place, .list(.location), .list([place])),
        (place, .string, nil), (link, .string, nil), (.bool(true), .int64, nil), ("true", .int64, nil),
        (.list([1, .double(1.5)]), .list(.string), .list(["1", "1.5"])), (.list([]), .list(.int64), .list([])),
        (.double(3), .int64, .int64(3)), (.int64(3), .double, .double(3)),
    ]

    @Test(arguments: conversions.indices) func valuesConvert(_ number: Int) throws {
        let (value, type, expected) = Self.conversions[number]
        let found = try? SchemaMigration.standardConversion(of: value, to: type)
        #expect(found == expected, "\(value) as \(type)")
    }

    /// What an update gives is checked under the name that the field gets afterwards.
    @Test func valuesAreCheckedUnderTheirNewName() async throws {
        let container = try Container(identifier: "test")
        try await container.privateDatabase.save(record("r", ["a": 1]))
        let error = await fails(.invalidArguments) {
            try await container.migrate([
                SchemaMigration("1") { change in
                    change.addField("to", .init(.reference), to: "T")
                    change.updateRecords(ofType: "T") {
                        $0["to"] = .reference(RecordReference("none", action: .deleteSelf))
                    }
                    change.renameField("to", of: "T", to: "link")
                }
            ])
        }
        #expect(error?.reason.contains("field link leads to record none") == true)
        #expect(container.schema.recordTypes["T"]?.fields.keys.sorted() == ["a"])
    }

    /// Each record follows its own type, through names that another type had before.
    @Test func typesMayExchangeTheirNames() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        try await database.put(record("a", ["n": 1], type: "A"), record("b", ["n": 10], type: "B"))
        try await container.migrate([
            SchemaMigration("1") { change in
                change.renameType("A", to: "X")
                change.renameType("B", to: "A")
                change.renameType("X", to: "B")
                change.updateRecords(ofType: "A") { $0["n"] = 110 }
            }
        ])
        let (a, b) = (try await database.record(for: Record.ID("a")), try await database.record(for: Record.ID("b")))
        #expect(a.type == "B" && a["n"] == .int64(1))
        #expect(b.type == "A" && b["n"] == .int64(110))
        #expect(try database.snapshot().records(ofType: "A").count(matching: "n == 110") == 1)
    }

    /// Where CloudKit's rules hold, a migration makes no objects; those that are there stay.
    @Test func migrationsMakeWhatTheDialectHas() async throws {
        let container = try Container(identifier: "test")
        try await container.privateDatabase.save(record("r", ["o": .object(["x": 1]), "m": 1]))
        var configuration = Configuration()
        configuration.dialect = .cloudKit
        let strict = try Container(sharing: container, account: .localUser, configuration: configuration)
        let drop = SchemaMigration("1") { $0.dropField("m", of: "T") }
        #expect(try await strict.migrate([drop]) == ["1"])
        let made = SchemaMigration("2") { $0.updateRecords(ofType: "T") { $0["o"] = .object(["x": 2]) } }
        let error = await fails(.invalidArguments) { try await strict.migrate([drop, made]) }
        #expect(error?.reason.contains("CloudKit has no objects") == true)
        #expect(try await container.migrate([drop, made]) == ["2"])
        #expect(try await container.privateDatabase.record(for: Record.ID("r")).fields == ["o": .object(["x": 2])])
    }

    // MARK: Subscriptions

    @Test func allKeysOfASubscriptionAreRenamed() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        for type in ["Town", "Other"] {
            try await database.save(record(type, ["pop": 1, "name": "x"], type: type))
            var info = Subscription.NotificationInfo()
            info.titleLocalizationArguments = ["pop", "name"]
            info.subtitleLocalizationArguments = ["name", "pop"]
            info.alertLocalizationArguments = ["pop"]
            info.desiredKeys = ["name", "pop"]
            try await database.save(
                Subscription(recordType: type, predicate: "pop > 3", id: type, notificationInfo: info))
        }
        let other = try await database.subscription(for: "Other")
        try await container.migrate([SchemaMigration("1") { $0.renameField("pop", of: "Town", to: "people") }])
        #expect(try await database.subscription(for: "Other") == other)
        let town = try await database.subscription(for: "Town")
        guard case .query("Town", let predicate, nil, .all) = town.subject else {
            Issue.record("\(town.subject)")
            return
        }
        #expect(predicate.description == "people > 3")
        #expect(town.notificationInfo?.titleLocalizationArguments == ["people", "name"])
        #expect(town.notificationInfo?.subtitleLocalizationArguments == ["name", "people"])
        #expect(town.notificationInfo?.alertLocalizationArguments == ["people"])
        #expect(town.notificationInfo?.desiredKeys == ["name", "people"])
    }

    /// Where no reference tells what it leads to, a path follows the one type that has the field; of several none.
    @Test func pathsThatLeadToNoRecord() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        try await database.put(
            record("p", ["age": 1, "name": "x"], type: "Person"), record("f", ["name": "x"], type: "Firm"),
            record("c", ["owner": .reference(RecordReference("gone"))], type: "Car"))
        try await database.save(Subscription(recordType: "Car", predicate: "owner.age > 30", id: "age"))
        try await database.save(Subscription(recordType: "Car", predicate: "owner.name == 'x'", id: "name"))
        try await container.migrate([
            SchemaMigration("1") { change in
                change.renameField("age", of: "Person", to: "years")
                change.renameField("name", of: "Person", to: "label")
            }
        ])
        for (id, text) in [("age", "owner.years > 30"), ("name", "owner.name == \"x\"")] {
            guard case .query(_, let predicate, _, _) = try await database.subscription(for: id).subject else {
                continue
            }
            #expect(predicate.description == text || predicate.description == text.replacing("\"", with: "'"))
        }
    }
}
