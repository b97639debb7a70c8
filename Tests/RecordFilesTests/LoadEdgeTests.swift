// Lines as long as they may be, texts of several files, cells that are no numbers, and keys that lead nowhere.

import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct LoadEdgeTests {
    @Test("A line may be as long as the limit, and no longer", arguments: ["", "\n", "\n{}\n"])
    func longestLine(rest: String) throws {
        let line = #"{"id":"a","t":""# + String(repeating: "x", count: 5_000) + #""}"#
        let count = line.utf8.count
        let loaded = try load(line + rest) { $0.limits.maximumRecordBytes = count }
        #expect(loaded.records[0].recordName == "a")
        let error = #expect(throws: FileError.self) {
            try load(line + rest) { $0.limits.maximumRecordBytes = count - 1 }
        }
        #expect(error?.kind == .limit && error?.line == 1)
    }

    @Test("Records of files without texts have none, whatever files are beside theirs")
    func textsOfSeveralFiles() throws {
        var options = LoadOptions()
        options.keepsSource = true
        let reader = RecordFileReader(options: options)
        let lines = [#"{"x":1}"#, #"{"x":2}"#]
        try reader.load(bytes: Array("c\n5\n6\n".utf8), name: "one.csv")
        try reader.load(bytes: Array((lines[0] + "\n" + lines[1] + "\n").utf8), name: "two.ndjson")
        try reader.load(bytes: Array("c\n7\n".utf8), name: "three.csv")
        let loaded = reader.finish()
        try #require(loaded.records.count == 5)
        let source = try #require(loaded.source)
        var texts: [String?] = []
        for place in 0..<5 { texts.append(try source.text(place).map { String(decoding: $0, as: UTF8.self) }) }
        #expect(texts == [nil, nil, lines[0], lines[1], nil])
    }

    @Test(
        "Columns of numbers take what is no number where it is a fraction",
        arguments: [
            ("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf"),
        ])
    func numbersWithoutDigits(cell: String, words: String) throws {
        for type in ["DOUBLE", "NUMBER"] {
            let value = try load("a:\(type)\n\(cell)\n", name: "f.csv").records[0]["a"]
            guard case .double(let number) = value else {
                Issue.record("\(type): \(value)")
                continue
            }
            #expect(number.description == words, "\(type)")
        }
        let error = #expect(throws: FileError.self) { try load("a:INT64\n1\n\(cell)\n", name: "f.csv") }
        #expect(error?.kind == .value && error?.field == "a" && error?.line == 3, "\(String(describing: error))")
    }

    @Test("A key that no record has leads to none, whatever zones there are")
    func keysThatNoRecordHas() throws {
        let text = """
            {"type":"Order","id":"o","who":"x"}
            {"type":"Person","id":"x","code":"y","$zone":"unmatched"}
            {"type":"Person","id":"x","code":"z","$zone":"unmatched_"}

            """
        let joined = try load(text).records.joined([KeyJoin(field: "who", type: "Person", key: "code")]).records
        let records = (0..<joined.count).map { joined[$0].record }
        let order = try #require(records.first { $0.type == "Order" })
        let who: FieldValue = order["who"]
        guard case .reference(let reference) = who else {
            Issue.record("\(who)")
            return
        }
        #expect(reference.recordID.recordName == "x")
        #expect(records.count == 3 && !records.contains { $0.id == reference.recordID })
    }
}
