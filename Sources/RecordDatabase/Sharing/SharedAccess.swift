// What a user may see and do in the private database of another one.

import RecordColumns
import RecordModel
import RecordStore

/// The shares of a database that one participant has accepted.
struct SharedAccess {
    /// A share that the participant has accepted.
    struct Grant {
        let share: StoredShare
        let rootID: Record.ID?
        let permission: Share.Permission
        /// Number of the change by which the participant accepted it.
        let acceptance: Int64

        var zoneID: RecordZone.ID { share.id.zoneID }
        var mayWrite: Bool { permission == .readWrite }
    }

    let grants: [Grant]

    /// - Complexity: O(segments + participants of all shares).
    init(of userName: String, in snapshot: Snapshot) {
        grants = snapshot.shares.compactMap { share in
            let participant = share.participants.first { $0.userRecordID.recordName == userName }
            guard let participant, participant.role != .owner, participant.acceptanceStatus == .accepted else {
                return nil
            }
            let permission = share.permission(of: participant)
            guard permission.mayRead else { return nil }
            return Grant(
                share: share, rootID: share.rootID, permission: permission, acceptance: participant.acceptance)
        }
    }

    /// The grants that concern a zone.
    func grants(in zoneID: RecordZone.ID) -> [Grant] { grants.filter { $0.zoneID == zoneID } }

    /// The zones of which the participant sees something.
    var zoneIDs: Set<RecordZone.ID> { Set(grants.map(\.zoneID)) }

    /// What lets the participant see a record, stored or not; `nil` for nothing.
    ///
    /// - Parameter parent: The record above another one.
    /// - Complexity: O(records above it).
    func grant(for id: Record.ID, _ parent: (Record.ID) -> Record.ID?) -> Grant? {
        let grants = grants(in: id.zoneID)
        if let zoneWide = grants.first(where: { $0.rootID == nil }) { return zoneWide }
        if let own = grants.first(where: { $0.share.id == id }) { return own }
        if grants.isEmpty { return nil }
        var (next, seen): (Record.ID?, Set<Record.ID>) = (id, [])
        while let current = next, seen.insert(current).inserted {
            if let grant = grants.first(where: { $0.rootID == current }) { return grant }
            next = parent(current)
        }
        return nil
    }

    /// What lets the participant see a record of a snapshot; `nil` for nothing, or where there is no such record.
    func grant(for id: Record.ID, in snapshot: Snapshot) -> Grant? {
        grant(for: id) { snapshot.parent(of: $0) }
    }
}

extension SharedAccess.Grant {
    /// The records of the share, itself included. Complexity: O(records of the share), of the zone for a zone's.
    func members(in snapshot: Snapshot, _ graph: ReferenceGraph) -> [RowAddress] {
        guard let rootID else {
            return snapshot.segments.enumerated().flatMap { number, stored -> [RowAddress] in
                guard stored.segment.zoneID == zoneID else { return [] }
                return (0..<stored.segment.count).lazy.filter(stored.isLive).map {
                    RowAddress(segment: number, row: $0)
                }
            }
        }
        return snapshot.find([share.id] + graph.descendants(of: rootID)).compactMap(\.self)
    }
}

extension ReferenceGraph {
    /// A record and all below it. Complexity: O(records).
    func descendants(of root: Record.ID) -> [Record.ID] {
        var (order, seen, next): ([Record.ID], Set<Record.ID>, Int) = ([root], [root], 0)
        while next < order.count {
            for child in children[order[next]] ?? [] where seen.insert(child).inserted { order.append(child) }
            next += 1
        }
        return order
    }
}

extension Snapshot {
    /// The records that a participant sees. Complexity: O(rows of the segments with such records).
    func visible(to access: SharedAccess, in zoneID: RecordZone.ID, _ graph: ReferenceGraph) -> Snapshot {
        let grants = access.grants(in: zoneID)
        if grants.contains(where: { $0.rootID == nil }) { return only(zoneID) }
        return restricted(to: grants.flatMap { $0.members(in: self, graph) })
    }
}

extension Snapshot {
    /// The records that a participant sees in all zones, as the participant names them.
    ///
    /// - Complexity: O(rows of the segments with such records); of zones shared as a whole, O(segments).
    func seen(by access: SharedAccess, inZonesOf owner: String, _ graph: ReferenceGraph) -> Snapshot {
        let whole = Set(access.grants.lazy.filter { $0.rootID == nil }.map(\.zoneID))
        let members = access.grants.filter { !whole.contains($0.zoneID) }.flatMap { $0.members(in: self, graph) }
        return restricted(to: members, and: whole).seen(inZonesOf: owner)
    }

    /// Records of a user as others name them.
    func seen(inZonesOf owner: String) -> Snapshot {
        // Those who made a record are users, who are the same for all.
        named(inZonesOf: owner, keeping: [MetadataColumn.creator, MetadataColumn.lastModifier])
    }
}

// MARK: Names

extension Record.ID {
    /// A record of a user as others call it.
    func named(inZonesOf owner: String) -> Record.ID {
        Record.ID(recordName, zoneID: zoneID.named(inZonesOf: owner))
    }
}

extension Record {
    /// A stored record of a user as another user sees it.
    func seen(inZonesOf owner: String, by reader: String) -> Record {
        guard let version else { return self }
        return seen(
            as: id.named(inZonesOf: owner),
            RecordVersion(
                rows: ForeignRow(version, owner: owner, reader: type == NameRules.shareType ? reader : nil), row: 0))
    }
}

extension Record {
    /// A record of a shared database, in whose terms it is already: a share tells its reader who that is.
    func seen(by reader: String) -> Record {
        type == NameRules.shareType ? seen(inZonesOf: id.zoneID.ownerName, by: reader) : self
    }
}

extension DatabaseError {
    /// The error as the participant sees it whose call it ends.
    func seen(inZonesOf owner: String, by reader: String) -> DatabaseError {
        guard let serverRecord, let clientRecord else { return self }
        return DatabaseError(
            Conflict(
                server: serverRecord.seen(inZonesOf: owner, by: reader), client: clientRecord,
                ancestor: ancestorRecord))
    }
}

/// A stored version of another user's record: its references name the zones of that user.
private final class ForeignRow: RecordRows {
    private let base: RecordVersion
    private let owner: String
    /// Who reads a share.
    private let reader: String?
    var isStored: Bool { true }

    init(_ base: RecordVersion, owner: String, reader: String?) {
        (self.base, self.owner, self.reader) = (base, owner, reader)
    }

    private func named(_ reference: RecordReference) -> RecordReference {
        RecordReference(recordID: reference.recordID.named(inZonesOf: owner), action: reference.action)
    }

    func metadata(row _: Int) -> Record.Metadata { base.metadata }
    func recordChangeTag(row _: Int) -> String? { base.recordChangeTag }
    func parent(row _: Int) -> RecordReference? { base.parent.map(named) }
    func share(row _: Int) -> RecordReference? { base.share.map(named) }

    func value(of field: String, row _: Int) -> FieldValue {
        if field == NameRules.ShareKey.reader, let reader { return .string(reader) }
        return base.value(of: field).named(inZonesOf: owner)
    }

    func fields(row _: Int) -> [String: FieldValue] {
        var fields = base.fields.mapValues { $0.named(inZonesOf: owner) }
        if let reader { fields[NameRules.ShareKey.reader] = .string(reader) }
        return fields
    }
}
