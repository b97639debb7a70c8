// Batches over several nodes and what becomes of their parts; rows and zones of servers. All of it without a server.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct NodeBatchEdgesTests {
    private static var caller: Caller {
        Caller(
            client: 0, rights: Rights(userName: "u", roles: []), configuration: Configuration(), keys: .none)
    }

    /// A part of a batch for a node.
    private static func part(_ node: Int32, saving: [String] = [], deleting: [String] = []) -> ModifyRequest {
        var part = ModifyRequest(saves: saving.map { record($0) }, deletes: deleting.map { Record.ID($0) })
        part.node = node
        return part
    }

    /// A part tells how many were about its node before: a server remembers each by itself.
    @Test func partsOfABatchAreNumberedByNode() {
        let request = ModifyRequest(
            saves: ["a", "b", "c"].map { record($0) }, deletes: [Record.ID("d"), Record.ID("e")])
        let nodes: [Record.ID: Int32] = [
            Record.ID("a"): 1, Record.ID("b"): 2, Record.ID("c"): 1, Record.ID("d"): 2, Record.ID("e"): 3,
        ]
        let batch = BatchOverNodes(request, nodes, Self.caller)
        #expect(batch.saves == [Set(["a", "b", "c"].map { Record.ID($0) })])
        #expect(batch.deletes == Set(["d", "e"].map { Record.ID($0) }))
        let parts = batch.parts(Set(nodes.keys).subtracting([Record.ID("e")]), [2: 3])
        #expect(parts.map { $0.node } == [1, 2] && parts.map { $0.part } == [0, 3])
        #expect(parts.map { $0.saves.map(\.id.recordName) } == [["a", "c"], ["b"]])
        #expect(parts.map { $0.deletes.map(\.recordName) } == [[], ["d"]])
    }

    /// What a node cannot do, or may have done, fails its items alone.
    @Test(arguments: [DatabaseError.Code.networkFailure, .serverResponseLost])
    func aNodeThatIsAwayFailsItsItemsAlone(_ code: DatabaseError.Code) throws {
        var outcome = PartOutcome()
        let lost = Self.part(1, saving: ["a"], deleting: ["b"])
        try outcome.take(lost, .failure(DatabaseError(code, "away")), Self.caller)
        #expect(outcome.failure?.code == code && !outcome.isStored)
        var made = ModifyResult()
        made.deletes = [(Record.ID("c"), .success(()))]
        try outcome.take(Self.part(2, deleting: ["c"]), .success(made), Self.caller)
        #expect(outcome.isStored && outcome.partCounts == [1: 1, 2: 1])
        // In the order of the request, each record once.
        let result = outcome.result(Self.part(0, saving: ["a"], deleting: ["c", "b", "c"]))
        #expect(result.saves.map { $0.id.recordName } == ["a"])
        #expect(result.saves.map { $0.result.failure?.code } == [code])
        #expect(result.deletes.map { $0.id.recordName } == ["c", "b"])
        #expect(result.deletes.map { $0.result.failure?.code } == [nil, code])
    }

    /// What is stored is told, whatever other parts fail with.
    @Test(arguments: [DatabaseError.Code.operationCancelled, .permissionFailure, .internalError])
    func onceAPartIsMadeOthersFailAlone(_ code: DatabaseError.Code) throws {
        var outcome = PartOutcome()
        let lost = Self.part(2, saving: ["b"])
        #expect(throws: DatabaseError.self) {
            try outcome.take(lost, .failure(DatabaseError(code, "given up")), Self.caller)
        }
        var made = ModifyResult()
        made.saves = [(Record.ID("a"), .success(record("a")))]
        try outcome.take(Self.part(1, saving: ["a"]), .success(made), Self.caller)
        try outcome.take(lost, .failure(DatabaseError(code, "given up")), Self.caller)
        let result = outcome.result(Self.part(0, saving: ["a", "b"]))
        #expect(result.saves.map { $0.result.failure?.code } == [nil, code])
    }

    /// What is wrong with the batch itself is an error of the whole.
    @Test func whatIsWrongWithABatchFailsAllOfIt() {
        var outcome = PartOutcome()
        let error = #expect(throws: DatabaseError.self) {
            try outcome.take(
                Self.part(1, saving: ["a"]), .failure(DatabaseError(.invalidArguments, "wrong")), Self.caller)
        }
        #expect(error?.code == .invalidArguments)
    }

    /// What came into shares and left them, and how much of it is forgotten, is told zone by zone.
    @Test func movesAreOfTheirZones() {
        var moment = ServerMoment(schema: ContainerSchema())
        for (name, forgotten) in [("A", 7), ("B", 0)] as [(String, Int64)] {
            var zone = ServerZone(name: name, made: 1, lastChange: 20, forgottenThrough: 5, clientToken: nil)
            zone.movesForgottenThrough = forgotten
            moment.zones.append(zone)
        }
        for (name, change) in [("A", 8), ("B", 9)] as [(String, Int64)] {
            let id = Record.ID("r", zoneID: RecordZone.ID(name))
            moment.moves.append(ShareMove(id: id, recordType: "T", from: "s", to: nil, change: change))
        }
        let zones = moment.state().zones
        #expect(zones["A"]?.moves.all.map(\.change) == [8] && zones["B"]?.moves.all.map(\.change) == [9])
        #expect(zones["A"]?.moves.forgottenThrough == 7 && zones["B"]?.moves.forgottenThrough == 0)
        #expect(zones["A"]?.forgottenThrough == 5 && zones["B"]?.forgottenThrough == 5)
    }

    /// Rows give the fields that are wanted, one by one and all.
    @Test func rowsHaveTheDesiredFields() {
        let row = ServerRow(
            Record.ID("r"), type: "T", fields: ["a": 1, "b": 2], parent: nil,
            made: (Date(timeIntervalSince1970: 1), "u"), changed: (Date(timeIntervalSince1970: 2), "v", 3))
        let some = ServedRows([row], desiredKeys: ["a"])
        #expect(some.value(of: "a", row: 0) == 1 && some.value(of: "b", row: 0) == .null)
        #expect(some.fields(row: 0) == ["a": 1])
        let all = ServedRows([row], desiredKeys: nil)
        #expect(all.value(of: "b", row: 0) == 2 && all.fields(row: 0) == ["a": 1, "b": 2])
        #expect(ServedRows([row], desiredKeys: []).fields(row: 0).isEmpty)
    }
}
