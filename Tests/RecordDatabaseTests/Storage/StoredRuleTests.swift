// The rules of the model hold for a store in a folder, and what they leave there is what the next opening finds.

import Foundation
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.waits) struct StoredRuleTests {
    @Test("Rules on a stored container", arguments: RuleTableTests.suites.flatMap(\.rules))
    func show(_ rule: Rule) async throws {
        let folder = TemporaryFolder()
        let world = try await World(storedAt: folder.url)
        try await rule.show(world)
        let contents = world.alice.client.store.contents
        // Beside the writer, as after a crash: what is in the log and not yet anywhere else.
        let reader = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly), account: .none)
        #expect(reader.client.store.contents == contents)
        for container in [world.alice, world.alice2, world.bob, world.nobody] { container.close() }
        let reopened = try Container(identifier: "test", storedAt: folder.url, account: .none)
        #expect(reopened.client.store.contents == contents)
    }
}
