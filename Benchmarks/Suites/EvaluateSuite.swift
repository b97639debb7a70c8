// `evaluate`: what the per-record evaluator costs, beside Foundation's predicates.

import FoundationEssentials
import PredicateSemantics
import RecordModel

/// Times the evaluator on ten typical predicates over seeded people.
enum EvaluateSuite: Suite {
    static let name = "evaluate"
    static let summary = "[--records N] [--budget MS]: ten typical predicates on each of N people (10,000)"
    /// What GNUstep base 1.28 does on the same ten together, objects a second, on a machine of this kind.
    private static let gnustep = 2_283_003.0

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["records", "budget"])
        let count = try options.count("records", default: 10_000)
        let budget = Double(try options.count("budget", default: 200)) / 1000
        print(Machine.current().line)
        let people = Person.generate(count)
        let records = people.enumerated().map { $1.record($0) }
        let peers = Dictionary(uniqueKeysWithValues: FoundationPredicate.all.map { ($0.text, $0.predicate) })
        var table = TextTable([
            "predicate", "matches", "ours CPU ns", "allocations", "#Predicate CPU ns", "peer / ours",
        ])
        var total = 0.0
        for typical in TypicalPredicate.all {
            let bound = try typical.bound(to: Person.schema)
            var matches = 0
            let work = { matches = try records.count { try bound.evaluate(on: $0) } }
            let time = try Measurement.of(budget: budget, work).processor / Double(count)
            let blocks = Double(try allocations(work)) / Double(count)
            total += time
            var row = [typical.text, matches.separated, (time * 1e9).figure, blocks.figure]
            if let peer = peers[typical.text] {
                var found = 0
                let peerTime =
                    try Measurement.of(budget: budget) { found = try people.count { try peer.evaluate($0) } }.processor
                    / Double(count)
                guard found == matches else {
                    throw WrongResult(description: "\(typical.text): \(matches) here, \(found) by #Predicate")
                }
                row += [(peerTime * 1e9).figure, (peerTime / time).figure]
            }
            table.add(row)
        }
        print(table.text)
        let rate = Double(TypicalPredicate.all.count) / total
        print("\(rate.figure) records a CPU second, \((rate / gnustep).figure) times GNUstep 1.28 (measured apart)")
    }
}

extension TypicalPredicate {
    /// The predicate with its arguments, ready for records of a schema.
    func bound(to schema: RecordSchema) throws -> BoundPredicate {
        try Binder(schema: schema).bind(RecordPredicate(format: text, arguments: arguments))
    }
}
