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

/// What a query delivered, reduced to what can be compared.
struct Answer: Codable, Equatable {
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
    var answer: Answer
    /// Seconds.
    var time: Measurement
    /// What parsing and planning cost before, where the engine was asked to prepare the query.
    var preparation: Measurement?
}
