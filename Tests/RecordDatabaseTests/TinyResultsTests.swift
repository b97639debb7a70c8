// Questions over small real record sets whose answers were computed in two independent ways.

import Campaigns
import Foundation
import PostgreSQLStore
import PredicateSemantics
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

/// A question of `tiny-results.json`; entries about deletion have no predicate.
private struct TestQuery: Decodable {
    struct Sort: Decodable {
        var key: String
        var ascending: Bool
        var relativeTo: Argument?
    }

    struct Argument: Decodable {
        var value: FieldValue

        private enum Key: String, CodingKey { case location, date, reference, list }

        init(from decoder: any Decoder) throws {
            guard let container = try? decoder.container(keyedBy: Key.self) else {
                let single = try decoder.singleValueContainer()
                if let number = try? single.decode(Int64.self) {
                    value = .int64(number)
                } else if let number = try? single.decode(Double.self) {
                    value = .double(number)
                } else {
                    value = .string(try single.decode(String.self))
                }
                return
            }
            if let degrees = try container.decodeIfPresent([Double].self, forKey: .location) {
                value = .location(Location(latitude: degrees[0], longitude: degrees[1]))
            } else if let text = try container.decodeIfPresent(String.self, forKey: .date) {
                value = .date(try Date(text, strategy: .iso8601))
            } else if let name = try container.decodeIfPresent(String.self, forKey: .reference) {
                value = .reference(RecordReference(name))
            } else {
                value = .list(try container.decode([Argument].self, forKey: .list).map(\.value))
            }
        }
    }

    var id: String
    var set: String
    var recordType: String?
    var predicate: String?
    var args: [Argument]?
    var sort: [Sort]?
    var count: Int?
    var firstIds: [String]?
    var allIds: [String]?

    /// The order asked for.
    var sortKeys: [SortKey] {
        (sort ?? []).map { key in
            if case .location(let place)? = key.relativeTo?.value {
                return SortKey(.distance(key.key, from: place), isAscending: key.ascending)
            }
            return SortKey(.field(key.key), isAscending: key.ascending)
        }
    }
}

struct TinyResultsTests {
    private static func queries() throws -> [TestQuery] {
        let data = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("tiny-answers.json")))
        return try JSONDecoder().decode([TestQuery].self, from: data)
    }

    @Test func everyResultComesOutRight() throws {
        var sets: [String: RecordSet] = [:]
        for name in ["places", "texts", "relations"] {
            var set = try RecordSet(contentsOf: Fixtures.path(name + ".ndjson"))
            // The language: a name that no record has is nil.
            set.allowsUnknownFields = true
            sets["tiny-" + name] = set
        }
        var succeeded = 0
        for query in try Self.queries() {
            guard let text = query.predicate else { continue }
            let set = try #require(sets[query.set]?.ofType(query.recordType))
            let predicate = try RecordPredicate(format: text, arguments: (query.args ?? []).map(\.value))
            let records = try set.records(matching: predicate, sortedBy: query.sortKeys)
            let ids = records.map(\.id.recordName)
            #expect(ids.count == query.count, "\(query.id): \(text)")
            #expect(Array(ids.prefix(5)) == query.firstIds, "\(query.id): \(text)")
            if let all = query.allIds { #expect(Set(ids) == Set(all), "\(query.id): \(text)") }
            // The best five alone are the first five of all.
            let best = try set.records(matching: predicate, sortedBy: query.sortKeys, limit: 5)
            #expect(best.map(\.id.recordName) == query.firstIds, "\(query.id), limited")
            #expect(try set.count(matching: predicate) == query.count)
            succeeded += 1
        }
        #expect(succeeded == 119)
    }

    /// The fields that predicates name and no record has: a database has to know them.
    private static func missingFields(of records: [Record]) throws -> ContainerSchema {
        var schema = ContainerSchema()
        let known = Dictionary(grouping: records, by: \.type).mapValues { Set($0.flatMap(\.fields.keys)) }
        for query in try queries() {
            guard let text = query.predicate, let type = query.recordType else { continue }
            let predicate = try RecordPredicate(format: text, arguments: (query.args ?? []).map(\.value))
            for name in try Binder().bind(predicate).fieldNames where known[type]?.contains(name) == false {
                guard Binder.Settings.recordFields[name] == nil else { continue }
                schema.recordTypes[type, default: ContainerSchema.RecordType()]
                    .define(name, ContainerSchema.Field(.string))
            }
        }
        return schema
    }

    /// The same of the records in one container, on one server and spread over three, in pages.
    @Test(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), arguments: [1, 3])
    func everyResultComesOutRightOnServers(_ nodeCount: Int) throws {
        let nodes = try PostgreSQLNodes.shared(nodeCount)
        let identifier = "tiny \(UUID().uuidString)"
        try nodes.makeContainer(identifier)
        let control = try #require(nodes.servers.first)
        let server = try NodeContainer.open(identifier: identifier, connectingTo: control.address, connectionCount: 2)
        let container = try Container(
            identifier: identifier, on: server, account: .localUser, configuration: Configuration())
        defer { container.close() }
        let database = container.publicDatabase
        var request = ModifyRequest()
        request.isLimited = false
        for name in ["places", "texts", "relations"] {
            let set = try RecordSet(contentsOf: Fixtures.path(name + ".ndjson"))
            request.saves += try set.records(matching: "TRUEPREDICATE")
        }
        try container.setSchema(Self.missingFields(of: request.saves))
        for (_, result) in try database.modify(request).saves { _ = try result.get() }
        var succeeded = 0
        for query in try Self.queries() {
            guard let text = query.predicate, let type = query.recordType else { continue }
            let predicate = try RecordPredicate(format: text, arguments: (query.args ?? []).map(\.value))
            let question = Query(type, predicate, sortedBy: query.sortKeys)
            var page = try database.find(question, in: .zone(.default), limit: 40)
            var ids = page.matches.map(\.0.recordName)
            while let cursor = page.cursor {
                page = try database.find(after: cursor, limit: 40)
                ids += page.matches.map(\.0.recordName)
            }
            #expect(ids.count == query.count, "\(query.id): \(text)")
            // Without an order, records of a database come by their names.
            let first = query.sortKeys.isEmpty ? ids.filter { query.firstIds?.contains($0) == true } : ids
            #expect(Set(first.prefix(5)) == Set(query.firstIds ?? []), "\(query.id): \(text)")
            if !query.sortKeys.isEmpty { #expect(Array(first.prefix(5)) == query.firstIds, "\(query.id): \(text)") }
            if let all = query.allIds { #expect(Set(ids) == Set(all), "\(query.id): \(text)") }
            #expect(try database.countNow(question, in: .zone(.default)) == query.count, "\(query.id): \(text)")
            succeeded += 1
        }
        #expect(succeeded == 119)
    }
}

/// Record files beside the tests.
enum Fixtures {
    static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/\(name)").path
    }

    /// The project's top folder.
    static var project: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }
}
