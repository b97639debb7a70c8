// What the writer that is to crash writes: batches that follow from a seed, so that whoever looks afterwards knows them.

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
    static let words = ["alpha", "Beta", "gamma", "delta x", "été", "Straße", "omega", "東京"]

    let number: Int
    /// Whether it goes to the public database, and not to the zone of the private one.
    let isPublic: Bool
    private(set) var saves: [(name: String, fields: [String: FieldValue])] = []
    private(set) var deletes: [String] = []

    init(_ number: Int, seed: UInt64) {
        self.number = number
        var generator = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        isPublic = generator.oneIn(5)
        var seen: Set<String> = []
        func name() -> String { "r\(Int.random(in: 0..<Self.nameCount, using: &generator))" }
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
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            let name = name()
            if seen.insert(name).inserted { deletes.append(name) }
        }
    }

    /// The identifier of a record of the batch.
    func id(_ name: String) -> Record.ID { isPublic ? Record.ID(name) : Record.ID(name, zoneID: Self.zone) }

    /// Writes the batch.
    /// Throws: `DatabaseError`.
    func write(to container: Container) async throws {
        let database = isPublic ? container.publicDatabase : container.privateDatabase
        let records = saves.map { Record(type: Self.type, id: id($0.name), fields: $0.fields) }
        _ = try await database.modifyRecords(saving: records, deleting: deletes.map(id), savePolicy: .allKeys)
    }
}

/// Runs in a process of its own until that is killed.
enum CrashWriter {
    /// Writes batch after batch, and says on the standard output which ones were acknowledged, eight bytes each.
    static func run(folder: String, seed: UInt64, first: Int, checkpointByteCount: Int) async throws {
        var options = StorageOptions()
        options.checkpointByteCount = checkpointByteCount
        let container = try Container(
            identifier: "crash", storedAt: URL(filePath: folder), options: options)
        try await container.privateDatabase.save(RecordZone(id: CrashBatch.zone))
        acknowledge(first - 1)
        var number = first
        while true {
            try await CrashBatch(number, seed: seed).write(to: container)
            acknowledge(number)
            if number % 50 == 0 { try await container.compact() }
            number += 1
        }
    }

    private static func acknowledge(_ number: Int) {
        var bytes = UInt64(number).littleEndian
        _ = unsafe withUnsafeBytes(of: &bytes) { unsafe write(1, $0.baseAddress, $0.count) }
    }
}
