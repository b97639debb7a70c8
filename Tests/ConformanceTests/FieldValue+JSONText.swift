// The values of the case files as field values.
import FoundationEssentials
import Geospatial
import RecordModel
import _TestSupport

extension FieldValue {
    /// The value that JSON of a case stands for: plain JSON, or one of the marked objects `{"$date": …}`,
    /// `{"$data": …}`, `{"$set": …}`, a location, a reference.
    init(_ json: JSONText) throws {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .int64(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .array(let elements): self = .list(try elements.map(FieldValue.init))
        case .object(let members): self = try FieldValue(members: members)
        }
    }

    private init(members: [String: JSONText]) throws {
        switch (members.keys.sorted(), members["$date"] ?? members["$data"] ?? members["$set"]) {
        case (["$date"], .integer(let seconds)): self = .date(Date(timeIntervalSince1970: Double(seconds)))
        case (["$date"], .double(let seconds)): self = .date(Date(timeIntervalSince1970: seconds))
        case (["$date"], .string(let text)):
            guard let date = RFC3339.date(text) else { throw JSONText.ReadError(description: "no date: \(text)") }
            self = .date(date)
        case (["$data"], .string(let text)): self = .data(Data(base64Encoded: text) ?? Data())
        case (["$set"], .array(let elements)): self = .set(try elements.map(FieldValue.init))
        case (["latitude", "longitude"], _):
            guard let latitude = members["latitude"]?.doubleValue, let longitude = members["longitude"]?.doubleValue
            else { throw JSONText.ReadError(description: "no location") }
            self = .location(Location(latitude: latitude, longitude: longitude))
        case (["action", "reference"], _):
            let action: RecordReference.Action = members["action"] == .string("deleteSelf") ? .deleteSelf : .none
            self = .reference(RecordReference(members["reference"]?.stringValue ?? "", action: action))
        default: self = .object(try members.mapValues(FieldValue.init))
        }
    }
}

extension JSONText {
    fileprivate var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
