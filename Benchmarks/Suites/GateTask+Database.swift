// The tasks of the gate that a database does, through its public functions.

import Dispatch
import FoundationEssentials
import RecordDatabase
import RecordModel
import Synchronization

extension GateTask {
    /// Calls of a database of 5,500 places in segments that nothing merges, with new values each time.
    ///
    /// Queries run on this thread: those of tasks would run out of their millisecond under Valgrind.
    static var ofDatabases: [GateTask] {
        [
            GateTask(
                name: "fetch 500 records by identifier", outcome: 500, isHot: true, limit: threadLimit, repetitions: 20
            ) {
                let (database, generator) = try places()
                let places = (0..<500).map { generator.brief($0 * 11) }
                return {
                    try waiting {
                        var found = 0
                        for place in places {
                            let record = try await database.record(for: Record.ID(place.recordName))
                            if try BriefFields(record) == BriefFields(place) { found += 1 }
                        }
                        return found
                    }
                }
            },
            GateTask(name: "look for a unique text 500 times", outcome: 500, isHot: true) {
                let (database, generator) = try places()
                let places = (0..<500).map { generator.brief($0 * 11) }
                return {
                    try places.reduce(0) { found, place in
                        let page = try database.find(
                            Query("Place", "name == \(place.name)"), in: .zone(.default))
                        return try found + page.matches.count { try BriefFields($0.1.get()) == BriefFields(place) }
                    }
                }
            },
            GateTask(name: "the newest 50 of a category 50 times", outcome: 2_500, isHot: true) {
                try pages(50) { place, _ in
                    Query(
                        "Place", "category == \("common") AND rating >= \(place.rating / 5)",
                        sortedBy: [.descending("created")])
                }
            },
            GateTask(name: "the first 50 of a range in its order 50 times", outcome: 2_500, isHot: true) {
                try pages(50) { _, number in
                    Query("Place", "owner >= \(2_000 + number * 31)", sortedBy: [.ascending("owner")])
                }
            },
            newMoments,
            GateTask(name: "up to 100 of a range 50 times", outcome: 3_000) {
                try pages(100) { _, number in
                    let first = number * 37
                    return Query("Place", "category == \("common") AND owner BETWEEN {\(first), \(first + 79)}")
                }
            },
            GateTask(name: "save 200 records one after another", outcome: 200, isHot: true, limit: threadLimit) {
                let (database, generator) = try places()
                let places = (0..<generator.count).map(generator.brief)
                let next = turns(of: 200, from: 6_000)
                return {
                    let turn = next()
                    return try waiting {
                        var saved = 0
                        for place in places[turn] {
                            if try await database.save(place.record).id.recordName == place.recordName { saved += 1 }
                        }
                        return saved
                    }
                }
            },
            groupCommits,
        ]
    }

    /// The limit of tasks on several threads: how often these wait for each other differs from run to run.
    private static let threadLimit = 1.25

    /// The folder of the stores of tasks, which is made anew by each.
    static let folder = FileManager.default.temporaryDirectory.path + "/benchmarks-gate-store"

    /// Saves that wait for the disk together: which of them form a group depends on when threads run, and so do some of
    /// the instructions.
    private static var groupCommits: GateTask {
        GateTask(name: "commit 400 saves of 16 tasks to a folder", outcome: 400, isHot: true, limit: threadLimit) {
            try? FileManager.default.removeItem(atPath: folder)
            let database = try Container(identifier: "gate", storedAt: URL(filePath: folder)).privateDatabase
            let generator = PlaceGenerator(count: 10_000)
            let places = (0..<generator.count).map(generator.brief)
            _ = try database.modify(ModifyRequest(saves: places.prefix(200).map(\.record)))
            let next = turns(of: 400, from: 200)
            return {
                let turn = next()
                return try waiting {
                    try await withThrowingTaskGroup(of: Int.self) { group in
                        for part in stride(from: turn.lowerBound, to: turn.upperBound, by: 25) {
                            group.addTask {
                                var saved = 0
                                for place in places[part..<part + 25] {
                                    let record = try await database.save(place.record)
                                    if record.id.recordName == place.recordName { saved += 1 }
                                }
                                return saved
                            }
                        }
                        return try await group.reduce(0, +)
                    }
                }
            }
        }
    }

    /// Queries of snapshots each of which has one more record.
    private static var newMoments: GateTask {
        GateTask(
            name: "look for a unique text in 100 new moments", outcome: 100, isHot: true, limit: threadLimit
        ) {
            let (database, generator) = try places()
            let places = (0..<generator.count).map(generator.brief)
            let next = turns(of: 100, from: 6_000)
            return {
                try places[next()].enumerated().reduce(0) { found, new in
                    _ = try database.modify(ModifyRequest(saves: [new.element.record]))
                    let records = try database.snapshot().records(ofType: "Place", in: .zone(.default))
                    return try found + records.records(matching: "name == \(places[new.offset * 11].name)").count
                }
            }
        }
    }

    /// Which places each repetition of a task takes: so many, behind those of the one before.
    private static func turns(of count: Int, from first: Int) -> @Sendable () -> Range<Int> {
        let next = Mutex(first)
        return {
            next.withLock { next in
                defer { next += count }
                return next..<next + count
            }
        }
    }

    /// Reads three fields of each record of 50 pages.
    private static func pages(
        _ limit: Int, _ query: (BriefPlace, Int) -> Query
    ) throws -> () throws -> Int {
        let (database, generator) = try places()
        let queries = (0..<50).map { query(generator.brief($0), $0) }
        return {
            try queries.reduce(0) { read, query in
                let page = try database.find(query, in: .zone(.default), limit: limit)
                return try read + page.matches.count { try BriefFields($0.1.get()).population >= 0 }
            }
        }
    }

    /// Places of which three of four are of one category, and whose owners are their numbers: two segments of some
    /// thousands, and three of one record.
    private static func places() throws -> (Database, PlaceGenerator) {
        let generator = PlaceGenerator(count: 10_000)
        var configuration = Configuration()
        configuration.limits.itemsPerRequest = 4_000
        let database = try Container(identifier: "gate", configuration: configuration).privateDatabase
        var places = (0..<5_500).map { number in
            var place = generator.brief(number)
            place.owner = number
            if number % 4 != 0 { place.category = "common" }
            return place
        }[...]
        for count in [4_000, 1_497, 1, 1, 1] {
            _ = try database.modify(ModifyRequest(saves: places.prefix(count).map(\.record)))
            places.removeFirst(count)
        }
        return (database, generator)
    }

    /// Waits for what a task does.
    private static func waiting(_ work: @escaping @Sendable () async throws -> Int) throws -> Int {
        let outcome = Mutex<Result<Int, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let result: Result<Int, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = outcome.withLock({ $0 }) else { throw WrongResult(description: "a task was lost") }
        return try result.get()
    }
}
