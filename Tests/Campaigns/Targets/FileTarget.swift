// Files from strangers: whatever bytes they hold, the answer is records within the limits or an error with its place.

import RecordDatabase
import RecordFiles
import RecordModel

/// Loads a file, reads every record of what was accepted, and compares what is written with what was read.
struct FileCheck: Sendable {
    /// Records of the files that were accepted.
    private(set) var records = 0

    /// Small files of every format.
    static let seeds: [(name: String, text: String)] = [
        (
            "a.ndjson",
            #"{"id":"a","type":"T","n":1.5,"s":"é\n\u00e9","l":[1,null,[2]],"p":{"latitude":1,"longitude":2}}"# + "\n"
                + #"{"id":"b","n":-3,"s":"","l":[],"o":{"x":{"y":[true,"z"]}},"r":{"reference":"a","action":"none"}}"#
                + "\n\n" + #"{"n":9007199254740993,"d":{"$date":"2026-01-02T03:04:05Z"},"b":{"$data":"AAEC"}}"# + "\n"
        ),
        ("a.json", #"[{"id":1,"a":[{"b":null}]}, {"id":2,"a":[]},{"a":[{"b":"\ud83d\ude00"}]}]"#),
        ("a.csv", "id,n,flag,\"a \"\"b\"\"\",when\n1,1.5,true,\"x,\ny\",2026-01-02T03:04:05Z\n2,,false,,\n"),
        ("a.csv", "\u{FEFF}name;height\r\nHügel;12\r\n\"Berg\";1e3\r\n"),
        ("a.tsv", "id\ttext\na\tone two\nb\t\"tab\there\"\n"),
    ]

    mutating func run(_ bytes: [UInt8], name: String, skipsBadLines: Bool) -> FuzzOutcome {
        var options = LoadOptions()
        options.limits.maximumMemory = 16 << 20
        options.limits.maximumRecordBytes = 1 << 16
        options.limits.maximumDepth = 64
        options.skipBadLines = skipsBadLines
        let set: RecordSet
        do throws(FileError) {
            set = try RecordSet(bytes: bytes, name: name, options: options)
        } catch {
            // Its description must hold for any place.
            return error.description.isEmpty ? .finding("an error without words") : .rejected
        }
        records += set.count
        let all = (0..<set.count).compactMap { set.record(at: $0) }
        guard all.count == set.count, (try? set.count(matching: "TRUEPREDICATE")) == set.count else {
            return .finding("records are missing: \(bytes)")
        }
        return difference(all, bytes).map { .finding($0) } ?? .accepted
    }

    /// What is written as NDJSON reads as the same records.
    private func difference(_ records: [Record], _ bytes: [UInt8]) -> String? {
        var json = JSONWriter(marksTexts: true)
        for record in records {
            json.bytes.append(UInt8(ascii: "{"))
            for (key, value) in [("id", record.id.recordName), ("type", record.type)] {
                json.write(key)
                json.bytes.append(UInt8(ascii: ":"))
                json.write(value)
                json.bytes.append(UInt8(ascii: ","))
            }
            for (name, value) in record.fields where name != "id" && name != "type" {
                json.write(name)
                json.bytes.append(UInt8(ascii: ":"))
                json.write(value)
                json.bytes.append(UInt8(ascii: ","))
            }
            json.bytes.removeLast()
            json.bytes += Array("}\n".utf8)
        }
        guard let again = try? RecordSet(bytes: json.bytes, name: "again.ndjson"), again.count == records.count else {
            return "what is written does not read: \(bytes)"
        }
        for (index, record) in records.enumerated() where again.record(at: index)?.fields != record.fields {
            return "record \(index) reads otherwise: \(bytes)"
        }
        return nil
    }
}

/// Files like other ones.
enum FileMutator {
    /// Pieces that mutations put in: signs of every format, numbers at their ends, bytes that are no text.
    private static let pieces: [[UInt8]] =
        [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\n", "\r\n", ";", "\t", "null", "true", "1e999", "-0", "0x1",
            "1.",
            "18446744073709551616", "-9223372036854775809", "1e-999", "\\u0000", "\\ud800", "\\udc00", "{\"$date\":1}",
            "{\"$date\":\"x\"}", "{\"latitude\":91,\"longitude\":0}", "{\"reference\":1}", "[[[[[[[[", "{\"a\":{\"a\":",
            "\"id\":\"a\",", "\"type\":\"T2\",", "\"\":1,", "\"a\":1,\"a\":2,", "\u{FEFF}", "\u{0}", "é",
        ].map { Array($0.utf8) } + [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD],
        ]

    /// A file that differs in a few places.
    static func mutated(_ seed: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 0...8, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes.removeSubrange(place..<end)
            case 1: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 2, 3: bytes.insert(contentsOf: generator.pick(Self.pieces), at: place)
            case 4: bytes.replaceSubrange(place..<end, with: generator.pick(Self.pieces))
            default: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
            }
        }
        return bytes
    }
}

extension FuzzTarget {
    /// A target of files: each is read under several names, with and without lines that may be skipped.
    private static func files(
        _ name: String, _ summary: String, readAs names: [String], like format: @escaping @Sendable (String) -> Bool
    ) -> FuzzTarget {
        FuzzTarget(
            name: name, summary: summary,
            run: { bytes in
                var check = FileCheck()
                var outcome = FuzzOutcome.rejected
                for (index, name) in names.enumerated() {
                    switch check.run(bytes, name: name, skipsBadLines: index == 1) {
                    case .finding(let finding): return .finding("\(name): \(finding)")
                    case .accepted: outcome = .accepted
                    case .rejected: break
                    }
                }
                return outcome
            },
            seeds: { FileCheck.seeds.filter { format($0.name) }.map { Array($0.text.utf8) } },
            mutated: { FileMutator.mutated($0, using: &$1) })
    }

    static let records = files(
        "records", "NDJSON and JSON: loaded under limits, written and loaded again",
        readAs: ["a.ndjson", "a.ndjson", "a.json", "a"], like: { $0.hasSuffix("json") })

    static let tables = files(
        "tables", "CSV and TSV: loaded under limits, written and loaded again",
        readAs: ["a.csv", "a.csv", "a.tsv", "a"], like: { $0.hasSuffix("sv") })
}
