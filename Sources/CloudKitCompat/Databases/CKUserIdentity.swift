// Who other users are, as far as a container knows them.

public import Foundation
internal import RecordDatabase

/// A user of a container, as an application may know them: their record's identifier. There are no names: nobody knows
/// addresses and telephone numbers here.
public final class CKUserIdentity: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// How a user was looked up.
    public typealias LookupInfo = CKUserIdentityLookupInfo

    /// The identifier of the user's record; `nil` for one who is not a user of the container.
    public let userRecordID: CKRecord.ID?
    /// How the user was looked up.
    public let lookupInfo: LookupInfo?

    init(_ userRecordID: CKRecord.ID?, _ lookupInfo: LookupInfo?) {
        (self.userRecordID, self.lookupInfo) = (userRecordID, lookupInfo)
        super.init()
    }

    /// Whether it is a user of the container.
    public var hasiCloudAccount: Bool { userRecordID != nil }
    /// `nil`: containers know no names.
    public var nameComponents: PersonNameComponents? { nil }
    /// None: containers know no contacts.
    public var contactIdentifiers: [String] { [] }

    // MARK: Archives

    private struct Coded: Codable {
        let user: Record.ID?
        let lookup: CKUserIdentityLookupInfo.Coded?
    }
    private static let key = "CKUserIdentity"
    /// True: an identity can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) {
        coder.encode(value: Coded(user: userRecordID?.record, lookup: lookupInfo?.coded), for: Self.key)
    }

    /// `nil` where no identity was archived.
    public convenience init?(coder: NSCoder) {
        guard let coded: Coded = coder.value(for: Self.key) else { return nil }
        self.init(coded.user.map { CKRecord.ID($0) }, coded.lookup.map { LookupInfo($0) })
    }

    /// The identity itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKUserIdentity else { return false }
        return other.userRecordID == userRecordID && other.lookupInfo == lookupInfo
    }
    public override var hash: Int { userRecordID?.hash ?? 0 }
    public override var description: String { "<CKUserIdentity: hasiCloudAccount=\(hasiCloudAccount)>" }
}

/// How a user is looked up: by the identifier of their record, or by an address or number, which no container knows.
/// Top-level, since archives on Linux hold no nested classes.
public final class CKUserIdentityLookupInfo: NSObject, NSSecureCoding, NSCopying, Sendable {
    struct Coded: Codable, Hashable {
        var emailAddress: String?
        var phoneNumber: String?
        var user: Record.ID?
    }

    let coded: Coded
    init(_ coded: Coded) {
        self.coded = coded
        super.init()
    }

    /// By an address.
    public convenience init(emailAddress: String) { self.init(Coded(emailAddress: emailAddress)) }
    /// By a number.
    public convenience init(phoneNumber: String) { self.init(Coded(phoneNumber: phoneNumber)) }
    /// By the identifier of the user's record.
    public convenience init(userRecordID: CKRecord.ID) { self.init(Coded(user: userRecordID.record)) }

    /// One for each address.
    public static func lookupInfos(withEmails emails: [String]) -> [CKUserIdentityLookupInfo] {
        emails.map { CKUserIdentityLookupInfo(emailAddress: $0) }
    }

    /// One for each number.
    public static func lookupInfos(withPhoneNumbers numbers: [String]) -> [CKUserIdentityLookupInfo] {
        numbers.map { CKUserIdentityLookupInfo(phoneNumber: $0) }
    }

    /// One for each user.
    public static func lookupInfos(with userRecordIDs: [CKRecord.ID]) -> [CKUserIdentityLookupInfo] {
        userRecordIDs.map { CKUserIdentityLookupInfo(userRecordID: $0) }
    }

    /// The address, if that is known.
    public var emailAddress: String? { coded.emailAddress }
    /// The number, if that is known.
    public var phoneNumber: String? { coded.phoneNumber }
    /// The identifier of the user's record, if that is known.
    public var userRecordID: CKRecord.ID? { coded.user.map { CKRecord.ID($0) } }

    private static let key = "CKUserIdentityLookupInfo"
    /// True: the object can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) { coder.encode(value: coded, for: Self.key) }

    /// `nil` where none was archived.
    public convenience init?(coder: NSCoder) {
        guard let coded: Coded = coder.value(for: Self.key) else { return nil }
        self.init(coded)
    }

    /// The object itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKUserIdentityLookupInfo)?.coded == coded }
    public override var hash: Int { coded.hashValue }
}

