// The programs of the article "A first week", compiled and run: each as its reader would write it, none longer than 20
// lines, which DocumentationTests counts.

import Foundation
import RecordDatabase
import Testing

struct ProgramExamples {
    init() { _ = FileManager.default.changeCurrentDirectoryPath(Fixtures.project.path) }

    /// A file of a temporary folder with a text.
    private func file(_ name: String, in folder: TemporaryFolder, _ text: String) throws -> URL {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let file = folder.url.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file
    }

    @Test func csv() throws {
        let folder = TemporaryFolder()
        let file = try file(
            "people.csv", in: folder,
            "id,name,born,code\n1,Ann,2019-05-01,007\n2,Bob,1999-12-31,8\n3,Cem,2001-07-04T12:00:00Z,9\n")

        struct Person: RecordConvertible {
            var recordID: Record.ID?
            var name: String
            var born: Date
            var code: String
        }

        var options = LoadOptions()
        options.columnTypes = ["born": .date, "code": .string]
        let people = try RecordSet(contentsOf: file, type: "Person", options: options)

        let century = Date(timeIntervalSince1970: 946_684_800)
        let young = try people.values(matching: Person.where { $0.born >= century }, sortedBy: [.ascending(\.born)])
        for person in young { print(person.name, person.born, person.code) }

        #expect(young.map(\.name) == ["Cem", "Ann"] && young.map(\.code) == ["9", "007"])
    }

    @Test func structs() async throws {
        struct City: RecordConvertible {
            var metadata = RecordMetadata()
            var name: String
            var population: Int
        }

        let database = try Container(identifier: "travel").privateDatabase
        var bern = try await database.save(City(name: "Bern", population: 137_000))
        let copy = bern
        bern.population += 1
        bern = try await database.save(bern)
        do {
            try await database.save(copy)
        } catch DatabaseError.serverRecordChanged {
            print("somebody else was faster")
        }
        let large = try await database.values(
            matching: City.where { $0.population > 100_000 }, sortedBy: [.descending(\.population)])
        print(large.map(\.name))

        #expect(large.map(\.population) == [137_001])
    }

    @Test func upsert() async throws {
        struct Price: RecordConvertible {
            var recordID: Record.ID?
            var article: String
            var cents: Int
        }

        let database = try Container(identifier: "shop").privateDatabase
        let list = [("1", "tea", 420), ("2", "rice", 310), ("1", "tea", 450)]
        for (number, article, cents) in list {
            try await database.upsert(Price(recordID: Record.ID(number), article: article, cents: cents))
        }
        let prices = try await database.values(of: Price.self, sortedBy: [.ascending(\.article)])
        for price in prices { print(price.article, price.cents) }

        #expect(prices.map(\.cents) == [310, 450])
    }

    @Test func updatesAndDeletes() async throws {
        struct Item: RecordConvertible {
            var recordID: Record.ID?
            var title: String
            var isDone = false
            var rank = 0
        }

        let database = try Container(identifier: "tasks").privateDatabase
        try await database.insert((1...1_000).map { Item(title: "task \($0)", isDone: $0 % 4 == 0, rank: $0) })
        let (moved, gone) = try await database.write { transaction in
            let moved = try transaction.updateAll(Item.where { !$0.isDone && $0.rank > 500 }) { $0.rank -= 500 }
            let gone = try transaction.deleteAll(Item.where { $0.isDone })
            return (moved, gone)
        }
        print(moved, gone)

        #expect(moved == 375 && gone == 250)
        #expect(try await database.values(of: Item.self, matching: .where { $0.rank > 500 }).isEmpty)
    }

    @Test func textAndPlaces() throws {
        let airports = try RecordSet(contentsOf: "Benchmarks/Data/airports.ndjson.gz")
        let words: RecordPredicate = "allTokens TOKENMATCHES[cd] \("sao paulo")"
        for (ordinal, score) in try airports.ordinalsByRelevance(matching: words, limit: 3) {
            guard let airport = airports.record(at: ordinal) else { continue }
            let snippet = try words.snippets(in: airport, words: 6).first?.marked("[", "]")
            print(score, snippet ?? "")
        }

        let here = Location(latitude: 46.948, longitude: 7.447)
        let nearest = try airports.records(
            matching: "distanceToLocation:fromLocation:(location, \(here)) < \(50_000)",
            sortedBy: [.distance("location", here)], limit: 3)
        for airport in nearest { print(airport["name"] ?? "") }

        #expect(nearest.first?["name"] == "Bern Belp Airport")
        #expect(try airports.count(matching: words) > 3)
    }

