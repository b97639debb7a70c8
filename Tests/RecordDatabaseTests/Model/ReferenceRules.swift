// References, and what is deleted with what.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct ReferenceRules {
    private static func owned(_ name: String, by targets: String..., zone: RecordZone.ID = .default) -> Record {
        var holder = record(name, in: zone)
        for (number, target) in targets.enumerated() {
            holder["to\(number)"] = .reference(
                RecordReference(recordID: .init(target, zoneID: zone), action: .deleteSelf))
        }
        return holder
    }

    private static func exist(_ database: Database, _ names: [String]) async -> [String] {
        var found: [String] = []
        for name in names where await database.has(name) { found.append(name) }
        return found
    }

    static let rules: [Rule] = [
        Rule(191, 192, 193, 194, text: "references") { _ async throws in
            let made = record("r")
            let reference = RecordReference(recordID: made.id, action: .deleteSelf)
            #expect(reference.recordID == made.id && reference.action == .deleteSelf)
            #expect(RecordReference(record: made, action: .deleteSelf) == reference)
            #expect(RecordReference(record: made) != reference && RecordReference(record: made).action == .none)
            #expect(RecordReference(record: made).hashValue == RecordReference(recordID: made.id).hashValue)
            #expect(RecordReference.Action.none.rawValue == 0 && RecordReference.Action.deleteSelf.rawValue == 1)
            #expect(try recoded(reference) == reference)
            let predicate: RecordPredicate = "to == \(reference)"
            #expect(try predicate.evaluate(on: record("h", ["to": .reference(reference)])))
        },
        Rule(195, text: "many to one") { world async throws in
            try await world.mine.put(record("t"))
            for name in ["a", "b", "c"] { try await world.mine.put(owned(name, by: "t")) }
            try await world.mine.deleteRecord(withID: .init("t"))
            #expect(await exist(world.mine, ["t", "a", "b", "c"]) == [])
        },
        Rule(196, text: "references stay in their zone") { world async throws in
            try await world.mine.put(record("t"))
            for action in RecordReference.Action.allCases {
                let value = FieldValue.reference(RecordReference("t", action: action))
                for field in [value, .list([value])] {
                    await fails(.invalidArguments) {
                        try await world.mine.save(record("h", in: world.zone, ["to": field]))
                    }
                }
            }
        },
        Rule(197, 198, 199, text: "what references must lead to") { world async throws in
            await fails(.referenceViolation) { try await world.mine.save(owned("h", by: "none")) }
            try await world.mine.put(owned("h", by: "t"), record("t"))
            try await world.mine.put(record("s"), owned("i", by: "s"))
            try await world.mine.put(record("loose", ["link": .reference(RecordReference("none"))]))
            // A target that fails is none, and so on along a chain.
            let outcomes = try world.mine.outcomes(saving: [
                owned("c", by: "b"), owned("b", by: "a"), record("a", ["1": 1]),
            ])
            #expect(outcomes == ["a": .invalidArguments, "b": .referenceViolation, "c": .referenceViolation])
            let strict = try world.client(World.alice) { $0.requiresReferenceTargets = true }.privateDatabase
            await fails(.referenceViolation) {
                try await strict.save(record("loose2", ["link": .reference(RecordReference("none"))]))
            }
        },
        Rule(200, 201, text: "owners take their holders with them") { world async throws in
            try await world.mine.put(
                record("root"), owned("a", by: "root"), owned("b", by: "a"), record("other"),
                owned("both", by: "other", "b"), owned("left", by: "other"))
            try await world.mine.deleteRecord(withID: .init("root"))
            #expect(await exist(world.mine, ["root", "a", "b", "both", "other", "left"]) == ["other", "left"])
        },
        Rule(202, text: "references in lists cascade") { world async throws in
            try await world.mine.put(record("t"), record("u"))
            let links: [FieldValue] = ["t", "u"].map { .reference(RecordReference($0, action: .deleteSelf)) }
            try await world.mine.put(record("h", ["list": .list(links)]))
            try await world.mine.deleteRecord(withID: .init("u"))
            #expect(await exist(world.mine, ["t", "u", "h"]) == ["t"])
        },
        Rule(203, text: "circles go as a whole") { world async throws in
            try await world.mine.put(
                owned("a", by: "c"), owned("b", by: "a"), owned("c", by: "b"), owned("self", by: "self"))
            try await world.mine.deleteRecord(withID: .init("b"))
            try await world.mine.deleteRecord(withID: .init("self"))
            #expect(await exist(world.mine, ["a", "b", "c", "self"]) == [])
        },
        Rule(204, text: "a failing batch deletes nothing") { world async throws in
            let zone = world.zone
            try await world.mine.put(record("t", in: zone), owned("h", by: "t", zone: zone))
            let outcomes = try world.mine.outcomes(
                saving: [owned("bad", by: "none", zone: zone)], deleting: [.init("t", zoneID: zone)], atomically: true)
            #expect(outcomes == ["bad": .referenceViolation, "t": .batchRequestFailed])
            #expect(await world.mine.has("t", in: zone))
            #expect(await world.mine.has("h", in: zone))
        },
        Rule(205, 206, text: "cascades are done when the delete is, whoever owns the records") { world async throws in
            try await world.everyones.put(record("t"))
            try await world.bob.publicDatabase.put(owned("h", by: "t"))
            try await world.everyones.deleteRecord(withID: .init("t"))
            #expect(!(await world.nobody.publicDatabase.has("h")))
        },
        Rule(207, 208, text: "what does not cascade") { world async throws in
            try await world.mine.put(record("t"), record("loose", ["to": .reference(RecordReference("t"))]))
            var holder = try await world.mine.put(owned("h", by: "t"))[0]
            holder["to0"] = .null
            try await world.mine.put(holder)
            #expect(await exist(world.mine, ["t", "h"]) == ["t", "h"])
            try await world.mine.deleteRecord(withID: .init("t"))
            #expect(await exist(world.mine, ["t", "h", "loose"]) == ["h", "loose"])
            #expect(try await world.mine.record(for: .init("loose"))["to"] == .reference(RecordReference("t")))
        },
        Rule(210, text: "a record has so many owners") { world async throws in
            let few = try world.client(World.alice) { $0.limits.ownersPerRecord = 3 }.privateDatabase
            try await few.put(record("t"), owned("a", by: "t"), owned("b", by: "t"), owned("c", by: "t"))
            await fails(.limitExceeded) { try await few.save(owned("d", by: "t")) }
            var again = try await few.record(for: .init("a"))
            again["x"] = 1
            try await few.put(again)
            again["to0"] = .null
            try await few.put(again, policy: .changedKeys)
            try await few.put(owned("d", by: "t"))
            #expect(Limits().ownersPerRecord == 750)
        },
        Rule(211, text: "parents exist and do not delete") { world async throws in
            var child = record("child", in: world.zone)
            await fails(.invalidArguments) {
                var other = child
                try other.setParent(RecordReference("p", action: .deleteSelf))
                return other
            }
            child.setParent(Record.ID("p", zoneID: world.zone))
            let sent = child
            await fails(.referenceViolation) { try await world.mine.save(sent) }
            try await world.mine.put(record("p", in: world.zone), child)
            #expect(try await world.mine.record(for: child.id).parent?.recordID.recordName == "p")
            child.setParent(Record.ID("p"))
            let foreign = child
            #expect(try world.mine.outcomes(saving: [foreign], policy: .changedKeys) == ["child": .invalidArguments])
            // A record that is gone, saved anew from what a client has: its parent is sent with all of it or not at
            // all.
            let stale = try await world.mine.record(for: child.id)
            let gone = [child.id, Record.ID("p", zoneID: world.zone)]
            _ = try await world.mine.modifyRecords(saving: [], deleting: gone)
            #expect(try world.mine.outcomes(saving: [stale], policy: .allKeys) == ["child": .referenceViolation])
            #expect(try await world.mine.put(stale, policy: .changedKeys)[0].parent == nil)
        },
        Rule(212, text: "parents go with their children or stay") { world async throws in
            let zone = world.zone
            let parent = Record.ID("p", zoneID: zone)
            var child = record("child", in: zone)
            child.setParent(parent)
            try await world.mine.put(record("p", in: zone), child)
            await fails(.referenceViolation) { try await world.mine.deleteRecord(withID: parent) }
            #expect(await world.mine.has("p", in: zone))
            _ = try await world.mine.modifyRecords(saving: [], deleting: [parent, child.id])
            #expect(!(await world.mine.has("p", in: zone)))
            // A child that is not saved after all keeps nobody.
            try await world.mine.put(record("p", in: zone))
            var orphan = record(
                "orphan", in: zone,
                ["to": .reference(.init(recordID: .init("none", zoneID: zone), action: .deleteSelf))])
            orphan.setParent(parent)
            #expect(
                try world.mine.outcomes(saving: [orphan], deleting: [parent])
                    == ["orphan": .referenceViolation, "p": nil])
            // A child that is owned goes with its parent; one taken out of the hierarchy is no child.
            var holder = owned("owned", by: "p", zone: zone)
            holder.setParent(parent)
            try await world.mine.put(record("p", in: zone), holder)
            var free = try await world.mine.put(child)[0]
            free.setParent(nil)
            #expect(try await world.mine.put(free)[0].parent == nil)
            try await world.mine.deleteRecord(withID: parent)
            #expect(!(await world.mine.has("owned", in: zone)))
            #expect(await world.mine.has("child", in: zone))
        },
        Rule(213, text: "a reference leaves its target alone") { world async throws in
            let target = try await world.mine.save(record("t"))
            try await world.mine.put(owned("h", by: "t"))
            #expect(try await world.mine.record(for: target.id).recordChangeTag == target.recordChangeTag)
        },
    ]

    @Test("References", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(World()) }
}
