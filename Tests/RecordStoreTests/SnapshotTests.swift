// Snapshots that show a part of the records, or those of several stores; where names and references lead.

import Dispatch
import Indexing
import RecordColumns
import RecordModel
import Synchronization
import Testing

@testable import RecordStore

@Suite struct SnapshotTests {
    private static let zone = RecordZone.ID("z", ownerName: "me")

    private static func record(
        _ name: String, _ fields: [String: FieldValue] = [:], type: String = "T", in zone: RecordZone.ID = .default
    ) -> Record { Record(type: type, id: Record.ID(name, zoneID: zone), fields: fields) }

    private static func store(_ commits: [[Record]], deleting deleted: [Record.ID] = []) throws -> RecordStore {
        let store = RecordStore()
        for records in commits {
            var batch = RecordBatch()
            for record in records { batch.save(record) }
            try store.commit(batch)
        }
        var batch = RecordBatch()
        for id in deleted { batch.delete(id) }
        try store.commit(batch)
        return store
    }

    private static func names(_ snapshot: Snapshot) -> [String] {
        (0..<snapshot.count).map { snapshot.record(ofNumber: $0).recordName }
    }

    private static func numbered(_ count: Int, in zone: RecordZone.ID = .default) -> [Record] {
        (0..<count).map { record("r\($0)", ["n": .int64(Int64($0))], in: zone) }
    }

    /// Rows that were deleted before count once among those that are left out.
    @Test func someRecordsAreShownWithoutAllOthers() throws {
        let store = try Self.store(
            [Self.numbered(100), Self.numbered(90, in: Self.zone), [Self.record("u", type: "U")]],
            deleting: [5, 6, 99].map { Record.ID("r\($0)") } + [Record.ID("r1", zoneID: Self.zone)])
        let snapshot = store.snapshot
        #expect(snapshot.count == 187)
        let found = snapshot.find(["r7", "r98", "r5"].map { Record.ID($0) })
        #expect(found.map { $0 == nil } == [false, false, true])
        let addresses = found.compactMap(\.self)
        let some = snapshot.restricted(to: addresses)
        #expect(some.count == 2 && Self.names(some) == ["r7", "r98"])
        #expect(some.record(Record.ID("r7"))?["n"] == 7 && some.record(Record.ID("r8")) == nil)
        #expect(some.record(Record.ID("r5")) == nil && some.record(Record.ID("u")) == nil)
        let more = snapshot.restricted(to: addresses, and: [Self.zone])
        #expect(more.count == 91 && Self.names(more).prefix(3) == ["r7", "r98", "r0"])
        #expect(snapshot.restricted(to: []).count == 0 && snapshot.restricted(to: addresses + addresses).count == 2)
        // The snapshot itself stays as it is.
        #expect(snapshot.count == 187 && Self.names(snapshot).count == 187)
    }

    @Test func aZoneOrAllButATypeIsShown() throws {
        let store = try Self.store([
            Self.numbered(3), Self.numbered(2, in: Self.zone), [Self.record("u", type: "U", in: Self.zone)],
        ])
        let snapshot = store.snapshot
        let zone = snapshot.only(Self.zone)
        #expect(Self.names(zone) == ["r0", "r1", "u"] && zone.only(Self.zone) === zone)
        #expect(zone.record(Record.ID("r0")) == nil && snapshot.only(RecordZone.ID("none")).count == 0)
        let sealed = snapshot.sealed(withoutTypes: ["U", "V"])
        #expect(sealed.count == 5 && sealed.isSealed && sealed.schemas.map(\.recordType) == ["T"])
        #expect(sealed.record(Record.ID("u", zoneID: Self.zone)) == nil)
        // Small segments are worth an index where nothing will be merged.
        #expect(sealed.isIndexed(sealed.segments[0]) && !snapshot.isIndexed(snapshot.segments[0]))
        #expect(snapshot.keys == RecordKeys(id: "recordName", type: "recordType") && sealed.keys == snapshot.keys)
    }

