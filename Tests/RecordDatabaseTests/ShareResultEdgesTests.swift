// What the results of saves say of shares.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ShareResultEdgesTests {
    /// A record that is there, and is saved with its share, names it in the result, and in those of later saves.
    @Test func aSavedRootNamesItsShare() async throws {
        let world = try await World()
        try await world.putList()
        let root = try await world.mine.record(for: world.own("list"))
        let share = Share(root: root, id: world.own("s"))
        let saved = try await world.mine.put(root, share.record)
        #expect(root.share == nil && saved[0].share?.recordID == share.id)
        var later = saved[0]
        later["name"] = "food"
        let again = try await world.mine.put(later)
        #expect(again[0].share?.recordID == share.id && again[0]["name"] == "food")
    }
}
