// The verbs that make, fill, ask and look after stores in folders.

import Foundation
import Testing

@Suite struct StoreCommandTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "stores-\(UUID().uuidString)")

    private static let records = [
        #"{"id":"a","type":"City","name":"Kyiv","population":2950000,"place":{"latitude":50.45,"longitude":30.52}}"#,
        #"{"id":"b","type":"City","name":"Lviv","population":720000,"tags":["old","west"],"part":0.5,"whole":2.0}"#,
        #"{"id":"c","type":"City","name":"Odesa","founded":"1794-09-02T00:00:00Z","near":{"reference":"a","action":"none"}}"#,
        #"{"id":"d","type":"Port","name":"","ships":0,"raw":{"$data":"AAEC"}}"#,
    ]

    private func file(_ name: String, _ text: String) throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: name)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    @Test func importedRecordsComeOutAgain() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = try file("in.ndjson", Self.records.joined(separator: "\n"))
        let store = folder.appending(path: "s").path
        let imported = try CommandRun(["import", store, input])
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.errors.contains("4 records saved"))
        let exported = try CommandRun(["export", store])
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(exported.lines.count == 4)
        // What is imported into another store is exported alike.
        let again = folder.appending(path: "t").path
        #expect(try CommandRun(["import", again, "-"], input: exported.output).status == 0)
        #expect(try CommandRun(["export", again]).output == exported.output)
        #expect(exported.lines[1].contains(#""part":0.5"#) && exported.lines[1].contains(#""tags":["old","west"]"#))
        let csv = try CommandRun(["export", store, "--type", "City", "-o", "csv"])
        #expect(csv.lines.count == 4 && csv.lines[0].hasPrefix("id,type,founded:TIMESTAMP,name:STRING,"))
        // A call that came to its end is a new one when it is repeated.
        #expect(try CommandRun(["import", store, input]).errors.hasPrefix("4 records saved"))
        // A store is no file of records.
        let other = folder.appending(path: "other").path
        let copied = try CommandRun(["import", other, store])
        #expect(copied.status == 2 && copied.errors.contains("predicate export"), "\(copied.errors)")
        let none = try CommandRun(["import", other, input, "--type", "Nope"])
        #expect(none.status == 1 && none.errors.contains("no record is of type 'Nope'"), "\(none.errors)")
        #expect(!FileManager.default.fileExists(atPath: other))
    }

    /// Of files with records of several types, those of one are saved, whatever lies between them and in how many
    /// pieces.
    @Test(arguments: ["1", "2", "3", "250000"])
    func importsOneType(batch: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let records = "ABBACBBA".enumerated().map { #"{"id":"r\#($0)","type":"\#($1)","n":\#($0)}"# }
        let input = try file("mixed.ndjson", records.joined(separator: "\n"))
        for (type, names) in [("A", "r0 r3 r7"), ("B", "r1 r2 r5 r6"), ("C", "r4")] {
            let store = folder.appending(path: type).path
            let run = try CommandRun(["import", store, input, "--type", type, "--batch", batch])
            #expect(run.status == 0, "\(run.errors)")
            let found = try CommandRun(["query", "TRUEPREDICATE", store, "--format", "ids"])
            #expect(found.lines.joined(separator: " ") == names)
            #expect(run.errors.hasPrefix("\(found.lines.count) record"), "\(run.errors)")
        }
    }

    /// A parent is a reference, and nothing is saved where one is something else.
    @Test func parentsAreReferences() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appending(path: "s").path
        let good = #"{"id":"a","type":"T","n":1}"# + "\n"
        for (name, text, place) in [
            ("p.ndjson", good + #"{"id":"b","type":"T","$parent":5}"#, "p.ndjson:2: field '$parent'"),
            ("q.ndjson", #"{"id":"b","type":"T","$parent":"a"}"#, "q.ndjson:1: field '$parent'"),
            ("p.csv", "id,type,$parent\na,T,\nb,T,a\n", "p.csv:3: field '$parent'"),
        ] {
            let run = try CommandRun(["import", store, try file(name, text)])
            #expect(run.status == 3 && run.errors.contains(place + ": expected a reference"), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: store))
        }
        let below =
            #"{"id":"b","type":"T","$parent":{"reference":"a"}}"# + "\n" + #"{"id":"c","type":"T","$parent":null}"#
        let run = try CommandRun(["import", store, try file("good.ndjson", good + below)])
        #expect(run.status == 0 && run.errors.contains("3 records saved"), "\(run.errors)")
    }

    @Test func storesAreQueriedLikeFiles() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appending(path: "s").path
        #expect(try CommandRun(["import", store, "-"], input: Self.records.joined(separator: "\n")).status == 0)
        let count = try CommandRun(["query", "population > 800000", "--database", store, "--count"])
        #expect(count.output == "1\n", "\(count.errors)")
        let names = try CommandRun(["query", "name BEGINSWITH 'L'", store, "--fields", "name"])
        #expect(names.output.contains("Lviv"), "\(names.errors)")
        let session = try CommandRun(["open", store], input: ".limit 2\nname != ''\n")
        #expect(session.status == 0 && session.output.contains("Kyiv"), "\(session.errors)")
        #expect(try CommandRun(["query", "TRUEPREDICATE", store, "--scope", "public", "--count"]).output == "0\n")
    }

    @Test func storesAreLookedAfter() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appending(path: "s").path
        let copy = folder.appending(path: "copy").path
        #expect(try CommandRun(["create", store]).status == 0)
        #expect(try CommandRun(["create", store]).status == 2)
        #expect(try CommandRun(["import", store, "-"], input: Self.records.joined(separator: "\n")).status == 0)
        let sizes = try CommandRun(["stat", store])
        #expect(sizes.output.contains("City") && sizes.output.contains("records and indexes"), "\(sizes.errors)")
        #expect(try CommandRun(["stat", store, "--format", "json"]).output.hasPrefix("{"))
        #expect(try CommandRun(["compact", store]).output.contains("bytes before"))
        #expect(try CommandRun(["reindex", store]).output == "0 indexes rebuilt\n")
        #expect(try CommandRun(["reindex", folder.appending(path: "none").path]).status == 4)
        #expect(try CommandRun(["backup", store, copy]).status == 0)
        #expect(try CommandRun(["backup", store, copy]).status == 2)
        // A copy within the store would be a part of what it copies.
        for inside in ["\(store)/copy", "\(store)/a/../b/copy", "\(store)/segments/copy"] {
            let rejected = try CommandRun(["backup", store, inside])
            #expect(rejected.status == 2 && rejected.errors.contains("in the store itself"), "\(rejected)")
        }
        #expect(try CommandRun(["backup", store, "\(store)/../beside"]).status == 0)
        #expect(try CommandRun(["verify", copy]).output == "ok\n")
        #expect(try CommandRun(["export", copy]).output == CommandRun(["export", store]).output)
        let files = try FileManager.default.contentsOfDirectory(atPath: copy + "/segments")
        let segment = try #require(files.first)
        let path = URL(filePath: "\(copy)/segments/\(segment)")
        var bytes = try Data(contentsOf: path)
        for index in stride(from: 64, to: bytes.count, by: 5) { bytes[index] ^= 1 }
        try bytes.write(to: path)
        let damaged = try CommandRun(["verify", copy])
        #expect(damaged.status == 3 && damaged.errors.contains(segment), "\(damaged.output)")
        #expect(try CommandRun(["stat", folder.appending(path: "none").path]).status == 4)
    }

    @Test func anAssetWhoseBytesChangedIsFound() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let asset = try file("a.bin", "bytes of an asset")
        let input = try file("in.ndjson", #"{"id":"x","type":"City","file":{"$asset":"\#(asset)"}}"#)
        let store = folder.appending(path: "s")
        #expect(try CommandRun(["import", store.path, input]).status == 0)
        #expect(try CommandRun(["verify", store.path]).output == "ok\n")
        let names = try FileManager.default.contentsOfDirectory(atPath: store.path + "/assets")
        #expect(names.count == 1)
        let kept = store.appending(path: "assets/\(names.first ?? "")")
        try Data("bytes of an essay".utf8).write(to: kept)
        let changed = try CommandRun(["verify", store.path])
        #expect(changed.status == 3 && changed.output.isEmpty)
        let fault = "error: \(kept.path): the bytes of an asset were changed\n"
        #expect(changed.errors.hasPrefix(fault), "\(changed.errors)")
        try FileManager.default.removeItem(at: kept)
        let gone = try CommandRun(["verify", store.path])
        #expect(gone.status == 3 && gone.errors.contains("the file of an asset is not there"), "\(gone.errors)")
        // Nothing else depends on it.
        #expect(try CommandRun(["query", "TRUEPREDICATE", store.path, "--count"]).output == "1\n")
    }

    /// What `predicate stat` prints as JSON.
    private struct Sizes: Decodable {
        var tableBytes: Int
        var freeBytes: Int
        var logBytes: Int
    }

    @Test func freeRoomIsThatOfPagesNobodyUses() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let lines = (0..<400).map { #"{"id":"r\#($0)","type":"T","text":"words of record \#($0)"}"# }
        let input = try file("in.ndjson", lines.joined(separator: "\n"))
        let store = folder.appending(path: "s").path
        func sizes() throws -> Sizes {
            let output = try CommandRun(["stat", store, "-o", "json"]).output
            return try JSONDecoder().decode(Sizes.self, from: Data(output.utf8))
        }
        // Every piece leaves pages behind.
        #expect(try CommandRun(["import", store, input, "--batch", "20"]).status == 0)
        let before = try sizes()
        #expect(before.freeBytes > 0 && before.freeBytes % 4096 == 0 && before.tableBytes % 4096 == 0)
        // Two pages say where the tables are, and each table has one at least.
        #expect(before.freeBytes + before.logBytes <= before.tableBytes - 4 * 4096, "\(before)")
        #expect(try CommandRun(["compact", store]).status == 0)
        let after = try sizes()
        #expect(after.freeBytes < before.freeBytes && after.freeBytes <= 4 * 4096, "\(before) \(after)")
        #expect(after.tableBytes <= before.tableBytes - before.freeBytes + 4 * 4096, "\(before) \(after)")
        let text = try CommandRun(["stat", store]).lines
        #expect(
            text.contains("tables: \(Self.grouped(after.tableBytes)) bytes, \(Self.grouped(after.freeBytes)) free"),
            "\(text)")
    }

    private static func grouped(_ number: Int) -> String {
        number < 1000 ? "\(number)" : "\(number / 1000)," + String("\(1000 + number % 1000)".dropFirst())
    }
}
