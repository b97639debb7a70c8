// Which JSON objects stand for values that JSON itself has not.

import FoundationEssentials
import Geospatial
import RecordColumns
package import RecordModel

/// The forms of JSON objects that are dates, bytes, sets, locations and references.
enum JSONConventions {
    /// What a key of a location says.
    enum Coordinate { case latitude, longitude }

    /// Reads `latitude`, `lat`, `longitude`, `lon` and `lng`.
    static func coordinate(_ key: UnsafeBufferPointer<UInt8>) -> Coordinate? {
        switch key.count {
        case 3:
            if unsafe equals(key, "lat") { return .latitude }
            return unsafe equals(key, "lon") || equals(key, "lng") ? .longitude : nil
        case 8: return unsafe equals(key, "latitude") ? .latitude : nil
        case 9: return unsafe equals(key, "longitude") ? .longitude : nil
        default: return nil
        }
    }

    /// Whether a key is that word.
    static func equals(_ key: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
        guard key.count == word.utf8CodeUnitCount else { return false }
        // SAFETY: both have `key.count` bytes.
        for offset in key.indices where unsafe key[offset] != word.utf8Start[offset] { return false }
        return true
    }

    /// Checks the degrees of a location.
    /// - Throws: `JSONError` of kind `value`.
    static func location(latitude: Double, longitude: Double) throws(JSONError) -> Location {
        let location = Location(latitude: latitude, longitude: longitude)
        guard location.isValid else {
            throw JSONError(
                .value, "a location lies outside of the Earth's degrees",
                hint: "latitude is -90 to 90, longitude -180 to 180")
        }
        return location
    }

    /// The member of an object that says which other form it has: the first whose key is a dollar sign and a word.
    static func mark(_ members: [JSONValue.Member]) -> (key: String, content: JSONValue)? {
        guard members.count <= 2 else { return nil }
        return members.first { $0.key.utf8.first == UInt8(ascii: "$") }.map { ($0.key, $0.value) }
    }

    /// The numbers among the details of a location, in the order in which they are written.
    static var details: [(key: String, path: WritableKeyPath<Location.Details, Double?>)] {
        [
            ("altitude", \.altitude), ("horizontalAccuracy", \.horizontalAccuracy),
            ("verticalAccuracy", \.verticalAccuracy), ("course", \.course), ("speed", \.speed),
        ]
    }

    /// The type that a word such as `STRING` names.
    static func elementType(_ word: JSONValue) -> FieldType? {
        guard case .string(let word) = word else { return nil }
        return FieldType(schemaName: word)
    }

    /// The action of a reference by its name.
    /// - Throws: `JSONError` of kind `value`.
    static func action(_ name: String) throws(JSONError) -> RecordReference.Action {
        guard let action = RecordReference.Action(name: name) else {
            throw JSONError(.value, "unknown action of a reference", hint: "expected 'none' or 'deleteSelf'")
        }
        return action
    }
}

