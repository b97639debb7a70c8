// The recipes of the article "Cookbook" about files, values and queries, compiled and run; DocumentationTests counts
// their lines.

import Foundation
import RecordDatabase
import Testing

/// What the recipes of the cookbook share.
enum Cookbook {
    struct Airport: RecordConvertible {
        var recordID: Record.ID?
        var name: String
        var country: String
        var elevationFeet: Double?
        var location: Location
    }

    static func airports() throws -> RecordSet {
        try RecordSet(
            contentsOf: Fixtures.project.appending(path: "Benchmarks/Data/airports.ndjson.gz"), type: "Airport")
    }

    /// A database of six airports.
    static func database(_ configuration: Configuration = Configuration()) async throws -> Database {
        let database = try Container(identifier: "travel", configuration: configuration).privateDatabase
        let names = ["ap-LSZH", "ap-LSGG", "ap-LSZS", "ap-LOWI", "ap-EDDM", "ap-UKBB"]
        let some = try airports().records(matching: "recordName IN \(names)")
        try await database.import(RecordSet(records: some))
        return database
    }
}

struct CookbookExamples {
    typealias Airport = Cookbook.Airport

    @Test func files() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let file = folder.url.appending(path: "people.csv")
        try "id,name,born\n1,Ann,2019-05-01\n2,Bob,1999-12-31\n".write(to: file, atomically: true, encoding: .utf8)
        do {
            var options = LoadOptions()
            options.columnTypes = ["born": .date]
            let people = try RecordSet(contentsOf: file, type: "Person", options: options)
            for field in people.schemas[0].fields { print(field.name, field.type) }

            #expect(people.schemas[0].type(of: "born") == .date && people.count == 2)
        }
        do {
            let json = Data(#"[{"id": "1", "name": "Ann", "age": 41}, {"id": "2", "name": "Bob"}]"#.utf8)
            let people = try RecordSet(json, type: "Person")
            let adults = try people.count(matching: "age >= 18")

            #expect(people.count == 2 && adults == 1)
        }
        do {
            var options = LoadOptions()
            options.skipBadLines = true
            let lines = Data("{\"id\": \"1\"}\n{\"id\": 2\n".utf8)
            let people = try RecordSet(lines, type: "Person", options: options)
            for error in people.loadReport?.errors ?? [] { print(error.line ?? 0, error.message) }

            #expect(people.count == 1 && people.loadReport?.skippedCount == 1)
        }
    }

    @Test func values() async throws {
        let airports = try Cookbook.airports()
        let high = try airports.values(
            matching: Airport.where { $0.country == "CH" && $0.elevationFeet > 4_000 },
            sortedBy: [.descending(\.elevationFeet)])
        print(high.map(\.name))
        #expect(high.first?.name == "Samedan Airport")

        let database = try await Cookbook.database()
        do {
            let zurich: Airport = try await database.value(for: Record.ID("ap-LSZH"))
            var renamed = zurich
            renamed.name = "Zürich"
            try await database.upsert(renamed)

            let stored = try await database.record(for: Record.ID("ap-LSZH"))
            #expect(stored["name"] == "Zürich" && stored["timezone"] == "Europe/Zurich")
        }
        do {
            let count = try await database.write { transaction in
                try transaction.updateAll(Airport.where { $0.country == "CH" }) { $0.elevationFeet? += 1 }
            }
            print(count, "changed")
            #expect(count == 3)
        }
        do {
            let count = try await database.write { transaction in
                try transaction.deleteAll("Airport", where: "country == \("UA")")
            }
            print(count, "deleted")
            #expect(count == 1)
            #expect(try await database.values(of: Airport.self).count == 5)
        }
    }

    @Test func pages() async throws {
        let database = try await Cookbook.database()
        do {
            let airports = try Cookbook.airports()
            let third = try airports.records(
                matching: "country == 'CH'", sortedBy: [.ascending("name")], limit: 10, offset: 20)
            print(third.map { $0["name"] ?? "" })
            let all = try airports.records(matching: "country == 'CH'", sortedBy: [.ascending("name")])
            #expect(third.map(\.id) == all[20..<30].map(\.id))
        }
        do {
            let query = Query("Airport", sortedBy: [.ascending("name")])
            let (matches, cursor) = try await database.recordPage(matching: query, in: .all, resultsLimit: 4)
            for (id, result) in matches { print(id.recordName, try result.get()["name"] ?? "") }
            if let cursor {
                let (others, _) = try await database.recordPage(after: cursor, resultsLimit: 4)
                print(others.count, "more")
            }
            #expect(matches.count == 4 && cursor != nil)
        }
        do {
            var count = 0
            for try await page in database.recordPages(matching: Query("Airport"), pageSize: 2) {
                count += page.count
            }
            #expect(count == 6)
        }
    }

    @Test func counting() throws {
        let airports = try Cookbook.airports()
        do {
            let facets = try airports.facets("country", where: "elevationFeet > 8000", limit: 3)
            for country in facets.values { print(country.value, country.count) }
            print(facets.distinctCount, "countries,", facets.missingCount, "airports without one")
            #expect(facets.values.count == 3)
        }
        do {
            let spread = try airports.histogram(of: "elevationFeet", where: "country == 'CH'", bins: 4)
            for (edge, count) in zip(spread.edges, spread.counts) { print("from", edge, "feet:", count) }
            print(spread.missingCount, "airports without a height")
            #expect(spread.counts.count == 4 && spread.counts.reduce(0, +) > 50)
        }
        do {
            let groups = try airports.group(
                by: ["country", "region"], where: "country IN {'CH', 'AT'}",
                [.average("elevationFeet"), .maximum("elevationFeet")], sortedBy: .descending(.count), limit: 5)
            for group in groups { print(group.keys, group.count, group.values) }
            #expect(groups.count == 5 && groups[0].count >= groups[1].count)
        }
    }

