// The same random calls on a container in memory and on one on a server: every result is the same, to the change tags.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

/// A clock that both containers read, and the test sets.
private final class SharedClock: Sendable {
    private let seconds = Mutex(1_700_000_000.0)
    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    func advance() { seconds.withLock { $0 += 1.25 } }
}

/// One of the two, with what its clients remember.
private struct Twin {
    let clients: [Container]
    var records: [Record.ID: Record] = [:]
    var tokens: [String: ChangeToken] = [:]
    var cursor: Query.Cursor?
    /// What each client is told.
    private let told: [NotificationReading]
    /// Live queries of a client, and what their steps lead to.
    private var watched: [(query: Query, reading: LiveReading?, result: [Record])] = []

    init(_ container: Container, _ configuration: Configuration) throws {
        clients = [
            container, try Container(sharing: container, account: .user("_b0b"), configuration: configuration),
        ]
        told = clients.map { $0.readNotifications() }
    }

    func database(_ client: Int, isPublic: Bool) -> Database {
        isPublic ? clients[client].publicDatabase : clients[client].privateDatabase
    }
}

/// A random call, the same for both.
private enum Call {
    case modify(saves: [(name: String, fields: [String: FieldValue], parent: String?)], deletes: [String])
    case fetch([String])
    case page(Query, all: Bool, next: Bool)
    case count(Query, all: Bool)
    case write([Change], fails: Bool)
    case changes
    case zoneList
    case zones(save: [String], delete: [String], isPurging: Bool)
    case subscriptions(save: [Subscription], delete: [Subscription.ID])
}

/// A part of a transaction.
private enum Change {
    case save(String, field: String, FieldValue)
    case delete(String)
    case updateAll(RecordPredicate, Int64)
    case deleteAll(RecordPredicate)
    case find(RecordPredicate)
    case count(RecordPredicate)
}

private struct Step {
    var call: Call
    var client: Int
    var isPublic: Bool
    var zone: RecordZone.ID
    var policy: SavePolicy
    var isAtomic: Bool
    var isKnown: Bool
    var limit: Int
    var token: Data?
}

private struct StepGenerator {
    var random: SplitMix64

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func oneIn(_ count: Int) -> Bool { number(1...count) == 1 }
    mutating func name() -> String { "r\(number(0...9))" }

    private static let predicates: [RecordPredicate] = [
        "TRUEPREDICATE", "a > 3", "s BEGINSWITH 'b'", "s CONTAINS[cd] 'A'", "NOT (a == 1)", "of.a > 2",
        "ANY l == 'x'", "a + d > 3", "s MATCHES 'b.*'", "a == nil OR d < 0.5", "a / a > 0 OR s == 'bé'",
        "recordName IN {'r1', 'r2', 'r3'}", "creatorUserRecordID.recordName == '_b0b'",
    ]

    mutating func value(_ zone: RecordZone.ID) -> (String, FieldValue) {
        switch number(0...7) {
        case 0, 1: return ("a", .int64(Int64(number(0...6))))
        case 2: return ("d", .double(Double(number(-4...4)) / 4))
        case 3, 4: return ("s", .string(["b", "bé", "A", "aa", "", "Б"][number(0...5)]))
        case 5:
            return ("l", .list((0...number(0...2)).map { .string(["x", "y", "z"][$0]) }))
        case 6: return ("a", oneIn(3) ? .string("no number") : .null)
        default:
            let target = RecordReference(
                recordID: Record.ID(name(), zoneID: zone), action: oneIn(2) ? .deleteSelf : .none)
            return ("of", .reference(target))
        }
    }

    mutating func predicate() -> RecordPredicate { Self.predicates[number(0...Self.predicates.count - 1)] }

    private mutating func subscriptions(_ zone: RecordZone.ID) -> [Subscription] {
        (0...number(0...1)).compactMap { _ in
            let (id, zoneID) = ("s\(number(0...5))", oneIn(2) ? zone : nil)
            var info = Subscription.NotificationInfo()
            info.desiredKeys = [[], ["a"], ["s", "d"], ["l"]][number(0...3)]
            switch number(0...5) {
            case 0: return try? Subscription(zoneID: zone, recordType: oneIn(2) ? "T" : nil, id: id)
            case 1: return try? Subscription(databaseWithRecordType: oneIn(2) ? "T" : nil, id: id)
            default:
                let options: Subscription.Options = oneIn(4) ? [.all, .firesOnce] : .all
                return try? Subscription(
                    recordType: "T", predicate: predicate(), id: id, zoneID: zoneID, options: options,
                    notificationInfo: info.desiredKeys.isEmpty ? nil : info)
            }
        }
    }

