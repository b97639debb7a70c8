// What the schema demands of values: that they are there, and that no two records share one.

import Indexing
import PredicateSemantics
import RecordColumns
import RecordModel
import RecordStore

extension BatchPlan {
    /// Fails items without a value where the schema says `NOT NULL`, and those with a value of another record where it
    /// says `UNIQUE`.
    ///
    /// What counts is how records are after the batch: two of them may exchange their values, and one may take that of
    /// a record that is deleted.
    /// - Complexity: O(saves · segments) for each such field, and O(rows) of segments that are too small for an index.
    mutating func checkConstraints(_ snapshot: Snapshot, _ schema: ContainerSchema) {
        // What goes with its owner is not saved.
        let gone = Set(deleted)
        var places: [String: [Int]] = [:]
        for index in saves.indices where saves[index].failure == nil && !gone.contains(saves[index].id) {
            let type = saves[index].record.type
            if schema.recordTypes[type]?.constrainedKeys.isEmpty == false { places[type, default: []].append(index) }
        }
        if places.isEmpty { return }
        // Items of the batch are compared when what fails by itself is left out: no other one fails because of it.
        let accepted = failureCount
        for (type, places) in places {
            for key in schema.keys(.required, ofType: type) { checkPresent(key, places) }
        }
        if failureCount > accepted { return }
        for (type, places) in places {
            for key in schema.keys(.unique, ofType: type) { checkStored(key, of: type, places, snapshot) }
        }
        if failureCount > accepted { return }
        for (type, places) in places { checkUnlike(schema.keys(.unique, ofType: type), places) }
    }

    /// Whether what the batch saves depends on the values of other records than those it names.
    func isConstrained(by schema: ContainerSchema) -> Bool {
        // Which share a record is in depends on all records above it.
        if schema.hasShares || concernsShares { return true }
        return saves.contains { item in
            guard let type = schema.recordTypes[item.record.type] else { return false }
            return type.constrainedKeys.contains { type.fields[$0]?.traits.contains(.unique) == true }
        }
    }

    private mutating func checkPresent(_ key: String, _ places: [Int]) {
        for index in places where saves[index].failure == nil && saves[index].value(of: key).isNull {
            saves[index].failure = ItemFailure(
                DatabaseError(
                    .constraintViolation,
                    "field \(key) of \(saves[index].record.type) needs a value, and record "
                        + "\(saves[index].id.recordName) has none"))
        }
    }

    /// Fails items with a value of a stored record that stays as it is.
    private mutating func checkStored(_ key: String, of type: String, _ places: [Int], _ snapshot: Snapshot) {
        var values = MemberSet()
        var owners: [[Int]] = []
        for index in places where saves[index].failure == nil {
            let value = saves[index].value(of: key)
            if value.isNull { continue }
            if let known = values.position(of: value) {
                owners[known].append(index)
            } else {
                values.insert(value)
                owners.append([index])
            }
        }
        let replaced = Set(saves.lazy.filter { $0.failure == nil }.map(\.id))
        let gone = Set(deleted)
        for (place, address) in snapshot.holders(of: values, in: key, ofType: type) {
            let id = snapshot.segments[address.segment].segment.recordID(address.row)
            // Of a record that the batch saves too, the new value is among those above.
            if replaced.contains(id) || gone.contains(id) { continue }
            for index in owners[place] where saves[index].failure == nil {
                saves[index].failure = .duplicate(key, type, held: id)
            }
        }
    }

    /// Fails items with a value of an earlier item that did not fail.
    private mutating func checkUnlike(_ keys: [String], _ places: [Int]) {
        var known: [String: (values: MemberSet, owners: [Int])] = [:]
        for index in places {
            let values = keys.map { (key: $0, value: saves[index].value(of: $0)) }.filter { !$0.value.isNull }
            for (key, value) in values where saves[index].failure == nil {
                guard let known = known[key], let owner = known.values.position(of: value) else { continue }
                saves[index].failure = .duplicate(
                    key, saves[index].record.type, held: saves[known.owners[owner]].id)
            }
            for (key, value) in values where saves[index].failure == nil {
                known[key, default: (MemberSet(), [])].values.insert(value)
                known[key]?.owners.append(index)
            }
        }
    }
}

