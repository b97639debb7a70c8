// Values of a record that are encrypted before they are stored.

/// The encrypted fields of a record, by key: those that it was fetched with, and those set since.
///
///     record.encryptedValues["diary"] = "…"
///
/// The first save of a key here makes the field an encrypted one, and it stays so. A database stores its values
/// encrypted with the key of the container, has no index of them, and rejects them in predicates and orders.
public struct EncryptedValues: Hashable, Sendable {
    /// The values of the stored version; `.null` for one that is there and cannot be shown.
    package var stored: [String: FieldValue]
    /// The values set since; `.null` for those taken away.
    package var edits: [String: FieldValue]

    /// No values.
    public init() { (stored, edits) = ([:], [:]) }

    package init(stored: [String: FieldValue], edits: [String: FieldValue] = [:]) {
        (self.stored, self.edits) = (stored, edits)
    }

    /// The value of a field; `.null` when absent. Setting `.null` removes the field. Complexity: O(1).
    public subscript(field: String) -> FieldValue {
        get { edits[field] ?? stored[field] ?? .null }
        set { edits[field] = newValue }
    }

    /// The value of a field as a Swift type; `nil` when it is absent or of another kind. Setting `nil` removes the
    /// field.
    public subscript<Value: FieldValueRepresentable>(field: String) -> Value? {
        get { Value(fieldValue: self[field] as FieldValue) }
        set { self[field] = newValue?.fieldValue ?? FieldValue.null }
    }

    /// The values by field name, without absent ones. Complexity: O(fields).
    public var fields: [String: FieldValue] { stored.merging(edits) { $1 }.filter { !$0.value.isNull } }

    /// Whether there is nothing to store or to show.
    public var isEmpty: Bool { fields.isEmpty }

    /// The names of the fields that have a value, in order of code point. Complexity: O(fields · log fields).
    public func allKeys() -> [String] { Record.inOrder(fields.keys) }

    /// The names of the fields that were set since the record was fetched or saved, to any value, in order of code
    /// point.
    public func changedKeys() -> [String] { Record.inOrder(edits.keys) }
}
