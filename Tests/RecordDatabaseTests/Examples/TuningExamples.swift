// The examples of the article on tuning, and the numbers that it names.

import Foundation
import RecordDatabase
import Testing

struct TuningExamples {
    @Test func figures() async throws {
        let place = TemporaryFolder()
        let container = try Container(identifier: "travel", storedAt: place.url)
        let database = container.privateDatabase
        try await database.import(Cookbook.airports())

        let before = container.activity
        let airports = try await database.records(matching: Query("Airport", "country == 'CH'"))
        let spent = container.activity.since(before)
        print(airports.count, spent.queries, spent.queryTime, spent.commits)
        #expect(spent.queries > 0 && spent.queryTime > .zero && spent.commits == 0)

        let statistics = try await container.storageStatistics()
        for part in statistics.records {
            print(part.recordType, part.count, part.deletedRows, part.segments, part.indexes)
        }
        print(statistics.segmentBytes, statistics.tableBytes, statistics.freeBytes, statistics.logBytes)
        #expect(statistics.recordCount == 17_090)
        container.close()
    }

    @Test func plans() throws {
        var airports = try Cookbook.airports()

        let explanation = try airports.explain("country == 'CH' AND elevationFeet * 2 > 9000")
        for plan in explanation.plans { print(plan.step.name, plan.step.estimatedRows, plan.step.rows, plan.step.time) }
        for scan in explanation.scans { print(scan.part, scan.reason) }
        for advice in explanation.advice { print(advice) }
        #expect(explanation.plans.count == 1)

        airports.limits = QueryLimits(time: .seconds(2), resultBytes: 64 << 20)
        airports.refusesScans = true
        #expect(throws: RecordPredicateError.self) { try airports.count(matching: "elevationFeet * 2 > 9000") }
    }

    /// The defaults in the article's table.
    @Test func defaults() throws {
        let limits = Limits()
        #expect(limits.itemsPerRequest == 400 && limits.bytesPerRequest == 2 << 20 && limits.bytesPerRecord == 1 << 20)
        #expect(limits.pageSize == 100 && limits.queryTime == nil && limits.bytesPerStore == nil)
        #expect(limits.stepsWaiting == 1_000 && limits.notificationsWaiting == 1_000)
        #expect(limits.deletionsPerZone == 1_000_000)
        #expect(limits.queryStepsPerRecord == 50_000_000 && QueryLimits().stepsPerRecord == 50_000_000)
        #expect(QueryLimits().time == nil && QueryLimits().resultBytes == nil)
        #expect(StorageOptions().checkpointByteCount == 16 << 20 && StorageOptions().durability == .full)
    }

    /// Indexes are built when queries first need them, none for a set that builds none, and `substring` only where it
    /// is declared.
    @Test func indexes() throws {
        var airports = try Cookbook.airports()
        airports.buildsIndexes = false
        #expect(try airports.explain("country == 'CH'").scans.isEmpty == false)
        airports.buildsIndexes = true
        #expect(try airports.explain("country == 'CH'").scans.isEmpty)
        #expect(try airports.explain("name CONTAINS 'Bern'").scans.isEmpty == false)
        airports.declaredIndexes = IndexDeclaration(["name": .substring], others: .automatic)
        #expect(try airports.explain("name CONTAINS 'Bern'").scans.isEmpty)
    }
}
