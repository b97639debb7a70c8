// What a user learns of a share from its URL.

public import RecordModel

/// A share as its URL leads to it: for users who are about to accept it.
public struct ShareMetadata: Sendable, Hashable, Codable {
    /// The identifier of the container.
    public let containerIdentifier: String
    /// The share, in the terms of a participant.
    public let share: Share
    /// The record that is shared with all below it; `nil` for the share of a zone.
    public var rootRecordID: Record.ID? { share.rootRecordID }
    /// That record, where it was wanted.
    public internal(set) var rootRecord: Record?
    /// The record of the user whose records they are.
    public let ownerUserRecordID: Record.ID
    /// How the current user comes by the share: as its owner, as a user who was added, or by the URL.
    public let participantRole: Share.Role
    /// Whether the current user has accepted the share.
    public let participantStatus: Share.AcceptanceStatus
    /// What the current user may do, or may do once they have accepted it.
    public let participantPermission: Share.Permission

    /// The zone in which participants find the records.
    public var zoneID: RecordZone.ID { share.id.zoneID }
}

extension ShareMetadata {
    /// What a user learns of a stored share of another user.
    ///
    /// - Throws: `DatabaseError` of code `participantMayNeedVerification` for a user who may not accept it.
    init(
        _ stored: StoredShare, of owner: String, for userName: String, in container: String
    ) throws(DatabaseError) {
        let participant = stored.participants.first { $0.userRecordID.recordName == userName }
        let allowed = stored.permission(of: participant)
        guard owner == userName || allowed.mayRead else {
            throw DatabaseError(
                .participantMayNeedVerification, "the user is no participant of the share",
                hint: "its owner adds participants, or lets everyone in who has the URL")
        }
        containerIdentifier = container
        let record = stored.record
        let seen = owner == userName ? record : record.seen(inZonesOf: owner, by: userName)
        guard let share = Share(seen) else { throw DatabaseError(.internalError, "a share was lost") }
        self.share = share
        ownerUserRecordID = Record.ID(owner)
        participantRole = owner == userName ? .owner : participant?.role ?? .publicUser
        participantStatus = participant?.acceptanceStatus ?? .pending
        participantPermission = allowed
    }
}
