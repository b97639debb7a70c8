// The results of a run: a table for people, JSON for programs, and where answers differ.

import Glibc

/// What loading the data cost our engine.
struct EngineIngest {
    var records: Int
    /// Size of the file, in bytes.
    var bytes: Int
    var seconds: Double
    /// What the process holds more than before, in bytes.
    var residentBytes: Int

    var line: String {
        """
        loaded \(records.separated) records, \(bytes.separated) bytes in \(seconds.figure) s: \
        \((Double(bytes) / seconds / 1e6).figure) MB/s, \((Double(records) / seconds).figure) records/s, \
        \((Double(residentBytes) / Double(max(1, records))).figure) resident bytes a record
        """
    }
}

/// Results of our engine and of the peers.
struct RunReport {
    var machine: Machine
    var data: String
    var ingest: EngineIngest
    /// What the process holds more than before loading, all indexes that the queries wanted included, in bytes.
    var residentBytes = 0
    var ours: [QueryResult] = []
    var peers: [PeerResults] = []
    /// What both sides take with new values in every run, by the query's name.
    var bound: [String: (ours: BoundResult, sqlite: BoundResult?)] = [:]

    init(machine: Machine, data: String, ingest: EngineIngest) {
        self.machine = machine
        self.data = data
        self.ingest = ingest
    }

    /// The fastest peer on a query.
    func best(_ id: String) -> (peer: String, microseconds: Double)? {
        peers.flatMap { peer in peer.queries.filter { $0.id == id }.map { (peer.peer, $0.medianUs) } }
            .min { $0.1 < $1.1 }
    }

    /// How many times as fast as SQLite we are, with new values in every run on both sides.
    var boundRatios: [(id: String, ratio: Double)] {
        ours.compactMap { result in
            guard let times = bound[result.id], let sqlite = times.sqlite else { return nil }
            return (result.id, sqlite.time.median / times.ours.time.median)
        }
    }

    /// One line a query: first with new values in every run, on both sides. Then with constants: a plan of ours keeps
    /// the sets of rows that it looked up for them, while a statement of a peer looks them up in every run.
    var table: TextTable {
        var table = TextTable(
            ["query", "bound µs", "SQLite bound µs", "SQLite / ours", "count", "constants kept µs", "prepare µs"]
                + peers.map { $0.peer + " µs" } + ["best peer / constants kept"])
        for result in ours {
            let times = bound[result.id]
            let ratio = boundRatios.first { $0.id == result.id }?.ratio
            let columns = peers.map { peer in peer.queries.first { $0.id == result.id }?.medianUs.figure ?? "" }
            table.add(
                [
                    result.id, times.map { ($0.ours.time.median * 1e6).figure } ?? "",
                    times?.sqlite.map { ($0.time.median * 1e6).figure } ?? "", ratio?.figure ?? "",
                    result.outcome.count.separated, (result.time.median * 1e6).figure,
                    result.preparation.map { ($0.median * 1e6).figure } ?? "",
                ] + columns + [ratioToBest(result)?.figure ?? ""])
        }
        return table
    }

    /// How many times as fast as the best peer we are where constants are kept.
    private func ratioToBest(_ result: QueryResult) -> Double? {
        best(result.id).map { $0.microseconds / (result.time.median * 1e6) }
    }

    /// The geometric means in words, and where SQLite is faster.
    var headline: String {
        var lines: [String] = []
        let ratios = boundRatios
        if !ratios.isEmpty {
            let mean = geometricMean(ratios.map(\.ratio)).figure
            let slower = ratios.filter { $0.ratio < 1 }.map { "\($0.id) (\($0.ratio.figure))" }
            lines.append(
                """
                new values in every run, both sides: \(mean) times the speed of SQLite in the geometric mean over \
                \(ratios.count) queries; slower than SQLite: \(slower.isEmpty ? "none" : slower.joined(separator: ", "))
                """)
        }
        let kept = ours.compactMap(ratioToBest)
        if !kept.isEmpty {
            lines.append(
                """
                constants kept, ours with the rows they found: \(geometricMean(kept).figure) times the speed of the best \
                peer over \(kept.count) queries
                """)
        }
        return lines.joined(separator: "\n")
    }

    /// The answers that are not ours, in words. `isSpherical` tells the query families where a peer measures distance
    /// on a sphere: one place in fifty may then differ, and one in five of those nearest to a point.
    func differences(isSpherical: (String) -> Bool) -> [String] {
        let mine = Dictionary(ours.map { ($0.id, $0.outcome) }, uniquingKeysWith: { first, _ in first })
        return boundDifferences(isSpherical)
            + peers.flatMap { peer in
                peer.queries.compactMap { query in
                    guard let outcome = mine[query.id] else { return nil }
                    let difference = outcome.difference(from: query.outcome, isRough: isSpherical(query.id.family))
                    return difference.map { "\(query.id): \($0) \(peer.peer)" }
                }
            }
    }

