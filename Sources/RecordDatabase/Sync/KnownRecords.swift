// What an application has of a database, as far as its sync engine has told of it.

import FoundationEssentials
import RecordModel

/// The records of a zone that an application was given or has sent, by their types. When a token has expired, those of
/// them that the database has no more were deleted.
struct KnownRecords: Hashable, Sendable {
    private var names: [String: Set<String>] = [:]

    mutating func insert(_ record: Record) {
        remove(record.id.recordName)
        names[record.type, default: []].insert(record.id.recordName)
    }

    /// - Complexity: O(types).
    mutating func remove(_ name: String) {
        // The keys in an array of their own: what the dictionary shares with nobody is changed in place.
        for type in Array(names.keys) where names[type]?.remove(name) != nil && names[type]?.isEmpty == true {
            names[type] = nil
        }
    }

    mutating func subtract(_ other: KnownRecords) {
        for (type, gone) in other.names {
            names[type]?.subtract(gone)
            if names[type]?.isEmpty == true { names[type] = nil }
        }
    }

    /// The records without some, in the order of their names.
    func deletions(in zone: RecordZone.ID, except present: Set<String>) -> [RecordDeletion] {
        names.flatMap { type, names in
            names.subtracting(present).map {
                RecordDeletion(recordID: Record.ID($0, zoneID: zone), recordType: type)
            }
        }.sorted { $0.recordID.recordName < $1.recordID.recordName }
    }
}

extension KnownRecords: Codable {
    private enum CodingKeys: String, CodingKey {
        /// The names as older versions wrote them.
        case names
        case packed
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let packed = try container.decodeIfPresent(Data.self, forKey: .packed) else {
            names = try container.decode([String: Set<String>].self, forKey: .names)
            return
        }
        do {
            names = try PackedNames.names(of: [UInt8](packed))
        } catch let error as BinaryError {
            throw DecodingError.dataCorruptedError(
                forKey: .packed, in: container, debugDescription: "the names of known records are damaged: \(error)")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Data(PackedNames.bytes(of: names)), forKey: .packed)
    }
}

/// What an application has, and what of it a fetch from the beginning has not listed yet.
struct KnownItems: Hashable, Sendable, Codable {
    private var zones: Set<RecordZone.ID> = []
    private var records: [RecordZone.ID: KnownRecords] = [:]
    private var unlistedZones: Set<RecordZone.ID> = []
    private var unlistedRecords: [RecordZone.ID: KnownRecords] = [:]

    // MARK: Zones

    /// All zones are about to be listed.
    mutating func beginZones() { unlistedZones = zones }

    mutating func insert(_ zone: RecordZone.ID) {
        zones.insert(zone)
        unlistedZones.remove(zone)
    }

    /// A zone is gone, with all of its records.
    mutating func remove(_ zone: RecordZone.ID) {
        zones.remove(zone)
        unlistedZones.remove(zone)
        (records[zone], unlistedRecords[zone]) = (nil, nil)
    }

    /// After the last stretch of a list: the zones that were in none, in the order of their names.
    var missingZones: [RecordZone.ID] {
        unlistedZones.sorted { ($0.ownerName, $0.zoneName) < ($1.ownerName, $1.zoneName) }
    }

    // MARK: Records

    /// All records of a zone are about to be listed.
    mutating func beginRecords(of zone: RecordZone.ID) { unlistedRecords[zone] = records[zone] }

    mutating func insert(_ record: Record) { insert(record, in: record.id.zoneID) }

    /// - Parameter zone: The record's zone, by the name that it has in lists.
    mutating func insert(_ record: Record, in zone: RecordZone.ID) {
        records[zone, default: KnownRecords()].insert(record)
        unlistedRecords[zone]?.remove(record.id.recordName)
    }

    mutating func remove(_ id: Record.ID) {
        records[id.zoneID]?.remove(id.recordName)
        unlistedRecords[id.zoneID]?.remove(id.recordName)
    }

    /// Takes in a stretch of a zone's changes.
    mutating func take(_ changes: RecordZoneChanges) {
        for (_, result) in changes.modifications { if case .success(let record) = result { insert(record) } }
        for deletion in changes.deletions { remove(deletion.recordID) }
    }

    /// The last stretch of a list was told, and what it lacks as deleted.
    mutating func removeUnlisted(in zone: RecordZone.ID) {
        if let missing = unlistedRecords.removeValue(forKey: zone) { records[zone]?.subtract(missing) }
    }

    /// The list of a zone's records is complete, and what was in it is told.
    mutating func endRecords(of zone: RecordZone.ID) { unlistedRecords[zone] = nil }

    /// Beside the last stretch of a list: the records that are in none.
    func missingRecords(of zone: RecordZone.ID, beside last: RecordZoneChanges) -> [RecordDeletion] {
        let listed = last.modifications.map(\.id.recordName) + last.deletions.map(\.recordID.recordName)
        return unlistedRecords[zone]?.deletions(in: zone, except: Set(listed)) ?? []
    }
}
