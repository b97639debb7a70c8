// Values that are encrypted before they are stored.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct EncryptionRules {
    private static let values: [String: FieldValue] = [
        "text": "Tagebuch, ein Geheimnis", "count": 42, "rate": .double(0.5),
        "day": .date(Date(timeIntervalSince1970: 7)),
        "bytes": .data(Data([1, 2, 0, 255])), "place": .location(Location(latitude: 50.45, longitude: 30.52)),
        "words": ["a", "b"], "empty": "",
    ]

    /// A record with encrypted values.
    private static func note(_ name: String, in zone: RecordZone.ID = .default, _ text: FieldValue) -> Record {
        var note = record(name, in: zone, ["title": "a"], type: "Note")
        note.encryptedValues["text"] = text
        return note
    }

    static let rules: [Rule] = [
        Rule(400, 401, text: "encrypted values are read as they were saved, and are no fields") { world async throws in
            var sent = record("n", in: world.zone, ["title": "a"], type: "Note")
            for (key, value) in values { sent.encryptedValues[key] = value }
            #expect(sent.encryptedValues.changedKeys() == values.keys.sorted() && sent.changedKeys() == ["title"])
            let saved = try await world.mine.save(sent)
            let query = Query("Note", "title == 'a'")
            for found in [
                saved, try await world.mine2.record(for: sent.id),
                try await world.mine.recordPage(matching: query, in: .zone(world.zone)).matchResults[0].1.get(),
                try await world.mine.recordZoneChanges(inZoneWith: world.zone, since: nil).modifications[0].1.get(),
                try world.mine.snapshot().record(for: sent.id),
            ] {
                #expect(found.encryptedValues.fields == values && found.encryptedValues.changedKeys().isEmpty)
                #expect(found.fields == ["title": "a"] && found.allKeys() == ["title"])
                #expect(found["text"] == FieldValue.null && found.encryptedValues.allKeys() == values.keys.sorted())
                #expect(try recoded(found) == found)
            }
        },
        Rule(402, text: "what is stored says nothing about encrypted values") { world async throws in
            try await world.mine.put(note("n", in: world.zone, "Tagebuch"), note("m", in: world.zone, "Tagebuch"))
            let contents = world.alice.client.store.contents.joined(separator: "\n")
            #expect(!contents.contains("Tagebuch") && contents.contains("text="))
            let rows = try stored(world, [Record.ID("n", zoneID: world.zone), Record.ID("m", zoneID: world.zone)])
            #expect(rows.count == 2 && rows[0] != rows[1])
        },
        Rule(403, text: "the first save makes a field an encrypted one without indexes") { world async throws in
            try await world.mine.save(note("n", "x"))
            let type = try #require(world.alice.schema.recordTypes["Note"])
            #expect(type.fields["text"] == ContainerSchema.Field(.string, indexes: [], traits: .encrypted))
            #expect(world.alice.schema.description.contains("ENCRYPTED STRING"))
            let client = try world.client(World.alice) { $0.environment = .production }
            var other = record("o", type: "Note")
            other.encryptedValues["more"] = 1
            await fails(.invalidArguments) { try await client.privateDatabase.save(other) }
            try await client.privateDatabase.save(note("p", "y"))
        },
        Rule(404, 405, text: "a field is encrypted or not, and stays so") { world async throws in
            try await world.mine.save(note("n", "x"))
            let plain = record("p", ["text": "x"], type: "Note")
            let error = await fails(.invalidArguments) { try await world.mine.save(plain) }
            #expect(error?.hint == "set it in encryptedValues")
            let secrets: [(name: String, key: String, value: FieldValue, plain: FieldValue)] = [
                ("q", "title", "x", .null), ("b", "other", "x", "y"), ("i", "text", 5, .null),
            ]
            for (name, key, value, plain) in secrets {
                var made = record(name, plain.isNull ? [:] : [key: plain], type: "Note")
                made.encryptedValues[key] = value
                let sent = made
                await fails(.invalidArguments) { try await world.mine.save(sent) }
            }
            var schema = world.alice.schema
            schema.recordTypes["Note"]?.define("text", ContainerSchema.Field(.string))
            let changed = schema
            #expect(throws: DatabaseError.self) { try world.alice.setSchema(changed) }
        },
        Rule(406, text: "references, assets and reserved names cannot be encrypted") { world async throws in
            for (key, value) in [
                ("r", FieldValue.reference(RecordReference(recordID: Record.ID("x")))),
                ("a", .asset(Asset(path: "/x"))),
                ("l", .list([.reference(RecordReference(recordID: Record.ID("x")))])), ("parent", "x"), ("1", "x"),
            ] {
                var sent = record("n", type: "Note")
                sent.encryptedValues[key] = value
                await fails(.invalidArguments) { try await world.mine.save(sent) }
            }
        },
        Rule(407, text: "the public database takes no encrypted values") { world async throws in
            await fails(.invalidArguments) { try await world.everyones.save(note("n", "x")) }
            #expect(!(await world.everyones.has("n")))
        },
        Rule(408, 409, text: "encrypted fields are in no predicate, order, subscription and notification") {
            world async throws in
            try await world.mine.save(note("n", in: world.zone, "x"))
            for query in [
                Query("Note", "text == 'x'"), Query("Note", "title == 'a' AND NOT text CONTAINS 'x'"),
                Query("Note", "TRUEPREDICATE", sortedBy: [.ascending("text")]),
            ] { await fails(.invalidArguments) { try await world.mine.recordPage(matching: query, in: .all) } }
            let found = try await world.mine.recordPage(
                matching: Query("Note", "self CONTAINS 'x'"), in: .all
            ).matchResults
            #expect(found.isEmpty)
            await fails(.invalidArguments) {
                try await world.mine.save(Subscription(recordType: "Note", predicate: "text == 'x'", id: "s"))
            }
            var info = Subscription.NotificationInfo()
            info.desiredKeys = ["text"]
            let wanted = try Subscription(
                recordType: "Note", predicate: "TRUEPREDICATE", id: "s", notificationInfo: info)
            await fails(.invalidArguments) { try await world.mine.save(wanted) }
            #expect(throws: (any Error).self) {
                try world.mine.snapshot().records(ofType: "Note").count(matching: "text == 'x'")
            }
        },
        Rule(410, text: "encrypted values are saved by policy, taken away, and part of conflicts") {
            world async throws in
            let first = try await world.mine.save(note("n", "one"))
            var (mine, others) = (first, first)
            others.encryptedValues["text"] = "two"
            others = try await world.mine2.save(others)
            mine.encryptedValues["text"] = "three"
            let conflict = await fails(.serverRecordChanged) { try await world.mine.save(mine) }
            #expect(conflict?.serverRecord?.encryptedValues["text"] == FieldValue("two"))
            #expect(conflict?.clientRecord?.encryptedValues["text"] == FieldValue("three"))
            #expect(conflict?.ancestorRecord?.encryptedValues["text"] == FieldValue("one"))
            for (policy, value) in [(SavePolicy.changedKeys, "three"), (.allKeys, "four")] {
                mine.encryptedValues["text"] = FieldValue.string(value)
                mine = try #require(try await world.mine.put(mine, policy: policy).first)
                #expect(mine.encryptedValues["text"] == FieldValue.string(value))
            }
            // What was not set stays, whatever else is saved.
            var bare = try Record(systemFields: mine.encodedSystemFields)
            bare["title"] = "b"
            #expect(try await world.mine.save(bare).encryptedValues["text"] == FieldValue("four"))
            mine = try await world.mine.record(for: first.id)
            mine.encryptedValues["text"] = FieldValue.null
            #expect(try await world.mine.save(mine).encryptedValues.isEmpty)
            #expect(try await world.mine.record(for: first.id).encryptedValues.isEmpty)
        },
        Rule(411, text: "another key, or none, fails each record, and saves") { world async throws in
            try await world.mine.put(note("n", in: world.zone, "x"), record("plain", in: world.zone))
            let id = Record.ID("n", zoneID: world.zone)
            for keys in [GivenKeys(EncryptionKey()), GivenKeys(nil)] {
                let other = try world.client(World.alice) { $0.encryptionKeys = keys }.privateDatabase
                await fails(.permissionFailure) { try await other.record(for: id) }
                let changes = try await other.recordZoneChanges(inZoneWith: world.zone, since: nil).modifications
                #expect(changes.map { $0.1.failure?.code } == [.permissionFailure, nil])
                let page = try await other.recordPage(matching: Query("Note", "TRUEPREDICATE"), in: .all).matchResults
                #expect(page.map { $0.1.failure?.code } == [.permissionFailure])
                #expect(try await other.records(for: [id], desiredKeys: ["title"])[id]?.get()["title"] == "a")
            }
            let lost = try world.client(World.alice) { $0.encryptionKeys = GivenKeys(nil) }.privateDatabase
            await fails(.permissionFailure) { try await lost.save(note("m", "x")) }
            #expect(!(await world.mine.has("m")))
        },
        Rule(412, text: "values that were changed or moved are errors") { world async throws in
            try await world.mine.put(note("n", in: world.zone, "one"), note("m", in: world.zone, "two"))
            let ids = ["n", "m"].map { Record.ID($0, zoneID: world.zone) }
            let bytes = try stored(world, ids)
            for position in stride(from: 0, to: bytes[0].count, by: 5) {
                var changed = bytes[0]
                changed[changed.startIndex + position] ^= 1
                try store(changed, world, ids[0])
                await #expect(throws: DatabaseError.self) { try await world.mine.record(for: ids[0]) }
            }
            for bad in [Data(), bytes[0].prefix(20), bytes[0] + [0], bytes[1]] {
                try store(Data(bad), world, ids[0])
                await fails(.internalError) { try await world.mine.record(for: ids[0]) }
            }
            try store(bytes[0], world, ids[0])
            #expect(try await world.mine.record(for: ids[0]).encryptedValues["text"] == FieldValue("one"))
        },
        Rule(413, 414, text: "resetting the key takes zones away until they are made again") { world async throws in
            let other = RecordZone.ID("Plain")
            try await world.mine.save(RecordZone(id: other))
            try await world.mine.put(
                note("n", in: world.zone, "x"), note("d", "y"), record("p", in: other), record("q", in: world.zone))
            let token = try await world.mine.databaseChanges(since: nil).changeToken
            try await world.alice.resetEncryptedData()
            let changes = try await world.mine2.databaseChanges(since: token)
            #expect(changes.deletions == [world.zone] && changes.encryptedDataResets == [world.zone])
            #expect(changes.purges.isEmpty && changes.modifications.isEmpty)
            let error = await fails(.zoneNotFound) { try await world.mine.save(note("n", in: world.zone, "x")) }
            #expect(error?.isEncryptedDataReset == true)
            let rest = try await world.mine.record(for: Record.ID("d"))
            #expect(rest.encryptedValues.isEmpty && rest["title"] == "a")
            #expect(await world.mine.has("p", in: other))
            try await world.mine.deleteRecordZone(withID: world.zone)
            #expect(
                await fails(.zoneNotFound) { try await world.mine.recordZone(for: world.zone) }?.isEncryptedDataReset
                    == false)
            try await world.mine.save(RecordZone(id: world.zone))
            try await world.mine.save(note("n", in: world.zone, "z"))
            #expect(
                try await world.mine2.record(for: Record.ID("n", zoneID: world.zone)).encryptedValues["text"]
                    == FieldValue("z"))
        },
        Rule(415, text: "encrypted values count against limits") { world async throws in
            let client = try world.client(World.alice) { $0.limits.bytesPerRecord = 200 }.privateDatabase
            try await client.save(note("n", .string(String(repeating: "x", count: 100))))
            await fails(.limitExceeded) {
                try await client.save(note("m", .string(String(repeating: "x", count: 250))))
            }
        },
        Rule(416, text: "live queries show encrypted values") { world async throws in
            try await world.mine.save(note("n", "one"))
            let reading = world.mine.watch(Query("Note", "TRUEPREDICATE"), in: .all)
            guard case .initial(let found)? = try reading.takeSteps().first else {
                Issue.record("no result")
                return
            }
            #expect(found.map { $0.encryptedValues["text"] } == [FieldValue("one")])
            var changed = found[0]
            changed.encryptedValues["text"] = "two"
            try await world.mine2.save(changed)
            guard case .updated(let record, at: 0)? = try reading.takeSteps().first else {
                Issue.record("no change")
                return
            }
            #expect(record.encryptedValues["text"] == FieldValue("two") && record["text"] == FieldValue.null)
        },
        Rule(417, text: "migrations keep encrypted fields, or drop them") { world async throws in
            try await world.mine.save(note("n", "one"))
            await fails(.invalidArguments) {
                try await world.alice.migrate([SchemaMigration("1") { $0.renameField("text", of: "Note", to: "words") }]
                )
            }
            try await world.alice.migrate([SchemaMigration("2") { $0.renameField("title", of: "Note", to: "name") }])
            let kept = try await world.mine.record(for: Record.ID("n"))
            #expect(kept["name"] == "a" && kept.encryptedValues["text"] == FieldValue("one"))
            try await world.alice.migrate([SchemaMigration("3") { $0.dropField("text", of: "Note") }])
            #expect(try await world.mine.record(for: Record.ID("n")).encryptedValues.isEmpty)
        },
        Rule(418, text: "a repeated batch with encrypted values is applied once") { world async throws in
            let token = Data("1".utf8)
            for _ in 0..<2 {
                let results = try await world.mine.modifyRecords(
                    saving: [note("n", in: world.zone, "one")], deleting: [], clientChangeTokenData: token
                ).saveResults
                let saved = try #require(results.values.first).get()
                #expect(saved.encryptedValues["text"] == FieldValue("one"))
            }
            await fails(.partialFailure) {
                try await world.mine.modifyRecords(
                    saving: [note("n", in: world.zone, "two")], deleting: [], clientChangeTokenData: token)
            }
        },
    ]

    @Test(arguments: rules) func show(_ rule: Rule) async throws { try await rule.show(World()) }

    /// A key that never changes, or none.
    private final class GivenKeys: EncryptionKeyProvider {
        private let key: EncryptionKey?
        init(_ key: EncryptionKey?) { self.key = key }
        func key(ofContainer identifier: String) -> EncryptionKey? { key }
        func setKey(_ key: EncryptionKey, ofContainer identifier: String) throws(DatabaseError) {
            throw DatabaseError(.permissionFailure, "the key stays")
        }
    }

    /// What is stored in the field `text` of records.
    private static func stored(_ world: World, _ ids: [Record.ID]) throws -> [Data] {
        let snapshot = try world.alice.client.stored(.private).records.snapshot
        return try ids.map { id in
            let found = try #require(snapshot.find(id))
            guard case .data(let bytes) = RowVersion(found.segment, found.row).value(of: "text") else {
                throw DatabaseError(.internalError, "no bytes")
            }
            return bytes
        }
    }

    /// Writes bytes into the field `text` past the checks of a save.
    private static func store(_ bytes: Data, _ world: World, _ id: Record.ID) throws {
        let store = world.alice.client.store
        let database = try world.alice.client.stored(.private)
        try store.writing(to: [database]) { group throws(DatabaseError) in
            let state = try group.state(of: database)
            var commit = Commit(
                origin: database.origin, client: 1, userName: World.alice, date: state.lastDate)
            commit.saves = [
                Commit.Save(
                    id: id, type: "Note", fields: ["text": .data(bytes)], isNew: false, change: state.lastChange + 1,
                    parent: nil)
            ]
            try group.add(commit, to: database)
            try group.commit()
        }
    }
}
