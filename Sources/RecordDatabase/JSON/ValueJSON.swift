// Field values in JSON: the arguments of predicates and the line protocol, and records written out.
//
// null, Booleans, numbers (with a point or an exponent: double, else a 64-bit integer), strings, lists, and objects of nested
// values; besides `{"$date": seconds | "RFC 3339"}`, `{"$data": "base64"}`, `{"$set": […]}`, `{"latitude", "longitude"}`
// and `{"reference", "action"}`.

import FoundationEssentials
import Geospatial
import RecordModel

/// JSON that does not say a field value.
package struct ValueJSONError: Error, Hashable, Sendable {
    package var message: String
}

extension FieldValue {
    /// The value that a JSON value stands for.
    /// - Throws: `ValueJSONError` for a `$date`, `$data` or `$set` of the wrong form, or a place that is not on the Earth.
    package init(_ json: JSONValue) throws(ValueJSONError) {
        switch json {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .integer(let number): self = .int64(number)
        case .double(let number): self = .double(number)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .list(try Self.values(elements))
        case .object(let members):
            if let tagged = try Self.tagged(json, members) {
                self = tagged
            } else {
                self = .object(try Self.nested(members))
            }
        }
    }

    private static func values(_ elements: [JSONValue]) throws(ValueJSONError) -> [FieldValue] {
        var values: [FieldValue] = []
        for element in elements { values.append(try FieldValue(element)) }
        return values
    }

    private static func nested(_ members: [JSONValue.Member]) throws(ValueJSONError) -> [String: FieldValue] {
        var values: [String: FieldValue] = [:]
        for member in members { values[member.name] = try FieldValue(member.value) }
        return values
    }

    /// The value of an object that names its kind; `nil` for any other object.
    private static func tagged(
        _ json: JSONValue, _ members: [JSONValue.Member]
    ) throws(ValueJSONError) -> FieldValue? {
        switch Set(members.map(\.name)) {
        case ["$date"]: return try date(json["$date"])
        case ["$data"]:
            guard case .string(let text)? = json["$data"], let data = Data(base64Encoded: text) else {
                throw ValueJSONError(message: "'$data' takes base64 text")
            }
            return .data(data)
        case ["$set"]:
            guard case .array(let elements)? = json["$set"] else {
                throw ValueJSONError(message: "'$set' takes a list")
            }
            return .set(try values(elements))
        case ["latitude", "longitude"]:
            guard let latitude = json["latitude"]?.number, let longitude = json["longitude"]?.number else { return nil }
            let place = Location(latitude: latitude, longitude: longitude)
            guard place.isValid else { throw ValueJSONError(message: "the degrees of a place are out of range") }
            return .location(place)
        case ["reference"], ["reference", "action"]:
            guard case .string(let name)? = json["reference"] else { return nil }
            guard let action = json["action"] else { return .reference(Reference(name)) }
            guard case .string(let word) = action, let known = Reference.Action(rawValue: word) else {
                throw ValueJSONError(message: "the 'action' of a reference is \"none\" or \"deleteSelf\"")
            }
            return .reference(Reference(name, action: known))
        default: return nil
        }
    }

    private static func date(_ json: JSONValue?) throws(ValueJSONError) -> FieldValue {
        if let seconds = json?.number { return .date(Date(timeIntervalSince1970: seconds)) }
        if case .string(let text)? = json, let date = RFC3339.date(text) { return .date(date) }
        throw ValueJSONError(message: "'$date' takes seconds since 1970 or a date such as \"2024-05-01T12:00:00Z\"")
    }
}

extension JSONValue {
    /// The value of a number, `nil` for anything else.
    package var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// The JSON of a field value as record files hold it: dates as RFC 3339 text, data as base64 text,
    /// references and places as objects, keys of nested objects in order.
    package init(_ value: FieldValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let flag): .bool(flag)
            case .int64(let number): .integer(number)
            case .double(let number): .double(number)
            case .string(let text): .string(text)
            case .date(let date): .string(RFC3339.text(of: date))
            case .data(let data): .string(data.base64EncodedString())
            case .location(let place):
                .members(["latitude": .double(place.latitude), "longitude": .double(place.longitude)])
            case .reference(let reference):
                .members([
                    "reference": .string(reference.recordID.recordName), "action": .string(reference.action.rawValue),
                ])
            case .asset(let asset): .string(asset.path)
            case .list(let elements), .set(let elements): .array(elements.map { JSONValue($0) })
            case .object(let values):
                .object(values.sorted { $0.key < $1.key }.map { Member($0.key, JSONValue($0.value)) })
            }
    }
}
