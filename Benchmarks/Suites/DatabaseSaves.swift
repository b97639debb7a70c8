// Saves of single records, one after another and from many tasks, beside SQLite's.

import RecordDatabase
import RecordModel

/// Saves new places on both sides.
@MainActor
struct DatabaseSaves {
    private let bench: DatabaseBench
    /// The number of the next new place.
    private(set) var next: Int

    init(_ bench: DatabaseBench) {
        self.bench = bench
        next = bench.count
    }

    /// After how many saves both sides look for the last one with every index.
    nonisolated private static let searchInterval = 16
    /// Tasks that save at the same time.
    private static let tasks = 64

    private mutating func places(_ count: Int) -> [BriefPlace] {
        defer { next += count }
        return (next..<next + count).map(bench.queries.generator.brief)
    }

    /// One record after another, each in a transaction of its own; both sides have the same ones in the end.
    mutating func single() async throws -> ComparisonTable.Row {
        let database = bench.database
        var times: (task: [Double], main: [Double], sqlite: [Double]) = ([], [], [])
        for _ in 0..<bench.clock.turns {
            let (first, second) = (places(bench.clock.saves), places(bench.clock.saves))
            times.task += try await Task.detached { try await Self.save(first, in: database) }.value
            times.main += try await Self.save(second, in: database)
            times.sqlite += try saveInSQLite(first + second)
        }
        return ComparisonTable.Row(
            title: bench.isStored ? "durable save of one record" : "save one record, six indexes live",
            task: Measurement(times.task).median, mainActor: Measurement(times.main).median,
            sqlite: Measurement(times.sqlite).median)
    }

    /// Seconds of each save.
    nonisolated(nonsending) private static func save(
        _ places: [BriefPlace], in database: Database
    ) async throws -> [Double] {
        let clock = ContinuousClock()
        var times: [Double] = []
        for (number, place) in places.enumerated() {
            let record = place.record
            let start = clock.now
            _ = try await database.save(record)
            times.append((clock.now - start).seconds)
            if number % searchInterval == searchInterval - 1 { try await DatabaseBench.find(place, in: database) }
        }
        return times
    }

    private func saveInSQLite(_ places: [BriefPlace]) throws -> [Double] {
        let clock = ContinuousClock()
        let search = try bench.sqlite.database.prepare(
            "SELECT \(SQLiteBriefPlaces.fields) FROM place WHERE name = ?1 AND owner = ?2")
        return try places.enumerated().map { number, place in
            let start = clock.now
            try bench.sqlite.insert(place)
            let time = (clock.now - start).seconds
            if number % Self.searchInterval == Self.searchInterval - 1 {
                let values: [FieldValue] = [.string(place.name), .int64(Int64(place.owner))]
                guard try SQLiteBriefPlaces.fields(search, values) == [BriefFields(place)] else {
                    throw WrongResult(description: "\(place.recordName) is not found in SQLite")
                }
            }
            return time
        }
    }

    /// Records that many tasks save at the same time, each task one after another; SQLite's one thread saves as many.
    mutating func together() async throws -> ComparisonTable.Row {
        let database = bench.database
        let clock = ContinuousClock()
        var times: (ours: [Double], sqlite: [Double]) = ([], [])
        for _ in 0..<bench.clock.turns {
            let parts = (0..<Self.tasks).map { _ in places(bench.clock.saves / 4) }
            let count = Double(parts.joined().count)
            let start = clock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for places in parts {
                    group.addTask { for place in places { _ = try await database.save(place.record) } }
                }
                try await group.waitForAll()
            }
            times.ours.append((clock.now - start).seconds / count)
            for place in parts.compactMap(\.last) { try await DatabaseBench.find(place, in: database) }
            times.sqlite.append(
                try clock.measure { for place in parts.joined() { try bench.sqlite.insert(place) } }.seconds / count)
        }
        return ComparisonTable.Row(
            title: "durable saves from \(Self.tasks) tasks (SQLite: one thread)",
            task: Measurement(times.ours).median, sqlite: Measurement(times.sqlite).median, isRate: true)
    }
}
