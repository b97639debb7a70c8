// Records that are loaded column by column are as if they had been saved one by one.

import Foundation
import Geospatial
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ColumnLoadTests {
    /// Records that are loaded, by what is special about them.
    struct Case: CustomStringConvertible, Sendable {
        let description: String
        /// How many of the two stretches can be taken column by column.
        let columnLoads: Int
        var schema: [String: FieldType] = [:]
        var before: [Record] = []
        var rejectedCount = 0
        let fields: @Sendable (Int) -> [String: FieldValue]
    }

    private static let cases: [Case] = [
        Case(description: "every kind of value", columnLoads: 2) { number in
            var fields: [String: FieldValue] = [
                "text": .string("text \(number)"), "few": .string("few \(number % 3)"), "whole": .int64(Int64(number)),
                "half": .double(Double(number) / 2), "flag": .bool(number % 3 == 0), "bytes": .data(Data([1, 2])),
                "date": .date(Date(timeIntervalSince1970: Double(number) * 1000)),
                "place": .location(Location(latitude: Double(number % 90), longitude: 7)),
                "tags": .list([.string("a"), .string("t\(number % 5)")]), "flags": .list([.bool(true), .bool(false)]),
                "numbers": .list([.double(0.5), .double(Double(number))]),
            ]
            if number % 4 == 0 { fields["text"] = nil }
            return fields
        },
        Case(
            description: "numbers as the schema has them", columnLoads: 2,
            schema: ["a": .double, "b": .int64, "c": .list(.double)]
        ) { ["a": .int64(Int64($0)), "b": .double(Double($0)), "c": .list([.int64(1)])] },
        Case(description: "records that are there", columnLoads: 1, before: [record("r7", ["n": 1])]) {
            ["n": .int64(Int64($0))]
        },
        Case(description: "references", columnLoads: 0) {
            ["n": .reference(RecordReference(recordID: Record.ID("r\($0)"), action: .none))]
        },
        Case(description: "empty lists", columnLoads: 1, rejectedCount: 1) { ["n": .list($0 == 0 ? [] : [1])] },
        Case(description: "values of another kind", columnLoads: 0, schema: ["n": .string], rejectedCount: 300) {
            ["n": .int64(Int64($0))]
        },
        Case(description: "a fraction", columnLoads: 1, schema: ["n": .int64], rejectedCount: 1) {
            ["n": .double($0 == 250 ? 0.5 : Double($0))]
        },
        Case(description: "a number that is not finite", columnLoads: 1, rejectedCount: 1) {
            ["n": .double($0 == 299 ? .infinity : Double($0))]
        },
    ]

    private func container(_ one: Case, _ folder: TemporaryFolder?) async throws -> Container {
        var configuration = Configuration()
        configuration.clock = { Date(timeIntervalSince1970: 1_700_000_000) }
        configuration.limits.bytesPerRecord = 1 << 30
        let container =
            try folder.map {
                try Container(identifier: "test", storedAt: $0.url, configuration: configuration)
            } ?? Container(identifier: "test", configuration: configuration)
        if !one.schema.isEmpty {
            var type = ContainerSchema.RecordType()
            for (name, field) in one.schema { type.define(name, ContainerSchema.Field(field)) }
            try container.setSchema(ContainerSchema(recordTypes: ["T": type]))
        }
        // Deletions are taken back when their records come again.
        _ = try await container.privateDatabase.modifyRecords(saving: [record("r3"), record("r9")], deleting: [])
        _ = try await container.privateDatabase.modifyRecords(
            saving: one.before, deleting: [Record.ID("r3"), Record.ID("r9")])
        return container
    }

    /// All that a store holds but for which batches were sent: what is loaded in columns is no repetition of any.
    private func contents(_ container: Container) -> [String] {
        container.client.store.contents.filter { !$0.hasPrefix("batch ") }
    }

    @Test(arguments: cases) func loadedRecordsAreAsSavedOnes(_ one: Case) async throws {
        let set = try RecordSet(records: (0..<300).map { record("r\($0)", one.fields($0)) })
        let folder = TemporaryFolder()
        let (saved, memory) = (try await container(one, nil), try await container(one, nil))
        let stored = try await container(one, folder)
        var rejectedCount = 0
        for range in [0..<200, 200..<300] {
            let token = Data([range.lowerBound == 0 ? 7 : 8])
            let records = range.compactMap { set.record(at: $0) }
            let result = try saved.privateDatabase.modify(
                ModifyRequest(saves: records, policy: .allKeys, isAtomic: false, clientToken: token))
            let rejected = result.saves.filter { if case .failure = $0.1 { true } else { false } }.map(\.0)
            for container in [memory, stored] {
                let found = try container.privateDatabase.load(range, of: set, clientToken: token)
                #expect(found.map(\.id) == rejected)
            }
            rejectedCount += rejected.count
        }
        #expect(rejectedCount == one.rejectedCount)
        let contents = self.contents(saved)
        #expect(self.contents(memory) == contents)
        #expect(self.contents(stored) == contents)
        #expect(try await stored.storageStatistics().segmentFiles == one.columnLoads)
        // Who reads the log finds them, and so does a copy.
        let reader = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly))
        #expect(self.contents(reader) == contents)
        let copy = TemporaryFolder()
        try await stored.backUp(to: copy.url)
        #expect(try Container.verify(storedAt: copy.url) == [])
        let opened = try Container(identifier: "test", storedAt: copy.url)
        // A copy that is written to begins a history of its own, with numbers that the first one never gives.
        let withoutNumbers = { (lines: [String]) in lines.filter { !$0.hasPrefix("last change ") } }
        #expect(withoutNumbers(self.contents(opened)) == withoutNumbers(contents))
        opened.close()
        stored.close()
        let again = try Container(identifier: "test", storedAt: folder.url)
        #expect(self.contents(again) == contents)
        again.close()
        #expect(try Container.verify(storedAt: folder.url) == [])
    }
}
