// Records of one type and what migrations make of them: dictionaries and a table of conversions.

import FoundationEssentials
import PredicateSemantics
import RecordDatabase
import RecordModel

/// What values become in fields of other types, by hand.
enum Conversions {
    /// A value, and the same as INT64, DOUBLE, STRING and TIMESTAMP; nil where it has no such form.
    private static let rows: [(FieldValue, Int64?, Double?, String?, Double?)] = [
        (.int64(2), 2, 2, "2", nil), (.int64(3), 3, 3, "3", nil), (.int64(12), 12, 12, "12", nil),
        (.int64(-7), -7, -7, "-7", nil), (.double(-7), -7, -7, "-7.0", nil), (.string("-7"), -7, -7, "-7", nil),
        (.string("-7.0"), nil, -7, "-7.0", nil),
        (.int64(9_007_199_254_740_993), 9_007_199_254_740_993, nil, "9007199254740993", nil),
        (.int64(9_007_199_254_740_992), 9_007_199_254_740_992, 0x1p53, "9007199254740992", nil),
        (.double(0x1p53), 9_007_199_254_740_992, 0x1p53, "9007199254740992.0", nil),
        (.double(2), 2, 2, "2.0", nil), (.double(3), 3, 3, "3.0", nil), (.double(12), 12, 12, "12.0", nil),
        (.double(0.5), nil, 0.5, "0.5", nil), (.double(1e300), nil, 1e300, "1e+300", nil),
        (.string("2"), 2, 2, "2", nil), (.string("3"), 3, 3, "3", nil), (.string("12"), 12, 12, "12", nil),
        (.string("2.0"), nil, 2, "2.0", nil), (.string("3.0"), nil, 3, "3.0", nil),
        (.string("12.0"), nil, 12, "12.0", nil), (.string("0.5"), nil, 0.5, "0.5", nil),
        (.string("1e+300"), nil, 1e300, "1e+300", nil),
        // A text of digits is the nearest number.
        (.string("9007199254740993"), 9_007_199_254_740_993, 0x1p53, "9007199254740993", nil),
        (.string("9007199254740992"), 9_007_199_254_740_992, 0x1p53, "9007199254740992", nil),
        (.string("9007199254740992.0"), nil, 0x1p53, "9007199254740992.0", nil),
        (.string("x"), nil, nil, "x", nil), (.string("2001-01-02T00:00:00Z"), nil, nil, "2001-01-02T00:00:00Z", 86_400),
        (.date(Date(timeIntervalSinceReferenceDate: 86_400)), nil, nil, "2001-01-02T00:00:00Z", 86_400),
    ]
    static let types: [FieldType] = [.int64, .double, .string, .date]

    /// All values that a field of a type may have.
    static func values(of type: FieldType) -> [FieldValue] { rows.map(\.0).filter { converted($0, to: type) == $0 } }

    static func converted(_ value: FieldValue, to type: FieldType) -> FieldValue? {
        guard let row = rows.first(where: { $0.0 == value && $0.0.kind == value.kind }) else { return nil }
        switch type {
        case .int64: return row.1.map { .int64($0) }
        case .double: return row.2.map { .double($0) }
        case .string: return row.3.map { .string($0) }
        default: return row.4.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        }
    }
}

/// Records of one type, and what steps make of them.
struct MigrationModel: Equatable {
    var type = "T"
    var fields: [String: FieldType] = [:]
    var required: Set<String> = []
    var records: [String: [String: FieldValue]] = [:]

    static let names = ["a", "b", "c", "d"]

    init(_ generator: inout SeededGenerator) {
        for name in Self.names.prefix(3) where !generator.oneIn(5) { fields[name] = generator.pick(Conversions.types) }
        // A type has a field.
        if fields.isEmpty { fields["a"] = .int64 }
        for number in 0..<Int.random(in: 0...5, using: &generator) {
            var values: [String: FieldValue] = [:]
            for (name, type) in fields.sorted(by: { $0.key < $1.key }) where !generator.oneIn(4) {
                values[name] = generator.pick(Conversions.values(of: type))
            }
            records["r\(number)"] = values
        }
    }

    /// Takes a random step, and adds it to a migration.
    /// - Returns: Whether the step has a place in the schema, and every value becomes another.
    mutating func step(_ migration: inout SchemaMigration, _ generator: inout SeededGenerator) -> Bool {
        // Mostly a field that there is.
        let known = fields.keys.sorted()
        let field = known.isEmpty || generator.oneIn(8) ? generator.pick(Self.names) : generator.pick(known)
        let other = generator.pick(Self.names)
        let type = generator.pick(Conversions.types)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1:
            migration.renameField(field, of: self.type, to: other)
            return rename(field, other)
        case 2, 3:
            migration.retypeField(field, of: self.type, to: type)
            return retype(field, type)
        case 4:
            migration.dropField(field, of: self.type)
            for id in records.keys { records[id]?[field] = nil }
            required.remove(field)
            return fields.removeValue(forKey: field) != nil
        case 5:
            migration.addField(other, ContainerSchema.Field(type), to: self.type)
            return fields.updateValue(type, forKey: other) == nil
        case 6:
            let name = generator.pick(["T", "U", "V"])
            migration.renameType(self.type, to: name)
            defer { self.type = name }
            return name != self.type
        default:
            guard let type = fields[field] else { return true }
            return set(field, type, &migration, &generator)
        }
    }

    private mutating func rename(_ field: String, _ name: String) -> Bool {
        guard let type = fields[field], fields[name] == nil else { return false }
        (fields[field], fields[name]) = (nil, type)
        for (id, values) in records {
            records[id]?[name] = values[field]
            records[id]?[field] = nil
        }
        if required.remove(field) != nil { required.insert(name) }
        return true
    }

    private mutating func retype(_ field: String, _ type: FieldType) -> Bool {
        guard fields[field] != nil else { return false }
        fields[field] = type
        for (id, values) in records {
            guard let value = values[field] else { continue }
            guard let converted = Conversions.converted(value, to: type) else { return false }
            records[id]?[field] = converted
        }
        return true
    }

    /// Gives a field one value everywhere, or has every record need one.
    private mutating func set(
        _ field: String, _ type: FieldType, _ migration: inout SchemaMigration, _ generator: inout SeededGenerator
    ) -> Bool {
        if generator.oneIn(2) {
            migration.setTraits(.required, of: field, in: self.type)
            required.insert(field)
        } else {
            let value = generator.pick(Conversions.values(of: type))
            migration.updateRecords(ofType: self.type) { $0[field] = value }
            for id in records.keys { records[id]?[field] = value }
        }
        return true
    }

    /// Whether all records have what they need.
    var isComplete: Bool { records.values.allSatisfy { values in required.allSatisfy { values[$0] != nil } } }
}

extension MigrationModel {
    /// How a container differs from the model.
    func difference(from container: Container) throws(DatabaseError) -> String? {
        guard let known = container.schema.recordTypes[type] else { return "the type is gone" }
        if known.fields.mapValues(\.type) != fields { return "other fields: \(known.fields.mapValues(\.type))" }
        let needed = Set(known.fields.filter { $0.value.traits.contains(.required) }.keys)
        if needed != required { return "other fields are required: \(needed)" }
        let found = try container.privateDatabase.find(Query(type, "TRUEPREDICATE"), in: .all, limit: 100)
        if found.matches.count != records.count { return "\(found.matches.count) records" }
        for (id, result) in found.matches {
            let record = try result.get()
            guard record.type == type, record.fields == records[id.recordName] else {
                return "\(id.recordName) has \(record.fields)"
            }
        }
        return nil
    }
}