    @Test func facets() throws {
        let airports = try RecordSet(contentsOf: "Benchmarks/Data/airports.ndjson.gz")
        let countries = try airports.facets("country", where: "elevationFeet > 8000", limit: 5)
        for country in countries.values { print(country.value, country.count) }
        print(countries.distinctCount, "countries")

        let groups = try airports.group(
            by: ["country"], where: "country IN {'CH', 'AT', 'NP'}",
            [.average("elevationFeet"), .maximum("elevationFeet")], sortedBy: .descending(.count))
        for group in groups { print(group.keys[0], group.count, group.values[0], group.values[1]) }

        #expect(countries.values.count == 5 && countries.distinctCount > 5 && groups.count == 3)
    }

    @Test func pagesAndLiveQueries() async throws {
        struct City: RecordConvertible {
            var recordID: Record.ID?
            var name: String
            var population: Int
        }

        let database = try Container(identifier: "travel").privateDatabase
        try await database.insert((1...250).map { City(name: "City \($0)", population: $0 * 1_000) })
        for try await page in database.recordPages(matching: Query("City"), pageSize: 100) { print(page.count) }

        let large = database.observe { snapshot in
            let large = try snapshot.records(ofType: "City").values(matching: City.where { $0.population > 240_000 })
            return large.map(\.population)
        }
        for try await sizes in large {
            print(sizes.count, sizes.max() ?? 0)
            if sizes.contains(2_950_000) { break }
            try await database.insert(City(name: "Kyiv", population: 2_950_000))
        }

        #expect(try await database.values(matching: City.where { $0.population > 240_000 }).count == 11)
    }

    @Test func importing() async throws {
        let airports = try RecordSet(contentsOf: "Benchmarks/Data/airports.ndjson.gz", type: "Airport")
        let database = try Container(identifier: "travel").privateDatabase
        do {
            let count = try await database.import(airports) { print("\($0) of \(airports.count)") }
            print("\(count) saved")
        } catch {
            for (item, reason) in error.partialErrors { print(item, reason) }
        }
        print(try database.snapshot().records(ofType: "Airport").count)

        #expect(try database.snapshot().records(ofType: "Airport").count == 17_090)
    }

    @Test func storing() async throws {
        let place = TemporaryFolder()
        let folder = place.url

        struct Item: RecordConvertible {
            var recordID: Record.ID?
            var title: String
            var isDone: Bool
        }

        do {
            let container = try Container(identifier: "tasks", storedAt: folder)
            defer { container.close() }
            try await container.privateDatabase.save(Item(title: "Pack", isDone: true))
        }
        let container = try Container(identifier: "tasks", storedAt: folder)
        let done = try await container.privateDatabase.values(matching: Item.where { $0.isDone })
        for item in done { print(item.title, item.isDone) }
        let open = try await container.privateDatabase.values(matching: Item.where { !$0.isDone })
        print(open.count)

        #expect(done.map(\.isDone) == [true] && open.isEmpty)
        let items = try container.privateDatabase.snapshot().records(ofType: "Item")
        #expect(try items.records(matching: "isDone == TRUE").map { $0["isDone"] as Bool? } == [true])
        container.close()
    }

    @Test func schemaChanges() async throws {
        let place = TemporaryFolder()
        let folder = place.url

        let container = try Container(identifier: "travel", storedAt: folder)
        let database = container.privateDatabase
        try await database.save(Record(type: "Town", id: Record.ID("kyiv"), fields: ["pop": "2950000", "mayor": "x"]))
        let migrations = [
            SchemaMigration("1 towns are cities") { change in
                change.renameType("Town", to: "City")
                change.renameField("pop", of: "City", to: "population")
                change.retypeField("population", of: "City", to: .int64)
            },
            SchemaMigration("2 no mayors") { $0.dropField("mayor", of: "City") },
        ]
        print(try await container.migrate(migrations), "made now")
        let large = try await database.records(matching: Query("City", "population > \(1_000_000)"))
        print(large.map(\.fields))

        #expect(large.map(\.fields) == [["population": 2_950_000]])
        #expect(try await container.migrate(migrations).isEmpty)
        container.close()
    }

    @Test func exporting() async throws {
        let place = TemporaryFolder()
        let folder = place.url
        let second = TemporaryFolder()
        let file = try file("all.ndjson", in: second, "")
        do {
            let container = try Container(identifier: "travel", storedAt: folder)
            let fields: [String: FieldValue] = ["name": "Київ", "isOpen": true]
            try await container.privateDatabase.save(Record(type: "City", id: Record.ID("kyiv"), fields: fields))
            container.close()
        }

        let everything = try RecordSet(storedAt: folder)
        try RecordExport(everything, as: .ndjson).write(to: file)

        let cities = try everything.ofType("City").records(matching: "name BEGINSWITH 'К'")
        print(try RecordExport(RecordSet(records: cities), as: .csv).text())

        let back = try RecordSet(contentsOf: file)
        print(back.count == everything.count)

        #expect(back.count == 1 && back.record(at: 0)?["name"] == "Київ")
    }
}
