// The records of a stored container as a set, and back as text.

public import FoundationEssentials
import QueryExecution
import RecordColumns
import RecordFiles
public import RecordModel
import RecordStorage
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
    ///   - type: Questions are about records of this type only; `nil` for all.
    /// - Throws: `DatabaseError`, as opening the container.
    /// - Complexity: O(records), without reading them.
    public init(
        storedAt folder: URL, scope: DatabaseScope = .private, user: String? = nil, type: String? = nil
    ) throws(DatabaseError) {
        let store = try ContainerStore(identifier: nil, storedAt: folder.path, StorageOptions(mode: .readOnly))
        let userName = user ?? Account.localUser.userName ?? ""
        let database = scope == .public ? store.publicDatabase : store.privateDatabase(of: userName)
        let records = database.records.snapshot
        let users = ContainerSchema.userRecordType
        let shown = Snapshot(
            version: records.version, segments: records.segments.filter { $0.segment.recordType != users },
            schemas: records.schemas.filter { $0.recordType != users })
        self.init(shown.table, recordType: type, source: Source())
    }

    /// The fields that applications write, of all types, in order of first appearance.
    package var writtenFields: [String] { fieldNames.filter { !MetadataColumn.all.contains($0) } }

    /// Appends a record as a line of NDJSON: name and type under the given keys, and some of its fields.
    package func appendJSON(
        of ordinal: Int, idKey: String, typeKey: String, fields: [String], to bytes: inout [UInt8]
    ) {
        let address = table.address(ordinal)
        var writer = JSONWriter()
        let keys = RecordKeys(id: idKey, type: typeKey)
        let row = RowView(segment: table.segments[address.segment], row: address.row, keys: keys)
        writer.write(row: row, keys: keys, fields: fields, includesName: true, includesType: true)
        bytes += writer.bytes
        bytes.append(0x0A)
    }
}

extension Database {
    /// The token that came with the last batch that changed the default zone.
    package func lastClientToken() throws(DatabaseError) -> Data? {
        let (_, stored) = try begin(.fetchZones)
        return stored.state.withLock { $0.zones[RecordZone.ID.defaultZoneName]?.clientToken }
    }
}
