// Values and conditions as text of the language.

import FoundationEssentials
import Geospatial
import PredicateSyntax
import RecordDatabase

/// What clicks, brushes and circles are as text.
enum LanguageTexts {
    /// A value as an expression; `nil` for kinds that have none.
    static func expression(_ value: FieldValue) -> String? {
        switch value {
        case .bool(let flag): flag ? "TRUE" : "FALSE"
        case .int64(let number): String(number)
        case .double(let number): number.isFinite ? String(number) : nil
        case .string(let text): CanonicalText.string(text)
        case .date(let date): self.date(date.timeIntervalSinceReferenceDate)
        case .reference(let reference): CanonicalText.string(reference.recordID.recordName)
        default: nil
        }
    }

    /// A moment, in seconds since 2001-01-01T00:00:00Z. The only place that knows how the language writes dates.
    static func date(_ seconds: Double) -> String {
        // What the calendar has no text for, or a text would round, is said in seconds.
        guard let bytes = RFC3339.exactBytes(seconds) else { return "CAST(\(number(seconds)), 'NSDate')" }
        let text = String(decoding: bytes, as: UTF8.self)
        let midnight = "T00:00:00Z"
        return "date('" + (text.hasSuffix(midnight) ? String(text.dropLast(midnight.count)) : text) + "')"
    }

    /// A number without needless digits behind the point.
    static func number(_ number: Double) -> String {
        if let whole = Int64(exactly: number) { return String(whole) }
        return String(number)
    }

    /// A field's key path.
    static func path(_ field: String) -> String {
        field.split(separator: ".", omittingEmptySubsequences: false).map { CanonicalText.key(String($0)) }
            .joined(separator: ".")
    }

    /// What is compared with a value's expression: of references the names of records.
    static func path(_ field: String, _ type: FieldType?) -> String {
        switch type {
        case .reference, .list(.reference): path(field) + ".recordName"
        default: path(field)
        }
    }

    /// A range of numbers or of dates.
    static func range(_ field: String, _ lower: Double, _ upper: Double, areDates: Bool) -> String {
        let ends = [lower, upper].map { areDates ? date($0.rounded()) : number($0) }
        return "\(path(field)) BETWEEN {\(ends[0]), \(ends[1])}"
    }

    /// A circle; whole metres, at least one. The only place that knows how the language writes places.
    static func circle(_ field: String, around place: Location, radius: Double) -> String {
        let radius = max(1, radius.rounded())
        return "distance(\(path(field)), \(number(place.latitude)), \(number(place.longitude))) < \(number(radius))"
    }
}

extension FieldType {
    /// Whether values are lists.
    var isList: Bool { if case .list = self { true } else { false } }
}
