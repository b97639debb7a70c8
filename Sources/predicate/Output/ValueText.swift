// Field values as people read them in a table.

import FoundationEssentials
import RecordDatabase

/// Texts of field values.
enum ValueText {
    /// For a table: lists in brackets, places as degrees, references by name, a date without a time of day as a day.
    static func display(_ value: FieldValue) -> String {
        switch value {
        case .null: ""
        case .bool(let flag): flag ? "true" : "false"
        case .int64(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): singleLine(text)
        case .date(let date): shortDate(date)
        case .data(let data): "<\(data.count) bytes>"
        case .location(let place): "\(place.latitude), \(place.longitude)"
        case .reference(let reference): singleLine(reference.recordID.recordName)
        case .asset(let asset): singleLine(asset.path)
        case .list(let elements): "[" + elements.map(display).joined(separator: ", ") + "]"
        case .set(let elements): "{" + elements.map(display).joined(separator: ", ") + "}"
        case .object: singleLine(value.json)
        }
    }

    private static func shortDate(_ date: Date) -> String {
        guard let text = RFC3339.format(date.timeIntervalSinceReferenceDate) else {
            return String(date.timeIntervalSince1970)
        }
        return text.hasSuffix("T00:00:00Z") ? String(text.dropLast(10)) : text
    }

    /// Replaces control characters by their pictures, so that a value cannot break a row or command the terminal.
    static func singleLine(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0xC2 }) { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20: scalars.append(UnicodeScalar(0x2400 + scalar.value) ?? " ")
            case 0x7F: scalars.append("\u{2421}")
            case 0x80..<0xA0: scalars.append("\u{FFFD}")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
