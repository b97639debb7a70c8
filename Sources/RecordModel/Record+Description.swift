// Records and their values as `print` shows them.

import FoundationEssentials
public import Geospatial

extension FieldValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The value for people: a text as it is, `nil`, a date as RFC 3339 has it, bytes by their number.
    public var description: String {
        if case .string(let text) = self { return text }
        return debugDescription
    }

    /// As `description`, with texts in quotes: so lists and records show their values.
    public var debugDescription: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int64(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let text): text.debugDescription
        case .date(let date): Self.text(of: date.timeIntervalSinceReferenceDate)
        case .data(let data): "\(data.count) bytes"
        case .location(let place): "\(place)"
        case .reference(let reference): "\(reference)"
        case .asset(let asset): asset.path.debugDescription
        case .list(let values), .set(let values): "\(values)"
        case .object(let members): Self.description(of: members)
        }
    }

    /// The date of so many seconds; where the calendar has none, as a predicate says it: Foundation's own text of a
    /// date that is no finite number ends the process.
    private static func text(of seconds: Double) -> String {
        RFC3339.format(seconds) ?? "CAST(\(seconds), 'NSDate')"
    }

    /// Named values in order of their names.
    fileprivate static func description(of members: [String: FieldValue]) -> String {
        let texts = members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.debugDescription)" }
        return "[" + (texts.isEmpty ? ":" : texts.joined(separator: ", ")) + "]"
    }
}

extension Location: CustomStringConvertible {
    /// Degrees: `50.45, 30.52`.
    public var description: String { "\(latitude), \(longitude)" }
}

extension RecordReference: CustomStringConvertible {
    /// The name of the record that is meant.
    public var description: String { "→ \(recordID)" }
}

extension Record.ID: CustomStringConvertible {
    /// The record's name, and its zone where that is not the default one.
    public var description: String { zoneID == .default ? recordName : "\(recordName) in \(zoneID.zoneName)" }
}

extension Record: CustomStringConvertible {
    /// Type, name and fields: `City kyiv [name: "Київ", population: 2950000]`.
    public var description: String { "\(type) \(id) \(FieldValue.description(of: fields))" }
}
