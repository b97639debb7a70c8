// A list of queries to time, read from JSON.

import FoundationEssentials
import Geospatial
import RecordModel

/// One query of a workload.
struct WorkloadQuery: Decodable {
    /// Names the query in the report.
    var id: String
    /// The predicate's text.
    var predicate: String
    var arguments: [WorkloadValue]?
    var variables: [String: WorkloadValue]?
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

/// An argument of a query, in the JSON form of the command's arguments.
enum WorkloadValue: Decodable {
    case value(FieldValue)

    var fieldValue: FieldValue {
        switch self {
        case .value(let value): value
        }
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            self = .value(try Self.object(container))
        } else if let elements = try? [WorkloadValue](from: decoder) {
            self = .value(.list(elements.map(\.fieldValue)))
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .value(.null)
            } else if let truth = try? container.decode(Bool.self) {
                self = .value(.bool(truth))
            } else if let number = try? container.decode(Int64.self) {
                self = .value(.int64(number))
            } else if let number = try? container.decode(Double.self) {
                self = .value(.double(number))
            } else {
                self = .value(.string(try container.decode(String.self)))
            }
        }
    }

    private static func object(_ container: KeyedDecodingContainer<Key>) throws -> FieldValue {
        func decode<T: Decodable>(_ type: T.Type, _ key: String) -> T? {
            try? container.decode(type, forKey: Key(stringValue: key))
        }
        if let latitude = decode(Double.self, "latitude"), let longitude = decode(Double.self, "longitude") {
            return .location(Location(latitude: latitude, longitude: longitude))
        }
        if let name = decode(String.self, "reference") { return .reference(Reference(name)) }
        if let seconds = decode(Double.self, "$date") { return .date(Date(timeIntervalSince1970: seconds)) }
        var fields: [String: FieldValue] = [:]
        for key in container.allKeys {
            fields[key.stringValue] = try container.decode(WorkloadValue.self, forKey: key).fieldValue
        }
        return .object(fields)
    }
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
