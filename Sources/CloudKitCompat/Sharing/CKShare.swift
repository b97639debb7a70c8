// Shares under CloudKit's names.

public import Foundation
public import RecordDatabase
import RecordModel
import Synchronization

/// A part of a user's private database that others may see: a zone, or a record with all that is below it.
// Unchecked, as the class above: all that changes is in mutexes.
open class CKShare: CKRecord, @unchecked Sendable {
    /// What a user learns of a share from its URL.
    public typealias Metadata = CKShareMetadata
    /// A user who may see what is shared.
    public typealias Participant = CKShareParticipant
    /// Whether a participant has accepted a share.
    public typealias ParticipantAcceptanceStatus = Share.AcceptanceStatus
    /// What a participant may do.
    public typealias ParticipantPermission = Share.Permission
    /// How a participant came by a share.
    public typealias ParticipantRole = Share.Role
    /// The older name of `ParticipantRole`.
    public typealias ParticipantType = Share.Role

    /// The fields that the system knows.
    public enum SystemFieldKey {
        /// What the share is called: `cloudkit.title`.
        public static let title = CKShareTitleKey
        /// The bytes of a small picture: `cloudkit.thumbnailImageData`.
        public static let thumbnailImageData = CKShareThumbnailImageDataKey
        /// What the application calls the kind of what is shared: `cloudkit.type`.
        public static let shareType = CKShareTypeKey
    }

    /// The participants, once somebody looked at them: what is changed in these objects is saved with the share.
    private let members = Mutex<[Participant]?>(nil)

    /// A share of a record and of all below it, of a random name. Both are saved in one batch.
    public convenience init(rootRecord: CKRecord) {
        self.init(of: rootRecord, Share(rootRecordID: rootRecord.recordID.record))
    }

    /// A share of a record and of all below it. Both are saved in one batch.
    public convenience init(rootRecord: CKRecord, shareID: CKRecord.ID) {
        self.init(of: rootRecord, Share(rootRecordID: rootRecord.recordID.record, id: shareID.record))
    }

    /// A share of all records of a zone.
    public convenience init(recordZoneID: CKRecordZone.ID) {
        self.init(Share(zoneID: recordZoneID.zone).record)
    }

    private convenience init(of root: CKRecord, _ share: Share) {
        self.init(share.record)
        root.change { $0.newShare = RecordReference(recordID: share.id) }
    }

    /// The share in the terms of `RecordDatabase`, as it is now.
    public override var record: Record { members.withLock { Self.record(super.record, of: $0) } }

    /// What the record of a share says with participants that somebody looked at, if anybody did.
    private static func record(_ record: Record, of members: [Participant]?) -> Record {
        guard let members, var share = Share(record) else { return record }
        let participants = members.map(\.participant)
        if participants != share.participants { share.participants = participants }
        return share.record
    }

    override func take(_ stored: Record, sent: Record) {
        members.withLock { members in
            super.change { $0 = Self.record($0, of: members).saved(as: stored, sent: sent) }
            if members?.map(\.participant) == Share(sent)?.participants { members = nil }
        }
    }

    private var model: Share { Share(record) ?? Share(zoneID: recordID.zoneID.zone) }

    /// Where the share can be accepted; `nil` until it is saved.
    public var url: URL? { model.url }

    /// What everyone may do who knows the URL; nothing at first.
    public var publicPermission: ParticipantPermission {
        get { model.publicPermission }
        set {
            super.change { record in
                guard var share = Share(record) else { return }
                share.publicPermission = newValue
                record = share.record
            }
        }
    }

    // MARK: Participants

    /// The owner and those who may see what is shared.
    public var participants: [Participant] {
        members.withLock { members in
            if let members { return members }
            let made = (Share(super.record)?.participants ?? []).map { Participant($0) }
            members = made
            return made
        }
    }

    /// Whose records they are.
    public var owner: Participant { participants.first { $0.role == .owner } ?? Participant(model.owner) }

    /// The participant who fetched the share; `nil` for a user who is none.
    public var currentUserParticipant: Participant? {
        let current = model.currentUserParticipant?.id
        return participants.first { $0.participantID == current }
    }

    /// Adds a user, who may accept the share once it is saved. One who is a participant already gets the permission.
    public func addParticipant(_ participant: Participant) {
        let known = participants
        let user = participant.participant.userRecordID
        if let other = known.first(where: { $0.participant.userRecordID == user && $0.role != .owner }) {
            other.permission = participant.permission
        } else {
            members.withLock { $0 = known + [participant] }
        }
    }

    /// Takes a participant away, whose access ends when the share is saved. The owner stays.
    public func removeParticipant(_ participant: Participant) {
        let id = participant.participantID
        let left = participants.filter { $0.participantID != id || $0.role == .owner }
        members.withLock { $0 = left }
    }

    // MARK: Fields

    public override func allKeys() -> [FieldKey] { super.allKeys().filter(Self.isShown) }
    public override func changedKeys() -> [FieldKey] { super.changedKeys().filter(Self.isShown) }
    public override func allTokens() -> [String] {
        var shown = record
        for key in NameRules.ShareKey.own { shown[key] = FieldValue.null }
        return shown.allTokens()
    }

    /// Whether a field is one for applications.
    private static func isShown(_ key: FieldKey) -> Bool { !NameRules.ShareKey.own.contains(key) }

    /// Another share that says the same.
    open override func copy(with zone: NSZone? = nil) -> Any { CKShare(record) }

    /// The names and the change tag: no value of a field.
    open override var description: String {
        "<CKShare: recordID=\(recordID.recordName):(\(recordID.zoneID.names)), participants=\(participants.count)>"
    }
}

extension CKRecord {
    /// The object for a record: shares are objects of their own class.
    static func of(_ record: Record) -> CKRecord {
        record.type == CKRecordTypeShare ? CKShare(record) : CKRecord(record)
    }

    /// The share that the record is the root of; `nil` for none.
    public var share: Reference? { record.share.map { Reference($0) } }
}

extension CKRecordZone {
    /// The share of the zone as a whole; `nil` when there is none, or the zone was not fetched.
    public var share: CKRecord.Reference? { zone.share.map { CKRecord.Reference($0) } }
}

// MARK: Names of earlier editions

/// The older name of `CKShare.ParticipantAcceptanceStatus`.
public typealias CKShareParticipantAcceptanceStatus = CKShare.ParticipantAcceptanceStatus
/// The older name of `CKShare.ParticipantPermission`.
public typealias CKShareParticipantPermission = CKShare.ParticipantPermission
/// The older name of `CKShare.ParticipantRole`.
public typealias CKShareParticipantRole = CKShare.ParticipantRole
/// The older name of `CKShare.ParticipantRole`.
public typealias CKShareParticipantType = CKShare.ParticipantType
/// The older name of `CKShare.ParticipantAcceptanceStatus`.
@available(*, deprecated, renamed: "CKShare.ParticipantAcceptanceStatus")
public typealias CKShare_Participant_AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
/// The older name of `CKShare.ParticipantPermission`.
@available(*, deprecated, renamed: "CKShare.ParticipantPermission")
public typealias CKShare_Participant_Permission = CKShare.ParticipantPermission
/// The older name of `CKShare.ParticipantRole`.
@available(*, deprecated, renamed: "CKShare.ParticipantRole")
public typealias CKShare_Participant_Role = CKShare.ParticipantRole
/// The older name of `CKShare.ParticipantRole`.
@available(*, deprecated, renamed: "CKShare.ParticipantType")
public typealias CKShare_Participant_ParticipantType = CKShare.ParticipantType