extension SaveItem {
    /// The value of a field once the item is saved.
    fileprivate func value(of key: String) -> FieldValue { values[key] ?? stored?.value(of: key) ?? .null }
}

extension ItemFailure {
    fileprivate static func duplicate(_ key: String, _ type: String, held id: Record.ID) -> ItemFailure {
        ItemFailure(DatabaseError.duplicate(key, type, held: id))
    }
}

extension DatabaseError {
    /// Two records have one value of a field that is `UNIQUE`.
    fileprivate static func duplicate(_ key: String, _ type: String, held id: Record.ID) -> DatabaseError {
        DatabaseError(
            .constraintViolation,
            "field \(key) of \(type) is UNIQUE, and record \(id.recordName) has the same value")
    }
}

extension ContainerSchema {
    /// The fields of a type with a trait, in order of name.
    fileprivate func keys(_ trait: Traits, ofType type: String) -> [String] {
        guard let type = recordTypes[type] else { return [] }
        return type.constrainedKeys.filter { type.fields[$0]?.traits.isSuperset(of: trait) == true }
    }

    /// Checks that stored records satisfy what the schema demands of values and an earlier one did not.
    ///
    /// - Parameter rewritten: Types whose values changed: all that is demanded of them is checked.
    /// - Throws: `DatabaseError` of code `constraintViolation`, naming a record.
    /// - Complexity: O(records) of the types whose demands grew, and of those rewritten.
    func checkConstraints(
        of snapshot: Snapshot, since earlier: ContainerSchema, rewritten: Set<String>
    ) throws(DatabaseError) {
        for (name, type) in recordTypes.sorted(by: { $0.key < $1.key }) {
            let before = rewritten.contains(name) ? nil : earlier.recordTypes[name]
            for key in type.constrainedKeys {
                let added = (type.fields[key]?.traits ?? []).intersection(.constraints)
                    .subtracting(before?.fields[key]?.traits ?? [])
                if !added.isEmpty { try snapshot.check(added, of: key, ofType: name) }
            }
        }
    }
}

extension Snapshot {
    /// Checks the values of a field in all records of a type.
    fileprivate func check(
        _ traits: ContainerSchema.Traits, of key: String, ofType type: String
    ) throws(DatabaseError) {
        var values = MemberSet()
        var owners: [Record.ID] = []
        for stored in segments where stored.segment.recordType == type {
            let column = stored.segment.schema.position(of: key).map { stored.segment.columns[$0] }
            for row in 0..<stored.segment.count where stored.isLive(row) {
                let value = column?.value(row) ?? .null
                let id = stored.segment.recordID(row)
                guard !value.isNull else {
                    if !traits.contains(.required) { continue }
                    throw DatabaseError(
                        .constraintViolation, "record \(id.recordName) has no value of field \(key) of \(type)",
                        hint: "give every record one before the field becomes NOT NULL")
                }
                if !traits.contains(.unique) { continue }
                if let other = values.position(of: value) {
                    throw DatabaseError.duplicate(key, type, held: owners[other])
                }
                values.insert(value)
                owners.append(id)
            }
        }
    }

    /// The live records of a type that have one of some values, each with the place of its value.
    ///
    /// - Complexity: O(values) look-ups for each segment, and O(rows) for one that is too small for an index.
    fileprivate func holders(
        of wanted: MemberSet, in field: String, ofType type: String
    ) -> [(place: Int, address: RowAddress)] {
        var found: [(place: Int, address: RowAddress)] = []
        for (number, stored) in segments.enumerated() where stored.segment.recordType == type {
            guard let column = stored.segment.schema.position(of: field) else { continue }
            func note(_ place: Int, _ row: Int) {
                if stored.isLive(row) { found.append((place, RowAddress(segment: number, row: row))) }
            }
            guard let index = stored.indexes.ordered(column: column, building: isIndexed(stored)) else {
                for row in 0..<stored.segment.count {
                    if let place = wanted.position(of: stored.segment.columns[column].value(row)) { note(place, row) }
                }
                continue
            }
            for (place, value) in wanted.members.enumerated() {
                guard let distinct = index.distinct(equalTo: value) else { continue }
                unsafe index.run(ofDistinct: distinct..<distinct + 1).withRows { rows in
                    for index in rows.indices { note(place, Int(unsafe rows[index])) }
                }
            }
        }
        return found
    }
}
