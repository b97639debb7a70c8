// Whole record sets in a database: what goes when a record is deleted.

import Foundation
import Testing

@testable import RecordDatabase

/// A deletion of `tiny-results.json`.
private struct Deletion: Decodable {
    var id: String
    var delete: [String]?
    var removed: Int?
    var removedByType: [String: Int]?
    var remaining: Int?
    var referencesLeftDangling: Int?
}

@Suite struct CascadeTests {
    /// A database with the records of a file, saved in batches.
    private static func database(_ file: String) async throws -> (Database, [Record]) {
        let set = try RecordSet(contentsOf: Fixtures.path(file))
        let records = (0..<set.count).compactMap(set.record)
        let database = try await World().mine
        for start in stride(from: 0, to: records.count, by: 400) {
            let batch = Array(records[start..<min(records.count, start + 400)])
            _ = try await database.modifyRecords(saving: batch, deleting: [])
        }
        return (database, records)
    }

    /// The records of the given ones that are there.
    private static func present(_ records: [Record], in database: Database) throws -> [Record] {
        var found: [Record] = []
        for start in stride(from: 0, to: records.count, by: 400) {
            let ids = records[start..<min(records.count, start + 400)].map(\.id)
            let results = try database.fetch(ids)
            for id in ids {
                guard case .success(let record)? = results[id] else { continue }
                // Without metadata, as the file has it.
                found.append(Record(type: record.type, id: id, fields: record.fields))
            }
        }
        return found
    }

    /// What goes with a record, found by looking at all references again and again.
    private static func closure(of ids: Set<Record.ID>, in records: [Record]) -> Set<Record.ID> {
        var gone = ids
        while true {
            let more = records.filter { record in
                !gone.contains(record.id)
                    && record.fields.values.contains { value in
                        var isOwned = false
                        value.forEachReference { reference in
                            if reference.action == .deleteSelf, gone.contains(reference.recordID) { isOwned = true }
                        }
                        return isOwned
                    }
            }
            if more.isEmpty { return gone }
            gone.formUnion(more.map(\.id))
        }
    }

    @Test func deletionsOfTheTinySet() async throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("tiny-answers.json")))
        let results = try JSONDecoder().decode([Deletion].self, from: data).filter { $0.delete != nil }
        #expect(results.count == 5)
        for result in results {
            let (database, records) = try await Self.database("relations.ndjson")
            #expect(try Self.present(records, in: database) == records)
            let requested = try #require(result.delete).map { Record.ID($0) }
            _ = try await database.modifyRecords(saving: [], deleting: requested)
            let left = try Self.present(records, in: database)
            let names = Set(left.map(\.id))
            let removed = records.filter { !names.contains($0.id) }
            #expect(removed.count == result.removed && left.count == result.remaining, "\(result.id)")
            #expect(
                Dictionary(grouping: removed, by: \.type).mapValues(\.count) == result.removedByType, "\(result.id)")
            var dangling = 0
            for value in left.flatMap(\.fields.values) {
                value.forEachReference { if !names.contains($0.recordID) { dangling += 1 } }
            }
            #expect(dangling == result.referencesLeftDangling, "\(result.id)")
        }
    }

    @Test func deletionsOfChinook() async throws {
        let (database, records) = try await Self.database("chinook.ndjson.gz")
        #expect(try Self.present(records, in: database) == records)
        var left = records
        for name in ["artist-90", "genre-1", "customer-6", "album-141", "employee-3", "artist-1"] {
            let expected = Self.closure(of: [Record.ID(name)], in: left)
            left.removeAll { expected.contains($0.id) }
            try await database.deleteRecord(withID: Record.ID(name))
            #expect(try Self.present(records, in: database) == left, "\(name)")
        }
        #expect(records.count == 6892 && left.count < 6600)
        // Questions over what is left, through references.
        let tracks = try await database.names("album.artist.name == 'Metallica'", type: "Track")
        #expect(
            tracks.count == left.count { $0.type == "Track" && Self.isOf("Metallica", $0, left) } && !tracks.isEmpty)
    }

    private static func isOf(_ artist: String, _ track: Record, _ records: [Record]) -> Bool {
        func target(_ record: Record, _ key: String) -> Record? {
            let reference: RecordReference? = record[key]
            return records.first { $0.id == reference?.recordID }
        }
        return target(track, "album").flatMap { target($0, "artist") }?["name"] == artist
    }
}
