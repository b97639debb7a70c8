// What a schema demands of values that are stored already.

import Indexing
import PredicateSemantics
import RecordColumns
import RecordModel
import RecordStore

extension ContainerSchema.RecordType {
    /// The fields that are `NOT NULL`, and the lists of fields that are unique together, but not in an earlier
    /// definition of the type.
    func demands(since earlier: Self?) -> (required: [String], unique: [[String]]) {
        let known = earlier.map { Set($0.requiredKeys) } ?? []
        let knownLists = earlier.map { Set($0.uniqueKeys.map(Set.init)) } ?? []
        return (
            requiredKeys.filter { !known.contains($0) }, uniqueKeys.filter { !knownLists.contains(Set($0)) }
        )
    }
}

extension ContainerSchema {
    /// Checks that stored records satisfy what the schema demands of values and an earlier one did not.
    ///
    /// - Parameter rewritten: Types whose values changed: all that is demanded of them is checked.
    /// - Throws: `DatabaseError` of code `constraintViolation`, naming a record.
    /// - Complexity: O(records) of the types whose demands grew, and of those rewritten.
    func checkConstraints(
        of snapshot: Snapshot, since earlier: ContainerSchema, rewritten: Set<String>
    ) throws(DatabaseError) {
        for (name, type) in recordTypes.sorted(by: { $0.key < $1.key }) {
            let demands = type.demands(since: rewritten.contains(name) ? nil : earlier.recordTypes[name])
            for key in demands.required { try snapshot.checkPresent(key, ofType: name) }
            for keys in demands.unique { try snapshot.checkUnlike(keys, ofType: name) }
        }
    }
}

extension Snapshot {
    /// Checks that all records of a type have a value of a field.
    fileprivate func checkPresent(_ key: String, ofType type: String) throws(DatabaseError) {
        for stored in segments where stored.segment.recordType == type {
            let column = stored.segment.schema.position(of: key).map { stored.segment.columns[$0] }
            for row in 0..<stored.segment.count where stored.isLive(row) && column?.isPresent(row) != true {
                throw DatabaseError.missing(key, type, stored.segment.recordID(row))
            }
        }
    }

    /// Checks that no two records of a type have the same values of some fields.
    fileprivate func checkUnlike(_ keys: [String], ofType type: String) throws(DatabaseError) {
        var check = UniqueValues(of: keys, type)
        for stored in segments where stored.segment.recordType == type {
            guard let columns = stored.columns(of: keys) else { continue }
            for row in 0..<stored.segment.count where stored.isLive(row) {
                let values = columns.map { stored.segment.columns[$0].value(row) }
                try check.add(values, stored.segment.recordID(row))
            }
        }
    }

    /// The live records of a type that have one of some combinations of values, each with the combination's number.
    ///
    /// - Complexity: O(combinations) look-ups for each segment, and the records that have the value of a combination
    ///   that fewest have; O(rows) for a segment that is too small for an index.
    func holders(of wanted: ValueCombinations, ofType type: String) -> [(number: Int, address: RowAddress)] {
        var found: [(number: Int, address: RowAddress)] = []
        if wanted.count == 0 { return found }
        for (position, stored) in segments.enumerated() where stored.segment.recordType == type {
            guard let columns = stored.columns(of: wanted.fields) else { continue }
            func note(_ row: Int) {
                guard stored.isLive(row) else { return }
                let values = columns.map { stored.segment.columns[$0].value(row) }
                guard let number = wanted.number(of: values) else { return }
                found.append((number, RowAddress(segment: position, row: row)))
            }
            let indexes = columns.compactMap { stored.indexes.ordered(column: $0, building: isIndexed(stored)) }
            guard indexes.count == columns.count else {
                for row in 0..<stored.segment.count { note(row) }
                continue
            }
            // Two combinations may share the value that is looked up: each row is noted once.
            var seen: Set<Int> = []
            for number in 0..<wanted.count {
                let runs = zip(indexes, wanted.values(number)).map { index, value in
                    index.distinct(equalTo: value).map { index.run(ofDistinct: $0..<$0 + 1) }
                }
                guard !runs.contains(where: { $0 == nil }),
                    let fewest = runs.compactMap({ $0 }).min(by: { $0.count < $1.count })
                else { continue }
                unsafe fewest.withRows { rows in
                    for index in rows.indices {
                        let row = Int(unsafe rows[index])
                        if seen.insert(row).inserted { note(row) }
                    }
                }
            }
        }
        return found
    }
}

