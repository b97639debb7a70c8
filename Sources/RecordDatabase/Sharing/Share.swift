// A share: who may see records of a user, and what they may do.

public import FoundationEssentials
public import RecordModel

/// A part of a user's private database that others may see: a zone, or a record with all that is below it.
///
/// A share is a record in the zone whose records it shares, and is saved like any other; that of a record is saved
/// together with it. Saving gives it a URL, with which users whom it allows accept it.
///
///     var share = Share(root: list)
///     share.title = "Groceries"
///     try share.add(Share.Participant(userRecordID: friend, permission: .readWrite))
///     try await container.privateDatabase.modifyRecords(saving: [list, share.record], deleting: [])
public struct Share: Sendable, Hashable, Codable {
    /// The type of shares: `cloudkit.share`.
    public static let recordType = NameRules.shareType
    /// The name of the share of a whole zone: `cloudkit.zoneshare`.
    public static let zoneShareName = NameRules.zoneShareName

    /// The share as a record: what is saved.
    public private(set) var record: Record

    /// A share of a record and of all records that are below it, now and later. It is saved in one batch with the
    /// record.
    ///
    /// - Parameter id: The name of the share; a random one in the zone of the record if none is given.
    public init(root: Record, id: Record.ID? = nil) { self.init(rootRecordID: root.id, id: id) }

    /// As `init(root:id:)`, of the record of an identifier.
    public init(rootRecordID root: Record.ID, id: Record.ID? = nil) {
        let id = id ?? Record.ID("Share-" + UUID().uuidString, zoneID: root.zoneID)
        record = Record(type: Self.recordType, id: id)
        record[NameRules.ShareKey.root] = .reference(RecordReference(recordID: root, action: .deleteSelf))
        begin()
    }

    /// A share of all records of a zone.
    public init(zoneID: RecordZone.ID) {
        record = Record(type: Self.recordType, id: Record.ID(Self.zoneShareName, zoneID: zoneID))
        begin()
    }

    /// The share that a record says; `nil` for a record of another type.
    public init?(_ record: Record) {
        guard record.type == Self.recordType else { return nil }
        self.record = record
    }

    private mutating func begin() {
        participants = [Participant(ownerNamed: RecordZone.ID.currentUserName)]
        publicPermission = .none
    }

    /// Names the share among the records of its zone.
    public var id: Record.ID { record.id }

    /// The record that is shared with all below it; `nil` for the share of a zone.
    public var rootRecordID: Record.ID? { RecordReference(fieldValue: record[NameRules.ShareKey.root])?.recordID }

    /// What the share is called where users choose whether to accept it.
    public var title: String? {
        get { record[NameRules.ShareKey.title] }
        set { record[NameRules.ShareKey.title] = newValue }
    }

    /// The bytes of a small picture.
    public var thumbnailImageData: Data? {
        get { record[NameRules.ShareKey.thumbnail] }
        set { record[NameRules.ShareKey.thumbnail] = newValue }
    }

    /// What the application calls the kind of what is shared.
    public var type: String? {
        get { record[NameRules.ShareKey.type] }
        set { record[NameRules.ShareKey.type] = newValue }
    }

    /// A field of the application's own.
    public subscript(field: String) -> FieldValue {
        get { record[field] }
        set { record[field] = newValue }
    }

    /// Where the share can be accepted; `nil` until it is saved. Whoever knows it and has no other access may do what
    /// `publicPermission` allows: it holds 128 random bits. Nothing is found there by a network.
    public var url: URL? {
        (record[NameRules.ShareKey.token] as String?).flatMap { URL(string: Self.urlPrefix + $0) }
    }

    static let urlPrefix = "https://www.icloud.com/share/"

    /// What makes a URL that of one share.
    static func token(of url: URL) -> String? {
        let text = url.absoluteString
        guard text.hasPrefix(urlPrefix) else { return nil }
        // What follows is for those who read URLs.
        let token = text.dropFirst(urlPrefix.count).prefix { $0 != "#" && $0 != "?" && $0 != "/" }
        return token.isEmpty ? nil : String(token)
    }

    /// What everyone may do who knows the URL: `none`, at first, leaves it to participants who were added. Setting it
    /// back to `none` ends the access of those who came by the URL alone.
    public var publicPermission: Permission {
        get { (record[NameRules.ShareKey.publicPermission] as Int?).flatMap(Permission.init(rawValue:)) ?? .none }
        set { record[NameRules.ShareKey.publicPermission] = newValue.rawValue }
    }
}

// MARK: Participants

extension Share {
    /// What a participant may do; raw values are CloudKit's.
    public enum Permission: Int, Hashable, Sendable, Codable, CaseIterable {
        /// It is not known.
        case unknown = 0
        /// Nothing.
        case none = 1
        /// Read the records.
        case readOnly = 2
        /// Read, save and delete records.
        case readWrite = 3
    }

    /// Whether a participant has accepted a share; raw values are CloudKit's.
    public enum AcceptanceStatus: Int, Hashable, Sendable, Codable, CaseIterable {
        /// It is not known, as of a participant of a share that is not saved yet.
        case unknown = 0
        /// The participant was invited.
        case pending = 1
        /// The participant sees the records.
        case accepted = 2
        /// The participant has left.
        case removed = 3
    }

