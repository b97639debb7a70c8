// Shares as they are stored, found among the records of a database.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore

/// A share of a database, in the terms of its owner.
struct StoredShare {
    let id: Record.ID
    private let version: RowVersion

    fileprivate init(_ id: Record.ID, _ version: RowVersion) { (self.id, self.version) = (id, version) }

    var record: Record { version.record(id) }

    /// The record that is shared with all below it; `nil` for the share of a zone.
    var rootID: Record.ID? {
        guard case .reference(let root) = version.value(of: NameRules.ShareKey.root) else { return nil }
        return root.recordID
    }

    var token: String? { String(fieldValue: version.value(of: NameRules.ShareKey.token)) }

    var publicPermission: Share.Permission {
        guard case .int64(let number) = version.value(of: NameRules.ShareKey.publicPermission) else { return .none }
        return Share.Permission(rawValue: Int(clamping: number)) ?? .none
    }

    var participants: [Share.Participant] {
        Share.Participant.participants(of: version.value(of: NameRules.ShareKey.participants)) ?? []
    }

    /// What a participant may do, or someone who is none and has the URL.
    func permission(of participant: Share.Participant?) -> Share.Permission {
        switch participant?.role {
        case .owner: .readWrite
        case .privateUser:
            [participant?.permission ?? .none, publicPermission].max { $0.rawValue < $1.rawValue } ?? .none
        default: publicPermission
        }
    }
}

extension Share.Permission {
    var mayRead: Bool { self == .readOnly || self == .readWrite }
}

extension Snapshot {
    /// The shares of the database. Complexity: O(segments + shares).
    var shares: [StoredShare] {
        var shares: [StoredShare] = []
        for stored in segments where stored.segment.recordType == NameRules.shareType {
            let rows = StoredRows(stored.segment)
            for row in 0..<stored.segment.count where stored.isLive(row) {
                shares.append(StoredShare(stored.segment.recordID(row), RowVersion(rows, row)))
            }
        }
        return shares
    }

    /// Whether there are shares. Complexity: O(segments).
    var hasShares: Bool { segments.contains { $0.segment.recordType == NameRules.shareType && $0.liveCount > 0 } }

    /// The share of an identifier.
    func share(_ id: Record.ID) -> StoredShare? {
        guard let found = find(id), found.segment.recordType == NameRules.shareType else { return nil }
        return StoredShare(id, RowVersion(found.segment, found.row))
    }

    /// The record above one; `nil` for one that is below none, or is not there.
    func parent(of id: Record.ID) -> Record.ID? {
        find(id).flatMap { RowVersion($0.segment, $0.row).parent?.recordID }
    }
}

extension RecordZone.Capabilities {
    /// What the custom zones of private databases can do.
    static let ofCustomZones: Self = [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
}

extension ContainerSchema {
    /// The type of shares.
    static let shareType = NameRules.shareType
    /// Whether there may be shares.
    var hasShares: Bool { recordTypes[Self.shareType] != nil }
}

extension ContainerSchema.RecordType {
    /// The type of shares, without fields of the application's own.
    static let share = ContainerSchema.RecordType(fields: [
        NameRules.ShareKey.title: .init(.string), NameRules.ShareKey.type: .init(.string),
        NameRules.ShareKey.thumbnail: .init(.data), NameRules.ShareKey.root: .init(.reference),
        NameRules.ShareKey.participants: .init(.list(.string), indexes: []),
        NameRules.ShareKey.publicPermission: .init(.int64), NameRules.ShareKey.token: .init(.string, indexes: []),
    ])
}
