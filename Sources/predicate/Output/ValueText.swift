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

    /// A date by the clocks of the zone of the process, the start of a day as the day.
    static func local(_ date: Date) -> String {
        guard let text = CivilZone.text(of: date) else { return shortDate(date) }
        return text.dropFirst(10).hasPrefix("T00:00:00") && !text.contains(".") ? String(text.prefix(10)) : text
    }

    /// A value as a cell that a terminal shows: the texts in it without what commands the terminal.
    static func shown(_ value: FieldValue) -> FieldValue {
        switch value {
        case .null, .bool, .int64, .double, .date, .data: value
        case .string(let text): .string(singleLine(text))
        case .reference(let reference): .string(singleLine(reference.recordID.recordName))
        case .location, .asset, .list, .set, .object: .string(singleLine(value.json))
        }
    }

    /// Replaces control characters by their pictures, so that a value cannot break a row or command the terminal, and
    /// what turns the direction of the text around it.
    static func singleLine(_ text: String) -> String {
        if text.utf8.allSatisfy(isPlain) { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(picture(of: scalar)) }
        return String(scalars)
    }

    /// A message with the names and excerpts it quotes, safe to show: as `singleLine`, but lines may end in it, and
    /// what the style writes around its parts stays.
    static func message(_ text: String, _ style: Style) -> String {
        if text.utf8.allSatisfy({ isPlain($0) || $0 == 0x0A }) { return text }
        var scalars = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            let kept = scalar == "\n" ? 1 : style.codeLength(at: rest)
            if kept > 0 {
                scalars.append(contentsOf: rest.prefix(kept))
            } else {
                scalars.append(picture(of: scalar))
            }
            rest = rest.dropFirst(max(1, kept))
        }
        return String(scalars)
    }

    /// Whether a byte is neither a control character nor the beginning of a character that is replaced.
    private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F && byte != 0xC2 && byte != 0xE2 }

    private static func picture(of scalar: UnicodeScalar) -> UnicodeScalar {
        switch scalar.value {
        case 0..<0x20: UnicodeScalar(0x2400 + scalar.value) ?? " "
        case 0x7F: "\u{2421}"
        // C1 controls; embeddings, overrides and isolates of directions.
        case 0x80..<0xA0, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
        default: scalar
        }
    }
}
