// Types that are field values by themselves, whatever their own coding says.

import FoundationEssentials
import Geospatial
import RecordModel

/// A type that a field holds as one value: coding stops at it.
protocol StoredValue: FieldValueRepresentable, Sendable {
    /// The kind in the words of messages: "a date".
    static var phrase: String { get }
    /// One of many different values.
    static func sample(_ number: Int) -> Self
}

extension FieldValue: StoredValue {
    static var phrase: String { "a value" }
    static func sample(_ number: Int) -> FieldValue { .int64(Int64(number)) }
}

extension Date: StoredValue {
    static var phrase: String { "a date" }
    static func sample(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number)) }
}

extension Data: StoredValue {
    static var phrase: String { "binary data" }
    static func sample(_ number: Int) -> Data { Data("\(number)".utf8) }
}

extension Location: StoredValue {
    static var phrase: String { "a location" }
    static func sample(_ number: Int) -> Location {
        Location(latitude: Double(number % 7919) / 100, longitude: Double(number % 16_381) / 100)
    }
}

extension RecordReference: StoredValue {
    static var phrase: String { "a reference" }
    static func sample(_ number: Int) -> RecordReference { RecordReference("sample \(number)") }
}

extension RecordReference.To: StoredValue {
    static var phrase: String { RecordReference.phrase }
    static func sample(_ number: Int) -> Self { Self(RecordReference.sample(number)) }
}

extension Record.ID: StoredValue {
    static var phrase: String { RecordReference.phrase }
    static func sample(_ number: Int) -> Record.ID { Record.ID("sample \(number)") }
}

extension Asset: StoredValue {
    static var phrase: String { "an asset" }
    static func sample(_ number: Int) -> Asset { Asset(path: "sample \(number)") }
}

extension UUID: StoredValue {
    static var phrase: String { "the text of a UUID" }
    static func sample(_ number: Int) -> UUID {
        let (high, low) = (UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number))
        return UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, high, low))
    }
}

extension URL: StoredValue {
    static var phrase: String { "the text of a URL" }
    static func sample(_ number: Int) -> URL { URL(filePath: "/sample/\(number)") }
}
