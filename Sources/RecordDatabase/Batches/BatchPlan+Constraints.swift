// What the schema demands of values: that they are there, and that no two records share one.

import RecordColumns
import RecordModel
import RecordStore

extension BatchPlan {
    /// Fails items without a value where the schema says `NOT NULL`, and those with the values of another record where
    /// it says `UNIQUE`.
    ///
    /// What counts is how records are after the batch: two of them may exchange their values, and one may take that of
    /// a record that is deleted.
    /// - Complexity: O(saves · segments) for each such field or list of fields, and O(rows) of segments that are too
    ///   small for an index.
    mutating func checkConstraints(_ snapshot: Snapshot, _ schema: ContainerSchema) {
        // What goes with its owner is not saved.
        let gone = Set(deleted)
        var places: [String: [Int]] = [:]
        for index in saves.indices where saves[index].failure == nil && !gone.contains(saves[index].id) {
            let type = saves[index].record.type
            if schema.recordTypes[type]?.isConstrained == true { places[type, default: []].append(index) }
        }
        if places.isEmpty { return }
        // Items of the batch are compared when what fails by itself is left out: no other one fails because of it.
        let accepted = failureCount
        for (type, places) in places {
            for key in schema.recordTypes[type]?.requiredKeys ?? [] { checkPresent(key, places) }
        }
        if failureCount > accepted { return }
        for (type, places) in places {
            for keys in schema.recordTypes[type]?.uniqueKeys ?? [] { checkStored(keys, of: type, places, snapshot) }
        }
        if failureCount > accepted { return }
        for (type, places) in places { checkUnlike(schema.recordTypes[type]?.uniqueKeys ?? [], places) }
    }

    /// Whether what the batch saves depends on the values of other records than those it names.
    func isConstrained(by schema: ContainerSchema) -> Bool {
        isShared(by: schema)
            || saves.contains { schema.recordTypes[$0.record.type]?.uniqueKeys.isEmpty == false }
    }

    /// Whether it depends on all records: which share one is in, on those above it.
    func isShared(by schema: ContainerSchema) -> Bool { schema.hasShares || concernsShares }

    private mutating func checkPresent(_ key: String, _ places: [Int]) {
        for index in places where saves[index].failure == nil && saves[index].value(of: key).isNull {
            saves[index].failure = ItemFailure(
                DatabaseError(
                    .constraintViolation,
                    "field \(key) of \(saves[index].record.type) needs a value, and record "
                        + "\(saves[index].id.recordName) has none"))
        }
    }

    /// Fails items with the values of a stored record that stays as it is.
    private mutating func checkStored(_ keys: [String], of type: String, _ places: [Int], _ snapshot: Snapshot) {
        var combinations = ValueCombinations(of: keys)
        var owners: [[Int]] = []
        for index in places where saves[index].failure == nil {
            guard let number = combinations.insert(saves[index].values(of: keys)) else { continue }
            if number < owners.count { owners[number].append(index) } else { owners.append([index]) }
        }
        let replaced = Set(saves.lazy.filter { $0.failure == nil }.map(\.id))
        let gone = Set(deleted)
        for (number, address) in snapshot.holders(of: combinations, ofType: type) {
            let id = snapshot.segments[address.segment].segment.recordID(address.row)
            // Of a record that the batch saves too, the new values are among those above.
            if replaced.contains(id) || gone.contains(id) { continue }
            for index in owners[number] where saves[index].failure == nil {
                saves[index].failure = .duplicate(keys, type, held: id)
            }
        }
    }

    /// Fails items with the values of an earlier item that did not fail.
    private mutating func checkUnlike(_ lists: [[String]], _ places: [Int]) {
        var known = lists.map { (combinations: ValueCombinations(of: $0), owners: [Int]()) }
        for index in places {
            let values = lists.map { saves[index].values(of: $0) }
            for (place, keys) in lists.enumerated() where saves[index].failure == nil {
                guard let number = known[place].combinations.number(of: values[place]) else { continue }
                saves[index].failure = .duplicate(
                    keys, saves[index].record.type, held: saves[known[place].owners[number]].id)
            }
            if saves[index].failure != nil { continue }
            for place in lists.indices where known[place].combinations.insert(values[place]) != nil {
                known[place].owners.append(index)
            }
        }
    }
}

extension SaveItem {
    /// The value of a field once the item is saved.
    fileprivate func value(of key: String) -> FieldValue { values[key] ?? stored?.value(of: key) ?? .null }

    fileprivate func values(of keys: [String]) -> [FieldValue] { keys.map(value(of:)) }
}

extension ItemFailure {
    fileprivate static func duplicate(_ keys: [String], _ type: String, held id: Record.ID) -> ItemFailure {
        ItemFailure(DatabaseError.duplicate(keys, type, held: id))
    }
}