    private mutating func change(_ zone: RecordZone.ID) -> Change {
        switch number(0...8) {
        case 0...2:
            let (field, value) = value(zone)
            return .save(name(), field: field, value)
        case 3: return .delete(name())
        case 4, 5: return .updateAll(predicate(), Int64(number(0...6)))
        case 6: return oneIn(3) ? .deleteAll(predicate()) : .find(predicate())
        case 7: return .count(predicate())
        default: return .find(predicate())
        }
    }

    mutating func step() -> Step {
        let isPublic = oneIn(4)
        let zones: [RecordZone.ID] = isPublic ? [.default] : [.default, RecordZone.ID("Z"), RecordZone.ID("Y")]
        let zone = zones[number(0...zones.count - 1)]
        var step = Step(
            call: .changes, client: number(0...1), isPublic: isPublic, zone: zone,
            policy: [.ifServerRecordUnchanged, .changedKeys, .allKeys][number(0...2)], isAtomic: oneIn(2),
            isKnown: !oneIn(4), limit: number(1...5), token: oneIn(3) ? Data([UInt8(number(0...2))]) : nil)
        switch number(0...21) {
        case 0...6:
            var saves: [(name: String, fields: [String: FieldValue], parent: String?)] = []
            for name in Set((0..<number(0...4)).map { _ in name() }).sorted() {
                let values = (0..<number(0...3)).map { _ in value(zone) }
                saves.append((name, Dictionary(values) { $1 }, oneIn(6) ? self.name() : nil))
            }
            let deletes = (0..<number(0...2)).map { _ in name() }.filter { name in !saves.contains { $0.name == name } }
            step.call = .modify(saves: saves, deletes: deletes)
        case 7: step.call = .fetch((0...number(0...4)).map { _ in name() })
        case 8...10:
            let order: [SortKey] = [[], [.ascending("a")], [.descending("s")], [.ascending("d"), .descending("a")]][
                number(0...3)]
            let query = Query("T", predicate(), sortedBy: order)
            step.call = .page(query, all: oneIn(3), next: oneIn(3))
        case 11, 12: step.call = .changes
        case 13: step.call = .zoneList
        case 14: step.call = .count(Query("T", predicate()), all: oneIn(3))
        case 15, 16: step.call = .write((0...number(0...4)).map { _ in change(zone) }, fails: oneIn(6))
        case 17...19:
            step.call = .subscriptions(save: subscriptions(zone), delete: oneIn(3) ? ["s\(number(0...5))"] : [])
        default:
            let isSaving = !oneIn(3)
            step.call = .zones(
                save: isSaving ? [["Z", "Y"][number(0...1)]] : [], delete: isSaving ? [] : [["Z", "Y"][number(0...1)]],
                isPurging: oneIn(3))
        }
        return step
    }
}

extension Twin {
    /// Begins live queries, as soon as they suit their type.
    mutating func watch(_ queries: [Query]) { watched = queries.map { ($0, nil, []) } }

    /// What the live queries lead to.
    mutating func results() -> [String] {
        for number in watched.indices {
            let reading = watched[number].reading ?? database(0, isPublic: false).watch(watched[number].query, in: .all)
            let steps: [QueryChange]
            do throws(DatabaseError) { steps = try reading.takeSteps() } catch {
                watched[number].reading = nil
                return ["\(error.code): \(error.reason)"]
            }
            watched[number].reading = reading
            for step in steps {
                switch step {
                case .initial(let records): watched[number].result = records
                case .inserted(let record, let position): watched[number].result.insert(record, at: position)
                case .updated(let record, let position): watched[number].result[position] = record
                case .moved(let record, let from, let to):
                    watched[number].result.remove(at: from)
                    watched[number].result.insert(record, at: to)
                case .removed(let id, let position):
                    guard watched[number].result.remove(at: position).id == id else { return ["\(id) is not there"] }
                }
            }
        }
        return watched.map { $0.result.map { Self.text(.success($0)) }.joined(separator: "\n") }
    }

    /// Makes a call, and tells all that came back.
    mutating func make(_ step: Step) -> String {
        let outcome: String
        do throws(DatabaseError) { outcome = try self.outcome(step) } catch {
            outcome = "\(error.code): \(error.reason)"
        }
        return ([outcome] + told.flatMap { $0.takeWaiting().map(Self.text) }).joined(separator: "\n")
    }

    private static func text(_ told: ChangeNotification) -> String {
        "\(told.kind) \(told.subscriptionID) \(told.databaseScope) \(told.recordZoneID.map { "\($0)" } ?? "-") "
            + "\(told.recordID.map { "\($0)" } ?? "-") \(told.reason.map { "\($0)" } ?? "-") "
            + "\(told.fields.sorted { $0.key < $1.key }) \(told.isPruned)"
    }

