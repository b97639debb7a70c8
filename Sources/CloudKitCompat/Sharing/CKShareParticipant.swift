// Participants of shares under CloudKit's names.

public import Foundation
public import RecordDatabase
import RecordModel
import Synchronization

/// A user who may see what is shared. Top-level, since archives on Linux hold no nested classes.
// Unchecked, as classes below NSObject are: what changes is in the mutex.
public final class CKShareParticipant: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Names the participant among those of the share.
    public typealias ID = String
    /// Whether a participant has accepted a share.
    public typealias AcceptanceStatus = Share.AcceptanceStatus
    /// What a participant may do.
    public typealias Permission = Share.Permission
    /// How a participant came by a share.
    public typealias Role = Share.Role
    /// The older name of `Role`.
    public typealias ParticipantType = Share.Role

    private let state: Mutex<Share.Participant>
    /// How the user was looked up.
    private let lookupInfo: CKUserIdentity.LookupInfo?

    init(_ participant: Share.Participant, _ lookupInfo: CKUserIdentity.LookupInfo? = nil) {
        state = Mutex(participant)
        self.lookupInfo = lookupInfo
        super.init()
    }

    var participant: Share.Participant { state.withLock { $0 } }

    /// Names the participant among those of the share.
    public var participantID: String { participant.id }
    /// As `participantID`.
    public var id: ID { participantID }
    /// Who it is.
    public var userIdentity: CKUserIdentity {
        let id = CKRecord.ID(participant.userRecordID)
        return CKUserIdentity(id, lookupInfo ?? CKUserIdentity.LookupInfo(userRecordID: id))
    }
    /// How the participant came by the share. The database decides it when the share is saved.
    public var role: Role {
        get { participant.role }
        set { state.withLock { $0.role = newValue } }
    }
    /// The older name of `role`.
    public var type: ParticipantType {
        get { role }
        set { role = newValue }
    }
    /// Whether the participant sees the records.
    public var acceptanceStatus: AcceptanceStatus { participant.acceptanceStatus }
    /// What the participant may do.
    public var permission: Permission {
        get { participant.permission }
        set { state.withLock { $0.permission = newValue } }
    }

    // MARK: Archives

    private static let key = "CKShareParticipant"
    private static let lookupKey = "CKShareParticipantLookup"
    /// True: a participant can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) {
        coder.encode(value: participant, for: Self.key)
        if let lookupInfo { coder.encode(value: lookupInfo.coded, for: Self.lookupKey) }
    }

    /// `nil` where no participant was archived.
    public convenience init?(coder: NSCoder) {
        guard let participant: Share.Participant = coder.value(for: Self.key) else { return nil }
        let lookup: CKUserIdentityLookupInfo.Coded? = coder.value(for: Self.lookupKey)
        self.init(participant, lookup.map { CKUserIdentity.LookupInfo($0) })
    }

    /// Another object that says the same.
    public func copy(with zone: NSZone? = nil) -> Any { CKShareParticipant(participant, lookupInfo) }
    /// Whether both are one participant of one share.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? CKShareParticipant)?.participantID == participantID
    }
    public override var hash: Int { participantID.hashValue }
    public override var description: String {
        "<CKShareParticipant: role=\(role), acceptanceStatus=\(acceptanceStatus), permission=\(permission)>"
    }
}

extension CKShareParticipant: Identifiable {}
