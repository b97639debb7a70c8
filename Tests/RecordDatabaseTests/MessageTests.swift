// Messages of errors tell fields, kinds and places, and nothing of what records hold.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct MessageTests {
    /// What is sought in messages: texts, names and numbers of the records have it.
    private static let mark = "7316295"

    private static let whole = Record(
        type: "Note", id: Record.ID("name\(mark)"),
        fields: [
            "text": .string("text \(mark)"), "pattern": .string("(\(mark)"), "number": .int64(7_316_295),
            "fraction": .double(7316295.5), "zero": .int64(0), "date": .date(Date(timeIntervalSince1970: 7_316_295)),
            "list": .list([.string(mark), .string("b\(mark)")]), "numbers": .list([.int64(7_316_295)]),
            "data": .data(Data(mark.utf8)), "reference": .reference(RecordReference("to\(mark)")),
            "slow": .string(String(repeating: mark, count: 400)),
        ])

    /// Predicates that do not fit the record, or fail on it.
    private static let predicates = [
        "text + 1 > 0", "text MATCHES pattern", "list[99] == 'a'", "CAST(text, 'NSNumber') > 1",
        "CAST(text, 'NSDate') > 1", "number / zero == 1", "text BETWEEN number", "text BETWEEN list",
        "text < number", "list.@max > 3", "list.@sum > 3", "SUBQUERY(text, $x, $x == 1).@count > 0",
        "ANY text == 1", "text.a.b == 1", "data < data", "reference < reference", "list < list",
        "distanceToLocation:fromLocation:(text, text) < 1", "number IN number", "number CONTAINS 1",
        "slow MATCHES '(\\\\d*)*(\\\\d*)*x\\\\1'", "number & fraction == 0",
        "FUNCTION(text, 'abc') == 1", "text == $open",
        "sqrt:(text) > 1", "modulus:by:(number, zero) == 1", "list.@avg > 1", "text.length.x > 1",
        "tokenize:using:(text, pattern).@count > 0", "number TOKENMATCHES text", "SELF < 3", "pattern MATCHES pattern",
    ]

    @Test func queriesThatFail() throws {
        let set = try RecordSet(records: [Self.whole])
        var failures = 0
        for text in Self.predicates {
            for buildsIndexes in [true, false] {
                var set = set
                set.buildsIndexes = buildsIndexes
                do {
                    _ = try set.records(matching: RecordPredicate(format: text))
                } catch {
                    failures += 1
                    #expect(!"\(error)".contains(Self.mark), "\(text): \(error)")
                }
            }
        }
        // Most of the predicates do fail.
        #expect(failures > Self.predicates.count)
    }

    /// Files with something wrong, by name.
    private static let files = [
        ("cut.ndjson", "{\"id\":\"a\",\"text\":\"\(mark)"), ("number.ndjson", "{\"id\":\"a\",\"n\":\(mark)e99999}\n"),
        ("digits.ndjson", "{\"id\":\"a\",\"n\":\(mark)\(mark)\(mark)\(mark)x}\n"),
        ("array.ndjson", "[\"\(mark)\"]\n"), ("word.ndjson", "{\"id\":\"a\",\"x\":tru\(mark)}\n"),
        ("twice.ndjson", "{\"id\":\"\(mark)\"}\n{\"id\":\"\(mark)\"}\n"),
        ("name.ndjson", "{\"id\":{\"a\":\(mark)}}\n"), ("type.ndjson", "{\"id\":\"a\",\"type\":\(mark)}\n"),
        ("date.ndjson", "{\"id\":\"a\",\"d\":{\"$date\":\"\(mark)\"}}\n"),
        ("data.ndjson", "{\"id\":\"a\",\"d\":{\"$data\":\"*\(mark)\"}}\n"),
        ("place.ndjson", "{\"id\":\"a\",\"p\":{\"latitude\":\(mark),\"longitude\":1}}\n"),
        ("surrogate.ndjson", "{\"id\":\"a\",\"p\":\"\(mark)\\ud800\"}\n"),
        ("tab.ndjson", "{\"id\":\"\(mark)\u{1}\"}\n"),
        ("deep.ndjson", String(repeating: "[\(mark),", count: 300) + "\n"),
        ("cells.csv", "id,a\n1,\(mark),3\n"), ("quote.csv", "id,a\n1,\"\(mark)\n"),
        ("after.csv", "id,a\n1,\"\(mark)\"x\n"),
        ("names.csv", "id,a\n\(mark),1\n\(mark),2\n"),
    ]

    @Test func filesThatFail() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "messages-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var failures = 0
        for (name, text) in Self.files {
            let path = folder.appending(path: name).path
            try Data(text.utf8).write(to: URL(filePath: path))
            do {
                _ = try RecordSet(contentsOf: path)
            } catch {
                failures += 1
                #expect(!"\(error)".contains(Self.mark), "\(name): \(error)")
            }
        }
        #expect(failures > Self.files.count / 2)
    }

    // MARK: Databases

    private static let values: [String: FieldValue] = [
        "text": .string("text \(mark)"), "number": .int64(7_316_295), "list": .list([.string(mark)]),
        "data": .data(Data(mark.utf8)),
    ]

    /// Calls that a database refuses, after a record with the values and one of each of their kinds were saved.
    private static let calls: [@Sendable (World) async throws -> Any] = [
        { try await $0.mine.save(record("b", ["text": .int64(7_316_295)])) },
        { try await $0.mine.save(record("b", ["number": .string(mark)])) },
        { try await $0.mine.save(record("b", ["list": .list([.string(mark), .int64(7_316_295)])])) },
        { try await $0.mine.save(record("b", ["list": .list([.list([.string(mark)])])])) },
        { try await $0.mine.save(record("b", ["fraction": .double(.nan), "text": .string(mark)])) },
        { try await $0.mine.save(record("b", ["bad name": .string(mark)])) },
        { try await $0.mine.save(record("b", ["o": .object(["a": .string(mark)])])) },
        {
            try await $0.mine.save(
                record("b", ["d": .data(Data(Array(repeating: Array(mark.utf8), count: 200_000).joined()))]))
        },
        { try await $0.mine.save(record("b", ["f": .asset(Asset(path: "/nowhere")), "text": .string(mark)])) },
        {
            try await $0.mine.save(
                record("b", ["r": .reference(RecordReference("none", action: .deleteSelf)), "text": .string(mark)]))
        },
        { try await $0.mine2.save(record("a", values)) },
        { try await $0.mine.save(record("a", values, type: "Other")) },
        { try await $0.mine.save(record("b", in: .init("None"), values)) },
        { try await $0.mine.modifyRecords(saving: [record("b", values), record("b", values)], deleting: []) },
        {
            try await $0.mine.modifyRecords(
                saving: [record("a", values), record("c", values)], deleting: [], atomically: true)
        },
        { try await $0.mine.recordPage(matching: Query("T", "text + 1 > 0"), in: .default) },
        { try await $0.mine.recordPage(matching: Query("T", "text == \(7_316_295)"), in: .default) },
        { try await $0.mine.recordPage(matching: Query("T", "number BEGINSWITH \("x\(mark)")"), in: .default) },
        { try await $0.mine.recordPage(matching: Query("T", "text MATCHES \("(\(mark)")"), in: .default) },
        { try await $0.mine.recordPage(matching: Query("T", "CAST(text, 'NSNumber') > number / 0"), in: .default) },
        { try await $0.mine.save(Subscription(recordType: "T", predicate: "text > \(7_316_295)", id: "s")) },
        { try await $0.nobody.privateDatabase.save(record("b", values)) },
    ]

    /// Everything that an error says of itself.
    private static func words(_ error: any Error) -> String {
        var words = "\(error) \(String(reflecting: error)) \(error.localizedDescription)"
        if let error = error as? DatabaseError {
            words += error.reason + (error.hint ?? "")
            for part in error.partialErrors.values { words += self.words(part) }
        }
        return words
    }

    @Test func callsThatFail() async throws {
        var failures = 0
        for (number, call) in Self.calls.enumerated() {
            let world = try await World()
            try await world.mine.put(record("a", Self.values))
            do {
                _ = try await call(world)
            } catch {
                failures += 1
                #expect(!Self.words(error).contains(Self.mark), "\(number): \(error)")
            }
        }
        #expect(failures > Self.calls.count * 3 / 4)
    }

    private struct Strict: Codable, RecordConvertible {
        enum Color: String, Codable { case red }
        static let recordType = "T"
        var text: Color
        var number: Int8
    }

    @Test func codingThatFails() throws {
        let wrong: [[String: FieldValue]] = [
            ["text": .string(Self.mark), "number": 1], ["text": "red", "number": .int64(7_316_295)],
            ["text": "red", "number": .string(Self.mark)], ["text": .int64(7_316_295), "number": 1],
        ]
        for fields in wrong {
            let error = #expect(throws: RecordCodingError.self) { try record("a", fields).value(as: Strict.self) }
            if let error { #expect(!Self.words(error).contains(Self.mark), "\(error)") }
        }
    }

    /// Stores with a damaged file: what they say of it quotes none of it.
    @Test func storesThatFail() async throws {
        let folder = TemporaryFolder()
        let world = try await World(storedAt: folder.url)
        for number in 0..<40 { try await world.mine.put(record("r\(number)", Self.values)) }
        try await world.alice.compact()
        for number in 40..<50 { try await world.mine.put(record("r\(number)", Self.values)) }
        for client in [world.alice2, world.bob, world.nobody, world.alice] { client.close() }
        let files = try #require(FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
        var failures = 0
        for file in files {
            let whole = try Data(contentsOf: file)
            for part in 1..<8 where whole.count > 16 {
                var damaged = whole
                let place = whole.count * part / 8
                for byte in place..<min(whole.count, place + 16) { damaged[byte] ^= 0x5A }
                try (part == 7 ? whole.prefix(place) : damaged).write(to: file)
                do {
                    let container = try Container(identifier: "test", storedAt: folder.url, account: .user(World.alice))
                    defer { container.close() }
                    for problem in try Container.verify(storedAt: folder.url) {
                        failures += 1
                        #expect(!"\(problem)".contains(Self.mark), "\(file.lastPathComponent): \(problem)")
                    }
                    _ = try await container.privateDatabase.recordPage(matching: Query("T", "text > 'a'"), in: .default)
                } catch {
                    failures += 1
                    #expect(!Self.words(error).contains(Self.mark), "\(file.lastPathComponent): \(error)")
                }
            }
            try whole.write(to: file)
        }
        #expect(failures > 3)
    }
}
