// What migrations and schemas do to constraints, subscriptions, readers and databases that others use.

import Foundation
import RecordModel
import RecordStore
import Synchronization
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.mayDeadlock) struct MigrationEffectTests {
    private typealias Change = @Sendable (inout SchemaMigration) -> Void

    // MARK: Constraints and checks

    /// Users with an email that is there and unlike, and a nickname of which the opposite is true.
    private func users() async throws -> Container {
        let container = try Container(identifier: "test")
        var schema = container.schema
        schema.recordTypes["User"] = ContainerSchema.RecordType(fields: [
            "email": ContainerSchema.Field(.string, traits: [.unique, .required]),
            "code": ContainerSchema.Field(.double, traits: [.unique]),
            "nick": ContainerSchema.Field(.string), "of": ContainerSchema.Field(.reference),
        ])
        try container.setSchema(schema)
        for name in ["a", "b"] {
            try await container.privateDatabase.save(
                Record(
                    type: "User", id: Record.ID(name),
                    fields: ["email": .string(name), "code": name == "a" ? 1.25 : 1.75, "nick": "same"]))
        }
        return container
    }

    private static let broken: [(title: String, step: Change, code: DatabaseError.Code)] = [
        ("equal values", { $0.updateRecords(ofType: "User") { $0["email"] = "x" } }, .constraintViolation),
        ("no value", { $0.updateRecords(ofType: "User") { $0["email"] = nil } }, .constraintViolation),
        (
            "a field that has no value yet",
            {
                $0.dropField("email", of: "User")
                $0.addField("email", ContainerSchema.Field(.string, traits: .required), to: "User")
            }, .constraintViolation
        ),
        (
            "values that become equal",
            {
                $0.retypeField("code", of: "User", to: .int64) { value in
                    guard case .double(let number) = value else { return .null }
                    return .int64(Int64(number))
                }
            }, .constraintViolation
        ),
        (
            "fields that exchange their names",
            {
                $0.renameField("email", of: "User", to: "old")
                $0.renameField("nick", of: "User", to: "email")
                $0.setTraits([.unique], of: "email", in: "User")
            }, .constraintViolation
        ),
        (
            "a field of another type",
            {
                $0.renameType("User", to: "Member")
                $0.updateRecords(ofType: "Member") { $0["email"] = "x" }
            }, .constraintViolation
        ),
        (
            "a record that is too large",
            { $0.updateRecords(ofType: "User") { $0["nick"] = .string(String(repeating: "x", count: 3 << 20)) } },
            .invalidArguments
        ),
        (
            "an owner that does not exist",
            {
                $0.updateRecords(ofType: "User") {
                    $0["of"] = .reference(RecordReference(recordID: Record.ID("none"), action: .deleteSelf))
                }
            }, .invalidArguments
        ),
        (
            "an owner that does not exist, in a field with another name since",
            {
                $0.updateRecords(ofType: "User") {
                    $0["of"] = .reference(RecordReference(recordID: Record.ID("none"), action: .deleteSelf))
                }
                $0.renameField("of", of: "User", to: "owner")
            }, .invalidArguments
        ),
        (
            "a file that is not there",
            {
                $0.addField("file", ContainerSchema.Field(.asset), to: "User")
                $0.updateRecords(ofType: "User") { $0["file"] = .asset(Asset(path: "/nowhere", size: 5)) }
            }, .invalidArguments
        ),
    ]

    @Test(arguments: broken.indices) func whatASaveRejectsAMigrationRejects(_ number: Int) async throws {
        let (title, step, code) = Self.broken[number]
        let container = try await users()
        let schema = container.schema
        let error = await #expect(throws: DatabaseError.self, "\(title)") {
            try await container.migrate([SchemaMigration("bad", step)])
        }
        #expect(error?.code == code, "\(title): \(error?.reason ?? "")")
        #expect(container.schema == schema)
        #expect(try container.privateDatabase.snapshot().records(ofType: "User").count(matching: "nick == 'same'") == 2)
    }

    @Test func referencesAreCheckedAsConfigured() async throws {
        var configuration = Configuration()
        configuration.requiresReferenceTargets = true
        let container = try await users()
        let strict = try Container(sharing: container, account: .localUser, configuration: configuration)
        let migration = SchemaMigration("of") { change in
            change.updateRecords(ofType: "User") {
                $0["of"] = .reference(RecordReference(recordID: Record.ID("none"), action: .none))
            }
        }
        await #expect(throws: DatabaseError.self) { try await strict.migrate([migration]) }
        #expect(try await container.migrate([migration]) == ["of"])
        // What was there before is nothing that a later migration gives.
        #expect(
            try await strict.migrate([migration, SchemaMigration("n") { $0.dropField("nick", of: "User") }]) == ["n"])
    }

    @Test func filesOfAssetsAreCopied() async throws {
        let (folder, files) = (TemporaryFolder(), TemporaryFolder())
        try FileManager.default.createDirectory(at: files.url, withIntermediateDirectories: true)
        let file = files.url.appending(path: "text")
        try Data("hello".utf8).write(to: file)
        let container = try Container(identifier: "test", storedAt: folder.url)
        try await container.privateDatabase.save(Record(type: "T", id: Record.ID("a"), fields: ["n": 1]))
        try await container.migrate([
            SchemaMigration("file") { change in
                change.addField("file", ContainerSchema.Field(.asset), to: "T")
                change.updateRecords(ofType: "T") { $0["file"] = .asset(Asset(path: file.path, size: 5)) }
            }
        ])
        try FileManager.default.removeItem(at: file)
        let record = try await container.privateDatabase.record(for: Record.ID("a"))
        guard case .asset(let asset) = record["file"] else { throw CocoaError(.fileNoSuchFile) }
        #expect(asset.path.hasPrefix(folder.path) && FileManager.default.contents(atPath: asset.path)?.count == 5)
        container.close()
        #expect(try Container.verify(storedAt: folder.url) == [])
    }

    @Test func recordsOfUsersNeedNoValues() throws {
        let container = try Container(identifier: "test")
        var schema = container.schema
        schema.recordTypes["Users"]?.define("name", ContainerSchema.Field(.string, traits: .required))
        let wanted = schema
        #expect(throws: DatabaseError.self) { try container.setSchema(wanted) }
        try container.setAccount(.user("another"))
    }

    // MARK: Databases

    @Test func thousandsOfUsersAreNoProblem() async throws {
        let container = try Container(identifier: "test")
        for number in 0..<20_000 { _ = container.client.store.privateDatabase(of: "u\(number)") }
        try await container.migrate([SchemaMigration("1") { $0.addField("x", ContainerSchema.Field(.string), to: "A") }]
        )
        var schema = container.schema
        schema.recordTypes["A"] = nil
        try container.setSchema(schema)
    }

    /// The list of databases is that of the moment at which nobody else writes.
    @Test func aDatabaseMadeMeanwhileIsMigratedToo() async throws {
        let container = try Container(identifier: "test")
        try await container.publicDatabase.save(Record(type: "Town", id: Record.ID("s"), fields: ["pop": "1"]))
        let store = container.client.store
        let migration = SchemaMigration("1") { change in
            change.renameType("Town", to: "City")
            change.retypeField("pop", of: "City", to: .int64)
        }
        let done = Mutex(false)
        let made = try store.writer.withLock { _ in
            let thread = Thread {
                _ = try? store.migrate([migration], Configuration())
                done.withLock { $0 = true }
            }
            thread.start()
            Thread.sleep(forTimeInterval: 0.1)
            // What a save of a new user does, who waited before the migration.
            let database = store.privateDatabase(of: "bob")
            var commit = Commit(origin: database.origin, client: 9, userName: "bob", date: Date())
            commit.saves = [
                Commit.Save(
                    id: Record.ID("x"), type: "Town", fields: ["pop": "5"], isNew: true, change: 1, parent: nil)
            ]
            try database.records.commit(StoredDatabase.batch(of: [commit]))
            return database
        }
        while !done.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(made.records.snapshot.segments.map(\.segment.recordType) == ["City"])
    }

    @Test func aSnapshotIsOfOneMoment() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        try await database.write { transaction in
            for number in 0..<300 {
                try transaction.save(Record(type: "Town", id: Record.ID("r\(number)"), fields: ["n": 1]))
            }
        }
        let isDone = Mutex(false)
        let reader = Task.detached {
            var wrong = 0
            while !isDone.withLock({ $0 }) {
                let snapshot = try database.snapshot()
                let segments = try #require(snapshot.records).segments
                let types = Set(segments.map(\.segment.recordType)).subtracting(["Users"])
                if types.contains(where: { snapshot.schema.recordTypes[$0] == nil }) { wrong += 1 }
                // Other tests need the thread, too.
                await Task.yield()
            }
            return wrong
        }
        var migrations: [SchemaMigration] = []
        for number in 0..<60 {
            let (from, to) = number % 2 == 0 ? ("Town", "City") : ("City", "Town")
            migrations.append(SchemaMigration("\(number)") { $0.renameType(from, to: to) })
            try await container.migrate(migrations)
        }
        isDone.withLock { $0 = true }
        #expect(try await reader.value == 0)
    }

    // MARK: Readers

    @Test func fieldsOfRecordsThatAreGoneAreForgotten() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        try await database.save(Record(type: "Town", id: Record.ID("a"), fields: ["pop": "1", "old": 1]))
        try await database.deleteRecord(withID: Record.ID("a"))
        try await container.migrate([
            SchemaMigration("1") { change in
                change.retypeField("pop", of: "Town", to: .int64)
                change.dropField("old", of: "Town")
            }
        ])
        let set = try database.snapshot().records(ofType: "Town")
        #expect(try set.count(matching: "pop > 5 AND creationDate != nil") == 0)
        #expect(throws: RecordPredicateError.self) { try set.count(matching: "old == 1") }
    }

    @Test func pagesDoNotGoOnOverARetypedField() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        for number in 0..<10 {
            try await database.save(
                Record(type: "T", id: Record.ID("r\(number)"), fields: ["n": .string("\(number)"), "m": "x"]))
        }
        var pages = database.recordPages(
            matching: Query("T", sortedBy: [.ascending("n")]), pageSize: 3
        ).makeAsyncIterator()
        #expect(try await pages.next()?.count == 3)
        try await container.migrate([SchemaMigration("m") { $0.dropField("m", of: "T") }])
        #expect(try await pages.next()?.count == 3)
        try await container.migrate([SchemaMigration("n") { $0.retypeField("n", of: "T", to: .int64) }])
        let error = await #expect(throws: DatabaseError.self) { try await pages.next() }
        #expect(error?.code == .invalidArguments)
    }

    @Test func aClosedContainerChangesNoSchema() async throws {
        let container = try Container(identifier: "test")
        let other = try Container(sharing: container, account: .localUser)
        container.close()
        let schema = other.schema
        await fails(.badContainer) { try container.setSchema(schema) }
        await fails(.badContainer) {
            try await container.migrate([SchemaMigration("1") { $0.addField("a", .init(.string), to: "T") }])
        }
        await fails(.badContainer) { try container.setRoles(["editor"], ofUser: "u") }
        #expect(other.schema.recordTypes["T"] == nil)
    }

    @Test func nothingIsToDoInAStoreThatIsRead() async throws {
        let folder = TemporaryFolder()
        let migration = SchemaMigration("1") { $0.addField("a", ContainerSchema.Field(.string), to: "T") }
        let container = try Container(identifier: "test", storedAt: folder.url)
        try await container.migrate([migration])
        container.close()
        let reader = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly))
        #expect(try await reader.migrate([migration]) == [])
        await fails(.permissionFailure) {
            try await reader.migrate([migration, SchemaMigration("2") { $0.dropField("a", of: "T") }])
        }
        reader.close()
    }

    @Test func whatAMigrationAddsHasToFitTheStore() async throws {
        var configuration = Configuration()
        configuration.limits.bytesPerStore = 100_000
        let container = try Container(identifier: "test", configuration: configuration)
        let database = container.privateDatabase
        for number in 0..<20 {
            try await database.save(Record(type: "T", id: Record.ID("r\(number)"), fields: ["a": "x"]))
        }
        func filling(_ bytes: Int) -> SchemaMigration {
            SchemaMigration("fill") { change in
                change.updateRecords(ofType: "T") { $0["b"] = .string(String(repeating: "y", count: bytes)) }
            }
        }
        let defining = SchemaMigration("define") { $0.addField("b", ContainerSchema.Field(.string), to: "T") }
        await fails(.quotaExceeded) { try await container.migrate([defining, filling(10_000)]) }
        #expect(try database.snapshot().records(ofType: "T").count(matching: "a == 'x'") == 20)
        try await container.migrate([defining, filling(100)])
        // What takes bytes away has room.
        let dropping = SchemaMigration("drop") { $0.dropField("b", of: "T") }
        try await container.migrate([defining, filling(100), dropping])
    }
}
