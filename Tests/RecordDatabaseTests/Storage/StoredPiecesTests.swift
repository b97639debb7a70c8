// Commits in their stored form, moved with their store, and told apart; paths of stores; paths of fields.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct StoredPiecesTests {
    private static let zone = RecordZone.ID("Z")

    private static func id(_ name: String) -> Record.ID { Record.ID(name, zoneID: zone) }

    private static func link(_ name: String) -> RecordReference { RecordReference(recordID: id(name)) }

    private static func commit(_ fields: [String: FieldValue] = [:]) -> Commit {
        var commit = Commit(
            origin: DatabaseOrigin(container: "c", scope: .private, user: "u"), client: 7, userName: "v",
            date: Date(timeIntervalSinceReferenceDate: 5))
        commit.saves = [
            Commit.Save(id: id("a"), type: "T", fields: fields, isNew: true, change: 3, parent: .some(link("p"))),
            Commit.Save(
                id: id("b"), type: "U", fields: fields, isNew: false, change: 4, parent: .some(nil),
                share: .some(link("s"))),
            Commit.Save(
                id: Record.ID("c"), type: "T", fields: fields, isNew: false, change: 5, parent: nil, share: .some(nil),
                isRewritten: true),
        ]
        return commit
    }

    /// All but the fields of what a commit saves.
    private static func outlines(_ commit: Commit) -> [String] {
        commit.saves.map { save in
            "\(save.id) \(save.type) \(save.isNew) \(save.change) \(save.isRewritten) "
                + "\(String(describing: save.parent)) \(String(describing: save.share))"
        }
    }

    @Test func commitsComeBack() throws {
        var commit = Self.commit(["n": 1, "x": "text"])
        commit.deletions = [
            Commit.Deletion(id: Self.id("d"), type: "U", change: 6),
            Commit.Deletion(id: .init("e"), type: "T", change: 7),
        ]
        commit.madeZones = [(.init("Y"), 8), (.init("X"), 9)]
        let reasons: [ZoneDeletionReason] = [.deleted, .purged, .encryptedDataReset]
        commit.deletedZones = reasons.enumerated().map { (RecordZone.ID("D\($0)"), Int64(10 + $0), $1) }
        commit.deletedSubscriptions = [("u", "s1"), ("v", "s2")]
        commit.savedSubscriptions = [
            StoredSubscription(
                userName: "u", subscription: try Subscription(zoneID: Self.zone, id: "s3"), predicate: nil)
        ]
        commit.clientToken = Data([1, 2])
        commit.deletionsKept = 11
        let read = try Commit(binary: commit.binary())
        #expect(read.origin == commit.origin && read.client == 7 && read.userName == "v" && read.date == commit.date)
        #expect(Self.outlines(read) == Self.outlines(commit))
        #expect(read.saves.map(\.fields) == commit.saves.map(\.fields))
        #expect(
            read.deletions.map { "\($0.id) \($0.type) \($0.change)" }
                == commit.deletions.map { "\($0.id) \($0.type) \($0.change)" })
        #expect(read.madeZones.map(\.id.zoneName) == ["Y", "X"] && read.madeZones.map(\.change) == [8, 9])
        #expect(read.deletedZones.map(\.id.zoneName) == ["D0", "D1", "D2"])
        #expect(read.deletedZones.map(\.change) == [10, 11, 12] && read.deletedZones.map(\.reason) == reasons)
        #expect(read.deletedSubscriptions.map(\.id) == ["s1", "s2"])
        #expect(read.deletedSubscriptions.map(\.userName) == ["u", "v"])
        #expect(read.savedSubscriptions.map(\.subscription.id) == ["s3"])
        #expect(read.clientToken == Data([1, 2]) && read.sentBatch == nil && read.deletionsKept == 11)
        #expect(read.schema == nil && read.sharing.isEmpty)
    }

    /// Files lie elsewhere after a move; nothing else is another, nor files of folders with a longer name.
    @Test func commitsMoveWithTheirStore() throws {
        func assets(_ folder: String) -> [String: FieldValue] {
            func asset(_ path: String) -> FieldValue { .asset(Asset(path: path, size: 9)) }
            return [
                "f": asset("\(folder)/x/y"), "l": .list([asset("\(folder)/z"), asset("/other/z")]),
                "o": asset("/from.old/x"), "n": 1, "t": "/from/x",
            ]
        }
        #expect(AssetMove(from: "/from", to: "/from") == nil)
        let move = try #require(AssetMove(from: "/from", to: "/to/there"))
        let commit = Self.commit(assets("/from"))
        guard case .commit(let moved) = move.applied(to: .commit(commit)) else {
            Issue.record("no commit")
            return
        }
        #expect(moved.saves.allSatisfy { $0.fields == assets("/to/there") })
        #expect(Self.outlines(moved) == Self.outlines(commit))
    }

    private static let kinds: [(name: String, change: @Sendable (inout Commit) -> Void, flags: [Bool])] = [
        // Whether it is empty, has only saves, changes records, changes zones.
        ("saves", { _ in }, [false, true, true, false]), ("nothing", { $0.saves = [] }, [true, false, false, false]),
        (
            "deletions", { $0.deletions = [Commit.Deletion(id: id("d"), type: "T", change: 6)] },
            [false, false, true, false]
        ),
        ("a zone", { ($0.saves, $0.madeZones) = ([], [(zone, 6)]) }, [false, false, false, true]),
        ("saves and a zone", { $0.madeZones = [(zone, 6)] }, [false, false, true, true]),
        ("a lost zone", { ($0.saves, $0.deletedZones) = ([], [(zone, 6, .purged)]) }, [false, false, true, true]),
        ("a subscription", { ($0.saves, $0.deletedSubscriptions) = ([], [("u", "s")]) }, [false, false, false, false]),
        ("saves and a subscription", { $0.deletedSubscriptions = [("u", "s")] }, [false, false, true, false]),
        (
            "moves", { $0.sharing.moves = [ShareMove(id: id("a"), recordType: "T", from: "s", to: nil, change: 6)] },
            [false, false, true, false]
        ),
        (
            "a shared subscription", { ($0.saves, $0.sharing.deletedSubscriptions) = ([], ["s"]) },
            [false, false, false, false]
        ),
    ]

    @Test(arguments: kinds.indices) func kindsOfCommits(_ number: Int) {
        let (name, change, flags) = Self.kinds[number]
        var commit = Self.commit()
        change(&commit)
        let found = [commit.isEmpty, commit.onlySaves, commit.changesRecords, commit.changesZones]
        #expect(found == flags, "\(name)")
        #expect(commit.rewrittenTypes == [])
        commit.schema = ContainerSchema()
        #expect(commit.rewrittenTypes == (commit.saves.isEmpty ? [] : ["T"]))
    }

    /// The log and the free room are in the file of tables, and count once.
    @Test func aStoreIsAsLargeAsItsFiles() {
        var statistics = StorageStatistics(identifier: "test")
        (statistics.segmentBytes, statistics.tableBytes, statistics.assetBytes) = (1, 20, 300)
        (statistics.logBytes, statistics.freeBytes) = (4, 5)
        #expect(statistics.byteCount == 321)
    }

    @Test func pathsBesideStores() {
        for (folder, path) in [
            ("/a/b", "/a/b.key"), ("/a/b/", "/a/b.key"), ("b//", "b.key"), ("/", "/.key"), ("", ".key"),
        ] {
            #expect(StorePath.beside(folder, ".key") == path)
        }
    }

    // MARK: Paths of fields

    @Test func namesOnPathsAreSuggested() throws {
        let set = try RecordSet(records: [
            record("a", ["n": 1]),
            record(
                "b",
                [
                    "owner": .object(["name": "x", "home": .object(["street": "y"])]),
                    "place": .location(Location(latitude: 1, longitude: 2)), "friend": .reference(RecordReference("c")),
                    "list": .list([.object(["size": 1]), .object(["size": 2])]),
                ]), record("c", ["title": "z"], type: "U"),
        ])
        let cases: [(path: [String], suggestion: [String]?, depth: Int)] = [
            (["owner", "nam"], ["owner", "name"], 1), (["owner", "home", "stret"], ["owner", "home", "street"], 2),
            (["owner", "nam", "x"], ["owner", "name", "x"], 1), (["place", "latitud"], ["place", "latitude"], 1),
            (["friend", "titl"], ["friend", "title"], 1), (["list", "siz"], ["list", "size"], 1),
        ]
        for (path, suggestion, depth) in cases {
            let found = set.unknownField(onPath: path)
            #expect(found?.suggestedPath == suggestion && found?.suggestion == suggestion?.joined(separator: "."))
            #expect(found?.depth == depth && found?.name == path[...depth].joined(separator: "."), "\(path)")
        }
        for path in [
            ["owner", "name"], ["none", "x"], ["friend", "title"], ["friend", "recordID"], ["place", "longitude"],
        ] {
            #expect(set.unknownField(onPath: path) == nil, "\(path)")
        }
        let sizes = set.facts(ofPath: ["list", "size"], wantsAll: true)
        #expect(sizes.listCount == 2 && sizes.singleCount == 0 && sizes.reached == 2 && sizes.isComplete)
        let names = set.facts(ofPath: ["owner", "name"], wantsAll: true)
        #expect(names.listCount == 0 && names.singleCount == 1)
        #expect(set.facts(ofPath: ["list"], wantsAll: true).listCount == 1 && set.facts(ofPath: []).reached == 0)
    }

    @Test func pathsGoOnBehindReferences() throws {
        let set = try RecordSet(records: [
            record("a", ["friend": .reference(RecordReference("b"))]),
            record("b", ["home": .object(["street": "y"]), "title": "z"], type: "U"),
        ])
        for (path, reached) in [
            (["friend", "title"], 2), (["friend", "title", "length"], 3), (["friend", "home", "street"], 3),
            (["friend", "home", "street", "length"], 4), (["friend", "home", "number"], 2),
        ] {
            #expect(set.facts(ofPath: path).reached == reached, "\(path)")
        }
        let found = set.unknownField(onPath: ["friend", "home", "stret"])
        #expect(found?.suggestedPath == ["friend", "home", "street"] && found?.depth == 2)
    }

    // MARK: Indexes

    /// Each type has a segment of its own.
    @Test func anIndexOfSeveralSegmentsIsListedOnce() throws {
        let set = try RecordSet(
            records: (0..<6).map { record("a\($0)", ["n": .int64(Int64($0 / 2))], type: "A") }
                + (0..<3).map { record("b\($0)", ["n": .int64(Int64($0))], type: "B") })
        for stored in set.snapshot.segments {
            let column = try #require(stored.segment.schema.position(of: "n"))
            _ = try #require(stored.indexes.ordered(column: column))
        }
        let indexes = set.indexes.filter { $0.field == "n" }
        #expect(indexes.map(\.entries) == [9] && indexes.map(\.distinct) == [6])
    }
}