    private mutating func outcome(_ step: Step) throws(DatabaseError) -> String {
        let database = database(step.client, isPublic: step.isPublic)
        let key = "\(step.client) \(step.isPublic) \(step.zone.zoneName)"
        switch step.call {
        case .modify(let saves, let deletes): return try modify(saves, deletes, step, database)
        case .fetch(let names):
            let ids = names.map { Record.ID($0, zoneID: step.zone) }
            let results = try database.fetch(ids)
            for case .success(let record) in results.values where !step.isPublic { records[record.id] = record }
            return Self.text(results)
        case .page(let query, let all, let next):
            let page: (matches: [(Record.ID, Result<Record, DatabaseError>)], cursor: Query.Cursor?)
            if next, let cursor {
                page = try database.find(after: cursor, limit: step.limit)
            } else {
                page = try database.find(query, in: all ? .all : .zone(step.zone), limit: step.limit)
            }
            cursor = page.cursor
            return page.matches.map { "\($0.0.recordName) \(Self.text($0.1))" }.joined(separator: "\n")
                + "\n\(page.cursor != nil)"
        case .count(let query, let all):
            return "\(try database.countNow(query, in: all ? .all : .zone(step.zone)))"
        case .write(let changes, let fails): return Self.write(changes, fails: fails, step, database)
        case .changes:
            let changes = try database.zoneChanges(step.zone, since: tokens[key], limit: step.limit)
            tokens[key] = changes.changeToken
            return changes.modifications.map { Self.text($0.result) }.joined(separator: "\n")
                + "\n\(changes.deletions) \(changes.moreComing) \(changes.clientChangeTokenData.map(Array.init) ?? [])"
        case .zoneList:
            let changes = try database.zoneList(since: tokens["list \(key)"], limit: step.limit)
            tokens["list \(key)"] = changes.changeToken
            return "\(changes.modifications) \(changes.deletions) \(changes.purges) \(changes.moreComing)"
        case .zones(let save, let delete, let isPurging):
            let result = try database.modifyZones(
                saving: save.map { RecordZone(id: RecordZone.ID($0)) }, deleting: delete.map { RecordZone.ID($0) },
                isPurging: isPurging)
            return Self.withoutSharing("\(result) \(try database.fetchAllZones())")
        case .subscriptions(let save, let delete):
            let result = try database.modifySubscriptions(saving: save, deletingIDs: delete)
            return result.saves.map { "\($0.id) \(Self.code($0.result))" }.joined(separator: "\n")
                + result.deletes.map { "\($0.id) \(Self.code($0.result))" }.joined(separator: "\n")
                + "\n\(try database.fetchAllSubscriptions().map(\.id))"
        }
    }

    private mutating func modify(
        _ saves: [(name: String, fields: [String: FieldValue], parent: String?)], _ deletes: [String], _ step: Step,
        _ database: Database
    ) throws(DatabaseError) -> String {
        var request = ModifyRequest(
            deletes: deletes.map { Record.ID($0, zoneID: step.zone) }, policy: step.policy, isAtomic: step.isAtomic,
            clientToken: step.token)
        for save in saves {
            let id = Record.ID(save.name, zoneID: step.zone)
            let known = step.isKnown && !step.isPublic ? records[id] : nil
            var record = known ?? Record(type: "T", id: id)
            for (field, value) in save.fields { record[field] = value }
            if let parent = save.parent { record.setParent(Record.ID(parent, zoneID: step.zone)) }
            request.saves.append(record)
        }
        let result = try database.modify(request)
        for (id, outcome) in result.saves {
            if case .success(let record) = outcome, !step.isPublic { records[id] = record }
        }
        return result.saves.map { Self.text($0.result) }.joined(separator: "\n") + "\n"
            + result.deletes.map { "\($0.id.recordName) \(Self.code($0.result))" }.joined(separator: "\n")
    }

