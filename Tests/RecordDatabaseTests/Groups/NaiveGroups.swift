// Groups as a dictionary of records gives them: what the engine is compared with.

import Foundation
import RecordDatabase
import _TestSupport

/// Groups records by reading every value.
struct NaiveGroups {
    let records: [Record]
    private let byID: [Record.ID: Record]

    init(_ records: [Record]) {
        self.records = records
        byID = Dictionary(records.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }

    /// The value of a field, a part of the record, or a path through objects and references.
    func value(_ name: String, of record: Record) -> FieldValue {
        if name == "recordName" { return .string(record.id.recordName) }
        if name == "recordType" { return .string(record.type) }
        guard let dot = name.firstIndex(of: ".") else { return record[name] }
        let rest = String(name[name.index(after: dot)...])
        switch record[String(name[..<dot])] {
        case .object(let members): return members[rest] ?? .null
        case .reference(let reference): return byID[reference.recordID].map { value(rest, of: $0) } ?? .null
        case .location(let place): return .double(rest == "latitude" ? place.latitude : place.longitude)
        default: return .null
        }
    }

    /// The distinct values that a record is counted under.
    private func keys(_ name: String, of record: Record) -> Set<FieldValue> {
        guard case .list(let elements) = value(name, of: record) else { return [value(name, of: record).canonical] }
        let present = Set(elements.filter { $0 != .null }.map(\.canonical))
        return present.isEmpty ? [.null] : present
    }

    func groups(by fields: [String]) -> [[FieldValue]: [Record]] {
        var groups: [[FieldValue]: [Record]] = [:]
        if fields.isEmpty { groups[[]] = [] }
        for record in records {
            var all: [[FieldValue]] = [[]]
            for field in fields { all = all.flatMap { key in keys(field, of: record).map { key + [$0] } } }
            for key in all { groups[key, default: []].append(record) }
        }
        return groups
    }

    /// The aggregate of records, computed from sorted and filtered copies of their values.
    func aggregate(_ aggregate: Aggregate, of records: [Record]) -> FieldValue {
        let values = records.map { value(aggregate.field ?? "", of: $0) }.filter { $0 != .null }
        let numbers = values.compactMap(\.double)
        switch aggregate {
        case .count: return .int64(Int64(records.count))
        case .sum: return FieldValue.double(numbers.reduce(0, +)).canonical
        case .average:
            return numbers.isEmpty ? .null : FieldValue.double(numbers.reduce(0, +) / Double(numbers.count)).canonical
        case .minimum: return values.min { $0.isBelow($1) }?.canonical ?? .null
        case .maximum: return values.max { $0.isBelow($1) }?.canonical ?? .null
        case .distinct(let field):
            let keys = records.reduce(into: Set<FieldValue>()) { $0.formUnion(self.keys(field, of: $1)) }
            return .int64(Int64(keys.subtracting([.null]).count))
        }
    }
}

extension FieldValue {
    /// One value for all that are equal as keys; NaN is a text that no record has.
    var canonical: FieldValue {
        switch self {
        case .double(let number) where number.isNaN: "not a number"
        case .double(let number): Int64(exactly: number).map { .int64($0) } ?? self
        case .reference(let reference): .reference(RecordReference(recordID: reference.recordID))
        default: self
        }
    }

    fileprivate var double: Double? {
        switch self {
        case .bool(let isTrue): isTrue ? 1 : 0
        case .int64(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    fileprivate func isBelow(_ other: FieldValue) -> Bool {
        if let a = double, let b = other.double { return a < b || (b.isNaN && !a.isNaN) }
        switch (self, other) {
        case (.string(let a), .string(let b)):
            // `String` says that neither of "e\u{301} 9" and "é 93" is less.
            return a.precomposedStringWithCanonicalMapping.utf8.lexicographicallyPrecedes(
                b.precomposedStringWithCanonicalMapping.utf8)
        case (.date(let a), .date(let b)): return a < b
        default: return false
        }
    }
}

extension NaiveGroups {
    /// How groups differ from those of the dictionary, in words.
    func differences(
        of found: [RecordGroup], _ expected: [[FieldValue]: [Record]], _ aggregates: [Aggregate]
    ) -> [String] {
        var differences: [String] = []
        if found.count != expected.count { differences.append("\(found.count) groups, not \(expected.count)") }
        for group in found {
            let members = expected[group.keys.map(\.canonical)] ?? []
            if group.count != members.count {
                differences.append("\(group.keys): \(group.count) records, not \(members.count)")
            }
            for (aggregate, value) in zip(aggregates, group.values) {
                let wanted = self.aggregate(aggregate, of: members)
                if value.canonical != wanted.canonical {
                    differences.append("\(group.keys) \(aggregate): \(value), not \(wanted)")
                }
            }
        }
        return differences
    }

    private static let texts = ["b", "a", "é", "e\u{301}", "Z", "", "ab", "zz"]

    /// Random records with gaps, equal values of different spelling, and lists.
    static func records(_ count: Int, types: [String] = ["T"], seed: UInt64) -> [Record] {
        var random = SplitMix64(seed: seed)
        func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        return (0..<count).map { number in
            var record = Record(type: types[number % types.count], id: Record.ID("r\(number)"))
            func set(_ name: String, _ value: @autoclosure () -> FieldValue) {
                if below(5) > 0 { record[name] = value() }
            }
            set("few", .string(texts[below(texts.count)]))
            set("text", .string("\(texts[below(texts.count)]) \(below(max(1, count / 2)))"))
            set("whole", .int64(Int64(below(40)) - 20))
            set("fraction", .double(below(30) == 0 ? .nan : [-0.0, 0, 1, 2.5, -3.125][below(5)]))
            set("mixed", below(2) == 0 ? .int64(Int64(below(4))) : .double(Double(below(8)) / 2))
            set("flag", .bool(below(2) == 0))
            set("date", .date(Date(timeIntervalSinceReferenceDate: Double(below(20)) * 3600)))
            set("tags", .list((0..<below(4)).map { _ in .string(texts[below(texts.count)]) }))
            set("numbers", .list((0..<below(3)).map { _ in .int64(Int64(below(5))) }))
            set("owner", .reference(RecordReference("r\(below(count))", action: below(2) == 0 ? .none : .deleteSelf)))
            set("place", .location(Location(latitude: Double(below(3)), longitude: Double(below(2)))))
            set("nested", .object(["a": .int64(Int64(below(3))), "b": .string(texts[below(3)])]))
            return record
        }
    }
}
