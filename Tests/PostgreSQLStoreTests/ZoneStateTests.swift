// Which zones of a database its commits read: those that they are about, however many there are.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct ZoneStateTests {
    private static func record(_ name: String, in zone: String) -> Record {
        Record(type: "T", id: Record.ID(name, zoneID: RecordZone.ID(zone)), fields: ["n": .int64(1)])
    }

    /// A database of 280 zones, and 20 that were purged.
    private struct Scene {
        let server: LookingServer
        let container: Container
        var database: Database { container.privateDatabase }

        init() throws {
            (server, container) = try ServerPlace().open(behind: { LookingServer($0) })
            let zones = (0..<300).map { RecordZone.ID("Z\($0)") }
            let made = try database.modifyZones(saving: zones.map { RecordZone(id: $0) }, deleting: [])
            for (_, result) in made.saves { _ = try result.get() }
            let purged = try database.modifyZones(saving: [], deleting: Array(zones.prefix(20)), isPurging: true)
            for (_, result) in purged.deletes { try result.get() }
            try database.save(ZoneStateTests.record("d", in: "Z31"), on: container)
        }
    }

    @Test func savesReadTheirZonesAlone() async throws {
        let scene = try Scene()
        defer { scene.container.close() }
        let database = scene.database
        let ids = ["Z30", "Z31"].map { RecordZone.ID($0) }
        var tokens: [ChangeToken] = []
        for id in ids { tokens.append(try await database.recordZoneChanges(inZoneWith: id).changeToken) }
        let result = try database.modify(
            ModifyRequest(
                saves: [
                    Self.record("a", in: "Z30"), Self.record("b", in: RecordZone.ID.defaultZoneName),
                    Self.record("c", in: "Z7"), Self.record("e", in: "Y"),
                ], deletes: [Record.ID("d", zoneID: RecordZone.ID("Z31"))]))
        let codes = result.saves.map { _, outcome in
            if case .failure(let error) = outcome { error.code } else { DatabaseError.Code?.none }
        }
        #expect(codes == [nil, nil, .userDeletedZone, .zoneNotFound])
        for (_, outcome) in result.deletes { try outcome.get() }
        let read = try #require(scene.server.last)
        #expect(read.zones == ["Z30", "Z31"] && read.goneZones == ["Z7"])
        // What zones are to those who ask for changes is noted as ever.
        let saved = try await database.recordZoneChanges(inZoneWith: ids[0], since: tokens[0])
        let deleted = try await database.recordZoneChanges(inZoneWith: ids[1], since: tokens[1])
        #expect(saved.modifications.count == 1 && deleted.modifications.isEmpty && deleted.deletions.count == 1)
    }

    @Test func zonesThatChangeAreReadWithAllOthers() throws {
        let scene = try Scene()
        defer { scene.container.close() }
        let made = try scene.database.modifyZones(
            saving: [RecordZone(id: RecordZone.ID("Z0"))], deleting: [RecordZone.ID("Z31")])
        for (_, result) in made.saves { _ = try result.get() }
        for (_, result) in made.deletes { try result.get() }
        let read = try #require(scene.server.last)
        #expect(read.zones.count == 280 && read.goneZones.count == 20)
    }

    @Test func deletionsOfRecordsThatAreMadeAgainAreForgotten() async throws {
        let scene = try Scene()
        defer { scene.container.close() }
        let id = Record.ID("d", zoneID: RecordZone.ID("Z31"))
        let token = try await scene.database.recordZoneChanges(inZoneWith: id.zoneID).changeToken
        func deletions() async throws -> Int {
            try await scene.database.recordZoneChanges(inZoneWith: id.zoneID, since: token).deletions.count
        }
        try await scene.database.deleteRecord(withID: id)
        #expect(try await deletions() == 1)
        try scene.database.save(Self.record("d", in: "Z31"), on: scene.container)
        // In a transaction, and beside records of the default zone, which has no deletions to forget.
        try await scene.database.write { $0.deleteRecord(withID: id) }
        try await scene.database.write { transaction in
            try transaction.save(Self.record("d", in: RecordZone.ID.defaultZoneName))
            try transaction.save(Self.record("d", in: "Z31"))
        }
        #expect(try await deletions() == 0)
    }
}

/// Passes calls on to a server, and notes which zones commits are made on.
private final class LookingServer: PassingServer {
    typealias Read = (zones: [String], goneZones: [String])

    let base: any RecordServer
    private let read = Mutex<Read?>(nil)

    init(_ base: any RecordServer) { self.base = base }

    /// What the last commit was made on, in order of names.
    var last: Read? { read.withLock { $0 } }

    func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        try base.write(origin, need) { moment, reading throws(DatabaseError) in
            let made = try body(moment, reading)
            let names = (moment.zones.map(\.name).sorted(), moment.goneZones.map(\.name).sorted())
            if made.commit != nil { read.withLock { $0 = names } }
            return made
        }
    }
}
