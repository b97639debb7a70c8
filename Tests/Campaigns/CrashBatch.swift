// What the writer that is to crash writes: batches that follow from a seed, so that whoever looks afterwards knows
// them.

import FoundationEssentials
import Geospatial
import Glibc
import PredicateSemantics
import RecordDatabase
import RecordModel

/// One batch of saves and deletions, determined by its number and a seed.
struct CrashBatch {
    static let type = "Thing"
    static let zone = RecordZone.ID("Z")
    private static let nameCount = 300
    /// Those that records of the private database may have.
    static let names = Set((0..<nameCount).map { "r\($0)" })
    static let words = ["alpha", "Beta", "gamma", "delta x", "été", "Straße", "omega", "東京"]

    /// What a container needs to write batches: one may delete what several loads brought.
    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.limits.itemsPerRequest = 10_000
        return configuration
    }

    let number: Int
    /// Whether it goes to the public database, and not to the zone of the private one.
    let isPublic: Bool
    /// Whether its records are all new, and come as columns.
    let isLoad: Bool
    private(set) var saves: [(name: String, fields: [String: FieldValue])] = []
    private(set) var deletes: [String] = []

    init(_ number: Int, seed: UInt64) {
        self.number = number
        var generator = Self.generator(number, seed)
        (isPublic, isLoad) = Self.kind(&generator)
        var seen: Set<String> = []
        var next = 0
        func name() -> String {
            next += 1
            return isLoad
                ? Self.loadedName(next, of: number) : "r\(Int.random(in: 0..<Self.nameCount, using: &generator))"
        }
        for _ in 0..<(generator.oneIn(10) ? 200 : Int.random(in: 1...30, using: &generator)) {
            let name = name()
            guard seen.insert(name).inserted else { continue }
            var fields: [String: FieldValue] = [
                "batch": .int64(Int64(number)), "half": .double(Double(number) / 2),
                "text": .string("\(generator.pick(Self.words)) \(generator.pick(Self.words)) of \(number)"),
                "tags": .list([.string(generator.pick(Self.words)), .string("t\(number % 7)")]),
                "place": .location(Location(latitude: Double(number % 90), longitude: Double(number % 180))),
            ]
            // The schema grows as long as the campaign goes on.
            if generator.oneIn(3) { fields["f\(number / 20)"] = .string("v\(number)") }
            saves.append((name, fields))
        }
        if isLoad { return }
        // What was loaded goes again, so that there are not more and more records.
        if isPublic {
            for earlier in max(1, number - 60)..<max(1, number - 20) {
                var generator = Self.generator(earlier, seed)
                guard Self.kind(&generator).isLoad else { continue }
                deletes += (1...Self.deletedOfLoad).map { Self.loadedName($0, of: earlier) }
            }
        }
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            let name = name()
            if seen.insert(name).inserted { deletes.append(name) }
        }
    }

    /// As many as a load has at most.
    private static let deletedOfLoad = 200

    private static func loadedName(_ place: Int, of number: Int) -> String { "l\(number)-\(place)" }

    private static func generator(_ number: Int, _ seed: UInt64) -> SeededGenerator {
        SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
    }

    private static func kind(_ generator: inout SeededGenerator) -> (isPublic: Bool, isLoad: Bool) {
        let isPublic = generator.oneIn(4)
        return (isPublic, generator.oneIn(2) && isPublic)
    }

    /// The identifier of a record of the batch.
    func id(_ name: String) -> Record.ID { isPublic ? Record.ID(name) : Record.ID(name, zoneID: Self.zone) }

    /// Writes the batch.
    /// Throws: `DatabaseError`.
    func write(to container: Container) async throws {
        let database = isPublic ? container.publicDatabase : container.privateDatabase
        let records = saves.map { Record(type: Self.type, id: id($0.name), fields: $0.fields) }
        if isLoad {
            _ = try database.load(0..<records.count, of: RecordSet(records: records))
            return
        }
        _ = try await database.modifyRecords(saving: records, deleting: deletes.map(id), savePolicy: .allKeys)
    }
}

/// Runs in a process of its own until that is killed.
enum CrashWriter {
    /// How long saves may wait for the disk. Killed processes lose nothing under any of them.
    static let durabilities: [String: StorageOptions.Durability] = ["full": .full, "normal": .normal, "off": .off]

    /// The name of a random one of them.
    static func durability(_ random: inout SeededGenerator) -> String { random.pick(durabilities.keys.sorted()) }

    /// Writes batch after batch, and says on the standard output which ones were acknowledged, eight bytes each.
    static func run(
        folder: String, seed: UInt64, first: Int, checkpointByteCount: Int, durability: StorageOptions.Durability
    ) async throws {
        var options = StorageOptions(durability: durability)
        options.checkpointByteCount = checkpointByteCount
        let container = try Container(
            identifier: "crash", storedAt: URL(filePath: folder), options: options,
            configuration: CrashBatch.configuration)
        try await container.privateDatabase.save(RecordZone(id: CrashBatch.zone))
        acknowledge(first - 1)
        var number = first
        while true {
            try await CrashBatch(number, seed: seed).write(to: container)
            acknowledge(number)
            if number % 20 == 0 { try await container.compact() }
            number += 1
        }
    }

    private static func acknowledge(_ number: Int) {
        var bytes = UInt64(number).littleEndian
        _ = unsafe withUnsafeBytes(of: &bytes) { unsafe write(1, $0.baseAddress, $0.count) }
    }
}
