// This library beside SQLite: the same work with the same values, from a task and from the main actor.

import Glibc

/// Work with the values of a number.
typealias TimedWork<Outcome> = nonisolated(nonsending) @Sendable (Int) async throws -> Outcome

/// What was measured of both sides, a row for each kind of work.
struct ComparisonTable {
    /// Seconds of one piece of work.
    struct Row {
        var title: String
        var task: Double
        /// `nil` where work that many tasks do is measured.
        var mainActor: Double?
        var sqlite: Double
        /// Shown as pieces a second.
        var isRate = false
    }

    /// How many records there are.
    let records: Int
    /// What was measured, for example `100,000 places in memory`.
    let title: String
    private(set) var rows: [Row] = []

    init(_ records: Int, _ title: String) {
        self.records = records
        self.title = "\(records.separated) \(title)"
    }

    mutating func add(_ row: Row) { rows.append(row) }

    private var table: TextTable {
        var table = TextTable([
            title, "from a task", "from the main actor", "SQLite", "times as fast, task", "main actor",
        ])
        for row in rows {
            func cell(_ seconds: Double?) -> String {
                guard let seconds else { return "" }
                return row.isRate ? Int(1 / seconds).separated + "/s" : (seconds * 1e6).figure + " µs"
            }
            table.add([
                row.title, cell(row.task), cell(row.mainActor), cell(row.sqlite), (row.sqlite / row.task).figure,
                row.mainActor.map { (row.sqlite / $0).figure } ?? "",
            ])
        }
        return table
    }

    /// Geometric means of how many times as fast as SQLite this library is.
    var means: String {
        let task = geometricMean(rows.map { $0.sqlite / $0.task })
        let main = geometricMean(rows.compactMap { row in row.mainActor.map { row.sqlite / $0 } })
        return "geometric mean over \(rows.count) rows: \(task.figure) from a task, \(main.figure) from the main actor"
    }

    /// The rows in which SQLite is faster, with what part of its speed this library has.
    var slower: String {
        let slower = rows.filter { $0.sqlite < $0.task }.map { "\($0.title) (\(($0.sqlite / $0.task).figure))" }
        return slower.isEmpty ? "no row slower than SQLite" : "slower than SQLite: " + slower.joined(separator: "; ")
    }

    var text: String { table.text + "\n\(means)\n\(slower)\n" }
    var markdown: String { table.markdown + "\n\n\(title): \(means); \(slower)." }
}

/// The geometric mean of positive numbers; not a number where there are none.
func geometricMean(_ values: [Double]) -> Double {
    exp(values.reduce(0) { $0 + log($1) } / Double(values.count))
}

extension ComparisonTable {
    /// How long both sides take, in turns so that other programs disturb both, after every answer was compared.
    struct Clock {
        /// Seconds of each side, in each of the turns.
        var budget = 0.1
        var turns = 3
        /// Single records that are saved in each of the turns.
        var saves = 256
        /// Only the rows whose titles have this text; `nil` for all.
        var only: String?
    }

    /// Compares the answers to all values, then times both sides, and adds a row.
    ///
    /// - Parameters:
    ///   - count: How many values there are; the runs take them one after another.
    ///   - agrees: Whether the answers are the same.
    @MainActor mutating func compare<Ours: Sendable, Theirs>(
        _ title: String, values count: Int, by clock: Clock, ours: @escaping TimedWork<Ours>,
        sqlite: (Int) throws -> Theirs, agrees: (Ours, Theirs) -> Bool
    ) async throws {
        if let only = clock.only, !title.contains(only) { return }
        var seconds = (ours: 0.0, sqlite: 0.0)
        let now = ContinuousClock().now
        for number in 0..<count {
            let start = now.duration(to: .now)
            let mine = try await ours(number)
            let middle = now.duration(to: .now)
            let theirs = try sqlite(number)
            seconds.ours += (middle - start).seconds
            seconds.sqlite += (now.duration(to: .now) - middle).seconds
            guard agrees(mine, theirs) else {
                throw WrongResult(description: "\(title), values \(number): \(mine) here, \(theirs) in SQLite")
            }
        }
        // Where one side takes long, both get only as many values as it can take in a turn.
        let share = clock.budget / max(seconds.ours, seconds.sqlite, 1e-9)
        var runs = TimedRuns(values: min(count, max(min(count, 25), Int(Double(count) * min(1, share)))))
        var (main, peer) = (runs, runs)
        let budget = clock.budget
        for _ in 0..<clock.turns {
            let before = runs
            runs = try await Task.detached {
                var runs = before
                try await runs.run(for: budget, ours)
                return runs
            }.value
            try await main.run(for: budget, ours)
            try peer.run(for: budget, sqlite)
        }
        add(Row(title: title, task: runs.median, mainActor: main.median, sqlite: peer.median))
    }
}