    /// The answers that are not SQLite's for some values.
    private func boundDifferences(_ isSpherical: (String) -> Bool) -> [String] {
        bound.sorted { $0.key < $1.key }.flatMap { id, results in
            zip(results.ours.outcomes, results.sqlite?.outcomes ?? []).enumerated().compactMap { number, outcomes in
                let difference = outcomes.0.difference(from: outcomes.1, isRough: isSpherical(id.family))
                return difference.map { "\(id), values \(number): \($0) SQLite" }
            }
        }
    }
}

extension String {
    /// The name shared by the modes of a query: `Q1a` of `Q1a.count`.
    fileprivate var family: String { String(prefix { $0 != "." }) }
}

extension Outcome {
    /// How another answer differs, in words.
    fileprivate func difference(from other: Outcome, isRough: Bool) -> String? {
        if isRough { return roughDifference(from: other) }
        if count != other.count { return "\(count) records here, \(other.count) in" }
        if let sum, let theirs = other.sum, sum != theirs { return "other records than" }
        if let order, let theirs = other.order, order != theirs { return "another order than" }
        return nil
    }

    /// How another answer differs more than by places at the rim.
    private func roughDifference(from other: Outcome) -> String? {
        if abs(count - other.count) > max(2, count / 50) { return "\(count) records here, \(other.count) in" }
        if let order, let theirs = other.order, Set(order).intersection(theirs).count * 5 < count * 4 {
            return "other records than"
        }
        return nil
    }
}

extension RunReport {
    /// The report as JSON; a key is the name in snake case, `median_us`.
    struct Summary: Encodable {
        struct Query: Encodable {
            var id: String
            /// With new values in every run.
            var boundUs, sqliteBoundUs: Double?
            /// With constants, whose rows a prepared query of ours keeps.
            var medianUs, minUs, maxUs: Double
            var prepareUs: Double?
            var count, runs: Int
            /// Medians of the peers in microseconds.
            var peersUs: [String: Double]
        }
        struct Ingest: Encodable {
            var records, bytes: Int
            var seconds, recordsPerSecond, megabytesPerSecond: Double
        }
        struct Memory: Encodable {
            /// After all queries, their indexes included.
            var residentBytes: Int
            var bytesPerRecord: Double
            /// After loading, before the first query.
            var loadedBytes: Int
        }
        var machine: Machine
        var data: String
        var queries: [Query]
        var ingest: Ingest
        var memory: Memory
    }

    var summary: Summary {
        let queries = ours.map { result in
            let times = peers.compactMap { peer in
                peer.queries.first { $0.id == result.id }.map { (peer.peer, $0.medianUs) }
            }
            return Summary.Query(
                id: result.id, boundUs: bound[result.id].map { $0.ours.time.median * 1e6 },
                sqliteBoundUs: bound[result.id]?.sqlite.map { $0.time.median * 1e6 },
                medianUs: result.time.median * 1e6, minUs: result.time.minimum * 1e6,
                maxUs: result.time.maximum * 1e6, prepareUs: result.preparation.map { $0.median * 1e6 },
                count: result.outcome.count, runs: result.time.runs,
                peersUs: Dictionary(times, uniquingKeysWith: min))
        }
        return Summary(
            machine: machine, data: data, queries: queries,
            ingest: Summary.Ingest(
                records: ingest.records, bytes: ingest.bytes, seconds: ingest.seconds,
                recordsPerSecond: Double(ingest.records) / ingest.seconds,
                megabytesPerSecond: Double(ingest.bytes) / ingest.seconds / 1e6),
            memory: Summary.Memory(
                residentBytes: residentBytes, bytesPerRecord: Double(residentBytes) / Double(max(1, ingest.records)),
                loadedBytes: ingest.residentBytes))
    }
}

// MARK: Documents

extension RunReport {
    /// The table and what it comes to, in Markdown.
    var figures: String {
        table.markdown + "\n\n" + headline.split(separator: "\n").joined(separator: "\n\n")
    }

    /// What a reader wants to know first.
    var summaryText: String { "\(ingest.records.separated) places: \(headline)." }
}

extension RunReport {
    /// Microseconds that a picture shows for a query of ours: with new values in every run, where that was measured.
    func charted(_ result: QueryResult) -> Double {
        (bound[result.id]?.ours.seconds ?? result.time.median) * 1e6
    }

    /// As `charted`, of a peer; the Python peers keep no rows of constants.
    func charted(_ result: QueryResult, _ peer: PeerResults) -> Double? {
        if peer.peer == "SQLite", let bound = bound[result.id]?.sqlite { return bound.seconds * 1e6 }
        return peer.queries.first { $0.id == result.id }?.medianUs
    }
}
