// The data of a store as the parts of its stored state.

import FoundationEssentials
import RecordModel
import RecordStorage
import RecordStore

/// What is stored of one database besides its records.
private struct StoredState {
    static let tombstonesPerPart = 1024
    let prefix: String

    /// The name of the part with some of a zone's deletions.
    func name(of number: Int, in zone: ZoneState) -> String { "\(prefix)deletions \(zone.made) \(number)" }

    func write(_ state: DatabaseState, to parts: inout [String: [UInt8]]) throws(BinaryError) {
        var writer = BinaryWriter()
        writer.write(signed: state.lastChange)
        state.lastDate.write(to: &writer)
        try writer.write(list: state.purgedZones.sorted())
        writer.write(count: state.deletedZones.count)
        for (name, change) in state.deletedZones.sorted(by: { $0.key < $1.key }) {
            writer.write(name)
            writer.write(signed: change)
        }
        // Older versions kept tokens here, without the batches that they came with.
        writer.write(count: 0)
        try writer.write(list: state.subscriptions.all)
        writer.write(count: state.zones.count)
        for zone in state.zones.values.sorted(by: { $0.made < $1.made }) {
            write(zone, to: &writer)
            writeDeletions(of: zone, to: &parts)
        }
        parts[prefix + "state"] = writer.bytes
        if !state.resetZones.isEmpty { parts[resetsName] = try Self.bytes(of: state.resetZones) }
        if !state.sentBatches.isEmpty { parts[batchesName] = Self.bytes(of: state.sentBatches) }
        parts[sharingName] = try state.sharingBytes()
    }

    private var batchesName: String { prefix + "batches" }
    private var sharingName: String { prefix + "sharing" }
    private var resetsName: String { prefix + "resets" }

    private static func bytes(of names: Set<String>) throws(BinaryError) -> [UInt8] {
        var writer = BinaryWriter()
        try writer.write(list: names.sorted())
        return writer.bytes
    }

    private static func names(_ bytes: [UInt8]) throws(BinaryError) -> Set<String> {
        var reader = BinaryReader(bytes)
        let names = try reader.list(of: String.self)
        try reader.finish()
        return Set(names)
    }

    private static func bytes(of batches: [Int: SentBatch]) -> [UInt8] {
        var writer = BinaryWriter()
        writer.write(count: batches.count)
        for (client, batch) in batches.sorted(by: { $0.key < $1.key }) {
            writer.write(signed: Int64(client))
            batch.write(to: &writer)
        }
        return writer.bytes
    }

    private static func batches(_ bytes: [UInt8]) throws(BinaryError) -> [Int: SentBatch] {
        var reader = BinaryReader(bytes)
        var batches: [Int: SentBatch] = [:]
        for _ in 0..<(try reader.count(ofBytes: 3)) {
            let client = Int(clamping: try reader.signed())
            batches[client] = try SentBatch(from: &reader)
        }
        try reader.finish()
        return batches
    }

    private func write(_ zone: ZoneState, to writer: inout BinaryWriter) {
        zone.id.write(to: &writer)
        writer.write(signed: zone.made)
        writer.write(count: zone.capabilities.rawValue)
        writer.write(signed: zone.lastChange)
        writer.write(byte: zone.clientToken == nil ? 0 : 1)
        if let token = zone.clientToken { writer.write(bytes: token) }
        writer.write(signed: zone.forgottenThrough)
        writer.write(count: zone.forgottenCount)
        writer.write(count: zone.tombstones.count)
    }

    /// Writes deletions by stretches of their numbers, so that most parts stay as they are when others come.
    private func writeDeletions(of zone: ZoneState, to parts: inout [String: [UInt8]]) {
        var writer = BinaryWriter()
        for (index, tombstone) in zone.tombstones.enumerated() {
            writer.write(tombstone.recordName)
            writer.write(tombstone.recordType)
            writer.write(signed: tombstone.change)
            writer.write(byte: zone.isCurrent(tombstone) ? 1 : 0)
            let number = zone.forgottenCount + index
            if (number + 1) % Self.tombstonesPerPart == 0 || index == zone.tombstones.count - 1 {
                parts[name(of: number / Self.tombstonesPerPart, in: zone)] = writer.bytes
                writer.removeAll()
            }
        }
    }

