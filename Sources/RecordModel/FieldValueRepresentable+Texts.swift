// Swift types whose field values are texts.

public import FoundationEssentials

extension UUID: FieldValueRepresentable {
    /// The UUID as text.
    public var fieldValue: FieldValue { .string(uuidString) }

    /// The UUID of a text, in either case.
    public init?(fieldValue: FieldValue) {
        guard case .string(let text) = fieldValue else { return nil }
        self.init(uuidString: text)
    }
}

extension URL: FieldValueRepresentable {
    /// The URL as text.
    public var fieldValue: FieldValue { .string(absoluteString) }

    /// The URL of a text.
    public init?(fieldValue: FieldValue) {
        guard case .string(let text) = fieldValue else { return nil }
        self.init(string: text)
    }
}
