// Field values as the web service writes them: a value and the name of its type.

import FoundationEssentials
import Geospatial
import RecordFiles
import RecordModel

/// The web service's names of types.
enum FilterValueType: String, CaseIterable {
    case string = "STRING"
    case int64 = "INT64"
    case double = "DOUBLE"
    case timestamp = "TIMESTAMP"
    case bytes = "BYTES"
    case location = "LOCATION"
    case reference = "REFERENCE"

    static let listSuffix = "_LIST"
}

/// Reads and writes `{"value": …, "type": "INT64"}`.
enum FilterValue {
    // MARK: Reading

    /// The value of a `fieldValue`; without a type the JSON tells it.
    static func read(_ json: JSONValue, at place: String) throws(FilterError) -> FieldValue {
        let members = try json.members(of: ["value", "type"], at: place)
        guard let value = members["value"] else { throw FilterError(.structure, place, "value is missing") }
        guard let type = members["type"] else { return try untyped(value, "\(place).value") }
        let name = try type.string(at: "\(place).type")
        let isList = name.hasSuffix(FilterValueType.listSuffix)
        let element = isList ? String(name.dropLast(FilterValueType.listSuffix.count)) : name
        guard let known = FilterValueType(rawValue: element) else {
            throw FilterError(
                .value, "\(place).type", "no such type of values that can be compared",
                hint: FilterValueType.allCases.map(\.rawValue).joined(separator: ", ") + ", each also with _LIST")
        }
        guard isList else { return try read(value, known, "\(place).value") }
        var elements: [FieldValue] = []
        for (index, element) in try value.elements(at: "\(place).value").enumerated() {
            elements.append(try read(element, known, "\(place).value[\(index)]"))
        }
        return .list(elements)
    }

    private static func untyped(_ json: JSONValue, _ place: String) throws(FilterError) -> FieldValue {
        switch json {
        case .string(let text): return .string(text)
        case .int64(let number): return .int64(number)
        case .double(let number): return .double(number)
        case .bool(let value): return .bool(value)
        case .null: throw FilterError(.value, place, "null is no value to compare with")
        case .object: return try read(json, json["recordName"] != nil ? .reference : .location, place)
        case .array(let elements):
            var values: [FieldValue] = []
            for (index, element) in elements.enumerated() { values.append(try untyped(element, "\(place)[\(index)]")) }
            return .list(values)
        }
    }

    private static func read(
        _ json: JSONValue, _ type: FilterValueType, _ place: String
    ) throws(FilterError) -> FieldValue {
        switch (type, json) {
        case (.string, .string(let text)): return .string(text)
        case (.int64, .int64(let number)): return .int64(number)
        case (.int64, .bool(let value)): return .int64(value ? 1 : 0)
        case (.double, _):
            if let number = json.number { return .double(number) }
        case (.timestamp, _):
            if let number = json.number { return .date(Date(timeIntervalSince1970: number / 1000)) }
        case (.bytes, .string(let text)):
            if let data = Data(base64Encoded: text) { return .data(data) }
        case (.location, _): return .location(try location(json, place))
        case (.reference, _): return .reference(try reference(json, place))
        default: break
        }
        throw FilterError(.value, place, "the value is not of type \(type.rawValue)")
    }

    static func location(_ json: JSONValue, _ place: String) throws(FilterError) -> Location {
        // What else a location has is no part of its place.
        guard let latitude = json["latitude"]?.number, let longitude = json["longitude"]?.number else {
            throw FilterError(.value, place, "expected latitude and longitude in degrees")
        }
        let location = Location(latitude: latitude, longitude: longitude)
        guard location.isValid else {
            throw FilterError(
                .value, place, "the location is outside the globe",
                hint: "latitude is −90 … 90 degrees, longitude −180 … 180")
        }
        return location
    }

    private static let actions: [(name: String, action: RecordReference.Action)] = [
        ("NONE", .none), ("DELETE_SELF", .deleteSelf),
    ]

