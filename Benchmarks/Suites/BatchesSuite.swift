// `batches`: records a second saved in batches and fetched by identifier, in a database in memory.

import FoundationEssentials
import RecordDatabase
import RecordModel

/// Times saves and fetches through the database's own functions.
///
/// A few questions are asked after the first batches and then again and again, so that indexes are there and are kept.
enum BatchesSuite: Suite {
    static let name = "batches"
    static let summary =
        "[--records N] [--batch N]: saves of N records (1,000,000) in batches (400), fetches by identifier"

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["records", "batch"])
        let bench = try BatchesBench(
            count: try options.count("records", default: 1_000_000), batch: try options.count("batch", default: 400))
        print(Machine.current().line)
        var table = TextTable(["step", "records", "wall ms", "records/s", "CPU µs a record"])
        for step in Step.allCases { table.add(try bench.run(step)) }
        print(table.text)
        print("answers: every record is found, with the fields that it was saved with")
    }

    /// What is timed.
    enum Step: String, CaseIterable {
        case insert = "save, new records"
        case fetch = "fetch by ID, one call"
        case fetchBatches = "fetch by ID, batches"
        case read = "fetch by ID, two fields read"
        case update = "save, one field changed"
    }
}

private final class BatchesBench {
    let database: Database
    let count: Int
    let batch: Int
    private let zone = RecordZone(id: RecordZone.ID("bench"))
    private var ids: [Record.ID] = []

    init(count: Int, batch: Int) throws {
        (self.count, self.batch) = (count, batch)
        var configuration = Configuration()
        configuration.limits.itemsPerRequest = max(count, batch)
        configuration.limits.bytesPerRequest = .max
        database = try Container(identifier: "bench", configuration: configuration).privateDatabase
        _ = try database.modifyZones(saving: [zone], deleting: [])
        ids = (0..<count).map { Record.ID("record-\(UInt64($0) &* 0x9E37_79B9_7F4A_7C15)", zoneID: zone.id) }
    }

    private func record(_ number: Int) -> Record {
        Record(
            type: "Place", id: ids[number],
            fields: [
                "name": .string("Place number \(number)"), "category": .string("category \(number % 40)"),
                "rating": .double(Double(number % 50) / 10), "population": .int64(Int64(number &* 7919 % 1_000_000)),
                "created": .date(Date(timeIntervalSince1970: Double(number) * 60)), "active": .bool(number % 3 == 0),
                "location": .location(
                    Location(latitude: Double(number % 170) - 85, longitude: Double(number % 359) - 179)),
                "tags": .list([.string("tag \(number % 17)"), .string("tag \(number % 23)")]),
            ])
    }

    func run(_ step: BatchesSuite.Step) throws -> [String] {
        let clock = ContinuousClock()
        var wall = 0.0
        var processor = 0.0
        func time(_ body: () throws -> Void) rethrows {
            let (start, before) = (clock.now, processorSeconds())
            try body()
            wall += (clock.now - start).seconds
            processor += processorSeconds() - before
        }
        switch step {
        case .insert:
            for (number, start) in stride(from: 0, to: count, by: batch).enumerated() {
                let records = (start..<min(count, start + batch)).map(record)
                try time { try save(records) }
                if number.isMultiple(of: 64) { try runQueries() }
            }
        case .update:
            for (number, start) in stride(from: 0, to: count, by: batch).enumerated() {
                let found = try database.fetch(Array(ids[start..<min(count, start + batch)]))
                let records = try found.values.map { result in
                    var record = try result.get()
                    record["rating"] = 5.5
                    return record
                }
                try time { try save(records) }
                if number.isMultiple(of: 64) { try runQueries() }
            }
        case .fetch: try time { try check(database.fetch(ids), isReading: false) }
        case .fetchBatches, .read:
            for start in stride(from: 0, to: count, by: batch) {
                let part = Array(ids[start..<min(count, start + batch)])
                try time { try check(database.fetch(part), isReading: step == .read, count: part.count) }
            }
        }
        return [
            step.rawValue, count.separated, (wall * 1e3).figure, Int(Double(count) / wall).separated,
            (processor / Double(count) * 1e6).figure,
        ]
    }

    private func save(_ records: [Record]) throws {
        let result = try database.modify(ModifyRequest(saves: records))
        guard result.saves.count == records.count, result.partialErrors.isEmpty else {
            throw WrongResult(description: "\(result.partialErrors.count) records were not saved")
        }
    }

    private func check(
        _ results: [Record.ID: Result<Record, DatabaseError>], isReading: Bool, count: Int? = nil
    ) throws {
        guard results.count == count ?? self.count else {
            throw WrongResult(description: "\(results.count) records were fetched")
        }
        for case .failure(let error) in results.values { throw WrongResult(description: "\(error)") }
        if isReading {
            for case .success(let record) in results.values {
                guard record["population"] as Int? != nil, record["name"] as String? != nil else {
                    throw WrongResult(description: "a record lost a field")
                }
            }
        }
    }

    /// Questions that build the indexes of every field.
    private func runQueries() throws {
        let queries: [RecordPredicate] = [
            "category == 'category 7' AND population > 999000", "name BEGINSWITH 'Place number 77'", "rating > 4.85",
            "ANY tags == 'tag 5' AND category == 'category 3'", "self CONTAINS 'number'",
            "distanceToLocation:fromLocation:(location, \(Location(latitude: 5, longitude: 5))) < 5000",
        ]
        for query in queries { _ = try database.find(Query("Place", query), in: .zone(zone.id), limit: 10) }
    }
}
