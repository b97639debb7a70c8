// What a server is told of records besides their fields: who may find a share, what is above a row and what it leads
// to, and which types outlines have. Without a server.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ServerShareTests {
    private static let zone = RecordZone.ID("Z")

    private static func id(_ name: String) -> Record.ID { Record.ID(name, zoneID: zone) }

    private static func link(_ name: String) -> FieldValue { .reference(RecordReference(recordID: id(name))) }

    private static func row(_ type: String, _ fields: [String: FieldValue], parent: String?) -> ServerRow {
        ServerRow(
            id("r"), type: type, fields: fields, parent: parent.map { RecordReference(recordID: id($0)) },
            made: (Date(timeIntervalSince1970: 1), "u"), changed: (Date(timeIntervalSince1970: 2), "v", 3))
    }

    /// A share is found by those who have accepted it: not by its owner, nor by who was only invited, or went.
    @Test func sharesAreFoundByThoseWhoAcceptedThem() throws {
        let participants: [Share.Participant] = [
            Share.Participant(ownerNamed: "u"),
            Share.Participant(id: "1", user: "v", role: .privateUser, status: .accepted, .readOnly),
            Share.Participant(id: "2", user: "w", role: .privateUser, status: .pending, .readWrite),
            Share.Participant(id: "3", user: "x", role: .privateUser, status: .removed, .readWrite),
        ]
        let fields: [String: FieldValue] = [
            NameRules.ShareKey.token: "abc",
            NameRules.ShareKey.participants: .list(participants.map { FieldValue.string($0.text) }),
        ]
        let origin = DatabaseOrigin(container: "test", scope: .private, user: "u")
        var commit = Commit(origin: origin, client: 1, userName: "u", date: Date(timeIntervalSince1970: 3))
        commit.saves = [
            Commit.Save(
                id: Self.id("s"), type: NameRules.shareType, fields: fields, isNew: true, change: 1, parent: nil),
            Commit.Save(id: Self.id("t"), type: "T", fields: [:], isNew: true, change: 2, parent: nil),
        ]
        let moment = ServerMoment(schema: ContainerSchema())
        let shares = ServerCommit(commit, on: try moment.snapshot(), moment.state()).shares
        #expect(shares.map(\.id) == [Self.id("s")] && shares.map(\.token) == ["abc"])
        #expect(shares.map(\.participants) == [["v"]])
    }

    /// Above a record is its parent, and above a share its root.
    @Test func whatIsAboveRows() {
        var targets: Set<Record.ID> = []
        Self.row("T", [NameRules.ShareKey.root: Self.link("x"), "a": Self.link("y")], parent: "p")
            .collectAbove(into: &targets)
        #expect(targets == [Self.id("p")])
        Self.row(NameRules.shareType, [NameRules.ShareKey.root: Self.link("root")], parent: nil)
            .collectAbove(into: &targets)
        #expect(targets == [Self.id("p"), Self.id("root")])
    }

    /// A row leads to what its fields refer to, alone and in lists, to its parent and to those who made and changed it.
    @Test func whatRowsLeadTo() {
        var targets: Set<Record.ID> = []
        Self.row("T", ["a": Self.link("x"), "b": .list([Self.link("y"), Self.link("z")]), "c": 1], parent: "p")
            .collectTargets(into: &targets)
        #expect(targets == Set(["x", "y", "z", "p"].map(Self.id) + [Record.ID("u"), Record.ID("v")]))
    }

    /// Nobody asks for records of users among all others.
    @Test func outlinesHaveNoUsers() {
        let schema = ContainerSchema(recordTypes: [
            ContainerSchema.userRecordType: .init(fields: ["nickname": .init(.string)]),
            "T": .init(fields: ["title": .init(.string)]),
        ])
        let outline = RecordSet(outlining: schema, type: nil)
        #expect(outline.fieldNames.contains("title") && !outline.fieldNames.contains("nickname"))
        let unknown = outline.unknownFields(among: [.field("title"), .field("nickname")])
        #expect(unknown.map(\.name) == ["nickname"])
    }
}
