// Zones, and records by their identifiers.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct ZoneRules {
    static let rules: [Rule] = [
        Rule(100, 111, 120, text: "every database has the default zone") { world async throws in
            for database in [world.bob.privateDatabase, world.everyones, world.nobody.publicDatabase] {
                #expect(try await database.allRecordZones() == [RecordZone.default])
                #expect(try await database.recordZone(for: .default).capabilities == [])
            }
            #expect(RecordZone.default.id.ownerName == RecordZone.ID.currentUserName)
        },
        Rule(101, 102, 103, 104, 121, 122, text: "a zone exists once it is saved") { world async throws in
            let zone = try RecordZone(zoneName: "Mine")
            #expect(zone.id == RecordZone.ID("Mine") && zone.capabilities == [])
            await fails(.zoneNotFound) { try await world.mine.recordZone(for: zone.id) }
            let saved = try await world.mine.save(zone)
            #expect(saved.id == zone.id && saved.capabilities == world.zoneCapabilities)
            #expect(try await world.mine.recordZone(for: zone.id) == saved)
            try await world.mine.put(record("r", in: zone.id), record("d"))
            #expect(await world.mine.has("r", in: zone.id))
            #expect(await world.mine.has("d", in: .default))
            #expect(!(await world.mine.has("r")))
        },
        Rule(105, 106, 124, text: "saving a zone again changes nothing") { world async throws in
            try await world.mine.put(record("r", in: world.zone))
            try await world.mine.save(RecordZone(id: world.zone))
            try await world.mine.save(RecordZone.default)
            #expect(try await world.mine.allRecordZones().map(\.id) == [.default, world.zone])
            #expect(await world.mine.has("r", in: world.zone))
            try await world.mine.save(RecordZone(id: .init("Y")))
            try await world.mine.put(record("r", in: .init("Y")))
            try await world.mine.deleteRecordZone(withID: .init("Y"))
            #expect(await world.mine.has("r", in: world.zone))
        },
        Rule(107, text: "the public database has one zone") { world async throws in
            await fails(.badDatabase) { try await world.everyones.save(RecordZone(id: world.zone)) }
            await fails(.badDatabase) { try await world.everyones.deleteRecordZone(withID: world.zone) }
        },
        Rule(108, text: "zones of others cannot be made") { world async throws in
            await fails(.permissionFailure) {
                try await world.mine.save(RecordZone(id: .init("W", ownerName: World.bob)))
            }
        },
        Rule(109, 110, 113, 118, text: "missing zones") { world async throws in
            let id = Record.ID("r", zoneID: .init("None"))
            let mine = world.mine
            await fails(.zoneNotFound) { try await mine.save(Record(type: "T", id: id)) }
            await fails(.zoneNotFound) { try await mine.record(for: id) }
            await fails(.zoneNotFound) { try await mine.deleteRecord(withID: id) }
            await fails(.zoneNotFound) { try await mine.recordZone(for: id.zoneID) }
            await fails(.zoneNotFound) { try await mine.deleteRecordZone(withID: id.zoneID) }
        },
        Rule(112, 114, 115, text: "several zones, each on its own") { world async throws in
            let none = RecordZone.ID("None")
            let found = try await world.mine.recordZones(for: [world.zone, none])
            #expect(try found[world.zone]?.get().capabilities == world.zoneCapabilities)
            #expect(found[none]?.failure?.code == .zoneNotFound && found.count == 2)
            let new = RecordZone(id: .init("New"))
            let (saves, deletes) = try await world.mine.modifyRecordZones(
                saving: [new, RecordZone(id: .init("_bad"))], deleting: [world.zone, none])
            #expect(saves[new.id]?.isSuccess == true && saves[.init("_bad")]?.failure?.code == .invalidArguments)
            #expect(deletes[world.zone]?.isSuccess == true && deletes[none]?.failure?.code == .zoneNotFound)
            #expect(try await world.mine.allRecordZones().map(\.id) == [.default, new.id])
        },
        Rule(116, 117, text: "a deleted zone is empty when it is made again") { world async throws in
            try await world.mine.put(record("r", in: world.zone), record("d"))
            try await world.mine.deleteRecordZone(withID: world.zone)
            await fails(.zoneNotFound) { try await world.mine.record(for: .init("r", zoneID: world.zone)) }
            try await world.mine.save(RecordZone(id: world.zone))
            await fails(.unknownItem) { try await world.mine.record(for: .init("r", zoneID: world.zone)) }
            #expect(await world.mine.has("d"))
            try await world.mine.put(record("r", in: world.zone))
        },
        Rule(119, text: "the default zone stays") { world async throws in
            try await world.mine.put(record("r"))
            await fails(.invalidArguments) { try await world.mine.deleteRecordZone(withID: .default) }
            #expect(await world.mine.has("r"))
        },
        Rule(123, text: "capabilities are a set") { _ async throws in
            #expect(RecordZone.Capabilities.fetchChanges.rawValue == 1 && RecordZone.Capabilities.atomic.rawValue == 2)
            #expect(RecordZone.Capabilities.sharing.rawValue == 4)
            #expect(RecordZone.Capabilities.zoneWideSharing.rawValue == 8)
            #expect(RecordZone.Capabilities([.fetchChanges, .atomic]).rawValue == 3)
        },
        Rule(125, 126, 127, 134, text: "records by identifier") { world async throws in
            let here = record("here", ["a": 1])
            let there = record("there", in: world.zone, ["b": 2])
            try await world.mine.put(here, there)
            #expect(try await world.mine.record(for: here.id).fields == ["a": 1])
            await fails(.unknownItem) { try await world.mine.record(for: Record.ID("none")) }
            let missing = [Record.ID("none"), Record.ID("x", zoneID: .init("None"))]
            let found = try await world.mine.records(for: [here.id, there.id] + missing)
            #expect(found.count == 4)
            #expect(try found[here.id]?.get()["a"] == 1)
            #expect(try found[there.id]?.get()["b"] == 2)
            #expect(found[missing[0]]?.failure?.code == .unknownItem)
            #expect(found[missing[1]]?.failure?.code == .zoneNotFound)
        },
        Rule(130, text: "no identifiers, and one twice") { world async throws in
            #expect(try await world.mine.records(for: []).isEmpty)
            try await world.mine.put(record("r"))
            #expect(try await world.mine.records(for: [Record.ID("r"), Record.ID("r")]).count == 1)
        },
        Rule(135, 136, 137, 138, 139, text: "desired keys") { world async throws in
            let place = record("p", ["a": 1, "b": 2])
            let other = record("o", ["a": "x", "c": "y"], type: "U")
            try await world.mine.put(place, other)
            func keys(_ desired: [String]?) async throws -> [[String]] {
                let found = try await world.mine.records(for: [place.id, other.id], desiredKeys: desired)
                return try [place.id, other.id].map { id in
                    let record = try #require(found[id]).get()
                    #expect(record.recordChangeTag != nil && record.creationDate != nil && record.changedKeys() == [])
                    return record.allKeys()
                }
            }
            #expect(try await keys(nil) == [["a", "b"], ["a", "c"]])
            #expect(try await keys(["a"]) == [["a"], ["a"]])
            #expect(try await keys([]) == [[], []])
            #expect(try await keys(["a", "none"]) == [["a"], ["a"]])
            #expect(try await keys(["b", "c"]) == [["b"], ["c"]])
            let partial = try await world.mine.records(for: [place.id], desiredKeys: ["a"])
            #expect(try partial[place.id]?.get()["b"] == FieldValue.null)
        },
        Rule(145, text: "a failing call has no results") { world async throws in
            let ids = (0...400).map { Record.ID("r\($0)") }
            await fails(.limitExceeded) { try await world.mine.records(for: ids) }
            await fails(.notAuthenticated) { try await world.nobody.privateDatabase.records(for: [ids[0]]) }
        },
    ]

    @Test("Zones and fetching", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(World()) }
}
