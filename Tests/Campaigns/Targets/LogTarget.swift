// Entries of a store's log from strangers: the store opens with what they say, or is refused.

import FoundationEssentials
import RecordDatabase
import RecordModel
import RecordStorage

/// Writes bytes as the changes of a store, and opens it.
struct LogCheck: Sendable {
    private let folder: String

    init(folder: String) { self.folder = folder }

    /// - Parameter bytes: Changes, each behind its number of bytes in two bytes, low byte first.
    func run(_ bytes: [UInt8]) -> FuzzOutcome {
        try? FileManager.default.removeItem(atPath: folder)
        do throws(StorageError) {
            let metadata = StoreMetadata(identifier: "test", assetFolder: folder + "/assets")
            let environment = try StorageEnvironment(path: folder, mode: .readWrite, durability: .off, new: metadata)
            for change in Self.changes(of: bytes) { try environment.append(change) }
            environment.close()
        } catch {
            return .finding("the log cannot be written: \(error)")
        }
        do throws(DatabaseError) {
            try read()
            return .accepted
        } catch {
            return error.code == .internalError ? .rejected : .finding("an error that does not fit: \(error)")
        }
    }

    private func read() throws(DatabaseError) {
        var options = StorageOptions()
        options.durability = .off
        let container = try Container(identifier: "test", storedAt: URL(filePath: folder), options: options)
        defer { container.close() }
        for database in [container.privateDatabase, container.publicDatabase] {
            for zone in (try? database.fetchAllZones()) ?? [] {
                _ = try? database.zoneChanges(zone.id, since: nil, limit: 100)
                for type in DatabaseScene.types {
                    _ = try? database.find(
                        Query(type, "a > 1 OR b BEGINSWITH 'r'"), in: .zone(zone.id), limit: 10)
                }
            }
            _ = try? database.fetchAllSubscriptions()
        }
    }

    private static func changes(of bytes: [UInt8]) -> [[UInt8]] {
        var changes: [[UInt8]] = []
        var place = 0
        while place + 2 <= bytes.count {
            let end = min(bytes.count, place + 2 + Int(bytes[place]) + Int(bytes[place + 1]) << 8)
            changes.append(Array(bytes[place + 2..<end]))
            place = end
        }
        return changes
    }

    /// The first of the changes, the last of them a little different.
    static func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var changes = changes(of: bytes)
        guard !changes.isEmpty else { return bytes }
        changes = Array(changes.prefix(Int.random(in: 1...changes.count, using: &generator)))
        let last = changes.count - 1
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: changes.append(changes[last])
        case 1: changes[last] = generator.pick(changes)
        case 2: changes[last] = SegmentCheck.mutated(changes[last], &generator)
        case 3: changes[last].insert(UInt8.random(in: 0...255, using: &generator), at: changes[last].count / 2)
        default:
            if changes[last].isEmpty { break }
            let place = Int.random(in: 0..<changes[last].count, using: &generator)
            changes[last][place] &+= generator.pick([1, 2, 254, 255])
        }
        return Self.bytes(of: changes)
    }

    private static func bytes(of changes: [[UInt8]]) -> [UInt8] {
        changes.flatMap { [UInt8(truncatingIfNeeded: $0.count), UInt8(truncatingIfNeeded: $0.count >> 8)] + $0 }
    }

    /// What a client of a stored container leaves in its log.
    func seeds() -> [[UInt8]] {
        (0..<8).compactMap { number in
            try? FileManager.default.removeItem(atPath: folder)
            var options = StorageOptions()
            options.durability = .off
            guard
                let container = try? Container(
                    identifier: "test", storedAt: URL(filePath: folder), options: options),
                (try? container.setSchema(DatabaseScene.schema)) != nil
            else { return nil }
            let client = DatabaseClient(
                container, user: DatabaseScene.users[0], log: DatabaseLog(), SeededGenerator(seed: UInt64(number)))
            for _ in 0..<(4 + number * 4) { client.step() }
            // Closing it would write the state, and leave no log.
            defer { container.close() }
            guard
                let environment = try? StorageEnvironment(reading: folder),
                let contents = try? environment.contents()
            else { return nil }
            return Self.bytes(of: contents.log)
        }
    }
}

extension FuzzTarget {
    static let log = FuzzTarget(
        name: "log", summary: "the log of a store: opened with what it says, or refused",
        run: { check.run($0) }, seeds: { check.seeds() }, mutated: { LogCheck.mutated($0, &$1) }, byteLimit: 8192)

    private static var check: LogCheck { LogCheck(folder: ScratchFolder.place("store")) }
}
