// A record for which two predicates give different results.

import RecordDatabase

/// Looks for a record that tells two predicates apart.
struct DifferenceSearch {
    /// A record, and what both predicates say of it.
    struct Difference {
        var record: Record
        var first: Bool
        var second: Bool
    }

    let first: BoundPredicate
    let second: BoundPredicate
    /// Records tried for which both had a result.
    private(set) var tried = 0
    /// Records for which one of them failed.
    private(set) var failed = 0
    private let context = EvaluationContext.current()
    private let values: CandidateValues
    private var random: SplitMix

    /// A search that repeats for a seed; records that it makes have no fractions in the given fields.
    init(_ first: BoundPredicate, _ second: BoundPredicate, seed: UInt64, wholeFields: Set<String> = []) {
        self.first = first
        self.second = second
        values = CandidateValues([first, second], wholeFields: wholeFields, now: context.now)
        random = SplitMix(seed: seed)
    }

    /// The results for a record, where they differ.
    private mutating func difference(_ record: Record) -> Difference? {
        guard let a = try? first.evaluate(on: record, context: context),
            let b = try? second.evaluate(on: record, context: context)
        else {
            failed += 1
            return nil
        }
        tried += 1
        return a == b ? nil : Difference(record: record, first: a, second: b)
    }

    /// The first of given records that tells them apart, as it is.
    mutating func search(in records: RecordSet) -> Difference? {
        for ordinal in 0..<records.count {
            if let record = records.record(at: ordinal), let found = difference(record) { return found }
        }
        return nil
    }

    /// A record made of the predicates' constants and what lies beside them, in as few fields as possible: every
    /// combination where there are no more than `count`, else a random choice; of given records some fields are
    /// replaced.
    mutating func search(count: Int, basedOn records: RecordSet?) -> Difference? {
        var combinations = 1
        for path in values.paths {
            let (product, isTooLarge) = combinations.multipliedReportingOverflow(by: choices(of: path) + 1)
            combinations = isTooLarge ? .max : product
        }
        let isExhaustive = combinations <= count
        if isExhaustive {
            for number in 0..<combinations {
                if let found = difference(record(number)) { return shrunk(found) }
            }
        }
        let bases =
            records.map { set in
                (0..<min(set.count, 200)).compactMap { set.record(at: $0 * set.count / min(set.count, 200)) }
            } ?? []
        if isExhaustive, bases.isEmpty { return nil }
        for _ in 0..<max(0, count - (isExhaustive ? combinations : 0)) {
            let base = bases.isEmpty || random.below(2) == 0 ? nil : bases[random.below(bases.count)]
            if let found = difference(record(basedOn: base)) { return shrunk(found) }
        }
        return nil
    }

    // MARK: Records

    private func choices(of path: CandidateValues.Path) -> Int { values.candidates[path]?.values.count ?? 0 }

    /// The record of a number: one choice a field, 0 for a missing one.
    private func record(_ number: Int) -> Record {
        var record = Record(type: "Record", id: Record.ID("1"))
        var rest = number
        for path in values.paths {
            let choice = rest % (choices(of: path) + 1)
            rest /= choices(of: path) + 1
            if choice > 0, let value = values.candidates[path]?.values[choice - 1] { record.set(value, at: path) }
        }
        return record
    }

    private mutating func record(basedOn base: Record?) -> Record {
        var record = base ?? Record(type: "Record", id: Record.ID("1"))
        for path in values.paths {
            if base != nil, random.below(3) > 0 { continue }
            let choice = random.below(choices(of: path) + 1)
            record.set(choice == 0 ? .null : values.candidates[path]?.values[choice - 1] ?? .null, at: path)
        }
        return record
    }

    /// The difference with every field left out that does not matter.
    private mutating func shrunk(_ found: Difference) -> Difference {
        var best = found
        for name in found.record.fields.keys.sorted() {
            var fields = best.record.fields
            fields[name] = nil
            let smaller = Record(type: best.record.type, id: best.record.id, fields: fields)
            if let difference = difference(smaller) { best = difference }
        }
        return best
    }
}

/// Random numbers that repeat (SplitMix64).
private struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x2545_F491_4F6C_DD1D }

    /// A number from 0 to below the limit; 0 for a limit of 0.
    mutating func below(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return limit > 0 ? Int(truncatingIfNeeded: (bits >> 1) % UInt64(limit)) : 0
    }
}

extension Record {
    /// Puts a value at the end of a path of keys; objects on the way are made.
    fileprivate mutating func set(_ value: FieldValue, at path: CandidateValues.Path) {
        guard let field = path.first else { return }
        self[field] = Self.setting(value, at: path.dropFirst(), in: self[field])
    }

    private static func setting(_ value: FieldValue, at path: ArraySlice<String>, in old: FieldValue) -> FieldValue {
        guard let key = path.first else { return value }
        var members: [String: FieldValue] = if case .object(let members) = old { members } else { [:] }
        members[key] = setting(value, at: path.dropFirst(), in: members[key] ?? .null)
        return .object(members)
    }
}
