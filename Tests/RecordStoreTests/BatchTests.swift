// What batches mean for the records of a store: each change builds on those before it, and order is that of insertion.

import RecordColumns
import RecordModel
import Testing

@testable import RecordStore

@Suite struct BatchTests {
    private static let zone = RecordZone.ID("z", ownerName: "me")

    private static func id(_ name: String, in zone: RecordZone.ID = .default) -> Record.ID {
        Record.ID(name, zoneID: zone)
    }

    private static func record(
        _ name: String, _ fields: [String: FieldValue] = [:], type: String = "T", in zone: RecordZone.ID = .default
    ) -> Record { Record(type: type, id: id(name, in: zone), fields: fields) }

    private static func batch(_ fill: (inout RecordBatch) -> Void) -> RecordBatch {
        var batch = RecordBatch()
        fill(&batch)
        return batch
    }

    /// A store of records r0, r1, … in one segment that is not small.
    private static func store(_ count: Int = 100, in zone: RecordZone.ID = .default) throws -> RecordStore {
        let store = RecordStore()
        try store.commit(
            batch { batch in
                for number in 0..<count {
                    batch.save(record("r\(number)", ["n": .int64(Int64(number)), "s": "old"], in: zone))
                }
            })
        return store
    }

    /// The names of all records in order of insertion, which all segments keep.
    private static func names(_ snapshot: Snapshot) -> [String] {
        for stored in snapshot.segments {
            let numbers = (0..<stored.segment.count).map { stored.sequences[$0] }
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        }
        return (0..<snapshot.count).map { snapshot.record(ofNumber: $0).recordName }
    }

    private static func fields(_ store: RecordStore, _ name: String) -> [String: FieldValue]? {
        store.snapshot.record(id(name))?.fields
    }

