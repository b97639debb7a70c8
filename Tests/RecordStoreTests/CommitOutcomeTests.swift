// What a commit leaves behind: segments without a record, kinds of fields and of their elements, and what a refusal
// says.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct CommitOutcomeTests {
    private static let zone = RecordZone.ID("z", ownerName: "me")

    private static func record(
        _ name: String, _ fields: [String: FieldValue] = [:], type: String = "T", in zone: RecordZone.ID = .default
    ) -> Record { Record(type: type, id: Record.ID(name, zoneID: zone), fields: fields) }

    private static func batch(_ fill: (inout RecordBatch) throws -> Void) rethrows -> RecordBatch {
        var batch = RecordBatch()
        try fill(&batch)
        return batch
    }

    /// Why a batch is refused; `nil` where it is taken.
    private static func refusal(of batch: RecordBatch, by store: RecordStore) -> CommitError? {
        do throws(CommitError) { try store.commit(batch) } catch { return error }
        return nil
    }

    private static func mixture(
        _ field: String, _ existing: ValueKind, _ found: ValueKind, first: Int, type: String = "T"
    ) -> CommitError {
        let kind = ColumnError.Kind.mixture(existing: existing, found: found, first: first)
        return .column(ColumnError(kind, field: field), recordType: type)
    }

    private static func rows(_ value: FieldValue, of field: String, type: String = "T") throws -> NewRows {
        let column = try Column.of(field, count: 1) { _ in value }
        return NewRows(
            recordType: type, zoneID: .default, names: TextColumn(["row"]), columns: [(name: field, column: column)])
    }

    // MARK: Segments

    /// Segments that are small are left to commits: one whose last record goes is gone with the commit that takes it,
    /// whether the record is deleted, saved anew or changed.
    @Test func segmentsWithoutARecordGoWithTheirCommit() throws {
        let store = RecordStore()
        func sizes(_ fill: (inout RecordBatch) -> Void) throws -> [Int] {
            try store.commit(Self.batch(fill))
            return store.snapshot.segments.map(\.segment.count)
        }
        for names in [["a", "b"], ["c", "d"], ["e"]] {
            try store.commit(Self.batch { batch in for name in names { batch.save(Self.record(name, ["n": 1])) } })
        }
        #expect(store.snapshot.segments.map(\.segment.count) == [2, 2, 1])
        // One of two stays, and its segment with it.
        let one = try sizes { $0.delete(Record.ID("a")) }
        let both = try sizes { $0.delete(Record.ID("b")) }
        let saved = try sizes { batch in for name in ["c", "d"] { batch.save(Self.record(name, ["n": 2])) } }
        let changed = try sizes { $0.change(Record.ID("e"), ["n": 3]) }
        #expect([one, both, saved, changed] == [[2, 2, 1], [2, 1], [1, 2], [2, 1]])
        for (name, n) in [("c", 2), ("d", 2), ("e", 3)] as [(String, FieldValue)] {
            #expect(store.snapshot.record(Record.ID(name))?.fields == ["n": n])
        }
        let none = try sizes { batch in for name in ["c", "d", "e"] { batch.delete(Record.ID(name)) } }
        #expect(none.isEmpty && store.snapshot.count == 0)
    }

    // MARK: Kinds

    /// A refusal names the type and the field, and the commit that fixed what the field holds, whichever part of the
    /// batch does not fit.
    @Test func refusalsNameTheTypeAndTheField() throws {
        let store = RecordStore()
        try store.commit(Self.batch { $0.save(Self.record("t", ["n": 1])) })
        try store.commit(Self.batch { $0.save(Self.record("u", ["n": true], type: "U")) })
        let cases: [(batch: RecordBatch, error: CommitError)] = [
            (
                Self.batch {
                    $0.save(Self.record("t1", ["n": 2]))
                    $0.save(Self.record("u1", ["n": "x"], type: "U"))
                }, Self.mixture("n", .bool, .string, first: 2, type: "U")
            ),
            (
                Self.batch {
                    $0.save(Self.record("u1", ["n": false], type: "U"))
                    $0.save(Self.record("t1", ["n": "x"]))
                }, Self.mixture("n", .number, .string, first: 1)
            ),
            (
                Self.batch { $0.change(Record.ID("u"), ["n": 5]) },
                Self.mixture("n", .bool, .number, first: 2, type: "U")
            ),
            (
                try Self.batch {
                    $0.save(Self.record("t1", ["n": 2]))
                    $0.append(try Self.rows(7, of: "n", type: "U"))
                }, Self.mixture("n", .bool, .number, first: 2, type: "U")
            ),
            (
                try Self.batch {
                    $0.save(Self.record("u1", ["n": false], type: "U"))
                    $0.append(try Self.rows(8, of: "n"))
                    $0.append(try Self.rows("x", of: "n"))
                }, Self.mixture("n", .number, .string, first: 1)
            ),
        ]
        for (number, item) in cases.enumerated() {
            #expect(Self.refusal(of: item.batch, by: store) == item.error, "\(number)")
        }
        #expect(store.snapshot.version == 2 && store.snapshot.count == 2)
    }

    /// Elements of a list that was empty are of any kind, until a commit that is taken has some.
    @Test func listsKeepTheKindOfTheirElements() throws {
        let store = RecordStore()
        try store.commit(Self.batch { $0.save(Self.record("r0", ["list": []])) })
        #expect(throws: CommitError.notConfirmed) {
            try store.commit(Self.batch { $0.save(Self.record("x", ["list": ["a"]])) }) { _ in false }
        }
        try store.commit(Self.batch { $0.save(Self.record("r1", ["list": [1]])) })
        #expect(store.snapshot.schema(ofType: "T")?.type(of: "list") == .list(.int64))
        // A store that is opened again knows it from the fields' types, and of no commit.
        let snapshot = store.snapshot
        let reopened = RecordStore(segments: snapshot.segments, schemas: snapshot.schemas, nextSequence: 2)
        for (one, first) in [(store, 3), (reopened, 0)] {
            let error = Self.mixture("list", .number, .string, first: first)
            let refused = [
                Self.batch { $0.save(Self.record("r2", ["list": ["a"]])) },
                Self.batch { $0.change(Record.ID("r0"), ["list": ["a"]]) },
                try Self.batch { $0.append(try Self.rows(["a"], of: "list")) },
            ]
            for batch in refused { #expect(Self.refusal(of: batch, by: one) == error, "\(first)") }
            try one.commit(try Self.batch { $0.append(try Self.rows([0.5], of: "list")) })
            #expect(one.snapshot.record(Record.ID("row"))?.fields == ["list": [0.5]] && one.snapshot.count == 3)
        }
    }

    /// Every kind of values is known again when a store is opened: it goes on with that kind, and with no other.
    @Test func openedStoresKnowTheKindsOfFields() throws {
        let values: [(field: String, kind: ValueKind, value: FieldValue)] = [
            ("n", .number, 1), ("flag", .bool, true), ("text", .string, "a"),
            ("day", .date, .date(Date(timeIntervalSinceReferenceDate: 5))), ("bytes", .data, .data(Data([1]))),
            ("place", .location, .location(.init(latitude: 1, longitude: 2))),
            ("link", .reference, .reference(RecordReference("r"))), ("file", .asset, .asset(Asset(path: "a"))),
            ("tags", .list, ["a"]), ("more", .object, .object(["a": 1])),
        ]
        let first = RecordStore()
        let all = Dictionary(uniqueKeysWithValues: values.map { ($0.field, $0.value) })
        try first.commit(Self.batch { $0.save(Self.record("r", all)) })
        let store = RecordStore(
            segments: first.snapshot.segments, schemas: first.snapshot.schemas, nextSequence: 1)
        for (field, kind, _) in values {
            for (_, found, value) in values where found != kind {
                let refusal = Self.refusal(of: Self.batch { $0.save(Self.record("x", [field: value])) }, by: store)
                #expect(refusal == Self.mixture(field, kind, found, first: 0), "\(field) \(found)")
            }
        }
        try store.commit(Self.batch { $0.save(Self.record("y", all)) })
        #expect(store.snapshot.count == 2 && store.snapshot.record(Record.ID("y"))?.fields == all)
    }

    /// Without a record of a type nothing is known of its fields; while one is left in any zone, it is.
    @Test func typesWithoutARecordAreFree() throws {
        let text = Self.record("new", ["n": "text"])
        let fields = [FieldDefinition(name: "n", type: .string)]
        let deleting = RecordStore()
        try deleting.commit(Self.batch { $0.save(Self.record("r", ["n": 1, "m": 2])) })
        try deleting.commit(Self.batch { $0.delete(Record.ID("r")) })
        try deleting.commit(Self.batch { $0.save(text) })
        #expect(deleting.snapshot.schema(ofType: "T")?.fields == fields)
        #expect(deleting.snapshot.record(text.id)?["n"] == "text")
        for isElsewhere in [false, true] {
            let store = RecordStore()
            try store.commit(
                Self.batch {
                    $0.save(Self.record("r", ["n": 1], in: Self.zone))
                    if isElsewhere { $0.save(Self.record("s", ["n": 2])) }
                })
            let batch = Self.batch {
                $0.deleteZone(Self.zone)
                $0.save(text)
            }
            let error = isElsewhere ? Self.mixture("n", .number, .string, first: 1) : nil
            #expect(Self.refusal(of: batch, by: store) == error)
            #expect(store.snapshot.count == (isElsewhere ? 2 : 1))
            #expect(isElsewhere || store.snapshot.schema(ofType: "T")?.fields == fields)
        }
    }
}
