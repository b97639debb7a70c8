// The examples of README and of the DocC articles, compiled and run; DocumentationTests holds the texts together.

import Foundation
import RecordDatabase
import Testing

struct Examples {
    /// The examples name the shipped file as a reader does who stands in the project's folder.
    init() { _ = FileManager.default.changeCurrentDirectoryPath(Fixtures.project.path) }

    @Test func readmeBegins() throws {
        struct Airport: RecordConvertible {
            var name: String
            var elevationFeet: Double?
            var location: Location
        }
        let airports = try RecordSet(contentsOf: "Benchmarks/Data/airports.ndjson.gz", type: "Airport")
        let bern = Location(latitude: 46.948, longitude: 7.447)
        let near = Airport.where { $0.location.distance(to: bern) < .kilometers(100) && $0.elevationFeet > 1_500 }
        for airport in try airports.values(matching: near, sortedBy: [.distance(\.location, bern)]) {
            print(airport.name)
        }
        print(try airports.count(matching: "allTokens TOKENMATCHES[cd] \("sao paulo")"))
        let names = try airports.values(matching: near, sortedBy: [.distance(\.location, bern)]).map(\.name)
        #expect(names.count > 3 && names.first == "Bern Belp Airport")
    }

    @Test func readme() throws {
        let airports = try RecordSet(contentsOf: "Benchmarks/Data/airports.ndjson.gz")
        let code = "CH"
        let predicate: RecordPredicate = "country == \(code) AND elevationFeet > \(4_000)"
        for airport in try airports.records(matching: predicate, sortedBy: [.descending("elevationFeet")]) {
            print(airport.id.recordName, airport["name"])
        }
        let names = try airports.records(matching: predicate).map(\.id.recordName)
        #expect(names.contains("ap-LSZS"))
    }