    /// A value that was given beside a record is changed like its own, in segments of one row and of several.
    @Test func aLaterChangeWinsOverAValueBesideTheRecord() throws {
        let store = RecordStore()
        for names in [["a"], ["b"], ["c", "d", "e"]] {
            try store.commit(
                Self.batch { batch in
                    for name in names {
                        batch.save(Self.record(name, ["n": 1]), beside: [("tag", 1), ("at", 5)])
                        batch.change(Self.id(name), ["tag": 2, "n": .null])
                        batch.change(Self.id(name), ["m": 3, "tag": .string("x")])
                        batch.change(Self.id(name), ["tag": 4])
                    }
                })
            for name in names { #expect(Self.fields(store, name) == ["tag": 4, "at": 5, "m": 3], "\(name)") }
        }
        #expect(Self.names(store.snapshot) == ["a", "b", "c", "d", "e"])
    }

    @Test func changesOfOneBatchBuildOnEachOther() throws {
        let store = try Self.store(3)
        try store.commit(
            Self.batch { batch in
                batch.change(Self.id("r0"), ["n": 9])
                batch.change(Self.id("r0"), ["n": 10])
                batch.change(Self.id("r0"), ["m": 11, "s": .null])
                batch.change(Self.id("r1"), ["n": 20])
                batch.save(Self.record("r1", ["only": true]))
                batch.delete(Self.id("r2"))
                batch.save(Self.record("r2", ["n": 30]))
                batch.save(Self.record("new", ["n": 40]))
                batch.delete(Self.id("new"))
                batch.delete(Self.id("none"))
            })
        #expect(Self.fields(store, "r0") == ["n": 10, "m": 11] && Self.fields(store, "r1") == ["only": true])
        #expect(Self.fields(store, "r2") == ["n": 30] && Self.fields(store, "new") == nil)
        // A record that is deleted and saved in one batch is updated: it keeps its place.
        try store.commit(Self.batch { $0.save(Self.record("new")) })
        #expect(Self.names(store.snapshot) == ["r0", "r1", "r2", "new"])
        try store.commit(Self.batch { $0.delete(Self.id("r1")) })
        try store.commit(Self.batch { $0.save(Self.record("r1")) })
        #expect(Self.names(store.snapshot) == ["r0", "r2", "new", "r1"])
    }

    /// Records of one commit are in order of insertion, whatever the order of the batch.
    @Test func changedRecordsKeepTheirOrder() throws {
        let expected = (0..<100).map { "r\($0)" }
        let order = [70, 5, 40, 99, 0, 41]
        for isWhole in [false, true] {
            let store = try Self.store()
            try store.commit(
                Self.batch { batch in
                    for number in order {
                        if isWhole {
                            batch.save(Self.record("r\(number)", ["n": -1, "s": "old"]))
                        } else {
                            batch.change(Self.id("r\(number)"), number % 2 == 0 ? ["n": -1] : ["m": 7])
                        }
                    }
                })
            #expect(Self.names(store.snapshot) == expected && store.snapshot.count == 100)
            for number in 0..<100 {
                var fields: [String: FieldValue] = ["n": .int64(Int64(number)), "s": "old"]
                if order.contains(number), isWhole || number % 2 == 0 { fields["n"] = -1 }
                if order.contains(number), !isWhole, number % 2 != 0 { fields["m"] = 7 }
                #expect(Self.fields(store, "r\(number)") == fields, "\(number)")
            }
            store.merge()
            #expect(Self.names(store.snapshot) == expected)
        }
    }

    /// Where a record was found helps only as long as it is there.
    @Test func changesAtOldPlacesBuildOnTheRecordAsItIs() throws {
        let store = try Self.store()
        let other = Self.record("r7", ["n": 1], in: Self.zone)
        try store.commit(Self.batch { $0.save(other) })
        let address = try #require(store.snapshot.locate(Self.id("r7"))).address
        let elsewhere = try #require(store.snapshot.locate(other.id)).address
        func change(_ values: [String: FieldValue], at address: RowAddress) throws {
            try store.commit(Self.batch { $0.change(Self.id("r7"), values, foundAt: address) })
        }
        try change(["n": -1], at: address)
        try change(["m": 2], at: address)
        #expect(Self.fields(store, "r7") == ["n": -1, "m": 2, "s": "old"] && store.snapshot.count == 101)
        let row = RowAddress(segment: address.segment, row: 100)
        for place in [elsewhere, row, RowAddress(segment: 99, row: 0), RowAddress(segment: address.segment, row: 8)] {
            try change(["m": .null], at: place)
            #expect(Self.fields(store, "r7") == ["n": -1, "s": "old"])
            try change(["m": 3], at: place)
            #expect(Self.fields(store, "r7") == ["n": -1, "m": 3, "s": "old"] && store.snapshot.count == 101)
        }
        #expect(store.snapshot.record(other.id)?.fields == ["n": 1] && Self.fields(store, "r8")?["n"] == 8)
        // Of a record that is gone nothing is changed.
        try store.commit(Self.batch { $0.delete(Self.id("r7")) })
        #expect(throws: CommitError.unknownRecord(Self.id("r7"))) { try change(["n": 1], at: address) }
    }

    /// New records, such whose place is known and such that are looked for, all in one batch.
    @Test func placesAreToldOrLookedFor() throws {
        let store = try Self.store()
        func address(_ name: String) throws -> RowAddress {
            try #require(store.snapshot.locate(Self.id(name))).address
        }
        let (known, wrong) = (try address("r7"), try address("r8"))
        try store.commit(
            Self.batch { batch in
                batch.insert(Self.record("a", ["n": -1]))
                batch.change(Self.id("r1"), ["n": -2])
                batch.change(Self.id("r7"), ["n": -3], foundAt: known)
                batch.delete(Self.id("none"))
                batch.change(Self.id("r20"), ["n": -4], foundAt: wrong)
                batch.insert(Self.record("b", ["n": -5]))
                batch.save(Self.record("r3", ["n": -6]))
                batch.change(Self.id("a"), ["m": 1])
                batch.delete(Self.id("r5"))
            })
        let expected: [String: [String: FieldValue]?] = [
            "a": ["n": -1, "m": 1], "b": ["n": -5], "r1": ["n": -2, "s": "old"], "r7": ["n": -3, "s": "old"],
            "r20": ["n": -4, "s": "old"], "r3": ["n": -6], "r5": nil, "none": nil, "r8": ["n": 8, "s": "old"],
            "r21": ["n": 21, "s": "old"],
        ]
        for (name, fields) in expected { #expect(Self.fields(store, name) == fields, "\(name)") }
        #expect(Self.names(store.snapshot) == (0..<100).filter { $0 != 5 }.map { "r\($0)" } + ["a", "b"])
    }

    /// Types and zones get their segments in the order of their names, and are merged in it.
    @Test func segmentsComeInTheOrderOfTheirKinds() throws {
        let zones = ["b", "a"].map { RecordZone.ID($0) }
        let store = RecordStore()
        try store.commit(
            Self.batch { batch in
                for number in 0..<3 {
                    for (type, zone) in [("U", 0), ("U", 1), ("T", 0), ("T", 1)] {
                        let fields: [String: FieldValue] = ["n": .int64(Int64(10 * zone + number))]
                        batch.save(Self.record("\(type)\(number)", fields, type: type, in: zones[zone]))
                    }
                }
            })
        func kind(_ stored: StoredSegment) -> String {
            "\(stored.segment.recordType) \(stored.segment.zoneID.zoneName) \(stored.segment.count)"
        }
        let kinds = ["T a 3", "T b 3", "U a 3", "U b 3"]
        #expect(store.snapshot.segments.map(kind) == kinds)
        for (type, zone) in [("U", 0), ("U", 1), ("T", 0), ("T", 1)] {
            let record = store.snapshot.record(Self.id("\(type)2", in: zones[zone]))
            #expect(record?.type == type && record?["n"] == .int64(Int64(10 * zone + 2)))
        }
        var written: [String] = []
        store.merge { written.append(kind($0)) }
        #expect(written == kinds)
    }

    /// What is one whole segment stays as it is, deleted rows go, and of a segment without a row nothing is left.
    @Test func mergingLeavesWhatIsWhole() throws {
        let store = try Self.store()
        let before = store.snapshot
        var written: [Int] = []
        store.merge { written.append($0.segment.count) }
        #expect(written == [100] && store.snapshot === before)
        try store.commit(Self.batch { $0.delete(Self.id("r3")) })
        #expect(store.snapshot.segments.map { $0.deleted?.count } == [1])
        store.merge { written.append($0.segment.count) }
        #expect(written == [100, 99] && store.snapshot.segments.count == 1)
        #expect(store.snapshot.segments.allSatisfy { $0.deleted == nil } && Self.fields(store, "r4")?["n"] == 4)
        try store.commit(Self.batch { batch in for number in 0..<100 { batch.delete(Self.id("r\(number)")) } })
        #expect(store.snapshot.segments.isEmpty && store.snapshot.count == 0)
    }

    /// A record that is written anew keeps the fields that it is to keep, its place, and may get another type.
    @Test func rewrittenRecordsKeepWhatTheyAreToKeep() throws {
        let store = try Self.store(3)
        try store.commit(Self.batch { $0.change(Self.id("r1"), ["a": 1, "b": "old", "c": true, "d": 5]) })
        try store.commit(
            Self.batch {
                $0.rewrite(
                    Self.record("r1", ["a": "text"], type: "U"), beside: [("b", 9)], keeping: ["b", "c", "none"])
            })
        let record = try #require(store.snapshot.record(Self.id("r1")))
        #expect(record.type == "U" && record.fields == ["a": "text", "b": 9, "c": true])
        #expect(Self.names(store.snapshot) == ["r0", "r1", "r2"])
        let unknown = Self.batch { $0.rewrite(Self.record("x"), beside: [], keeping: []) }
        #expect(throws: CommitError.unknownRecord(Self.id("x"))) { try store.commit(unknown) }
        let changed = Self.batch {
            $0.rewrite(Self.record("r1"), beside: [], keeping: [])
            $0.change(Self.id("r1"), ["a": 1])
        }
        #expect(throws: CommitError.unknownRecord(Self.id("r1"))) { try store.commit(changed) }
        #expect(store.snapshot.record(Self.id("r1")) == record)
    }

    /// A type whose records are all written anew has fields of other kinds; one that is not keeps its own.
    @Test func rewrittenTypesForgetTheirKinds() throws {
        let store = try Self.store(2)
        func anew(_ isRewritten: Bool) -> RecordBatch {
            Self.batch { batch in
                if isRewritten { batch.rewrite(type: "T") }
                for number in 0..<2 { batch.save(Self.record("r\(number)", ["n": .string("text \(number)")])) }
            }
        }
        #expect(throws: CommitError.self) { try store.commit(anew(false)) }
        try store.commit(anew(true))
        #expect(Self.fields(store, "r1") == ["n": "text 1"] && store.snapshot.schemas.count == 1)
        #expect(store.snapshot.schema(ofType: "T")?.fields == [FieldDefinition(name: "n", type: .string)])
        #expect(throws: CommitError.self) { try store.commit(Self.batch { $0.change(Self.id("r0"), ["n": 1]) }) }
    }

    /// Columns of new records come behind the records of their batch, and what is new later comes behind them.
    @Test func columnsComeBehindRecords() throws {
        let store = try Self.store(2)
        func rows(_ names: [String], _ values: [FieldValue], in zone: RecordZone.ID = .default) throws -> NewRows {
            let column = try Column.of("n", count: names.count) { values[$0] }
            return NewRows(recordType: "T", zoneID: zone, names: TextColumn(names), columns: [("n", column)])
        }
        let (first, second) = (try rows(["x", "y"], [1, .null]), try rows(["x"], [0.5], in: Self.zone))
        try store.commit(
            Self.batch {
                $0.append(first)
                $0.append(second)
                $0.save(Self.record("a", ["n": 7]))
                $0.delete(Self.id("r0"))
            })
        try store.commit(Self.batch { $0.save(Self.record("b")) })
        #expect(Self.names(store.snapshot) == ["r1", "a", "x", "y", "x", "b"] && store.image.nextSequence == 7)
        #expect(Self.fields(store, "x") == ["n": 1] && Self.fields(store, "y") == [:])
        #expect(store.snapshot.record(Self.id("x", in: Self.zone))?.fields == ["n": 0.5])
        #expect(store.snapshot.schema(ofType: "T")?.type(of: "n") == .number)
        let wrong = try rows(["w"], ["text"])
        #expect(throws: CommitError.self) {
            try store.commit(
                Self.batch {
                    $0.save(Self.record("c", ["new": 1]))
                    $0.append(wrong)
                })
        }
        #expect(store.snapshot.count == 6 && store.snapshot.schema(ofType: "T")?.type(of: "new") == nil)
        #expect(store.image.nextSequence == 7)
    }

    /// A zone goes before anything else is done, and what is saved in it is new.
    @Test func zonesGoFirst() throws {
        let store = try Self.store(2, in: Self.zone)
        try store.commit(Self.batch { $0.save(Self.record("r0", ["n": 5])) })
        let change = Self.batch {
            $0.change(Self.id("r0", in: Self.zone), ["n": 1])
            $0.deleteZone(Self.zone)
        }
        #expect(throws: CommitError.unknownRecord(Self.id("r0", in: Self.zone))) { try store.commit(change) }
        try store.commit(
            Self.batch {
                $0.save(Self.record("r1", ["n": 6], in: Self.zone))
                $0.deleteZone(Self.zone)
            })
        #expect(store.snapshot.count == 2 && Self.fields(store, "r0") == ["n": 5])
        #expect(store.snapshot.record(Self.id("r1", in: Self.zone))?.fields == ["n": 6])
        #expect(Self.names(store.snapshot) == ["r0", "r1"])
    }

    /// What is staged counts when it is published; what is not is forgotten, with all that it taught about fields.
    @Test func whatIsNotPublishedIsForgotten() throws {
        let store = try Self.store(1)
        func stage(_ batches: [RecordBatch], publishes: Bool) throws {
            let writer = store.beginWriting()
            defer { store.endWriting() }
            for batch in batches { try writer.stage(batch) { _ in true } }
            #expect(writer.snapshot.count == 1 + batches.count)
            if publishes { writer.publish() }
        }
        let staged = [
            Self.batch { $0.save(Self.record("a", ["t": "text", "n": 0.5])) },
            Self.batch { $0.save(Self.record("b", ["x": true], type: "U")) },
        ]
        let before = store.snapshot
        try stage(staged, publishes: false)
        #expect(store.snapshot === before && store.image.nextSequence == 1)
        // The fields take values of other kinds.
        let other = [
            Self.batch { $0.save(Self.record("a", ["t": 7])) },
            Self.batch {
                $0.change(Self.id("a"), ["n": 3])
                $0.save(Self.record("b", ["x": "text"], type: "U"))
            },
        ]
        try stage(other, publishes: true)
        #expect(Self.fields(store, "a") == ["t": 7, "n": 3] && Self.fields(store, "b") == ["x": "text"])
        let schema = store.snapshot.schema(ofType: "T")
        #expect(schema?.type(of: "n") == .int64 && schema?.type(of: "t") == .int64)
        #expect(Self.names(store.snapshot) == ["r0", "a", "b"] && store.image.nextSequence == 3)
    }

    /// A batch that is refused takes none of those with it that were staged before it.
    @Test func refusedBatchesLeaveWhatIsStaged() throws {
        let store = try Self.store(1)
        do {
            let writer = store.beginWriting()
            defer { store.endWriting() }
            try writer.stage(Self.batch { $0.save(Self.record("a", ["t": "text"])) }) { _ in true }
            #expect(throws: CommitError.self) {
                try writer.stage(Self.batch { $0.save(Self.record("b", ["t": 5, "u": 1])) }) { _ in true }
            }
            #expect(throws: CommitError.notConfirmed) {
                try writer.stage(Self.batch { $0.save(Self.record("b", ["u": 1])) }) { $0.count != 1 }
            }
            try writer.stage(Self.batch { $0.change(Self.id("a"), ["t": "more", "u": "text"]) }) { _ in true }
            writer.publish()
        }
        #expect(Self.fields(store, "a") == ["t": "more", "u": "text"] && Self.names(store.snapshot) == ["r0", "a"])
    }
}

extension SnapshotRow {
    fileprivate var address: RowAddress { RowAddress(segment: segment, row: row) }
}
