// The code of the article on CloudKit's model.

import RecordDatabase
import Testing

@Suite struct DatabaseExample {
    @Test func theModel() async throws {
        let container = try Container(identifier: "example.travel")
        let database = container.privateDatabase
        let zone = try await database.save(RecordZone(zoneName: "Travel"))

        var city = Record(type: "City", id: Record.ID("kyiv", zoneID: zone.id))
        city["name"] = "Київ"
        city["population"] = 2_950_000
        let saved = try await database.save(city)

        let largest = try await database.records(
            matching: Query("City", "population > \(1_000_000)", sortedBy: [.descending("population")]),
            in: .zone(zone.id), desiredKeys: ["name"], limit: 50)
        let changes = try await database.recordZoneChanges(inZoneWith: zone.id)

        try await pagesAndBatches(database, zone, [city])
        #expect(largest.count == 1 && changes.modifications.count == 1)
        #expect(saved.recordChangeTag != nil)
    }

    private func pagesAndBatches(_ database: Database, _ zone: RecordZone, _ records: [Record]) async throws {
        let query = Query("City", sortedBy: [.ascending("name")])
        let cities = try await database.records(matching: query, in: .zone(zone.id))

        for try await page in database.recordPages(matching: query, pageSize: 100) {
            print(page.count, "more")
        }

        let (first, cursor) = try await database.recordPage(matching: query, in: .zone(zone.id), resultsLimit: 20)
        if let cursor {
            let second = try await database.recordPage(after: cursor, resultsLimit: 20)
            print(second.matchResults.count)
        }

        let results = try await database.modifyRecords(
            saving: records, deleting: [], savePolicy: .allKeys, atomically: false)
        for (id, result) in results.saveResults {
            if case .failure(let error) = result { print("\(id.recordName) was not saved: \(error.reason)") }
        }

        #expect(cities.count == 1 && first.count == 1 && results.saveResults.count == 1)
    }
}
