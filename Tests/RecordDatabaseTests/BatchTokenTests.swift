// Batches with a token of the client: what makes another batch of the same records.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct BatchTokenTests {
    /// Sent again one by one, what was sent as a whole is another batch.
    @Test func batchesDifferByBeingAtomic() async throws {
        let world = try await World()
        let made = record("r", in: world.zone, ["n": 1])
        var tags: [String?] = []
        for isAtomic in [true, true, false, false] {
            let results = try await world.mine.modifyRecords(
                saving: [made], deleting: [], savePolicy: .allKeys, atomically: isAtomic,
                clientChangeTokenData: Data("1".utf8))
            tags.append(try #require(results.saveResults[made.id]).get().recordChangeTag)
        }
        #expect(tags[0] != nil && tags[0] == tags[1] && tags[1] != tags[2] && tags[2] == tags[3])
    }
}