    @Test func untrustedInput() throws {
        var options = LoadOptions()
        options.limits.maximumMemory = 2 << 30
        var airports = try RecordSet(contentsOf: "Benchmarks/Data/airports.ndjson.gz", options: options)
        airports.limits = QueryLimits(time: .seconds(2), resultBytes: 64 << 20)
        airports.refusesScans = true
        #expect(throws: RecordPredicateError.self) { try airports.count(matching: "elevationFeet * 2 > 9000") }
        #expect(try airports.count(matching: "elevationFeet > 4500") > 0)
        airports.limits.resultBytes = 1
        #expect(throws: RecordPredicateError.self) { try airports.records(matching: "elevationFeet > 4500") }
        options.limits.maximumMemory = 1 << 10
        let error = #expect(throws: FileError.self) {
            try RecordSet(contentsOf: "Benchmarks/Data/airports.ndjson.gz", options: options)
        }
        #expect(error?.kind == .limit)
    }

    @Test func gettingStartedGroups() throws {
        let airports = try RecordSet(contentsOf: "Benchmarks/Data/airports.ndjson.gz")
        let facets = try airports.facets("country", where: "elevationFeet > 8000", limit: 5)
        for country in facets.values { print(country.value, country.count) }
        let groups = try airports.group(
            by: ["country"], [.average("elevationFeet"), .maximum("elevationFeet")], sortedBy: .descending(.count),
            limit: 3)
        for group in groups { print(group.keys[0], group.count, group.values[0], group.values[1]) }
        #expect(facets.distinctCount > facets.values.count)
        #expect(groups.map(\.count) == groups.map(\.count).sorted(by: >))
    }

    @Test func readmePrepared() throws {
        let airports = try RecordSet(contentsOf: "Benchmarks/Data/airports.ndjson.gz")
        let near = try airports.prepare("distanceToLocation:fromLocation:(location, $here) < $radius")
        let here = FieldValue.location(Location(latitude: 47.45, longitude: 8.56))
        print(try near.count(["here": here, "radius": 50_000]))
        print(try airports.explain("country == 'CH' AND elevationFeet > 4000"))
        #expect(try near.count(["here": here, "radius": 50_000]) > 3)
    }

    @Test func readmeErrors() throws {
        let record = Record(type: "Person", id: Record.ID("ann"), fields: ["age": 41])
        for userText in ["age > 40", "age >"] {
            do {
                let predicate = try RecordPredicate(format: userText)
                print(try predicate.evaluate(on: record))
            } catch {
                print(error)
            }
        }
        #expect(try RecordPredicate(format: "age > 40").evaluate(on: record))
        let error = #expect(throws: RecordPredicateError.self) { try RecordPredicate(format: "age >") }
        #expect(error?.description.contains("age >\n     ^") == true)
    }

    @Test func indexesAndPlans() throws {
        var notes = try RecordSet(records: [
            Record(
                type: "Note", id: Record.ID("1"), fields: ["title": "Harbour", "body": "Boats at the pier", "stars": 3]),
            Record(
                type: "Note", id: Record.ID("2"), fields: ["title": "Market", "body": "Bread and fish", "stars": 5]),
        ])
        notes.declaredIndexes = IndexDeclaration(
            ["title": [.queryable, .sortable], "body": [.searchable, .substring]], others: [])

        let explanation = try notes.explain("stars > 3 AND title BEGINSWITH 'Ma'")
        print(explanation)
        print(explanation.json)
        #expect(explanation.scans.isEmpty && explanation.plans.first?.step.rows == 1)

        for advice in try notes.advice(for: "stars > 4") { print(advice) }
        #expect(try notes.advice(for: "stars > 4").first?.field == "stars")

        notes.refusesScans = true
        do {
            _ = try notes.count(matching: "stars * 2 > 9")
        } catch {
            print(error)
        }
        #expect(throws: RecordPredicateError.self) { try notes.count(matching: "stars * 2 > 9") }
    }

    @Test func overview() throws {
        let airports = try RecordSet(contentsOf: "Benchmarks/Data/airports.ndjson.gz")
        let high = try airports.records(
            matching: "country == 'CH' AND elevationFeet > 4000", sortedBy: [.descending("elevationFeet")])
        #expect(high.first?["name"] == "Samedan Airport")
    }

    @Test func loading() throws {
        let airports = try RecordSet(contentsOf: "Benchmarks/Data/airports.ndjson.gz")
        print(airports.count)
        for field in airports.schemas[0].fields { print(field.name, field.type) }
        #expect(airports.count == 17_090)

        let people = try RecordSet(records: [
            Record(type: "Person", id: Record.ID("ann"), fields: ["name": "Ann", "age": 41]),
            Record(
                type: "Person", id: Record.ID("bob"),
                fields: ["name": "Bob", "knows": .reference(RecordReference("ann"))]),
        ])
        let friends = try people.records(matching: "knows.name == 'Ann'")
        #expect(friends.map(\.id.recordName) == ["bob"])
    }

    @Test func querying() throws {
        let airports = try RecordSet(contentsOf: "Benchmarks/Data/airports.ndjson.gz")
        let prefix = "San "
        let limit = 5_000
        let high: RecordPredicate = "name BEGINSWITH[cd] \(prefix) AND elevationFeet > \(limit)"
        let highest = try airports.records(matching: high, sortedBy: [.descending("elevationFeet")], limit: 10)
        let howMany = try airports.count(matching: high)
        #expect(highest.count == min(howMany, 10) && howMany > 0)

        let here = Location(latitude: 46.2044, longitude: 6.1432)
        let near = try airports.records(
            matching: "distanceToLocation:fromLocation:(location, \(here)) < 20000",
            sortedBy: [.distance("location", here)])
        #expect(near.first?.id.recordName == "ap-LSGG")

        let adult: RecordPredicate = "age >= 18 AND NOT (name IN {'Eve', 'Mallory'})"
        let isAdult = try adult.evaluate(
            on: Record(type: "Person", id: Record.ID("ann"), fields: ["name": "Ann", "age": 41]))
        #expect(isAdult)
    }

    @Test func errors() throws {
        do {
            _ = try RecordPredicate(format: "age IN (1, 2)")
        } catch {
            print(error)
        }
        let error = #expect(throws: RecordPredicateError.self) { try RecordPredicate(format: "age IN (1, 2)") }
        #expect(error?.description.contains("hint: ") == true)
    }
}