    /// How a participant came by a share; raw values are CloudKit's.
    public enum Role: Int, Hashable, Sendable, Codable, CaseIterable {
        /// It is not known.
        case unknown = 0
        /// Whose records they are.
        case owner = 1
        /// Added by the owner.
        case privateUser = 3
        /// Came by the URL.
        case publicUser = 4
    }

    /// A user who may see what is shared.
    public struct Participant: Hashable, Sendable, Codable, Identifiable {
        /// Names the participant among those of the share.
        public let id: String
        /// The record of the user.
        public internal(set) var userRecordID: Record.ID
        /// How the participant came by the share.
        public package(set) var role: Role
        /// Whether the participant sees the records.
        public internal(set) var acceptanceStatus: AcceptanceStatus
        /// What the participant may do.
        public var permission: Permission
        /// Number of the change of the owner's database by which the participant accepted the share.
        var acceptance: Int64 = 0

        /// A user to add to a share.
        public init(userRecordID: Record.ID, permission: Permission = .readOnly) {
            self.init(
                id: UUID().uuidString, user: userRecordID.recordName, role: .privateUser, status: .unknown, permission)
        }

        init(ownerNamed userName: String) {
            self.init(id: UUID().uuidString, user: userName, role: .owner, status: .accepted, .readWrite)
        }

        init(id: String, user: String, role: Role, status: AcceptanceStatus, _ permission: Permission) {
            (self.id, userRecordID, self.role) = (id, Record.ID(user), role)
            (acceptanceStatus, self.permission) = (status, permission)
        }
    }

    /// The owner and those who may see what is shared, in the order in which they were added.
    public var participants: [Participant] {
        get { Participant.participants(of: record[NameRules.ShareKey.participants]) ?? [] }
        set { record[NameRules.ShareKey.participants] = .list(newValue.map { .string($0.text) }) }
    }

    /// Whose records they are; the current user's placeholder until the share is saved.
    public var owner: Participant {
        participants.first { $0.role == .owner } ?? Participant(ownerNamed: RecordZone.ID.currentUserName)
    }

    /// The participant who fetched the share; `nil` for a user who is none.
    public var currentUserParticipant: Participant? {
        guard let reader = record[NameRules.ShareKey.reader] as String? else { return owner }
        return participants.first { $0.userRecordID.recordName == reader }
    }

    /// Adds a user, who may accept the share once it is saved.
    ///
    /// - Throws: `DatabaseError` of code `participantAlreadyInvited` when the user is a participant already, and
    ///   `invalidArguments` for a role or permission that cannot be given.
    public mutating func add(_ participant: Participant) throws(DatabaseError) {
        guard participant.role == .privateUser, participant.permission != .unknown else {
            throw DatabaseError(.invalidArguments, "a participant is added as a private user with a permission")
        }
        let user = participant.userRecordID.recordName
        let known = participants
        if known.contains(where: { $0.userRecordID.recordName == user && $0.acceptanceStatus != .removed }) {
            throw DatabaseError(.participantAlreadyInvited, "the user is a participant of the share already")
        }
        participants = known.filter { $0.userRecordID.recordName != user } + [participant]
    }

    /// Takes a participant away, whose access ends when the share is saved. The owner stays.
    public mutating func remove(_ participant: Participant) {
        participants.removeAll { $0.id == participant.id && $0.role != .owner }
    }

    /// Changes what a participant may do.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is no such participant, and `invalidArguments` for
    ///   the owner, and for `unknown`, which nobody can be given.
    public mutating func setPermission(
        _ permission: Permission, of participant: Participant
    ) throws(DatabaseError) {
        var changed = participants
        guard let position = changed.firstIndex(where: { $0.id == participant.id }) else {
            throw DatabaseError(.unknownItem, "the share has no such participant")
        }
        if changed[position].role == .owner {
            throw DatabaseError(.invalidArguments, "the owner may read and write")
        }
        if permission == .unknown {
            throw DatabaseError(.invalidArguments, "a participant may do nothing, read, or read and write")
        }
        changed[position].permission = permission
        participants = changed
    }
}

extension Share.Participant {
    /// The participant as a field of the share holds it: numbers and names, the user's last.
    var text: String {
        "\(id) \(role.rawValue) \(permission.rawValue) \(acceptanceStatus.rawValue) \(acceptance) "
            + userRecordID.recordName
    }

    /// The participant of a text; `nil` for another text.
    private init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 5)
        guard parts.count == 6, let role = Int(parts[1]).flatMap(Share.Role.init(rawValue:)),
            let permission = Int(parts[2]).flatMap(Share.Permission.init(rawValue:)),
            let status = Int(parts[3]).flatMap(Share.AcceptanceStatus.init(rawValue:)), let change = Int64(parts[4])
        else { return nil }
        self.init(id: String(parts[0]), user: String(parts[5]), role: role, status: status, permission)
        acceptance = change
    }

    /// The participants that a field says; `nil` for a value of another form.
    static func participants(of value: FieldValue) -> [Share.Participant]? {
        guard case .list(let elements) = value else { return value.isNull ? [] : nil }
        var participants: [Share.Participant] = []
        for element in elements {
            guard case .string(let text) = element, let participant = Self(text: text) else { return nil }
            participants.append(participant)
        }
        return participants
    }
}
