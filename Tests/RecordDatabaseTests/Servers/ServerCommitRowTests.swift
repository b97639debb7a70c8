// Rows that commits leave on a server: what they keep of the rows before. Without a server.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ServerCommitRowTests {
    private static let made = Date(timeIntervalSince1970: 1)
    private static let changed = Date(timeIntervalSince1970: 2)
    private static let now = Date(timeIntervalSince1970: 3)
    private static let id = Record.ID("r")

    /// The row that a save leaves of one that "u" made and "v" changed.
    ///
    /// - Parameter share: The share that it was the root of.
    private static func row(
        _ save: Commit.Save, by user: String?, rootOf share: RecordReference? = nil
    ) throws -> ServerRow? {
        var moment = ServerMoment(schema: ContainerSchema())
        moment.lastChange = 3
        moment.rows = [
            ServerRow(
                id, type: "T", fields: ["a": 1, "b": 2], parent: RecordReference(recordID: Record.ID("p")),
                made: (made, "u"), changed: (changed, "v", 3))
        ]
        moment.rows[0].share = share
        let origin = DatabaseOrigin(container: "test", scope: .public, user: nil)
        var commit = Commit(origin: origin, client: 1, userName: user, date: now)
        commit.saves = [save]
        let stored = ServerCommit(commit, on: try moment.snapshot(), moment.state())
        #expect(stored.saves.count == 1 && stored.earlierChange == 3 && stored.lastChange == 4)
        return stored.saves.first?.row
    }

    /// Who changes a record is its last modifier, and its creator stays.
    @Test(arguments: ["u", "w", nil] as [String?]) func creatorsStay(_ user: String?) throws {
        let save = Commit.Save(
            id: Self.id, type: "T", fields: ["a": .null, "c": 3], isNew: false, change: 4, parent: nil)
        let row = try #require(try Self.row(save, by: user))
        #expect(row.creator == "u" && row.creationDate == Self.made)
        #expect(row.lastModifier == user && row.modificationDate == Self.now && row.change == 4)
        // A field that is taken away is gone, and the parent stays where none is said.
        #expect(row.fields == ["b": 2, "c": 3] && row.parent?.recordID == Record.ID("p"))
    }

    /// A parent that is taken away is gone.
    @Test func parentsGo() throws {
        let save = Commit.Save(id: Self.id, type: "T", fields: [:], isNew: false, change: 4, parent: .some(nil))
        let row = try #require(try Self.row(save, by: "w"))
        #expect(row.parent == nil && row.fields == ["a": 1, "b": 2])
    }

    /// The root of a share stays one where nothing is said of it, and may become that of another, or of none.
    @Test func sharesStayWithTheirRoots() throws {
        let (old, new) = (RecordReference(recordID: Record.ID("s")), RecordReference(recordID: Record.ID("t")))
        let cases: [(said: RecordReference??, left: RecordReference?)] = [
            (nil, old), (.some(nil), nil), (.some(new), new),
        ]
        for (said, left) in cases {
            let save = Commit.Save(
                id: Self.id, type: "T", fields: [:], isNew: false, change: 4, parent: nil, share: said)
            let row = try #require(try Self.row(save, by: "w", rootOf: old))
            #expect(row.share?.recordID == left?.recordID && row.fields == ["a": 1, "b": 2])
        }
    }

    /// A record that was deleted and is made again is that of who made it again, and all of it is new.
    @Test func newRecordsKeepNothing() throws {
        let save = Commit.Save(id: Self.id, type: "T", fields: ["c": 3], isNew: true, change: 4, parent: nil)
        let row = try #require(try Self.row(save, by: "w"))
        #expect(row.creator == "w" && row.creationDate == Self.now && row.lastModifier == "w")
        #expect(row.fields == ["c": 3] && row.parent == nil)
    }
}
