// The records of a stored container as a set.

public import FoundationEssentials
import RecordColumns
public import RecordModel
import RecordStorage
import RecordStore
import Synchronization

extension RecordSet {
    /// The records of one database of a stored container, as they are now, with the indexes that are stored.
    ///
    /// What the database wrote about a record (dates, users, change tag) are fields like others.
    ///
    /// - Parameters:
    ///   - folder: The folder of the store, which is opened for reading.
    ///   - scope: The database: the public one, or the private one of `user`.
    ///   - user: The name of the user; by default the one who needs not be named.
    ///   - type: Only records of this type are queried; `nil` for all.
    /// - Throws: `DatabaseError`, as opening the container.
    /// - Complexity: O(records), without reading them.
    public init(
        storedAt folder: URL, scope: DatabaseScope = .private, user: String? = nil, type: String? = nil
    ) throws(DatabaseError) {
        let store = try ContainerStore(identifier: nil, storedAt: folder.path, StorageOptions(mode: .readOnly))
        let userName = user ?? Account.localUser.userName ?? ""
        let database = scope == .public ? store.publicDatabase : store.privateDatabase(of: userName)
        let shown = database.records.snapshot.sealed(withoutTypes: [ContainerSchema.userRecordType])
        let schema = store.schema.current
        self.init(shown, recordType: type, source: Source(schema: schema))
        declaredIndexes = ContainerSchema.indexDeclaration(of: schema.recordTypes.values.map(\.fields))
    }
}

extension Database {
    /// The number of the last change, and the token of the last batch that changed its zone and brought one.
    package func lastChange() throws(DatabaseError) -> (number: Int64, clientToken: Data?) {
        let (_, stored) = try beginLocal(.fetchZones)
        return stored.state.withLock { state in
            (state.lastChange, state.zones.values.max { $0.lastChange < $1.lastChange }?.clientToken)
        }
    }
}

extension RecordSet {
    /// The schema of the store that the records are of; `nil` for records of files and programs.
    package var storedSchema: ContainerSchema? { source.schema }

    /// The zones that records are in, each once.
    package var zoneIDs: [RecordZone.ID] {
        var seen: Set<RecordZone.ID> = []
        return snapshot.segments.map(\.segment.zoneID).filter { seen.insert($0).inserted }
    }
}
