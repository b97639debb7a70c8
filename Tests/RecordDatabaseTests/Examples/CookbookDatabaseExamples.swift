// The recipes of the article "Cookbook" about databases, compiled and run; DocumentationTests counts their lines.

import Foundation
import RecordDatabase
import Synchronization
import Testing

struct CookbookDatabaseExamples {
    typealias Airport = Cookbook.Airport

    @Test func live() async throws {
        let database = try await Cookbook.database()
        let counts = database.observe { snapshot in
            try snapshot.records(ofType: "Airport").count(matching: "country == 'CH'")
        }
        for try await count in counts {
            print(count, "airports in Switzerland")
            if count == 0 { break }
            try await database.write { try $0.deleteAll("Airport", where: "country == 'CH'") }
        }
        #expect(try database.snapshot().records(ofType: "Airport").count == 3)
    }

    @Test func schemas() async throws {
        let container = try Container(identifier: "accounts")
        do {
            var schema = container.schema
            schema.recordTypes["User"] = ContainerSchema.RecordType(fields: [
                "email": ContainerSchema.Field(.string, traits: [.unique, .required])
            ])
            try container.setSchema(schema)
            let database = container.privateDatabase
            let fields: [String: FieldValue] = ["email": "ann@example.org"]
            try await database.save(Record(type: "User", id: Record.ID("ann"), fields: fields))
            await #expect(throws: DatabaseError.self) {
                try await database.save(Record(type: "User", id: Record.ID("bob"), fields: fields))
            }
        }
        do {
            let database = container.privateDatabase
            try await container.migrate([
                SchemaMigration("1 e-mail is mail") { change in
                    change.renameField("email", of: "User", to: "mail")
                    change.addField("isActive", ContainerSchema.Field(.int64), to: "User")
                    change.updateRecords(ofType: "User") { $0["isActive"] = 1 }
                }
            ])
            #expect(try await database.record(for: Record.ID("ann")).fields.keys.sorted() == ["isActive", "mail"])
        }
    }

    @Test func schemaTexts() throws {
        let container = try Container(identifier: "notes")
        let text = """
            DEFINE SCHEMA RECORD TYPE Note (
                title STRING QUERYABLE SORTABLE NOT NULL,
                body STRING SEARCHABLE LANGUAGE english STOP WORDS (a, the) SYNONYMS ((car, automobile))
            );
            """
        try container.setSchema(ContainerSchema(text: text))
        print(container.schema.text)
        let fields = container.schema.recordTypes["Note"]?.fields
        #expect(fields?["body"]?.analyzer?.language == .english && fields?["title"]?.traits == .required)
    }

    @Test func filesInAndOut() async throws {
        let (place, second) = (TemporaryFolder(), TemporaryFolder())
        let (folder, copy) = (place.url, second.url)
        let airports = try Cookbook.airports()
        do {
            let container = try Container(identifier: "travel", storedAt: folder)
            let saved = try await container.privateDatabase.import(airports) { count in
                print("\(count) of \(airports.count)")
            }
            container.close()
            #expect(saved == 17_090)
        }
        do {
            let everything = try RecordSet(storedAt: folder)
            let ndjson = try RecordExport(everything, as: .ndjson).data()
            print(ndjson.count, "bytes")
            #expect(try RecordSet(ndjson).count == 17_090)
        }
        do {
            let high = try airports.records(matching: "country == 'CH' AND elevationFeet > 4000")
            let csv = try RecordExport(RecordSet(records: high), as: .csv).text()
            print(csv)
            #expect(csv.split(separator: "\n").count == high.count + 1)
        }
        do {
            let container = try Container(identifier: "travel", storedAt: folder)
            try await container.backUp(to: copy)
            let problems = try Container.verify(storedAt: copy)
            #expect(problems.isEmpty)

            let reader = try Container(
                identifier: "travel", storedAt: folder, options: StorageOptions(mode: .readOnly))
            print(try reader.privateDatabase.snapshot().records(ofType: "Airport").count)

            do {
                _ = try Container(identifier: "travel", storedAt: folder)
            } catch DatabaseError.serviceUnavailable {
                print("another process writes the folder")
            } catch {
                print(error)
            }
            #expect(try reader.privateDatabase.snapshot().records(ofType: "Airport").count == 17_090)
            container.close()
        }
    }

    @Test func slowQueries() async throws {
        let lines = Mutex<[String]>([])
        let print: @Sendable (Any) -> Void = { line in lines.withLock { $0.append("\(line)") } }

        var configuration = Configuration()
        configuration.slowQueryTime = .milliseconds(50)
        configuration.log = { message in
            guard case .slowQuery(let query) = message.event else { return }
            print(query)
            if let plan = try? query.explanation() { print(plan) }
        }

        configuration.slowQueryTime = .zero

        let database = try await Cookbook.database(configuration)
        _ = try await database.records(matching: Query("Airport", "elevationFeet > 10"))
        #expect(lines.withLock { $0 }.contains { $0.contains("slow query on Airport") })
    }

    @Test func faults() async throws {
        let script = FaultScript()
        var configuration = Configuration()
        configuration.faults = script.faults
        let database = try Container(identifier: "notes", configuration: configuration).privateDatabase

        script.failNext(1, .modifyRecords, with: .networkFailure)
        let note = Record(type: "Note", id: Record.ID("n"), fields: ["text": "a"])
        await #expect(throws: DatabaseError.self) { try await database.save(note) }
        try await database.save(note)
        #expect(script.calls.count == 2)
    }

    @Test func transfers() async throws {
        struct Account: RecordConvertible {
            var recordID: Record.ID?
            var balance: Int
        }
        struct NotEnough: Error {}

        let bank = try Container(identifier: "bank").privateDatabase
        try await bank.insert([
            Account(recordID: Record.ID("ann"), balance: 700), Account(recordID: Record.ID("bob"), balance: 50),
        ])
        try await bank.write { transaction in
            var from: Account = try transaction.value(for: Record.ID("ann"))
            var to: Account = try transaction.value(for: Record.ID("bob"))
            guard from.balance >= 100 else { throw NotEnough() }
            from.balance -= 100
            to.balance += 100
            try transaction.save([from, to])
        }
        let accounts = try await bank.values(of: Account.self, sortedBy: [.ascending(\.balance)])
        #expect(accounts.map(\.balance) == [150, 600])
    }

    @Test func lostUpdates() async throws {
        struct Page: RecordConvertible {
            var metadata = RecordMetadata()
            var visits = 0
        }

        let database = try Container(identifier: "site").privateDatabase
        let id = try await database.save(Page()).metadata.id

        func visit(_ id: Record.ID) async throws {
            while true {
                var page: Page = try await database.value(for: id)
                page.visits += 1
                do {
                    try await database.save(page)
                    return
                } catch DatabaseError.serverRecordChanged { continue }
            }
        }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await visit(id) } }
            try await group.waitForAll()
        }
        #expect(try await database.value(for: id, as: Page.self).visits == 20)
    }

    @Test func references() async throws {
        struct Owner: RecordConvertible {
            var recordID: Record.ID?
            var name: String
        }
        struct Pet: RecordConvertible {
            var recordID: Record.ID?
            var name: String
            var owner: RecordReference.To<Owner>?
        }

        let database = try Container(identifier: "pets").privateDatabase
        let ann = Owner(recordID: Record.ID("ann"), name: "Ann")
        try await database.insert(ann)
        try await database.insert(Pet(name: "Rex", owner: .init(Record.ID("ann"))))
        try await database.insert(Pet(name: "Stray", owner: nil))
        let pets = try await database.values(matching: Pet.where { $0.owner.name == "Ann" })
        #expect(pets.map(\.name) == ["Rex"])

        do {
            let (pets, owners) = try await database.read { snapshot in
                let pets = try snapshot.values(of: Pet.self, sortedBy: [.ascending(\.name)])
                return (pets, try snapshot.values(referencedBy: pets.compactMap(\.owner)))
            }
            for pet in pets { print(pet.name, pet.owner.flatMap { owners[$0.recordID]?.name } ?? "nobody") }
            #expect(pets.map { $0.owner.flatMap { owners[$0.recordID]?.name } } == ["Ann", nil])
        }
    }

    @Test func agreeing() async throws {
        let database = try await Cookbook.database()
        let (count, highest) = try await database.read { snapshot in
            let airports = try snapshot.records(ofType: "Airport")
            let highest = try airports.values(of: Airport.self, sortedBy: [.descending(\.elevationFeet)], limit: 1)
            return (airports.count, highest.first?.name)
        }
        #expect(count == 6 && highest == "Samedan Airport")
    }
}
