// The examples of the articles on schema changes and errors, compiled and run.

import Foundation
import RecordDatabase
import Synchronization
import Testing

struct SchemaExamples {
    private func database(_ container: Container) async throws -> Database {
        let database = container.privateDatabase
        let fields: [String: FieldValue] = ["pop": "2900000", "name": "Kyiv", "mayor": "x", "visits": 1]
        try await database.save(Record(type: "Town", id: Record.ID("kyiv"), fields: fields))
        return database
    }

    @Test func demands() async throws {
        let container = try Container(identifier: "app")
        var schema = container.schema
        schema.recordTypes["Account"] = ContainerSchema.RecordType(fields: [
            "email": ContainerSchema.Field(.string, traits: [.unique, .required]),
            "name": ContainerSchema.Field(.string),
        ])
        try container.setSchema(schema)

        let database = container.privateDatabase
        let record = Record(type: "Account", id: Record.ID("a"))
        do {
            try await database.save(record)
        } catch DatabaseError.serverRecordChanged {
            print("somebody else was faster")
        } catch DatabaseError.constraintViolation {
            print("the name is taken")
        } catch {
            print(error)
        }
        #expect(try database.snapshot().records(ofType: "Account").count == 0)
    }

    @Test func uniqueTogether() async throws {
        let container = try Container(identifier: "app")
        var schema = container.schema
        let type = ContainerSchema.RecordType(
            fields: ["folder": .init(.reference), "name": .init(.string)], uniqueTogether: [["folder", "name"]])
        schema.recordTypes["File"] = type
        try container.setSchema(schema)
        #expect(container.schema.text.contains("UNIQUE (folder, name)"))
    }

    @Test func migrations() async throws {
        let container = try Container(identifier: "app")
        let database = try await database(container)
        try await container.migrate([
            SchemaMigration("1 towns are cities") { change in
                change.renameType("Town", to: "City")
                change.renameField("pop", of: "City", to: "population")
                change.retypeField("population", of: "City", to: .int64)
            },
            SchemaMigration("2 names are unlike") { change in
                change.dropField("mayor", of: "City")
                change.addField("initial", ContainerSchema.Field(.string), to: "City")
                change.updateRecords(ofType: "City") { fields in
                    guard case .string(let name)? = fields["name"] else { return }
                    fields["initial"] = .string(String(name.prefix(1)))
                }
                change.setTraits([.unique, .required], of: "name", in: "City")
            },
        ])
        let cities = try database.snapshot().records(ofType: "City")
        #expect(try cities.count(matching: "population > 1000000 AND initial == 'K'") == 1)

        do {
            _ = try await database.records(matching: Query("City", "populaton > 1000"))
        } catch {
            print(error)
        }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.records(matching: Query("City", "populaton > 1000"))
        }
        #expect(
            error?.description == """
                invalidArguments: the predicate: City has no field populaton
                populaton > 1000
                ^~~~~~~~~
                hint: did you mean population?
                """)
    }

    @Test func tryingAgain() async throws {
        let database = try await database(Container(identifier: "app"))
        try await addOne(to: Record.ID("kyiv"), in: database)
        #expect(try await database.record(for: Record.ID("kyiv"))["visits"] == 2)
    }

    func addOne(to id: Record.ID, in database: Database) async throws {
        var record = try await database.record(for: id)
        while true {
            record["visits"] = (record["visits"] ?? 0) + 1
            do throws(DatabaseError) {
                try await database.save(record)
                return
            } catch {
                guard let server = error.serverRecord else { throw error }
                record = server
            }
        }
    }

    @Test func watching() async throws {
        var configuration = Configuration()
        configuration.slowQueryTime = .milliseconds(50)
        configuration.log = { message in
            print(message.level, message)
            if case .slowQuery(let query) = message.event, let plan = try? query.explanation() { print(plan) }
        }
        let container = try Container(identifier: "app", configuration: configuration)
        let database = try await database(container)

        let readings = Mutex(0)
        let show: @Sendable (Facets) -> Void = { _ in readings.withLock { $0 += 1 } }
        let task = Task {
            let names = database.observe { try $0.records(ofType: "Town").facets("name", limit: 10) }
            for try await facets in names { show(facets) }
        }
        while readings.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        _ = await task.result
        #expect(container.activity.savedRecords == 3)
    }
}
