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
    /// Throws: `JSONError` of kind `value`.
    static func location(latitude: Double, longitude: Double) throws(JSONError) -> Location {
        let location = Location(latitude: latitude, longitude: longitude)
        guard location.isValid else {
            throw JSONError(
                .value, "a location lies outside of the Earth's degrees",
                hint: "latitude is -90 to 90, longitude -180 to 180")
        }
        return location
    }

    /// The action of a reference by its name.
    /// Throws: `JSONError` of kind `value`.
    static func action(_ name: String) throws(JSONError) -> Reference.Action {
        guard let action = Reference.Action(name: name) else {
            throw JSONError(.value, "unknown action of a reference", hint: "expected 'none' or 'deleteSelf'")
        }
        return action
    }
}

extension FieldValue {
    /// The value of a JSON tree. Objects of these forms, with no other members, are not nested objects:
    /// `{"$date": seconds since 1970 or RFC 3339}`, `{"$data": base64}`, `{"$set": […]}`,
    /// `{"$double": number or "NaN", "Infinity", "-Infinity"}`, `{"$object": {…}}`, `{"$asset": path, "size": bytes}`,
    /// `{"latitude", "longitude"}` (or `lat`, `lon`, `lng`), `{"type": "Point", "coordinates": [lon, lat]}`, and
    /// `{"reference": name, "action": "none" | "deleteSelf"}`, whose action may
    /// be left out, and which may have `zone` and `owner`.
    /// Throws: `JSONError` of kind `value` when such an object's contents make no sense.
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
        if members.count == 1 {
            let value = members[0].value
            switch (members[0].key, value) {
            case ("$date", _): return .date(try date(value))
            case ("$data", .string(let text)):
                guard let bytes = Base64.decode(text) else { throw JSONError(.value, "not base64") }
                return .data(Data(bytes))
            case ("$set", .array(let elements)): return .set(try list(elements))
            case ("$double", .string("NaN")): return .double(.nan)
            case ("$double", .string("Infinity")): return .double(.infinity)
            case ("$double", .string("-Infinity")): return .double(-.infinity)
            case ("$double", _): return number(value).map { .double($0) }
            case ("$object", .object(let members)): return .object(try object(members))
            case ("$asset", .string(let path)): return .asset(Asset(path: path))
            case ("reference", .string(let name)): return .reference(Reference(name))
            default: return nil
            }
        }
        if members.count == 4 { return try zonedReference(members) }
        guard members.count == 2 else { return nil }
        if let asset = asset(members[0], members[1]) { return asset }
        if let location = try location(members[0], members[1]) { return location }
        if let point = try point(members[0], members[1]) { return point }
        return try reference(members[0], members[1])
    }

    private static func date(_ value: JSONValue) throws(JSONError) -> Date {
        switch value {
        case .int64(let seconds): return Date(timeIntervalSince1970: Double(seconds))
        case .double(let seconds): return Date(timeIntervalSince1970: seconds)
        case .string(let text):
            if let seconds = RFC3339.parse(text) { return Date(timeIntervalSinceReferenceDate: seconds) }
        default: break
        }
        throw JSONError(
            .value, "not a date", hint: "expected seconds since 1970 or a date such as 2025-07-04T12:00:00Z")
    }

    private static func location(_ a: JSONValue.Member, _ b: JSONValue.Member) throws(JSONError) -> FieldValue? {
        func coordinate(_ key: String) -> JSONConventions.Coordinate? {
            var key = key
            return key.withUTF8 { unsafe JSONConventions.coordinate($0) }
        }
        guard let first = coordinate(a.key), let second = coordinate(b.key), first != second,
            let x = number(a.value), let y = number(b.value)
        else { return nil }
        return .location(
            try JSONConventions.location(
                latitude: first == .latitude ? x : y, longitude: first == .latitude ? y : x))
    }

    private static func point(_ a: JSONValue.Member, _ b: JSONValue.Member) throws(JSONError) -> FieldValue? {
        let (type, coordinates) = a.key == "type" ? (a, b) : (b, a)
        guard type.key == "type", type.value == .string("Point"), coordinates.key == "coordinates",
            case .array(let numbers) = coordinates.value, numbers.count == 2 || numbers.count == 3,
            let longitude = number(numbers[0]), let latitude = number(numbers[1])
        else { return nil }
        return .location(try JSONConventions.location(latitude: latitude, longitude: longitude))
    }

    private static func reference(_ a: JSONValue.Member, _ b: JSONValue.Member) throws(JSONError) -> FieldValue? {
        let (reference, action) = a.key == "reference" ? (a, b) : (b, a)
        guard reference.key == "reference", action.key == "action", case .string(let name) = reference.value,
            case .string(let actionName) = action.value
        else { return nil }
        return .reference(Reference(name, action: try JSONConventions.action(actionName)))
    }

    private static func zonedReference(_ members: [JSONValue.Member]) throws(JSONError) -> FieldValue? {
        let json = JSONValue.object(members)
        guard case .string(let name)? = json["reference"], case .string(let action)? = json["action"],
            case .string(let zone)? = json["zone"], case .string(let owner)? = json["owner"]
        else { return nil }
        let id = Record.ID(name, zoneID: RecordZone.ID(zone, ownerName: owner))
        return .reference(Reference(recordID: id, action: try JSONConventions.action(action)))
    }

    private static func asset(_ a: JSONValue.Member, _ b: JSONValue.Member) -> FieldValue? {
        let (asset, size) = a.key == "$asset" ? (a, b) : (b, a)
        guard asset.key == "$asset", size.key == "size", case .string(let path) = asset.value,
            case .int64(let bytes) = size.value
        else { return nil }
        return .asset(Asset(path: path, size: bytes))
    }

    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .int64(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
