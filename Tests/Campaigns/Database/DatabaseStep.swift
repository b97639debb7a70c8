// What clients ask of a database in a campaign, and what they are told.

import FoundationEssentials
import RecordDatabase
import RecordModel

/// One of the databases of a campaign.
struct DatabaseKey: Hashable, Sendable {
    let scope: DatabaseScope
    /// Whose private database; `nil` for the public one.
    let owner: String?
}

/// A stored record as a reader sees it.
struct SeenRecord: Hashable, Sendable {
    let id: Record.ID
    let type: String
    var fields: [String: FieldValue]
    var parent: Record.ID?
    var tag: String?
    var creationDate: Date?
    var creator: String?
    var modificationDate: Date?
    var modifier: String?

    /// - Parameter id: The identifier as the store knows it.
    init(_ record: Record, id: Record.ID) {
        self.id = id
        (type, fields) = (record.type, record.fields)
        parent = record.parent?.recordID
        tag = record.recordChangeTag
        (creationDate, modificationDate) = (record.creationDate, record.modificationDate)
        creator = record.creatorUserRecordID?.recordName
        modifier = record.lastModifiedUserRecordID?.recordName
    }

    /// A row of a server.
    init(_ row: ServerRow) {
        id = row.id
        (type, fields) = (row.type, row.fields.filter { !$0.value.isNull })
        parent = row.parent?.recordID
        tag = String(row.change, radix: 36)
        (creationDate, modificationDate) = (row.creationDate, row.modificationDate)
        (creator, modifier) = (row.creator, row.lastModifier)
    }

    /// The record with its metadata, as the evaluator takes it.
    var record: Record {
        let metadata = Record.Metadata(
            creationDate: creationDate, creatorUserRecordID: creator.map { Record.ID($0) },
            modificationDate: modificationDate, lastModifiedUserRecordID: modifier.map { Record.ID($0) },
            recordChangeTag: tag)
        let parent = parent.map { RecordReference(recordID: $0) }
        return Record(
            type: type, id: id, version: HeldVersion(metadata: metadata, parent: parent, fields: fields))
    }
}

/// A deletion as a reader of changes is told of it.
struct SeenDeletion: Hashable, Sendable {
    let id: Record.ID
    let type: String
}

/// What a client asks for.
enum DatabaseOperation: Sendable {
    case modify(ModifyRequest)
    /// A transaction, as it went.
    case transact(TransactionTrace)
    case saveZones([RecordZone.ID])
    case deleteZone(RecordZone.ID)
    case saveSubscription(Subscription)
    case deleteSubscription(Subscription.ID)
    case fetch([Record.ID], desiredKeys: [String]?)
    /// A page of an answer, behind the last record of the page before.
    case query(Query, QueryZones, limit: Int, after: SeenRecord?)
    /// What changed since the last step of a reader; `isFirst` begins anew.
    case zoneChanges(RecordZone.ID, reader: Int, isFirst: Bool, limit: Int)
    case databaseChanges(reader: Int, isFirst: Bool, limit: Int)
    case zones
    case subscriptions
    /// The answer of a live query, when it begins and later.
    case watch(Query, QueryZones, isFirst: Bool)
}

extension DatabaseOperation {
    /// Whether it takes what was told, and does not ask.
    var isTold: Bool { if case .watch(_, _, isFirst: false) = self { true } else { false } }

    /// The reader of changes that reads on, or begins anew.
    var reader: (number: Int, isFirst: Bool)? {
        switch self {
        case .zoneChanges(_, let reader, let isFirst, _), .databaseChanges(let reader, let isFirst, _):
            (reader, isFirst)
        default: nil
        }
    }
}

/// What became of one item.
enum ItemOutcome: Hashable, Sendable {
    case done
    case record(SeenRecord)
    case failure(DatabaseError.Code)

    /// The error, if it is one.
    var failure: DatabaseError.Code? { if case .failure(let code) = self { code } else { nil } }
}

/// What a client was told.
enum DatabaseOutcome: Hashable, Sendable {
    case failure(DatabaseError.Code)
    /// Of a batch the saves and then the deletes; of a fetch the records, in the order of the request.
    case items([ItemOutcome])
    case records([SeenRecord], hasMore: Bool)
    case changes([SeenRecord], deletions: [SeenDeletion], hasMore: Bool)
    case names([String], deleted: [String], hasMore: Bool)
}

/// One call of a client, with what is known about its place among the commits of the database.
struct DatabaseStep: Sendable {
    let database: DatabaseKey
    let operation: DatabaseOperation
    let outcome: DatabaseOutcome
    /// Commits of the database that had been told before the call began: it came after them.
    let known: Int
    /// Its own commit, counted from 0 among those of the database.
    let commit: Int?
}
