// A store that has something of everything, for campaigns that damage it or kill who writes it.

import FoundationEssentials
import Glibc
import PredicateSemantics
import RecordDatabase
import RecordModel

/// A store with files of records and indexes, deletions, zones, subscriptions, an asset, and changes in the log.
struct SampleStore {
    let seed: UInt64
    /// Records that were loaded as columns first: so many that indexes are built for them.
    var loadedCount = 0
    /// Batches of saves and deletions after that.
    var batchCount: Int { isSmall ? 7 : 24 + Int(seed % 16) }
    /// Whether it shall be made and read in little time.
    var isSmall = false

    /// Makes the store in a folder, in place of what is there.
    func make(at path: String) async throws {
        let url = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? FileManager.default.removeItem(at: url)
        let asset = path + ".asset"
        guard FileManager.default.createFile(atPath: asset, contents: Data((0..<9000).map { UInt8($0 % 251) })) else {
            throw DatabaseError(.assetNotAvailable, "no file for an asset")
        }
        var configuration = Configuration()
        configuration.limits.itemsPerRequest = 1 << 20
        let container = try Container(identifier: "sample", storedAt: url, configuration: configuration)
        try await container.privateDatabase.save(RecordZone(id: CrashBatch.zone))
        var saved = Record(type: "WithFile", id: Record.ID("asset"))
        saved["file"] = FieldValue.asset(try Asset(fileURL: URL(filePath: asset)))
        _ = try await container.privateDatabase.save(saved)
        if loadedCount > 0 { try load(container.publicDatabase) }
        for number in 1...batchCount {
            try await CrashBatch(number, seed: seed).write(to: container)
            if number % (batchCount / 2) == 0, number < batchCount {
                // Indexes are written with the records only once they were asked for.
                _ = try await Self.state(of: container)
                try await container.checkpoint()
            }
        }
        try await container.privateDatabase.save(
            Subscription(recordType: CrashBatch.type, predicate: "batch > \(3)", id: "all"))
        // The log stays: closing would write a state in its place.
        try FileManager.default.copyItem(atPath: path, toPath: path + ".open")
        container.close()
        try FileManager.default.removeItem(at: url)
        guard unsafe rename(path + ".open", path) == 0 else {
            throw DatabaseError(.internalError, "the store cannot be named")
        }
    }

    private func load(_ database: Database) throws {
        let records = (0..<loadedCount).map { number in
            let words = CrashBatch.words
            return Record(
                type: CrashBatch.type, id: Record.ID("base\(number)"),
                fields: [
                    "batch": .int64(Int64(number % 50)), "half": .double(Double(number) / 2),
                    "text": .string("\(words[number % words.count]) \(number)"),
                    "tags": .list([.string(words[number % 7 % words.count])]),
                ])
        }
        _ = try database.load(0..<loadedCount, of: RecordSet(records: records))
    }

    // MARK: What it holds

    /// What two states differ in, in words; `nil` when they are the same.
    static func difference(_ expected: [String], _ found: [String]) -> String? {
        if expected == found { return nil }
        let (missing, more) = (Set(expected).subtracting(found), Set(found).subtracting(expected))
        return "\(missing.count) lines of \(expected.count) differ: \(missing.first ?? "") became \(more.first ?? "")"
    }

    /// All that a store holds, and the answers that its indexes give, line by line.
    static func state(of container: Container) async throws -> [String] {
        var lines = container.schema.text.components(separatedBy: "RECORD TYPE").filter { !$0.hasPrefix(" Probe") }
        let types = container.schema.recordTypes.keys.filter { $0 != ContainerSchema.userRecordType }.sorted()
        for (type, database) in types.flatMap({ [($0, container.publicDatabase), ($0, container.privateDatabase)] }) {
            let found = try await database.recordPage(matching: Query(type), in: .default, resultsLimit: 1_000_000)
            for (_, result) in found.matchResults { lines.append(try line(try result.get())) }
        }
        for zone in try await container.privateDatabase.allRecordZones() where !zone.id.isDefault {
            let changes = try container.privateDatabase.zoneChanges(zone.id, since: nil, limit: 1_000_000)
            for (_, result) in changes.modifications { lines.append(try line(try result.get())) }
            lines += changes.deletions.map { "deleted \($0.recordID.recordName) \($0.recordType)" }.sorted()
        }
        if types.contains(CrashBatch.type) { lines += try await results(of: container) }
        lines += try await container.privateDatabase.allSubscriptions().map { "subscription \($0.id) \($0.subject)" }
        return lines
    }

    /// What a store of records of batches answers to some questions.
    static func results(of container: Container) async throws -> [String] {
        var lines: [String] = []
        for (database, zone) in [
            (container.privateDatabase, CrashBatch.zone), (container.publicDatabase, RecordZone.ID.default),
        ] {
            for predicate in predicates {
                let found = try await database.recordPage(
                    matching: Query(CrashBatch.type, predicate), in: .zone(zone), resultsLimit: 1_000_000)
                lines.append("\(predicate): \(found.matchResults.map(\.0.recordName).sorted())")
            }
        }
        return lines
    }

    /// A record with what the database wrote about it; assets by what is in them.
    private static func line(_ record: Record) throws -> String {
        var lines = record.fields.map { "\($0.key)=\($0.value)" }.sorted()
        for case (let name, .asset(let asset)) in record.fields {
            let bytes = asset.fileURL.flatMap { try? Data(contentsOf: $0) } ?? Data()
            lines.removeAll { $0.hasPrefix("\(name)=") }
            lines.append("\(name)=\(bytes.base64EncodedString())")
        }
        let dates = [record.creationDate, record.modificationDate].map { "\($0?.timeIntervalSinceReferenceDate ?? 0)" }
        let head = "record \(record.type) \(record.id.zoneID.zoneName) \(record.id.recordName)"
        return "\(head) \(lines) \(dates) \(record.recordChangeTag ?? "")"
    }

    private static let predicates: [RecordPredicate] = [
        "batch > \(20)", "half <= \(9.5)", "tags CONTAINS \("gamma")", "text BEGINSWITH \("omega")",
        "allTokens TOKENMATCHES \("alpha")", "text CONTAINS \("of 1")",
    ]
}
