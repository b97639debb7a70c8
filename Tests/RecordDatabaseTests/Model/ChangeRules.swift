// What changed since a moment.

import Foundation
import Testing

@testable import RecordDatabase

extension Database {
    /// All changes of a zone since a token, stretch by stretch: saves as `+name`, deletions as `-name`.
    func changes(
        in zone: RecordZone.ID, since token: ChangeToken? = nil, limit: Int = 0
    ) throws -> (entries: [String], token: ChangeToken) {
        var entries: [String] = []
        var token = token
        while true {
            let batch = try zoneChanges(zone, since: token, limit: limit)
            if limit > 0 { #expect(batch.modifications.count + batch.deletions.count <= limit) }
            entries += batch.modifications.map { "+\($0.id.recordName)" }
            entries += batch.deletions.map { "-\($0.recordID.recordName)" }
            token = try recoded(batch.changeToken)
            if !batch.moreComing { return (entries, batch.changeToken) }
        }
    }
}

@Suite struct ChangeRules {
    static let rules: [Rule] = [
        Rule(247, 248, 249, 256, text: "saves since a moment") { world async throws in
            let saved = try await world.mine.put(
                record("a", in: world.zone, ["n": 1]), record("b", in: world.zone), record("c", in: world.zone))
            try await world.mine.put(record("elsewhere"))
            let (all, token) = try world.mine.changes(in: world.zone)
            #expect(all == ["+a", "+b", "+c"])
            #expect(try world.mine.changes(in: world.zone, since: token).entries == [])
            var changed = saved[0]
            for number in 2...4 {
                changed["n"] = .int64(Int64(number))
                changed = try await world.mine.save(changed)
            }
            try await world.mine.put(record("d", in: world.zone, type: "U"))
            _ = try await world.mine.save(saved[1])
            let changes = try world.mine.zoneChanges(world.zone, since: token)
            #expect(changes.modifications.map(\.id.recordName) == ["a", "d", "b"] && !changes.moreComing)
            #expect(try changes.modifications[0].result.get() == changed)
            #expect(changes.modificationResultsByID.count == 3)
        },
        Rule(250, 251, 252, text: "deletions since a moment") { world async throws in
            let zone = world.zone
            let owner = FieldValue.reference(RecordReference(recordID: .init("t", zoneID: zone), action: .deleteSelf))
            try await world.mine.put(record("t", in: zone), record("h", in: zone, ["to": owner]), record("r", in: zone))
            let token = try world.mine.changes(in: zone).token
            try await world.mine.deleteRecord(withID: .init("t", zoneID: zone))
            try await world.mine.put(record("short", in: zone, type: "U"))
            try await world.mine.deleteRecord(withID: .init("short", zoneID: zone))
            try await world.mine.deleteRecord(withID: .init("r", zoneID: zone))
            try await world.mine.put(record("r", in: zone))
            let changes = try world.mine.zoneChanges(zone, since: token)
            #expect(changes.deletions.map(\.recordID.recordName) == ["t", "h", "short"])
            #expect(changes.deletions.map(\.recordType) == ["T", "T", "U"])
            #expect(changes.modifications.map(\.id.recordName) == ["r"])
            #expect(try world.mine.changes(in: zone).entries == ["+r"])
        },
        Rule(253, 254, text: "changes carry whole records, one's own too") { world async throws in
            let saved = try await world.mine.save(record("r", in: world.zone, ["a": 1, "b": 2]))
            let token = try world.mine.changes(in: world.zone).token
            var changed = saved
            changed["a"] = 5
            _ = try await world.mine.save(changed)
            let whole = try world.mine.zoneChanges(world.zone, since: token)
            #expect(try whole.modifications[0].result.get().fields == ["a": 5, "b": 2])
            let narrow = try world.mine.zoneChanges(world.zone, since: token, desiredKeys: ["b"])
            #expect(try narrow.modifications[0].result.get().fields == ["b": 2])
        },
        Rule(255, 266, 267, text: "changes come in stretches") { world async throws in
            let zone = world.zone
            let token = try world.mine.changes(in: zone).token
            let names = (10..<30).map { "r\($0)" }
            _ = try await world.mine.modifyRecords(saving: names.map { record($0, in: zone) }, deleting: [])
            _ = try await world.mine.modifyRecords(saving: [], deleting: names[5..<10].map { .init($0, zoneID: zone) })
            let left = (names[..<5] + names[10...]).map { "+\($0)" }
            #expect(try world.mine.changes(in: zone, limit: 4).entries == left)
            let gone = names[5..<10].map { "-\($0)" }
            #expect(try world.mine.changes(in: zone, since: token, limit: 4).entries == left + gone)
            // A record that was listed and is deleted before the rest is read.
            let first = try await world.mine.recordZoneChanges(inZoneWith: zone, resultsLimit: 3)
            #expect(first.moreComing && first.modifications.map(\.id.recordName) == Array(names[..<3]))
            try await world.mine.deleteRecord(withID: .init(names[0], zoneID: zone))
            let rest = try world.mine.changes(in: zone, since: first.changeToken).entries
            #expect(rest == left[3...] + ["-\(names[0])"])
            #expect(try world.mine.changes(in: zone, since: first.changeToken).entries == rest)
        },
        Rule(259, text: "the client's own token comes back") { world async throws in
            #expect(try world.mine.zoneChanges(world.zone, since: nil).clientChangeTokenData == nil)
            for text in ["one", "two"] {
                _ = try await world.mine.modifyRecords(
                    saving: [record("r", in: world.zone)], deleting: [], savePolicy: .allKeys,
                    clientChangeTokenData: Data(text.utf8))
            }
            #expect(try world.mine.zoneChanges(world.zone, since: nil).clientChangeTokenData == Data("two".utf8))
        },
        Rule(260, 261, 262, text: "where there are no changes") { world async throws in
            await fails(.invalidArguments) { try await world.mine.recordZoneChanges(inZoneWith: .default) }
            await fails(.badDatabase) { try await world.everyones.recordZoneChanges(inZoneWith: .default) }
            await fails(.badDatabase) { try await world.everyones.databaseChanges() }
            await fails(.zoneNotFound) { try await world.mine.recordZoneChanges(inZoneWith: .init("None")) }
            try await world.mine.deleteRecordZone(withID: world.zone)
            await fails(.zoneNotFound) { try await world.mine.recordZoneChanges(inZoneWith: world.zone) }
        },
        Rule(263, 264, text: "tokens are of one zone") { world async throws in
            try await world.mine.save(RecordZone(id: .init("Y")))
            let token = try world.mine.changes(in: world.zone).token
            #expect(try recoded(token) == token)
            try await world.mine.put(record("r", in: world.zone))
            #expect(try world.mine.changes(in: world.zone).token != token)
            let database = try await world.mine.databaseChanges().changeToken
            await fails(.invalidArguments) {
                try await world.mine.recordZoneChanges(inZoneWith: .init("Y"), since: token)
            }
            await fails(.invalidArguments) {
                try await world.mine.recordZoneChanges(inZoneWith: world.zone, since: database)
            }
            await fails(.invalidArguments) { try await world.mine.databaseChanges(since: token) }
            try await world.bob.privateDatabase.save(RecordZone(id: world.zone))
            await fails(.invalidArguments) {
                try await world.bob.privateDatabase.recordZoneChanges(inZoneWith: world.zone, since: token)
            }
        },
        Rule(265, text: "tokens expire") { world async throws in
            let zone = world.zone
            let few = try world.client(World.alice) { $0.limits.deletionsPerZone = 4 }.privateDatabase
            let token = try few.changes(in: zone).token
            for number in 0..<8 {
                try await few.put(record("r\(number)", in: zone))
                try await few.deleteRecord(withID: .init("r\(number)", zoneID: zone))
            }
            await fails(.changeTokenExpired) { try await few.recordZoneChanges(inZoneWith: zone, since: token) }
            let fresh = try few.changes(in: zone)
            #expect(fresh.entries == [])
            try await few.put(record("new", in: zone))
            #expect(try few.changes(in: zone, since: fresh.token).entries == ["+new"])
            try await few.deleteRecordZone(withID: zone)
            try await few.save(RecordZone(id: zone))
            await fails(.changeTokenExpired) { try await few.recordZoneChanges(inZoneWith: zone, since: fresh.token) }
        },
        Rule(265, text: "the oldest token that is served") { world async throws in
            let zone = world.zone
            let few = try world.client(World.alice) { $0.limits.deletionsPerZone = 4 }.privateDatabase
            for number in 0..<8 { try await few.put(record("r\(number)", in: zone)) }
            var tokens: [ChangeToken?] = []
            for number in 0..<8 {
                try await few.deleteRecord(withID: .init("r\(number)", zoneID: zone))
                tokens.append(try few.changes(in: zone).token)
            }
            // Four deletions are known; the token behind the last one that is not begins with them.
            #expect(try few.changes(in: zone, since: tokens[3]).entries == ["-r4", "-r5", "-r6", "-r7"])
            await fails(.changeTokenExpired) { try await few.recordZoneChanges(inZoneWith: zone, since: tokens[2]) }
        },
        Rule(268, text: "zones that changed") { world async throws in
            let first = try await world.mine.databaseChanges()
            #expect(first.modifications == [world.zone] && first.deletions == [] && !first.moreComing)
            try await world.mine.put(record("r"))
            let (x, y) = (RecordZone.ID("X"), RecordZone.ID("Y"))
            for id in [x, y] { try await world.mine.save(RecordZone(id: id)) }
            try await world.mine.put(record("r", in: world.zone))
            try await world.mine.deleteRecordZone(withID: x)
            let second = try await world.mine.databaseChanges(since: first.changeToken)
            #expect(second.modifications == [y, world.zone] && second.deletions == [x])
            #expect(try await world.mine.databaseChanges(since: second.changeToken).modifications == [])
            try await world.mine.deleteRecord(withID: .init("r", zoneID: world.zone))
            try await world.mine.save(RecordZone(id: x))
            let third = try await world.mine.databaseChanges(since: second.changeToken, resultsLimit: 1)
            #expect(third.modifications == [world.zone] && third.moreComing)
            let fourth = try await world.mine.databaseChanges(since: recoded(third.changeToken))
            #expect(fourth.modifications == [x] && fourth.deletions == [] && !fourth.moreComing)
        },
    ]

    @Test("Changes", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(World()) }
}
