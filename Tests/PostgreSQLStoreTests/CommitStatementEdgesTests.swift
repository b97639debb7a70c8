// The statements that commits become; no server is needed.

import Foundation
import RecordModel
import Testing

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite struct CommitStatementEdgesTests {
    private static func all(_ commit: ServerCommit, on moment: ServerMoment? = nil) throws -> [Statement] {
        try EdgeCommits.parts(commit, on: moment ?? ServerMoment(schema: EdgeCommits.schema)).all(EdgeCommits.schema)
    }

    private static func deletion(_ name: String, _ zone: String?, _ change: Int64, type: String = "T")
        -> ServerCommit.Deletion
    { ServerCommit.Deletion(id: EdgeCommits.id(name, zone), type: type, change: change) }

    @Test("A commit without changes notes its number and date, and nothing else")
    func nothing() throws {
        var commit = EdgeCommits.commit()
        let statements = try Self.all(commit)
        #expect(statements.count == 1)
        #expect(
            EdgeCommits.parameters(of: statements, "UPDATE database SET last_change") == [
                [.int32(7), .int64(12), .double(100), .int64(0)]
            ])
        commit.deletedSubscriptions = [("u", "s")]
        let changed = try Self.all(commit)
        #expect(EdgeCommits.parameters(of: changed, "UPDATE database SET last_change").first?.last == .int64(1))
        #expect(
            EdgeCommits.parameters(of: changed, "DELETE FROM subscription") == [
                [.int32(7), .texts(["u"]), .array(.bytesList, [.bytes([0x73])])]
            ])
        #expect(changed.count == 2)
    }

    @Test("The batch of a client is kept with its process and its digest")
    func batch() throws {
        var commit = EdgeCommits.commit()
        commit.batch = ServerBatch(client: 3, token: Data([1, 2]), digest: "d")
        let statements = try Self.all(commit)
        #expect(
            EdgeCommits.parameters(of: statements, "INSERT INTO batch") == [
                [.int32(7), .int64(9), .int64(3), .bytes([1, 2]), .text("d")]
            ])
    }

    @Test("A zone has the number of its last change, whatever changed last, and the default zone has none")
    func touches() throws {
        func save(_ zone: String?, _ change: Int64) -> (row: ServerRow, isNew: Bool) {
            (EdgeCommits.row("r\(change)", zone, change: change), false)
        }
        var commit = EdgeCommits.commit(
            saving: [save("A", 9), save("A", 4), save(nil, 20), save("C", 14)],
            deleting: [Self.deletion("x", "A", 6), Self.deletion("y", "B", 11), Self.deletion("z", "B", 10)])
        commit.moves = [("C", 13), ("D", 15), ("D", 8)].map { zone, change in
            ShareMove(id: EdgeCommits.id("m\(change)", zone), recordType: "T", from: nil, to: "s", change: change)
        }
        func touched(_ commit: ServerCommit) throws -> Set<[Parameter]> {
            Set(EdgeCommits.parameters(of: try Self.all(commit), "UPDATE zone SET last_change"))
        }
        let expected: [(zone: Int32, change: Int64)] = [(5, 9), (6, 11), (8, 14), (9, 15)]
        #expect(try touched(commit) == Set(expected.map { [.int32($0.zone), .int64($0.change), .null(.bytes)] }))
        commit.batch = ServerBatch(client: 3, token: Data([1]), digest: nil)
        #expect(try touched(commit) == Set(expected.map { [.int32($0.zone), .int64($0.change), .bytes([1])] }))
    }

    @Test("Zones go with their shares, and are noted as gone until they are made again")
    func zones() throws {
        var commit = EdgeCommits.commit()
        commit.deletedZones = [("A", 3, .purged), ("unknown", 4, .deleted)]
        commit.madeZones = [("N", 5)]
        let statements = try Self.all(commit)
        for beginning in ["DELETE FROM share WHERE", "DELETE FROM participant WHERE", "WITH gone AS (DELETE FROM zone"]
        {
            #expect(EdgeCommits.parameters(of: statements, beginning) == [[.int32(5)]], "\(beginning)")
        }
        #expect(
            EdgeCommits.parameters(of: statements, "INSERT INTO gone_zone") == [
                [.int32(7), .text("A"), .int64(3), .int16(1)], [.int32(7), .text("unknown"), .int64(4), .int16(0)],
            ])
        #expect(
            EdgeCommits.parameters(of: statements, "DELETE FROM gone_zone") == [[.int32(7), .text("N")]])
        #expect(
            EdgeCommits.parameters(of: statements, "INSERT INTO zone(") == [[.int32(7), .text("N"), .int64(5)]])
        #expect(statements.count == 8)
    }

    @Test("References that are gone go before those that are new come, each with its kind")
    func links() throws {
        func link(_ target: String, isOwning: Bool) -> ServerLink {
            ServerLink(
                target: EdgeCommits.id(target, "A"), holder: EdgeCommits.id("h" + target, "A"), holderType: "T",
                isOwning: isOwning)
        }
        var commit = EdgeCommits.commit()
        commit.removedLinks = [link("x", isOwning: true), link("y", isOwning: false)]
        let zone: Parameter = .array(.int32s, [.int32(5)])
        let both: Parameter = .array(.int32s, [.int32(5), .int32(5)])
        let gone: [Parameter] = [
            both, .texts(["x", "y"]), .array(.int16s, [.int16(1), .int16(2)]), .texts(["hx", "hy"]),
        ]
        var statements = try Self.all(commit)
        #expect(statements.count == 2 && EdgeCommits.parameters(of: statements, "DELETE FROM link l") == [gone])
        commit.addedLinks = [link("z", isOwning: true)]
        statements = try Self.all(commit)
        #expect(statements.count == 3 && statements[0].text.hasPrefix("DELETE FROM link l"))
        #expect(
            EdgeCommits.parameters(of: statements, "INSERT INTO link SELECT") == [
                [zone, .texts(["z"]), .array(.int16s, [.int16(1)]), .texts(["hz"]), .texts(["T"])]
            ])
    }

    @Test("Links between nodes are noted, forgotten, held, released, settled and ended one by one")
    func linksApart() throws {
        func link(_ mark: Int64?, isOwning: Bool = true) -> ServerLink {
            ServerLink(
                target: EdgeCommits.id("t", "A"), holder: EdgeCommits.id("h", "A"), holderType: "T",
                isOwning: isOwning, mark: mark)
        }
        func parameters(_ kind: Int16, _ mark: Int64) -> [Parameter] {
            [
                .array(.int32s, [.int32(5)]), .texts(["t"]), .array(.int16s, [.int16(kind)]), .texts(["h"]),
                .int64s([mark]), .texts(["T"]),
            ]
        }
        let cases: [(change: (inout LinksApart) -> Void, beginnings: [String], parameters: [Parameter])] = [
            ({ $0.noted = [link(4)] }, ["INSERT INTO link_apart"], parameters(1, 4)),
            (
                { $0.forgotten = [link(4, isOwning: false)] },
                ["DELETE FROM link_apart", "DELETE FROM pending_deletion"], parameters(2, 4)
            ),
            ({ $0.settled = [link(4)] }, ["DELETE FROM pending_deletion"], parameters(1, 4)),
            ({ $0.released = [link(nil)] }, ["DELETE FROM held_link"], parameters(1, 0)),
            ({ $0.held = [link(4)] }, ["INSERT INTO held_link"], parameters(1, 4)),
            (
                { $0.ended = [EdgeCommits.id("t", "A")] }, ["WITH gone AS (DELETE FROM link_apart"],
                [.array(.int32s, [.int32(5)]), .texts(["t"])]
            ),
            ({ _ in }, [], []),
        ]
        for (change, beginnings, parameters) in cases {
            var commit = EdgeCommits.commit()
            change(&commit.linksApart)
            let statements = try EdgeCommits.parts(commit).linksApart()
            #expect(statements.count == beginnings.count, "\(beginnings)")
            for (statement, beginning) in zip(statements, beginnings) {
                #expect(statement.text.hasPrefix(beginning) && statement.parameters == parameters, "\(beginning)")
            }
            // The number of the commit stands behind them.
            #expect(try Self.all(commit).count == beginnings.count + 1)
        }
        var commit = EdgeCommits.commit()
        (commit.linksApart.settled, commit.linksApart.forgotten) = ([link(1)], [link(2)])
        let pending = EdgeCommits.parameters(of: try Self.all(commit), "DELETE FROM pending_deletion")
        #expect(pending.first?[4] == .int64s([1, 2]))
    }

    @Test("Up to 64 records are taken away zone by zone, more of them at once")
    func removals() throws {
        let parts = EdgeCommits.parts(EdgeCommits.commit())
        let few = try parts.removal(of: (0..<64).map { EdgeCommits.id("r\($0)", "A") }, ofType: "T")
        #expect(few.map(\.text) == ["DELETE FROM \"r_T\" WHERE _z = $1 AND _n = ANY($2)"])
        #expect(few.first?.parameters == [.int32(5), .texts((0..<64).map { "r\($0)" })])
        let many = try parts.removal(of: (0..<65).map { EdgeCommits.id("r\($0)", "A") }, ofType: "T")
        #expect(many.count == 1 && many.first?.text.contains("unnest") == true)
        let apart = try parts.removal(of: [EdgeCommits.id("a", "A"), EdgeCommits.id("b", "B")], ofType: "T")
        #expect(
            Set(apart.map(\.parameters)) == [[.int32(5), .texts(["a"])], [.int32(6), .texts(["b"])]])
        #expect(try parts.removal(of: [], ofType: "T") == [])
        #expect(throws: DatabaseError.self) { try parts.removal(of: [EdgeCommits.id("a", "Z")], ofType: "T") }
    }

    @Test("Deletions are told of in zones that list their changes, and in no default zone")
    func tombstones() throws {
        let statements = try Self.all(
            EdgeCommits.commit(
                deleting: [
                    Self.deletion("x", "A", 4), Self.deletion("y", nil, 5), Self.deletion("v", "A", 6, type: "U"),
                ], kept: 0))
        #expect(
            Set(EdgeCommits.parameters(of: statements, "DELETE FROM \"r_T\"")) == [
                [.int32(5), .texts(["x"])], [.int32(-7), .texts(["y"])],
            ])
        #expect(EdgeCommits.parameters(of: statements, "DELETE FROM \"r_U\"") == [[.int32(5), .texts(["v"])]])
        #expect(
            EdgeCommits.parameters(of: statements, "INSERT INTO tombstone") == [
                [
                    .array(.int32s, [.int32(5), .int32(5)]), .texts(["x", "v"]), .texts(["T", "U"]), .int64s([4, 6]),
                ]
            ])
        #expect(EdgeCommits.parameters(of: statements, "WITH kept AS") == [[.int32(5), .int64(0)]])
        let ofDefault = try Self.all(EdgeCommits.commit(deleting: [Self.deletion("y", nil, 5)]))
        #expect(ofDefault.count == 2, "the record, and the number of the commit")
    }

    @Test("Deletions are counted at every commit where few are kept, and else once in a thousand changes")
    func forgetting() {
        let cases: [(kept: Int, earlier: Int64, last: Int64, isTime: Bool)] = [
            (0, 1, 2, true), (999, 1_001, 1_002, true), (1_000, 1_001, 1_002, false), (1_000, 1_998, 1_999, false),
            (1_000, 1_999, 2_000, true), (1_000, 2_000, 2_001, false), (1_000, 2_001, 2_001, false),
            (5_000, 999, 1_000, true), (5_000, 998, 999, false), (5_000, 500, 2_500, true),
        ]
        for (kept, earlier, last, isTime) in cases {
            var moment = ServerMoment(schema: EdgeCommits.schema)
            moment.lastChange = earlier
            let parts = EdgeCommits.parts(EdgeCommits.commit(lastChange: last, kept: kept), on: moment)
            #expect(parts.isTimeToForget == isTime, "\(kept), \(earlier), \(last)")
        }
    }

    @Test("A new record is no longer told of as deleted, but in a default zone, where it never was")
    func newRecords() throws {
        let commit = EdgeCommits.commit(saving: [
            (EdgeCommits.row("a", "A"), true), (EdgeCommits.row("b", "B"), false), (EdgeCommits.row("c"), true),
        ])
        let statements = try Self.all(commit)
        #expect(EdgeCommits.parameters(of: statements, "DELETE FROM tombstone") == [[.int32(5), .texts(["a"])]])
        #expect(throws: DatabaseError.self) {
            try Self.all(EdgeCommits.commit(saving: [(EdgeCommits.row("a", "Z"), true)]))
        }
    }
}
