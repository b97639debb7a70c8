// A container on which random calls are made, and what comes back.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

/// A clock that both containers read, and the test sets.
final class SharedClock: Sendable {
    private let seconds = Mutex(1_700_000_000.0)
    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    func advance() { seconds.withLock { $0 += 1.25 } }
}

/// One of the two, with what its clients remember.
struct Twin {
    let clients: [Container]
    var records: [Record.ID: Record] = [:]
    var tokens: [String: ChangeToken] = [:]
    var cursor: Query.Cursor?
    /// Whether calls that several nodes refuse are made as they offer them.
    var isOfNodes = false
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
        case .write(let changes, let fails): return write(changes, fails: fails, step, database)
        case .changes:
            let changes = try database.zoneChanges(step.zone, since: tokens[key], limit: step.limit)
            tokens[key] = changes.changeToken
            return changes.modifications.map { Self.text($0.result) }.joined(separator: "\n")
                + "\n\(changes.deletions) \(changes.moreComing) \(changes.clientChangeTokenData.map(Array.init) ?? [])"
        case .zoneList where isOfNodes: return try zoneList("list \(key)", step.limit, database)
        case .zoneList:
            let changes = try database.zoneList(since: tokens["list \(key)"], limit: step.limit)
            tokens["list \(key)"] = changes.changeToken
            return "\(changes.modifications) \(changes.deletions) \(changes.purges) \(changes.moreComing)"
        case .zones(let save, let delete, let isPurging):
            let result = try database.modifyZones(
                saving: save.map { RecordZone(id: RecordZone.ID($0)) }, deleting: delete.map { RecordZone.ID($0) },
                isPurging: isPurging)
            return Self.withoutSharing("\(result) \(try database.fetchAllZones())")
        case .subscriptions where isOfNodes: return ""
        case .subscriptions(let save, let delete):
            let result = try database.modifySubscriptions(saving: save, deletingIDs: delete)
            return result.saves.map { "\($0.id) \(Self.code($0.result))" }.joined(separator: "\n")
                + result.deletes.map { "\($0.id) \(Self.code($0.result))" }.joined(separator: "\n")
                + "\n\(try database.fetchAllSubscriptions().map(\.id))"
        }
    }

    /// All changes of the list of zones: in which order those of several nodes come is not told.
    private mutating func zoneList(
        _ key: String, _ limit: Int, _ database: Database
    ) throws(DatabaseError) -> String {
        var (modified, deleted, purged): (Set<RecordZone.ID>, Set<RecordZone.ID>, Set<RecordZone.ID>) = ([], [], [])
        while true {
            let changes = try database.zoneList(since: tokens[key], limit: limit)
            // A page is no larger than what was requested, and those before the last are full.
            let count = changes.modifications.count + changes.deletions.count
            if count > limit || changes.moreComing && count < limit { return "\(count) for \(limit)" }
            // Kept and decoded, it is the same.
            let coded = (try? JSONEncoder().encode(changes.changeToken)) ?? Data()
            guard let token = try? JSONDecoder().decode(ChangeToken.self, from: coded), token == changes.changeToken
            else { return "the token is another one when decoded" }
            tokens[key] = token
            modified.formUnion(changes.modifications)
            deleted.formUnion(changes.deletions)
            purged.formUnion(changes.purges)
            if !changes.moreComing { break }
        }
        return [modified, deleted, purged].map { "\($0.map(\.zoneName).sorted())" }.joined(separator: " ")
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
    private func write(_ changes: [Change], fails: Bool, _ step: Step, _ database: Database) -> String {
        do {
            return try database.writeNow { transaction in
                var read: [String] = []
                for change in changes {
                    read.append(try Self.make(change, in: step.zone, findsInZone: isOfNodes, transaction))
                }
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
        _ change: Change, in zone: RecordZone.ID, findsInZone: Bool, _ transaction: DatabaseTransaction
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
            let found = try transaction.records(ofType: "T", in: findsInZone ? .zone(zone) : .all)
                .records(matching: predicate)
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
            + "‹\(record.id.zoneID.zoneName) \(record.id.recordName) \(record.recordChangeTag ?? "")› "
            + "\(record.creationDate?.timeIntervalSince1970 ?? 0) "
            + "\(record.modificationDate?.timeIntervalSince1970 ?? 0) "
            + "\(record.creatorUserRecordID?.recordName ?? "") \(record.lastModifiedUserRecordID?.recordName ?? "")"
    }
}
