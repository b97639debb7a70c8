// What nodes give, joined: moments, portions, shared pages; and where zones and records live. No server is needed.

import Foundation
import RecordModel
import Testing

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite struct NodeEdgesTests {
    private static let origin = DatabaseOrigin(container: "c", scope: .private, user: "u")

    private static func moment(_ change: (inout ServerMoment) -> Void = { _ in }) -> ServerMoment {
        var moment = ServerMoment(schema: EdgeCommits.schema)
        change(&moment)
        return moment
    }

    private static func zone(_ name: String, _ lastChange: Int64) -> ServerZone {
        ServerZone(name: name, made: 1, lastChange: lastChange, forgottenThrough: 0, clientToken: nil)
    }

    // MARK: Joined moments

    @Test("Nodes have the last change and the last date of all, and zones those of their own node")
    func changes() {
        func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
        let parts: [(node: Int32, moment: ServerMoment)] = [
            (
                0,
                Self.moment {
                    ($0.lastChange, $0.lastDate, $0.zones) = (5, date(7), [Self.zone("B", 3), Self.zone("D", 1)])
                    $0.goneZones = [("Y", 2, .deleted), ("X", 1, .purged)]
                }
            ),
            (
                2,
                Self.moment {
                    ($0.lastChange, $0.lastDate, $0.zones) = (8, date(9), [Self.zone("A", 6), Self.zone("D", 7)])
                    $0.goneZones = [("Y", 3, .purged), ("W", 4, .deleted)]
                }
            ),
            (1, Self.moment { ($0.lastChange, $0.lastDate, $0.zones) = (6, date(8), [Self.zone("C", 4)]) }),
        ]
        let joined = NodeContainer.join(parts)
        #expect(joined.lastChange == 8 && joined.lastDate == date(9))
        #expect(joined.zones.map(\.name) == ["A", "B", "C", "D"])
        #expect(joined.zones.map(\.nodeChange) == [8, 5, 6, 5] && joined.zones.map(\.lastChange) == [6, 3, 4, 1])
        #expect(joined.goneZones.map(\.name) == ["W", "X", "Y"] && joined.goneZones.map(\.change) == [4, 1, 2])
        let alone = NodeContainer.join([parts[0]])
        #expect(alone.zones.map(\.name) == ["B", "D"] && alone.zones.map(\.nodeChange) == [nil, nil])
        #expect(alone.lastChange == 5 && NodeContainer.join([]).zones.isEmpty)
    }

    @Test("What nodes give is put together, of each kind")
    func contents() {
        func part(_ name: String, counted: Int) -> ServerMoment {
            Self.moment {
                let id = EdgeCommits.id(name, "A")
                $0.links = [ServerLink(target: id, holder: id, holderType: "T", isOwning: true)]
                $0.heldLinks = [ServerLink(target: id, holder: id, holderType: "", isOwning: false)]
                $0.moves = [ShareMove(id: id, recordType: "T", from: nil, to: nil, change: 1)]
                ($0.deletions, $0.countedRows) = ([(name, "T", 1)], counted)
            }
        }
        let joined = NodeContainer.join([(0, part("a", counted: 2)), (1, part("b", counted: 3))])
        #expect(joined.links.map(\.target.recordName) == ["a", "b"] && joined.links.allSatisfy { $0.isOwning })
        #expect(joined.heldLinks.map(\.target.recordName) == ["a", "b"])
        #expect(joined.moves.map(\.id.recordName) == ["a", "b"] && joined.deletions.map(\.name) == ["a", "b"])
        #expect(joined.countedRows == 5)
    }

    @Test("Rows of nodes come in the order in which they were made, each once, unless they are sure of another order")
    func rows() {
        func part(_ rows: [(name: String, made: Double)], areSure: Bool?) -> ServerMoment {
            Self.moment {
                $0.rows = rows.map { EdgeCommits.row($0.name, "A", made: $0.made) }
                $0.areRowsSure = areSure
            }
        }
        let cases: [(first: Bool?, second: Bool?, areSure: Bool?, names: [String])] = [
            (nil, nil, nil, ["c", "a", "b", "d"]), (true, false, false, ["c", "a", "b", "d"]),
            (false, true, false, ["c", "a", "b", "d"]), (true, true, true, ["a", "b", "c", "d", "a"]),
            (nil, true, true, ["a", "b", "c", "d", "a"]), (nil, false, false, ["c", "a", "b", "d"]),
        ]
        for (number, test) in cases.enumerated() {
            let joined = NodeContainer.join([
                (0, part([("a", 2), ("b", 3)], areSure: test.first)),
                (1, part([("c", 1), ("d", 3), ("a", 4)], areSure: test.second)),
            ])
            #expect(joined.areRowsSure == test.areSure, "case \(number)")
            #expect(joined.rows.map(\.id.recordName) == test.names, "case \(number)")
        }
    }

    @Test("Values are counted on all nodes, or on none")
    func groups() throws {
        typealias Groups = [(value: FieldValue, count: Int)]
        func joined(_ parts: [Groups?]) -> Groups? {
            NodeContainer.join(
                parts.enumerated().map { number, groups in (Int32(number), Self.moment { $0.groups = groups }) }
            ).groups
        }
        let all = try #require(joined([[(1, 2), (.null, 1)], [(1, 3), (2, 4)]]))
        #expect(Dictionary(uniqueKeysWithValues: all.map { ($0.value, $0.count) }) == [1: 5, 2: 4, .null: 1])
        #expect(joined([[(1, 2)], nil]) == nil && joined([nil, [(1, 2)]]) == nil)
        #expect(joined([[], []])?.isEmpty == true)
    }

    @Test("An explanation names the node that each part of it is of")
    func explanations() throws {
        let selection = try EdgeSelections.selection { $0.explains = true }
        let pushed = EdgeSelections.reader(selection).pushed("")
        func part(_ number: Int32, _ pushed: QueryExplanation.Pushed?) -> (node: Int32, moment: ServerMoment) {
            (number, Self.moment { $0.pushed = pushed })
        }
        #expect(NodeContainer.join([part(0, pushed), part(3, pushed)]).pushed?.nodes.map(\.number) == [0, 3])
        #expect(NodeContainer.join([part(2, pushed)]).pushed?.nodes.map(\.number) == [2])
        #expect(NodeContainer.join([part(0, nil), part(3, pushed)]).pushed?.nodes.map(\.number) == [3])
        #expect(NodeContainer.join([part(0, nil), part(3, nil)]).pushed == nil)
    }

    @Test("Nodes have one schema where its version is the same on all")
    func schemas() {
        func parts(_ versions: [Int64]) -> [(Int32, ServerMoment)] {
            versions.map { version in (0, Self.moment { $0.roles = ([:], version) }) }
        }
        for versions in [[], [3], [3, 3], [3, 3, 3]] as [[Int64]] {
            #expect(NodeContainer.haveOneSchema(parts(versions)), "\(versions)")
        }
        for versions in [[3, 4], [3, 3, 4]] as [[Int64]] {
            #expect(!NodeContainer.haveOneSchema(parts(versions)), "\(versions)")
        }
    }

    // MARK: Portions

    private final class Portions: ServerPortions {
        private var portions: [[ServerRow]]
        private let failure: DatabaseError?

        init(_ portions: [[ServerRow]], failure: DatabaseError? = nil) {
            (self.portions, self.failure) = (portions, failure)
        }

        func next() throws(DatabaseError) -> [ServerRow] {
            if portions.isEmpty {
                if let failure { throw failure }
                return []
            }
            return portions.removeFirst()
        }
    }

    @Test("Records of several nodes come in the order in which they were made, of one time those of the first node")
    func portions() throws {
        func rows(_ made: [Double], _ mark: String) -> [ServerRow] {
            made.enumerated().map { EdgeCommits.row("\(mark)\($0.offset)", made: $0.element) }
        }
        let all = NodePortions([
            (0, Portions([rows([1, 3], "a"), rows([3, 6], "b")])), (1, Portions([rows([2, 3], "c"), rows([7], "d")])),
            (4, Portions([])),
        ])
        #expect(try all.next().map(\.id.recordName) == ["a0", "c0", "a1", "b0", "c1", "b1", "d0"])
        #expect(try all.next().isEmpty)
        let many = NodePortions([
            (0, Portions([rows((0..<700).map { Double(2 * $0) }, "a")])),
            (1, Portions([rows((0..<700).map { Double(2 * $0 + 1) }, "b")])),
        ])
        let (first, second) = (try many.next(), try many.next())
        #expect(first.count == 1_000 && second.count == 400)
        let dates = (first + second).map(\.creationDate.timeIntervalSinceReferenceDate)
        #expect(dates == (0..<1_400).map { Double($0) })
        let lost = NodePortions([
            (3, Portions([], failure: DatabaseError(.networkFailure, "the connection was lost")))
        ])
        let error = #expect(throws: DatabaseError.self) { try lost.next() }
        #expect(error?.code == .networkFailure && error?.reason == "node 3: the connection was lost")
    }

    @Test("What is a server's fault names the node, once")
    func errors() {
        let codes: [(code: DatabaseError.Code, isNamed: Bool)] = [
            (.networkUnavailable, true), (.networkFailure, true), (.serviceUnavailable, true),
            (.serverResponseLost, true), (.badContainer, true), (.incompatibleVersion, true), (.zoneBusy, false),
            (.internalError, false), (.limitExceeded, false), (.invalidArguments, false),
        ]
        for (code, isNamed) in codes {
            let own = DatabaseError(code, "words", hint: "do", retryAfter: .seconds(3))
            let error = own.ofNode(2)
            #expect(error.code == code && error.reason == (isNamed ? "node 2: words" : "words"))
            #expect(error.hint == "do" && error.retryAfter == own.retryAfter)
            #expect(error.ofNode(5) == error)
        }
        let node = Node(4) { () throws(DatabaseError) in throw DatabaseError(.networkUnavailable, "away") }
        for _ in 0..<2 {
            let error = #expect(throws: DatabaseError.self) { try node.call { _ in } }
            #expect(error?.reason == "node 4: away")
        }
        node.close()
        let closed = #expect(throws: DatabaseError.self) { try node.call { _ in } }
        #expect(closed?.reason == "node 4: the connections to the server were closed")
    }

    // MARK: Shared pages

    @Test("The share of a page is what one of some nodes has at most, and no more than the page")
    func shares() {
        // The mean, three times its root, rounded up, and one.
        let cases = [(100, 4, 41), (900, 9, 131), (10, 2, 10), (1, 3, 1), (1_000, 10, 131), (64, 4, 29)]
        for (limit, count, share) in cases {
            #expect(SharedPage.share(of: limit, among: count) == share, "\(limit) among \(count)")
        }
    }

    private static func part(_ numbers: [Int64], isShared: Bool, areSure: Bool? = true) -> ServerMoment {
        moment {
            $0.rows = numbers.map { EdgeCommits.row("r\($0)", "A", fields: ["n": .int64($0)]) }
            ($0.areRowsShared, $0.areRowsSure) = (isShared, areSure)
        }
    }

    @Test("A node gave enough where as many rows as are wanted come no later than its last one")
    func wholePages() throws {
        let (few, others) = (Self.part([1, 2], isShared: true), Self.part([3, 4], isShared: true))
        let cases: [(limit: Int?, few: Bool, others: Bool)] = [
            (1, true, true), (2, true, true), (3, false, true), (4, false, true), (5, false, false),
            (nil, false, false),
        ]
        for (limit, isFewWhole, areOthersWhole) in cases {
            let selection = try EdgeSelections.selection(sortedBy: [.ascending("n")], limit: limit)
            let page = SharedPage(selection, [few, others])
            #expect(page.isWhole(few) == isFewWhole && page.isWhole(others) == areOthersWhole, "\(limit ?? -1)")
        }
        let selection = try EdgeSelections.selection(sortedBy: [.ascending("n")], limit: 2)
        let empty = Self.part([], isShared: true)
        #expect(!SharedPage(selection, [few, empty]).isWhole(empty))
        #expect(SharedPage(selection, [few, empty]).isWhole(Self.part([], isShared: false)))
        // Where one is not sure, nobody knows how many of its rows count.
        let unsure = Self.part([9], isShared: false, areSure: false)
        #expect(!SharedPage(selection, [few, unsure]).isWhole(few))
        #expect(SharedPage(selection, [few, unsure]).isWhole(unsure))
        #expect(SharedPage(selection, [few, Self.part([9], isShared: false, areSure: nil)]).isWhole(few))
    }

    @Test("Rows up to the start of a page do not count for it")
    func pagesFromAStart() throws {
        let (few, others) = (Self.part([1, 2, 3, 4], isShared: true), Self.part([5], isShared: true))
        let cases: [(start: Int64, name: String, isWhole: Bool)] = [
            (1, "r1", true), (2, "r2", true), (3, "r3", false), (2, "r1", true), (2, "a", true), (3, "r2", true),
        ]
        for (start, name, isWhole) in cases {
            let selection = try EdgeSelections.selection(
                sortedBy: [.ascending("n")], limit: 2,
                from: ServerSelection.Start(values: [.int64(start), .string(name)], zoneName: nil))
            #expect(SharedPage(selection, [few, others]).isWhole(few) == isWhole, "\(start) \(name)")
        }
    }

    // MARK: Places

    @Test("A place has its nodes, and each record of a spread zone one of them, by its name")
    func places() {
        #expect(Place.node(3).nodes == [3] && Place.node(3).first == 3 && !Place.node(3).isSpread)
        #expect(Place.spread([4, 2]).first == 4 && Place.spread([4, 2]).isSpread && !Place.spread([4]).isSpread)
        #expect(Place.spread([]).first == 0 && !Place.spread([]).isSpread)
        #expect(Place.spread([]).node(of: EdgeCommits.id("a")) == 0)
        #expect(Place.node(3).node(of: EdgeCommits.id("a")) == 3)
        // The buckets are 140, 421, 1010, 287, 876 of 1024.
        for (name, three, two) in [("a", 5, 5), ("b", 6, 5), ("c", 7, 6), ("r0", 5, 5), ("r1", 7, 6)]
            as [(String, Int32, Int32)]
        {
            #expect(Place.spread([5, 6, 7]).node(of: EdgeCommits.id(name)) == three, "\(name)")
            #expect(Place.spread([5, 6]).node(of: EdgeCommits.id(name)) == two, "\(name)")
        }
    }

    @Test("Zones of others, and zones that no server can have, are on the control node, which is not asked")
    func strangeZones() throws {
        let placement = Placement(
            control: Node(0) { () throws(DatabaseError) in throw DatabaseError(.networkUnavailable, "asked") },
            numbers: [0, 1])
        let zones: Set = [RecordZone.ID("Z", ownerName: "other"), RecordZone.ID("Z\u{0}")]
        let expected = Dictionary(uniqueKeysWithValues: zones.map { ($0, Place.node(0)) })
        #expect(try placement.places(of: zones, in: Self.origin) == expected)
        #expect(try placement.places(of: zones, in: Self.origin, placesDefaults: true) == expected)
        let ids = Set(zones.map { Record.ID("a", zoneID: $0) })
        #expect(
            try placement.nodes(of: ids, in: Self.origin) == Dictionary(uniqueKeysWithValues: ids.map { ($0, 0) }))
        #expect(throws: DatabaseError.self) { try placement.places(of: [RecordZone.ID("Z")], in: Self.origin) }
        #expect(throws: DatabaseError.self) {
            try placement.places(of: [RecordZone.ID.default], in: Self.origin, placesDefaults: true)
        }
        #expect(throws: DatabaseError.self) { try placement.isPlaced(RecordZone.ID("Z"), in: Self.origin) }
    }

    @Test("Claims of values end with what was added in vain, or with what was given up")
    func claims() {
        func claim(_ number: UInt8) -> ValueClaim { ValueClaim(digest: [number], holder: EdgeCommits.id("a")) }
        var marks = ClaimMarks()
        (marks.added, marks.held, marks.left) = ([claim(1), claim(2)], [claim(2), claim(3)], [claim(4)])
        #expect(marks.released(isStored: true) == [claim(1), claim(4)])
        #expect(marks.released(isStored: false) == [claim(1), claim(2)])
    }
}
