// A list of queries to time, read from JSON.

import FoundationEssentials
import RecordModel

/// One query of a workload.
struct WorkloadQuery: Decodable {
    /// Names the query in the report.
    var id: String
    /// The predicate's text.
    var predicate: String
    /// Values of the placeholders, in the JSON form of field values.
    var arguments: [FieldValue]?
    var variables: [String: FieldValue]?
    /// Sort keys such as `created:desc` and `distance(location,LAT,LON)`, most significant first.
    var sort: [String]?
    var limit: Int?
    var mode: Mode?

    /// What a query delivers.
    enum Mode: String, Codable {
        /// How many records match.
        case count
        /// The identifiers of the records that match.
        case ids
        /// The records that match.
        case records
    }

    /// The name shared by the modes of a query: `Q1a` of `Q1a.count`.
    var family: String { String(id.prefix { $0 != "." }) }
}

extension WorkloadQuery {
    /// The queries of a file.
    static func read(_ path: String) throws -> [WorkloadQuery] {
        try readJSON([WorkloadQuery].self, path)
    }
}

/// Decodes a JSON file whose keys are as the properties, or in snake case.
func readJSON<Value: Decodable>(_ type: Value.Type, _ path: String, snakeCase: Bool = false) throws -> Value {
    guard let bytes = FileManager.default.contents(atPath: path) else {
        throw UsageError(description: "cannot read \(path)")
    }
    do {
        let decoder = JSONDecoder()
        if snakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        return try decoder.decode(type, from: bytes)
    } catch {
        throw UsageError(description: "\(path): \(error)")
    }
}

/// Writes a value as JSON, keys in snake case and in order.
func writeJSON(_ value: some Encodable, _ path: String) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try OutputFile(path).write(Array(encoder.encode(value)) + [UInt8(ascii: "\n")])
}
