// What is wrong with a file, and where; limits; bytes that are anything.

import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct BadInputTests {
    private struct Case {
        var text: String
        var line: Int
        var column: Int?
        var field: String?
        var kind: FileError.Kind
        var earlier: Int?
    }

    private static let cases: [Case] = [
        Case(text: #"{"a":1}"# + "\n" + #"{"a":}"#, line: 2, column: 6, kind: .malformed),
        Case(text: #"{"é":1,}"#, line: 1, column: 8, kind: .malformed),
        Case(text: #"{"a":1"#, line: 1, column: 7, kind: .malformed),
        Case(text: #"{"a":1} {"b":2}"#, line: 1, column: 9, kind: .malformed),
        Case(text: #"{"a":01}"#, line: 1, column: 6, kind: .malformed),
        Case(text: #"{"a":'x'}"#, line: 1, column: 6, kind: .malformed),
        Case(text: #"{a:1}"#, line: 1, column: 2, kind: .malformed),
        Case(text: #"{"a":nul}"#, line: 1, column: 6, kind: .malformed),
        Case(text: #"{"a":"x}"#, line: 1, column: 6, kind: .malformed),
        Case(text: #"{"a":"\x"}"#, line: 1, column: 7, kind: .malformed),
        Case(text: "{\"a\":\"\t\"}", line: 1, column: 7, kind: .malformed),
        Case(text: #"{"a":"\ud800"}"#, line: 1, column: 7, kind: .encoding),
        Case(text: #"{"a":"\udc00x"}"#, line: 1, column: 7, kind: .encoding),
        Case(text: #"{"a":"\ud800\u0041"}"#, line: 1, column: 7, kind: .encoding),
        Case(text: #"{"a":1e999}"#, line: 1, column: 6, kind: .value),
        Case(text: "5", line: 1, kind: .notARecord),
        Case(text: "[1]", line: 1, kind: .notARecord),
        Case(text: #"{"a":1,"b":2,"a":3}"#, line: 1, column: 18, field: "a", kind: .duplicate),
        Case(text: #"{"o":{"a":1,"a":3}}"#, line: 1, column: 6, field: "o", kind: .duplicate),
        Case(
            text: #"{"id":"x"}"# + "\n\n" + #"{"id":"x"}"#, line: 3, column: 7, field: "id", kind: .duplicate,
            earlier: 1),
        Case(text: #"{"id":"2"}"# + "\n" + #"{"a":1}"#, line: 2, field: "id", kind: .duplicate, earlier: 1),
        Case(text: #"{"id":[1]}"#, line: 1, column: 7, field: "id", kind: .value),
        Case(text: #"{"type":true}"#, line: 1, column: 9, field: "type", kind: .value),
        Case(text: #"{"a":1}"# + "\n{}\n" + #"{"a":"x"}"#, line: 3, column: 6, field: "a", kind: .mixture, earlier: 1),
        Case(text: #"{"a":true}"# + "\n" + #"{"a":1}"#, line: 2, column: 6, field: "a", kind: .mixture, earlier: 1),
        Case(text: #"{"a":[1]}"# + "\n" + #"{"a":["x"]}"#, line: 2, column: 6, field: "a", kind: .mixture, earlier: 1),
        Case(text: #"{"a":[1,"x"]}"#, line: 1, column: 6, field: "a", kind: .mixture, earlier: 1),
        Case(text: #"{"a":{"b":1}}"# + "\n" + #"{"a":[]}"#, line: 2, column: 6, field: "a", kind: .mixture, earlier: 1),
        Case(text: #"{"p":{"lat":91,"lon":0}}"#, line: 1, column: 6, field: "p", kind: .value),
        Case(text: #"{"p":{"type":"Point","coordinates":[0,91]}}"#, line: 1, column: 6, field: "p", kind: .value),
        Case(text: #"{"p":{"reference":"x","action":"explode"}}"#, line: 1, column: 6, field: "p", kind: .value),
        Case(text: #"{"p":{"$date":"yesterday"}}"#, line: 1, column: 6, field: "p", kind: .value),
        Case(text: #"{"p":{"$data":"%%%"}}"#, line: 1, column: 6, field: "p", kind: .value),
    ]

    @Test func badLines() throws {
        for (number, bad) in Self.cases.enumerated() {
            let error = #expect(throws: FileError.self, "\(bad.text)") { try load(bad.text) }
            #expect(error?.file == "f.ndjson", "\(bad.text)")
            #expect(error?.line == bad.line, "\(bad.text)")
            #expect(error?.column == bad.column, "\(bad.text)")
            #expect(error?.field == bad.field, "\(bad.text)")
            #expect(error?.kind == bad.kind, "\(bad.text)")
            #expect(error?.earlierLine == bad.earlier, "\(bad.text)")
            // Left out, the bad line leaves no trace: what it said of fields is forgotten.
            let after = #"{"id":"after\#(number)","a":"text","p":"text","o":"text"}"#
            let text = bad.text.split(separator: "\n").last.map { "\($0)\n\(after)\n" } ?? ""
            guard bad.earlier == nil || bad.earlier == bad.line else { continue }
            let loaded = try load(text) { $0.skipBadLines = true }
            #expect(loaded.report.skippedCount == 1, "\(bad.text)")
            #expect(loaded.records.count == 1, "\(bad.text)")
            #expect(loaded.records.schemas.first?.fields.map(\.name) == ["a", "p", "o"], "\(bad.text)")
            #expect(loaded.records.origins[0].line == 2)
        }
    }

    @Test func notUTF8() throws {
        for bytes: [UInt8] in [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
        ] {
            let text = Array("{\"a\":1}\n{\"a\":\"é".utf8) + bytes + Array("\"}\n".utf8)
            let error = #expect(throws: FileError.self) { try load(text) }
            #expect(error?.kind == .encoding, "\(bytes)")
            #expect(error?.line == 2)
            #expect(error?.column == 8)
        }
    }

    @Test func skippedLinesAreCounted() throws {
        var text = ""
        for number in 0..<300 { text += number % 2 == 0 ? "{\"n\":\(number)}\n" : "{\"n\":\"x\"}\n" }
        let loaded = try load(text) {
            $0.skipBadLines = true
            $0.maximumReportedErrors = 10
        }
        #expect(loaded.records.count == 150)
        #expect(loaded.report.skippedCount == 150)
        #expect(loaded.report.errors.count == 10)
        #expect((0..<150).map { loaded.records[$0]["n"] } == (0..<150).map { .int64(Int64($0 * 2)) })
        #expect(loaded.records[1].record.id.recordName == "3")
    }

    /// A line that is left out leaves nothing behind: here it would make the field one of texts.
    @Test func skippedLinesTeachNothing() throws {
        let text = """
            {"d":"2025-01-02T03:04:05Z","n":1}
            {"d":{"$string":"2025-01-02T03:04:05Z"},"n":"a mixture"}
            {"d":"2026-01-02T03:04:05Z","n":2}

            """
        let loaded = try load(text) { $0.skipBadLines = true }
        #expect(loaded.records.count == 2)
        #expect(loaded.records.schemas[0].type(of: "d") == .date)
        let kept = try load(text.replacing("a mixture\"", with: "").replacing("\"n\":\"", with: "\"n\":3"))
        #expect(kept.records.schemas[0].type(of: "d") == .string)
    }

    /// A type in many zones is one type.
    @Test func zonesAreNoTypes() throws {
        let text = (0..<1500).map { "{\"id\":\"r\",\"$zone\":\"z\($0)\",\"n\":\($0)}\n" }.joined()
        let loaded = try load(text + text.replacing("\"r\"", with: "\"s\""))
        #expect(loaded.records.count == 3000)
        #expect(loaded.records[2999]["n"] == 1499)
        let error = #expect(throws: FileError.self) { try load(text) { $0.loaderLimits.maximumSegmentTypes = 1000 } }
        #expect(error?.kind == .limit && error?.line == 1001)
    }

    @Test func limits() throws {
        let deep = "{\"a\":" + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000) + "}"
        let wide = "{" + (0..<50).map { "\"f\($0)\":1" }.joined(separator: ",") + "}"
        let many = (0..<50).map { "{\"type\":\"T\($0)\"}" }.joined(separator: "\n")
        // A hundred kilobytes that would fill gigabytes: the last record has every field.
        let full = "{" + (0..<4000).map { "\"f\($0)\":1" }.joined(separator: ",") + "}\n"
        let sparse = full + String(repeating: "{}\n", count: 10_000) + full
        let cases: [(String, (inout LoadLimits) -> Void)] = [
            (deep, { _ in }),
            (wide, { $0.maximumFields = 20 }),
            (many, { $0.maximumTypes = 20 }),
            (many, { $0.maximumRecords = 20 }),
            (many, { $0.maximumBytes = 20 }),
            (sparse, { $0.maximumMemory = 40 << 20 }),
            ("{\"a\":\"" + String(repeating: "x", count: 3 << 20) + "\"}", { $0.maximumRecordBytes = 1 << 20 }),
        ]
        for (text, change) in cases {
            let error = #expect(throws: FileError.self) { try load(text) { change(&$0.limits) } }
            #expect(error?.kind == .limit)
        }
        #expect(
            try load(full + String(repeating: "{}\n", count: 100)) { $0.limits.maximumMemory = 40 << 20 }.records.count
                == 101)
        let long = String(repeating: "x", count: 3 << 20)
        #expect(try load("{\"a\":1}\n{\"b\":\"\(long)\"}\n{\"a\":2}").records[1]["b"] == .string(long))
    }

    @Test func cannotBeRead() throws {
        for path in ["/nonexistent/file.ndjson", "/", "/dev/null/x"] {
            let error = #expect(throws: FileError.self) { try RecordFileReader().load(path: path) }
            #expect(error?.kind == .io)
            #expect(error?.file == path)
        }
        let reader = RecordFileReader()
        try reader.load(path: "/dev/null")
        #expect(reader.finish().records.count == 0)
    }

    @Test func cancellationAndProgress() throws {
        let text = String(repeating: "{\"a\":1}\n", count: 400_000)
        let error = #expect(throws: FileError.self) { try load(text) { $0.progress = { $0.records < 100_000 } } }
        #expect(error?.kind == .cancelled)
    }

    /// Random bytes, and good files with bytes changed, give a table or an error.
    @Test func anyBytes() throws {
        var state: UInt64 = 42
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        let good =
            Array(
                #"{"id":"a","n":1.5,"s":"\u00e9\n","l":[1,null,[2]],"p":{"lat":1,"lon":2},"r":{"reference":"x","action":"none"},"o":{"$date":3}}"#
                    .utf8) + [0x0A]
        let alphabet = Array("{}[]\",:\\nu0123456789eE+-.truefalsnl \r\n\t\u{1}é".utf8)
        for round in 0..<600 {
            var bytes = round % 3 == 0 ? [] : good + good
            if round % 3 == 0 {
                for _ in 0..<Int(next() % 60) { bytes.append(alphabet[Int(next()) % alphabet.count]) }
            } else {
                for _ in 0..<Int(next() % 4 + 1) {
                    bytes[Int(next()) % bytes.count] =
                        round % 3 == 1 ? alphabet[Int(next()) % alphabet.count] : UInt8(truncatingIfNeeded: next())
                }
            }
            for name in ["f.ndjson", "f.json", "f.csv", "f"] {
                let loaded = try? load(bytes, name: name) { $0.skipBadLines = round % 2 == 0 }
                guard let table = loaded?.records else { continue }
                for position in 0..<table.count {
                    var writer = JSONWriter()
                    writer.write(row: table[position], keys: table.keys, includesName: true, includesType: true)
                    let isJSON = (try? JSONReader.tree(writer.bytes)) != nil
                    #expect(isJSON, "\(bytes)")
                }
            }
        }
    }
}
