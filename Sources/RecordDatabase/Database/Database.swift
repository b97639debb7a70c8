// A database of a container: what records are saved to and fetched from.

import RecordModel

/// One of the databases of a container. There is one object for each, which containers give.
///
/// The functions have CloudKit's labels. Each fails with a `DatabaseError`; a call whose task is cancelled fails with
/// `operationCancelled`. They run where their callers run, and suspend where they would have to wait: <doc:Calls>.
public final class Database: Sendable {
    /// Which of the container's databases it is.
    public let scope: DatabaseScope
    package let client: Client
    /// Rejects calls of some users; `nil` takes those of whoever is signed in.
    private let checkUser: (@Sendable (_ userName: String?) throws(DatabaseError) -> Void)?

    init(
        scope: DatabaseScope, client: Client,
        checkUser: (@Sendable (_ userName: String?) throws(DatabaseError) -> Void)? = nil
    ) {
        self.scope = scope
        self.client = client
        self.checkUser = checkUser
    }

    /// Begins a call: whether it may be made, who makes it, and on what data, wherever these are.
    /// - Throws: `DatabaseError`.
    func begin(
        _ kind: DatabaseCall.Kind, itemCount: Int = 0, isWriting: Bool = false
    ) throws(DatabaseError) -> (Caller, any DatabaseStoring) {
        let caller = try beginCall(kind, itemCount: itemCount, isWriting: isWriting)
        return (caller, try client.storing(scope, caller))
    }

    /// Begins a call that needs all data in this process.
    /// - Throws: `DatabaseError`, of code `badDatabase` where they are on a server.
    func beginLocal(
        _ kind: DatabaseCall.Kind, itemCount: Int = 0, isWriting: Bool = false
    ) throws(DatabaseError) -> (Caller, StoredDatabase) {
        let caller = try beginCall(kind, itemCount: itemCount, isWriting: isWriting)
        return (caller, try client.stored(scope, caller))
    }

    /// Begins a call that needs no data: whether it may be made, and who makes it.
    /// - Throws: `DatabaseError`.
    func beginCall(
        _ kind: DatabaseCall.Kind, itemCount: Int = 0, isWriting: Bool = false
    ) throws(DatabaseError) -> Caller {
        let call = DatabaseCall(kind: kind, scope: scope, itemCount: itemCount)
        let caller = try client.begin(call, needsUser: isWriting || scope != .public)
        try checkUser?(caller.userName)
        return caller
    }
}
