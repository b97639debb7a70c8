// Subscriptions follow types and fields to their new names, or stop a migration.

import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite struct MigratedSubscriptionTests {
    private static func town(_ name: String, _ pop: Int64, type: String = "Town", field: String = "pop") -> Record {
        Record(type: type, id: Record.ID(name), fields: [field: .int64(pop), "name": .string(name)])
    }

    private static let predicates: [RecordPredicate] = [
        "pop > 3", "%K > 3", "SELF.pop > 3 AND NOT (pop == %d)", "pop BETWEEN {4, 100 + pop} AND name != 'pop'",
        "SUBQUERY({pop}, $x, $x == pop).@count == 1 AND pop > 3", "TERNARY(pop > 3, pop, 0) > 3", "SELF.%K > 3",
    ].map { text in
        let arguments: [FieldValue] = text.contains("%K") ? ["pop"] : text.contains("%d") ? [0] : []
        return (try? RecordPredicate(format: text, arguments: arguments)) ?? "FALSEPREDICATE"
    }

    private func names(_ reading: NotificationReading) -> [String] {
        reading.takeWaiting().compactMap { $0.recordID?.recordName }
    }

    @Test(arguments: [false, true]) func renamedTypesAndFieldsAreStillWatched(_ isStored: Bool) async throws {
        let folder = TemporaryFolder()
        func open() throws -> Container {
            isStored
                ? try Container(identifier: "test", storedAt: folder.url) : try Container(identifier: "test")
        }
        var container = try open()
        try await container.privateDatabase.save(Self.town("first", 1))
        for (number, predicate) in Self.predicates.enumerated() {
            var info = Subscription.NotificationInfo()
            info.desiredKeys = ["pop"]
            info.alertLocalizationArguments = ["name", "pop"]
            (info.titleLocalizationArguments, info.subtitleLocalizationArguments) = (["pop"], ["pop", "name"])
            // Numbers make predicates that say the same differ.
            let all: RecordPredicate = .all([predicate, "name != \("no \(number)")"])
            try await container.privateDatabase.save(
                Subscription(recordType: "Town", predicate: all, id: "s\(number)", notificationInfo: info))
        }
        try await container.privateDatabase.save(Subscription(databaseWithRecordType: "Town", id: "all"))
        try await container.migrate([
            SchemaMigration("1") { change in
                change.renameField("pop", of: "Town", to: "population")
                change.renameType("Town", to: "City")
            }
        ])
        for isAgain in isStored ? [false, true] : [false] {
            if isAgain {
                container.close()
                container = try open()
            }
            let other = try Container(sharing: container, account: .localUser)
            let reading = container.readNotifications()
            let name = "new \(isAgain)"
            for (name, pop) in [(name, 7), ("small \(isAgain)", 2)] as [(String, Int64)] {
                try await other.privateDatabase.save(Self.town(name, pop, type: "City", field: "population"))
            }
            let told = reading.takeWaiting()
            #expect(told.filter { $0.recordID?.recordName == name }.count == Self.predicates.count)
            #expect(told.filter { $0.recordID != nil }.allSatisfy { $0.fields == ["population": 7] }, "\(told)")
            #expect(told.contains { $0.subscriptionID == "all" })
            let saved = try await container.privateDatabase.subscription(for: "s0")
            #expect(saved.notificationInfo?.alertLocalizationArguments == ["name", "population"])
            #expect(saved.notificationInfo?.titleLocalizationArguments == ["population"])
            #expect(saved.notificationInfo?.subtitleLocalizationArguments == ["population", "name"])
            guard case .query("City", let predicate, _, _) = saved.subject else {
                Issue.record("\(saved.subject)")
                return
            }
            #expect(predicate.description.hasPrefix("population > 3"), "\(predicate)")
            other.close()
        }
        container.close()
    }

    private static let faults: [(title: String, step: @Sendable (inout SchemaMigration) -> Void)] = [
        ("a field of the predicate goes", { $0.dropField("pop", of: "Town") }),
        ("a field that is told goes", { $0.dropField("name", of: "Town") }),
        ("a field gets a type that does not suit", { $0.retypeField("pop", of: "Town", to: .string) }),
        (
            "the type gets a new name, and a field goes",
            {
                $0.renameType("Town", to: "City")
                $0.dropField("pop", of: "City")
            }
        ),
    ]

    @Test(arguments: faults.indices)
    func whatASubscriptionNeedsStays(_ number: Int) async throws {
        let (title, step) = Self.faults[number]
        let container = try Container(identifier: "test")
        try await container.privateDatabase.save(Self.town("first", 1))
        var info = Subscription.NotificationInfo()
        info.desiredKeys = ["name"]
        try await container.privateDatabase.save(
            Subscription(recordType: "Town", predicate: "pop > 3", id: "large", notificationInfo: info))
        let error = await #expect(throws: DatabaseError.self, "\(title)") {
            try await container.migrate([SchemaMigration("bad", step)])
        }
        #expect(error?.reason.contains("subscription large") == true && error?.hint != nil, "\(error?.reason ?? "")")
        let (other, reading) = (try Container(sharing: container, account: .localUser), container.readNotifications())
        try await other.privateDatabase.save(Self.town("new", 7))
        #expect(names(reading) == ["new"])
        try await container.privateDatabase.deleteSubscription(withID: "large")
        try await container.migrate([SchemaMigration("bad", step)])
    }

    // MARK: Fields of other records

    private static func person(_ name: String, _ fields: [String: FieldValue], type: String = "Person") -> Record {
        Record(type: type, id: Record.ID(name), fields: fields)
    }

    private static func link(_ name: String) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID(name)))
    }

    /// Cars with an owner and drivers, who are persons with a firm; firms and persons have a name.
    private func cars() async throws -> Container {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        try await database.save(Self.person("acme", ["name": "Acme", "size": 5], type: "Firm"))
        try await database.save(Self.person("ann", ["name": "Ann", "age": 40, "firm": Self.link("acme")]))
        try await database.save(
            Self.person(
                "first",
                ["owner": Self.link("ann"), "drivers": [Self.link("ann")], "info": .object(["age": 1]), "price": 3],
                type: "Car"))
        return container
    }

    private static let paths: [(before: RecordPredicate, after: String)] = [
        ("owner.age > 30", "owner.years > 30"), ("owner.name == 'Ann'", "owner.label == \"Ann\""),
        ("owner.firm.name == 'Acme'", "owner.firm.name == \"Acme\""),
        ("owner.firm.size == 5 AND price > 1", "owner.firm.staff == 5 AND cost > 1"),
        ("owner.age > 30 AND owner.firm.name == 'Acme'", "owner.years > 30 AND owner.firm.name == \"Acme\""),
        ("ANY drivers.age > 30", "ANY drivers.years > 30"),
        (
            "SUBQUERY(drivers, $x, $x.age > 30 AND $x.firm.size == 5).@count == 1",
            "SUBQUERY(drivers, $x, $x.years > 30 AND $x.firm.staff == 5).@count == 1"
        ),
        ("SELF.owner.age > 30", "SELF.owner.years > 30"), ("info.age == 1", "info.age == 1"),
        ("owner.creationDate != nil", "owner.creationDate != nil"),
        ("drivers[FIRST].age > 30", "drivers[FIRST].years > 30"), ("%K > 30", "owner.years > 30"),
    ].map { text, after in
        (
            (try? RecordPredicate(format: text, arguments: text.contains("%K") ? ["owner.age"] : []))
                ?? "FALSEPREDICATE", after
        )
    }

    @Test func fieldsBehindReferencesFollow() async throws {
        let container = try await cars()
        let database = container.privateDatabase
        for (number, path) in Self.paths.enumerated() {
            try await database.save(Subscription(recordType: "Car", predicate: path.before, id: "s\(number)"))
        }
        try await container.migrate([
            SchemaMigration("1") { change in
                change.renameField("age", of: "Person", to: "old")
                change.renameField("name", of: "Person", to: "label")
                change.renameType("Person", to: "Human")
                change.renameField("old", of: "Human", to: "years")
                change.renameField("size", of: "Firm", to: "staff")
                change.renameField("price", of: "Car", to: "cost")
            }
        ])
        for (number, path) in Self.paths.enumerated() {
            guard case .query(_, let predicate, _, _) = try await database.subscription(for: "s\(number)").subject
            else {
                Issue.record("\(number)")
                continue
            }
            #expect(predicate.description == path.after)
        }
        let (other, reading) = (try Container(sharing: container, account: .localUser), container.readNotifications())
        try await other.privateDatabase.save(
            Self.person(
                "new",
                ["owner": Self.link("ann"), "drivers": [Self.link("ann")], "info": .object(["age": 1]), "cost": 3],
                type: "Car"))
        #expect(Set(names(reading)) == ["new"])
        #expect(try database.snapshot().records(ofType: "Car").count(matching: "owner.years > 30") == 2)
    }

    @Test func aPathWithTwoNamesStopsTheMigration() async throws {
        let container = try await cars()
        let database = container.privateDatabase
        try await database.save(Self.person("second", ["owner": Self.link("acme")], type: "Car"))
        try await database.save(Subscription(recordType: "Car", predicate: "owner.name == 'Ann'", id: "named"))
        let one = SchemaMigration("1") { $0.renameField("name", of: "Person", to: "label") }
        let error = await #expect(throws: DatabaseError.self) { try await container.migrate([one]) }
        #expect(error?.reason.contains("subscription named") == true)
        #expect(
            error?.reason.contains("owner.name leads to records of Firm and Person") == true, "\(error?.reason ?? "")")
        // Where both get the same name there is no doubt.
        try await container.migrate([
            SchemaMigration("1") { change in
                change.renameField("name", of: "Person", to: "label")
                change.renameField("name", of: "Firm", to: "label")
            }
        ])
        guard case .query(_, let predicate, _, _) = try await database.subscription(for: "named").subject else {
            return
        }
        #expect(predicate.description == "owner.label == \"Ann\"")
    }

    @Test func emptyFieldsOfSubscriptionsStay() async throws {
        let container = try Container(identifier: "test")
        let record = try await container.privateDatabase.save(Self.town("first", 1))
        try await container.privateDatabase.save(Subscription(recordType: "Town", predicate: "pop > 3", id: "large"))
        try await container.privateDatabase.deleteRecord(withID: record.id)
        var schema = container.schema
        schema.recordTypes["Town"] = nil
        let wanted = schema
        let error = #expect(throws: DatabaseError.self) { try container.setSchema(wanted) }
        #expect(error?.reason.contains("subscription large") == true)
    }

    /// The commits of a migration are those of databases with records; subscriptions may be in others.
    @Test func subscriptionsOfDatabasesWithoutRecordsAreBoundToo() async throws {
        let container = try Container(identifier: "test")
        try await container.publicDatabase.save(Self.town("first", 1))
        try await container.privateDatabase.save(Subscription(recordType: "Town", predicate: "pop > 3", id: "large"))
        let (other, reading) = (try Container(sharing: container, account: .localUser), container.readNotifications())
        try await container.migrate([
            SchemaMigration("1") { change in
                change.dropField("name", of: "Town")
                change.retypeField("pop", of: "Town", to: .double)
            }
        ])
        try await other.privateDatabase.save(Record(type: "Town", id: Record.ID("new"), fields: ["pop": 3.5]))
        #expect(names(reading) == ["new"])
        // Words of all fields are those of fields that come later, too, as in a store that is opened again.
        try await container.privateDatabase.save(Subscription(recordType: "Town", predicate: "self CONTAINS 'later'"))
        try await other.publicDatabase.save(Record(type: "Town", id: Record.ID("x"), fields: ["note": "text"]))
        try await other.privateDatabase.save(Record(type: "Town", id: Record.ID("later"), fields: ["note": "later"]))
        #expect(names(reading) == ["later"])
    }
}