extension FieldValue {
    /// The value of a JSON tree. Objects of these forms, with no other members, are not nested objects:
    ///
    /// | form | value |
    /// |---|---|
    /// | `{"$date": seconds since 1970 or RFC 3339}` | a date; `"since": 2001` beside it counts from there |
    /// | `{"$data": base64}` | bytes |
    /// | `{"$double": number}`, `"NaN"`, `"Infinity"`, `"-Infinity"` | a double |
    /// | `{"$string": text}` | a text that is not to be read as a date |
    /// | `{"$set": [...]}` | a set |
    /// | `{"$list": [...], "of": "STRING"}` | a list, with the type of its elements |
    /// | `{"$object": {...}}` | an object whose keys are those of another form |
    /// | `{"$asset": path}`, with `size` in bytes | an asset |
    /// | `{"latitude", "longitude"}` (or `lat`, `lon`, `lng`), with `details` | a location |
    /// | `{"type": "Point", "coordinates": [lon, lat]}`, also with an altitude and a `bbox` | a location |
    /// | `{"reference": name}`, with `action` (`none`, `deleteSelf`), `zone` and `owner` | a reference |
    ///
    /// The details of a location are an object with any of `altitude`, `horizontalAccuracy`, `verticalAccuracy`,
    /// `course`, `speed` (numbers) and `timestamp` (a date).
    /// - Throws: `JSONError` of kind `value` when such an object's contents make no sense.
    package init(json: JSONValue) throws(JSONError) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int64(let value): self = .int64(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .array(let elements): self = .list(try Self.list(elements))
        case .object(let members):
            if let special = try Self.special(members) {
                self = special
                return
            }
            self = .object(try Self.object(members))
        }
    }

    private static func object(_ members: [JSONValue.Member]) throws(JSONError) -> [String: FieldValue] {
        var object: [String: FieldValue] = [:]
        for member in members { object[member.key] = try FieldValue(json: member.value) }
        return object
    }

    private static func list(_ elements: [JSONValue]) throws(JSONError) -> [FieldValue] {
        var values: [FieldValue] = []
        values.reserveCapacity(elements.count)
        for element in elements { values.append(try FieldValue(json: element)) }
        return values
    }

    private static func special(_ members: [JSONValue.Member]) throws(JSONError) -> FieldValue? {
        if let (mark, content) = JSONConventions.mark(members) { return try marked(mark, content, members) }
        guard members.count <= 4 else { return nil }
        if let location = try location(members) { return location }
        if let point = try point(members) { return point }
        return try reference(members)
    }

    /// The value of an object with a key of a dollar sign and a word; `nil` where the rest does not fit the word.
    private static func marked(
        _ mark: String, _ content: JSONValue, _ members: [JSONValue.Member]
    ) throws(JSONError) -> FieldValue? {
        let json = JSONValue.object(members)
        switch (mark, members.count, content) {
        case ("$date", 1, _): return .date(try date(content))
        case ("$date", 2, _):
            guard json["since"] == .int64(2001), let seconds = try? double(content) else { return nil }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case ("$data", 1, .string(let text)):
            guard let bytes = Base64.decode(text) else { throw JSONError(.value, "not base64") }
            return .data(Data(bytes))
        case ("$string", 1, .string(let text)): return .string(text)
        case ("$set", 1, .array(let elements)): return .set(try list(elements))
        case ("$list", 2, .array(let elements)):
            guard let type = json["of"] else { return nil }
            guard JSONConventions.elementType(type) != nil else {
                throw JSONError(.value, "unknown type of a list's elements", hint: "expected a word such as STRING")
            }
            return .list(try list(elements))
        case ("$double", 1, _): return (try? double(.object(members))).map { .double($0) }
        case ("$object", 1, .object(let members)): return .object(try object(members))
        case ("$asset", 1, .string(let path)): return .asset(Asset(path: path))
        case ("$asset", 2, .string(let path)):
            guard case .int64(let size)? = json["size"] else { return nil }
            return .asset(Asset(path: path, size: size))
        default: return nil
        }
    }

    private static func date(_ value: JSONValue) throws(JSONError) -> Date {
        if case .string(let text) = value {
            if let seconds = RFC3339.parse(text) { return Date(timeIntervalSinceReferenceDate: seconds) }
        } else if let seconds = try? double(value) {
            return Date(timeIntervalSince1970: seconds)
        }
        throw JSONError(
            .value, "not a date", hint: "expected seconds since 1970 or a date such as 2025-07-04T12:00:00Z")
    }

    private static func location(_ members: [JSONValue.Member]) throws(JSONError) -> FieldValue? {
        guard members.count == 2 || members.count == 3 else { return nil }
        var (latitude, longitude): (Double?, Double?)
        var details: JSONValue?
        for member in members {
            var key = member.key
            switch key.withUTF8({ unsafe JSONConventions.coordinate($0) }) {
            case .latitude where latitude == nil: latitude = number(member.value)
            case .longitude where longitude == nil: longitude = number(member.value)
            case nil where member.key == "details" && details == nil: details = member.value
            default: return nil
            }
        }
        guard let latitude, let longitude, (details != nil) == (members.count == 3) else { return nil }
        var location = try JSONConventions.location(latitude: latitude, longitude: longitude)
        if let details { location.details = try Self.details(details) }
        return .location(location)
    }

    private static func details(_ json: JSONValue) throws(JSONError) -> Location.Details {
        guard case .object(let members) = json else {
            throw JSONError(.value, "the details of a location are no object")
        }
        var details = Location.Details()
        for member in members {
            if member.key == "timestamp" {
                details.timestamp =
                    if case .date(let date) = try FieldValue(json: member.value) { date } else {
                        try date(member.value)
                    }
            } else if let path = JSONConventions.details.first(where: { $0.key == member.key })?.path {
                details[keyPath: path] = try double(member.value)
            } else {
                throw JSONError(
                    .value, "unknown detail of a location",
                    hint: "known are timestamp, " + JSONConventions.details.map(\.key).joined(separator: ", "))
            }
        }
        return details
    }

    private static func point(_ members: [JSONValue.Member]) throws(JSONError) -> FieldValue? {
        let json = JSONValue.object(members)
        // A box around a point tells nothing of it.
        guard members.count(where: { $0.key != "bbox" }) == 2, json["type"] == .string("Point"),
            case .array(let numbers)? = json["coordinates"], numbers.count == 2 || numbers.count == 3,
            let longitude = number(numbers[0]), let latitude = number(numbers[1])
        else { return nil }
        var location = try JSONConventions.location(latitude: latitude, longitude: longitude)
        if numbers.count == 3, let altitude = number(numbers[2]) {
            location.details = Location.Details(altitude: altitude)
        }
        return .location(location)
    }

    private static func reference(_ members: [JSONValue.Member]) throws(JSONError) -> FieldValue? {
        let json = JSONValue.object(members)
        guard case .string(let name)? = json["reference"] else { return nil }
        var (action, zone, owner): (String?, String?, String?)
        for member in members where member.key != "reference" {
            guard case .string(let text) = member.value else { return nil }
            switch member.key {
            case "action": action = text
            case "zone": zone = text
            case "owner": owner = text
            default: return nil
            }
        }
        if owner != nil, zone == nil { return nil }
        var zoneID = RecordZone.ID.default
        if let zone { zoneID = owner.map { RecordZone.ID(zone, ownerName: $0) } ?? RecordZone.ID(zone) }
        return .reference(
            RecordReference(
                recordID: Record.ID(name, zoneID: zoneID), action: try action.map(JSONConventions.action) ?? .none))
    }

    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .int64(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// A number, or the form of one that JSON has not.
    /// - Throws: `JSONError` of kind `value`.
    private static func double(_ value: JSONValue) throws(JSONError) -> Double {
        if let number = number(value) { return number }
        if case .object(let members) = value, members.count == 1, members[0].key == "$double" {
            switch members[0].value {
            case .string("NaN"): return .nan
            case .string("Infinity"): return .infinity
            case .string("-Infinity"): return -.infinity
            case let value: if let number = number(value) { return number }
            }
        }
        throw JSONError(.value, "not a number")
    }
}
