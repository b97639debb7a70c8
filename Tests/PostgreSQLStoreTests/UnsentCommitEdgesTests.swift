// Commits that are sent together, rows that are read ahead for them, and the assets that they name.

import Foundation
import RecordModel
import Testing

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite struct UnsentCommitEdgesTests {
    private static func save(_ name: String, _ change: Int64, fields: [String: FieldValue] = [:]) -> ServerCommit {
        EdgeCommits.commit(
            saving: [(EdgeCommits.row(name, "A", fields: fields, change: change), true)], lastChange: change)
    }

    private static func link(_ target: String) -> ServerLink {
        ServerLink(
            target: EdgeCommits.id(target, "A"), holder: EdgeCommits.id("h", "A"), holderType: "T", isOwning: true)
    }

    /// The names of the records that each statement inserts.
    private static func inserted(_ commits: [ServerCommit], copiesFrom: Int = 1_000) throws -> [Parameter] {
        var unsent = UnsentCommits()
        for commit in commits {
            try unsent.add(EdgeCommits.parts(commit, copiesFrom: copiesFrom), EdgeCommits.schema)
        }
        return EdgeCommits.parameters(of: try unsent.statements(), "INSERT INTO \"r_T\"").map { $0[2] }
    }

    @Test("Commits that save records are one, with the links of both in their order, and the later number")
    func joined() throws {
        var (first, second) = (Self.save("a", 4), Self.save("b", 5))
        (first.removedLinks, first.addedLinks) = ([Self.link("t")], [Self.link("u")])
        (second.removedLinks, second.addedLinks) = ([Self.link("v")], [Self.link("w")])
        var unsent = UnsentCommits()
        #expect(try unsent.statements() == [])
        for commit in [first, second] { try unsent.add(EdgeCommits.parts(commit), EdgeCommits.schema) }
        unsent.add(Statement("COMMIT"))
        let statements = try unsent.statements()
        #expect(try Self.inserted([first, second]) == [.texts(["a", "b"])])
        #expect(EdgeCommits.parameters(of: statements, "DELETE FROM link l").map { $0[1] } == [.texts(["t", "v"])])
        #expect(EdgeCommits.parameters(of: statements, "INSERT INTO link S").map { $0[1] } == [.texts(["u", "w"])])
        #expect(EdgeCommits.parameters(of: statements, "UPDATE database SET last").map { $0[1] } == [.int64(5)])
        #expect(statements.last == Statement("COMMIT"))
    }

    @Test("Commits stay apart where one does more than to save records, and keep their order")
    func apart() throws {
        let changes: [(inout ServerCommit) -> Void] = [
            { $0.owner = "o" }, { $0.schema = EdgeCommits.schema }, { $0.madeZones = [("N", 4)] },
            { $0.deletedZones = [("D", 4, .deleted)] }, { $0.deletedSubscriptions = [("u", "s")] },
            { $0.endedSharedSubscriptions = [("u", "s")] },
            { $0.shares = [ServerShare(id: EdgeCommits.id("s", "A"), token: "t", participants: [])] },
            { $0.moves = [ShareMove(id: EdgeCommits.id("m", "A"), recordType: "T", from: nil, to: nil, change: 4)] },
            { $0.deletions = [ServerCommit.Deletion(id: EdgeCommits.id("d", "A"), type: "T", change: 4)] },
            { $0.batch = ServerBatch(client: 1, token: Data(), digest: nil) },
            { $0.linksApart.noted = [Self.link("t")] },
            { $0.saves[0].row.fields["n"] = .asset(Asset(path: "/assets/d1")) },
        ]
        for (number, change) in changes.enumerated() {
            var (first, second) = (Self.save("a", 4), Self.save("b", 5))
            change(&first)
            #expect(try Self.inserted([first, second]) == [.texts(["a"]), .texts(["b"])], "\(number)")
            (first, second) = (Self.save("a", 4), Self.save("b", 5))
            change(&second)
            #expect(try Self.inserted([first, second]) == [.texts(["a"]), .texts(["b"])], "\(number)")
            #expect(first.isPlain)
        }
        #expect(
            try Self.inserted([Self.save("a", 4), Self.save("a", 5)]) == [.texts(["a"]), .texts(["a"])],
            "one statement cannot save a record twice")
        #expect(
            try Self.inserted([Self.save("a", 4), Self.save("a", 5), Self.save("b", 6)]) == [
                .texts(["a"]), .texts(["a", "b"]),
            ])
    }

    @Test("Commits are one as long as their records are too few to be copied")
    func copies() throws {
        let commits = [Self.save("a", 4), Self.save("b", 5)]
        #expect(try Self.inserted(commits, copiesFrom: 3) == [.texts(["a", "b"])])
        #expect(try Self.inserted(commits, copiesFrom: 2) == [.texts(["a"]), .texts(["b"])])
        let rows = ["a", "b"].map { EdgeCommits.row($0, "A") }
        let other = EdgeCommits.row("o", "A", type: "U")
        let mixed = EdgeCommits.commit(saving: [(rows[0], true), (rows[1], true), (other, true)])
        #expect(mixed.copiedTypes(from: 2) == ["T"] && mixed.copiedTypes(from: 1) == ["T", "U"])
        #expect(mixed.copiedTypes(from: 3) == [] && mixed.copiedTypes(from: 4) == [])
        let known = EdgeCommits.commit(saving: [(rows[0], true), (rows[1], false)])
        #expect(known.copiedTypes(from: 2) == [] && known.copiedTypes(from: 1) == ["T"])
        #expect(EdgeCommits.commit(saving: [(rows[0], true), (rows[1], true)]).copiedTypes(from: 2) == ["T"])
        // What is copied is not inserted, but for records that are there.
        let more = EdgeCommits.commit(saving: [
            (rows[0], true), (rows[1], true), (EdgeCommits.row("c", "A"), false), (other, true),
        ])
        let parts = EdgeCommits.parts(more, copiesFrom: 2)
        #expect(parts.copies(EdgeCommits.schema).count == 1)
        let statements = try parts.all(EdgeCommits.schema)
        #expect(EdgeCommits.parameters(of: statements, "INSERT INTO \"r_T\"").map { $0[2] } == [.texts(["c"])])
        #expect(EdgeCommits.parameters(of: statements, "INSERT INTO \"r_U\"").map { $0[2] } == [.texts(["o"])])
        #expect(EdgeCommits.parts(more, copiesFrom: 3).copies(EdgeCommits.schema).isEmpty)
    }

    @Test("A record is inserted with its bucket, its zone, its numbers and dates, and the columns of its fields")
    func columns() throws {
        var row = EdgeCommits.row("a", "A", fields: ["n": 5], change: 4, made: 2)
        row.modificationDate = Date(timeIntervalSinceReferenceDate: 3)
        row.parent = RecordReference(recordID: EdgeCommits.id("p", "A"))
        row.share = RecordReference(recordID: EdgeCommits.id("s", "A"))
        let other = EdgeCommits.row("b")
        let parts = EdgeCommits.parts(EdgeCommits.commit(saving: [(row, false), (other, false)]))
        let statement = try #require(
            try parts.all(EdgeCommits.schema).first { $0.text.hasPrefix("INSERT INTO \"r_T\"") })
        // FNV-1a of "u\nA" and, in a default zone, of the name "b", modulo 1024.
        let expected: [Parameter] = [
            .array(.int16s, [.int16(765), .int16(421)]), .array(.int32s, [.int32(5), .int32(-7)]),
            .texts(["a", "b"]), .int64s([4, 1]), .array(.doubles, [.double(2), .double(0)]),
            .texts(["maker", "maker"]),
            .array(.doubles, [.double(3), .double(0)]), .texts(["changer", "changer"]),
            .array(.texts, [.text("p"), .null(.text)]), .array(.texts, [.text("s"), .null(.text)]),
        ]
        #expect(Array(statement.parameters.prefix(10)) == expected)
        #expect(statement.parameters.count == 15 && statement.parameters[10].kind == .bytesList)
        #expect(
            Array(statement.parameters.suffix(4)) == [
                .array(.int16s, [.int16(0), .int16(0)]), .array(.bools, [.null(.bool), .null(.bool)]),
                .texts(["", ""]), .array(.int64s, [.int64(5), .null(.int64)]),
            ])
        #expect(statement.text.contains("_x, _odd, _w, \"n~i\""))
        #expect(statement.text.contains("$12::int2[], $13::bool[], $14::text[], $15::int8[]"))
    }
}
