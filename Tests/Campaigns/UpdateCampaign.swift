// A store that is written to must answer as a plain dictionary of records does, after every commit and every merge.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore

/// Writes random batches into a store and compares answers after each.
struct UpdateCampaign {
    /// Answers compared so far.
    private(set) var comparisons = 0
    /// How often the store was opened again.
    private(set) var reloads = 0
    private var generator: SeededGenerator
    private var source: RandomRecords
    private var queries: RandomPredicates
    private var model = PlainStore()
    private var store = RecordStore()
    /// Where the store is written, closed and opened again now and then; `nil` leaves it in memory.
    private let folder: String?
    private let seed: UInt64
    /// How many records there may be.
    private let room: Int
    private(set) var differences: [ResultCampaign.Difference] = []

    init(seed: UInt64, room: Int, folder: String? = nil) {
        self.init(SeededGenerator(seed: seed ^ 0x5EED), seed: seed, room: room, folder: folder)
    }

    /// - Parameter generator: What decides about writes; records and predicates follow from the seed.
    init(_ generator: SeededGenerator, seed: UInt64, room: Int, folder: String? = nil) {
        self.seed = seed
        self.folder = folder
        self.room = max(1, room)
        self.generator = generator
        source = RandomRecords(seed: seed)
        queries = RandomPredicates(seed: seed)
    }

    /// Writes once, and compares the answers to some predicates.
    mutating func step(predicates: Int) {
        write()
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: store.merge()
        case 1, 2, 3: store.flush()
        default: break
        }
        if let folder, generator.oneIn(3) { reload(folder) }
        let snapshot = store.snapshot
        check("records", expected: "\(model.ids.count)", found: "\(snapshot.count)", text: "")
        for _ in 0..<predicates { compare(queries.query(), on: snapshot) }
    }

    /// Goes on with the store as it is after it was closed and opened again.
    private mutating func reload(_ folder: String) {
        reloads += 1
        do {
            store = try ReloadedStore.reload(store, in: folder)
        } catch {
            check("opened again", expected: "a store", found: "\(error)", text: "")
        }
    }

    private mutating func write() {
        var batch = RecordBatch()
        model.beginBatch()
        let count = generator.oneIn(12) ? min(room, 300) : Int.random(in: 1...12, using: &generator)
        for _ in 0..<count {
            let id = randomID()
            switch Int.random(in: 0..<10, using: &generator) {
            case 0, 1:
                batch.delete(id)
                model.delete(id)
            case 2, 3, 4:
                guard model.record(id) != nil else { continue }
                let values = randomValues()
                batch.change(id, values)
                model.change(id, values)
            default:
                let record = randomRecord(id)
                batch.save(record)
                model.save(record)
            }
        }
        do throws(CommitError) {
            let before = store.snapshot.version
            try store.commit(batch)
            let version = store.snapshot.version
            check(
                "version", expected: "more than \(before)", found: "\(version)", text: "", when: version <= before)
        } catch {
            check("commit", expected: "success", found: "\(error)", text: "")
        }
    }

    /// Some records live in a zone of their own.
    private mutating func randomID() -> Record.ID {
        let number = Int.random(in: 0..<room, using: &generator)
        return number % 11 == 3 ? Record.ID("r\(number)", zoneID: RecordZone.ID("other")) : Record.ID("r\(number)")
    }

    private mutating func randomRecord(_ id: Record.ID) -> Record {
        let plain = source.record(Int.random(in: 0..<room, using: &generator), of: room)
        return Record(type: generator.oneIn(9) ? "Other" : plain.type, id: id, fields: plain.fields)
    }

    /// New values of some fields, and none for others.
    private mutating func randomValues() -> [String: FieldValue] {
        let record = source.record(Int.random(in: 0..<room, using: &generator), of: room)
        var values: [String: FieldValue] = [:]
        for field in ["whole", "mixed", "text", "few", "tags", "place", "owner", "body"] where generator.oneIn(4) {
            values[field] = record[field]
        }
        return values
    }

    // MARK: Comparing

    private mutating func compare(_ query: RandomPredicates.Query, on snapshot: Snapshot) {
        guard let schema = snapshot.schema(ofType: RandomRecords.type),
            let predicate = try? RecordPredicate(format: query.text, arguments: query.arguments),
            let bound = try? Binder(schema: schema).bind(predicate)
        else { return }
        let context = EvaluationContext.current()
        let text = "\(query.text) \(query.arguments)"
        let matches = Self.outcome { () throws(EvaluationError) in
            try model.matches(bound, type: RandomRecords.type, context: context)
        }
        for (way, usage) in [("scan", SegmentPlanner.IndexUsage.none), ("columns", .built), ("indexes", .all)] {
            let plan = SnapshotQuery(
                bound, over: snapshot, type: RandomRecords.type, settings: .init(usage: usage, context: context))
            let found = Self.outcome { () throws(EvaluationError) in try plan.rows().map(snapshot.recordID) }
            check(way, expected: "\(Self.words(matches))", found: "\(Self.words(found))", text: text)
            guard let matches else { continue }
            let count = try? plan.count()
            check("\(way) count", expected: "\(matches.count)", found: "\(count ?? -1)", text: text)
            compareGroups(plan, matches, text: text)
        }
    }

    private mutating func compareGroups(_ plan: SnapshotQuery, _ matches: [Record.ID], text: String) {
        let field = generator.pick(["few", "text", "whole", "mixed", "flag", "tags", "owner", "date", "numbers"])
        var expected: [FieldValue: Int] = [:]
        for id in matches {
            switch model.record(id)?[field] ?? .null {
            case .null: break
            case .list(let elements): for element in Set(elements) { expected[element, default: 0] += 1 }
            case .double(let number) where field == "mixed" && number == number.rounded():
                expected[.int64(Int64(number)), default: 0] += 1
            case .reference(let reference):
                expected[.reference(RecordReference(recordID: reference.recordID)), default: 0] += 1
            case let value: expected[value, default: 0] += 1
            }
        }
        var found = (try? plan.groupCounts(of: field)) ?? [:]
        if field == "mixed" {
            // As long as all of its numbers are fractional ones, whole ones among them are counted as such.
            found = Dictionary(
                found.map { key, count in
                    if case .double(let number) = key, let whole = Int64(exactly: number) {
                        (.int64(whole), count)
                    } else {
                        (key, count)
                    }
                }, uniquingKeysWith: +)
        }
        check("groups of \(field)", expected: "\(expected)", found: "\(found)", text: text, when: expected != found)
    }

    private mutating func check(
        _ way: String, expected: String, found: String, text: String, when isDifferent: Bool? = nil
    ) {
        comparisons += 1
        guard isDifferent ?? (expected != found) else { return }
        differences.append(
            ResultCampaign.Difference(seed: seed, text: text, way: way, expected: expected, found: found))
    }

    private static func outcome(_ body: () throws(EvaluationError) -> [Record.ID]) -> [Record.ID]? {
        do { return try body() } catch { return nil }
    }

    private static func words(_ ids: [Record.ID]?) -> String {
        ids.map { ids in ids.map { "\($0.zoneID.zoneName.prefix(2))/\($0.recordName)" }.joined(separator: " ") }
            ?? "a failure"
    }
}
