// What a peer answered and how long it took, in the form that the Python peers write: keys in snake case.

/// All results of one peer.
struct PeerResults: Codable {
    var peer: String
    var version: String
    /// How many records it was loaded with.
    var records: Int
    var recordsPerSecond: Double?
    var bytesPerRecord: Double?
    var queries: [Query]

    /// The result of one query.
    struct Query: Codable {
        /// For example `Q1a.ids`.
        var id: String
        /// Microseconds.
        var medianUs: Double
        var count: Int
        var sum: UInt64?
        var order: [Int]?
        var runs: Int

        init(_ result: QueryResult) {
            id = result.id
            medianUs = result.time.median * 1e6
            count = result.outcome.count
            sum = result.outcome.sum
            order = result.outcome.order
            runs = result.time.runs
        }

        var outcome: Outcome { Outcome(count: count, sum: sum, order: order) }
    }
}
