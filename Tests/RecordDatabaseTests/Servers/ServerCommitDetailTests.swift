// What a commit tells a server besides its rows: batches, the last change, links; and who made a row. Without a server.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ServerCommitDetailTests {
    private static let origin = DatabaseOrigin(container: "test", scope: .private, user: "u")
    private static let date = Date(timeIntervalSince1970: 3)
    private static let token = Data([1])

    private static func id(_ name: String) -> Record.ID { Record.ID(name, zoneID: RecordZone.ID("Z")) }

    private static func stored(_ change: (inout Commit) -> Void) throws -> ServerCommit {
        var moment = ServerMoment(schema: ContainerSchema())
        moment.lastChange = 3
        var commit = Commit(origin: origin, client: 7, userName: "u", date: date)
        commit.saves = [
            Commit.Save(id: id("r"), type: "T", fields: [:], isNew: true, change: 4, parent: nil)
        ]
        change(&commit)
        return ServerCommit(commit, on: try moment.snapshot(), moment.state())
    }

    /// Whether a batch is sent again is known by its digest; one that failed in part has none.
    @Test(arguments: ["digest", nil] as [String?]) func batchesHaveTheirDigests(_ digest: String?) throws {
        let stored = try Self.stored { commit in
            commit.clientToken = Self.token
            commit.sentBatch = digest.map { SentBatch(token: Self.token, digest: $0) }
        }
        #expect(stored.batch == ServerBatch(client: 7, token: Self.token, digest: digest))
    }

    /// What comes into shares and leaves them has numbers of its own, behind those of the records.
    @Test func movesAreChanges() throws {
        let moves = ([5, 6] as [Int64]).map { change in
            ShareMove(id: Self.id("m\(change)"), recordType: "T", from: "s", to: nil, change: change)
        }
        let stored = try Self.stored { $0.sharing.moves = moves }
        #expect(stored.moves == moves && stored.earlierChange == 3 && stored.lastChange == 6)
        #expect(try Self.stored { _ in }.lastChange == 4)
    }

    private static func link(_ target: String, _ holder: String, type: String = "T") -> ServerLink {
        ServerLink(target: id(target), holder: id(holder), holderType: type, isOwning: false)
    }

    /// After a commit the links that it takes away are gone, whatever is known of their holders, and its own are there.
    @Test func linksFollowCommits() {
        var moment = ServerMoment(schema: ContainerSchema())
        moment.links = [Self.link("list", "milk"), Self.link("list", "bread")]
        var commit = ServerCommit(userName: "u", client: 7, date: Self.date, after: 3, deletionsKept: 0)
        commit.removedLinks = [Self.link("list", "milk", type: "")]
        commit.addedLinks = [Self.link("other", "milk")]
        #expect(moment.changed(by: commit).links == [Self.link("list", "bread"), Self.link("other", "milk")])
    }

    /// Who made a row is not who changed it.
    @Test func rowsTellWhoMadeAndChangedThem() {
        let made = Date(timeIntervalSince1970: 1)
        let row = ServerRow(
            Self.id("r"), type: "T", fields: [:], parent: nil, made: (made, "u"), changed: (Self.date, "v", 4))
        let metadata = ServedRows([row], desiredKeys: nil).metadata(row: 0)
        #expect(metadata.creatorUserRecordID == Record.ID("u") && metadata.creationDate == made)
        #expect(metadata.lastModifiedUserRecordID == Record.ID("v") && metadata.modificationDate == Self.date)
    }

    /// Each part of a batch for a node is remembered by itself.
    @Test(arguments: [(0, 7), (2, 8_589_934_599)] as [(Int, Int)])
    func partsOfABatchAreToldApart(_ part: Int, _ client: Int) {
        var request = ModifyRequest(deletes: [Self.id("r")], clientToken: Self.token)
        request.part = part
        let caller = Caller(
            client: 7, rights: Rights(userName: "u", roles: []), configuration: Configuration(), keys: .none)
        let plan = BatchPlan(request, caller, origin: Self.origin, assets: AssetFolder(nil))
        #expect(plan.batchClient == client)
        #expect(plan.need(ContainerSchema()).batch?.client == client)
    }
}