    /// Many identifiers at once, of zones and types that mingle, some of them gone, unknown or named twice.
    @Test func identifiersAreFoundInTheirOrder() throws {
        let store = try Self.store(
            [Self.numbered(70), Self.numbered(20, in: Self.zone), [Self.record("r80", type: "U")]],
            deleting: [Record.ID("r3"), Record.ID("r4", zoneID: Self.zone)])
        let snapshot = store.snapshot
        func text(_ record: Record) -> String { "\(record.type) \(record.id.zoneID.zoneName) \(record.id.recordName)" }
        func name(_ ids: [Record.ID]) -> [String?] {
            snapshot.find(ids).map { address in address.map { text(snapshot.record(snapshot.row($0))) } }
        }
        let own = ["r0", "r3", "r69", "r80", "r70", "r0", ""].map { Record.ID($0) }
        let ownNames = [
            "T _defaultZone r0", nil, "T _defaultZone r69", "U _defaultZone r80", nil, "T _defaultZone r0", nil,
        ]
        #expect(name(own) == ownNames && name([]) == [])
        let other = ["r4", "r5", "r25"].map { Record.ID($0, zoneID: Self.zone) }
        #expect(name(other) == [nil, "T z r5", nil])
        let mixed = [other[1], own[0], other[0], own[3], Record.ID("r0", zoneID: RecordZone.ID("z"))]
        #expect(name(mixed) == ["T z r5", "T _defaultZone r0", nil, "U _defaultZone r80", nil])
        for id in own + other { #expect(name([id]) == [snapshot.record(id).map(text)]) }
    }

    /// The records of several stores follow one another; a field that is of two types may hold anything.
    @Test func storesAreJoinedOneAfterAnother() throws {
        let (x, y) = (RecordZone.ID("x", ownerName: "p"), RecordZone.ID("y", ownerName: "q"))
        let first = try Self.store(
            [
                ["a", "b", "c"].map { Self.record($0, ["n": 1, "same": "s"], in: x) },
                [Self.record("d", ["m": true], type: "U", in: x)],
            ], deleting: [Record.ID("b", zoneID: x)])
        // The first record of a later segment may be older than the last one of an earlier one.
        var change = RecordBatch()
        change.change(Record.ID("a", zoneID: x), ["n": 2])
        try first.commit(change)
        let second = try Self.store([
            [Self.record("a", ["n": "text", "same": "t", "more": 0.5], in: y)],
            [Self.record("e", ["n": "x"], in: y), Self.record("f", type: "V", in: y)],
        ])
        let joined = Snapshot(joining: [first.snapshot, Snapshot(joining: []), second.snapshot])
        #expect(joined.count == 6 && Self.names(joined) == ["a", "c", "d", "a", "e", "f"])
        #expect(joined.record(Record.ID("a", zoneID: x))?["n"] == 2)
        #expect(joined.record(Record.ID("a", zoneID: y))?["n"] == "text")
        #expect(joined.record(Record.ID("b", zoneID: x)) == nil && joined.record(Record.ID("a")) == nil)
        #expect(joined.schemas.map(\.recordType) == ["T", "U", "V"])
        let schema = try #require(joined.schema(ofType: "T"))
        #expect(["n", "same", "more"].map { schema.type(of: $0) } == [.any, .string, .double])
        #expect(schema.fields.count == 3)
        #expect(joined.version == first.snapshot.version + second.snapshot.version)
        let backwards = Snapshot(joining: [second.snapshot, first.snapshot])
        #expect(Self.names(backwards) == ["a", "e", "f", "a", "c", "d"])
        #expect(Snapshot(joining: []).count == 0)
    }

    /// Records of several stores have numbers of their own, which ascend in the order of the stores.
    @Test func numbersOfJoinedStoresDiffer() throws {
        let snapshots = try ["x", "y", "z"].map { name in
            try Self.store([Self.numbered(3, in: RecordZone.ID(name, ownerName: "p"))]).snapshot
        }
        let numbers = Snapshot(joining: snapshots).segments.flatMap { stored in
            (0..<stored.segment.count).map { stored.sequences[$0] }
        }
        #expect(numbers.count == 9)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(numbers)")
    }

    /// Records of files were never committed or merged.
    @Test func versionsOfFilesAreTheFirst() throws {
        let loader = RecordLoader()
        try loader.append(Self.record("a", ["n": 1]), origin: 1)
        let loaded = loader.finish()
        #expect(Snapshot(loaded).version == 0 && RecordStore(loaded).snapshot.version == 0)
    }

    /// What indexes know of a value: rows, that there are none, or nothing.
    @Test func indexesKnowOfTheirValues() throws {
        let loader = RecordLoader()
        let records: [[String: FieldValue]] = [
            ["s": "a", "tags": ["a", "b"], "n": 1], ["s": "b", "tags": ["a"], "n": 1], ["s": "a", "n": 2],
        ]
        for (line, fields) in records.enumerated() {
            try loader.append(Self.record("r\(line)", fields), origin: line + 1)
        }
        try loader.append(Self.record("u", ["s": "a"], type: "U"), origin: 9)
        let snapshot = Snapshot(loader.finish())
        func known(_ field: String, _ value: FieldValue, in segment: Int = 0) -> [UInt32]? {
            switch snapshot.valueIndexes(of: field, []).knowledge(of: EqualityKey(value, []), in: segment) {
            case .lacking: []
            case .rows(let run): run.withRows { unsafe Array($0) }
            case .unknown: nil
            }
        }
        // Nothing is built yet, and a field that no record of a type has needs nothing.
        for field in ["s", "tags", "n"] { #expect(known(field, "a") == nil, "\(field)") }
        #expect(known("tags", "a", in: 1) == [] && known("none", "a") == [])
        for stored in snapshot.segments {
            for column in stored.segment.columns.indices { _ = stored.indexes.ordered(column: column) }
        }
        #expect(known("s", "a") == [0, 2] && known("s", "b") == [1] && known("s", "c") == [] && known("s", 1) == nil)
        #expect(known("s", "a", in: 1) == [0] && known("s", "b", in: 1) == [] && known("n", 1.0) == [0, 1])
        // Of a list an index knows the elements, which are not the value.
        #expect(known("tags", "a") == nil && known("tags", ["a"]) == nil && known("tags", "b", in: 1) == [])
        #expect(known("n", true) == [0, 1] && known("n", 3) == [] && known("n", .null) == nil)
    }

    /// The index of texts whatever their case is not that of the texts as they are.
    @Test func indexesAreThoseOfTheirOptions() throws {
        let loader = RecordLoader()
        for (line, text) in ["anna", "ANNA", "bob"].enumerated() {
            try loader.append(Self.record("r\(line)", ["s": .string(text)]), origin: line + 1)
        }
        let snapshot = Snapshot(loader.finish())
        let stored = try #require(snapshot.segments.first)
        let column = try #require(stored.segment.schema.position(of: "s"))
        _ = stored.indexes.ordered(column: column)
        _ = stored.indexes.ordered(column: column, options: .caseInsensitive)
        func rows(_ indexes: ValueIndexes, _ key: EqualityKey) -> [UInt32]? {
            guard case .rows(let run) = indexes.knowledge(of: key, in: 0) else { return nil }
            return run.withRows { unsafe $0.sorted() }
        }
        for _ in 0..<2 {
            #expect(rows(snapshot.valueIndexes(of: "s", []), EqualityKey("ANNA", [])) == [1])
            let folded = snapshot.valueIndexes(of: "s", .caseInsensitive)
            #expect(rows(folded, EqualityKey("ANNA", .caseInsensitive)) == [0, 1])
        }
    }

    /// Where references lead is known column by column; one that leads nowhere is known to.
    @Test func referencesAreFollowedByColumn() throws {
        func link(_ name: String, _ zone: RecordZone.ID = .default) -> FieldValue {
            .reference(RecordReference(recordID: Record.ID(name, zoneID: zone)))
        }
        let store = try Self.store([
            Self.numbered(2), Self.numbered(2, in: Self.zone),
            [
                Self.record("a", ["one": link("r0"), "two": link("r1", Self.zone)], type: "L"),
                Self.record("b", ["one": link("none"), "two": link("r1")], type: "L"),
                Self.record("c", ["one": link("r1"), "two": link("r0", RecordZone.ID("no"))], type: "L"),
            ],
        ])
        let snapshot = store.snapshot
        let links = try #require(snapshot.segments.first { $0.segment.recordType == "L" })
        for (field, expected) in [
            ("one", [Record.ID("r0"), nil, Record.ID("r1")]),
            ("two", [Record.ID("r1", zoneID: Self.zone), Record.ID("r1"), nil]),
        ] as [(String, [Record.ID?])] {
            let column = try #require(links.segment.schema.position(of: field))
            guard case .reference(let references) = links.segment.columns[column].values else {
                Issue.record("\(field) is no column of references")
                continue
            }
            #expect(!snapshot.addresses.isKnown(column, of: links.indexes))
            for _ in 0..<2 {
                let leads = snapshot.addresses.leads(of: references, column, of: links.indexes, in: snapshot)
                let found = (0..<3).map { row in
                    leads.addresses[Int(references.codes[row])].map { snapshot.recordID(snapshot.row($0)) }
                }
                #expect(found == expected, "\(field)")
                #expect(leads.segments == Set(expected.compactMap(\.self).compactMap { snapshot.locate($0)?.segment }))
                #expect(snapshot.addresses.isKnown(column, of: links.indexes))
            }
        }
    }

    // MARK: Threads

    private struct Failure: Error {}

    @Test func bodiesAreDoneOnce() throws {
        let count = Atomic(0)
        let once = BackgroundThread.Once<Int, Failure> { () throws(Failure) in
            count.wrappingAdd(1, ordering: .relaxed)
            return 5
        }
        #expect(try once.outcome()?.get() == 5)
        #expect(once.outcome() == nil && count.load(ordering: .relaxed) == 1)
        let failing = BackgroundThread.Once<Int, Failure> { () throws(Failure) in throw Failure() }
        #expect(throws: Failure.self) { try failing.outcome()?.get() }
        #expect(failing.outcome() == nil)
    }

    /// What is waited for is done once, on a thread of its own where there can be one.
    @Test func whatIsWaitedForIsDoneOnce() {
        for number in 0..<20 {
            let count = Atomic(0)
            let outcome = BackgroundThread.waitAside { () -> Int in
                count.wrappingAdd(1, ordering: .relaxed)
                return number
            }
            #expect(outcome == number && count.load(ordering: .relaxed) == 1)
        }
    }

    /// Threads that are done take more work, one piece after another, and several at once.
    @Test func threadsDoTheirWork() {
        for number in 0..<20 { #expect(BackgroundThread.waitAside { number * 2 } == number * 2) }
        let count = Atomic(0)
        for _ in 0..<10 {
            let done = DispatchSemaphore(value: 0)
            for _ in 0..<4 {
                #expect(
                    BackgroundThread.run {
                        count.wrappingAdd(1, ordering: .relaxed)
                        done.signal()
                    })
            }
            for _ in 0..<4 { done.wait() }
        }
        #expect(count.load(ordering: .relaxed) == 40)
    }
}
