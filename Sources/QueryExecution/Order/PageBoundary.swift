// Where a page begins.

import PredicateSemantics
import RecordModel

/// The last record of the page before, compared with those that may follow.
struct PageBoundary {
    let cursor: PageCursor
    private let keys: [SortKey]
    private let prepared: [FieldValue]
    /// Whether a record of the same zone that is level has the identifier of the last one, and was deleted and saved
    /// again since.
    private let isLevelSame: Bool

    init(cursor: PageCursor, keys: [SortKey]) {
        self.cursor = cursor
        self.keys = keys
        isLevelSame = keys.contains { $0.criterion == .recordName }
        prepared = zip(keys, cursor.values).map { $0.prepared($1) }
    }

    /// Whether the boundary precedes a record.
    ///
    /// - Parameters:
    ///   - value: What the record has of a key.
    ///   - zone: Its zone.
    ///   - sequence: Its number in the order of insertion.
    func isBefore(_ value: (SortKey.Criterion) -> FieldValue, zone: () -> RecordZone.ID, sequence: Int) -> Bool {
        for (key, own) in zip(keys, prepared) {
            let order = key.compare(prepared: own, key.prepared(value(key.criterion)))
            if order != 0 { return order < 0 }
        }
        if let name = cursor.zoneName {
            let other = zone()
            if name != other.zoneName { return name < other.zoneName }
            if let owner = cursor.zoneOwner, owner != other.ownerName { return owner < other.ownerName }
        }
        return !isLevelSame && cursor.sequence < sequence
    }
}

extension RecordZone.ID {
    /// The order of zones that settles ties between their records.
    func isOrdered(before other: RecordZone.ID) -> Bool {
        (zoneName, ownerName) < (other.zoneName, other.ownerName)
    }
}
