// What a server gives of what a call needs: pages of changes, trees, portions, and nothing of other users' zones.

import Campaigns
import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct ReadNeedTests {
    private let server: PostgreSQLContainer
    private let origin: DatabaseOrigin

    init() throws {
        let place = try ServerPlace()
        server = try PostgreSQLContainer(identifier: place.identifier, connectingTo: place.server.address)
        origin = DatabaseOrigin(container: place.identifier, scope: .private, user: "u")
        try store { commit in
            commit.madeZones = [("Z", 1)]
            commit.schema = EdgeCommits.schema
            commit.lastChange = 1
        }
        // In this order, which is not that of their names; the last one is of another type.
        let rows = [("c", "T"), ("a", "T"), ("b", "T"), ("B", "U")].enumerated().map { place, row in
            EdgeCommits.row(row.0, "Z", type: row.1, change: Int64(place + 2))
        }
        try store { commit in
            commit.saves = rows.map { ($0, true) }
            commit.addedLinks = [
                ServerLink(
                    target: EdgeCommits.id("a", "Z"), holder: EdgeCommits.id("b", "Z"), holderType: "T",
                    isOwning: false)
            ]
            commit.shares = [ServerShare(id: EdgeCommits.id("s", "Z"), token: "t", participants: ["v"])]
            commit.lastChange = 5
        }
        try store { commit in
            commit.deletions = ["z", "y", "x"].enumerated().map { place, name in
                ServerCommit.Deletion(id: EdgeCommits.id(name, "Z"), type: "T", change: Int64(place + 6))
            }
            commit.lastChange = 8
        }
    }

    private func store(_ change: (inout ServerCommit) -> Void) throws {
        try EdgeCommits.store(change, on: server, origin)
    }

    private func read(_ change: (inout ServerNeed) -> Void) throws -> ServerMoment {
        var need = ServerNeed()
        change(&need)
        return try server.read(origin, need)
    }

    private func names(_ change: (inout ServerNeed) -> Void) throws -> [String] {
        try read(change).rows.map(\.id.recordName)
    }

    private static let zone = RecordZone.ID("Z")

    @Test("Of rows, and of deletions, one more is read than a page has, and no deletion that is known")
    func pagesOfChanges() throws {
        defer { server.close() }
        let cases: [(position: Int64, deletionsAfter: Int64?, limit: Int, rows: [String], deletions: [String])] = [
            (0, 0, 2, ["c", "a", "b"], ["z", "y", "x"]), (0, 0, 1, ["c", "a"], ["z", "y"]),
            (0, 0, 9, ["c", "a", "b", "B"], ["z", "y", "x"]), (3, 6, 9, ["b", "B"], ["y", "x"]),
            (0, nil, 9, ["c", "a", "b", "B"], []), (5, 8, 9, [], []),
        ]
        for (position, deletionsAfter, limit, rows, deletions) in cases {
            let moment = try read {
                $0.changes = ServerChanges(
                    zoneID: Self.zone, position: position, deletionsAfter: deletionsAfter, limit: limit)
            }
            #expect(moment.rows.map(\.id.recordName) == rows, "behind \(position), up to \(limit)")
            #expect(moment.deletions.map(\.name) == deletions, "behind \(deletionsAfter ?? -1), up to \(limit)")
        }
    }

    @Test("A tree is its root with what is below it; zones of other users have nothing here")
    func recordsOfZones() throws {
        defer { server.close() }
        let tree = try read { $0.trees = [EdgeCommits.id("a", "Z")] }
        #expect(tree.rows.map(\.id.recordName) == ["a", "b"] && tree.links.map(\.holder.recordName) == ["b"])
        #expect(try names { $0.wholeZones = [Self.zone] } == ["c", "a", "b", "B"])
        let other = RecordZone.ID("Z", ownerName: "other")
        #expect(try names { $0.wholeZones = [other] } == [])
        #expect(try names { $0.records = [EdgeCommits.id("b", "Z")] } == ["b"])
        #expect(try names { $0.records = [Record.ID("b", zoneID: other)] } == [])
        #expect(try names { $0.records = [EdgeCommits.id("b\u{0}", "Z")] } == [])
    }

    @Test("What is above a record is read up to the top, where it is needed")
    func recordsAbove() throws {
        defer { server.close() }
        let names = ["top", "high", "low", "lowest"]
        var rows: [ServerRow] = []
        for (place, name) in names.enumerated() {
            var row = EdgeCommits.row(name, "Z", change: Int64(place + 9))
            if place > 0 { row.parent = RecordReference(recordID: EdgeCommits.id(names[place - 1], "Z")) }
            rows.append(row)
        }
        try store { commit in
            commit.saves = rows.map { ($0, true) }
            commit.lastChange = 12
        }
        for (leadsUp, expected) in [(true, names), (false, ["lowest"])] {
            let moment = try read {
                $0.records = [EdgeCommits.id("lowest", "Z")]
                $0.leadsUp = leadsUp
            }
            #expect(moment.rows.map(\.id.recordName).sorted() == expected.sorted())
        }
    }

    @Test("Portions come in the order in which records were made, whatever their types and names")
    func portions() throws {
        defer { server.close() }
        let names = try server.reading(origin) { _, reading throws(DatabaseError) -> [[String]] in
            let portions = try reading.portions(of: ["T", "U"])
            let (first, second) = (try portions.next(), try portions.next())
            return [first.map(\.id.recordName), second.map(\.id.recordName)]
        }
        #expect(names == [["c", "a", "b", "B"], []])
    }

    @Test("Of notices those behind the one that is known are read, as many as are wanted")
    func notices() throws {
        defer { server.close() }
        let names = ["a", "b", "c"]
        try store { commit in
            commit.notices = names.map { name in
                NoticeContent(
                    userName: "u", subscriptionID: name, kind: .database, scope: .private, zoneID: nil, recordID: nil,
                    reason: nil, fields: [])
            }
            commit.lastChange = 9
        }
        var (place, found) = (NoticePlace(behind: 8), [String]())
        for _ in 0...names.count {
            let notices = try server.notices(origin, of: ["u"], on: 0, after: place, through: nil, limit: 1).notices
            found += notices.map(\.content.subscriptionID)
            place = notices.last?.place ?? place
        }
        #expect(found == names)
    }

    @Test("A share is found by its token, and none by what no token can be")
    func tokens() throws {
        defer { server.close() }
        let share = try #require(try server.share(withToken: "t"))
        #expect(share.owner == "u" && share.id == EdgeCommits.id("s", "Z"))
        #expect(try server.share(withToken: "u") == nil)
        #expect(try server.share(withToken: "t\u{0}") == nil)
    }
}
