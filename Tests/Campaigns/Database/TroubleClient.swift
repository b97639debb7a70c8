// A client of a container whose servers and connections are in trouble, and what it knows to be true.

import FoundationEssentials
import Glibc
import RecordDatabase
import RecordModel

/// Makes random calls, and holds what it is told against what it knows.
final class TroubleClient {
    /// Codes of errors that servers are the reason of: each has to name a node.
    private static let ofServers: Set<DatabaseError.Code> = [
        .networkUnavailable, .networkFailure, .serviceUnavailable, .serverResponseLost,
    ]
    private static let type = "Trouble"
    private static let ownCount = 12
    private static let sharedCount = 6

    let container: Container
    private let number: Int
    private var random: SeededGenerator
    private var result = TroubleCampaign.Result()
    /// What each own record may be: one value, or two where an outcome could not be told; `nil` for no record.
    private var expected: [String: Set<Int64?>] = [:]
    /// How often a shared counter was surely counted up, and how often it may have been besides.
    private var counted: [String: (sure: Int64, maybe: Int64)] = [:]
    private var next: Int64 = 0

    init(_ number: Int, seed: UInt64, _ container: Container) {
        (self.number, self.container) = (number, container)
        random = SeededGenerator(seed: seed &* 31 &+ UInt64(number))
        for name in Self.names(of: number) { expected[name] = [0] }
    }

    private static func names(of client: Int) -> [String] { (0..<ownCount).map { "c\(client)r\($0)" } }
    private static let shared = (0..<sharedCount).map { "shared\($0)" }
    private static func holder(_ name: String) -> String { "h" + name }

    private static func record(_ name: String, _ value: Int64) -> Record {
        Record(type: type, id: Record.ID(name), fields: ["n": .int64(value)])
    }

    private var database: Database { container.publicDatabase }

    /// Saves the first records of all clients.
    func prepare(_ clientCount: Int) throws {
        var schema = ContainerSchema()
        schema.recordTypes[Self.type] = ContainerSchema.RecordType(fields: [
            "n": ContainerSchema.Field(.int64), "owner": ContainerSchema.Field(.reference),
        ])
        try container.setSchema(schema)
        let names = (0..<clientCount).flatMap(Self.names) + Self.shared
        var request = ModifyRequest(saves: names.map { Self.record($0, 0) }, policy: .allKeys)
        request.isLimited = false
        for (_, outcome) in try database.modify(request).saves { _ = try outcome.get() }
    }

    // MARK: Calls

