// A database of a container: what records are saved to and fetched from.

import RecordModel

/// One of the databases of a container. There is one object for each, which containers give.
public final class Database: Sendable {
    public let scope: DatabaseScope
    let client: Client

    init(scope: DatabaseScope, client: Client) {
        self.scope = scope
        self.client = client
    }
}
