// Sharing as operations.

public import Foundation
import RecordDatabase

extension CKOperation {
    /// The container of the operation.
    /// - Throws: `DatabaseError` for one that cannot be made.
    fileprivate static func container(_ configuration: Configuration) throws(DatabaseError) -> Container {
        try (configuration.container ?? .default()).container.get()
    }

    /// The error of an operation some of whose items failed.
    fileprivate static func error(_ error: CKError?, _ errors: [AnyHashable: any Error]) -> CKError? {
        if let error { return error }
        return errors.isEmpty ? nil : CKError(.partialFailure, userInfo: [CKPartialErrorsByItemIDKey: errors])
    }
}

/// Fetches what the URLs of shares lead to, and tells of each.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
    /// The URLs.
    public var shareURLs: [URL]?
    /// Whether the records that are shared are wanted, too.
    public var shouldFetchRootRecord = false
    /// The fields wanted of them; `nil` for all.
    public var rootRecordDesiredKeys: [CKRecord.FieldKey]?

    /// Called once for each URL.
    public var perShareMetadataResultBlock: ((URL, Result<CKShare.Metadata, any Error>) -> Void)?
    /// Called at the end.
    public var fetchShareMetadataResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older form of `perShareMetadataResultBlock`.
    public var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)?
    /// The older form of `fetchShareMetadataResultBlock`.
    public var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that fetches what URLs lead to.
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }

    override func makeWork() -> Work {
        let (urls, fetchesRoot, keys) = (shareURLs, shouldFetchRootRecord, rootRecordDesiredKeys)
        let (told, oldTold) = (callback(perShareMetadataResultBlock), callback(perShareMetadataBlock))
        let finished = callback(fetchShareMetadataResultBlock)
        let (oldFinished, configuration) = (callback(fetchShareMetadataCompletionBlock), resolvedConfiguration)
        var errors: [AnyHashable: any Error] = [:]
        return Work(onlyReads: true) { _, report throws(DatabaseError) in
            let container = try Self.container(configuration)
            for url in try Self.named(urls) {
                let result = report.doing { () throws(DatabaseError) in
                    CKShareMetadata(
                        try container.fetchShareMetadata(for: url, fetchingRoot: fetchesRoot, desiredKeys: keys))
                }
                errors[url] = result.failure
                told?(url, result)
                oldTold?(url, result.success, result.failure)
            }
        } finish: { error in
            let error = Self.error(error, errors)
            finished?(error.map { .failure($0) } ?? .success(()))
            oldFinished?(error)
        }
    }
}

/// Accepts shares, and tells of each.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
    /// What the URLs of the shares lead to.
    public var shareMetadatas: [CKShare.Metadata]?

    /// Called once for each share.
    public var perShareResultBlock: ((CKShare.Metadata, Result<CKShare, any Error>) -> Void)?
    /// Called at the end.
    public var acceptSharesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older form of `perShareResultBlock`.
    public var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
    /// The older form of `acceptSharesResultBlock`.
    public var acceptSharesCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that accepts shares.
    public convenience init(shareMetadatas: [CKShare.Metadata]) {
        self.init()
        self.shareMetadatas = shareMetadatas
    }

    override func makeWork() -> Work {
        let (metadatas, configuration) = (shareMetadatas, resolvedConfiguration)
        let (told, oldTold) = (callback(perShareResultBlock), callback(perShareCompletionBlock))
        let (finished, oldFinished) = (callback(acceptSharesResultBlock), callback(acceptSharesCompletionBlock))
        var errors: [AnyHashable: any Error] = [:]
        return Work { _, report throws(DatabaseError) in
            let container = try Self.container(configuration)
            for metadata in try Self.named(metadatas) {
                let result = report.doing { () throws(DatabaseError) in
                    CKShare(try container.acceptShare(metadata.metadata).record)
                }
                if let error = result.failure { errors[metadata.share.url ?? URL(fileURLWithPath: "/")] = error }
                told?(metadata, result)
                oldTold?(metadata, result.success, result.failure)
            }
        } finish: { error in
            let error = Self.error(error, errors)
            finished?(error.map { .failure($0) } ?? .success(()))
            oldFinished?(error)
        }
    }
}

/// Looks users up as participants of shares, and tells of each.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
    /// Who is looked up.
    public var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?

    /// Called once for each user.
    public var perShareParticipantResultBlock:
        ((CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>) -> Void)?
    /// Called at the end.
    public var fetchShareParticipantsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older form of `perShareParticipantResultBlock`: called for those that are known.
    public var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)?
    /// The older form of `fetchShareParticipantsResultBlock`.
    public var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that looks users up.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func makeWork() -> Work {
        let (infos, configuration) = (userIdentityLookupInfos, resolvedConfiguration)
        let (told, oldTold) = (callback(perShareParticipantResultBlock), callback(shareParticipantFetchedBlock))
        let finished = callback(fetchShareParticipantsResultBlock)
        let oldFinished = callback(fetchShareParticipantsCompletionBlock)
        var errors: [AnyHashable: any Error] = [:]
        return Work(onlyReads: true) { _, report throws(DatabaseError) in
            let container = try Self.container(configuration)
            for info in try Self.named(infos) {
                let result = report.doing { () throws(DatabaseError) in try container.shareParticipant(info) }
                errors[info] = result.failure
                told?(info, result)
                if let participant = result.success { oldTold?(participant) }
            }
        } finish: { error in
            let error = Self.error(error, errors)
            finished?(error.map { .failure($0) } ?? .success(()))
            oldFinished?(error)
        }
    }
}
