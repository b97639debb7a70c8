// How large a stored container is, and what is in it.

import Indexing
import RecordColumns
import RecordModel
import RecordStorage
import RecordStore
import Synchronization

/// How much room the folder of a container takes, and for what.
public struct StorageStatistics: Hashable, Sendable, Codable {
    /// The records of one type in one database.
    public struct Records: Hashable, Sendable, Codable {
        /// The database.
        public var scope: DatabaseScope
        /// The user of a private database.
        public var user: String?
        /// The type of the records.
        public var recordType: String
        /// The name of their zone.
        public var zoneName: String
        /// How many records there are.
        public var count: Int
        /// Rows of deleted or replaced records that merging has not dropped yet.
        public var deletedRows: Int
        /// Segments that they lie in.
        public var segments: Int
        /// Indexes that are built, over all segments.
        public var indexes: Int
    }

    /// The identifier of the container.
    public var identifier: String
    /// The records by database, type and zone.
    public var records: [Records] = []
    /// Bytes of the files of records and indexes.
    public var segmentBytes = 0
    /// Files of records and indexes.
    public var segmentFiles = 0
    /// Bytes of the file of tables, free room included.
    public var tableBytes = 0
    /// Bytes in the file of tables that will be used again.
    public var freeBytes = 0
    /// Bytes of changes that the files of records do not have yet.
    public var logBytes = 0
    /// Changes that the files of records do not have yet.
    public var logChanges = 0
    /// Bytes of the files of assets.
    public var assetBytes = 0
    /// Files of assets.
    public var assetFiles = 0

    /// Bytes of all files.
    public var byteCount: Int { segmentBytes + tableBytes + assetBytes }
    /// Number of records, without those that the database keeps about users.
    public var recordCount: Int {
        records.reduce(0) { $1.recordType == ContainerSchema.userRecordType ? $0 : $0 + $1.count }
    }
}

extension ContainerStore {
    /// What is stored where.
    /// - Throws: `StorageError`.
    func statistics() throws(StorageError) -> StorageStatistics {
        var statistics = StorageStatistics(identifier: identifier)
        for database in databases {
            var groups: [[String]: StorageStatistics.Records] = [:]
            for stored in database.records.snapshot.segments {
                let (type, zone) = (stored.segment.recordType, stored.segment.zoneID.zoneName)
                var group =
                    groups[[type, zone]]
                    ?? StorageStatistics.Records(
                        scope: database.origin.scope, user: database.origin.user, recordType: type, zoneName: zone,
                        count: 0, deletedRows: 0, segments: 0, indexes: 0)
                group.count += stored.liveCount
                group.deletedRows += stored.segment.count - stored.liveCount
                group.segments += 1
                group.indexes += stored.indexes.builtCount
                groups[[type, zone]] = group
            }
            statistics.records += groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        }
        guard let journal else { return statistics }
        let sizes = try journal.environment.sizes()
        (statistics.tableBytes, statistics.freeBytes) = (sizes.tables, sizes.free)
        (statistics.logBytes, statistics.logChanges) = (sizes.log, sizes.logEntries)
        let folder = journal.environment.folder
        (statistics.segmentFiles, statistics.segmentBytes) = try folder.files(in: folder.segments)
        (statistics.assetFiles, statistics.assetBytes) = try folder.files(in: folder.assets)
        return statistics
    }
}
