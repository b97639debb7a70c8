// The records of a store at one moment.

import Indexing
import OrdinalSets
package import RecordColumns
package import RecordModel

/// The records of a store at one moment: what readers see. Immutable; may be used from any thread and kept as long
/// as wanted, at the cost of the memory of its segments.
package final class Snapshot: Sendable {
    /// Below so many rows, reading columns costs less than building an index that a merge will soon discard.
    package static let indexedRows = 512

    /// Counts commits and merges: later snapshots of a store have higher versions.
    package let version: Int
    package let segments: [StoredSegment]
    /// The fields of every record type.
    package let schemas: [RecordSchema]

    /// Number of records.
    package let count: Int
    /// What the identifier and the type are called where they are seen as fields.
    package let keys: RecordKeys
    /// Whether nothing will be written to it or merged: then small segments are worth an index too.
    package let isSealed: Bool
    /// What has been found out about where references lead.
    package let addresses = ReferenceAddresses()
    let knownNumbers = OnceCell<RecordNumbers>()
    let knownIndexes = ValueIndexes.Cache()
    /// The segments alone: to look a name up in each costs less than to copy what belongs to them.
    private let namedRows: [Segment]

    package init(
        version: Int, segments: [StoredSegment], schemas: [RecordSchema],
        keys: RecordKeys = RecordKeys(id: "recordName", type: "recordType"), isSealed: Bool = false
    ) {
        (self.version, self.segments, self.schemas, self.keys) = (version, segments, schemas, keys)
        self.isSealed = isSealed
        namedRows = segments.map(\.segment)
        count = segments.reduce(0) { $0 + $1.liveCount }
    }

    /// The records of files, in their order.
    package convenience init(_ loaded: LoadedSegments) {
        self.init(
            version: 0, segments: zip(loaded.segments, loaded.positions).map { StoredSegment($0, sequences: $1) },
            schemas: loaded.schemas, keys: loaded.keys, isSealed: true)
        _ = knownNumbers.storeIfNil(RecordNumbers(addresses: loaded.addresses, numbers: loaded.positions))
    }

    /// The same records without those of some types, for queries about what is not written to any more.
    package func sealed(withoutTypes types: Set<String>) -> Snapshot {
        Snapshot(
            version: version, segments: segments.filter { !types.contains($0.segment.recordType) },
            schemas: schemas.filter { !types.contains($0.recordType) }, keys: keys, isSealed: true)
    }

    /// Whether indexes of a segment are worth building.
    package func isIndexed(_ stored: StoredSegment) -> Bool { isSealed || stored.segment.count >= Self.indexedRows }

    /// The records outside some zones.
    func withoutZones(_ zones: Set<RecordZone.ID>) -> Snapshot {
        if zones.isEmpty { return self }
        return Snapshot(
            version: version, segments: segments.filter { !zones.contains($0.segment.zoneID) }, schemas: schemas)
    }

    /// The records of one zone; all of them as the same snapshot where there is no other.
    package func only(_ zoneID: RecordZone.ID) -> Snapshot {
        if segments.allSatisfy({ $0.segment.zoneID == zoneID }) { return self }
        return Snapshot(
            version: version, segments: segments.filter { $0.segment.zoneID == zoneID }, schemas: schemas, keys: keys,
            isSealed: isSealed)
    }

    /// The fields of a record type, or `nil` when there is no record of it.
    package func schema(ofType type: String) -> RecordSchema? { schemas.first { $0.recordType == type } }

    /// Where the record of an identifier is stored, or `nil`. Complexity: O(segments), all but a few of them small.
    package func find(_ id: Record.ID) -> (segment: Segment, row: Int)? {
        locate(id).map { (segments[$0.segment].segment, $0.row) }
    }

    /// Where the records of many identifiers are stored, in their order; `nil` for one that is not there.
    ///
    /// Segment by segment, the largest first: most records are in few segments, and each index is warm while it is
    /// used.
    /// - Complexity: O(identifiers · segments), for most identifiers a few segments.
    package func find(_ ids: [Record.ID]) -> [RowAddress?] {
        ids.count == 1 ? [address(of: ids[0])] : find(ids, hashes: ids.map(Self.hash))
    }

    /// As `find`, for names of these hashes.
    func find(_ ids: [Record.ID], hashes: [UInt32]) -> [RowAddress?] {
        if ids.count == 1 {
            var name = ids[0].recordName
            return [name.withUTF8 { unsafe address(named: $0, hash: hashes[0], zoneID: ids[0].zoneID) }]
        }
        var found = [RowAddress?](repeating: nil, count: ids.count)
        var zones: [RecordZone.ID: [Int]] = [:]
        if let first = ids.first?.zoneID, ids.allSatisfy({ $0.zoneID == first }) {
            zones[first] = Array(ids.indices)
        } else {
            for index in ids.indices { zones[ids[index].zoneID, default: []].append(index) }
        }
        let order = segments.indices.sorted { segments[$0].segment.count > segments[$1].segment.count }
        for index in order {
            let stored = segments[index]
            guard let wanted = zones[stored.segment.zoneID], !wanted.isEmpty else { continue }
            let segment = stored.segment
            zones[stored.segment.zoneID] = wanted.filter { position in
                var name = ids[position].recordName
                let row = name.withUTF8 { unsafe segment.row(named: $0, hash: hashes[position]) }
                guard let row, stored.isLive(row) else { return true }
                found[position] = RowAddress(segment: index, row: row)
                return false
            }
        }
        return found
    }

    /// Whether the record of an identifier is stored at an address, which may be one of another snapshot.
    func holds(_ id: Record.ID, at address: RowAddress) -> Bool {
        guard segments.indices.contains(address.segment) else { return false }
        let stored = segments[address.segment]
        guard address.row < stored.segment.count, stored.isLive(address.row), stored.segment.zoneID == id.zoneID
        else { return false }
        var name = id.recordName
        return name.withUTF8 { unsafe stored.segment.names.equals(address.row, $0) }
    }

    /// The hash of an identifier's name, for those who look it up in several segments.
    static func hash(_ id: Record.ID) -> UInt32 {
        var name = id.recordName
        return name.withUTF8 { unsafe ByteHash.hash($0) }
    }

    /// The record of an identifier, or `nil`. Complexity: O(segments + fields).
    package func record(_ id: Record.ID) -> Record? { find(id).map { $0.segment.record($0.row) } }

    /// The record of a row that a query gave.
    package func record(_ row: SnapshotRow) -> Record { segments[row.segment].segment.record(row.row) }

    /// The identifier of a row that a query gave.
    package func recordID(_ row: SnapshotRow) -> Record.ID { segments[row.segment].segment.recordID(row.row) }

    /// The row of the record of an identifier, or `nil`.
    package func locate(_ id: Record.ID) -> SnapshotRow? { address(of: id).map(row) }

    private func address(of id: Record.ID) -> RowAddress? {
        var name = id.recordName
        return name.withUTF8 { unsafe address(named: $0, hash: ByteHash.hash($0), zoneID: id.zoneID) }
    }

    /// The row at an address.
    package func row(_ address: RowAddress) -> SnapshotRow {
        SnapshotRow(
            segment: address.segment, row: address.row, sequence: segments[address.segment].sequences[address.row])
    }

    /// Where the record of a name in a zone is stored, or `nil`. The hash is the name's.
    package func address(
        named name: UnsafeBufferPointer<UInt8>, hash: UInt32, zoneID: RecordZone.ID
    ) -> RowAddress? {
        // What was written last is read most.
        for index in namedRows.indices.reversed() where namedRows[index].zoneID == zoneID {
            guard let row = unsafe namedRows[index].row(named: name, hash: hash), segments[index].isLive(row) else {
                continue
            }
            return RowAddress(segment: index, row: row)
        }
        return nil
    }
}

