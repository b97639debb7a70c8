// Records of several stores as one, for those who see something of each.

import Indexing
import RecordColumns
package import RecordModel

extension Snapshot {
    /// The same records as users other than their owner name them. Complexity: O(segments), once more for each new one.
    ///
    /// - Parameter kept: Fields whose references stay as they are.
    package func named(inZonesOf owner: String, keeping kept: Set<String>) -> Snapshot {
        let named = segments.map { stored -> StoredSegment in
            StoredSegment(
                stored.indexes.named(inZonesOf: owner, keeping: kept), sequences: stored.sequences,
                deleted: stored.deleted)
        }
        return Snapshot(version: version, segments: named, schemas: schemas, keys: keys, isSealed: isSealed)
    }

    /// The records of several snapshots, none of which has a zone of another one, in this order.
    /// - Complexity: O(runs of the segments + fields).
    package convenience init(joining snapshots: [Snapshot]) {
        var (segments, schemas, next): ([StoredSegment], [RecordSchema], Int) = ([], [], 0)
        for snapshot in snapshots {
            var end = next
            for stored in snapshot.segments where stored.segment.count > 0 {
                end = max(end, next + stored.sequences[stored.segment.count - 1] + 1)
                segments.append(
                    StoredSegment(stored.indexes, sequences: stored.sequences.raised(by: next), deleted: stored.deleted)
                )
            }
            next = end
            schemas += snapshot.schemas
        }
        var types: [String] = []
        for schema in schemas where !types.contains(schema.recordType) { types.append(schema.recordType) }
        self.init(
            version: snapshots.reduce(0) { $0 + $1.version }, segments: segments,
            schemas: types.map { type in
                RecordSchema(merging: schemas.filter { $0.recordType == type }, recordType: type)
            })
    }
}

extension RecordSchema {
    /// The fields of several schemas; one of several types may hold anything.
    package init(merging schemas: [RecordSchema], recordType: String) {
        self.init(recordType: recordType)
        for field in schemas.flatMap(\.fields) {
            let known = type(of: field.name)
            define(known == nil || known == field.type ? field : FieldDefinition(name: field.name, type: .any))
        }
    }
}
