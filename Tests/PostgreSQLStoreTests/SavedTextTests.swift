// Texts as columns hold them: with all characters, one by one or in lists, inserted or copied.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct SavedTextTests {
    private static let texts = [
        "\\", "a\\b", "\"", "a\"b\\", "{", "}", "{}", ",", "NULL", "", " ", "'", "\n", "\\n", "é😀", "plain",
    ]

    private static func open(_ place: ServerPlace, copiesFrom: Int) throws -> Container {
        try Container(
            identifier: place.identifier,
            on: PostgreSQLContainer(
                identifier: place.identifier, connectingTo: place.server.address, copiesFrom: copiesFrom),
            account: .localUser, configuration: Configuration())
    }

    @Test("Texts in lists are found by every character", arguments: [1, 1_000])
    func texts(copiesFrom: Int) throws {
        let place = try ServerPlace()
        let container = try Self.open(place, copiesFrom: copiesFrom)
        defer { container.close() }
        let database = container.privateDatabase
        var records = Self.texts.enumerated().map { number, text in
            Record(
                type: "T", id: Record.ID("r\(number)"),
                fields: ["a": .int64(Int64(number)), "one": .string(text), "tags": [.string(text), "other"]])
        }
        records.append(
            Record(
                type: "T", id: Record.ID("all"),
                fields: ["a": 1_000, "one": "all of them", "tags": .list(Self.texts.map { .string($0) })]))
        // At first as new records, then in place of these.
        for _ in 0..<2 {
            let result = try database.modify(ModifyRequest(saves: records, policy: .allKeys))
            for (_, saved) in result.saves { _ = try saved.get() }
            for (number, text) in Self.texts.enumerated() {
                #expect(try database.names("tags CONTAINS \(text)") == ["all", "r\(number)"], "\(text)")
                #expect(try database.names("one == \(text)") == ["r\(number)"], "\(text)")
            }
            #expect(try database.names("tags CONTAINS 'other'").count == Self.texts.count)
        }
    }

    @Test("Rows that are copied in several pieces come once, each with its values")
    func pieces() throws {
        let place = try ServerPlace()
        let writer = try Self.open(place, copiesFrom: 100)
        defer { writer.close() }
        let records = (0..<300).map { number in
            Record(
                type: "T", id: Record.ID("r\(number)"),
                fields: [
                    "a": .int64(Int64(number)), "text": .string(String(repeating: "\(number) ", count: 2_400 / 4)),
                ])
        }
        for (_, saved) in try writer.privateDatabase.modify(ModifyRequest(saves: records)).saves { _ = try saved.get() }
        #expect(try place.number("SELECT count(*) FROM \"r_T\"") == 300)
        let reader = try place.open()
        defer { reader.close() }
        let found = try reader.privateDatabase.fetch(records.map(\.id))
        for record in records { #expect(try found[record.id]?.get().fields == record.fields) }
    }
}
