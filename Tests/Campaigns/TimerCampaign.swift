// A timer beside long queries: the threads of tasks belong to everybody.

import RecordDatabase
import RecordModel

/// Four long queries of a database at once, and a task that sleeps 2 ms again and again.
struct TimerCampaign {
    private static let queries = 4
    private static let nap = Duration.milliseconds(2)

    /// How much later than asked for the task went on, by the median, in the best of some rounds: other work of the
    /// machine delays one round or another, and queries that hold the threads of tasks delay all of them.
    func run(rounds: Int) async throws -> Duration {
        var configuration = Configuration()
        (configuration.limits.itemsPerRequest, configuration.limits.bytesPerRequest) = (20_000, .max)
        let database = try Container(identifier: "timer", configuration: configuration).privateDatabase
        let numbers = FieldValue.list((0..<40).map { .int64($0) })
        let records = (0..<20_000).map { Record(type: "T", id: Record.ID("r\($0)"), fields: ["list": numbers]) }
        _ = try database.load(0..<records.count, of: RecordSet(records: records))
        let query = Query(
            "T",
            try RecordPredicate(format: "SUBQUERY(list, $x, SUBQUERY(list, $y, $x + $y == -1).@count > 0).@count > 0"))
        let isDone = (0..<Self.queries).map { _ in
            Task.detached { try await database.recordPage(matching: query, in: .default).matchResults.count }
        }
        let lateness = await Task.detached { await Self.bestRound(rounds) }.value
        for task in isDone { task.cancel() }
        for task in isDone {
            do {
                _ = try await task.value
            } catch let error as DatabaseError where error.code == .operationCancelled {
                continue
            }
        }
        return lateness
    }

    private static func bestRound(_ rounds: Int) async -> Duration {
        let clock = ContinuousClock()
        var best = Duration.seconds(3600)
        for _ in 0..<max(1, rounds) {
            var late: [Duration] = []
            for _ in 0..<21 {
                let start = clock.now
                try? await Task.sleep(for: nap)
                late.append(clock.now - start - nap)
            }
            best = min(best, late.sorted()[late.count / 2])
        }
        return best
    }
}
