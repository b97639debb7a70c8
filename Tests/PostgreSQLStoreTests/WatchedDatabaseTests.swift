// Which databases of a server are watched for those who read notifications.

import Campaigns
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct WatchedDatabaseTests {
    /// Other processes change the public database as well as the user's own, and others share some of theirs.
    @Test func readersAreToldOfThePublicDatabase() throws {
        let place = try ServerPlace()
        let (server, container) = try place.open(behind: { NotingServer($0) })
        defer { container.close() }
        #expect(server.watched.isEmpty)
        let reading = container.readNotifications()
        let user = try #require(Account.localUser.userName)
        let databases: [(DatabaseScope, String?)] = [(.public, nil), (.private, user), (.shared, user)]
        let origins = databases.map { DatabaseOrigin(container: place.identifier, scope: $0, user: $1) }
        #expect(server.watched == Set(origins))
        #expect(reading.takeWaiting().isEmpty)
    }
}

/// Passes calls on to a server, and notes which databases are watched.
private final class NotingServer: PassingServer {
    let base: any RecordServer
    private let origins = Mutex<Set<DatabaseOrigin>>([])

    init(_ base: any RecordServer) { self.base = base }

    /// The databases that were watched so far.
    var watched: Set<DatabaseOrigin> { origins.withLock { $0 } }

    private func note(_ origin: DatabaseOrigin) { origins.withLock { _ = $0.insert(origin) } }

    func watch(_ origin: DatabaseOrigin, _ tell: @escaping @Sendable () -> Void) -> Int {
        note(origin)
        return base.watch(origin, tell)
    }

    func watch(_ origin: DatabaseOrigin, on node: Int32, _ tell: @escaping @Sendable () -> Void) -> Int {
        note(origin)
        return base.watch(origin, on: node, tell)
    }
}
