// `load`: megabytes of NDJSON a second into a record set, beside Foundation's decoders.

import Foundation
import RecordColumns
import RecordFiles

/// Times loading a file without indexes.
enum LoadSuite: Suite {
    static let name = "load"
    static let summary = "[--data FILE] [--budget MS] [--no-peers]: load NDJSON (20,000 places) without indexes"

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["data", "budget"], flags: ["no-peers"])
        let budget = Double(try options.count("budget", default: 1000)) / 1000
        let path = try options["data"] ?? PlaceFile.path(count: 20_000)
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw UsageError(description: "cannot read \(path)")
        }
        print(Machine.current().line)
        print("\(path), \(bytes.count.separated) bytes")
        var table = TextTable(["reader", "records", "MB/s", "MB/CPU-s", "median ms", "min ms", "runs"])
        var expected: Int?
        func add(_ name: String, runs: Int, _ read: () throws -> Int) throws {
            var count = 0
            let time = try Measurement.of(runs: runs, budget: budget) { count = try read() }
            table.add([
                name, count.separated, (Double(bytes.count) / time.median / 1e6).figure,
                (Double(bytes.count) / time.processor / 1e6).figure, (time.median * 1e3).figure,
                (time.minimum * 1e3).figure, String(time.runs),
            ])
            guard count == expected ?? count else {
                throw WrongResult(description: "\(name) read \(count) records, not \(expected ?? 0)")
            }
            expected = count
        }
        try add("ours, into typed columns", runs: 10) {
            let reader = RecordFileReader()
            try reader.load(path: path)
            return reader.finish().records.count
        }
        defer { print(table.text) }
        if options.has("no-peers") { return }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        try add("JSONSerialization, a line at a time", runs: 5) {
            try lines.count { try JSONSerialization.jsonObject(with: $0) is [String: Any] }
        }
        let decoder = JSONDecoder()
        func decode<Value: Decodable>(_ type: Value.Type, _ name: String) throws {
            guard let first = lines.first, (try? decoder.decode(type, from: first)) != nil else { return }
            try add("JSONDecoder into a \(name), a line at a time", runs: 5) {
                try lines.map { try decoder.decode(type, from: $0) }.count
            }
        }
        try decode(Place.self, "place")
        try decode(City.self, "city")
    }
}

/// The fields of a line of the cities file, for Foundation's decoder.
private struct City: Decodable {
    struct Coordinate: Decodable {
        var latitude: Double
        var longitude: Double
    }
    var id: String
    var name: String
    var asciiName: String?
    var altNames: [String]?
    var country: String
    var admin1: String?
    var kind: String?
    var population: Int
    var elevation: Double?
    var timezone: String?
    var modified: String?
    var location: Coordinate
}
