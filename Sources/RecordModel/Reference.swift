// Links from one record to another.

/// A link to another record of the same database.
///
/// Two references are equal when they name the same record; the action does not count.
public struct Reference: Hashable, Sendable, Codable {
    /// What happens to the record that holds the reference when the target is deleted.
    public enum Action: String, Hashable, Sendable, Codable, CaseIterable {
        /// Nothing: the reference dangles.
        case none
        /// The holder is deleted too.
        case deleteSelf
    }

    /// The record pointed at.
    public var recordID: Record.ID
    public var action: Action

    /// A reference to the record of that identifier.
    public init(recordID: Record.ID, action: Action = .none) {
        self.recordID = recordID
        self.action = action
    }

    /// A reference to a record of the default zone by its name.
    public init(_ recordName: String, action: Action = .none) {
        self.init(recordID: Record.ID(recordName), action: action)
    }

    public static func == (a: Reference, b: Reference) -> Bool { a.recordID == b.recordID }
    public func hash(into hasher: inout Hasher) { hasher.combine(recordID) }
}

/// Bytes kept outside the record, named by their content.
public struct Asset: Hashable, Sendable, Codable {
    /// Path of the file that holds the bytes.
    public var path: String
    /// Size in bytes, where known.
    public var size: Int64?

    public init(path: String, size: Int64? = nil) {
        self.path = path
        self.size = size
    }
}