extension CKContainer {
    /// Names of what users allow, by their parts.
    public enum Application {
        /// What users may allow an application.
        public typealias Permissions = ApplicationPermissions
        /// What a user has allowed.
        public typealias PermissionStatus = ApplicationPermissionStatus
        /// Called with what a user allows, or an error.
        public typealias PermissionBlock = ApplicationPermissionBlock
    }

    /// What users may allow an application.
    public struct ApplicationPermissions: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// That others find them.
        public static let userDiscoverability = ApplicationPermissions(rawValue: 1)
    }

    /// What a user has allowed.
    public enum ApplicationPermissionStatus: Int, Hashable, Sendable {
        /// Nothing was said.
        case initialState = 0
        /// It could not be found out.
        case couldNotComplete = 1
        /// The user has said no.
        case denied = 2
        /// The user allows it.
        case granted = 3
    }

    /// Called with what a user allows, or an error.
    public typealias ApplicationPermissionBlock = @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void

    /// What the user allows: that others who know their identifier find them, as all may read the records of users.
    /// - Throws: `CKError` when nobody is signed in.
    public nonisolated(nonsending) func applicationPermissionStatus(
        for permission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus {
        _ = try await userRecordID()
        return permission.subtracting(.userDiscoverability).isEmpty ? .granted : .denied
    }

    /// As `applicationPermissionStatus(for:)`: it needs no consent.
    public nonisolated(nonsending) func requestApplicationPermission(
        _ permission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus { try await applicationPermissionStatus(for: permission) }

    /// As `applicationPermissionStatus(for:)`, with a handler that any thread may call.
    @preconcurrency
    public func status(
        forApplicationPermission permission: ApplicationPermissions,
        completionHandler: @escaping ApplicationPermissionBlock
    ) {
        tellResult {
            try await $0.applicationPermissionStatus(for: permission)
        } _: {
            completionHandler($0.success ?? .couldNotComplete, $0.failure)
        }
    }

    /// As `requestApplicationPermission(_:)`, with a handler that any thread may call.
    @preconcurrency
    public func requestApplicationPermission(
        _ permission: ApplicationPermissions, completionHandler: @escaping ApplicationPermissionBlock
    ) { status(forApplicationPermission: permission, completionHandler: completionHandler) }

    // MARK: Other users

    /// The user of a record's identifier; `nil` when the container has no such user.
    public nonisolated(nonsending) func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws
        -> CKUserIdentity?
    {
        do {
            let record = try await publicCloudDatabase.record(for: userRecordID)
            guard record.recordType == CKRecordTypeUserRecord else { return nil }
            return CKUserIdentity(userRecordID, CKUserIdentity.LookupInfo(userRecordID: userRecordID))
        } catch CKError.unknownItem {
            return nil
        }
    }

    /// The users among the contacts of the device: none, since there are no contacts.
    /// - Throws: `CKError` when nobody is signed in.
    public nonisolated(nonsending) func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] {
        _ = try await userRecordID()
        return []
    }

    /// As `allUserIdentitiesFromContacts()`, with a handler that any thread may call.
    @preconcurrency
    public func discoverAllIdentities(
        completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
    ) { tell({ try await $0.allUserIdentitiesFromContacts() }, completionHandler) }

    /// `nil`: containers know no addresses.
    public nonisolated(nonsending) func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
        nil
    }
    /// `nil`: containers know no numbers.
    public nonisolated(nonsending) func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity?
    { nil }

    /// As `userIdentity(forUserRecordID:)`, with a handler that any thread may call.
    @preconcurrency
    public func discoverUserIdentity(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        tellResult {
            try await $0.userIdentity(forUserRecordID: userRecordID)
        } _: {
            completionHandler($0.success ?? nil, $0.failure)
        }
    }

    /// As `userIdentity(forEmailAddress:)`, with a handler that any thread may call.
    @preconcurrency
    public func discoverUserIdentity(
        withEmailAddress email: String, completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        tellResult {
            try await $0.userIdentity(forEmailAddress: email)
        } _: {
            completionHandler($0.success ?? nil, $0.failure)
        }
    }

    /// As `userIdentity(forPhoneNumber:)`, with a handler that any thread may call.
    @preconcurrency
    public func discoverUserIdentity(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        tellResult {
            try await $0.userIdentity(forPhoneNumber: phoneNumber)
        } _: {
            completionHandler($0.success ?? nil, $0.failure)
        }
    }
}
