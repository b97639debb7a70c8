// Cases of the line protocol as field values.

import Foundation
import RecordModel

/// One case: a predicate, its arguments, and what it must say of a value or a list of values.
struct Fixture {
    var id: String
    var predicate: String
    var arguments: [FieldValue]
    var variables: [String: FieldValue]
    var value: FieldValue
    var values: [FieldValue]?
    /// The expected indices of a filter, or `[0]` and `[]` for true and false; nil when the case must fail.
    var matches: [Int]?

    init?(_ line: Data) throws {
        guard let object = try JSONSerialization.jsonObject(with: line) as? [String: Any],
            let id = object["id"] as? String, let predicate = object["predicate"] as? String
        else { return nil }
        self.id = id
        self.predicate = predicate
        arguments = (object["arguments"] as? [Any] ?? []).map(FieldValue.init(json:))
        variables = (object["variables"] as? [String: Any] ?? [:]).mapValues(FieldValue.init(json:))
        value = FieldValue(json: object["value"] ?? NSNull())
        values = (object["values"] as? [Any])?.map(FieldValue.init(json:))
        if let indices = object["expect"] as? [Int] {
            matches = indices
        } else if let truth = object["expect"] as? Bool {
            matches = truth ? [0] : []
        }
    }

    /// The cases of a file of this target's fixtures.
    static func load(_ name: String) throws -> [Fixture] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        return try data.split(separator: 0x0A).compactMap { try Fixture(Data($0)) }
    }
}

extension FieldValue {
    /// The value that a JSON value of the line protocol stands for.
    init(json: Any) {
        switch json {
        case let number as NSNumber:
            // The kinds that JSON text tells apart: truth value, integer, number with a point or an exponent.
            switch String(cString: number.objCType) {
            case "c", "B": self = .bool(number.boolValue)
            case "d", "f": self = .double(number.doubleValue)
            default: self = .int64(number.int64Value)
            }
        case let text as String: self = .string(text)
        case let elements as [Any]: self = .list(elements.map(FieldValue.init(json:)))
        case let members as [String: Any]:
            if let seconds = members["$date"] as? NSNumber {
                self = .date(Date(timeIntervalSince1970: seconds.doubleValue))
            } else if let text = members["$date"] as? String, let date = RFC3339.date(text) {
                self = .date(date)
            } else if let text = members["$data"] as? String, let data = Data(base64Encoded: text) {
                self = .data(data)
            } else if let elements = members["$set"] as? [Any] {
                self = .set(elements.map(FieldValue.init(json:)))
            } else {
                self = .object(members.mapValues(FieldValue.init(json:)))
            }
        default: self = .null
        }
    }
}