    func run(steps: Int) -> TroubleCampaign.Result {
        for step in 0..<steps where result.differences.count < 5 {
            result.steps += 1
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1, 2: saveSome(step)
            case 3: deleteOne()
            case 4: countUp()
            case 5: hold()
            case 6: fetch()
            case 7: find()
            default: count()
            }
        }
        return result
    }

    private func differs(_ text: String) { result.differences.append("client \(number): \(text)") }

    /// Notes an error, which must be of trouble, and names the node that has it.
    private func note(_ error: DatabaseError, _ call: String) {
        result.errors[error.code, default: 0] += 1
        if Self.ofServers.contains(error.code) {
            if !error.reason.hasPrefix("node ") { differs("\(call): the error names no node: \(error)") }
        } else if error.code != .zoneBusy {
            differs("\(call): \(error)")
        }
    }

    private func modify(_ request: ModifyRequest, _ call: String) -> ModifyResult? {
        do throws(DatabaseError) {
            let made = try database.modify(request)
            result.saved += 1
            return made
        } catch {
            note(error, call)
            for record in request.saves { settle(record.id.recordName, .failure(error), record) }
            for id in request.deletes { settle(id.recordName, .failure(error), nil) }
            return nil
        }
    }

    /// Takes in what became of a record.
    private func settle(_ name: String, _ outcome: Result<Void, DatabaseError>, _ record: Record?) {
        guard let known = expected[name] else { return }
        var value: Int64?
        if case .int64(let number)? = record?["n"] { value = number }
        switch outcome {
        case .success: expected[name] = [value]
        case .failure(let error) where error.code == .serverResponseLost: expected[name] = known.union([value])
        case .failure: break
        }
    }

    private func saveSome(_ step: Int) {
        let names = Self.names(of: number).shuffled(using: &random).prefix(Int.random(in: 1...6, using: &random))
        let records = names.map { name in
            next += 1
            return Self.record(name, next)
        }
        let request = ModifyRequest(
            saves: records, policy: .allKeys, clientToken: Data([UInt8(step % 256), UInt8(step / 256 % 256)]))
        guard let made = modify(request, "save") else { return }
        for (record, outcome) in zip(records, made.saves) {
            if case .failure(let error) = outcome.result { note(error, "save of \(record.id.recordName)") }
            settle(record.id.recordName, outcome.result.map { _ in }, record)
        }
    }

    private func deleteOne() {
        let name = Self.names(of: number)[Int.random(in: 0..<Self.ownCount, using: &random)]
        guard let made = modify(ModifyRequest(deletes: [Record.ID(name)]), "delete") else { return }
        for (_, outcome) in made.deletes {
            if case .failure(let error) = outcome { note(error, "delete of \(name)") }
            settle(name, outcome, nil)
        }
    }

    /// Adds one to a counter of all clients.
    private func countUp() {
        let name = Self.shared[Int.random(in: 0..<Self.sharedCount, using: &random)]
        do {
            try database.writeNow { transaction in
                var record = try transaction.record(for: Record.ID(name))
                guard case .int64(let value) = record["n"] else { return }
                record["n"] = .int64(value + 1)
                try transaction.save(record)
            }
            result.saved += 1
            counted[name, default: (0, 0)].sure += 1
        } catch let error as DatabaseError {
            note(error, "counting")
            if error.code == .serverResponseLost { counted[name, default: (0, 0)].maybe += 1 }
        } catch {
            differs("counting: \(error)")
        }
    }

    /// Saves a record that goes with an own one, which may be on another node and may be gone.
    private func hold() {
        let name = Self.names(of: number)[Int.random(in: 0..<Self.ownCount, using: &random)]
        var record = Self.record(Self.holder(name), 0)
        record["owner"] = .reference(RecordReference(recordID: Record.ID(name), action: .deleteSelf))
        guard let made = modify(ModifyRequest(saves: [record], policy: .allKeys), "hold") else { return }
        for case .failure(let error) in made.saves.map(\.result) where error.code != .referenceViolation {
            note(error, "hold of \(name)")
        }
        let isThere = expected[name]?.contains(nil) == false
        for case .failure(let error) in made.saves.map(\.result) where error.code == .referenceViolation && isThere {
            differs("the owner \(name) is there: \(error)")
        }
    }

    private func fetch() {
        let names = Self.names(of: number)
        do throws(DatabaseError) {
            compare(try database.fetch(names.map { Record.ID($0) }))
        } catch { note(error, "fetch") }
    }

    private func compare(_ found: [Record.ID: Result<Record, DatabaseError>]) {
        for (name, known) in expected.sorted(by: { $0.key < $1.key }) {
            result.comparisons += 1
            var value: Int64?
            switch found[Record.ID(name)] {
            case .success(let record)?: if case .int64(let number) = record["n"] { value = number }
            case .failure(let error)? where error.code != .unknownItem: differs("\(name): \(error)")
            default: break
            }
            if !known.contains(value) { differs("\(name) is \(value.map { "\($0)" } ?? "gone"), not \(known)") }
            // What it is now it stays.
            expected[name] = [value]
        }
    }

    /// Asks for all records with a beginning of the name that only own ones have.
    private func find() {
        let own = Set(Self.names(of: number))
        do throws(DatabaseError) {
            var names: [String] = []
            var page = try database.find(
                Query(Self.type, "n >= 0", sortedBy: [.ascending("n")]), in: .zone(.default), limit: 40)
            while true {
                names += page.matches.map(\.0.recordName)
                guard let cursor = page.cursor else { break }
                page = try database.find(after: cursor, limit: 40)
            }
            result.comparisons += 1
            if Set(names).isSuperset(of: Self.shared) == false { differs("a result without shared records: \(names)") }
            for name in own where expected[name]?.contains(nil) == false && !names.contains(name) {
                differs("a result without \(name)")
            }
        } catch { note(error, "find") }
    }

    private func count() {
        do throws(DatabaseError) {
            let found = try database.countNow(
                Query(Self.type, "recordName BEGINSWITH \("c\(number)r")"), in: .zone(.default))
            result.comparisons += 1
            let least = expected.values.count { !$0.contains(nil) }
            let most = expected.values.count { $0 != [nil] }
            if found < least || found > most { differs("\(found) records are counted, of \(least) to \(most)") }
        } catch { note(error, "count") }
    }

    // MARK: The end

    /// What is wrong with what is there when all servers are.
    static func end(_ clients: [TroubleClient]) throws -> [String] {
        guard let first = clients.first else { return [] }
        var differences: [String] = []
        for client in clients {
            let found = try client.database.fetch(names(of: client.number).map { Record.ID($0) })
            client.compare(found)
            differences += client.result.differences
        }
        for name in shared {
            let record = try first.database.fetch([Record.ID(name)])[Record.ID(name)]?.get()
            guard case .int64(let value)? = record?["n"] else {
                differences.append("\(name) is gone")
                continue
            }
            let sure = clients.reduce(0) { $0 + ($1.counted[name]?.sure ?? 0) }
            let maybe = clients.reduce(0) { $0 + ($1.counted[name]?.maybe ?? 0) }
            if value < sure || value > sure + maybe {
                differences.append("\(name) was counted to \(value), and up \(sure) times, perhaps \(maybe) more")
            }
        }
        return differences + (try lostHolders(clients))
    }

    /// Records whose owner is gone: what was left undone has to be looked for first.
    private static func lostHolders(_ clients: [TroubleClient]) throws -> [String] {
        guard let first = clients.first else { return [] }
        let holders = clients.flatMap { names(of: $0.number).map(holder) }
        for attempt in 0..<40 {
            let found = try first.database.fetch(holders.map { Record.ID($0) })
            let there = Set(holders.filter { (try? found[Record.ID($0)]?.get()) != nil })
            let owners = try first.database.fetch(there.map { Record.ID(String($0.dropFirst())) })
            let lost = there.filter { (try? owners[Record.ID(String($0.dropFirst()))]?.get()) == nil }.sorted()
            if lost.isEmpty { return [] }
            if attempt == 39 { return lost.map { "\($0) is left, its owner is gone" } }
            // What a process could not do while a node was down it does soon.
            usleep(500_000)
        }
        return []
    }
}
