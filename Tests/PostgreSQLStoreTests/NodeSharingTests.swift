// The shared database of containers on three servers: what of it is on one node changes together.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct NodeSharingTests {
    private static let guest = "_b0b"

    /// Zones of the local user, one on each node, that a guest takes part in.
    private struct Shared {
        let owner: Container
        let guest: Container
        let zones: [RecordZone.ID]
    }

    private func share(_ place: NodePlace) throws -> Shared {
        let owner = try place.open()
        let zones = try place.fill(owner).sorted { $0.key < $1.key }.map(\.value)
        let guest = try Container(
            identifier: place.identifier, on: place.server(), account: .user(Self.guest),
            configuration: Configuration())
        for zone in zones {
            var share = Share(zoneID: zone)
            try share.add(Share.Participant(userRecordID: Record.ID(Self.guest), permission: .readWrite))
            let saved = try owner.privateDatabase.modify(ModifyRequest(saves: [share.record])).saves
            let url = try #require(Share(saved[0].result.get())?.url)
            _ = try guest.acceptShare(guest.fetchShareMetadata(for: url))
        }
        return Shared(owner: owner, guest: guest, zones: zones)
    }

    @Test func transactionsAreOfOneNode() throws {
        let shared = try share(NodePlace())
        defer { for container in [shared.owner, shared.guest] { container.close() } }
        let (mine, theirs) = (shared.owner.privateDatabase, shared.guest.sharedDatabase)
        let named = try theirs.fetchAllZones().map(\.id)
        let zones = try shared.zones.map { zone in try #require(named.first { $0.zoneName == zone.zoneName }) }
        for (number, zone) in zones.enumerated() {
            let count = try theirs.writeNow { transaction in
                var record = Record(type: "T", id: Record.ID("x", zoneID: zone))
                record["a"] = .int64(Int64(100 + number))
                try transaction.save(record)
                try transaction.updateAll("T", where: "a < 100", in: .zone(zone)) { $0["a"] = 99 }
                return try transaction.records(ofType: "T", in: .zone(zone)).count(matching: "a >= 99")
            }
            #expect(count == 2)
            let saved = try mine.fetch([Record.ID("x", zoneID: shared.zones[number])]).first?.value.get()
            #expect(saved?["a"] == .int64(Int64(100 + number)))
            #expect(saved?.creatorUserRecordID?.recordName == Self.guest)
        }
        let apart = failure {
            try theirs.writeNow { transaction in
                for zone in zones.prefix(2) {
                    var record = try transaction.record(for: Record.ID("x", zoneID: zone))
                    record["a"] = 1
                    try transaction.save(record)
                }
            }
        }
        #expect(apart.code == .badDatabase && apart.reason.contains("several nodes"), "\(apart)")
        let all = failure { try theirs.writeNow { _ = try $0.records(ofType: "T") } }
        #expect(all.code == .badDatabase && all.reason.contains("all zones"), "\(all)")
        // Deleting what may be on another node is no less than reading it.
        let deleted = failure {
            try theirs.writeNow { transaction in
                for zone in zones { transaction.deleteRecord(withID: Record.ID("x", zoneID: zone)) }
            }
        }
        #expect(deleted.code == .badDatabase, "\(deleted)")
        #expect(try theirs.find(Query("T", "a == 1"), in: .zone(zones[0]), limit: 10).matches.isEmpty)
    }

    /// What a transaction rests on does not change before its end, and the share that it rests on does not end.
    @Test func nobodyEndsAShareMeanwhile() async throws {
        let shared = try share(NodePlace())
        defer { for container in [shared.owner, shared.guest] { container.close() } }
        let (theirs, zone) = (shared.guest.sharedDatabase, shared.zones[1])
        let named = try #require(theirs.fetchAllZones().first { $0.id.zoneName == zone.zoneName }?.id)
        let end = Thread {
            let id = Record.ID(Share(zoneID: zone).id.recordName, zoneID: zone)
            _ = try? shared.owner.privateDatabase.modify(ModifyRequest(deletes: [id]))
        }
        var begun = false
        try theirs.writeNow { transaction in
            var record = Record(type: "T", id: Record.ID("x", zoneID: named))
            _ = try transaction.records(ofType: "T", in: .zone(named))
            if !begun { end.start() }
            begun = true
            Thread.sleep(forTimeInterval: 0.05)
            record["a"] = 7
            try transaction.save(record)
        }
        while !end.isFinished { try await Task.sleep(for: .milliseconds(5)) }
        let saved = try shared.owner.privateDatabase.fetch([Record.ID("x", zoneID: zone)]).first?.value.get()
        #expect(saved?["a"] == 7)
        #expect(try !theirs.fetchAllZones().contains { $0.id.zoneName == zone.zoneName })
    }
}
