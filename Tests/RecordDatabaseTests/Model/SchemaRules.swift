// Values, the schema that grows and the one that does not, metadata, coded system fields.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SchemaRules {
    private static let values: [String: FieldValue] = [
        "text": "naïve 👩‍🚀\u{0}\n", "empty": "", "whole": .int64(.min), "most": .int64(.max), "number": .double(-1e300),
        "tiny": .double(.leastNonzeroMagnitude), "date": .date(Date(timeIntervalSince1970: 1_700_000_000.123)),
        "data": .data(Data([0, 255, 10])), "place": .location(Location(latitude: -90, longitude: 180)),
        "link": .reference(RecordReference("t")), "list": ["b", "a", "b"], "numbers": [1, 2, 2],
        "links": .list([.reference(RecordReference("t")), .reference(RecordReference("u"))]),
    ]

    static let rules: [Rule] = [
        Rule(65, 67, 70, 71, text: "values come back as they were") { world async throws in
            let saved = try await world.mine.save(record("r", values))
            #expect(saved.fields == values)
            #expect(try await world.mine2.record(for: saved.id).fields == values)
            // What stands in the store, not what the save returned.
            var next = saved
            next["text"] = "other"
            _ = try await world.mine.save(next)
            let fetched = try await world.mine2.record(for: saved.id)
            #expect(fetched.fields == values.merging(["text": "other"]) { $1 })
        },
        Rule(66, 68, 72, 73, 74, text: "values that cannot be stored") { world async throws in
            let strict = try world.client(World.alice) { $0.dialect = .cloudKit }.privateDatabase
            let wrong: [String: FieldValue] = [
                "nan": .double(.nan), "infinite": .double(.infinity), "mixed": ["a", 1],
                "nested": [["a"]], "empty": [], "object": .object(["a": 1]), "set": .set([1]), "gaps": ["a", nil],
                "nanInList": [.double(.nan)], "notADate": .date(Date(timeIntervalSinceReferenceDate: .nan)),
            ]
            for (key, value) in wrong {
                for database in key == "object" ? [strict] : [strict, world.mine] {
                    let error = await fails(.invalidArguments) { try await database.save(record("r", [key: value])) }
                    #expect(error?.reason.contains(key) == true)
                }
            }
            #expect(world.alice.schema.recordTypes["T"] == nil)
        },
        Rule(69, text: "truth values are numbers") { world async throws in
            let saved = try await world.mine.save(record("r", ["a": true, "b": [false, true]]))
            #expect(saved["a"] == .int64(1) && saved["b"] == .list([0, 1]))
            #expect(saved["a"] as Bool? == true)
        },
        Rule(75, text: "a known list may be empty") { world async throws in
            try await world.mine.put(record("r", ["l": ["a"]]))
            #expect(try await world.mine.save(record("s", ["l": []]))["l"] == FieldValue.list([]))
        },
        Rule(76, 77, 79, text: "the first save fixes the kind, in all databases") { world async throws in
            try await world.everyones.put(record("r", ["f": "text", "l": [1]]))
            #expect(world.alice.schema.recordTypes["T"]?.fields["f"]?.type == .string)
            #expect(world.alice.schema.recordTypes["T"]?.fields["l"]?.type == .list(.int64))
            let wrong: [(String, FieldValue)] = [("f", 5), ("f", ["a"]), ("l", 5), ("l", ["a"])]
            for (key, value) in wrong {
                for database in [world.everyones, world.mine, world.bob.privateDatabase] {
                    let error = await fails(.invalidArguments) { try await database.save(record("s", [key: value])) }
                    #expect(
                        error?.reason.contains(key) == true
                            && error?.reason.contains("STRING") == (key == "f" || value == ["a"]))
                }
            }
            try await world.mine.put(record("other", ["f": 5], type: "U"))
        },
        Rule(78, text: "nil teaches nothing") { world async throws in
            var made = record("r", ["a": 1])
            made["b"] = .null
            _ = try await world.mine.save(made)
            #expect(world.alice.schema.recordTypes["T"]?.fields.keys.sorted() == ["a"])
        },
        Rule(80, text: "numbers of the other kind") { world async throws in
            try await world.mine.put(record("r", ["whole": 1, "number": .double(1.5), "list": [1]]))
            let saved = try await world.mine.save(
                record("s", ["whole": .double(3), "number": 2, "list": [.double(2)]]))
            #expect(saved["whole"] == .int64(3) && saved["number"] == .double(2) && saved["list"] == .list([2]))
            await fails(.invalidArguments) { try await world.mine.save(record("t", ["whole": .double(1.5)])) }
            await fails(.invalidArguments) { try await world.mine.save(record("t", ["whole": .double(1e300)])) }
        },
        Rule(81, 82, text: "production learns nothing") { world async throws in
            try await world.mine.put(record("r", ["a": 1]))
            let production = try world.client(World.alice) { $0.environment = .production }.privateDatabase
            try await production.put(record("s", ["a": 2]))
            await fails(.invalidArguments) { try await production.save(record("t", ["a": 2], type: "New")) }
            await fails(.invalidArguments) { try await production.save(record("t", ["a": 2, "b": 1])) }
            #expect(world.alice.schema.recordTypes["New"] == nil)
            #expect(world.alice.schema.recordTypes["T"]?.fields.count == 1)
        },
        Rule(83, text: "a save that fails teaches nothing") { world async throws in
            let bad = record(
                "bad", in: world.zone,
                [
                    "new": 1,
                    "owner": .reference(RecordReference(recordID: .init("x", zoneID: world.zone), action: .deleteSelf)),
                ])
            await fails(.partialFailure) {
                try await world.mine.modifyRecords(
                    saving: [record("good", in: world.zone, ["f": "text"]), bad], deleting: [])
            }
            #expect(world.alice.schema.recordTypes["T"] == nil)
            // A field that only a failing item would have fixed is free for the others.
            let outcomes = try world.mine.outcomes(saving: [bad, record("good", in: world.zone, ["new": "text"])])
            #expect(outcomes == ["bad": .referenceViolation, "good": nil])
            #expect(world.alice.schema.recordTypes["T"]?.fields["new"]?.type == .string)
        },
        Rule(84, text: "development indexes all that can be") { world async throws in
            try await world.mine.put(record("r", values))
            let fields = try #require(world.alice.schema.recordTypes["T"]?.fields)
            #expect(fields["text"]?.indexes == [.queryable, .sortable, .searchable])
            #expect(fields["whole"]?.indexes == [.queryable, .sortable])
            #expect(fields["data"]?.indexes == [])
            #expect(fields["list"]?.indexes == [.queryable, .searchable])
            #expect(world.alice.schema.description.contains(" INT64 QUERYABLE SORTABLE,\n"))
        },
        Rule(86, text: "records have a size") { world async throws in
            let half = FieldValue.string(String(repeating: "x", count: 600_000))
            let saved = try await world.mine.save(record("r", ["a": half]))
            await fails(.limitExceeded) { try await world.mine.save(record("s", ["a": half, "b": half])) }
            var grown = saved
            grown["b"] = half
            let sent = grown
            await fails(.limitExceeded) { try await world.mine.save(sent) }
            grown["a"] = .null
            #expect(try await world.mine.save(grown).allKeys() == ["b"])
        },
        Rule(87, 88, 89, 90, text: "dates and users") { world async throws in
            let made = record("r", ["a": 1])
            #expect(made.creationDate == nil && made.modificationDate == nil && made.recordChangeTag == nil)
            #expect(made.creatorUserRecordID == nil && made.lastModifiedUserRecordID == nil)
            var schema = ContainerSchema(recordTypes: ["T": .init(fields: ["a": .init(.int64)])])
            schema.recordTypes["T"]?.grants[ContainerSchema.userRole] = [.create, .write]
            try world.alice.setSchema(schema)
            let first = try await world.everyones.save(made)
            #expect(first.creationDate == world.clock.now && first.modificationDate == world.clock.now)
            #expect(first.creatorUserRecordID == Record.ID(World.alice))
            #expect(first.lastModifiedUserRecordID == Record.ID(World.alice) && first.recordChangeTag != nil)
            world.clock.advance(10)
            var changed = try await world.bob.publicDatabase.record(for: made.id)
            changed["a"] = 2
            let second = try await world.bob.publicDatabase.save(changed)
            #expect(
                second.creationDate == first.creationDate && second.creatorUserRecordID == first.creatorUserRecordID)
            #expect(second.modificationDate == world.clock.now)
            #expect(second.lastModifiedUserRecordID == Record.ID(World.bob))
            world.clock.advance(-100)
            let third = try await world.bob.publicDatabase.save(second)
            #expect(third.modificationDate == second.modificationDate)
            #expect(try await world.everyones.record(for: made.id) == third)
            let page = try await world.everyones.recordPage(matching: Query("T", "a == 2"), in: .default)
            let found = try page.matchResults.map { try $0.1.get() }
            #expect(found.map(\.creatorUserRecordID) == [Record.ID(World.alice)])
            #expect(found.map(\.lastModifiedUserRecordID) == [Record.ID(World.bob)])
        },
        Rule(91, 92, 93, 163, text: "tags") { world async throws in
            var tags: [String?] = []
            var saved = try await world.mine.save(record("r", ["a": 1]))
            for _ in 0..<5 {
                tags.append(saved.recordChangeTag)
                #expect(try await world.mine.record(for: saved.id).recordChangeTag == saved.recordChangeTag)
                #expect(try await world.mine.record(for: saved.id) == saved)
                saved = try await world.mine.save(saved)
            }
            #expect(Set(tags).count == 5 && !tags.contains(nil))
        },
        Rule(94, text: "a record made again is new") { world async throws in
            let first = try await world.mine.save(record("r", ["a": 1]))
            try await world.mine.deleteRecord(withID: first.id)
            world.clock.advance()
            let second = try await world.mine.save(record("r", ["b": 1]))
            #expect(second.creationDate == world.clock.now && second.recordChangeTag != first.recordChangeTag)
            #expect(second.allKeys() == ["b"])
        },
        Rule(95, 96, 97, 98, 99, text: "system fields are coded") { world async throws in
            var saved = try await world.mine.save(record("r", ["a": 1, "b": 2]))
            var bare = try Record(systemFields: saved.encodedSystemFields)
            #expect(bare.type == saved.type && bare.id == saved.id && bare.recordChangeTag == saved.recordChangeTag)
            #expect(bare.creationDate == saved.creationDate && bare.modificationDate == saved.modificationDate)
            #expect(bare.creatorUserRecordID == saved.creatorUserRecordID)
            #expect(bare.lastModifiedUserRecordID == saved.lastModifiedUserRecordID)
            #expect(bare.allKeys() == [] && bare.changedKeys() == [])
            let stale = bare
            bare["b"] = 3
            #expect(try await world.mine.save(bare).fields == ["a": 1, "b": 3])
            await fails(.serverRecordChanged) { try await world.mine.save(stale) }
            saved["c"] = 4
            let whole = try recoded(saved)
            #expect(whole == saved && whole.changedKeys() == ["c"] && whole["c"] == 4)
        },
    ]

    @Test("Values, schema, metadata", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(World()) }
}
