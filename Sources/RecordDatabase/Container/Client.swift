// One client of a store: what a container and its databases share.

import RecordModel
import Synchronization

/// The state of one client: who uses it, and how it was configured.
final class Client: Sendable {
    let identifier: String
    let configuration: Configuration
    private let currentAccount: Mutex<Account>

    init(identifier: String, account: Account, configuration: Configuration) {
        self.identifier = identifier
        self.configuration = configuration
        currentAccount = Mutex(account)
    }

    var account: Account { currentAccount.withLock { $0 } }
}
