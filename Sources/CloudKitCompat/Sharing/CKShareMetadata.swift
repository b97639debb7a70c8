// What URLs of shares lead to, under CloudKit's names.

public import Foundation
public import RecordDatabase

/// A share as its URL leads to it: for users who are about to accept it. Top-level, since archives on Linux hold no
/// nested classes.
public final class CKShareMetadata: NSObject, NSSecureCoding, NSCopying, Sendable {
    let metadata: ShareMetadata

    /// The same under CloudKit's name.
    public init(_ metadata: ShareMetadata) {
        self.metadata = metadata
        share = CKShare(metadata.share.record)
        super.init()
    }

    /// The identifier of the container.
    public var containerIdentifier: String { metadata.containerIdentifier }
    /// The share.
    public let share: CKShare
    /// The record that is shared with all below it; `nil` for the share of a zone.
    public var hierarchicalRootRecordID: CKRecord.ID? { metadata.rootRecordID.map { CKRecord.ID($0) } }
    /// The older form of `hierarchicalRootRecordID`; the share of a zone has itself here.
    public var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }
    /// The record that is shared, where it was wanted.
    public var rootRecord: CKRecord? { metadata.rootRecord.map { CKRecord($0) } }
    /// Whose records they are.
    public var ownerIdentity: CKUserIdentity {
        let id = CKRecord.ID(metadata.ownerUserRecordID)
        return CKUserIdentity(id, CKUserIdentity.LookupInfo(userRecordID: id))
    }
    /// How the current user comes by the share.
    public var participantRole: CKShare.ParticipantRole { metadata.participantRole }
    /// The older name of `participantRole`.
    public var participantType: CKShare.ParticipantType { metadata.participantRole }
    /// Whether the current user has accepted the share.
    public var participantStatus: CKShare.ParticipantAcceptanceStatus { metadata.participantStatus }
    /// What the current user may do, or may do once they have accepted it.
    public var participantPermission: CKShare.ParticipantPermission { metadata.participantPermission }

    // MARK: Archives

    private static let key = "CKShareMetadata"
    /// True: the object can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) { coder.encode(value: metadata, for: Self.key) }

    /// `nil` where none was archived.
    public convenience init?(coder: NSCoder) {
        guard let metadata: ShareMetadata = coder.value(for: Self.key) else { return nil }
        self.init(metadata)
    }

    /// The object itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKShareMetadata)?.metadata == metadata }
    public override var hash: Int { metadata.hashValue }
    public override var description: String {
        "<CKShareMetadata: containerIdentifier=\(containerIdentifier), participantRole=\(participantRole), "
            + "participantStatus=\(participantStatus)>"
    }
}
