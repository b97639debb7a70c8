// What a server keeps: records, zones, and what subscribers are told.

package import FoundationEssentials
package import RecordModel

/// A record as a server keeps it.
package struct ServerRow: Sendable {
    package let id: Record.ID
    package let type: String
    package var fields: [String: FieldValue]
    package var parent: RecordReference?
    /// The share that the record is the root of.
    package var share: RecordReference?
    package let creationDate: Date
    package let creator: String?
    package var modificationDate: Date
    package var lastModifier: String?
    /// Number of the change that made the row what it is.
    package var change: Int64

    package init(
        _ id: Record.ID, type: String, fields: [String: FieldValue], parent: RecordReference?,
        made: (date: Date, user: String?), changed: (date: Date, user: String?, number: Int64)
    ) {
        (self.id, self.type, self.fields, self.parent) = (id, type, fields, parent)
        (creationDate, creator) = made
        (modificationDate, lastModifier, change) = changed
    }
}

extension ServerRow {
    /// What an order compares of the row that a server can make: names, fields and dates of the system.
    package func value(of criterion: SortKey.Criterion) -> FieldValue {
        guard case .field(let name) = criterion else { return .string(id.recordName) }
        switch name {
        case "creationDate": return .date(creationDate)
        case "modificationDate": return .date(modificationDate)
        default: return fields[name] ?? .null
        }
    }
}

/// A zone as a server keeps it.
package struct ServerZone: Hashable, Sendable {
    package let name: String
    /// Number of the change that made the zone.
    package let made: Int64
    /// Number of the last change of the zone.
    package let lastChange: Int64
    /// Deletions up to this change are forgotten.
    package let forgottenThrough: Int64
    /// What came into shares and left them up to this change is forgotten.
    package var movesForgottenThrough: Int64 = 0
    /// Number of the last change of the node that has it, where there are several.
    package var nodeChange: Int64?
    package let clientToken: Data?

    package init(name: String, made: Int64, lastChange: Int64, forgottenThrough: Int64, clientToken: Data?) {
        (self.name, self.made, self.lastChange) = (name, made, lastChange)
        (self.forgottenThrough, self.clientToken) = (forgottenThrough, clientToken)
    }
}

/// What a server finds a share by.
package struct ServerShare: Sendable {
    package let id: Record.ID
    /// What makes its URL that of one share.
    package let token: String
    /// The users who have accepted it.
    package let participants: Set<String>
}

/// Somebody who shares something of one node with a user.
package struct ServerSharer: Hashable, Sendable {
    package let owner: String
    /// The node that has it; 0 on a server that is alone.
    package var node: Int32
    /// Number of the last change of the owner's database there.
    package let lastChange: Int64

    package init(owner: String, node: Int32 = 0, lastChange: Int64) {
        (self.owner, self.node, self.lastChange) = (owner, node, lastChange)
    }
}

/// The place of a notice among those of its database.
package struct NoticePlace: Hashable, Sendable {
    /// Number of the last change of the commit.
    package let change: Int64
    /// Its place among those of the commit.
    package let number: Int32

    package init(change: Int64, number: Int32) { (self.change, self.number) = (change, number) }

    /// The place behind all notices of a commit.
    package init(behind change: Int64) { self.init(change: change, number: .max) }
}

/// What a commit told a subscription.
package struct ServerNotice: Sendable {
    package let place: NoticePlace
    /// The client that made the change; `nil` for one of another process.
    package let client: Int?
    package let content: NoticeContent

    package init(_ content: NoticeContent, at place: NoticePlace, by client: Int?) {
        (self.content, self.place, self.client) = (content, place, client)
    }
}
