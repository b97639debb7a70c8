// What a container on a server cannot limit: the bytes of its store.

import Campaigns
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct StoreLimitTests {
    /// Nobody counts these bytes, so that no limit would hold, be it large or small.
    @Test(arguments: [0, 1_000, Int.max]) func bytesOfTheStoreHaveNoLimit(_ bytes: Int) throws {
        let place = try ServerPlace()
        var configuration = Configuration()
        configuration.limits.bytesPerStore = bytes
        let limited = configuration
        let found = failure { _ = try place.open(limited) }
        #expect(found.code == .invalidArguments)
        #expect(found.reason == "containers on servers do not count the bytes of the store")
    }
}
