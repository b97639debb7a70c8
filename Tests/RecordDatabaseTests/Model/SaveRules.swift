// Saving one record, and batches.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SaveRules {
    /// A record that both clients have fetched, changed by the second one since.
    private static func stale(_ world: World) async throws -> (mine: Record, theirs: Record) {
        let saved = try await world.mine.save(record("r", ["x": 1, "y": 1]))
        var theirs = saved
        theirs["y"] = 2
        return (saved, try await world.mine2.save(theirs))
    }

    static let rules: [Rule] = [
        Rule(146, 148, 149, text: "a new object for a used name") { world async throws in
            try await world.mine.put(record("r", ["a": 1, "b": 1]))
            #expect(ModifyRequest().policy == .ifServerRecordUnchanged)
            await fails(.serverRecordChanged) { try await world.mine.save(record("r", ["a": 2])) }
            for (value, policy) in [(3, SavePolicy.changedKeys), (4, .allKeys)] {
                let saved = try await world.mine.put(record("r", ["a": .int64(Int64(value))]), policy: policy)[0]
                #expect(saved.fields == ["a": .int64(Int64(value)), "b": 1])
                #expect(try await world.mine.record(for: saved.id) == saved)
            }
            #expect(SavePolicy.allCases.map(\.rawValue) == [0, 1, 2])
        },
        Rule(147, text: "an unused name is inserted by any policy") { world async throws in
            for policy in SavePolicy.allCases {
                let saved = try await world.mine.put(record("r\(policy.rawValue)", ["a": 1]), policy: policy)[0]
                #expect(saved.fields == ["a": 1])
            }
        },
        Rule(150, 151, 162, text: "the default policy compares tags") { world async throws in
            var (mine, theirs) = try await stale(world)
            mine["x"] = 5
            let sent = mine
            await fails(.serverRecordChanged) { try await world.mine.save(sent) }
            #expect(try await world.mine.record(for: mine.id) == theirs)
            theirs["x"] = 6
            #expect(try await world.mine.save(theirs).fields == ["x": 6, "y": 2])
        },
        Rule(152, 153, text: "a record deleted meanwhile") { world async throws in
            for policy in SavePolicy.allCases {
                var saved = try await world.mine.put(record("r", ["x": 1, "y": 1]), policy: .allKeys)[0]
                try await world.mine2.deleteRecord(withID: saved.id)
                saved["x"] = 2
                let sent = saved
                switch policy {
                case .ifServerRecordUnchanged: await fails(.unknownItem) { try await world.mine.save(sent) }
                case .changedKeys: #expect(try await world.mine.put(saved, policy: policy)[0].fields == ["x": 2])
                case .allKeys: #expect(try await world.mine.put(saved, policy: policy)[0].fields == ["x": 2, "y": 1])
                }
            }
        },
        Rule(154, 155, text: "a conflict carries three records") { world async throws in
            var (mine, theirs) = try await stale(world)
            let ancestor = mine
            mine["x"] = 5
            let sent = mine
            let found = await fails(.serverRecordChanged) { try await world.mine.save(sent) }
            let error = try #require(found)
            #expect(error.clientRecord == mine && error.serverRecord == theirs && error.ancestorRecord == ancestor)
            #expect(error.clientRecord?.changedKeys() == ["x"])
            for record in [error.clientRecord, error.ancestorRecord] {
                await fails(.serverRecordChanged) { try await world.mine.save(try #require(record)) }
            }
            var server = try #require(error.serverRecord)
            server["x"] = 5
            theirs = try await world.mine.save(server)
            #expect(theirs.fields == ["x": 5, "y": 2])
            let fresh = await fails(.serverRecordChanged) { try await world.mine.save(record("r")) }
            #expect(fresh?.ancestorRecord == nil && fresh?.serverRecord == theirs)
        },
        Rule(156, text: "changed keys of both sides survive") { world async throws in
            var (mine, _) = try await stale(world)
            mine["x"] = 5
            #expect(try await world.mine.put(mine, policy: .changedKeys)[0].fields == ["x": 5, "y": 2])
            mine["y"] = 9
            #expect(try await world.mine.put(mine, policy: .changedKeys)[0].fields == ["x": 5, "y": 9])
        },
        Rule(157, 158, text: "all keys are those of the object") { world async throws in
            var (mine, theirs) = try await stale(world)
            theirs["z"] = 3
            theirs = try await world.mine2.save(theirs)
            mine["x"] = 5
            #expect(try await world.mine.put(mine, policy: .allKeys)[0].fields == ["x": 5, "y": 1, "z": 3])
            let found = try await world.mine.records(for: [mine.id], desiredKeys: ["x"])
            var partial = try #require(found[mine.id]).get()
            theirs = try await world.mine2.record(for: mine.id)
            theirs["y"] = 7
            _ = try await world.mine2.save(theirs)
            partial["w"] = 1
            #expect(try await world.mine.put(partial, policy: .allKeys)[0].fields == ["w": 1, "x": 5, "y": 7, "z": 3])
        },
        Rule(160, text: "a record keeps its type") { world async throws in
            try await world.mine.put(record("r"))
            for policy in SavePolicy.allCases {
                let outcomes = try world.mine.outcomes(saving: [record("r", type: "U")], policy: policy)
                #expect(outcomes == ["r": .invalidArguments])
            }
        },
        Rule(161, 328, text: "a single save fails with its own error") { world async throws in
            let error = await fails(.invalidArguments) { try await world.mine.save(record("r", ["a": .double(.nan)])) }
            #expect(error?.partialErrors.isEmpty == true)
            await fails(.zoneNotFound) { try await world.mine.deleteRecord(withID: .init("r", zoneID: .init("None"))) }
        },
        Rule(164, text: "an empty batch") { world async throws in
            let (saves, deletes) = try await world.mine.modifyRecords(saving: [], deleting: [])
            #expect(saves.isEmpty && deletes.isEmpty)
        },
        Rule(165, 166, text: "one record named twice") { world async throws in
            let (a, b) = (record("a"), record("b"))
            await fails(.invalidArguments) { try await world.mine.modifyRecords(saving: [a, b, a], deleting: []) }
            await fails(.invalidArguments) { try await world.mine.modifyRecords(saving: [a, b], deleting: [b.id]) }
            // The owner's name and the placeholder for it name the same zone.
            let named = RecordZone.ID(RecordZone.ID.defaultZoneName, ownerName: World.alice)
            await fails(.invalidArguments) {
                try await world.mine.modifyRecords(saving: [a, record("a", in: named)], deleting: [])
            }
            await fails(.invalidArguments) {
                try await world.mine.modifyRecords(saving: [a], deleting: [.init("a", zoneID: named)])
            }
            #expect(!(await world.mine.has("a")))
            #expect(!(await world.mine.has("b")))
        },
        Rule(167, text: "saves come before deletes") { world async throws in
            try await world.mine.put(record("t", in: world.zone))
            let link = RecordReference(recordID: .init("t", zoneID: world.zone), action: .deleteSelf)
            let holder = record("h", in: world.zone, ["to": .reference(link)])
            let (saves, _) = try await world.mine.modifyRecords(saving: [holder], deleting: [link.recordID])
            #expect(saves[holder.id]?.isSuccess == true)
            #expect(!(await world.mine.has("h", in: world.zone)))
        },
        Rule(168, 169, 170, 171, 181, 183, text: "an atomic batch is all or nothing") { world async throws in
            let old = try await world.mine.save(record("old", in: world.zone, ["a": 1]))
            var newer = old
            newer["a"] = 2
            _ = try await world.mine2.save(newer)
            try await world.mine.put(record("gone", in: world.zone))
            let batch = [old, record("n1", in: world.zone), record("n2", in: world.zone)]
            let error = await fails(.partialFailure) {
                try await world.mine.modifyRecords(saving: batch, deleting: [.init("gone", zoneID: world.zone)])
            }
            let errors = try #require(error).partialErrors
            #expect(errors[.record(old.id)]?.code == .serverRecordChanged && errors.count == 4)
            for id in [batch[1].id, batch[2].id, Record.ID("gone", zoneID: world.zone)] {
                #expect(errors[.record(id)]?.code == .batchRequestFailed)
            }
            #expect(await world.mine.has("gone", in: world.zone))
            #expect(!(await world.mine.has("n1", in: world.zone)))
            #expect(try await world.mine.record(for: old.id)["a"] == 2)
        },
        Rule(172, text: "zones fail on their own") { world async throws in
            try await world.mine.save(RecordZone(id: .init("Y")))
            let old = try await world.mine.save(record("old", in: world.zone))
            _ = try await world.mine2.save(old)
            let outcomes = try world.mine.outcomes(
                saving: [old, record("z", in: world.zone), record("y", in: .init("Y"))], atomically: true)
            #expect(outcomes == ["old": .serverRecordChanged, "z": .batchRequestFailed, "y": nil])
            #expect(await world.mine.has("y", in: .init("Y")))
        },
        Rule(173, text: "the default zone is not atomic") { world async throws in
            let old = try await world.mine.save(record("old"))
            _ = try await world.mine2.save(old)
            let outcomes = try world.mine.outcomes(saving: [old, record("new")], atomically: true)
            #expect(outcomes == ["old": .serverRecordChanged, "new": nil])
            #expect(await world.mine.has("new"))
        },
        Rule(174, text: "malformed items fail the zone, the default one too") { world async throws in
            let malformed = [
                record("nan", ["a": .double(.nan)]), record("key", ["1": 1]), record("_name"), record("t", type: "1"),
                record("mixed", ["l": ["a", 1]]), record("user", type: "Users"),
            ]
            for bad in malformed {
                let outcomes = try world.mine.outcomes(
                    saving: [record("good"), bad, record("z", in: world.zone)], atomically: true)
                #expect(outcomes == ["good": .batchRequestFailed, bad.id.recordName: .invalidArguments, "z": nil])
                try await world.mine.deleteRecord(withID: .init("z", zoneID: world.zone))
            }
            // What is wrong in itself is said before what the store has against it.
            let both = record("x", in: .init("None"), ["a": .double(.nan)])
            #expect(try world.mine.outcomes(saving: [both]) == ["x": .invalidArguments])
        },
        Rule(175, 182, text: "items of a batch that is not atomic") { world async throws in
            let old = try await world.mine.save(record("old", in: world.zone))
            _ = try await world.mine2.save(old)
            let new = record("new", in: world.zone)
            let (saves, deletes) = try await world.mine.modifyRecords(
                saving: [old, new], deleting: [.init("x", zoneID: .init("None"))], atomically: false)
            #expect(saves[old.id]?.failure?.code == .serverRecordChanged && saves[new.id]?.isSuccess == true)
            #expect(deletes[.init("x", zoneID: .init("None"))]?.failure?.code == .zoneNotFound)
            #expect(await world.mine.has("new", in: world.zone))
        },
        Rule(176, 177, text: "batches have a size") { world async throws in
            let records = (0...400).map { record("r\($0)") }
            await fails(.limitExceeded) { try await world.mine.modifyRecords(saving: records, deleting: []) }
            await fails(.limitExceeded) {
                try await world.mine.modifyRecords(saving: Array(records[0..<400]), deleting: [records[400].id])
            }
            #expect(
                try await world.mine.modifyRecords(saving: Array(records[0..<400]), deleting: []).saveResults.count
                    == 400)
            let large = (0..<3).map { record("l\($0)", ["a": .data(Data(count: 900_000))]) }
            await fails(.limitExceeded) { try await world.mine.modifyRecords(saving: large, deleting: []) }
            #expect(!(await world.mine.has("l0")))
            let small = try world.client(World.alice) { $0.limits.itemsPerRequest = 1 }.privateDatabase
            await fails(.limitExceeded) { try await small.records(for: [records[0].id, records[1].id]) }
        },
        Rule(178, text: "a missing zone fails its items only") { world async throws in
            let outcomes = try world.mine.outcomes(
                saving: [record("a", in: .init("None")), record("b", in: world.zone)], atomically: true)
            #expect(outcomes == ["a": .zoneNotFound, "b": nil])
        },
        Rule(184, text: "a batch sent twice is applied once") { world async throws in
            let token = Data("first".utf8)
            let made = record("r", in: world.zone, ["a": 1])
            func send(_ database: Database, _ token: Data?) async throws -> Record {
                let results = try await database.modifyRecords(
                    saving: [made], deleting: [], savePolicy: .allKeys, clientChangeTokenData: token)
                return try #require(results.saveResults[made.id]).get()
            }
            let first = try await send(world.mine, token)
            #expect(try await send(world.mine, token) == first)
            let other = try await send(world.mine2, token)
            #expect(other.recordChangeTag != first.recordChangeTag)
            #expect(try await send(world.mine, Data("second".utf8)).recordChangeTag != other.recordChangeTag)
            #expect(try await send(world.mine, nil).recordChangeTag != first.recordChangeTag)
        },
        Rule(186, 187, 188, 189, text: "deleting") { world async throws in
            let target = try await world.mine.save(record("t", ["a": 1]))
            let holder = record("h", ["to": .reference(RecordReference("t", action: .deleteSelf))])
            try await world.mine.put(holder)
            var newer = target
            newer["a"] = 2
            _ = try await world.mine2.save(newer)
            let (_, deletes) = try await world.mine.modifyRecords(saving: [], deleting: [target.id, .init("never")])
            #expect(Set(deletes.keys) == [target.id, .init("never")] && deletes.values.allSatisfy(\.isSuccess))
            await fails(.unknownItem) { try await world.mine.record(for: target.id) }
            #expect(!(await world.mine.has("h")))
            let strict = try world.client(World.alice) { $0.requiresDeletedRecords = true }.privateDatabase
            await fails(.unknownItem) { try await strict.deleteRecord(withID: target.id) }
        },
    ]

    @Test("Saving, deleting, batches", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(World()) }
}
