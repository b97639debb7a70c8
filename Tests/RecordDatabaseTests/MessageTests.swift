// Messages of errors tell fields, kinds and places, and nothing of what records hold.

import Foundation
import RecordDatabase
import Testing

@Suite struct MessageTests {
    /// What is sought in messages: texts, names and numbers of the records have it.
    private static let mark = "7316295"

    private static let record = Record(
        type: "Note", id: Record.ID("name\(mark)"),
        fields: [
            "text": .string("text \(mark)"), "pattern": .string("(\(mark)"), "number": .int64(7_316_295),
            "fraction": .double(7316295.5), "zero": .int64(0), "date": .date(Date(timeIntervalSince1970: 7_316_295)),
            "list": .list([.string(mark), .string("b\(mark)")]), "numbers": .list([.int64(7_316_295)]),
            "data": .data(Data(mark.utf8)), "reference": .reference(Reference("to\(mark)")),
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

    @Test func questionsThatFail() throws {
        let set = try RecordSet(records: [Self.record])
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
}
