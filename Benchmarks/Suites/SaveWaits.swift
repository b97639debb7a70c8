// How long single saves wait beside the maintenance of a large store.

import Dispatch
import FoundationEssentials
import RecordDatabase
import RecordModel
import Synchronization

/// Saves one place after another, each until it is on the disk, while the store is looked after.
struct SaveWaits {
    let count: Int
    let workload: [WorkloadQuery]
    let path: String

    /// What goes on beside the saves.
    private enum Work: String, CaseIterable, Sendable {
        /// The merging that saves set off by themselves.
        case merging
        case checkpoint
        case backup
        case compact

        func run(_ container: Container, copy: String) async throws {
            switch self {
            case .merging: try await Task.sleep(for: .seconds(3))
            case .checkpoint: try await container.checkpoint()
            case .backup: try await container.backUp(to: URL(filePath: copy))
            case .compact: try await container.compact()
            }
        }
    }

    /// Saves before a work begins, so that it has something to do, in batches of so many places.
    private static let batches = (count: 50, size: 400)

    /// Times of saves without the indexes of the workload, and with them.
    func run() throws -> String {
        PlaceStore.remove(path)
        defer { for path in [path, copy] { PlaceStore.remove(path) } }
        let store = try PlaceStore(path)
        defer { store.container.close() }
        try fill(store)
        var table = TextTable([
            "\(count.separated) places, saves beside", "lasts s", "saves", "ms, 50th of 100", "99th", "99.9th",
            "longest",
        ])
        for hasIndexes in [false, true] {
            if hasIndexes { try store.runQueries(workload) }
            for work in Work.allCases {
                let (times, seconds) = try times(of: store, beside: work)
                let sorted = times.sorted()
                func share(_ part: Double) -> String {
                    (sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))] * 1e3).figure
                }
                table.add([
                    work.rawValue + (hasIndexes ? ", with all indexes" : ""), seconds.figure, sorted.count.separated,
                    share(0.5), share(0.99), share(0.999), share(1),
                ])
            }
        }
        return table.text
    }

    private var copy: String { path + "-copy" }

    private func fill(_ store: PlaceStore) throws {
        let set = try RecordSet(contentsOf: try PlaceFile.path(count: count), type: "Place")
        var schema = store.container.schema
        if schema.define(set.schemas, except: []) { try store.container.setSchema(schema) }
        for start in stride(from: 0, to: count, by: 250_000) {
            _ = try store.database.load(start..<min(count, start + 250_000), of: set)
        }
    }

    /// The seconds of each save while a work goes on, and how long that lasts.
    private func times(of store: PlaceStore, beside work: Work) throws -> (saves: [Double], work: Double) {
        let generator = PlaceGenerator(count: count)
        var random = SystemRandomNumberGenerator()
        func place() -> Record { generator[Int.random(in: 0..<count, using: &random)].record }
        for _ in 0..<Self.batches.count {
            var places: [Record.ID: Record] = [:]
            while places.count < min(count, Self.batches.size) {
                let place = place()
                places[place.id] = place
            }
            try save(Array(places.values), to: store)
        }
        PlaceStore.remove(copy)
        let clock = ContinuousClock()
        let outcome = Mutex<Result<Double, any Error>?>(nil)
        let (container, copy) = (store.container, copy)
        Task.detached {
            let start = clock.now
            let result: Result<Double, any Error>
            do {
                try await work.run(container, copy: copy)
                result = .success((clock.now - start).seconds)
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
        }
        var times: [Double] = []
        while true {
            let record = place()
            let start = clock.now
            try save([record], to: store)
            times.append((clock.now - start).seconds)
            if let result = outcome.withLock({ $0 }) { return (times, try result.get()) }
        }
    }

    private func save(_ records: [Record], to store: PlaceStore) throws {
        let result = try store.database.modify(ModifyRequest(saves: records, policy: .allKeys))
        guard result.partialErrors.isEmpty else { throw WrongResult(description: "a place was not saved") }
    }
}
