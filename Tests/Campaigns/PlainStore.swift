// What a store must hold, the simplest way: records in a dictionary.

import PredicateSemantics
import RecordModel
import RecordStore

/// Records by identifier, in order of insertion.
struct PlainStore {
    private var records: [Record.ID: (sequence: Int, record: Record)] = [:]
    private var nextSequence = 0
    /// The sequence numbers of the records that a batch names, should they be new.
    private var mentions: [Record.ID: Int] = [:]

    /// The identifiers of all records, in order of insertion.
    var ids: [Record.ID] { ordered.map(\.id) }

    /// All records, in order of insertion.
    var ordered: [Record] { records.values.sorted { $0.sequence < $1.sequence }.map(\.record) }

    func record(_ id: Record.ID) -> Record? { records[id]?.record }

    /// What follows belongs to one batch: of that the outcome counts, so that a record that is deleted and saved again
    /// keeps its place, and new records come in order of their first mention.
    mutating func beginBatch() { mentions = [:] }

    private mutating func mention(_ id: Record.ID) {
        guard mentions[id] == nil else { return }
        mentions[id] = records[id]?.sequence ?? nextSequence
        nextSequence += 1
    }

    mutating func save(_ record: Record) {
        mention(record.id)
        records[record.id] = (mentions[record.id] ?? 0, record)
    }

    mutating func change(_ id: Record.ID, _ values: [String: FieldValue]) {
        guard var known = records[id] else { return }
        for (field, value) in values { known.record[field] = value }
        records[id] = known
    }

    mutating func delete(_ id: Record.ID) {
        mention(id)
        records[id] = nil
    }

    /// The identifiers of the records of a type that satisfy a predicate, by the per-record evaluator.
    func matches(
        _ bound: BoundPredicate, type: String, context: EvaluationContext
    ) throws(EvaluationError) -> [Record.ID] {
        let known = records
        var found: [Record.ID] = []
        for record in ordered where record.type == type {
            let source = RecordFields(record, names: bound.fieldNames) { known[$0.recordID]?.record }
            if try bound.evaluate(on: source, context: context) { found.append(record.id) }
        }
        return found
    }
}