    private static func reference(_ json: JSONValue, _ place: String) throws(FilterError) -> RecordReference {
        let members = try json.members(of: ["recordName", "action", "zoneID"], at: place)
        guard let name = members["recordName"] else { throw FilterError(.structure, place, "recordName is missing") }
        var action = RecordReference.Action.none
        if let word = try members["action"]?.string(at: "\(place).action") {
            guard let known = actions.first(where: { $0.name == word }) else {
                throw FilterError(.value, "\(place).action", "no such action", hint: "NONE or DELETE_SELF")
            }
            action = known.action
        }
        var zone = RecordZone.ID.default
        if let json = members["zoneID"] {
            let parts = try json.members(of: ["zoneName", "ownerRecordName"], at: "\(place).zoneID")
            guard let name = parts["zoneName"] else {
                throw FilterError(.structure, "\(place).zoneID", "zoneName is missing")
            }
            zone = RecordZone.ID(try name.string(at: "\(place).zoneID.zoneName"))
            if let owner = try parts["ownerRecordName"]?.string(at: "\(place).zoneID.ownerRecordName") {
                zone = RecordZone.ID(zone.zoneName, ownerName: owner)
            }
        }
        return RecordReference(
            recordID: Record.ID(try name.string(at: "\(place).recordName"), zoneID: zone), action: action)
    }

    // MARK: Writing

    /// The `fieldValue` of a value.
    ///
    /// - Throws: `FilterError` of kind `unsupported` for a value that is none of the web service's, or that its form
    ///   would change: a date between two milliseconds, a list of several types.
    static func write(_ value: FieldValue, at place: String) throws(FilterError) -> JSONValue {
        guard case .list(let elements) = value else {
            let (json, type) = try scalar(value, place)
            return object(json, type.rawValue)
        }
        var values: [JSONValue] = []
        var common: FilterValueType?
        for element in elements {
            let (json, type) = try scalar(element, place)
            guard common == nil || common == type else {
                throw FilterError(.unsupported, place, "the elements of a list must be of one type")
            }
            common = type
            values.append(json)
        }
        return object(.array(values), (common ?? .string).rawValue + FilterValueType.listSuffix)
    }

    private static func object(_ value: JSONValue, _ type: String) -> JSONValue {
        .object([JSONValue.Member(key: "value", value: value), JSONValue.Member(key: "type", value: .string(type))])
    }

    private static func scalar(
        _ value: FieldValue, _ place: String
    ) throws(FilterError) -> (JSONValue, FilterValueType) {
        switch value {
        case .bool(let value): return (.int64(value ? 1 : 0), .int64)
        case .int64(let value): return (.int64(value), .int64)
        case .double(let value) where value.isFinite: return (.double(value), .double)
        case .string(let value): return (.string(value), .string)
        case .date(let date):
            let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
            guard let whole = Int64(exactly: milliseconds),
                Date(timeIntervalSince1970: milliseconds / 1000) == date
            else { throw FilterError(.unsupported, place, "a TIMESTAMP has whole milliseconds") }
            return (.int64(whole), .timestamp)
        case .data(let data): return (.string(data.base64EncodedString()), .bytes)
        case .location(let location): return (write(location), .location)
        case .reference(let reference): return (write(reference), .reference)
        case .null:
            throw FilterError(
                .unsupported, place, "the web service cannot query missing values",
                hint: "store a value that stands for a missing one")
        default:
            throw FilterError(.unsupported, place, "a value of kind \(value.kind) is none of the web service's")
        }
    }

    static func write(_ location: Location) -> JSONValue {
        .object([
            JSONValue.Member(key: "latitude", value: .double(location.latitude)),
            JSONValue.Member(key: "longitude", value: .double(location.longitude)),
        ])
    }

    private static func write(_ reference: RecordReference) -> JSONValue {
        let name = actions.first { $0.action == reference.action }?.name ?? "NONE"
        var members = [
            JSONValue.Member(key: "recordName", value: .string(reference.recordID.recordName)),
            JSONValue.Member(key: "action", value: .string(name)),
        ]
        let zone = reference.recordID.zoneID
        if zone != .default {
            members.append(
                JSONValue.Member(
                    key: "zoneID",
                    value: .object([
                        JSONValue.Member(key: "zoneName", value: .string(zone.zoneName)),
                        JSONValue.Member(key: "ownerRecordName", value: .string(zone.ownerName)),
                    ])))
        }
        return .object(members)
    }
}
