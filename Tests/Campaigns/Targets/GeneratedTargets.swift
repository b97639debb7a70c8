// Targets whose bytes decide what is generated: every input means something.

import Glibc
import RecordModel

extension FuzzTarget {
    /// Bytes that decide at random.
    private static func decisions(_ count: Int, of lengths: [Int]) -> @Sendable () -> [[UInt8]] {
        {
            var generator = SeededGenerator(seed: 11)
            return (0..<count).map { _ in
                (0..<generator.pick(lengths)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            }
        }
    }

    static let results = FuzzTarget(
        name: "answers", summary: "random predicates over random records: every plan against the per-record evaluator",
        run: { bytes in
            var queries = RandomPredicates(SeededGenerator(deciding: bytes))
            let requested = (0..<Int.random(in: 1...3, using: &queries.generator)).map { _ in queries.query() }
            var source = RandomRecords(queries.generator)
            let records = source.records(Int.random(in: 1...24, using: &source.generator))
            var campaign = ResultCampaign()
            let seed = UInt64.random(in: 0...2, using: &source.generator)
            let differences = campaign.run(requested, over: records, seed: seed)
            if let difference = differences.first { return .finding("\(difference)\n\(records.map(\.fields))") }
            return campaign.comparisons > campaign.failures ? .accepted : .rejected
        }, seeds: decisions(200, of: [8, 30, 60, 200]), byteLimit: 600)

    static let updates = FuzzTarget(
        name: "updates", summary: "commits and merges of a record store against records in a dictionary",
        run: { bytes in
            var campaign = UpdateCampaign(SeededGenerator(deciding: bytes), seed: 0, room: 30)
            for _ in 0..<min(12, 2 + bytes.count / 100) { campaign.step(predicates: 1) }
            return campaign.differences.first.map { .finding("\($0)") } ?? .accepted
        }, seeds: decisions(60, of: [20, 200, 800]), byteLimit: 1200)

    static let operations = FuzzTarget(
        name: "operations", summary: "the calls of a client of a database against a model",
        run: { bytes in
            let campaign = DatabaseCampaign(SeededGenerator(deciding: bytes))
            let result = campaign.run(operations: min(120, 10 + bytes.count / 4))
            return result.differences.first.map { .finding($0) } ?? .accepted
        }, seeds: decisions(60, of: [20, 200, 400]), byteLimit: 600)
}
