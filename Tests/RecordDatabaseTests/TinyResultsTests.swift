// Questions over small real record sets whose answers were computed in two independent ways.

import Foundation
import RecordDatabase
import Testing

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
