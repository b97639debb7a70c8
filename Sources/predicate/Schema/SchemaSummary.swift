// What the fields of records are, and what their values look like, by type.

import RecordDatabase
import TextAnalysis

/// Facts about the fields of records, gathered set by set.
struct SchemaSummary {
    /// Which fields are looked at.
    enum Part {
        case all
        /// Those of one type.
        case type(String)
        /// Those whose names begin so.
        case fields(String)
    }

    /// The fields of one type.
    struct OfType {
        fileprivate(set) var schema: RecordSchema
        /// How many records there are.
        fileprivate(set) var count = 0
        fileprivate var fields: [String: FieldSummary] = [:]

        subscript(name: String) -> FieldSummary { fields[name] ?? FieldSummary() }
    }

    private let part: Part
    private var all: [OfType] = []

    init(_ part: Part = .all) { self.part = part }

    /// The types with fields that are looked at, in order of first appearance.
    var types: [OfType] {
        guard case .fields = part else { return all }
        return all.filter { !$0.schema.fields.isEmpty }
    }

    /// Takes in the records of a set.
    mutating func take(_ set: RecordSet) {
        for schema in set.schemas {
            if case .type(let name) = part, name != schema.recordType { continue }
            let ordinals = set.ordinals(ofType: schema.recordType)
            let index = all.firstIndex { $0.schema.recordType == schema.recordType } ?? all.count
            if index == all.count { all.append(OfType(schema: RecordSchema(recordType: schema.recordType))) }
            all[index].count += ordinals.count
            for field in schema.fields {
                if case .fields(let word) = part, !FuzzyMatch.begins(field.name, with: word) { continue }
                let known = all[index].schema.type(of: field.name)
                let type = known?.joined(with: field.type) ?? field.type
                if type != known { all[index].schema.define(FieldDefinition(name: field.name, type: type)) }
                // Taken out while it changes: nothing is copied.
                var summary = all[index].fields.removeValue(forKey: field.name) ?? FieldSummary()
                for ordinal in ordinals { summary.insert(set.value(of: .field(field.name), at: ordinal)) }
                all[index].fields[field.name] = summary
            }
        }
    }
}
