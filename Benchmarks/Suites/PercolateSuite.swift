// `percolate`: one record against many stored predicates.

import Percolation
import PredicateSemantics
import RecordModel

/// Times the matching of records with stored predicates, and checks what is found against trying every predicate.
enum PercolateSuite: Suite {
    static let name = "percolate"
    static let summary = """
        [--predicates N] [--records N] [--checked N]: N places (200) against N stored predicates (100,000), \
        N of them (20) checked against the evaluator
        """

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["predicates", "records", "checked"])
        let count = try options.count("predicates", default: 100_000)
        let places = PlaceGenerator(count: 1_000_000)
        let records = (0..<(try options.count("records", default: 200))).map { places[50_000_000 + $0] }
        print(Machine.current().line)
        var generator = StoredPredicateGenerator()
        let predicates = try (0..<count).map { _ in try generator.next().bound(to: Place.schema) }
        let bench = PercolateBench(predicates)
        print(bench.filing)
        let checked = try options.count("checked", default: 20)
        var figures = TextTable([
            "records", "matches, median", "median µs", "CPU µs", "90th CPU µs", "allocations", "one by one, CPU µs",
        ])
        figures.add(try bench.match("places", records.map(\.record), checked: checked))
        figures.add(try bench.match("places nobody asks for", records.map { $0.unasked.record }, checked: checked))
        print(figures.text)
        print(try bench.change(records.map(\.record)))
        print(try bench.remove())
    }
}

extension Place {
    /// The types of the fields of a place.
    static let schema = RecordSchema(
        recordType: "Place",
        fields: ([
            ("id", .int64), ("name", .string), ("category", .string), ("rating", .double), ("population", .int64),
            ("created", .double), ("active", .bool), ("tags", .list(.string)), ("body", .string),
            ("location", .location), ("owner", .int64),
        ] as [(String, FieldType)]).map { FieldDefinition(name: $0.0, type: $0.1) })

    /// A place of the same size with a category, tags, words, and an owner that no stored predicate names.
    fileprivate var unasked: Place {
        var place = self
        place.name = "zz" + name
        place.category = "lagoon"
        place.tags = tags.map { $0 + "zz" }
        place.body = body.map { $0.split(separator: " ").map { "zz" + $0 }.joined(separator: " ") }
        place.population = population.map { $0 + 100_000 }
        place.owner = owner.map { $0 + 100_000 }
        return place
    }
}

/// An index of predicates under measurement.
private struct PercolateBench {
    let predicates: [BoundPredicate]
    private var index = PredicateIndex()
    private let insertions: Double
    private let residentBytes: Int

    init(_ predicates: [BoundPredicate]) {
        self.predicates = predicates
        let before = Machine.residentBytes
        let start = processorSeconds()
        for (number, predicate) in predicates.enumerated() { index.insert(predicate, id: number, type: "Place") }
        insertions = Double(predicates.count) / (processorSeconds() - start)
        residentBytes = Machine.residentBytes - before
    }

    /// What storing the predicates cost.
    var filing: String {
        let count = Double(max(1, predicates.count))
        return """
            \(predicates.count.separated) predicates stored, \(insertions.figure) a CPU second, \
            \((Double(index.byteCount) / count).figure) bytes each without the predicate \
            (\((Double(residentBytes) / count).figure) resident), \(index.alwaysTriedCount) tried on every record
            """
    }

    /// Times each record; the first of them are checked.
    func match(_ name: String, _ records: [Record], checked: Int) throws -> [String] {
        var times: [Double] = []
        var processorTimes: [Double] = []
        var counts: [Double] = []
        var tries: [Double] = []
        var blocks: [Double] = []
        for (number, record) in records.enumerated() {
            var found = 0
            let time = Measurement.of(runs: 7, budget: 0.002) { found = index.matches(record).ids.count }
            times.append(time.median)
            processorTimes.append(time.processor)
            counts.append(Double(found))
            blocks.append(Double(allocations { consume(index.matches(record)) }))
            guard number < checked else { continue }
            var expected: Set<Int> = []
            let start = processorSeconds()
            for (id, predicate) in predicates.enumerated() where try predicate.evaluate(on: record) {
                expected.insert(id)
            }
            tries.append(processorSeconds() - start)
            let matches = index.matches(record)
            guard Set(matches.ids) == expected, matches.ids.count == expected.count, matches.failures.isEmpty else {
                throw WrongResult(description: "\(record.id.recordName): \(found) matches, not \(expected.count)")
            }
        }
        let slow = processorTimes.sorted()[processorTimes.count * 9 / 10]
        return [
            "\(records.count) \(name)", Measurement(counts).median.figure, (Measurement(times).median * 1e6).figure,
            (Measurement(processorTimes).median * 1e6).figure, (slow * 1e6).figure,
            Measurement(blocks).median.figure, (Measurement(tries).median * 1e6).figure,
        ]
    }

    /// Times what one changed field means.
    func change(_ records: [Record]) throws -> String {
        var times: [Double] = []
        var moved: [Double] = []
        for old in records {
            var new = old
            new["rating"] = .double(4.99)
            times.append(
                Measurement.of(runs: 7, budget: 0.002) { consume(index.transition(from: old, to: new)) }.processor)
            let transition = index.transition(from: old, to: new)
            moved.append(Double(transition.entered.count + transition.left.count))
            let (before, after) = (Set(index.matches(old).ids), Set(index.matches(new).ids))
            guard Set(transition.entered) == after.subtracting(before),
                Set(transition.left) == before.subtracting(after)
            else { throw WrongResult(description: "\(old.id.recordName): what entered and left is not the difference") }
        }
        return """
            A change of the rating: median \((Measurement(times).median * 1e6).figure) CPU µs for matches before and after, \
            \(Measurement(moved).median.figure) of them entered or left
            """
    }

    /// Times removal of every predicate, and of copies under insertion.
    func remove() throws -> String {
        var copy = index
        let start = processorSeconds()
        copy.remove(0)
        let second = processorSeconds()
        for id in 1..<max(1, predicates.count) { copy.remove(id) }
        let (first, rest) = (second - start, processorSeconds() - second)
        guard copy.count == 0, index.count == predicates.count else {
            throw WrongResult(description: "\(copy.count) predicates are left of none")
        }
        return """
            \((Double(max(1, predicates.count - 1)) / rest).figure) removals a CPU second; the first change of a copy takes \
            \((first * 1e6).figure) CPU µs
            """
    }
}
