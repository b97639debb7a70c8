// What servers are asked and told, without one: needs, rows, digests of unique values, demands.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ServerPiecesTests {
    private static func row(_ name: String, _ fields: [String: FieldValue], type: String = "T") -> ServerRow {
        ServerRow(
            Record.ID(name), type: type, fields: fields, parent: nil,
            made: (Date(timeIntervalSince1970: 1), "u"), changed: (Date(timeIntervalSince1970: 2), "v", 3))
    }

    private static func origin(_ scope: DatabaseScope = .private, _ user: String? = "u") -> DatabaseOrigin {
        DatabaseOrigin(container: "test", scope: scope, user: user)
    }

    // MARK: Unique values

    private static let schema = ContainerSchema(recordTypes: [
        "T": .init(fields: ["a": .init(.string, traits: .unique), "b": .init(.string), "c": .init(.string)]),
        "U": .init(fields: ["a": .init(.string, traits: .unique)]), "V": .init(fields: ["a": .init(.string)]),
        "W": .init(fields: ["a": .init(.string), "b": .init(.string)], uniqueTogether: [["a", "b"]]),
    ])

    private static func digests(
        _ fields: [String: FieldValue], type: String = "T", in origin: DatabaseOrigin = ServerPiecesTests.origin()
    ) -> Set<[UInt8]> { row("r", fields, type: type).uniqueDigests(schema, in: origin) }

    private static func link(_ name: String, _ zone: String, _ owner: String = "o", _ action: Int = 0) -> FieldValue {
        .reference(
            RecordReference(
                recordID: Record.ID(name, zoneID: RecordZone.ID(zone, ownerName: owner)),
                action: action == 0 ? .none : .deleteSelf))
    }

    private static let pairs: [(a: FieldValue, b: FieldValue, areSame: Bool)] = [
        (.int64(1), .double(1), true), (.double(-0.0), .int64(0), true), (.double(0), .double(-0.0), true),
        ("e\u{301}", "\u{E9}", true), (link("r", "Z"), link("r", "Z", "o", 1), true),
        ("a", "A", false), ("a", "a ", false), (.int64(1), "1", false), (.int64(1), "i1", false),
        (.date(Date(timeIntervalSinceReferenceDate: 1)), .double(1), false),
        (.date(Date(timeIntervalSinceReferenceDate: 1.5)), .double(1.5), false),
        (.double(1.5), .double(-1.5), false), (.int64(1), .int64(-1), false), (.double(0x1p63), .int64(.max), false),
        (link("r", "Z"), link("s", "Z"), false), (link("r", "Z"), link("r", "Y"), false),
        (link("r", "Z"), link("r", "Z", "p"), false), (link("r", "Z"), "r", false),
    ]

    @Test(arguments: pairs.indices) func whatIsEqualHasOneDigest(_ number: Int) {
        let (a, b, areSame) = Self.pairs[number]
        #expect((Self.digests(["a": a]) == Self.digests(["a": b])) == areSame, "\(a), \(b)")
        #expect(Self.digests(["a": a]).count == 1)
    }

    @Test func digestsAreOfTypeFieldsAndDatabase() {
        let digest = Self.digests(["a": "x", "b": "y"])
        #expect(digest == Self.digests(["a": "x", "b": "z"]) && digest.first?.count == 64)
        #expect(Self.digests(["a": "x"], type: "U").isDisjoint(with: digest))
        #expect(Self.digests(["a": "x"], in: Self.origin(.private, "v")).isDisjoint(with: digest))
        let open = Self.digests(["a": "x"], in: Self.origin(.public, nil))
        #expect(open.isDisjoint(with: digest))
        #expect(open.isDisjoint(with: Self.digests(["a": "x"], in: Self.origin(.private, nil))))
        for fields in [["b": "y"], ["a": .null]] as [[String: FieldValue]] { #expect(Self.digests(fields) == []) }
        #expect(Self.digests(["a": "x"], type: "V") == [] && Self.digests(["a": "x"], type: "none") == [])
        // Of values that are unique together, all are needed, each of its field.
        let both = Self.digests(["a": "x", "b": "y"], type: "W")
        #expect(both.count == 1 && Self.digests(["a": "x"], type: "W") == [])
        #expect(both.isDisjoint(with: Self.digests(["a": "y", "b": "x"], type: "W")))
        var turned = Self.schema
        turned.recordTypes["W"]?.uniqueTogether = [["b", "a"]]
        #expect(Self.row("r", ["a": "x", "b": "y"], type: "W").uniqueDigests(turned, in: Self.origin()) == both)
        #expect(Self.schema.typesWithUniqueFields == ["T", "U", "W"] && Self.schema.hasUniqueFields)
        #expect(!ContainerSchema(recordTypes: ["V": .init(fields: ["a": .init(.string)])]).hasUniqueFields)
    }

    @Test func equalValuesOfTwoUniqueFieldsHaveTwoDigests() {
        var schema = Self.schema
        schema.recordTypes["T"] = .init(fields: [
            "a": .init(.string, traits: .unique), "b": .init(.string, traits: .unique),
        ])
        func digests(_ fields: [String: FieldValue]) -> Set<[UInt8]> {
            Self.row("r", fields).uniqueDigests(schema, in: Self.origin())
        }
        let (a, b) = (digests(["a": "x"]), digests(["b": "x"]))
        #expect(a.count == 1 && b.count == 1 && a.isDisjoint(with: b))
        #expect(digests(["a": "x", "b": "x"]) == a.union(b))
    }

    // MARK: Demands

    private static func demand(_ keys: [String], _ kind: ServerDemand.Kind) -> ServerDemand {
        ServerDemand(type: "T", keys: keys, kind: kind)
    }

    @Test func uniqueValuesAreUniqueInADatabase() throws {
        var check = DemandCheck(Self.demand(["a", "b"], .unique))
        let equal: [String: FieldValue] = ["a": 1, "b": "x"]
        try check.add(Self.row("r1", equal), of: 1)
        let others: [[String: FieldValue]] = [["a": 1], ["a": 1], ["b": "x"], ["a": 1, "b": "y"]]
        for (number, fields) in others.enumerated() { try check.add(Self.row("o\(number)", fields), of: 1) }
        try check.add(Self.row("s1", equal), of: 2)
        let error = #expect(throws: DatabaseError.self) {
            try check.add(Self.row("s2", equal), of: 2)
        }
        #expect(error?.code == .constraintViolation)
        #expect(error?.reason == "fields a, b of T are UNIQUE together, and record s1 has the same values")
    }

    private static let demands: [(demand: ServerDemand, fields: [String: FieldValue], reason: String?)] = [
        (demand(["a"], .present), ["a": 0], nil),
        (demand(["a", "b"], .present), ["a": 0], "record r has no value of field b of T"),
        (demand(["a"], .present), ["a": .null], "record r has no value of field a of T"),
        (demand(["a"], .absent("INT64")), ["a": .null, "b": 1], nil),
        (demand(["a"], .absent("INT64")), ["a": 0], "field a of T must stay INT64"),
        (demand([], .noRecords), [:], "record r: there are records of type T"),
    ]

    @Test(arguments: demands.indices) func rowsMeetDemands(_ number: Int) {
        let (demand, fields, reason) = Self.demands[number]
        var (check, found): (DemandCheck, String?) = (DemandCheck(demand), nil)
        do { try check.add(Self.row("r", fields), of: 1) } catch { found = error.reason }
        #expect(found == reason)
    }

    // MARK: Needs and rows

    @Test func zonesOfNeeds() {
        let (y, z) = (RecordZone.ID("Y"), RecordZone.ID("Z"))
        let (none, one, other) = (ServerNeed.Zones.named([]), ServerNeed.Zones.named([y]), ServerNeed.Zones.named([z]))
        let both = ServerNeed.Zones.named([y, z])
        #expect(one.union(other) == both && one.union(none) == one && one.union(.all) == .all)
        #expect(ServerNeed.Zones.all.union(one) == .all)
        let cases: [(ServerNeed.Zones, ServerNeed.Zones, Bool)] = [
            (.all, .all, true), (.all, one, true), (one, .all, false), (both, one, true), (one, both, false),
            (one, one, true), (one, other, false), (one, none, true),
        ]
        for (large, small, holds) in cases { #expect(large.isSuperset(of: small) == holds, "\(large) \(small)") }
    }

    private static let additions: [(name: String, add: @Sendable (inout ServerNeed) -> Void, isOfRecords: Bool)] = [
        ("records", { $0.records = [Record.ID("r")] }, true), ("zones", { $0.zones = [.default] }, true),
        ("roots", { $0.roots = [Record.ID("r")] }, false), ("targets", { $0.targets = [Record.ID("r")] }, false),
        ("heldBy", { $0.heldBy = [Record.ID("r")] }, false), ("trees", { $0.trees = [Record.ID("r")] }, false),
        ("leadsUp", { $0.leadsUp = true }, false), ("wholeTypes", { $0.wholeTypes = ["T"] }, false),
        ("wholeZones", { $0.wholeZones = [.default] }, false), ("shares", { $0.shares = .all }, false),
        (
            "changes",
            { $0.changes = ServerChanges(zoneID: .default, position: 0, deletionsAfter: nil, limit: 1) }, false
        ),
        ("batch", { $0.batch = ServerBatch(client: 1, token: Data([1]), digest: nil) }, false),
        ("subscribers", { $0.subscribers = .everyone }, false), ("moves", { $0.moves = [.default] }, false),
        ("owners", { $0.locksOwners = true }, false),
    ]

    @Test func needsOfRecordsAlone() {
        #expect(ServerNeed().isOfRecordsAlone)
        for (name, add, isOfRecords) in Self.additions {
            var need = ServerNeed()
            need.records = [Record.ID("one")]
            add(&need)
            #expect(need.isOfRecordsAlone == isOfRecords, "\(name)")
        }
    }

    @Test func partsOfRows() {
        let row = Self.row("r", ["n": 5, "recordName": "other"])
        let values: [(SortKey.Criterion, FieldValue)] = [
            (.field("n"), 5), (.field("none"), .null), (.recordName, "r"),
            (.field("creationDate"), .date(Date(timeIntervalSince1970: 1))),
            (.field("modificationDate"), .date(Date(timeIntervalSince1970: 2))),
        ]
        for (criterion, value) in values { #expect(row.value(of: criterion) == value, "\(criterion)") }
        #expect(row.creator == "u" && row.lastModifier == "v" && row.change == 3)
    }

    private static let apart: [@Sendable (inout LinksApart, ServerLink) -> Void] = [
        { $0.held = [$1] }, { $0.released = [$1] }, { $0.noted = [$1] }, { $0.forgotten = [$1] },
        { $0.settled = [$1] }, { $0.ended = [$1.target] },
    ]

    @Test func linksOfOtherServers() {
        let link = ServerLink(
            target: Record.ID("t"), holder: Record.ID("h"), holderType: "T", isOwning: true, mark: 7, isFresh: true)
        #expect(LinksApart().isEmpty)
        for set in Self.apart {
            var links = LinksApart()
            set(&links, link)
            #expect(!links.isEmpty)
        }
        #expect(link.key.mark == 7 && link.key.holderType.isEmpty && link.key.isOwning && !link.key.isFresh)
        #expect(link.unmarked.mark == nil && link.unmarked.isOwning && link.unmarked.target == link.target)
    }

    // MARK: Outlines

    /// Nothing offers an encrypted field: no predicate and no order could name it.
    @Test func outlinesHaveNoEncryptedFields() throws {
        let text = "DEFINE SCHEMA RECORD TYPE T (secret ENCRYPTED STRING, title STRING QUERYABLE SORTABLE);"
        let outline = RecordSet(outlining: try ContainerSchema(text: text), type: "T")
        #expect(outline.fieldNames.contains("title") && !outline.fieldNames.contains("secret"))
        let unknown = outline.unknownFields(among: [.field("title"), .field("secret"), .field("creationDate")])
        #expect(unknown.map(\.name) == ["secret"])
        let offered = PredicateCompleter(for: outline).completions(of: "", at: 0).candidates.map(\.text)
        #expect(offered.contains("title") && !offered.contains("secret"))
    }

    // MARK: What subscribers are told

    @Test func noticesComeBack() throws {
        let zone = RecordZone.ID("Z", ownerName: "o")
        let fields = [
            NoticeContent.Field(key: "b", value: "x"), NoticeContent.Field(key: "a", value: .double(1.5)),
        ]
        for kind in [ChangeNotification.Kind.query, .recordZone, .database] {
            for scope in [DatabaseScope.public, .private, .shared] {
                for reason in [nil, .recordCreated, .recordUpdated, .recordDeleted] as [ChangeNotification.Reason?] {
                    let notice = NoticeContent(
                        userName: "u", subscriptionID: "s", kind: kind, scope: scope,
                        zoneID: kind == .recordZone ? zone : nil,
                        recordID: kind == .query ? Record.ID("r", zoneID: zone) : nil, reason: reason,
                        fields: kind == .query ? fields : [])
                    #expect(try NoticeContent(binary: notice.binary()) == notice)
                }
            }
        }
        let bytes = try NoticeContent(
            userName: "u", subscriptionID: "s", kind: .query, scope: .private, zoneID: nil, recordID: nil, reason: nil,
            fields: fields
        ).binary()
        for length in 0..<bytes.count {
            #expect(throws: BinaryError.self) { try NoticeContent(binary: Array(bytes.prefix(length))) }
        }
    }
}
