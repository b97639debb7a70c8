// What servers are asked and given to store, at the edges: conditions, subscriptions that go, places of notices.

import Foundation
import RecordModel
import Synchronization
import Testing

@testable import RecordDatabase

/// Has no records, and notes what it is asked for.
private final class AskedReading: ServerReading {
    private let asked = Mutex<[Bool]>([])

    /// Whether the records of each read were to be counted.
    var counts: [Bool] { asked.withLock { $0 } }

    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        asked.withLock { $0.append(need.selection?.counts == true) }
        return ServerMoment(schema: ContainerSchema())
    }
}

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

    /// A server does not count what a transaction has changed: it has none of that yet.
    @Test func changedRecordsAreNotCountedThere() throws {
        let schema = ContainerSchema(recordTypes: ["T": .init(fields: ["n": .init(.int64)])])
        let reading = AskedReading()
        let snapshot = ServerSnapshot(reading, schema)
        let commit = ServerCommit(
            userName: "u", client: 1, date: Date(timeIntervalSince1970: 0), after: 5, deletionsKept: 2)
        for isCounted in [true, false] {
            let wanted = WantedRecords(predicate: "n > 0", counts: isCounted)
            _ = try snapshot.records(ofType: "T", in: nil, wanted)
            _ = try snapshot.changed(by: commit).records(ofType: "T", in: nil, wanted)
        }
        #expect(reading.counts == [true, false, false, false])
    }
}
