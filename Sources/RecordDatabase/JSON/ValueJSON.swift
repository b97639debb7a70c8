// Field values as the JSON that record files hold.

package import FoundationEssentials
import Geospatial

package import RecordFiles
package import RecordModel

extension JSONValue {
    /// The JSON of a field value: dates as RFC 3339 text, data as base64 text, references and places as objects, keys of
    /// nested objects in order.
    package init(_ value: FieldValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let flag): .bool(flag)
            case .int64(let number): .int64(number)
            case .double(let number): .double(number)
            case .string(let text): .string(text)
            case .date(let date): .string(DateText.string(from: date))
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
                .object(values.sorted { $0.key < $1.key }.map { Member(key: $0.key, value: JSONValue($0.value)) })
            }
    }

    /// An object of the given members, in that order.
    package static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(key: $0.key, value: $0.value) })
    }
}

/// Dates as text, for output.
package enum DateText {
    /// RFC 3339 in UTC with as many digits of a second as are needed; seconds since 1970 for a date that has no such text.
    package static func string(from date: Date) -> String {
        RFC3339.format(date.timeIntervalSinceReferenceDate) ?? String(date.timeIntervalSince1970)
    }
}
