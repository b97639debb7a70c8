// Queries: what is asked, in which order, page by page.

import Foundation
import Testing

@testable import RecordDatabase

extension Database {
    /// The names of the records that match, all pages, in order.
    func names(
        _ predicate: RecordPredicate = "TRUEPREDICATE", sortedBy keys: [SortKey] = [], type: String = "T",
        in zones: QueryZones = .default, limit: Int = Query.maximumResults
    ) async throws -> [String] {
        try await ids(predicate, sortedBy: keys, type: type, in: zones, limit: limit).map(\.recordName)
    }

    /// The identifiers of the records that match, all pages, in order.
    func ids(
        _ predicate: RecordPredicate = "TRUEPREDICATE", sortedBy keys: [SortKey] = [], type: String = "T",
        in zones: QueryZones = .default, limit: Int = Query.maximumResults
    ) async throws -> [Record.ID] {
        var ids: [Record.ID] = []
        var page = try await recordPage(
            matching: Query(type, predicate, sortedBy: keys), in: zones, resultsLimit: limit)
        while true {
            ids += page.matchResults.map(\.0)
            guard let cursor = page.queryCursor else { return ids }
            page = try await recordPage(after: recoded(cursor), resultsLimit: limit)
        }
    }
}

@Suite struct QueryRules {
    private static let kyiv = Location(latitude: 50.45, longitude: 30.52)

