// Places in a stored container, as an application has them.

import FoundationEssentials
import RecordDatabase
import RecordModel

/// A container in a folder, with limits that let large pieces through.
struct PlaceStore {
    let container: Container
    let path: String
    var database: Database { container.privateDatabase }

    /// Opens the store of a folder, or makes one.
    init(_ path: String, durability: StorageOptions.Durability = .full) throws {
        self.path = path
        var configuration = Configuration()
        configuration.limits.itemsPerRequest = 1 << 20
        // As in `predicate import`: a piece of columns counts as one record.
        configuration.limits.bytesPerRequest = 1 << 30
        configuration.limits.bytesPerRecord = 1 << 30
        container = try Container(
            identifier: "benchmarks", storedAt: URL(filePath: path), options: StorageOptions(durability: durability),
            configuration: configuration)
    }

    /// Saves records in one piece.
    func save(_ records: [Record]) throws {
        let result = try database.modify(ModifyRequest(saves: records))
        guard result.saves.count == records.count, result.partialErrors.isEmpty else {
            throw WrongResult(description: "\(result.partialErrors.count) records were not saved")
        }
    }

    /// Asks every question of a workload for its first record, so that the indexes that they want are there.
    func runQueries(_ workload: [WorkloadQuery]) throws {
        for query in workload { _ = try first(of: query) }
    }

    /// The first record that a question finds.
    func first(of query: WorkloadQuery) throws -> Record.ID? {
        let request = Query(
            "Place", try query.recordPredicate, sortedBy: try (query.sort ?? []).map(SortKey.init(workload:)))
        return try database.find(request, in: .default, limit: 1).matches.first?.0
    }

    /// The places of a store, whether it is open or not.
    static func set(_ path: String) throws -> RecordSet {
        var set = try RecordSet(storedAt: URL(filePath: path), type: "Place")
        set.usesAllCores = false
        return set
    }

    /// Makes way for a new store.
    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}

extension WorkloadQuery {
    /// The predicate with its arguments and variables.
    var recordPredicate: RecordPredicate {
        get throws {
            try RecordPredicate(format: predicate, arguments: arguments ?? []).substituting(variables ?? [:])
        }
    }
}