/// A record of a snapshot.
package struct SnapshotRow: Hashable, Sendable {
    /// Index into the snapshot's segments.
    package var segment: Int
    package var row: Int
    /// The record's number in the order of insertion: the same in all snapshots, as long as the record exists.
    package var sequence: Int

    package init(segment: Int, row: Int, sequence: Int) {
        (self.segment, self.row, self.sequence) = (segment, row, sequence)
    }
}

extension Snapshot {
    /// The records at some addresses and those of whole zones, without all others.
    /// - Complexity: O(rows of the segments of the addresses).
    package func restricted(to addresses: [RowAddress], and zones: Set<RecordZone.ID> = []) -> Snapshot {
        var wanted: [Int: Set<Int>] = [:]
        for address in addresses { wanted[address.segment, default: []].insert(address.row) }
        let kept = segments.indices.compactMap { number -> StoredSegment? in
            var stored = segments[number]
            if zones.contains(stored.segment.zoneID) { return stored }
            if wanted[number] == nil { return nil }
            var deleted = stored.deleted ?? DeletedRows(of: stored.segment.count)
            for row in 0..<stored.segment.count where wanted[number]?.contains(row) != true { deleted.insert(row) }
            stored.deleted = deleted
            return stored
        }
        return Snapshot(version: version, segments: kept, schemas: schemas, keys: keys, isSealed: isSealed)
    }
}
