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

    /// One line a query: our time, each peer's, and how many times as fast as the best peer we are; once more with our
    /// preparation in every run, because a plan of ours keeps the sets of rows that it looked up, while a statement of
    /// a peer looks them up in every run.
    func table() -> String {
        var table = TextTable(
            ["query", "count", "ours µs", "prepare µs"] + peers.map { $0.peer + " µs" }
                + ["best peer / ours", "/ (ours + prepare)"])
        var ratios: [Double] = []
        var wholeRatios: [Double] = []
        for result in ours {
            let microseconds = result.time.median * 1e6
            let preparation = (result.preparation?.median ?? 0) * 1e6
            let best = best(result.id)?.microseconds
            if let best {
                ratios.append(best / microseconds)
                wholeRatios.append(best / (microseconds + preparation))
            }
            let columns = peers.map { peer in
                peer.queries.first { $0.id == result.id }?.medianUs.figure ?? ""
            }
            table.add(
                [
                    result.id, result.answer.count.separated, microseconds.figure,
                    result.preparation == nil ? "" : preparation.figure,
                ] + columns + (best == nil ? ["", ""] : [ratios, wholeRatios].map { $0.last?.figure ?? "" }))
        }
        guard !ratios.isEmpty else { return table.text }
        return """
            \(table.text)
            geometric mean of best peer / ours over \(ratios.count) queries: \(geometricMean(ratios).figure); \
            with our preparation in every run: \(geometricMean(wholeRatios).figure)
            """
    }

    /// The answers that are not ours, in words. `isSpherical` tells the query families where a peer measures distance
    /// on a sphere: one place in fifty may then differ, and one in five of those nearest to a point.
    func differences(isSpherical: (String) -> Bool) -> [String] {
        let mine = Dictionary(ours.map { ($0.id, $0.answer) }, uniquingKeysWith: { first, _ in first })
        return peers.flatMap { peer in
            peer.queries.compactMap { query in
                guard let answer = mine[query.id] else { return nil }
                let family = String(query.id.prefix { $0 != "." })
                let difference =
                    isSpherical(family)
                    ? answer.roughDifference(from: query.answer) : answer.difference(from: query.answer)
                return difference.map { "\(query.id): \($0) \(peer.peer)" }
            }
        }
    }
}

extension Answer {
    /// How another answer differs, in words.
    fileprivate func difference(from other: Answer) -> String? {
        if count != other.count { return "\(count) records here, \(other.count) in" }
        if let sum, let theirs = other.sum, sum != theirs { return "other records than" }
        if let order, let theirs = other.order, order != theirs { return "another order than" }
        return nil
    }

    /// How another answer differs more than by places at the rim.
    fileprivate func roughDifference(from other: Answer) -> String? {
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
                id: result.id, medianUs: result.time.median * 1e6, minUs: result.time.minimum * 1e6,
                maxUs: result.time.maximum * 1e6, prepareUs: result.preparation.map { $0.median * 1e6 },
                count: result.answer.count, runs: result.time.runs,
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
