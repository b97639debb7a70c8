// `live`: one save beside many live queries.

import PredicateSemantics
import RecordDatabase
import RecordModel

/// Times saves of single records, without live queries and with them, and checks the steps that these are given.
///
/// A save returns when the steps of all live queries wait to be taken: what it costs more than without them is the
/// price of the difference.
enum LiveSuite: Suite {
    static let name = "live"
    static let summary = """
        [--records N] [--queries N] [--saves N]: saves of single records (500) among places (100,000), \
        with live queries (1,000)
        """

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["records", "queries", "saves"])
        let bench = try LiveBench(
            count: try options.count("records", default: 100_000), saves: try options.count("saves", default: 500))
        print(Machine.current().line)
        var table = TextTable([
            "live queries", "saves", "median µs a save", "CPU µs", "90th µs", "steps, median", "steps in all",
        ])
        table.add(try bench.save())
        let records = try bench.watch(try options.count("queries", default: 1000))
        table.add(try bench.save())
        print(table.text)
        print("the live queries hold \(records.separated) records; answers: steps as expected, lists as of a new run")
    }
}

private final class LiveBench {
    /// A live query with the list that its steps make.
    private struct Watch {
        let query: Query
        let bound: BoundPredicate
        let reading: LiveReading
        var records: [Record] = []
    }

    private let database: Database
    private let zone = RecordZone(id: RecordZone.ID("bench"))
    private let places: PlaceGenerator
    private let count: Int
    private let saves: Int
    private var watches: [Watch] = []
    /// Numbers the changes, so that each one is another.
    private var changes = 0

    init(count: Int, saves: Int) throws {
        (self.count, self.saves) = (count, saves)
        var configuration = Configuration()
        configuration.limits.bytesPerRequest = .max
        database = try Container(identifier: "bench", configuration: configuration).privateDatabase
        _ = try database.modifyZones(saving: [zone], deleting: [])
        places = PlaceGenerator(count: count)
        for start in stride(from: 0, to: count, by: 400) {
            _ = try save((start..<min(count, start + 400)).map { place($0, named: $0) })
        }
    }

    /// The fields of a place in the record of a name.
    private func place(_ number: Int, named name: Int) -> Record {
        Record(type: "Place", id: Record.ID("place \(name)", zoneID: zone.id), fields: places[number].record.fields)
    }

    private func save(_ records: [Record]) throws -> [Record] {
        try database.modify(ModifyRequest(saves: records, policy: .allKeys)).saves.map { try $0.result.get() }
    }

    /// Starts live queries, a third of them in another order; returns how many records they hold.
    func watch(_ queries: Int) throws -> Int {
        var generator = StoredPredicateGenerator()
        let binder = Binder(schema: Place.schema)
        for number in 0..<queries {
            let stored = generator.next()
            // A database keeps truth values as numbers.
            let text = stored.text.replacing("active == TRUE", with: "active == 1")
            let query = Query(
                "Place", try RecordPredicate(format: text, arguments: stored.arguments),
                sortedBy: number % 3 == 0 ? [.descending("rating")] : [])
            let bound = try binder.bind(RecordPredicate(format: stored.text, arguments: stored.arguments))
            var watch = Watch(query: query, bound: bound, reading: database.watch(query, in: .zone(zone.id)))
            try take(&watch)
            watches.append(watch)
        }
        return watches.reduce(0) { $0 + $1.records.count }
    }

    /// Saves single records, new values in all their fields, and checks what each live query is told.
    func save() throws -> [String] {
        let clock = ContinuousClock()
        var times: [Double] = []
        var processorTimes: [Double] = []
        var steps: [Double] = []
        for _ in 0..<saves {
            changes += 1
            let name = changes &* 7919 % count
            let old = try database.fetch([Record.ID("place \(name)", zoneID: zone.id)]).first?.value.get()
            let new = place((changes &* 104_729 + 13) % count, named: name)
            let (start, before) = (clock.now, processorSeconds())
            let saved = try save([new])
            times.append((clock.now - start).seconds)
            processorTimes.append(processorSeconds() - before)
            steps.append(Double(try checkSteps(from: old, to: saved.first ?? new)))
        }
        for watch in watches { try check(watch) }
        let measured = Measurement(times, processor: processorTimes)
        return [
            watches.count.separated, saves.separated, (measured.median * 1e6).figure, (measured.processor * 1e6).figure,
            (times.sorted()[times.count * 9 / 10] * 1e6).figure, Measurement(steps).median.figure,
            Int(steps.reduce(0, +)).separated,
        ]
    }

    /// Takes the steps that wait; each live query has one if the record matched before or matches now.
    ///
    /// - Parameter new: The record as it is stored: fields that a save does not name stay.
    private func checkSteps(from old: Record?, to new: Record?) throws -> Int {
        var total = 0
        for position in watches.indices {
            let count = try take(&watches[position])
            let bound = watches[position].bound
            let isConcerned = try [old, new].contains { try $0.map { try bound.evaluate(on: $0.truthful) } ?? false }
            guard count == (isConcerned ? 1 : 0) else {
                throw WrongResult(description: "\(watches[position].query.predicate): \(count) steps")
            }
            total += count
        }
        return total
    }

    @discardableResult
    private func take(_ watch: inout Watch) throws -> Int {
        let steps = try watch.reading.takeSteps()
        for step in steps {
            switch step {
            case .initial(let records): watch.records = records
            case .inserted(let record, let position): watch.records.insert(record, at: position)
            case .updated(let record, let position): watch.records[position] = record
            case .moved(let record, let from, let to):
                watch.records.remove(at: from)
                watch.records.insert(record, at: to)
            case .removed(_, let position): watch.records.remove(at: position)
            }
        }
        return steps.count
    }

    private func check(_ watch: Watch) throws {
        let expected = try database.find(watch.query, in: .zone(zone.id), limit: Int.max).matches.map(\.0)
        guard watch.records.map(\.id) == expected else {
            throw WrongResult(description: "\(watch.query.predicate): \(watch.records.count), not \(expected.count)")
        }
    }
}

extension Record {
    /// The record with the truth values that a database keeps as numbers.
    fileprivate var truthful: Record {
        var record = Record(type: type, id: id, fields: fields)
        if let active: Int = record["active"] { record["active"] = FieldValue.bool(active != 0) }
        return record
    }
}
