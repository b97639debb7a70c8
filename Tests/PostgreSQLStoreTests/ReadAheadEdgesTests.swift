// Rows that are read ahead for commits that wait, and the assets that commits name.

import Foundation
import RecordModel
import Testing

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite struct ReadAheadEdgesTests {
    private static func need(
        _ names: [String], beside neighbours: [String] = [], zones: Set<String> = ["A"], watchers: Set<String>? = nil
    ) -> ServerNeed {
        var need = ServerNeed()
        need.records = names.map { EdgeCommits.id($0, "A") }
        need.neighbours = neighbours.map { EdgeCommits.id($0, "A") }
        need.zoneStates = .named(Set(zones.map { RecordZone.ID($0) }))
        need.watchers = watchers
        return need
    }

    private static var ofMore: ServerNeed {
        var need = need(["z"])
        need.leadsUp = true
        return need
    }

    @Test("What several commits need is read at once, as far as it is records and the same watchers")
    func needs() throws {
        let own = Self.need(["a"], beside: ["n"])
        #expect(ReadAhead.need(own, []) == nil)
        #expect(ReadAhead.need(own, [Self.ofMore]) == nil)
        #expect(ReadAhead.need(own, [Self.need(["b"], watchers: ["w"])]) == nil)
        #expect(ReadAhead.need(Self.ofMore, [own]) == nil)
        let others = [
            Self.need(["b", "a"], beside: ["m"], zones: ["B"]), Self.ofMore, Self.need(["c"], watchers: []),
            Self.need(["d"], zones: ["C"]),
        ]
        let all = try #require(ReadAhead.need(own, others))
        #expect(all.records.count == 5)
        #expect(Set(all.records.map(\.recordName)) == ["a", "n", "b", "m", "d"] && all.neighbours.isEmpty)
        #expect(all.zoneStates == .named([RecordZone.ID("A"), RecordZone.ID("B"), RecordZone.ID("C")]))
    }

    /// Reads of the records `a`, `b` and `n` of the zone `A`, whose zones are `A` and `B`.
    private static func ahead() -> ReadAhead {
        var moment = ServerMoment(schema: EdgeCommits.schema)
        moment.rows = ["a", "b", "n"].map { EdgeCommits.row($0, "A") }
        var zone = ServerZone(name: "A", made: 1, lastChange: 2, forgottenThrough: 3, clientToken: Data([4]))
        (zone.movesForgottenThrough, zone.nodeChange) = (5, 6)
        moment.zones = [zone, ServerZone(name: "B", made: 1, lastChange: 2, forgottenThrough: 0, clientToken: nil)]
        return ReadAhead((moment, ["A": 5]), need(["a", "b", "n"], zones: ["A", "B"]))
    }

    private static func names(_ ahead: ReadAhead, _ need: ServerNeed) -> [String]? {
        ahead.read(need)?.moment.rows.map(\.id.recordName)
    }

    @Test("Each commit gets the rows that it needs, and none where some were not read")
    func reads() {
        let ahead = Self.ahead()
        let cases: [(need: ServerNeed, names: [String]?)] = [
            (Self.need(["a"]), ["a"]), (Self.need(["b"], beside: ["n"]), ["b", "n"]), (Self.need([]), []),
            (Self.need(["a", "x"]), nil), (Self.need(["a"], beside: ["x"]), nil),
            (Self.need(["a"], zones: ["A", "B"]), ["a"]), (Self.need(["a"], zones: ["C"]), nil),
            (Self.need(["a"], watchers: []), nil), (Self.ofMore, nil),
        ]
        for (number, (need, names)) in cases.enumerated() {
            #expect(Self.names(ahead, need) == names, "case \(number)")
        }
        var beyond = Self.need(["a"])
        beyond.leadsUp = true
        #expect(Self.names(ahead, beyond) == nil, "more than records")
    }

    @Test("Records that an earlier commit saved are read again, and zones have its number")
    func notes() throws {
        var ahead = Self.ahead()
        let saved = ["a": 20, "x": 19].sorted { $0.key < $1.key }.map { name, change in
            (row: EdgeCommits.row(name, "A", change: Int64(change)), isNew: false)
        }
        ahead.note(EdgeCommits.commit(saving: saved, lastChange: 21))
        #expect(Self.names(ahead, Self.need(["a"])) == nil && Self.names(ahead, Self.need(["b"], beside: ["a"])) == nil)
        let moment = try #require(ahead.read(Self.need(["b"]))).moment
        #expect(moment.lastChange == 21 && moment.lastDate == Date(timeIntervalSinceReferenceDate: 100))
        let zone = try #require(moment.zones.first)
        #expect(zone.name == "A" && zone.made == 1 && zone.lastChange == 20 && zone.forgottenThrough == 3)
        #expect(zone.movesForgottenThrough == 5 && zone.nodeChange == 6 && zone.clientToken == Data([4]))
        #expect(moment.zones.last?.lastChange == 2)
    }

    @Test("Nothing is known any more behind a commit that did more than to save records")
    func ends() {
        let changes: [(inout ServerCommit) -> Void] = [
            { $0.owner = "o" }, { $0.madeZones = [("N", 4)] },
            { $0.batch = ServerBatch(client: 1, token: Data(), digest: nil) },
            { $0.deletions = [ServerCommit.Deletion(id: EdgeCommits.id("x", "A"), type: "T", change: 4)] },
        ]
        for (number, change) in changes.enumerated() {
            var (ahead, commit) = (Self.ahead(), EdgeCommits.commit())
            change(&commit)
            ahead.note(commit)
            #expect(Self.names(ahead, Self.need(["b"])) == nil, "case \(number)")
        }
        var ahead = Self.ahead()
        ahead.note(EdgeCommits.commit())
        #expect(Self.names(ahead, Self.need(["b"])) == ["b"])
    }

    // MARK: Assets

    private static func asset(_ digest: String) -> FieldValue {
        .asset(Asset(path: EdgeCommits.assetFolder + "/" + digest))
    }

    @Test("Assets of the folder are known by their digests, others by their paths")
    func paths() {
        let paths = AssetPaths(folder: "/assets")
        let digests = [("/assets/abc", "abc"), ("/assetsabc", "/assetsabc"), ("/other/abc", "/other/abc"), ("", "")]
        for (path, digest) in digests { #expect(paths.digest(of: Asset(path: path)) == digest) }
        #expect(paths.path(of: "abc") == "/assets/abc" && paths.path(of: "").isEmpty)
        #expect(paths.stored(.list([Self.asset("a"), 1])) == .list([.asset(Asset(path: "a")), 1]))
        #expect(paths.read(.asset(Asset(path: "a", size: 3))) == .asset(Asset(path: "/assets/a", size: 3)))
        let fields: [String: FieldValue] = [
            "one": Self.asset("a"), "more": .list([Self.asset("b"), Self.asset("a")]), "none": .asset(Asset(path: "")),
            "text": "c",
        ]
        #expect(paths.digests(of: EdgeCommits.row("r", fields: fields)) == ["a", "b"])
    }

    @Test("Bytes go that no record of the commit names any more")
    func assets() throws {
        var moment = ServerMoment(schema: EdgeCommits.schema)
        moment.rows = [("a", "d1"), ("b", "d2"), ("c", "d3"), ("e", "d4")].map { name, digest in
            EdgeCommits.row(name, "A", fields: ["n": Self.asset(digest)])
        }
        func assets(_ commit: ServerCommit) -> CommitAssets {
            CommitAssets(commit, on: moment, AssetPaths(folder: EdgeCommits.assetFolder))
        }
        let parts = EdgeCommits.parts(EdgeCommits.commit())
        func statements(_ commit: ServerCommit) throws -> [Statement] {
            try assets(commit).statements { ids throws(DatabaseError) in try parts.keys(ids) }
        }
        let replaced = EdgeCommits.row(
            "b", "A", fields: ["n": .list([Self.asset("d5"), Self.asset("d3")]), "m": Self.asset("d5")])
        let commit = EdgeCommits.commit(
            saving: [
                (replaced, false), (EdgeCommits.row("f", "A", fields: ["n": Self.asset("d6")]), true),
                (EdgeCommits.row("e", "A"), false), (EdgeCommits.row("g", "A"), true),
            ], deleting: [ServerCommit.Deletion(id: EdgeCommits.id("c", "A"), type: "T", change: 4)])
        #expect(assets(commit).holders == Set(["b", "f", "e", "c"].map { EdgeCommits.id($0, "A") }))
        let made = try statements(commit)
        #expect(made.count == 3 && made[0].text.hasPrefix("DELETE FROM asset_holder"))
        #expect(made[1].text.hasPrefix("INSERT INTO asset_holder"))
        let fives: Parameter = .array(.int32s, [.int32(5), .int32(5), .int32(5)])
        #expect(made[1].parameters == [fives, .texts(["b", "b", "f"]), .texts(["d3", "d5", "d6"])])
        #expect(made[2].text.hasPrefix("DELETE FROM asset a") && made[2].parameters == [.texts(["d2", "d4"])])
        #expect(!assets(commit).isEmpty)

        let cases: [(saves: [(row: ServerRow, isNew: Bool)], deletions: [String], beginnings: [String])] = [
            ([], [], []), ([(EdgeCommits.row("g", "A"), true)], [], []),
            // What was deleted has held some; what is new holds some.
            ([], ["a"], ["DELETE FROM asset_holder", "DELETE FROM asset a"]),
            (
                [(EdgeCommits.row("f", "A", fields: ["n": Self.asset("d6")]), true)], [],
                ["DELETE FROM asset_holder", "INSERT INTO asset_holder"]
            ),
            (
                [(EdgeCommits.row("a", "A", fields: ["n": Self.asset("d1")]), false)], [],
                ["DELETE FROM asset_holder", "INSERT INTO asset_holder"]
            ),
        ]
        for (saves, deletions, beginnings) in cases {
            let commit = EdgeCommits.commit(
                saving: saves,
                deleting: deletions.map {
                    ServerCommit.Deletion(id: EdgeCommits.id($0, "A"), type: "T", change: 4)
                })
            let made = try statements(commit)
            #expect(made.count == beginnings.count && assets(commit).isEmpty == beginnings.isEmpty)
            for (statement, beginning) in zip(made, beginnings) { #expect(statement.text.hasPrefix(beginning)) }
        }
    }
}
