// Migrations: once each, schema and records together, refused as a whole.

import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite struct MigrationTests {
    private static let zoneID = RecordZone.ID("Other")

    /// A store with cities in two zones and two databases, of types that are to change.
    private func container(_ folder: TemporaryFolder? = nil, count: Int = 40) async throws -> Container {
        let container = try open(folder)
        _ = try await container.privateDatabase.modifyRecordZones(saving: [RecordZone(id: Self.zoneID)], deleting: [])
        for database in [container.privateDatabase, container.publicDatabase] {
            try await database.write { transaction in
                for number in 0..<count {
                    let isOther = database.scope == .private && number % 4 == 3
                    let id = isOther ? Record.ID("c\(number)", zoneID: Self.zoneID) : Record.ID("c\(number)")
                    try transaction.save(
                        Record(
                            type: "Town", id: id,
                            fields: [
                                "pop": .string("\(number * 1000)"), "name": .string("Town \(number)"), "mayor": "x",
                                "rank": number % 2 == 0 ? .int64(Int64(number)) : .null,
                            ]))
                }
            }
        }
        return container
    }

    private func open(_ folder: TemporaryFolder?) throws -> Container {
        try folder.map { try Container(identifier: "test", storedAt: $0.url) } ?? Container(identifier: "test")
    }

    private static let first = SchemaMigration("1") { change in
        change.renameType("Town", to: "City")
        change.renameField("pop", of: "City", to: "population")
        change.retypeField("population", of: "City", to: .int64)
    }
    private static let second = SchemaMigration("2") { change in
        change.dropField("mayor", of: "City")
        change.retypeField("rank", of: "City", to: .list(.double))
        change.addField("initial", ContainerSchema.Field(.string, indexes: [.queryable]), to: "City")
        change.updateRecords(ofType: "City") { fields in
            guard case .string(let name)? = fields["name"] else { return }
            fields["initial"] = .string(String(name.prefix(1)))
        }
        change.setTraits([.unique, .required], of: "name", in: "City")
    }

    private func check(_ container: Container, count: Int = 40) async throws {
        let type = try #require(container.schema.recordTypes["City"])
        #expect(container.schema.recordTypes["Town"] == nil)
        #expect(type.fields["population"]?.type == .int64 && type.fields["rank"]?.type == .list(.double))
        #expect(type.fields["mayor"] == nil && type.fields["pop"] == nil)
        for database in [container.privateDatabase, container.publicDatabase] {
            let cities = try database.snapshot().records(ofType: "City")
            #expect(cities.count == count)
            #expect(try cities.count(matching: "population >= \(count / 2 * 1000)") == count / 2)
            #expect(try cities.count(matching: "initial == 'T'") == count)
            #expect(try cities.count(matching: "ANY rank > 1.5") == (count - 1) / 2)
            let names = try cities.records(matching: "TRUEPREDICATE").map(\.id.recordName)
            #expect(names == (0..<count).map { "c\($0)" })
            #expect(try database.snapshot().records(ofType: "Town").count == 0)
        }
    }

    @Test(arguments: [false, true]) func schemaAndRecordsChangeTogether(_ isStored: Bool) async throws {
        let folder = isStored ? TemporaryFolder() : nil
        var container = try await container(folder)
        let before = try await container.privateDatabase.record(for: Record.ID("c0"))
        #expect(try await container.migrate([Self.first]) == ["1"])
        #expect(try await container.migrate([Self.first, Self.second]) == ["2"])
        #expect(try await container.migrate([Self.first, Self.second]) == [])
        try await check(container)
        let after = try await container.privateDatabase.record(for: Record.ID("c0"))
        #expect(after.creationDate == before.creationDate && after.creatorUserRecordID == before.creatorUserRecordID)
        #expect(after.recordChangeTag != before.recordChangeTag)
        // Who fetched a record before has to fetch it again.
        await #expect(throws: DatabaseError.self) { try await container.privateDatabase.save(before) }
        if folder == nil { return }
        container.close()
        container = try open(folder)
        try await check(container)
        #expect(try await container.migrate([Self.first, Self.second]) == [])
        container.close()
    }

    /// From the log alone, and from a state that was written between.
    @Test func aStoreIsOpenedAfterMigrations() async throws {
        let folder = TemporaryFolder()
        let container = try await container(folder, count: 1200)
        try await container.checkpoint()
        try await container.migrate([Self.first, Self.second])
        try await container.privateDatabase.save(
            Record(type: "City", id: Record.ID("new"), fields: ["name": "New", "population": 7, "rank": [1, 2.5]]))
        let copy = TemporaryFolder()
        try FileManager.default.copyItem(at: folder.url, to: copy.url)
        let reader = try Container(
            identifier: "test", storedAt: copy.url, options: StorageOptions(mode: .readOnly))
        let found = try reader.privateDatabase.find(Query("City", "population == 7"), in: .all).matches
        #expect(found.map(\.0.recordName) == ["new"])
        #expect(try Container.verify(storedAt: copy.url) == [])
        reader.close()
        container.close()
        let again = try open(folder)
        try await again.privateDatabase.deleteRecord(withID: Record.ID("new"))
        try await check(again, count: 1200)
        again.close()
    }

    // MARK: Refusals

    private typealias Change = @Sendable (inout SchemaMigration) -> Void

    private static let faults: [(title: String, step: Change, message: String)] = [
        ("a type that is not there", { $0.dropField("a", of: "Twon") }, "no type Twon"),
        ("a field that is not there", { $0.dropField("nmae", of: "Town") }, "Town has no field nmae"),
        ("a name that is taken", { $0.renameField("pop", of: "Town", to: "name") }, "has a field name already"),
        ("a type that is taken", { $0.renameType("Town", to: "Other") }, "there is a type Other already"),
        ("a type with records", { $0.dropType("Town") }, "there are records of type Town"),
        ("the type of users", { $0.dropType("Users") }, "the type of users stays"),
        (
            "a value that does not convert", { $0.retypeField("name", of: "Town", to: .int64) },
            "record c0: field name: a value does not convert to INT64"
        ),
        (
            "a value of another type", { $0.retypeField("name", of: "Town", to: .int64) { _ in "text" } },
            "field name of Town: the field is INT64, the value STRING"
        ),
        ("an index that does not suit", { $0.setIndexes([.searchable], of: "rank", in: "Town") }, "does not suit"),
        (
            "an update that throws",
            { $0.updateRecords(ofType: "Town") { _ in throw CocoaError(.fileNoSuchFile) } },
            "record c0"
        ),
        (
            "a value that is missing", { $0.setTraits(.required, of: "rank", in: "Town") },
            "has no value of field rank"
        ),
        (
            "a value that is there twice", { $0.setTraits(.unique, of: "mayor", in: "Town") },
            "mayor of Town is UNIQUE"
        ),
    ]

    @Test(arguments: faults.indices)
    func whatFailsChangesNothing(_ number: Int) async throws {
        let (title, step, message) = Self.faults[number]
        let container = try await container()
        try await container.privateDatabase.save(Record(type: "Other", id: Record.ID("o"), fields: ["n": 1]))
        let before = (container.schema, try container.privateDatabase.snapshot())
        let migration = SchemaMigration("bad") { change in
            change.updateRecords(ofType: "Other") { $0["n"] = 2 }
            step(&change)
        }
        let error = await #expect(throws: DatabaseError.self, "\(title)") { try await container.migrate([migration]) }
        #expect(error?.reason.contains(message) == true, "\(title): \(error?.reason ?? "")")
        #expect(container.schema == before.0)
        #expect(try await container.privateDatabase.record(for: Record.ID("o"))["n"] == 1)
        #expect(try container.privateDatabase.snapshot().records(ofType: "Town").count == 40)
        // And the store goes on.
        try await container.privateDatabase.save(
            Record(type: "Town", id: Record.ID("more"), fields: ["pop": "1", "name": "n", "rank": 3]))
        try await container.migrate([Self.first])
    }

    @Test func aListOnlyGrows() async throws {
        let container = try await container()
        try await container.migrate([Self.first])
        let inserted = SchemaMigration("0") { $0.dropField("mayor", of: "City") }
        await #expect(throws: DatabaseError.self) { try await container.migrate([inserted, Self.first]) }
        await #expect(throws: DatabaseError.self) { try await container.migrate([inserted, inserted]) }
        // Migrations that are made everywhere need not stay in the list.
        #expect(try await container.migrate([Self.second]) == ["2"])
    }

    @Test func subscribersAreToldOfChangesAfterAMigration() async throws {
        let container = try await container()
        let database = container.privateDatabase
        try await database.save(Subscription(recordType: "Town", predicate: "name BEGINSWITH \("Town")", id: "all"))
        try await container.migrate([SchemaMigration("pop") { $0.retypeField("pop", of: "Town", to: .double) }])
        let notifications = container.notifications
        let other = try Container(sharing: container, account: .localUser)
        var town = try await database.record(for: Record.ID("c0"))
        town["pop"] = 0.5
        try await other.privateDatabase.save(town)
        container.close()
        var told: [String?] = []
        for await notification in notifications { told.append(notification.subscriptionID) }
        #expect(told == ["all"])
    }

    // MARK: Fields without values

    @Test(arguments: [false, true]) func aFieldWithoutValuesMayChange(_ isStored: Bool) async throws {
        let folder = isStored ? TemporaryFolder() : nil
        var container = try open(folder)
        let database = container.privateDatabase
        let kept = Record(type: "T", id: Record.ID("kept"), fields: ["a": 1])
        try await database.save(kept)
        try await database.save(Record(type: "T", id: Record.ID("gone"), fields: ["n": 2]))
        await #expect(throws: DatabaseError.self) {
            try await database.save(Record(type: "T", id: Record.ID("x"), fields: ["n": 2.5]))
        }
        var schema = container.schema
        schema.recordTypes["T"]?.define("n", ContainerSchema.Field(.double))
        let wanted = schema
        let error = #expect(throws: DatabaseError.self) { try container.setSchema(wanted) }
        #expect(error?.reason == "field n of T must stay INT64")
        try await database.deleteRecord(withID: Record.ID("gone"))
        try container.setSchema(wanted)
        try await database.save(Record(type: "T", id: Record.ID("x"), fields: ["n": 2.5]))
        #expect(try database.snapshot().records(ofType: "T").count(matching: "n > 2.2") == 1)
        if folder != nil {
            container.close()
            container = try open(folder)
            let set = try container.privateDatabase.snapshot().records(ofType: "T")
            #expect(try set.count(matching: "n > 2.2") == 1 && set.count == 2)
        }
        // A type without records may go, one with records may not.
        var without = container.schema
        without.recordTypes["T"] = nil
        let dropped = without
        #expect(throws: DatabaseError.self) { try container.setSchema(dropped) }
        try await container.privateDatabase.write { try $0.deleteAll("T") }
        try container.setSchema(dropped)
        #expect(container.schema.recordTypes["T"] == nil)
        container.close()
    }
}