    static let rules: [Rule] = [
        Rule(214, 215, text: "a query keeps what it is made of") { world async throws in
            var query = try Query(recordType: "T", predicate: "a == 1")
            #expect(query.recordType == "T" && query.predicate == ("a == 1" as RecordPredicate) && query.sortKeys == [])
            query.sortKeys = [.ascending("a")]
            #expect(query.sortKeys.count == 1)
            await fails(.invalidArguments) { try Query(recordType: "", predicate: "a == 1") }
            await fails(.invalidArguments) { try await world.mine.recordPage(matching: Query(""), in: .default) }
        },
        Rule(216, 217, 218, 220, text: "one type, one zone") { world async throws in
            try await world.mine.put(record("t"), record("u", type: "U"), record("z", in: world.zone))
            #expect(try await world.mine.names(in: .default) == ["t"])
            #expect(try await world.mine.names(in: .zone(world.zone)) == ["z"])
            #expect(try await world.mine.names(type: "U") == ["u"])
            #expect(try await world.mine.names(in: .all) == ["t", "z"])
            #expect(try await world.everyones.names(in: .all) == [])
            await fails(.zoneNotFound) { try await world.mine.names(in: .zone(RecordZone.ID("None"))) }
        },
        Rule(218, 230, text: "ties of records in different zones go by the names of the zones") { world async throws in
            let zones = ["M", "A", "Z"].map { RecordZone.ID($0) }
            for zone in zones { try await world.mine.save(RecordZone(id: zone)) }
            for zone in zones + [.default] {
                try await world.mine.put(record("r", in: zone, ["n": 1]), record("q", in: zone, ["n": 1]))
            }
            // Saved again in another order: neither insertion nor change decides.
            try await world.mine.deleteRecord(withID: Record.ID("r", zoneID: zones[1]))
            try await world.mine.put(record("r", in: zones[1], ["n": 1]))
            let expected = ["q", "r"].flatMap { name in ["A", "M", "Z", "_defaultZone"].map { "\($0) \(name)" } }
            for keys in [[SortKey.ascending("n")], [], [.descending("n")]] {
                for limit in [1, 3, 100] {
                    let found = try await world.mine.ids("n == 1", sortedBy: keys, in: .all, limit: limit)
                    #expect(found.map { "\($0.zoneID.zoneName) \($0.recordName)" } == expected, "\(keys) \(limit)")
                }
            }
        },
        Rule(229, 230, text: "orders tell apart the dates that predicates do") { world async throws in
            let dates = [2e-8, 1e-8, 3e-8].map { Date(timeIntervalSinceReferenceDate: $0) }
            for (name, date) in zip(["a", "b", "c"], dates) {
                try await world.mine.put(record(name, ["d": .date(date)]))
            }
            #expect(try await world.mine.names("d < \(dates[0])") == ["b"])
            for limit in [1, 10] {
                #expect(try await world.mine.names(sortedBy: [.ascending("d")], limit: limit) == ["b", "a", "c"])
                #expect(try await world.mine.names(sortedBy: [.descending("d")], limit: limit) == ["c", "a", "b"])
            }
        },
        Rule(20, 223, 224, text: "what cannot be queried") { world async throws in
            try await world.mine.put(record("r", ["a": 1]))
            await fails(.invalidArguments) { try await world.mine.names(type: "Users") }
            let strict = try world.client(World.alice) { $0.dialect = .cloudKit }.privateDatabase
            await fails(.unknownItem) { try await strict.names(type: "None") }
            await fails(.unknownItem) { try world.mine.find(Query("None"), in: .all) }
            await fails(.invalidArguments) { try await world.mine.names("b == 1") }
            await fails(.invalidArguments) { try await world.mine.names(sortedBy: [.ascending("b")]) }
            await fails(.invalidArguments) { try await world.mine.names("recordChangeTag == 'x'") }
        },
        Rule(219, 235, 236, 237, 238, text: "pages") { world async throws in
            let records = (100..<350).map { record("r\($0)", ["n": .int64(Int64($0 % 7))]) }
            _ = try await world.mine.modifyRecords(saving: records, deleting: [])
            let names = records.map(\.id.recordName)
            let first = try await world.mine.recordPage(matching: Query("T"), in: .default)
            #expect(first.matchResults.count == 100 && first.queryCursor != nil && Query.maximumResults == 0)
            #expect(try await world.mine.names() == names)
            #expect(try await world.mine.names(limit: 33) == names)
            for limit in [250, 251] {
                let page = try await world.mine.recordPage(matching: Query("T"), in: .default, resultsLimit: limit)
                #expect(page.matchResults.count == 250 && page.queryCursor == nil)
            }
            let small = try world.client(World.alice) { $0.limits.pageSize = 7 }.privateDatabase
            #expect(try await small.recordPage(matching: Query("T"), in: .default).matchResults.count == 7)
            let sorted = try await world.mine.names(sortedBy: [.descending("n")], limit: 41)
            let expected = records.sorted { a, b in
                let (x, y) = (a["n"] as Int? ?? 0, b["n"] as Int? ?? 0)
                return x == y ? a.id.recordName < b.id.recordName : x > y
            }
            #expect(sorted == expected.map(\.id.recordName))
        },
        Rule(221, text: "predicates outside the dialect fail when they are executed") { world async throws in
            try await world.mine.put(record("r", ["a": 1, "s": "text"]))
            let strict = try world.client(World.alice) { $0.dialect = .cloudKit }.privateDatabase
            for text in [
                "a == 1 OR a == 2", "s ENDSWITH 'x'", "s LIKE '*x'", "a + 1 == 2", "s CONTAINS 'x'", "s ==[c] 'x'",
            ] {
                let predicate = try RecordPredicate(format: text)
                await fails(.invalidArguments) { try await strict.names(predicate) }
                _ = try await world.mine.names(predicate)
            }
            await fails(.invalidArguments) { try await world.mine.names("a ==") }
        },
        Rule(222, text: "all and none") { world async throws in
            try await world.mine.put(record("a"), record("b"))
            #expect(try await world.mine.names("TRUEPREDICATE") == ["a", "b"])
            #expect(try await world.mine.names("FALSEPREDICATE") == [])
        },
        Rule(225, text: "metadata in predicates and orders") { world async throws in
            try await world.mine.put(record("a"))
            let middle = world.clock.now.addingTimeInterval(5)
            world.clock.advance(10)
            try await world.mine.put(record("b"))
            #expect(try await world.mine.names("creationDate < \(middle)") == ["a"])
            #expect(try await world.mine.names("modificationDate > \(middle)") == ["b"])
            #expect(try await world.mine.names("recordID == \(Record.ID("a"))") == ["a"])
            #expect(try await world.mine.names("recordID IN \([Record.ID("b"), Record.ID("x")])") == ["b"])
            #expect(try await world.mine.names("creatorUserRecordID == \(Record.ID(World.alice))") == ["a", "b"])
            #expect(
                try await world.mine.names("creatorUserRecordID == \(Record.ID("__defaultOwner__"))") == ["a", "b"])
            #expect(try await world.mine.names("lastModifiedUserRecordID == \(Record.ID(World.bob))") == [])
            #expect(try await world.mine.names(sortedBy: [.descending("creationDate")]) == ["b", "a"])
            #expect(try await world.mine.names(sortedBy: [.descending("recordID")]) == ["b", "a"])
        },
        Rule(226, text: "kinds must fit") { world async throws in
            try await world.mine.put(record("r", ["n": 1, "s": "x", "d": .date(.now), "l": ["a"]]))
            for text in ["n == 'x'", "s > 5", "d == 'x'", "n BEGINSWITH 'x'"] {
                let predicate = try RecordPredicate(format: text)
                let error = await fails(.invalidArguments) { try await world.mine.names(predicate) }
                let kinds = ["number", "text", "date"].filter { error?.reason.contains($0) == true }
                #expect(kinds.count == 2, "\(error?.reason ?? "")")
            }
        },
        Rule(227, text: "queries leave out what the user may not read") { world async throws in
            try await world.everyones.put(record("a"))
            try await world.bob.publicDatabase.put(record("b"))
            var schema = world.alice.schema
            schema.recordTypes["T"]?.grants = [ContainerSchema.creatorRole: [.read, .write]]
            try world.alice.setSchema(schema)
            #expect(try await world.everyones.names() == ["a"])
            #expect(try await world.bob.publicDatabase.names() == ["b"])
            #expect(try await world.nobody.publicDatabase.names() == [])
            // Who may read nothing of a type is still told that a zone is not there.
            for database in [world.everyones, world.nobody.publicDatabase] {
                await fails(.zoneNotFound) { try await database.names(in: .zone(.init("None"))) }
            }
        },
        Rule(185, 228, text: "a query sees what was saved before") { world async throws in
            for number in 0..<20 {
                try await world.mine.put(record("r\(number)", ["n": .int64(Int64(number))]))
                #expect(try await world.mine2.names("n == \(number)") == ["r\(number)"])
            }
            try await world.mine.deleteRecord(withID: Record.ID("r3"))
            #expect(try await world.mine2.names("n == 3") == [])
        },
        Rule(229, 230, 231, text: "orders") { world async throws in
            try await world.mine.put(
                record("d", ["n": 1, "s": "b"]), record("c", ["n": 1, "s": "a"]), record("b", ["n": 2]), record("a"))
            #expect(try await world.mine.names() == ["a", "b", "c", "d"])
            #expect(try await world.mine.names(sortedBy: [.ascending("n"), .ascending("s")]) == ["a", "c", "d", "b"])
            #expect(
                try await world.mine.names(sortedBy: [.descending("n"), .descending("s")]) == ["b", "d", "c", "a"])
            #expect(try await world.mine.names(sortedBy: [.descending("n")]) == ["b", "c", "d", "a"])
            #expect(try await world.mine.names(sortedBy: [.ascending("s")]) == ["a", "b", "c", "d"])
            // Also where a page ends with a record that has no value.
            #expect(try await world.mine.names(sortedBy: [.ascending("s")], limit: 1) == ["a", "b", "c", "d"])
            // By what references lead to, here records of another type.
            try await world.mine.put(record("u", ["x": 2], type: "U"), record("v", ["x": 1], type: "U"))
            for (name, target) in [("e", "u"), ("f", "v")] {
                try await world.mine.put(record(name, ["of": .reference(RecordReference(target))]))
            }
            for (key, names) in [(SortKey.ascending("of.x"), ["f", "e"]), (.descending("of.x"), ["e", "f"])] {
                #expect(try await world.mine.names("of != nil", sortedBy: [key]) == names)
            }
        },
        Rule(232, 233, 234, text: "orders of places, and none of bytes") { world async throws in
            let places: [(String, Double)] = [("far", 60), ("near", 50.5), ("here", 50.45)]
            for (name, latitude) in places {
                try await world.mine.put(
                    record(
                        name,
                        [
                            "p": .location(Location(latitude: latitude, longitude: 30.52)), "d": .data(Data([1])),
                            "l": ["a"], "r": .reference(RecordReference("x")),
                        ]))
            }
            try await world.mine.put(record("nowhere"))
            #expect(try await world.mine.names(sortedBy: [.distance("p", kyiv)]) == ["here", "near", "far", "nowhere"])
            #expect(
                try await world.mine.names(sortedBy: [.distance("p", kyiv)], limit: 1) == [
                    "here", "near", "far", "nowhere",
                ])
            await fails(.invalidArguments) {
                try await world.mine.names(sortedBy: [SortKey(.distance("p", from: kyiv), isAscending: false)])
            }
            for name in ["d", "l", "r", "p", "creatorUserRecordID"] {
                await fails(.invalidArguments) { try await world.mine.names(sortedBy: [.ascending(name)]) }
            }
            await fails(.invalidArguments) { try await world.mine.names(sortedBy: [.distance("d", kyiv)]) }
        },
        Rule(239, 242, 244, text: "a cursor goes on with its query and other settings") { world async throws in
            let records = (0..<9).map { record("r\($0)", ["n": .int64(Int64($0)), "s": "x"]) }
            _ = try await world.mine.modifyRecords(saving: records, deleting: [])
            let query = Query("T", "n > 1", sortedBy: [.descending("n")])
            let first = try await world.mine.recordPage(
                matching: query, in: .default, desiredKeys: ["s"], resultsLimit: 2)
            #expect(try first.matchResults.map { try $0.1.get().allKeys() } == [["s"], ["s"]])
            let cursor = try #require(first.queryCursor)
            let second = try await world.mine.recordPage(after: cursor, desiredKeys: [], resultsLimit: 3)
            #expect(second.matchResults.map(\.0.recordName) == ["r6", "r5", "r4"])
            #expect(try second.matchResults[0].1.get().allKeys() == [])
            let again = try await world.mine2.recordPage(matching: query, in: .default, resultsLimit: 2)
            #expect(again.matchResults.map(\.0.recordName) == ["r8", "r7"])
        },
        Rule(240, text: "changes between pages") { world async throws in
            let records = (0..<6).map { record("r\($0)", ["n": .int64(Int64($0))]) }
            _ = try await world.mine.modifyRecords(saving: records, deleting: [])
            let first = try await world.mine.recordPage(
                matching: Query("T", sortedBy: [.ascending("n")]), in: .default, resultsLimit: 2)
            try await world.mine.deleteRecord(withID: records[0].id)
            try await world.mine.put(record("new", ["n": 9]))
            let rest = try await world.mine.recordPage(after: try #require(first.queryCursor))
            #expect(rest.matchResults.map(\.0.recordName) == ["r2", "r3", "r4", "r5", "new"])
            // Whose own sort values change has another place: behind the cursor once more, or before it and not at all.
            try await world.mine.put(record("r1", ["n": 20]), record("r5", ["n": -1]), policy: .changedKeys)
            let moved = try await world.mine.recordPage(after: try #require(first.queryCursor))
            #expect(moved.matchResults.map(\.0.recordName) == ["r2", "r3", "r4", "new", "r1"])
        },
        Rule(241, text: "a cursor belongs to its database") { world async throws in
            for database in [world.mine, world.everyones] { try await database.put(record("a"), record("b")) }
            let page = try await world.mine.recordPage(matching: Query("T"), in: .default, resultsLimit: 1)
            let cursor = try #require(page.queryCursor)
            await fails(.invalidArguments) { try await world.everyones.recordPage(after: cursor) }
            await fails(.invalidArguments) { try await world.bob.privateDatabase.recordPage(after: cursor) }
            #expect(
                try await world.mine2.recordPage(after: cursor).matchResults.map(\.0.recordName) == ["b"])
        },
        Rule(209, 246, text: "references in predicates, missing zones") { world async throws in
            let target = Record.ID("t", zoneID: world.zone)
            let owner = RecordReference(recordID: target, action: .deleteSelf)
            try await world.mine.put(
                record("t", in: world.zone), record("a", in: world.zone, ["to": .reference(owner)]),
                record("b", in: world.zone, ["to": .reference(RecordReference(recordID: target))]),
                record("c", in: world.zone, ["list": [.reference(owner)]]))
            #expect(try await world.mine.names("to == \(owner)", in: .zone(world.zone)) == ["a", "b"])
            #expect(
                try await world.mine.names("to == \(RecordReference(recordID: target))", in: .zone(world.zone)) == [
                    "a", "b",
                ])
            #expect(try await world.mine.names("to == \(target)", in: .zone(world.zone)) == ["a", "b"])
            #expect(try await world.mine.names("list CONTAINS \(target)", in: .zone(world.zone)) == ["c"])
            let named = Record.ID("t", zoneID: .init("Z", ownerName: World.alice))
            #expect(try await world.mine.names("to IN \([named])", in: .zone(named.zoneID)) == ["a", "b"])
            await fails(.zoneNotFound) { try await world.mine.names(in: .zone(.init("None"))) }
            // Enough holders for an index.
            let holders = (0..<1200).map { number in
                record(
                    "h\(number)", in: world.zone,
                    ["to": .reference(RecordReference(recordID: .init("t\(number % 300)", zoneID: world.zone)))])
            }
            for start in stride(from: 0, to: 1200, by: 400) {
                _ = try await world.mine.modifyRecords(saving: Array(holders[start..<start + 400]), deleting: [])
            }
            let seven = try await world.mine.names(
                "to == \(Record.ID("t7", zoneID: world.zone))", in: .zone(world.zone))
            #expect(seven == ["h307", "h607", "h7", "h907"])
            #expect(try await world.mine.names("to == \(Record.ID("t7"))", in: .zone(world.zone)) == [])
        },
        Rule(85, text: "production queries only what is indexed") { world async throws in
            var type = ContainerSchema.RecordType(metadataIndexes: [:])
            let marks: [String: IndexMarks] = [
                "none": [], "queryable": .queryable, "sortable": .sortable, "searchable": .searchable,
            ]
            for (name, indexes) in marks { type.define(name, .init(.string, indexes: indexes)) }
            var schema = world.alice.schema
            schema.recordTypes["T"] = type
            try world.alice.setSchema(schema)
            let production = try world.client(World.alice) { $0.environment = .production }.privateDatabase
            try await production.put(record("r", ["none": "a", "queryable": "a", "sortable": "a", "searchable": "a"]))
            for field in marks.keys {
                let allowed = marks[field] ?? []
                let queries: [(IndexMarks, RecordPredicate, [SortKey])] = [
                    (.queryable, "\(key: field) == 'a'", []), (.sortable, "\(key: field) < 'b'", []),
                    (.sortable, "queryable == 'a'", [.ascending(field)]),
                ]
                for (needed, predicate, order) in queries {
                    if allowed.contains(needed) {
                        #expect(try await production.names(predicate, sortedBy: order) == ["r"])
                    } else {
                        let error = await fails(.invalidArguments) {
                            try await production.names(predicate, sortedBy: order)
                        }
                        #expect(error?.reason.contains("not marked") == true)
                    }
                    #expect(try await world.mine.names(predicate, sortedBy: order) == ["r"])
                }
            }
            await fails(.invalidArguments) { try await production.names() }
            await fails(.invalidArguments) { try await production.names("creationDate > \(Date.distantPast)") }
            #expect(try await production.names("self CONTAINS 'a'") == ["r"])
            schema.recordTypes["T"]?.metadataIndexes = ["recordID": .queryable]
            try world.alice.setSchema(schema)
            #expect(try await production.names() == ["r"])
            await fails(.invalidArguments) { try await production.names(sortedBy: [.ascending("recordID")]) }
        },
        Rule(308, text: "distances") { world async throws in
            for (name, latitude) in [("here", 50.45), ("near", 50.46), ("far", 51)] {
                try await world.mine.put(record(name, ["p": .location(Location(latitude: latitude, longitude: 30.52))]))
            }
            #expect(
                try await world.mine.names("distanceToLocation:fromLocation:(p, \(kyiv)) < 1200") == ["here", "near"])
            #expect(try await world.mine.names("distanceToLocation:fromLocation:(p, \(kyiv)) < 1000") == ["here"])
            let strict = try world.client(World.alice) { $0.dialect = .cloudKit }.privateDatabase
            await fails(.invalidArguments) {
                try await strict.names("distanceToLocation:fromLocation:(p, \(kyiv)) > 1000")
            }
        },
    ]

    @Test("Queries", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(World()) }
}
