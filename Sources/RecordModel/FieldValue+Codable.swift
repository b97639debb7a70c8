// Field values in JSON and every other coder: scalars as themselves, the rest as marked objects.

import FoundationEssentials
import Geospatial

/// The coded form, for JSON:
///
/// | value | form |
/// |---|---|
/// | null, truth value, string, list | themselves |
/// | integer | a number without fraction |
/// | fraction | a number; where JSON would lose the kind: `{"$double": 2.0}`, `{"$double": "NaN"}` |
/// | date | `{"$date": seconds since 1970}`; `"since": 2001` beside it counts from there, where that is exact and the
/// other is not; an RFC 3339 string is read too |
/// | data | `{"$data": "base64"}` |
/// | set | `{"$set": [...]}` |
/// | location | `{"latitude": 50.45, "longitude": 30.52}`, with `details` where more is known |
/// | reference | `{"reference": "name", "action": "none"}`, with `zone` and `owner` outside the default zone |
/// | asset | `{"$asset": "path", "size": 12}` |
/// | object | itself; `{"$object": {...}}` where its keys would be read as one of the forms above |
extension FieldValue: Codable {
    private struct Key: CodingKey, Hashable {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ stringValue: String) { self.stringValue = stringValue }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }

        static let double = Key("$double")
        static let date = Key("$date")
        static let since = Key("since")
        static let data = Key("$data")
        static let set = Key("$set")
        static let asset = Key("$asset")
        static let object = Key("$object")
        static let latitude = Key("latitude")
        static let longitude = Key("longitude")
        static let details = Key("details")
        static let reference = Key("reference")
        static let action = Key("action")
        static let zone = Key("zone")
        static let owner = Key("owner")
        static let size = Key("size")
        /// Keys that make an object mean something else than itself.
        static let marks = [double, date, data, set, asset, object, reference, latitude]
    }

    /// Writes the coded form. Complexity: O(n) in the number of nested values.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .null, .bool, .int64, .double, .string: try encodeScalar(to: encoder)
        case .date, .data, .location, .reference, .asset: try encodeMarked(to: encoder)
        case .list(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .set(let elements):
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(elements, forKey: .set)
        case .object(let members):
            var container = encoder.container(keyedBy: Key.self)
            if Key.marks.contains(where: { members[$0.stringValue] != nil }) {
                var inner = container.nestedContainer(keyedBy: Key.self, forKey: .object)
                for (name, member) in members { try inner.encode(member, forKey: Key(name)) }
            } else {
                for (name, member) in members { try container.encode(member, forKey: Key(name)) }
            }
        }
    }

    /// A date since 1970 where that gives the same date again, else since 2001, which is what a date counts from.
    private static func encode(_ date: Date, to container: inout KeyedEncodingContainer<Key>) throws {
        let seconds = date.timeIntervalSince1970
        if seconds.isFinite, Date(timeIntervalSince1970: seconds) == date {
            return try container.encode(seconds, forKey: .date)
        }
        try container.encode(FieldValue.double(date.timeIntervalSinceReferenceDate), forKey: .date)
        try container.encode(2001, forKey: .since)
    }

    private func encodeScalar(to encoder: any Encoder) throws {
        if case .double(let value) = self, !value.isFinite || NumericOrder.integer(value) != nil {
            var container = encoder.container(keyedBy: Key.self)
            if value.isFinite {
                try container.encode(value, forKey: .double)
            } else {
                try container.encode(
                    value.isNaN ? "NaN" : (value < 0 ? "-Infinity" : "Infinity"), forKey: .double)
            }
            return
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .int64(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        default: try container.encodeNil()
        }
    }

    private func encodeMarked(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .date(let value):
            try Self.encode(value, to: &container)
        case .data(let value):
            try container.encode(value.base64EncodedString(), forKey: .data)
        case .location(let value):
            try container.encode(value.latitude, forKey: .latitude)
            try container.encode(value.longitude, forKey: .longitude)
            try container.encodeIfPresent(value.details, forKey: .details)
        case .reference(let value):
            try container.encode(value.recordID.recordName, forKey: .reference)
            try container.encode(value.action, forKey: .action)
            if value.recordID.zoneID != .default {
                try container.encode(value.recordID.zoneID.zoneName, forKey: .zone)
                try container.encode(value.recordID.zoneID.ownerName, forKey: .owner)
            }
        case .asset(let value):
            try container.encode(value.path, forKey: .asset)
            try container.encodeIfPresent(value.size, forKey: .size)
        default: break
        }
    }

    /// Reads the coded form.
    ///
    /// - Throws: `DecodingError` for a form that is none of the table.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            self = try Self.decodeObject(container)
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var elements: [FieldValue] = []
            while !container.isAtEnd { elements.append(try container.decode(FieldValue.self)) }
            self = .list(elements)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int64(value)
        } else if let value = try? container.decode(String.self) {
            // Before numbers: a decoder may read texts such as "nan" as numbers.
            self = .string(value)
        } else {
            self = .double(try container.decode(Double.self))
        }
    }

    private static func decodeObject(_ container: KeyedDecodingContainer<Key>) throws -> FieldValue {
        if let mark = Key.marks.first(where: container.contains), container.allKeys.count <= 4,
            let value = try decodeMarked(mark, container)
        {
            return value
        }
        var members: [String: FieldValue] = [:]
        for key in container.allKeys { members[key.stringValue] = try container.decode(FieldValue.self, forKey: key) }
        return .object(members)
    }

    /// The value of a marked object; nil when it is an ordinary object after all.
    private static func decodeMarked(_ mark: Key, _ container: KeyedDecodingContainer<Key>) throws -> FieldValue? {
        switch mark {
        case .double:
            if let value = try? container.decode(Double.self, forKey: .double) { return .double(value) }
            let word = try container.decode(String.self, forKey: .double)
            guard let value = ["NaN": Double.nan, "Infinity": .infinity, "-Infinity": -.infinity][word] else {
                throw DecodingError.dataCorruptedError(
                    forKey: .double, in: container, debugDescription: "Expected a number, NaN, Infinity or -Infinity.")
            }
            return .double(value)
        case .date:
            if container.contains(.since), let origin = try? container.decode(Int.self, forKey: .since) {
                guard origin == 2001, let seconds = try container.decode(FieldValue.self, forKey: .date).number else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .since, in: container, debugDescription: "Expected seconds since 2001.")
                }
                return .date(Date(timeIntervalSinceReferenceDate: seconds.asDouble))
            }
            if let seconds = try? container.decode(Double.self, forKey: .date) {
                return .date(Date(timeIntervalSince1970: seconds))
            }
            guard let date = RFC3339.date(try container.decode(String.self, forKey: .date)) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .date, in: container, debugDescription: "Expected seconds since 1970 or an RFC 3339 date.")
            }
            return .date(date)
        case .data:
            guard let data = Data(base64Encoded: try container.decode(String.self, forKey: .data)) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .data, in: container, debugDescription: "Expected base64.")
            }
            return .data(data)
        case .set: return .set(try container.decode([FieldValue].self, forKey: .set))
        case .asset:
            return .asset(
                Asset(
                    path: try container.decode(String.self, forKey: .asset),
                    size: try container.decodeIfPresent(Int64.self, forKey: .size)))
        case .object: return .object(try decodeMembers(container.nestedContainer(keyedBy: Key.self, forKey: .object)))
        case .reference: return decodeReference(container)
        default: return decodeLocation(container)
        }
    }

    private static func decodeMembers(_ container: KeyedDecodingContainer<Key>) throws -> [String: FieldValue] {
        var members: [String: FieldValue] = [:]
        for key in container.allKeys { members[key.stringValue] = try container.decode(FieldValue.self, forKey: key) }
        return members
    }

    private static func decodeReference(_ container: KeyedDecodingContainer<Key>) -> FieldValue? {
        guard Set(container.allKeys).isSubset(of: [.reference, .action, .zone, .owner]),
            let name = try? container.decode(String.self, forKey: .reference),
            let action = try? container.decodeIfPresent(RecordReference.Action.self, forKey: .action)
                ?? RecordReference.Action.none
        else { return nil }
        let zone = try? container.decode(String.self, forKey: .zone)
        let owner = try? container.decode(String.self, forKey: .owner)
        // What a reference could not hold makes an object of it, as in files of records.
        guard container.contains(.zone) == (zone != nil), container.contains(.owner) == (owner != nil),
            owner == nil || zone != nil
        else { return nil }
        let zoneID = zone.map { name in
            owner.map { RecordZone.ID(name, ownerName: $0) } ?? RecordZone.ID(name)
        }
        return .reference(RecordReference(recordID: Record.ID(name, zoneID: zoneID ?? .default), action: action))
    }

    private static func decodeLocation(_ container: KeyedDecodingContainer<Key>) -> FieldValue? {
        guard Set(container.allKeys).isSubset(of: [.latitude, .longitude, .details]),
            let latitude = try? container.decode(Double.self, forKey: .latitude),
            let longitude = try? container.decode(Double.self, forKey: .longitude)
        else { return nil }
        guard container.contains(.details) else {
            return .location(Location(latitude: latitude, longitude: longitude))
        }
        guard let details = try? container.decode(Location.Details.self, forKey: .details) else { return nil }
        return .location(Location(latitude: latitude, longitude: longitude, details: details))
    }
}
