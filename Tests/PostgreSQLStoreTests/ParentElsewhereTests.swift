// Parents in other zones: of several servers these may be on another one.

import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@testable import Campaigns

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct ParentElsewhereTests {
    @Test("A parent in another zone fails its record alone, wherever zones are", arguments: [1, 3])
    func parentElsewhere(_ count: Int) throws {
        let ground = ContainerGround.servers(try .shared(count))
        let identifier = "parents \(UInt64.random(in: 0 ... .max))"
        try ground.prepare(identifier)
        let container = try ground.open(identifier, .localUser, Configuration())
        defer { container.close() }
        let database = container.privateDatabase
        // Of three servers each is on another one.
        let zones = [RecordZone.ID("Lists"), RecordZone.ID("Drafts")]
        _ = try database.modifyZones(saving: zones.map { RecordZone(id: $0) }, deleting: [])
        var child = Record(type: "T", id: Record.ID("child", zoneID: zones[0]), fields: ["n": 1])
        child.setParent(Record.ID("parent", zoneID: zones[1]))
        let other = Record(type: "T", id: Record.ID("other", zoneID: zones[0]), fields: ["n": 1])
        let result = try database.modify(ModifyRequest(saves: [child, other], isAtomic: false))
        let codes = result.saves.map { save -> DatabaseError.Code? in
            if case .failure(let error) = save.result { error.code } else { nil }
        }
        #expect(codes == [.invalidArguments, nil])
    }
}
