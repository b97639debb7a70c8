// How the peers ask the questions of the place workload.

/// The peers' forms of one query; the Python peers read the same file.
struct PeerQuery: Decodable {
    var title: String
    /// SQL statements with the same answer; `{columns}` stands for what is selected.
    var sqlite: [String]?
    /// Indexes made for this query alone, tried beside the ones that all queries share.
    var sqliteIndexes: [String]?
    /// Latitude, longitude, and number of the nearest places asked for.
    var nearest: [Double]?
    /// Whether the peers measure distance on a sphere: a few places at the rim may differ from the geodesic's answer.
    var spherical: Bool?

    /// The forms by query family.
    static func read(_ path: String) throws -> [String: PeerQuery] {
        try readJSON([String: PeerQuery].self, path)
    }
}

/// A query of the workload with variables in place of its constants.
struct BoundQuery: Decodable {
    /// What the values of a run are drawn from, in the words of `BoundValueSource`.
    var draw: [String]
    /// With the variables `$a`, `$b`, `$c`.
    var predicate: String
    /// SQL statements with the same answer and the parameters `?1`, `?2` …
    var sqlite: [String]

    /// The queries by family.
    static func read(_ path: String) throws -> [String: BoundQuery] {
        try readJSON([String: BoundQuery].self, path)
    }
}

/// What was found, and how long it took.
protocol Timed {
    var outcomes: [Outcome] { get }
    /// The median.
    var seconds: Double { get }
}

extension QueryResult: Timed {
    var outcomes: [Outcome] { [outcome] }
    var seconds: Double { time.median }
}

/// What an engine delivered for a query with new values in every run.
struct BoundResult: Timed {
    /// By the number of the values.
    var outcomes: [Outcome]
    var time: TimedRuns
    var seconds: Double { time.median }

    /// The answers to values: to at least four, then to as many as a time allows, in seconds.
    static func outcomes(
        _ count: Int, within seconds: Double, _ outcome: (Int) throws -> Outcome
    ) rethrows -> [Outcome] {
        let clock = ContinuousClock()
        let start = clock.now
        var outcomes: [Outcome] = []
        while outcomes.count < count, outcomes.count < 4 || (clock.now - start).seconds < seconds {
            outcomes.append(try outcome(outcomes.count))
        }
        return outcomes
    }
}

/// What a query delivered, reduced to what can be compared.
struct Outcome: Codable, Equatable {
    /// How many records match.
    var count: Int
    /// The sum of their numbers, modulo 2⁶⁴; `nil` where only the count was asked for.
    var sum: UInt64?
    /// The numbers in order, where the query sorts.
    var order: [Int]?
}

/// The answer of one engine to one query, and how long it took.
struct QueryResult: Codable {
    /// The query's name, for example `Q1a.ids`.
    var id: String
    var outcome: Outcome
    /// Seconds.
    var time: Measurement
    /// What parsing and planning cost before, where the engine was asked to prepare the query.
    var preparation: Measurement?
}
