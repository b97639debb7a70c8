// What a commit tells a subscription, apart from the records that it was made on.

package import RecordModel

/// What a commit tells one subscription, as every process can tell it.
package struct NoticeContent: Hashable, Sendable {
    /// A desired field with its value.
    struct Field: Hashable, Sendable {
        let key: String
        let value: FieldValue
    }

    /// Whose the subscription is.
    package let userName: String
    let subscriptionID: Subscription.ID
    let kind: ChangeNotification.Kind
    let scope: DatabaseScope
    let zoneID: RecordZone.ID?
    let recordID: Record.ID?
    let reason: ChangeNotification.Reason?
    /// The desired fields that have values, in the order in which they are desired; texts are cut.
    let fields: [Field]

    /// Characters of a text that a notification carries.
    private static let longestText = 100
}

extension NoticeContent {
    /// What a notice of a commit says.
    ///
    /// - Parameters:
    ///   - scope: The database of the commit.
    ///   - schema: Tells the fields that are encrypted, which no notification carries.
    init(_ notice: Notice, of scope: DatabaseScope, _ schema: ContainerSchema) {
        let type = notice.record.flatMap { schema.recordTypes[$0.type] }
        var fields: [Field] = []
        for key in notice.subscription.notificationInfo?.desiredKeys ?? [] {
            if type?.fields[key]?.traits.contains(.encrypted) == true { continue }
            guard let value = notice.record?[key], !value.isNull else { continue }
            fields.append(Field(key: key, value: value.cut(at: Self.longestText)))
        }
        let kind: ChangeNotification.Kind =
            switch notice.subscription.subject {
            case .query: .query
            case .zone: .recordZone
            case .database: .database
            }
        self.init(
            userName: notice.userName, subscriptionID: notice.subscription.id, kind: kind,
            scope: notice.scope ?? scope, zoneID: notice.zoneID, recordID: notice.recordID, reason: notice.reason,
            fields: fields)
    }
}

extension FieldValue {
    fileprivate func cut(at characters: Int) -> FieldValue {
        guard case .string(let text) = self, text.utf8.count > characters else { return self }
        return .string(String(text.prefix(characters)))
    }
}

extension NoticeContent: BinaryCodable {
    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        writer.write(userName)
        writer.write(subscriptionID)
        writer.write(count: kind.rawValue)
        writer.write(count: scope.rawValue)
        try writer.write(optional: zoneID)
        try writer.write(optional: recordID)
        writer.write(count: reason?.rawValue ?? 0)
        writer.write(count: fields.count)
        for field in fields {
            writer.write(field.key)
            try field.value.write(to: &writer)
        }
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let (userName, id) = (try reader.text(), try reader.text())
        let (kind, scope) = (try reader.number(upTo: 255), try reader.number(upTo: 255))
        guard let kind = ChangeNotification.Kind(rawValue: kind), let scope = DatabaseScope(rawValue: scope) else {
            throw reader.error(.unknownKind(UInt8(truncatingIfNeeded: kind)))
        }
        let (zoneID, recordID): (RecordZone.ID?, Record.ID?) = (try reader.optional(), try reader.optional())
        let reason = ChangeNotification.Reason(rawValue: try reader.number(upTo: 255))
        var fields: [Field] = []
        for _ in 0..<(try reader.count(ofBytes: 2)) {
            fields.append(Field(key: try reader.text(), value: try FieldValue(from: &reader)))
        }
        self.init(
            userName: userName, subscriptionID: id, kind: kind, scope: scope, zoneID: zoneID, recordID: recordID,
            reason: reason, fields: fields)
    }
}
