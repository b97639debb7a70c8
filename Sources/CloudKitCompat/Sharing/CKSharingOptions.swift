// What windows of the system offer users who share, under CloudKit's names. There are no windows here.

public import Foundation

/// What users may let participants do.
public struct CKSharingParticipantPermissionOption: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Read.
    public static let readOnly = CKSharingParticipantPermissionOption(rawValue: 1)
    /// Read and write.
    public static let readWrite = CKSharingParticipantPermissionOption(rawValue: 2)
    /// Either.
    public static let any: CKSharingParticipantPermissionOption = [.readOnly, .readWrite]
}

/// Whom users may let in.
public struct CKSharingParticipantAccessOption: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Everyone who has the URL.
    public static let anyoneWithLink = CKSharingParticipantAccessOption(rawValue: 1)
    /// Those who were added.
    public static let specifiedRecipientsOnly = CKSharingParticipantAccessOption(rawValue: 2)
    /// Either.
    public static let any: CKSharingParticipantAccessOption = [.anyoneWithLink, .specifiedRecipientsOnly]
}

/// What the windows of a system offer a user who shares. They are kept, and nothing shows them here.
// Unchecked, as Foundation's classes are: applications set it up before they hand it on.
public final class CKAllowedSharingOptions: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// What the user may let participants do.
    public var allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption
    /// Whom the user may let in.
    public var allowedParticipantAccessOptions: CKSharingParticipantAccessOption

    /// Options of their own.
    public init(
        allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption,
        allowedParticipantAccessOptions: CKSharingParticipantAccessOption
    ) {
        self.allowedParticipantPermissionOptions = allowedParticipantPermissionOptions
        self.allowedParticipantAccessOptions = allowedParticipantAccessOptions
        super.init()
    }

    /// All that there are.
    public class var standard: CKAllowedSharingOptions {
        CKAllowedSharingOptions(allowedParticipantPermissionOptions: .any, allowedParticipantAccessOptions: .any)
    }

    // MARK: Archives

    private static let key = "CKAllowedSharingOptions"
    /// True: the object can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) {
        let numbers = [allowedParticipantPermissionOptions.rawValue, allowedParticipantAccessOptions.rawValue]
        coder.encode(value: numbers, for: Self.key)
    }

    /// `nil` where none was archived.
    public convenience init?(coder: NSCoder) {
        guard let numbers: [UInt] = coder.value(for: Self.key), numbers.count == 2 else { return nil }
        self.init(
            allowedParticipantPermissionOptions: .init(rawValue: numbers[0]),
            allowedParticipantAccessOptions: .init(rawValue: numbers[1]))
    }

    /// Another object that says the same.
    public func copy(with zone: NSZone? = nil) -> Any {
        CKAllowedSharingOptions(
            allowedParticipantPermissionOptions: allowedParticipantPermissionOptions,
            allowedParticipantAccessOptions: allowedParticipantAccessOptions)
    }
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKAllowedSharingOptions else { return false }
        return other.allowedParticipantPermissionOptions == allowedParticipantPermissionOptions
            && other.allowedParticipantAccessOptions == allowedParticipantAccessOptions
    }
    public override var hash: Int {
        Int(
            truncatingIfNeeded: allowedParticipantPermissionOptions.rawValue << 8
                | allowedParticipantAccessOptions.rawValue)
    }
}

/// Tells what users do in the windows of a system. There are none here: its blocks are never called.
// Unchecked, as Foundation's classes are: applications set it up before they hand it on.
public final class CKSystemSharingUIObserver: NSObject, @unchecked Sendable {
    /// The container whose shares are watched.
    public let container: CKContainer
    /// Called when the user saved a share.
    public var systemSharingUIDidSaveShareBlock: (@Sendable (CKRecord.ID, Result<CKShare, any Error>) -> Void)?
    /// Called when the user stopped sharing.
    public var systemSharingUIDidStopSharingBlock: (@Sendable (CKRecord.ID, Result<Void, any Error>) -> Void)?

    /// An observer of the shares of a container.
    public init(container: CKContainer) {
        self.container = container
        super.init()
    }
}

/// How an item is handed to the windows of a system to be shared. There are none here; `share(for:)` is what they would
/// do, for tests.
public struct CKShareTransferRepresentation<Item: Sendable>: Sendable {
    /// A share to hand on.
    public enum ExportedShare: Sendable {
        /// One that is there.
        case existing(
            _ share: CKShare, container: CKContainer, allowedSharingOptions: CKAllowedSharingOptions = .standard)
        /// One that is made when it is wanted.
        case prepareShare(
            container: CKContainer, allowedSharingOptions: CKAllowedSharingOptions = .standard,
            preparationHandler: @Sendable () async throws -> CKShare)
    }

    private let exporter: @Sendable (Item) async throws -> ExportedShare?

    /// A representation of items by their shares.
    ///
    /// - Parameter exporter: Gives the share of an item, `nil` for an item that cannot be shared.
    public init(exporter: @escaping @Sendable (Item) async throws -> ExportedShare?) { self.exporter = exporter }

    /// The share of an item; `nil` for an item that cannot be shared.
    /// - Throws: What the exporter and the handler throw.
    public nonisolated(nonsending) func share(for item: Item) async throws -> CKShare? {
        switch try await exporter(item) {
        case .existing(let share, _, _)?: share
        case .prepareShare(_, _, let prepare)?: try await prepare()
        case nil: nil
        }
    }
}
