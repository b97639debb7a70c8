// The order in which the parts of a batch over several nodes are sent: what others need goes first. Without a server.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct NodeWaveTests {
    private static let zone = RecordZone.ID("Z")

    private static func caller(_ isStrict: Bool) -> Caller {
        var configuration = Configuration()
        configuration.requiresReferenceTargets = isStrict
        return Caller(
            client: 0, rights: Rights(userName: "u", roles: []), configuration: configuration, keys: .none)
    }

    private static func link(_ name: String, _ action: RecordReference.Action = .deleteSelf) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID(name), action: action))
    }

    /// The names of the records of each wave.
    private static func waves(
        _ saves: [Record], _ deletes: [Record.ID] = [], on nodes: [String: Int32], isStrict: Bool = false
    ) -> [[String]] {
        var known: [Record.ID: Int32] = [:]
        for id in saves.map(\.id) + deletes { known[id] = nodes[id.recordName] }
        let batch = BatchOverNodes(ModifyRequest(saves: saves, deletes: deletes), known, caller(isStrict))
        return batch.saves.map { $0.map(\.recordName).sorted() }
    }

    /// Deletions in zones go with what is saved: a zone changes at once. Those beside zones come later.
    @Test func deletionsOfZonesGoWithSaves() {
        let ids = [Record.ID("d", zoneID: Self.zone), Record.ID("e")]
        #expect(Self.waves([record("a")], ids, on: ["a": 1, "d": 2, "e": 1]) == [["a", "d"]])
    }

    /// A parent on another node is there before its child.
    @Test func parentsGoFirst() {
        var child = record("c")
        child.setParent(Record.ID("p"))
        #expect(Self.waves([child, record("p")], on: ["c": 2, "p": 1]) == [["p"], ["c"]])
        #expect(Self.waves([child, record("p"), record("q")], on: ["c": 1, "p": 1, "q": 2]) == [["c", "p", "q"]])
    }

    /// A target goes first where it must exist.
    @Test func targetsThatMustExistGoFirst() {
        let nodes: [String: Int32] = ["r": 1, "t": 2]
        let plain = [record("r", ["to": Self.link("t", .none)]), record("t")]
        #expect(Self.waves(plain, on: nodes) == [["r", "t"]])
        #expect(Self.waves(plain, on: nodes, isStrict: true) == [["t"], ["r"]])
        #expect(Self.waves([record("r", ["to": Self.link("t")]), record("t")], on: nodes) == [["t"], ["r"]])
    }

    /// The records of a zone wait together for what one of them needs.
    @Test func zonesWaitAsAWhole() {
        let saves = [
            record("x", in: Self.zone, ["to": Self.link("t")]), record("y", in: Self.zone), record("t"),
        ]
        #expect(Self.waves(saves, on: ["x": 1, "y": 1, "t": 2]) == [["t"], ["x", "y"]])
    }

    /// A record waits, too, for one of its own node that has to wait for another node.
    @Test func recordsWaitForThoseThatWait() {
        let saves = [record("a", ["to": Self.link("b")]), record("b", ["to": Self.link("c")]), record("c")]
        #expect(Self.waves(saves, on: ["a": 1, "b": 1, "c": 2]) == [["c"], ["a", "b"]])
    }
}