    func read(_ parts: [String: [UInt8]], _ schema: ContainerSchema) throws(BinaryError) -> DatabaseState {
        var state = DatabaseState()
        var reader = BinaryReader(parts[prefix + "state"] ?? [])
        state.lastChange = try reader.signed()
        state.lastDate = try Date(from: &reader)
        state.purgedZones = Set(try reader.list(of: String.self))
        for _ in 0..<(try reader.count(ofBytes: 2)) {
            let name = try reader.text()
            state.deletedZones[name] = try reader.signed()
        }
        for _ in 0..<(try reader.count(ofBytes: 2)) {
            _ = (try reader.signed(), try reader.counted())
        }
        for subscription in try reader.list(of: StoredSubscription.self) {
            state.subscriptions.insert(subscription.bound(schema))
        }
        state.zones = [:]
        for _ in 0..<(try reader.count(ofBytes: 8)) {
            let zone = try readZone(from: &reader, parts)
            state.zones[zone.id.zoneName] = zone
        }
        try reader.finish()
        if let bytes = parts[resetsName] { state.resetZones = try Self.names(bytes) }
        if let bytes = parts[batchesName] { state.sentBatches = try Self.batches(bytes) }
        if let bytes = parts[sharingName] { try state.restoreSharing(bytes, schema) }
        return state
    }

    private func readZone(
        from reader: inout BinaryReader, _ parts: [String: [UInt8]]
    ) throws(BinaryError) -> ZoneState {
        let id = try RecordZone.ID(from: &reader)
        let made = try reader.signed()
        var capabilities = RecordZone.Capabilities(rawValue: try reader.number(upTo: 255))
        // Older versions made zones that could not be shared yet.
        if !id.isDefault { capabilities.formUnion(.ofCustomZones) }
        var zone = ZoneState(id: id, made: made, capabilities: capabilities)
        zone.lastChange = try reader.signed()
        zone.clientToken = try reader.flag() ? Data(try reader.counted()) : nil
        let forgotten = (through: try reader.signed(), count: try reader.number(upTo: .max))
        let count = try reader.number(upTo: .max)
        var tombstones: [(tombstone: Tombstone, isCurrent: Bool)] = []
        var number = forgotten.count / Self.tombstonesPerPart
        while tombstones.count < count {
            guard let part = parts[name(of: number, in: zone)], !part.isEmpty else { throw reader.error(.endsEarly) }
            var deletions = BinaryReader(part)
            while deletions.remaining > 0 {
                let name = try deletions.text()
                let type = try deletions.text()
                let tombstone = Tombstone(recordName: name, recordType: type, change: try deletions.signed())
                tombstones.append((tombstone, try deletions.flag()))
            }
            number += 1
        }
        guard tombstones.count == count else { throw reader.error(.goesOn) }
        zone.restore(tombstones, forgotten: forgotten)
        return zone
    }
}

/// The data of a store after some change, to be written.
struct CheckpointSnapshot: Sendable {
    /// The data of one database.
    struct Database: Sendable {
        let origin: DatabaseOrigin
        let records: (snapshot: Snapshot, nextSequence: Int)
        let state: DatabaseState
    }

    /// Number of the change.
    let number: UInt64
    let schema: ContainerSchema
    let roles: [String: Set<String>]
    let databases: [Database]

    fileprivate static let rootName = "store"

    fileprivate static func prefix(_ number: Int) -> String { "database \(number) " }

