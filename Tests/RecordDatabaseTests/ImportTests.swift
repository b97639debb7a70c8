// All records of a set into a database, and what is told of those that do not fit.

import Foundation
import RecordModel
import Synchronization
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite struct ImportTests {
    /// A set of a file with whole and fractional numbers, in two zones.
    private func set(_ count: Int, in folder: TemporaryFolder) throws -> RecordSet {
        let lines = (0..<count).map { number in
            let zone = number % 10 == 9 ? #","$zone":"Other""# : ""
            return
                #"{"id":"r\#(number)","n":\#(number % 3 == 0 ? "\(number)" : "\(number).5"),"t":"t\#(number)"\#(zone)}"#
        }
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let path = folder.path + "/records.ndjson"
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        return try RecordSet(contentsOf: path, type: "T")
    }

    @Test(arguments: [false, true]) func allRecordsOfAFileAreSaved(_ isStored: Bool) async throws {
        let folder = TemporaryFolder()
        let set = try set(25_000, in: folder)
        let container =
            isStored
            ? try Container(identifier: "test", storedAt: folder.url.appending(path: "store"))
            : try Container(identifier: "test")
        var steps: [Int] = []
        let count = try await container.privateDatabase.import(set) { steps.append($0) }
        #expect(count == 25_000 && steps.count > 1 && steps.last == count && steps == steps.sorted())
        #expect(container.schema.recordTypes["T"]?.fields["n"]?.type == .double)
        let stored = try container.privateDatabase.snapshot().records(ofType: "T")
        #expect(stored.count == count)
        for predicate in ["n > 20000.2", "t == 't77' OR n == 99", "n < 0"] {
            let wanted = try set.ordinals(matching: RecordPredicate(format: predicate)).map { set.recordID(at: $0) }
            let found = try stored.ordinals(matching: RecordPredicate(format: predicate)).map {
                stored.recordID(at: $0)
            }
            #expect(Set(found) == Set(wanted), "\(predicate)")
        }
        #expect(
            try container.privateDatabase.snapshot().records(ofType: "T", in: .zone(RecordZone.ID("Other"))).count
                == 2500)
        container.close()
    }

    @Test func recordsThatAreThereKeepOtherFields() async throws {
        let folder = TemporaryFolder()
        let database = try Container(identifier: "test").privateDatabase
        try await database.save(Record(type: "T", id: Record.ID("r0"), fields: ["n": 7.5, "other": "kept"]))
        try await database.import(set(3, in: folder))
        let record = try await database.record(for: Record.ID("r0"))
        #expect(record.fields == ["n": 0.0, "other": "kept", "t": "t0"])
    }

    /// A parent stays where the file does not name it, and goes where it is nil there or records are replaced.
    @Test func parentsStayOrGo() async throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let path = folder.path + "/records.ndjson"
        let cases: [(line: String, replaces: Bool, parent: String?)] = [
            (#"{"id":"c","n":2}"#, false, "p"), (#"{"id":"c","n":2,"$parent":null}"#, false, nil),
            (#"{"id":"c","n":2}"#, true, nil), (#"{"id":"c","n":2,"$parent":{"reference":"q"}}"#, true, "q"),
        ]
        for (line, replaces, parent) in cases {
            let database = try Container(identifier: "test").privateDatabase
            var child = record("c", ["n": 1])
            child.setParent(Record.ID("p"))
            try await database.put(record("p"), record("q"), child)
            // A second line says that there are parents.
            let text = line + "\n" + #"{"id":"d","n":1,"$parent":{"reference":"p"}}"# + "\n"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            var options = LoadOptions()
            options.keepsNulls = true
            let set = try RecordSet(contentsOf: path, type: "T", options: options)
            let load = RecordImport(set, into: database, replacing: replaces)
            try load.prepare()
            #expect(try load.save(0..<2).isEmpty)
            let found = try await database.record(for: child.id)
            #expect(found["n"] == 2 && found.parent?.recordID.recordName == parent, "\(line), \(replaces)")
            #expect(try await database.record(for: Record.ID("d")).parent?.recordID.recordName == "p")
        }
    }

    @Test func whatIsNotSavedIsTold() async throws {
        let folder = TemporaryFolder()
        let database = try Container(identifier: "test").privateDatabase
        try await database.save(Record(type: "T", id: Record.ID("x"), fields: ["n": 1]))
        // The field is INT64 by now.
        let error = await #expect(throws: DatabaseError.self) { try await database.import(set(30, in: folder)) }
        #expect(error?.code == .partialFailure && error?.partialErrors.count == 20)
        #expect(error?.partialErrors[.record(Record.ID("r1"))]?.reason.contains("INT64 cannot hold") == true)
        #expect(try database.snapshot().records(ofType: "T").count == 11)
    }

    /// Records of the first piece may belong to some of the last, and these to them.
    @Test func targetsOfLaterPieces() async throws {
        let text = FieldValue.string(String(repeating: "x", count: 6_000))
        func owned(by name: String) -> FieldValue {
            .reference(RecordReference(recordID: Record.ID(name), action: .deleteSelf))
        }
        var records = (0..<300).map { record("r\($0)", ["text": text]) }
        records[0]["owner"] = owned(by: "r299")
        records[299]["owner"] = owned(by: "r0")
        records[1]["owner"] = owned(by: "nobody")
        let database = try Container(identifier: "test").privateDatabase
        let set = try RecordSet(records: records)
        let error = await #expect(throws: DatabaseError.self) { try await database.import(set) }
        #expect(error?.partialErrors.keys.map { $0 } == [.record(Record.ID("r1"))])
        #expect(error?.partialErrors.values.first?.code == .referenceViolation)
        #expect(try database.snapshot().records(ofType: "T").count == 299)
        #expect(try await database.record(for: Record.ID("r0"))["owner"] == records[0]["owner"])
    }

    @Test func anImportCanBeCancelled() async throws {
        let folder = TemporaryFolder()
        let database = try Container(identifier: "test").privateDatabase
        let set = try set(25_000, in: folder)
        let task = Task {
            try await database.import(set) { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        let error = await #expect(throws: DatabaseError.self) { try await task.value }
        #expect(error?.code == .operationCancelled)
        let saved = try database.snapshot().records(ofType: "T").count
        #expect(saved > 0 && saved < 25_000)
    }

    // MARK: The schema

    private func records(_ type: String = "A", _ value: FieldValue = 1) throws -> RecordSet {
        try RecordSet(
            records: (0..<3).map { Record(type: type, id: Record.ID("\(type) \($0)"), fields: ["zz": value]) })
    }

    /// What may not be saved defines nothing: the configuration, the record type, a value, and whether all is rejected.
    @Test(arguments: ["production", "reader", "Users", "dialect"])
    func whatIsRejectedDefinesNothing(_ title: String) async throws {
        let container = try Container(identifier: "test")
        var schema = container.schema
        schema.recordTypes["P"] = ContainerSchema.RecordType(grants: ["_world": [.read]])
        try container.setSchema(schema)
        var configuration = Configuration()
        if title == "production" { configuration.environment = .production }
        if title == "dialect" { configuration.dialect = .cloudKit }
        let other = try Container(sharing: container, account: .user("u"), configuration: configuration)
        let database = title == "reader" ? other.publicDatabase : other.privateDatabase
        let set = try records(
            title == "reader" ? "P" : title == "Users" ? "Users" : "A",
            title == "dialect" ? .object(["n": 1]) : 1)
        let before = container.schema
        let error = await #expect(throws: DatabaseError.self) { try await database.import(set) }
        #expect(error?.code == .partialFailure && error?.partialErrors.count == 3)
        #expect(container.schema == before)
    }

    /// An import beside migrations and other imports: nobody writes back an earlier schema.
    @Test func schemasOfOthersStay() async throws {
        for number in 0..<40 {
            let container = try Container(identifier: "test")
            let database = container.privateDatabase
            try await database.save(Record(type: "S", id: Record.ID("s"), fields: ["n": 1]))
            let sets = try (0..<3).map { try records("T\($0)") }
            await withTaskGroup(of: String?.self) { group in
                for set in sets {
                    group.addTask {
                        do { _ = try await database.import(set) } catch { return "\(error)" }
                        return nil
                    }
                }
                group.addTask {
                    do {
                        try await container.migrate([
                            SchemaMigration("\(number)") { $0.setTraits(.unique, of: "n", in: "S") }
                        ])
                    } catch { return "\(error)" }
                    return nil
                }
                for await error in group { #expect(error == nil, "\(error ?? "")") }
            }
            #expect(container.schema.recordTypes["S"]?.fields["n"]?.traits == .unique)
            for name in ["T0", "T1", "T2"] { #expect(container.schema.recordTypes[name]?.fields["zz"]?.type == .int64) }
        }
    }
}
