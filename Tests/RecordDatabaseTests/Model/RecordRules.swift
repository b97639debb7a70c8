// Identifiers, records, fields.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct RecordRules {
    private static let illegalNames = ["", String(repeating: "x", count: 256), "naïve", "_x"]
    private static let illegalIdentifiers = [
        "", "1a", "_a", "a b", "a.b", "a-b", "ключ", String(repeating: "x", count: 256),
    ]

    static let rules: [Rule] = [
        Rule(26, 27, 35, text: "identifiers keep their parts") { _ async throws in
            let id = Record.ID("n")
            #expect(id.zoneID == .default && id.zoneID.zoneName == "_defaultZone")
            #expect(id.zoneID.ownerName == "__defaultOwner__")
            let zone = RecordZone.ID("z", ownerName: "o")
            let other = try Record.ID(recordName: "n", zoneID: zone)
            #expect(other.recordName == "n" && other.zoneID == zone)
        },
        Rule(28, 38, 39, text: "names are made up where none are given") { world async throws in
            let names = Set((0..<100).map { _ in Record.ID().recordName })
            #expect(names.count == 100 && names.allSatisfy { UUID(uuidString: $0) != nil })
            let first = try Record(recordType: "T")
            #expect(first.id != (try Record(recordType: "T")).id && first.id.zoneID == .default)
            #expect(first.allKeys() == [])
            let id = Record.ID("x", zoneID: world.zone)
            #expect(try Record(recordType: "T", recordID: id).id == id)
            let zoned = try Record(recordType: "T", zoneID: world.zone)
            #expect(zoned.id.zoneID == world.zone && UUID(uuidString: zoned.id.recordName) != nil)
        },
        Rule(29, text: "illegal record names") { world async throws in
            for name in illegalNames {
                await fails(.invalidArguments) { try Record.ID(recordName: name) }
                await fails(.invalidArguments) { try await world.mine.save(record(name)) }
            }
            #expect(try Record.ID(recordName: String(repeating: "x", count: 255)).recordName.count == 255)
        },
        Rule(33, 34, 36, text: "illegal zone names") { world async throws in
            for name in illegalNames {
                await fails(.invalidArguments) { try RecordZone.ID(zoneName: name) }
                await fails(.invalidArguments) { try RecordZone(zoneName: name) }
                await fails(.invalidArguments) { try await world.mine.save(RecordZone(id: .init(name))) }
            }
            await fails(.invalidArguments) { try RecordZone.ID(zoneName: "z", ownerName: "") }
            #expect(try RecordZone.ID(zoneName: RecordZone.ID.defaultZoneName) == .default)
        },
        Rule(30, text: "identifiers are equal part by part") { _ async throws in
            let ids = ["a", "b"].flatMap { name in
                ["y", "z"].flatMap { zone in
                    ["o", "p"].map { Record.ID(name, zoneID: .init(zone, ownerName: $0)) }
                }
            }
            #expect(Set(ids).count == 8)
            for (i, a) in ids.enumerated() {
                for (j, b) in ids.enumerated() {
                    #expect((a == b) == (i == j))
                    if a == b { #expect(a.hashValue == b.hashValue) }
                }
            }
        },
        Rule(32, text: "what is coded comes back equal") { world async throws in
            let id = Record.ID("r", zoneID: world.zone)
            #expect(try recoded(id) == id)
            #expect(try recoded(world.zone) == world.zone)
            let reference = RecordReference(recordID: id, action: .deleteSelf)
            #expect(try recoded(reference) == reference)
            let query = Query(
                "T", "a == \(5) AND b IN \(["x"])",
                sortedBy: [.descending("a"), .distance("p", Location(latitude: 1, longitude: 2))])
            #expect(try recoded(query) == query)
        },
        Rule(37, text: "the user's name and the placeholder own the same zone") { world async throws in
            let named = RecordZone.ID("Z", ownerName: World.alice)
            let saved = try await world.mine.save(
                record("r", in: named, ["to": .reference(RecordReference(recordID: .init("r", zoneID: named)))]))
            #expect(saved.id.zoneID == named)
            #expect(await world.mine.has("r", in: world.zone))
            #expect(try await world.mine.recordZone(for: named).capabilities == world.zoneCapabilities)
            let own = RecordZone.ID(RecordZone.ID.defaultZoneName, ownerName: World.alice)
            try await world.mine.put(record("d"))
            #expect(await world.mine.has("d", in: own))
            try await world.mine.deleteRecord(withID: saved.id)
            #expect(!(await world.mine.has("r", in: world.zone)))
        },
        Rule(40, 41, text: "illegal types") { world async throws in
            for name in illegalIdentifiers {
                await fails(.invalidArguments) { try Record(recordType: name) }
                await fails(.invalidArguments) { try await world.mine.save(record("r", type: name)) }
            }
            #expect(try Record(recordType: "City_2").type == "City_2")
        },
        Rule(42, text: "an identifier stays") { world async throws in
            let made = record("r")
            let saved = try await world.mine.save(made)
            #expect(saved.id == made.id)
            #expect(try await world.mine.record(for: made.id).id == made.id)
        },
        Rule(43, text: "a record that was never saved is unknown") { world async throws in
            await fails(.unknownItem) { try await world.mine.record(for: record("r").id) }
        },
        Rule(44, text: "nothing is checked before the save") { world async throws in
            try await world.mine.put(record("r", ["a": 1]))
            var wrong = record("s", type: "not a type")
            wrong["a"] = "text"
            wrong["1"] = .double(.nan)
            #expect(wrong.allKeys() == ["1", "a"])
        },
        Rule(45, 46, 47, 48, 49, text: "fields are read and written") { _ async throws in
            var made = record("r")
            #expect(made["a"] == FieldValue.null && made["a"] as Int? == nil)
            made["a"] = 1
            #expect(made["a"] == 1)
            made["a"] = "two"
            #expect(made["a"] as String? == "two" && made["a"] as Int? == nil)
            try made.setValue(3, forKey: "a")
            #expect(made["a"] == 3)
            made["a"] = .null
            #expect(made["a"] == FieldValue.null && made.allKeys() == [])
        },
        Rule(50, 159, text: "a field set to nil goes with any policy") { world async throws in
            for policy in SavePolicy.allCases {
                var saved = try await world.mine.put(record("r", ["a": 1, "b": 2]), policy: .allKeys)[0]
                saved["a"] = .null
                try await world.mine.put(saved, policy: policy)
                #expect(try await world.mine.record(for: saved.id).fields == ["b": 2])
            }
        },
        Rule(51, 52, text: "illegal field names") { world async throws in
            var made = record("r")
            for key in illegalIdentifiers + NameRules.reservedKeys.sorted() {
                await fails(.invalidArguments) { try made.setValue(1, forKey: key) }
                await fails(.invalidArguments) { try await world.mine.save(record("r", [key: 1])) }
            }
            #expect(
                NameRules.reservedKeys.isSuperset(of: [
                    "recordID", "recordType", "creationDate", "creatorUserRecordID", "modificationDate",
                    "lastModifiedUserRecordID", "recordChangeTag", "parent", "share", "encryptedValues",
                ]))
        },
        Rule(53, text: "names of fields have case") { world async throws in
            let saved = try await world.mine.save(record("r", ["Name": 1, "name": "x"]))
            #expect(saved["Name"] == 1 && saved["name"] == "x")
        },
        Rule(54, 64, text: "what is set is not saved") { world async throws in
            let saved = try await world.mine.save(record("r", ["a": 1]))
            var copy = saved
            copy["a"] = 2
            #expect(try await world.mine2.record(for: saved.id)["a"] == 1)
            #expect(saved["a"] == 1)
        },
        Rule(55, text: "fields may be left out") { world async throws in
            try await world.mine.put(record("r", Dictionary(uniqueKeysWithValues: (0..<10).map { ("f\($0)", 1) })))
            var saved = try await world.mine.save(record("s", ["f3": 7]))
            #expect(saved.allKeys() == ["f3"])
            saved["f9"] = 1
            #expect(try await world.mine.save(saved).allKeys() == ["f3", "f9"])
        },
        Rule(56, 57, text: "the keys that have values") { _ async throws in
            var made = record("r")
            #expect(made.allKeys() == [])
            made["b"] = 1
            made["a"] = 2
            made["c"] = .null
            made["Z"] = 3
            #expect(made.allKeys() == ["Z", "a", "b"])
            #expect(made.changedKeys() == ["Z", "a", "b", "c"])
        },
        Rule(58, 59, 60, text: "the keys that were set") { world async throws in
            let saved = try await world.mine.save(record("r", ["a": 1, "b": 2]))
            #expect(saved.changedKeys() == [])
            var fetched = try await world.mine.record(for: saved.id)
            #expect(fetched.changedKeys() == [])
            fetched["b"] = 2
            fetched["a"] = .null
            fetched["z"] = .null
            #expect(fetched.changedKeys() == ["a", "b", "z"])
            #expect(try await world.mine.save(fetched).changedKeys() == [])
            let sent = fetched
            await fails(.serverRecordChanged) { try await world.mine.save(sent) }
            #expect(fetched.changedKeys() == ["a", "b", "z"])
        },
        Rule(61, 62, 63, text: "tokens are split at white space") { _ async throws in
            let texts = record("r", ["a": "big red", "b": "fox", "c": "Big, big\t big\n"])
            #expect(texts.allTokens() == ["big", "red", "fox", "Big,", "big", "big"])
            let others = record(
                "r", ["n": 5, "d": .date(.now), "l": ["a", "b"], "w": " \n ", "x": .data(Data("a b".utf8))])
            #expect(others.allTokens() == [])
        },
    ]

    @Test("Identifiers and fields", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(World()) }
}
