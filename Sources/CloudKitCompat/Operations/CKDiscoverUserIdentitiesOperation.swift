// Identities of other users as operations.

import RecordDatabase

/// Looks users up, and tells of those that the container knows.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// Who is looked up.
    public var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] = []
    /// Called for each user that was found.
    public var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
    /// Called at the end.
    public var discoverUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older form of `discoverUserIdentitiesResultBlock`.
    public var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that looks users up.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func makeWork() -> Work {
        let (infos, discovered) = (userIdentityLookupInfos, callback(userIdentityDiscoveredBlock))
        let (finished, oldFinished) = (
            callback(discoverUserIdentitiesResultBlock), callback(discoverUserIdentitiesCompletionBlock)
        )
        let target = (resolvedConfiguration.container ?? .default()).publicCloudDatabase.database
        return Work(onlyReads: true) { _, report throws(DatabaseError) in
            for info in infos {
                try report.checkCancellation()
                // Nobody knows addresses and numbers here.
                guard let id = info.userRecordID else { continue }
                if case .success(let record)? = try target.get().fetch([id.record])[id.record],
                    record.type == CKRecordTypeUserRecord
                {
                    discovered?(CKUserIdentity(id, info), info)
                }
            }
        } finish: { error in
            finished?(error.map { .failure($0) } ?? .success(()))
            oldFinished?(error)
        }
    }
}

/// Tells of the users among the contacts of the device. There are no contacts here: it ends without any.
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// Called for each user that was found: never.
    public var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)?
    /// Called at the end.
    public var discoverAllUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older form of `discoverAllUserIdentitiesResultBlock`.
    public var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }

    override func makeWork() -> Work {
        let (finished, oldFinished) = (
            callback(discoverAllUserIdentitiesResultBlock), callback(discoverAllUserIdentitiesCompletionBlock)
        )
        return Work { _, _ throws(DatabaseError) in
        } finish: { error in
            finished?(error.map { .failure($0) } ?? .success(()))
            oldFinished?(error)
        }
    }
}
