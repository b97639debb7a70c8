// Links from one record to another.

/// A link to another record of the same zone.
///
/// Predicates compare the records that references lead to, and not their actions; Swift's `==` compares both.
public struct RecordReference: Hashable, Sendable, Codable {
    /// What happens to the record that holds the reference when the target is deleted; raw values are CloudKit's.
    public enum Action: Int, Hashable, Sendable, CaseIterable {
        /// Nothing: the reference dangles.
        case none = 0
        /// The holder is deleted too.
        case deleteSelf = 1
    }

    /// The record pointed at.
    public let recordID: Record.ID
    /// What happens to the holder when the record pointed at is deleted.
    public let action: Action

    /// A reference to the record of that identifier.
    public init(recordID: Record.ID, action: Action = .none) {
        self.recordID = recordID
        self.action = action
    }

    /// A reference to a record, whether it is saved or not; it holds no copy of it.
    public init(record: Record, action: Action = .none) { self.init(recordID: record.id, action: action) }

    /// A reference to a record of the default zone by its name.
    public init(_ recordName: String, action: Action = .none) {
        self.init(recordID: Record.ID(recordName), action: action)
    }
}

extension RecordReference.Action: Codable {
    /// The name in coded forms: `none` or `deleteSelf`.
    public var name: String { self == .none ? "none" : "deleteSelf" }

    /// The action of a name.
    public init?(name: String) {
        guard let action = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = action
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let action = Self(name: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "Expected none or deleteSelf.")
        }
        self = action
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