    private struct Refusal: Error {}
    /// Makes changes in a transaction, and tells what it read between them.
    private static func write(_ changes: [Change], fails: Bool, _ step: Step, _ database: Database) -> String {
        do {
            return try database.writeNow { transaction in
                var read: [String] = []
                for change in changes { read.append(try make(change, in: step.zone, transaction)) }
                if fails { throw Refusal() }
                return read.joined(separator: "\n")
            }
        } catch let error as DatabaseError {
            // Which of several items is named is not told.
            let reason = error.code == .partialFailure ? error.reason.prefix { $0 != "," } : error.reason[...]
            return "\(error.code): \(reason)"
        } catch let error as RecordPredicateError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    private static func make(
        _ change: Change, in zone: RecordZone.ID, _ transaction: DatabaseTransaction
    ) throws -> String {
        switch change {
        case .save(let name, let field, let value):
            let id = Record.ID(name, zoneID: zone)
            let known = Result { () throws(DatabaseError) in try transaction.record(for: id) }
            var record = (try? known.get()) ?? Record(type: "T", id: id)
            record[field] = value
            try transaction.save(record)
            return text(known)
        case .delete(let name):
            transaction.deleteRecord(withID: Record.ID(name, zoneID: zone))
            return ""
        case .updateAll(let predicate, let number):
            return "\(try transaction.updateAll("T", where: predicate, in: .zone(zone)) { $0["a"] = .int64(number) })"
        case .deleteAll(let predicate): return "\(try transaction.deleteAll("T", where: predicate, in: .zone(zone)))"
        case .find(let predicate):
            let found = try transaction.records(ofType: "T").records(matching: predicate)
            return found.map { "\($0.id.zoneID.zoneName) \(text(.success($0)))" }.joined(separator: "\n")
        case .count(let predicate):
            return "\(try transaction.records(ofType: "T", in: .zone(zone)).count(matching: predicate))"
        }
    }

    private static func text(_ results: [Record.ID: Result<Record, DatabaseError>]) -> String {
        results.sorted { $0.key.recordName < $1.key.recordName }.map { "\($0.key.recordName) \(text($0.value))" }
            .joined(separator: "\n")
    }

    /// Containers on servers do not share: that is all in which their zones differ.
    private static func withoutSharing(_ zones: String) -> String {
        let (kept, all): (RecordZone.Capabilities, RecordZone.Capabilities) = (
            [.fetchChanges, .atomic], [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
        )
        return zones.replacing("\(all)", with: "\(kept)")
    }

    private static func code<Value>(_ result: Result<Value, DatabaseError>) -> String {
        if case .failure(let error) = result { return "\(error.code)" }
        return "done"
    }

    private static func text(_ result: Result<Record, DatabaseError>) -> String {
        guard case .success(let record) = result else { return code(result) }
        let fields = record.fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(record.type) \(record.id) \(fields) \(record.parent?.recordID.recordName ?? "-") "
            + "\(record.recordChangeTag ?? "") \(record.creationDate?.timeIntervalSince1970 ?? 0) "
            + "\(record.modificationDate?.timeIntervalSince1970 ?? 0) "
            + "\(record.creatorUserRecordID?.recordName ?? "") \(record.lastModifiedUserRecordID?.recordName ?? "")"
    }
}

@Suite(.requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct TwinTests {
    @Test(arguments: [UInt64](1...10))
    func resultsAreThoseOfMemory(_ seed: UInt64) throws { try compare(seed, ContainerSchema()) }

    @Test(arguments: [UInt64](101...104))
    func constraintsAreThoseOfMemory(_ seed: UInt64) throws {
        var schema = ContainerSchema()
        var type = ContainerSchema.RecordType(fields: [
            "a": ContainerSchema.Field(.int64), "d": ContainerSchema.Field(.double),
            "s": ContainerSchema.Field(.string, traits: [.unique]), "l": ContainerSchema.Field(.list(.string)),
            "of": ContainerSchema.Field(.reference),
        ])
        type.uniqueTogether = [["a", "d"]]
        schema.recordTypes["T"] = type
        try compare(seed, schema)
    }

    private func compare(_ seed: UInt64, _ schema: ContainerSchema) throws {
        let clock = SharedClock()
        var configuration = Configuration()
        configuration.clock = { clock.now }
        // Half of them copy every new record.
        let server = try PostgreSQLContainer(
            identifier: "twin " + UUID().uuidString, connectingTo: PostgreSQLServer.shared().address,
            copiesFrom: seed % 2 == 0 ? 1 : 200)
        var here = try Twin(
            Container(identifier: "twin", account: .localUser, configuration: configuration), configuration)
        var there = try Twin(
            Container(identifier: "twin", on: server, account: .localUser, configuration: configuration), configuration)
        if !schema.recordTypes.isEmpty { for twin in [here, there] { try twin.clients[0].setSchema(schema) } }
        var generator = StepGenerator(random: SplitMix64(seed: seed))
        var outcomes: Set<String> = []
        let queries = [
            Query("T", "a > 2 OR s BEGINSWITH 'b'", sortedBy: [.descending("a")]), Query("T", "of.a > 2 OR d < 0"),
        ]
        here.watch(queries)
        there.watch(queries)
        for number in 0..<150 {
            clock.advance()
            let step = generator.step()
            let expected = here.make(step)
            let found = there.make(step)
            try #require(found == expected, "seed \(seed), step \(number): \(step)")
            outcomes.insert(expected)
            if number % 3 == 0 {
                let (expected, found) = (here.results(), there.results())
                try #require(found == expected, "seed \(seed), live queries after step \(number): \(step)")
            }
        }
        #expect(outcomes.count > 40, "the calls have different outcomes")
    }
}
