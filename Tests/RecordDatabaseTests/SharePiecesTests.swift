// What sharing is made of: URLs, participants as text, moves, the graph of references; and cursors of older versions.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SharePiecesTests {
    private static let zone = RecordZone.ID("Z")

    private static func id(_ name: String) -> Record.ID { Record.ID(name, zoneID: zone) }

    // MARK: Shares

    @Test(
        arguments: [
            ("https://www.icloud.com/share/abc", "abc"), ("https://www.icloud.com/share/abc#Title", "abc"),
            ("https://www.icloud.com/share/abc?x=1", "abc"), ("https://www.icloud.com/share/abc/more", "abc"),
            ("https://www.icloud.com/share/", nil), ("https://www.icloud.com/share/#Title", nil),
            ("https://www.icloud.com/shared/abc", nil), ("http://www.icloud.com/share/abc", nil),
        ] as [(String, String?)])
    func tokensOfURLs(_ text: String, _ token: String?) throws {
        #expect(Share.token(of: try #require(URL(string: text))) == token)
    }

    @Test func participantsAreWrittenAsText() throws {
        var participant = Share.Participant(
            id: "i", user: "a user  with spaces", role: .publicUser, status: .removed, .readWrite)
        participant.acceptance = 77
        let text = FieldValue.string(participant.text)
        #expect(participant.text == "i 4 3 3 77 a user  with spaces")
        let read = try #require(Share.Participant.participants(of: .list([text, text])))
        #expect(read == [participant, participant] && read[0].acceptance == 77)
        #expect(Share.Participant.participants(of: .null) == [] && Share.Participant.participants(of: .list([])) == [])
        for wrong in ["i 4 3 3 77", "i 2 3 3 77 u", "i 4 9 3 77 u", "i 4 3 9 77 u", "i 4 3 3 x u"] {
            #expect(Share.Participant.participants(of: .list([text, .string(wrong)])) == nil, "\(wrong)")
        }
        #expect(Share.Participant.participants(of: text) == nil)
        #expect(Share.Participant.participants(of: .list([text, 1])) == nil)
    }

    @Test func participantsOfAShare() throws {
        var share = Share(rootRecordID: Self.id("root"))
        #expect(share.participants.map(\.role) == [.owner] && share.publicPermission == .none)
        #expect(share.id.zoneID == Self.zone && share.rootRecordID == Self.id("root") && share.url == nil)
        let (a, b) = (Share.Participant(userRecordID: .init("a")), Share.Participant(userRecordID: .init("b")))
        try share.add(a)
        try share.add(b)
        for (user, permission) in [("a", Share.Permission.readWrite), ("c", .unknown)] {
            let error = #expect(throws: DatabaseError.self) {
                try share.add(.init(userRecordID: .init(user), permission: permission))
            }
            #expect(error?.code == (user == "a" ? .participantAlreadyInvited : .invalidArguments))
        }
        let owner = share.owner
        let error = #expect(throws: DatabaseError.self) { try share.add(owner) }
        #expect(error?.code == .invalidArguments)
        // One who was taken away comes once, in a place of their own.
        var left = share.participants
        left[1].acceptanceStatus = .removed
        share.participants = left
        let again = Share.Participant(userRecordID: .init("a"), permission: .readWrite)
        try share.add(again)
        #expect(share.participants.map(\.userRecordID.recordName) == [owner.userRecordID.recordName, "b", "a"])
        #expect(share.participants.last == again)
        try share.setPermission(.readOnly, of: again)
        #expect(share.participants.map(\.permission) == [.readWrite, .readOnly, .readOnly])
        let unknown = #expect(throws: DatabaseError.self) { try share.setPermission(.readOnly, of: a) }
        #expect(unknown?.code == .unknownItem)
        share.remove(owner)
        share.remove(b)
        #expect(share.participants.map(\.id) == [owner.id, again.id] && share.owner == owner)
        #expect(share.currentUserParticipant == owner)
        share["cloudkit.reader"] = "a"
        #expect(share.currentUserParticipant?.id == again.id)
        share["cloudkit.reader"] = "x"
        #expect(share.currentUserParticipant == nil)
        share["cloudkit.publicPermission"] = 7
        #expect(share.publicPermission == .none)
        #expect(Share.Permission.allCases.filter(\.mayRead) == [.readOnly, .readWrite])
        #expect(Share(record("r")) == nil && Share(share.record) == share)
    }

    @Test func theLastMoveCounts() {
        let moves: [(String, from: String?, to: String?)] = [
            ("a", nil, "s"), ("a", "s", nil), ("b", "s", "t"), ("a", "t", "s"), ("c", "t", nil), ("a", "s", "t"),
        ]
        let all = moves.enumerated().map { number, move in
            ShareMove(id: Self.id(move.0), recordType: "T", from: move.from, to: move.to, change: Int64(number + 1))
        }
        let (came, left) = ShareMoves(all).last(of: "s")
        #expect(came.mapValues(\.change) == ["a": 4] && left.mapValues(\.change) == ["a": 6, "b": 3])
        let none = ShareMoves(all).last(of: "u")
        #expect(none.in.isEmpty && none.out.isEmpty)
    }

    // MARK: Graphs

    private static func links(_ owners: [String], _ parent: String? = nil) -> ReferenceGraph.Links {
        ReferenceGraph.Links(owners: Set(owners.map(id)), parent: parent.map(id))
    }

    @Test func graphsFollowTheirRecords() {
        let (a, b) = (Self.id("a"), Self.id("b"))
        var graph = ReferenceGraph()
        graph.replace(a, Self.links([]), by: Self.links(["o", "p"], "x"))
        graph.replace(b, Self.links([]), by: Self.links(["o"], "x"))
        graph.replace(a, Self.links(["o", "p"], "x"), by: Self.links(["p", "q"], "y"))
        #expect(graph.holders == [Self.id("o"): [b], Self.id("p"): [a], Self.id("q"): [a]])
        #expect(graph.children == [Self.id("x"): [b], Self.id("y"): [a]])
        var draft = ReferenceGraphDraft()
        draft.replace(b, Self.links(["o"], "x"), by: Self.links(["q"]))
        draft.replace(a, Self.links(["p", "q"], "y"), by: Self.links(["p", "q"], "y"))
        #expect(draft.changes.keys.map { $0 } == [b])
        #expect(draft.holders(of: Self.id("o"), in: graph) == [] && draft.holders(of: Self.id("p"), in: graph) == [a])
        #expect(draft.holders(of: Self.id("q"), in: graph) == [a, b])
        #expect(draft.children(of: Self.id("x"), in: graph) == [] && draft.children(of: Self.id("y"), in: graph) == [a])
        graph.replace(b, Self.links(["o"], "x"), by: Self.links([]))
        graph.replace(a, Self.links(["p", "q"], "y"), by: Self.links([]))
        #expect(graph.holders.isEmpty && graph.children.isEmpty)
    }

    @Test func whatIsHeldInACircleIsFoundOnce() {
        var graph = ReferenceGraph()
        for (holder, owners, parent) in [
            ("b", ["a"], "a"), ("c", ["a", "b"], "a"), ("a", ["c"], "c"), ("d", ["c"], "b"), ("e", ["z"], "z"),
        ] as [(String, [String], String)] {
            graph.replace(Self.id(holder), Self.links([]), by: Self.links(owners, parent))
        }
        #expect(ReferenceGraphDraft().closure(of: Self.id("a"), in: graph).map(\.recordName) == ["a", "b", "c", "d"])
        #expect(Set(graph.descendants(of: Self.id("a")).map(\.recordName)) == ["a", "b", "c", "d"])
        #expect(graph.descendants(of: Self.id("a")).count == 4)
        #expect(graph.descendants(of: Self.id("d")) == [Self.id("d")])
        let other = RecordZone.ID("Y")
        graph.replace(Record.ID("x", zoneID: other), Self.links([]), by: .init(owners: [Record.ID("o", zoneID: other)]))
        graph.removeZone(Self.zone)
        #expect(graph.children.isEmpty && graph.holders.keys.map(\.recordName) == ["o"])
    }

    // MARK: Cursors

    /// The first form of cursors named a zone, or none for the default one.
    @Test func cursorsOfOlderVersionsAreRead() async throws {
        let world = try await World()
        try await world.mine.put(record("a", in: world.zone, ["n": 1]), record("b", in: world.zone, ["n": 2]))
        let query = Query("T", "n > 0", sortedBy: [.ascending("n")])
        let cursor = try #require(try world.mine.find(query, in: .zone(world.zone), limit: 1).cursor)
        #expect(try recoded(cursor) == cursor)
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(cursor))
        var json = try #require(object as? [String: Any])
        #expect(json["format"] as? Int == 2)
        json["format"] = 1
        json["zones"] = nil
        func read() throws -> Query.Cursor {
            try JSONDecoder().decode(Query.Cursor.self, from: JSONSerialization.data(withJSONObject: json))
        }
        #expect(try read().zones == .default)
        json["zoneID"] = try JSONSerialization.jsonObject(with: JSONEncoder().encode(world.zone))
        let old = try read()
        #expect(old.zones == .zone(world.zone) && old.query == query)
        let rest = try await world.mine.recordPage(after: old)
        #expect(rest.matchResults.map(\.0.recordName) == ["b"] && rest.queryCursor == nil)
    }
}
