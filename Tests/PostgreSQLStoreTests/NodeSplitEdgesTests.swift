// Which of several nodes is asked for what: by the places of zones, which the control node has.

import Campaigns
import Foundation
import RecordModel
import Synchronization
import Testing
import _TestSupport

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct NodeSplitEdgesTests {
    private static let origin = DatabaseOrigin(container: "c", scope: .private, user: "u")
    /// By FNV-1a of scope, user and name, modulo 3.
    private static let nodes: [String: Int32] = ["E": 0, "F": 0, "A": 1, "B": 1, "C": 2, "D": 2]

    /// A container on the nodes 0, 1 and 2 whose zones have their places, the default zone on all of them.
    private static let opened = Result {
        let server = try #require(try NodePlace().server() as? NodeContainer)
        _ = try server.parts(of: nodes.keys.map { RecordZone.ID($0) }, in: origin, isMaking: true)
        _ = try server.nodes(of: [EdgeCommits.id("a")], in: origin)
        return server
    }

    private let server: NodeContainer

    init() throws { server = try Self.opened.get() }

    /// What each node is asked for.
    private func asked(
        _ need: ServerNeed, sharing: Bool = false, only numbers: [Int32]? = nil
    ) throws -> [Int32: ServerNeed] {
        final class Asked: Sendable { let needs = Mutex<[Int32: ServerNeed]>([:]) }
        let asked = Asked()
        let parts = try server.parts(of: need, Self.origin, sharing: sharing, only: numbers) {
            number, need throws(DatabaseError) in
            asked.needs.withLock { $0[number] = need }
            return ServerMoment(schema: ContainerSchema())
        }
        let found = asked.needs.withLock { $0 }
        #expect(Set(parts.map(\.0)) == Set(found.keys))
        return found
    }

    private static func need(_ change: (inout ServerNeed) -> Void) -> ServerNeed {
        var need = ServerNeed()
        change(&need)
        return need
    }

    @Test("A zone has a node by its name, and zones of one node stay together in their order")
    func zones() throws {
        let names = ["C", "A", "E", "B", "D", "F"]
        let parts = try server.parts(of: names.map { RecordZone.ID($0) }, in: Self.origin, isMaking: false)
        #expect(parts.map { $0.map(\.zoneName) } == [["C", "D"], ["A", "B"], ["E", "F"]])
        for (name, node) in Self.nodes {
            let id = EdgeCommits.id("x", name)
            #expect(try server.nodes(of: [id], in: Self.origin) == [id: node], "\(name)")
        }
        #expect(try server.parts(of: [RecordZone.ID("unknown")], in: Self.origin, isMaking: false).count == 1)
    }

    @Test("Records are asked of the node that has them, by zone, and in a spread zone by name")
    func records() throws {
        let ids = [
            EdgeCommits.id("x", "A"), EdgeCommits.id("y", "C"), EdgeCommits.id("a"), EdgeCommits.id("b"),
            EdgeCommits.id("c"), EdgeCommits.id("z", "E"),
        ]
        let expected: [Int32: [String]] = [0: ["a", "z"], 1: ["x", "b"], 2: ["y", "c"]]
        let paths: [WritableKeyPath<ServerNeed, [Record.ID]>] = [
            \.records, \.roots, \.targets, \.heldBy, \.trees,
        ]
        for (number, path) in paths.enumerated() {
            let needs = try asked(Self.need { $0[keyPath: path] = ids })
            #expect(needs.mapValues { $0[keyPath: path].map(\.recordName) } == expected, "\(number)")
            #expect(Set(try asked(Self.need { $0[keyPath: path] = [ids[0]] }).keys) == [1], "\(number)")
        }
        #expect(try Set(asked(Self.need { $0.records = ids }, only: [0, 2]).keys) == [0, 2])
        #expect(try asked(Self.need { $0.records = ids }, only: []).isEmpty)
    }

    @Test("Nodes are asked for the zones that they have, and all of them where zones are not named")
    func parts() throws {
        let (a, c) = (RecordZone.ID("A"), RecordZone.ID("C"))
        let unnamed = try EdgeSelections.selection(in: nil)
        let ofA = try EdgeSelections.selection(in: "A")
        let ofDefault = try EdgeSelections.selection(in: RecordZone.ID.defaultZoneName)
        let targets = { ServerTargets($0, [], foundTargets: [:], limit: 1) }
        func changes(_ zone: RecordZone.ID) -> ServerChanges {
            ServerChanges(zoneID: zone, position: 0, deletionsAfter: nil, limit: 1)
        }
        let cases: [(need: ServerNeed, nodes: Set<Int32>)] = [
            (ServerNeed(), [0, 1, 2]), (Self.need { $0.selection = unnamed }, [0, 1, 2]),
            (Self.need { $0.selection = ofA }, [1]), (Self.need { $0.selection = ofDefault }, [0, 1, 2]),
            (Self.need { $0.conditions = targets(a) }, [1]),
            (Self.need { $0.conditions = targets(.default) }, [0, 1, 2]),
            (Self.need { $0.changes = changes(a) }, [1]), (Self.need { $0.changes = changes(.default) }, [0]),
            (Self.need { $0.wholeTypes = ["T"] }, [0, 1, 2]), (Self.need { $0.shares = .all }, [0, 1, 2]),
            (Self.need { $0.shares = .named([a]) }, [1]), (Self.need { $0.wholeZones = [a, c] }, [1, 2]),
            (Self.need { $0.moves = [c] }, [2]), (Self.need { $0.subscribers = .everyone }, [0]),
            (Self.need { ($0.subscribers, $0.moves) = (.everyone, [c]) }, [0, 2]),
            (Self.need { ($0.wholeTypes, $0.records) = (["T"], [EdgeCommits.id("x", "A")]) }, [0, 1, 2]),
        ]
        for (number, (need, nodes)) in cases.enumerated() {
            let needs = try asked(need)
            #expect(Set(needs.keys) == nodes, "case \(number)")
            for (node, part) in needs where node != 0 { #expect(part.subscribers == nil, "case \(number)") }
        }
        // What is of another zone is not asked of a node.
        let both = try asked(
            Self.need {
                ($0.selection, $0.records) = (ofA, [EdgeCommits.id("y", "C")])
                ($0.changes, $0.subscribers) = (changes(c), .everyone)
            })
        #expect(both[1]?.selection != nil && both[1]?.changes == nil && both[1]?.records.isEmpty == true)
        #expect(both[2]?.selection == nil && both[2]?.changes != nil && both[2]?.records.count == 1)
        #expect(both[0]?.subscribers != nil && both[0]?.selection == nil && both[0]?.changes == nil)
    }

    @Test("Of a page of a spread zone nodes are asked for their shares at first")
    func shares() throws {
        func parts(_ zone: String?, limit: Int?, sharing: Bool) throws -> [ServerSelection?] {
            let selection = try EdgeSelections.selection(in: zone, limit: limit)
            return try asked(Self.need { $0.selection = selection }, sharing: sharing).values.map(\.selection)
        }
        // Ten, three times the root of ten, rounded up, and one.
        let shared = try parts(RecordZone.ID.defaultZoneName, limit: 30, sharing: true)
        #expect(shared.map { $0?.share } == [21, 21, 21])
        #expect(shared.allSatisfy { $0?.referencesLeadElsewhere == true })
        let whole = try parts(RecordZone.ID.defaultZoneName, limit: 30, sharing: false)
        #expect(whole.count == 3 && whole.allSatisfy { $0 != nil && $0?.share == nil })
        let unlimited = try parts(RecordZone.ID.defaultZoneName, limit: nil, sharing: true)
        #expect(unlimited.count == 3 && unlimited.allSatisfy { $0 != nil && $0?.share == nil })
        let alone = try parts("A", limit: 30, sharing: true)
        #expect(alone.count == 1 && alone.allSatisfy { $0 != nil && $0?.share == nil })
        #expect(alone.first??.referencesLeadElsewhere == false)
        let unnamed = try parts(nil, limit: 30, sharing: true)
        #expect(unnamed.count == 3 && unnamed.allSatisfy { $0?.share == nil && $0?.referencesLeadElsewhere == true })
    }

    @Test("A commit on a node depends on no zone of another one, and on no whole zone that is spread")
    func checks() throws {
        func code(_ home: Int32, _ origin: DatabaseOrigin = Self.origin, _ change: (inout ServerNeed) -> Void)
            -> String?
        {
            do throws(DatabaseError) {
                try server.check(Self.need(change), at: home, origin)
                return nil
            } catch {
                return error.code == .badDatabase ? error.reason : "\(error)"
            }
        }
        let (several, all, spread) = (
            NodeContainer.severalNodes.reason, NodeContainer.allZones.reason, NodeContainer.spreadZone.reason
        )
        let ofA = try EdgeSelections.selection(in: "A")
        let ofDefault = try EdgeSelections.selection(in: RecordZone.ID.defaultZoneName)
        let unnamed = try EdgeSelections.selection(in: nil)
        let paths: [WritableKeyPath<ServerNeed, [Record.ID]>] = [\.records, \.roots, \.targets, \.trees]
        for path in paths {
            #expect(code(1) { $0[keyPath: path] = [EdgeCommits.id("x", "A")] } == nil)
            #expect(code(0) { $0[keyPath: path] = [EdgeCommits.id("x", "A")] } == several)
            #expect(code(1) { $0[keyPath: path] = [EdgeCommits.id("b")] } == nil)
            #expect(code(0) { $0[keyPath: path] = [EdgeCommits.id("b")] } == several)
        }
        #expect(code(1) { $0.zones = [RecordZone.ID("A")] } == nil)
        #expect(code(2) { $0.zones = [RecordZone.ID("A")] } == several)
        #expect(code(2) { $0.zones = [RecordZone.ID("C"), .default] } == nil, "each node has some of it")
        #expect(code(1) { $0.selection = ofA } == nil && code(0) { $0.selection = ofA } == several)
        #expect(code(0) { $0.selection = ofDefault } == spread)
        #expect(code(0) { $0.selection = unnamed } == all && code(0) { $0.wholeTypes = ["T"] } == all)
        #expect(code(0) { $0.shares = .all } == all && code(1) { $0.shares = .named([RecordZone.ID("A")]) } == nil)
        #expect(code(0) { $0.wholeZones = [RecordZone.ID("A")] } == several)
        #expect(code(1) { $0.moves = [RecordZone.ID("A")] } == nil)
        let changes = ServerChanges(zoneID: RecordZone.ID("A"), position: 0, deletionsAfter: nil, limit: 1)
        #expect(code(1) { $0.changes = changes } == nil && code(2) { $0.changes = changes } == several)
        // Zones without a place have no records, but only default zones need none to be written.
        let other = DatabaseOrigin(container: "c", scope: .private, user: "nobody")
        #expect(code(1, other) { $0.records = [EdgeCommits.id("b")] } == nil)
        #expect(code(1, other) { $0.records = [EdgeCommits.id("b", "N")] } == several)
        #expect(code(0, other) { $0.records = [EdgeCommits.id("b", "N")] } == nil)
        // The public database has one zone.
        let shared = DatabaseOrigin(container: "c", scope: .public, user: nil)
        #expect(code(0, shared) { $0.selection = unnamed } == nil && code(0, shared) { $0.wholeTypes = ["T"] } == nil)
    }

    @Test("What a batch refers to and does not change may be on other nodes of a spread zone")
    func divides() throws {
        let need = Self.need {
            $0.changed = ["b", "e"].map { EdgeCommits.id($0) }
            $0.records = [
                EdgeCommits.id("b"), EdgeCommits.id("a"), EdgeCommits.id("c"), EdgeCommits.id("e"),
                EdgeCommits.id("x", "C"),
            ]
            $0.neighbours = ["a", "e"].map { EdgeCommits.id($0) }
            $0.targets = ["c", "b"].map { EdgeCommits.id($0) }
        }
        func names(_ ids: [Record.ID]) -> [String] { ids.map(\.recordName) }
        let (own, apart, targets) = try server.divide(need, at: 1, Self.origin)
        #expect(names(own.records) == ["b", "e", "x"] && names(own.neighbours) == ["e"] && names(own.targets) == ["b"])
        #expect(names(apart) == ["a", "c"] && names(targets) == ["c"] && own.changed == need.changed)
        // What changes is asked of the commit's node, wherever it may be.
        let elsewhere = try server.divide(need, at: 0, Self.origin)
        #expect(names(elsewhere.own.records) == ["b", "a", "e", "x"] && names(elsewhere.apart) == ["c"])
        #expect(names(elsewhere.own.neighbours) == ["a"] && names(elsewhere.targets) == ["c", "b"])
        let unchanged = try server.divide(Self.need { $0.records = need.records }, at: 1, Self.origin)
        #expect(names(unchanged.own.records) == names(need.records) && unchanged.apart.isEmpty)
    }
}