    @Test func places() throws {
        let airports = try Cookbook.airports()
        let here = Location(latitude: 46.948, longitude: 7.447)
        do {
            let nearest = try airports.values(
                matching: Airport.where { $0.location.distance(to: here) < .kilometers(100) },
                sortedBy: [.distance(\.location, here)], limit: 3)
            print(nearest.map(\.name))
            #expect(nearest.first?.name == "Bern Belp Airport")
        }
        do {
            let box = try GeoArea(south: 45.8, west: 5.9, north: 47.8, east: 10.5)
            let triangle = try GeoArea(
                geoJSON: #"{"type": "Polygon", "coordinates": [[[7, 46], [8, 46], [8, 47], [7, 46]]]}"#)
            let inBox = try airports.count(matching: Airport.where { $0.location.isInside(box) })
            let inTriangle = try airports.count(matching: "inPolygon(location, \(triangle)) == TRUE")
            print(inBox, inTriangle)
            #expect(inBox > inTriangle && inTriangle > 0)
        }
    }

    private func articles() throws -> RecordSet {
        try RecordSet(records: [
            Record(type: "Article", id: Record.ID("a"), fields: ["body": "Mountain railways are running again"]),
            Record(type: "Article", id: Record.ID("b"), fields: ["body": "東京都に行く"]),
            Record(type: "Article", id: Record.ID("c"), fields: ["body": "São Paulo runs its metro at night"]),
        ])
    }

    @Test func words() throws {
        var articles = try articles()
        do {
            let tokyo = try articles.count(matching: "allTokens TOKENMATCHES[cd] '東京'")
            let paulo = try articles.count(matching: "allTokens TOKENMATCHES[cdp] 'sao paulo'")
            let either = try articles.count(matching: "ANY tokenize('subway metro', 'cd') IN allTokens")
            #expect(tokyo == 1 && paulo == 1 && either == 1)
        }
        do {
            articles.analyzers = ["body": TextAnalyzer(language: .english, synonyms: [["railway", "train"]])]
            let running = try articles.count(matching: "body TOKENMATCHES[c] 'run'")
            let trains = try articles.count(matching: "body TOKENMATCHES[c] 'trains'")
            #expect(running == 2 && trains == 1)
        }
        do {
            var shown: [String] = []
            let search: RecordPredicate = "body TOKENMATCHES[c] \("night metro")"
            for (ordinal, score) in try articles.ordinalsByRelevance(matching: search, limit: 10) {
                guard let article = articles.record(at: ordinal) else { continue }
                for snippet in try search.snippets(in: article, words: 5, analyzers: articles.analyzers) {
                    shown.append("\(score) \(snippet.marked("<b>", "</b>"))")
                }
            }
            #expect(shown.count == 1 && shown[0].contains("<b>metro</b>"))
        }
    }

    @Test func subqueries() throws {
        let orders = try RecordSet(
            Data(#"[{"id": "1", "items": [{"price": 5, "count": 1}, {"price": 20, "count": 3}]}, {"id": "2"}]"#.utf8),
            type: "Order")
        let large = try orders.records(
            matching: "SUBQUERY(items, $i, $i.price > 10 AND $i.count >= 2).@count > 0")
        print(large.map(\.id.recordName))
        #expect(large.map(\.id.recordName) == ["1"])
    }

    @Test func dates() throws {
        let visits = try RecordSet(
            Data(
                #"[{"id": "1", "time": "2026-03-01T08:00:00Z"}, {"id": "2", "time": "2026-04-01T00:00:00Z"}]"#.utf8),
            type: "Visit")
        let start = try Date("2026-03-01T00:00:00Z", strategy: .iso8601)
        let end = try Date("2026-04-01T00:00:00Z", strategy: .iso8601)
        let inMarch = try visits.count(matching: "time >= \(start) AND time < \(end)")
        let lately = try visits.count(matching: "time > \(Date(timeIntervalSinceNow: -7 * 86_400))")
        #expect(inMarch == 1 && lately == 0)
    }

    @Test func typedPredicates() async throws {
        let database = try await Cookbook.database()
        for typed in ["elevationFet > 14000", "elevationFeet >"] {
            do {
                let predicate = try RecordPredicate(format: typed)
                print(try await database.records(matching: Query("Airport", predicate)).count)
            } catch {
                print(error)
            }
        }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.records(matching: Query("Airport", "elevationFet > 14000"))
        }
        #expect(error?.description.contains("did you mean elevationFeet?") == true)
    }

    @Test func prepared() throws {
        var airports = try Cookbook.airports()
        do {
            let inCountry = try airports.prepare(
                "country == $country AND elevationFeet > $least", sortedBy: [.descending("elevationFeet")], limit: 3)
            for country in ["CH", "NP", "BO"] {
                print(country, try inCountry.records(["country": .string(country), "least": 1_000]).count)
            }
            #expect(try inCountry.count(["country": "CH", "least": 1_000]) > 3)
        }
        do {
            airports.declaredIndexes = IndexDeclaration(["country": .queryable], others: [])
            print(try airports.explain("country == 'CH' AND city == 'Bern'"))
            for advice in try airports.advice(for: "city == 'Bern'") { print(advice) }
            let advice = try airports.advice(for: "city == 'Bern'")
            #expect(advice.first?.field == "city" && advice.first?.mark == .queryable)
        }
    }
}
