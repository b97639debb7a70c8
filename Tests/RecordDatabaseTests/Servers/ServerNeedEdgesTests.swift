// What servers are asked and given to store, at the edges: conditions, subscriptions that go, places of notices.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ServerNeedEdgesTests {
    /// Whoever looks for the targets of conditions needs more than records by their identifiers.
    @Test func conditionsAreNoRecords() {
        var need = ServerNeed()
        need.records = [Record.ID("r")]
        #expect(need.isOfRecordsAlone)
        need.conditions = ServerTargets(.default, [], foundTargets: [:], limit: 1)
        #expect(!need.isOfRecordsAlone)
    }

    /// Other processes go on telling a subscription that is deleted unless they learn of that.
    @Test func deletedSubscriptionsAreAChange() throws {
        var commit = ServerCommit(
            userName: "u", client: 1, date: Date(timeIntervalSince1970: 0), after: 5, deletionsKept: 2)
        #expect(commit.earlierChange == 5 && commit.lastChange == 5 && commit.deletionsKept == 2)
        #expect(!commit.changesSubscriptions)
        commit.deletedSubscriptions = [("u", "s")]
        #expect(commit.changesSubscriptions)
        commit.deletedSubscriptions = []
        let subscription = try Subscription(zoneID: RecordZone.ID("Z"), id: "s")
        commit.savedSubscriptions = [StoredSubscription(userName: "u", subscription: subscription, predicate: nil)]
        #expect(commit.changesSubscriptions)
    }

    /// Who has read all that a commit told begins behind its last notice.
    @Test func aPlaceBehindACommitIsBehindAllOfIt() {
        let behind = NoticePlace(behind: 5)
        #expect(behind.change == 5 && behind.number == Int32.max)
    }
}