extension StoredSegment {
    /// The positions of columns; `nil` when a field has none, and so no record a value of it.
    fileprivate func columns(of fields: [String]) -> [Int]? {
        let columns = fields.compactMap { segment.schema.position(of: $0) }
        return columns.count == fields.count ? columns : nil
    }
}

/// The values of fields that no two records of a type may have, with the records that have them.
struct UniqueValues {
    private let type: String
    private var known: ValueCombinations
    private var owners: [Record.ID] = []

    init(of keys: [String], _ type: String) { (known, self.type) = (ValueCombinations(of: keys), type) }

    /// Adds the values of a record. One that is missing is like no other.
    /// - Throws: `DatabaseError` of code `constraintViolation` where an earlier record has them.
    mutating func add(_ values: [FieldValue], _ id: Record.ID) throws(DatabaseError) {
        if let other = known.number(of: values) {
            throw DatabaseError.duplicate(known.fields, type, held: owners[other])
        }
        if known.insert(values) != nil { owners.append(id) }
    }
}

/// Different combinations of values of some fields, numbered in order of first appearance. Two are the same where `==`
/// has all their values as equal.
struct ValueCombinations {
    let fields: [String]
    /// The different values of each field.
    private var members: [MemberSet]
    /// The positions of a combination's values among those of their fields.
    private var positions: [[Int]] = []
    private var numbers: [[Int]: Int] = [:]

    init(of fields: [String]) {
        self.fields = fields
        members = fields.map { _ in MemberSet() }
    }

    var count: Int { positions.count }

    /// The values of a combination.
    func values(_ number: Int) -> [FieldValue] { zip(members, positions[number]).map { $0.members[$1] } }

    /// The number of the combination; `nil` for one that was not added.
    func number(of values: [FieldValue]) -> Int? {
        var positions: [Int] = []
        positions.reserveCapacity(values.count)
        for (member, value) in zip(members, values) {
            guard !value.isNull, let position = member.position(of: value) else { return nil }
            positions.append(position)
        }
        return numbers[positions]
    }

    /// Adds a combination unless it is there.
    /// - Returns: Its number; `nil` where a value is missing, which is like no other.
    @discardableResult
    mutating func insert(_ values: [FieldValue]) -> Int? {
        if values.contains(where: \.isNull) { return nil }
        var positions: [Int] = []
        for (field, value) in values.enumerated() {
            members[field].insert(value)
            if let position = members[field].position(of: value) { positions.append(position) }
        }
        if let known = numbers[positions] { return known }
        numbers[positions] = count
        self.positions.append(positions)
        return count - 1
    }
}

extension DatabaseError {
    /// A record has no value of a field that is to be `NOT NULL`.
    static func missing(_ key: String, _ type: String, _ id: Record.ID) -> DatabaseError {
        DatabaseError(
            .constraintViolation, "record \(id.recordName) has no value of field \(key) of \(type)",
            hint: "give every record one before the field becomes NOT NULL")
    }

    /// Two records have the same values of fields that are `UNIQUE`.
    static func duplicate(_ keys: [String], _ type: String, held id: Record.ID) -> DatabaseError {
        let isOne = keys.count == 1
        return DatabaseError(
            .constraintViolation,
            "\(keys.fieldsInWords) of \(type) \(isOne ? "is UNIQUE" : "are UNIQUE together"), and record "
                + "\(id.recordName) has the same value\(isOne ? "" : "s")")
    }
}

extension [String] {
    /// Names of fields as errors have them: `field a`, `fields a, b`.
    var fieldsInWords: String { "field\(count == 1 ? "" : "s") \(joined(separator: ", "))" }
}
