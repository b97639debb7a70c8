// Tokens for CloudKit's web service, which is not here.

import RecordDatabase

/// Fetches a token with which a web application acts for the user. There is no web service here: the operation fails
/// with `missingEntitlement`.
open class CKFetchWebAuthTokenOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Names the web application.
    public var apiToken: String?
    /// Called at the end.
    public var fetchWebAuthTokenResultBlock: ((Result<String, any Error>) -> Void)?
    /// The older form of `fetchWebAuthTokenResultBlock`.
    public var fetchWebAuthTokenCompletionBlock: ((String?, (any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation for a web application.
    public convenience init(apiToken: String) {
        self.init()
        self.apiToken = apiToken
    }

    override func makeWork() -> Work {
        let (finished, oldFinished) = (
            callback(fetchWebAuthTokenResultBlock), callback(fetchWebAuthTokenCompletionBlock)
        )
        return Work { _, _ throws(DatabaseError) in
            throw DatabaseError(
                .missingEntitlement, "this container has no web service", hint: "call the database itself")
        } finish: { error in
            let error = error ?? CKError(ItemReport.cancellation)
            finished?(.failure(error))
            oldFinished?(nil, error)
        }
    }
}