    /// The data as parts of a state; segments that are in no file yet are written.
    ///
    /// - Parameter rewrites: Whether segments that got indexes since they were written are written again.
    /// - Returns: Also, the numbers of the segment files that the parts name.
    /// - Throws: `StorageError`.
    func parts(
        _ segments: SegmentFolder, rewrites: Bool
    ) throws(StorageError) -> (parts: [String: [UInt8]], files: Set<Int>) {
        var parts: [String: [UInt8]] = [:]
        var files: Set<Int> = []
        var stored: [StoredRecords] = []
        for database in databases {
            let records = try StoredRecords(database.records, in: segments, rewrites: rewrites)
            files.formUnion(records.fileNumbers)
            stored.append(records)
        }
        do throws(BinaryError) {
            var writer = BinaryWriter()
            try schema.write(to: &writer)
            writer.write(count: roles.count)
            for (userName, roles) in roles.sorted(by: { $0.key < $1.key }) {
                writer.write(userName)
                try writer.write(list: roles.sorted())
            }
            try writer.write(list: databases.map(\.origin))
            parts[Self.rootName] = writer.bytes
            for (number, database) in databases.enumerated() {
                try stored[number].write(to: &parts, prefix: Self.prefix(number))
                try StoredState(prefix: Self.prefix(number)).write(database.state, to: &parts)
            }
        } catch {
            throw StorageError(.limitExceeded, path: segments.path, "the state cannot be stored: \(error)")
        }
        return (parts, files)
    }
}

extension CheckpointImage {
    /// Reads an image from the parts of a state.
    ///
    /// - Throws: `StorageError`, of code `missing` when a newer state took the place of this one.
    init(
        identifier: String, from parts: [String: [UInt8]], _ segments: SegmentFolder
    ) throws(StorageError) {
        self.init(identifier: identifier)
        for (origin, state, records) in try read(parts, path: segments.path) {
            files.formUnion(records.fileNumbers)
            databases.append(Database(origin: origin, records: try records.open(in: segments), state: state))
        }
    }

    /// The records that the parts of a state say are in files.
    /// - Throws: `StorageError`.
    static func storedRecords(in parts: [String: [UInt8]], path: String) throws(StorageError) -> [StoredRecords] {
        var image = CheckpointImage(identifier: "")
        return try image.read(parts, path: path).map(\.records)
    }

    /// The numbers of the segment files that some contents of a store name.
    /// - Throws: `StorageError`.
    static func files(of contents: StoredContents, path: String) throws(StorageError) -> Set<Int> {
        Set(try places(of: contents, path: path).map(\.number))
    }

    /// The segment files that some contents of a store name: those of its state, and of its log.
    /// - Throws: `StorageError`.
    static func places(of contents: StoredContents, path: String) throws(StorageError) -> [SegmentPlace] {
        var places = try storedRecords(in: contents.parts, path: path).flatMap(\.places)
        for (index, bytes) in contents.log.enumerated() {
            do throws(BinaryError) {
                if let place = try StoreChange.file(of: bytes) { places.append(place) }
            } catch {
                throw StorageError(.corrupted, path: path, "change \(index + 1) of the log cannot be read: \(error)")
            }
        }
        return places
    }

    /// Reads schema and roles, and gives what is stored of each database.
    private mutating func read(
        _ parts: [String: [UInt8]], path: String
    ) throws(StorageError) -> [(origin: DatabaseOrigin, state: DatabaseState, records: StoredRecords)] {
        guard let root = parts[CheckpointSnapshot.rootName] else { return [] }
        do throws(BinaryError) {
            var reader = BinaryReader(root)
            schema = try ContainerSchema(from: &reader)
            for _ in 0..<(try reader.count(ofBytes: 2)) {
                let userName = try reader.text()
                roles[userName] = Set(try reader.list(of: String.self))
            }
            let origins: [DatabaseOrigin] = try reader.list()
            try reader.finish()
            var stored: [(origin: DatabaseOrigin, state: DatabaseState, records: StoredRecords)] = []
            for (number, origin) in origins.enumerated() {
                let prefix = CheckpointSnapshot.prefix(number)
                let state = try StoredState(prefix: prefix).read(parts, schema)
                stored.append((origin, state, try StoredRecords(from: parts, prefix: prefix)))
            }
            return stored
        } catch {
            throw StorageError(.corrupted, path: path, "the state cannot be read: \(error)", hint: "restore a backup")
        }
    }
}
