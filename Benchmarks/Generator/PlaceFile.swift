// Generated places as an NDJSON file.

import FoundationEssentials

/// The file of a generated set.
enum PlaceFile {
    /// Writes all places of a generator as NDJSON. Returns the file's size in bytes.
    @discardableResult
    static func write(_ generator: PlaceGenerator, to path: String) throws -> Int {
        let file = try OutputFile(path)
        var size = 0
        var buffer: [UInt8] = []
        for index in 0..<generator.count {
            generator[index].appendJSON(to: &buffer)
            if buffer.count > 1 << 20 || index == generator.count - 1 {
                try file.write(buffer)
                size += buffer.count
                buffer.removeAll(keepingCapacity: true)
            }
        }
        return size
    }

    /// The path of the NDJSON file of that many places; writes it on first use.
    static func path(count: Int) throws -> String {
        let path = ".build/benchmarks/places_\(count).ndjson"
        if !FileManager.default.fileExists(atPath: path) {
            // Renamed when whole, so that an interrupted run leaves no short file behind.
            try write(PlaceGenerator(count: count), to: path + ".part")
            try FileManager.default.moveItem(atPath: path + ".part", toPath: path)
        }
        return path
    }
}

extension PlaceFile {
    /// The places of an NDJSON file.
    static func read(_ path: String) throws -> [Place] {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw UsageError(description: "cannot read \(path)")
        }
        let decoder = JSONDecoder()
        return try bytes.split(separator: UInt8(ascii: "\n")).map { try decoder.decode(Place.self, from: $0) }
    }
}
