// How a server is told to give up.

import CPostgreSQL
import Dispatch

/// What has a server give up the statements of a connection.
@safe struct StatementCancel: @unchecked Sendable {
    // SAFETY: the library lets any thread send it; it is sent and freed once.
    private let cancel: OpaquePointer

    init?(_ connection: OpaquePointer) {
        guard let made = unsafe cpg_make_cancel(connection) else { return nil }
        unsafe cancel = made
    }

    /// Sends it on another thread: a server that says nothing is silent here, too.
    func send() {
        DispatchQueue(label: "cancel statements").async {
            _ = unsafe cpg_cancel_send(cancel)
            unsafe cpg_free_cancel(cancel)
        }
    }
}
