// UNIQUE and NOT NULL, checked by every way to save.

import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import Campaigns
@testable import RecordDatabase

@Suite(.waits) struct UniqueFieldTests {
    private static let schema = """
        DEFINE SCHEMA
            RECORD TYPE Account (
                email STRING QUERYABLE UNIQUE NOT NULL,
                number INT64 UNIQUE,
                name STRING QUERYABLE
            );
        """
    private static let zoneID = RecordZone.ID("Other")

    private func container(_ folder: TemporaryFolder? = nil) async throws -> Container {
        let container =
            try folder.map { try Container(identifier: "test", storedAt: $0.url) } ?? Container(identifier: "test")
        try container.setSchema(ContainerSchema(text: Self.schema))
        _ = try await container.privateDatabase.modifyRecordZones(
            saving: [RecordZone(id: Self.zoneID)], deleting: [])
        return container
    }

    private static func account(_ name: String, _ fields: [String: FieldValue]) -> Record {
        Record(type: "Account", id: Record.ID(name), fields: fields)
    }

    private static func code(_ error: any Error) -> DatabaseError.Code? { (error as? DatabaseError)?.code }

    // MARK: Saves

    @Test func aSecondRecordWithAValueIsRejected() async throws {
        let database = try await container().privateDatabase
        try await database.save(Self.account("a", ["email": "a@example.org", "number": 1]))
        let error = await #expect(throws: DatabaseError.self) {
            try await database.save(Self.account("b", ["email": "a@example.org"]))
        }
        #expect(error?.code == .constraintViolation)
        #expect(
            error?.reason == "field email of Account is UNIQUE, and record a has the same value")
        // Also where the other one is in another zone.
        let elsewhere = Record(
            type: "Account", id: Record.ID("a", zoneID: Self.zoneID), fields: ["email": "z@example.org", "number": 1])
        await #expect(throws: DatabaseError.self) { try await database.save(elsewhere) }
        // The same record may be saved again, and the value is free once it is gone.
        var own = try await database.record(for: Record.ID("a"))
        own["name"] = "A"
        try await database.save(own)
        try await database.deleteRecord(withID: Record.ID("a"))
        try await database.save(Self.account("b", ["email": "a@example.org", "number": 1]))
        #expect(try database.snapshot().records(ofType: "Account").count == 1)
    }

    @Test func aFieldThatNeedsAValueHasOne() async throws {
        let database = try await container().privateDatabase
        let error = await #expect(throws: DatabaseError.self) { try await database.save(Self.account("a", [:])) }
        #expect(error?.code == .constraintViolation)
        #expect(error?.reason == "field email of Account needs a value, and record a has none")
        var saved = try await database.save(Self.account("a", ["email": "a@example.org"]))
        saved["email"] = nil
        let withoutValue = saved
        await #expect(throws: DatabaseError.self) { try await database.save(withoutValue) }
        // Records without the other value are not compared.
        try await database.save(Self.account("b", ["email": "b@example.org"]))
    }

    @Test func whatCountsIsHowRecordsAreAfterABatch() async throws {
        let database = try await container().privateDatabase
        let saved = try await database.modifyRecords(
            saving: [("a", 1), ("b", 2)].map { Self.account($0, ["email": .string($0), "number": $1]) }, deleting: [])
        var (a, b) = (
            try #require(try saved.saveResults[Record.ID("a")]?.get()),
            try #require(try saved.saveResults[Record.ID("b")]?.get())
        )
        (a["email"], b["email"]) = ("b", "a")
        try await database.write { [a, b] transaction in
            try transaction.save(a)
            try transaction.save(b)
        }
        // One takes the value of a record that is deleted with it.
        try await database.write { transaction in
            transaction.deleteRecord(withID: Record.ID("a"))
            try transaction.save(Self.account("c", ["email": "b"]))
        }
        // Of two equal ones of a batch the second fails by itself, and in a transaction both.
        let two = ["d", "e"].map { Self.account($0, ["email": "same"]) }
        let results = try await database.modifyRecords(saving: two, deleting: [], atomically: false)
        #expect(throws: Never.self) { try results.saveResults[Record.ID("d")]?.get() }
        #expect(throws: DatabaseError.self) { try results.saveResults[Record.ID("e")]?.get() }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { transaction in
                for name in ["f", "g"] { try transaction.save(Self.account(name, ["email": "other"])) }
            }
        }
        #expect(error?.code == .constraintViolation)
        #expect(try database.snapshot().records(ofType: "Account").count(matching: "email == 'other'") == 0)
    }

    @Test func oneOfManySaversWins() async throws {
        let folder = TemporaryFolder()
        let database = try await container(folder).privateDatabase
        let won = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let record = Self.account("r\(number)", ["email": .string("e\(number % 8)")])
                    return (try? await database.save(record)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(won == 8)
        #expect(try database.snapshot().records(ofType: "Account").count == 8)
    }

    @Test func importedRecordsAreCheckedToo() async throws {
        let container = try await container()
        let set = try RecordSet(
            records: (0..<2000).map {
                Self.account("r\($0)", ["email": .string("e\($0 % 1500)"), "number": .int64(Int64($0))])
            })
        let error = await #expect(throws: DatabaseError.self) { try await container.privateDatabase.import(set) }
        #expect(error?.code == .partialFailure && error?.partialErrors.count == 500)
        #expect(error?.partialErrors.values.allSatisfy { $0.code == .constraintViolation } == true)
        #expect(try container.privateDatabase.snapshot().records(ofType: "Account").count == 1500)
    }

    // MARK: Schema

    @Test func storedRecordsAreCheckedWhenADemandIsNew() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        for (name, value) in [("a", 1), ("b", 1), ("c", nil)] as [(String, Int64?)] {
            try await database.save(
                Record(type: "T", id: Record.ID(name), fields: ["n": value.map { .int64($0) } ?? .null, "m": 1]))
        }
        for traits in [ContainerSchema.Traits.unique, .required] {
            var schema = container.schema
            schema.recordTypes["T"]?.define("n", ContainerSchema.Field(.int64, traits: traits))
            let wanted = schema
            let error = #expect(throws: DatabaseError.self) { try container.setSchema(wanted) }
            #expect(error?.code == .constraintViolation)
            #expect(container.schema.recordTypes["T"]?.fields["n"]?.traits == [])
        }
        var b = try await database.record(for: Record.ID("b"))
        b["n"] = 2
        try await database.save(b)
        try await database.deleteRecord(withID: Record.ID("c"))
        var schema = container.schema
        schema.recordTypes["T"]?.define("n", ContainerSchema.Field(.int64, traits: [.unique, .required]))
        try container.setSchema(schema)
        await #expect(throws: DatabaseError.self) {
            try await database.save(Record(type: "T", id: Record.ID("d"), fields: ["n": 1]))
        }
    }

    @Test(arguments: [
        ("a BYTES UNIQUE", "BYTES cannot be UNIQUE"), ("a LIST<STRING> UNIQUE", "LIST<STRING> cannot be UNIQUE"),
        ("a ENCRYPTED STRING UNIQUE", "ENCRYPTED STRING cannot be UNIQUE"), ("a STRING UNIQUE UNIQUE", "twice"),
        ("a STRING NOT", "expected NOT NULL"), ("a STRING NOT NULL NOT NULL", "twice"),
        ("\"___recordID\" REFERENCE UNIQUE", "the field is REFERENCE"),
    ])
    func wrongWordsAreRejected(_ field: String, _ message: String) throws {
        let error = #expect(throws: SyntaxError.self) {
            try ContainerSchema(text: "DEFINE SCHEMA RECORD TYPE T (\(field));")
        }
        #expect(error?.message.contains(message) == true, "\(error.map(String.init(describing:)) ?? "")")
    }

    @Test func demandsAreWrittenAndStored() async throws {
        let folder = TemporaryFolder()
        let container = try await container(folder)
        let text = container.schema.text
        #expect(text.contains("STRING QUERYABLE UNIQUE NOT NULL") && text.contains("INT64 UNIQUE"))
        #expect(try ContainerSchema(text: text) == container.schema)
        try await container.privateDatabase.save(Self.account("a", ["email": "x"]))
        container.close()
        let again = try Container(identifier: "test", storedAt: folder.url)
        #expect(again.schema.text == text)
        await #expect(throws: DatabaseError.self) {
            try await again.privateDatabase.save(Self.account("b", ["email": "x"]))
        }
        again.close()
    }

    // MARK: Items of one batch

    private func batches() throws -> Database {
        let container = try Container(identifier: "test")
        var schema = container.schema
        schema.recordTypes["T"] = ContainerSchema.RecordType(fields: [
            "a": ContainerSchema.Field(.string, traits: [.unique]),
            "b": ContainerSchema.Field(.string, traits: [.unique, .required]),
            "of": ContainerSchema.Field(.reference),
        ])
        try container.setSchema(schema)
        return container.privateDatabase
    }

    private static func item(_ name: String, _ a: String?, _ b: String?) -> Record {
        Record(
            type: "T", id: Record.ID(name),
            fields: ["a": a.map { .string($0) } ?? .null, "b": b.map { .string($0) } ?? .null])
    }

    /// Items of batches as (name, a, b), and those that fail, beside a stored record of values "x" and "x".
    @Test(
        arguments: [
            ([("bad", "v", nil), ("good", "v", "w")], ["bad"]), ([("bad", "v", "x"), ("good", "v", "w")], ["bad"]),
            ([("bad", "x", "v"), ("good", "w", "v")], ["bad"]), ([("good", "v", "1"), ("bad", "v", "2")], ["bad"]),
            ([("one", "v", "w"), ("bad", "u", "w"), ("good", "u", "y")], ["bad"]),
            ([("stored", "u", "u"), ("good", "x", "x")], []),
        ] as [([(String, String?, String?)], Set<String>)])
    func nobodyFailsForAnItemThatIsNotSaved(
        _ items: [(name: String, a: String?, b: String?)], _ failing: Set<String>
    ) async throws {
        let database = try batches()
        try await database.save(Self.item("stored", "x", "x"))
        let outcomes = try database.outcomes(
            saving: items.map { Self.item($0.name, $0.a, $0.b) }, policy: .allKeys)
        #expect(Set(outcomes.filter { $0.value != nil }.keys) == failing)
    }

    /// A stored record whose save fails keeps its values, and no other one gets them.
    @Test func whoIsNotSavedKeepsItsValues() async throws {
        let database = try batches()
        try await database.save(Self.item("stored", "x", "y"))
        // Without the change tag of the stored record its save is refused.
        let outcomes = try database.outcomes(saving: [Self.item("stored", "u", "v"), Self.item("new", "x", "w")])
        #expect(outcomes == ["stored": .serverRecordChanged, "new": .constraintViolation])
        #expect(try await database.record(for: Record.ID("stored")).fields == ["a": "x", "b": "y"])
        #expect(!(await database.has("new")))
    }

    @Test func whatGoesWithItsOwnerHasNoValues() async throws {
        let database = try batches()
        try await database.save(Self.item("owner", nil, "o"))
        try await database.write { transaction in
            var record = Self.item("b", nil, "w")
            record["of"] = .reference(RecordReference(recordID: Record.ID("owner"), action: .deleteSelf))
            try transaction.save(record)
            transaction.deleteRecord(withID: Record.ID("owner"))
            try transaction.save(Self.item("c", nil, "w"))
        }
        #expect(
            try database.snapshot().records(ofType: "T").records(matching: "TRUEPREDICATE").map(\.id.recordName) == [
                "c"
            ])
    }

    // MARK: At random

    /// Random batches beside a model that is a dictionary: the same are accepted, in segments with and without indexes.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func randomBatchesAreAcceptedAsAModelSays(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let database = try await container().privateDatabase
        var model: [String: String] = [:]
        let many = (0..<700).map { Self.account("x\($0)", ["email": .string("x\($0)")]) }
        try await database.write { transaction in for record in many { try transaction.save(record) } }
        for number in 0..<700 { model["x\(number)"] = "x\(number)" }
        var accepted = 0
        for _ in 0..<300 {
            var next = model
            let changes = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (
                    name: "x\(Int.random(in: 0..<720, using: &random))",
                    email: Bool.random(using: &random) ? "x\(Int.random(in: 0..<720, using: &random))" : nil
                )
            }
            for change in changes { next[change.name] = change.email }
            let isLegal = Set(next.values).count == next.count
            let outcome = await Self.outcome {
                try await database.write { transaction in
                    for (name, email) in Dictionary(changes.map { ($0.name, $0.email) }, uniquingKeysWith: { $1 }) {
                        guard let email else {
                            transaction.deleteRecord(withID: Record.ID(name))
                            continue
                        }
                        var record =
                            (try? transaction.record(for: Record.ID(name))) ?? Self.account(name, [:])
                        record["email"] = .string(email)
                        try transaction.save(record)
                    }
                }
            }
            if isLegal { try outcome.get() } else { #expect(throws: DatabaseError.self) { try outcome.get() } }
            if isLegal { (model, accepted) = (next, accepted + 1) }
        }
        #expect(accepted > 50 && accepted < 290)
        let set = try database.snapshot().records(ofType: "Account")
        let stored = try set.records(matching: "TRUEPREDICATE").map { ($0.id.recordName, $0["email"]) }
        #expect(Dictionary(uniqueKeysWithValues: stored) == model.mapValues { .string($0) })
    }

    private static func outcome(_ body: () async throws -> Void) async -> Result<Void, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
