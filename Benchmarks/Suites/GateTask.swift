// The fixed tasks whose instructions the gate counts.

import Geospatial
import PredicateSemantics
import PredicateSyntax
import RecordColumns
import RecordDatabase
import RecordFiles
import RecordModel
import RecordStore
import TextAnalysis

/// A task: prepared once, done some number of times, its answer checked.
struct GateTask {
    var name: String
    /// The answer that every repetition must give.
    var outcome: Int
    /// Whether it is one of the paths that every application is on, which `gate --hot` counts.
    var isHot = false
    /// How much more than the baseline passes.
    var limit = 1.10
    /// Repetitions that are counted: more of them for little work after a long preparation, whose instructions differ by
    /// some millions from process to process.
    var repetitions = 2
    /// Prepares the task and returns what is repeated.
    var prepare: () throws -> () throws -> Int

    /// All tasks.
    static var all: [GateTask] {
        [
            GateTask(name: "generate 200 places", outcome: 6_744_279_834_389_093_812) {
                let generator = PlaceGenerator(count: 200)
                return {
                    var bytes: [UInt8] = []
                    for index in 0..<generator.count { generator[index].appendJSON(to: &bytes) }
                    return Checksum.of(bytes)
                }
            },
            GateTask(name: "parse 10 predicates 100 times", outcome: 1_000) {
                let texts = TypicalPredicate.all.map(\.text)
                return {
                    var parsed = 0
                    for _ in 0..<100 {
                        for text in texts where try SyntaxTree(parsing: text).text == text { parsed += 1 }
                    }
                    return parsed
                }
            },
            GateTask(name: "print 10 predicates 100 times", outcome: 22_400) {
                let trees = try TypicalPredicate.all.map { try SyntaxTree(parsing: $0.text) }
                return { (0..<100).reduce(0) { sum, _ in sum + trees.reduce(0) { $0 + $1.description.utf8.count } } }
            },
            GateTask(name: "bind 10 predicates 100 times", outcome: 1_000) {
                {
                    try (0..<100).reduce(0) { sum, _ in
                        try sum + TypicalPredicate.all.count { try !$0.bound(to: Person.schema).fieldNames.isEmpty }
                    }
                }
            },
            GateTask(name: "evaluate 10 predicates on 500 people", outcome: 1_453) {
                let records = Person.generate(500).enumerated().map { $1.record($0) }
                let predicates = try TypicalPredicate.all.map { try $0.bound(to: Person.schema) }
                return {
                    try predicates.reduce(0) { sum, predicate in
                        try sum + records.count { try predicate.evaluate(on: $0) }
                    }
                }
            },
            GateTask(name: "load 200 places", outcome: 200) {
                let generator = PlaceGenerator(count: 200)
                var bytes: [UInt8] = []
                for index in 0..<generator.count { generator[index].appendJSON(to: &bytes) }
                return { [bytes] in
                    let reader = RecordFileReader()
                    try reader.load(bytes: bytes, name: "places.ndjson")
                    return reader.finish().records.count
                }
            },
            GateTask(name: "tokens of 200 bodies", outcome: 13_628) {
                let bodies = Self.bodies
                let tokenizer = Tokenizer(options: [.caseInsensitive, .diacriticInsensitive])
                return {
                    var tokens = 0
                    for body in bodies {
                        tokenizer.forEachToken(in: body.utf8.span) { _, _, _ in
                            tokens += 1
                            return true
                        }
                    }
                    return tokens
                }
            },
            GateTask(name: "CONTAINS[cd] and LIKE[cd] on 200 bodies", outcome: 106_035) {
                let bodies = Self.bodies
                let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
                let needle = PreparedNeedle("ond", options: options)
                let pattern = LikePattern("*tr?n*la*", options: options)
                return { bodies.count { needle.isContained(in: $0) } * 1_000 + bodies.count { pattern.matches($0) } }
            },
            GateTask(name: "1000 geodesic distances", outcome: 275) {
                let generator = PlaceGenerator(count: 1_200)
                let places = (0..<1_000).compactMap { generator[$0].location }
                let centre = Location(latitude: 28.9149, longitude: -87.2818)
                return {
                    places.count {
                        Geodesic.distance(from: Location(latitude: $0.lat, longitude: $0.lon), to: centre) < 5_000_000
                    }
                }
            },
            GateTask(name: "ask 3 questions with variables 500 times", outcome: 1_500, isHot: true) {
                let set = try RecordSet(contentsOf: PlaceFile.path(count: 5_000))
                let queries = try ["category == $a", "population > $a AND population < $b", "name BEGINSWITH[cd] $a"]
                    .map { try set.prepare(RecordPredicate(format: $0)) }
                let values: [[String: FieldValue]] = [["a": "vineyard"], ["a": 1000, "b": 50_000], ["a": "tra"]]
                return {
                    var requested = 0
                    for _ in 0..<500 {
                        for (query, values) in zip(queries, values) where try query.count(values) > 0 { requested += 1 }
                    }
                    return requested
                }
            },
            GateTask(name: "find a bound unique text 2,000 times", outcome: 2_000, isHot: true, repetitions: 20) {
                let generator = PlaceGenerator(count: 5_000)
                let set = try RecordSet(records: (0..<generator.count).lazy.map { generator.brief($0).record })
                let query = try set.prepare(RecordPredicate(format: "name == $name"))
                let names = (0..<2_000).map { generator.brief($0 * 2).name }
                return {
                    try names.enumerated().count { place, name in
                        try query.ordinals(["name": .string(name)]) == [UInt32(place * 2)]
                    }
                }
            },
            GateTask(name: "commit 10 batches of 400 changes", outcome: 4_000) {
                let records = try places(4_000)
                let store = RecordStore(records)
                let batches = (0..<10).map { UpdateSuite.batch(.change, of: records, $0 * 400..<$0 * 400 + 400) }
                return {
                    for batch in batches { try store.commit(batch) }
                    return store.snapshot.count
                }
            },
            GateTask(name: "commit 10 batches of 400 inserts", outcome: 4_000) {
                let records = try places(4_000)
                return {
                    let store = RecordStore()
                    for number in 0..<10 {
                        var batch = RecordBatch()
                        for position in number * 400..<number * 400 + 400 { batch.save(records[position].record) }
                        try store.commit(batch)
                    }
                    return store.snapshot.count
                }
            },
            GateTask(name: "commit 200 single changes", outcome: 4_000) {
                let records = try places(4_000)
                let store = RecordStore(records)
                let batches = (0..<200).map { UpdateSuite.batch(.change, of: records, $0..<$0 + 1) }
                return {
                    for batch in batches { try store.commit(batch) }
                    return store.snapshot.count
                }
            },
        ] + ofDatabases
    }

    private static func places(_ count: Int) throws -> LoadedSegments {
        let generator = PlaceGenerator(count: count)
        var bytes: [UInt8] = []
        for index in 0..<generator.count { generator[index].appendJSON(to: &bytes) }
        let reader = RecordFileReader()
        try reader.load(bytes: bytes, name: "places.ndjson")
        return reader.finish().records
    }

    private static var bodies: [String] {
        let generator = PlaceGenerator(count: 200)
        return (0..<200).compactMap { generator[$0].body }
    }

    /// Does the task of a name; prints how many blocks of memory the last repetition allocated.
    static func run(_ name: String, repetitions: Int) throws {
        guard let task = all.first(where: { $0.name == name }) else {
            throw UsageError(description: "no task is named \(name)")
        }
        let work = try task.prepare()
        for repetition in 1...max(1, repetitions) {
            var outcome = 0
            let blocks = try allocations { outcome = try work() }
            if repetition == repetitions { print(blocks) }
            guard outcome == task.outcome else {
                throw WrongResult(description: "\(name) gives \(outcome), not \(task.outcome)")
            }
        }
    }
}
