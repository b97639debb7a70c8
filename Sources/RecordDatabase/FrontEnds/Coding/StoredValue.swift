// Types that are field values by themselves, whatever their own coding says.

import FoundationEssentials
import Geospatial
import RecordModel

/// A type that a field holds as one value: coding stops at it.
protocol StoredValue: Sendable {
    var stored: FieldValue { get }
    /// The value that a field holds; nil when it holds another kind.
    init?(stored: FieldValue)
    /// The kind in the words of messages: "a date".
    static var phrase: String { get }
    /// One of many different values.
    static func sample(_ number: Int) -> Self
}

extension FieldValue: StoredValue {
    var stored: FieldValue { self }
    init?(stored: FieldValue) { self = stored }
    static var phrase: String { "a value" }
    static func sample(_ number: Int) -> FieldValue { .int64(Int64(number)) }
}

extension Date: StoredValue {
    var stored: FieldValue { .date(self) }
    init?(stored: FieldValue) {
        guard case .date(let date) = stored else { return nil }
        self = date
    }
    static var phrase: String { "a date" }
    static func sample(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number)) }
}

extension Data: StoredValue {
    var stored: FieldValue { .data(self) }
    init?(stored: FieldValue) {
        guard case .data(let data) = stored else { return nil }
        self = data
    }
    static var phrase: String { "binary data" }
    static func sample(_ number: Int) -> Data { Data("\(number)".utf8) }
}

extension Location: StoredValue {
    var stored: FieldValue { .location(self) }
    init?(stored: FieldValue) {
        guard case .location(let location) = stored else { return nil }
        self = location
    }
    static var phrase: String { "a location" }
    static func sample(_ number: Int) -> Location {
        Location(latitude: Double(number % 7919) / 100, longitude: Double(number % 16_381) / 100)
    }
}

extension Reference: StoredValue {
    var stored: FieldValue { .reference(self) }
    init?(stored: FieldValue) {
        guard case .reference(let reference) = stored else { return nil }
        self = reference
    }
    static var phrase: String { "a reference" }
    static func sample(_ number: Int) -> Reference { Reference("sample \(number)") }
}

extension Reference.To: StoredValue {
    var stored: FieldValue { .reference(reference) }
    init?(stored: FieldValue) {
        guard let reference = Reference(stored: stored) else { return nil }
        self.init(reference)
    }
    static var phrase: String { Reference.phrase }
    static func sample(_ number: Int) -> Self { Self(Reference.sample(number)) }
}

extension Record.ID: StoredValue {
    var stored: FieldValue { fieldValue }
    init?(stored: FieldValue) {
        guard let reference = Reference(stored: stored) else { return nil }
        self = reference.recordID
    }
    static var phrase: String { Reference.phrase }
    static func sample(_ number: Int) -> Record.ID { Record.ID("sample \(number)") }
}

extension Asset: StoredValue {
    var stored: FieldValue { .asset(self) }
    init?(stored: FieldValue) {
        guard case .asset(let asset) = stored else { return nil }
        self = asset
    }
    static var phrase: String { "an asset" }
    static func sample(_ number: Int) -> Asset { Asset(path: "sample \(number)") }
}

extension UUID: StoredValue {
    var stored: FieldValue { .string(uuidString) }
    init?(stored: FieldValue) {
        guard case .string(let text) = stored else { return nil }
        self.init(uuidString: text)
    }
    static var phrase: String { "the text of a UUID" }
    static func sample(_ number: Int) -> UUID {
        let (high, low) = (UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number))
        return UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, high, low))
    }
}

extension URL: StoredValue {
    var stored: FieldValue { .string(absoluteString) }
    init?(stored: FieldValue) {
        guard case .string(let text) = stored else { return nil }
        self.init(string: text)
    }
    static var phrase: String { "the text of a URL" }
    static func sample(_ number: Int) -> URL { URL(filePath: "/sample/\(number)") }
}
