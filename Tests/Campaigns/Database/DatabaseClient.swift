// One client of a campaign: makes random calls, and writes down what it is told.

import FoundationEssentials
import RecordDatabase
import RecordModel

/// A client with what it remembers. Used by one thread at a time.
final class DatabaseClient {
    /// A live query with the list that its steps make.
    private struct Watch {
        let query: Query
        let zones: QueryZones
        let reading: LiveReading
        var records: [Record] = []
    }

    /// What the client remembers of one database.
    private struct Memory {
        /// Records as they were last seen, however long ago.
        var records: [Record.ID: Record] = [:]
        var watches: [Watch] = []
        /// Where readers of changes stand: one for each zone, and one for the zones themselves.
        var tokens: [Int: ChangeToken] = [:]
        var pages: [(query: Query, zones: QueryZones, cursor: Query.Cursor, last: SeenRecord)] = []
    }

    let container: Container
    let user: String
    private let log: DatabaseLog
    private var choices: DatabaseChoices
    private var memories: [DatabaseKey: Memory] = [:]
    private(set) var steps: [DatabaseStep] = []
    /// What was wrong by itself, whatever the database holds.
    private(set) var faults: [String] = []

    /// - Parameter staysInZone: As that of `DatabaseChoices`.
    init(
        _ container: Container, user: String, log: DatabaseLog, _ generator: SeededGenerator, staysInZone: Bool = false
    ) {
        (self.container, self.user, self.log) = (container, user, log)
        choices = DatabaseChoices(generator: generator, staysInZone: staysInZone)
    }

    /// Forgets what was written down.
    func takeSteps() -> [DatabaseStep] {
        defer { steps = [] }
        return steps
    }

    private var keys: [DatabaseKey] {
        [DatabaseKey(scope: .private, owner: user), DatabaseKey(scope: .public, owner: nil)]
    }

    // MARK: Calls

    /// Makes the random call of a number: the same one after whatever calls, as far as it does not go on from them.
    func step(_ number: UInt64) {
        choices.generator = SeededGenerator(seed: number)
        step()
    }

    /// Makes a random call.
    func step() {
        let key = choices.oneIn(3) ? keys[1] : keys[0]
        let zone = choices.zone(key.scope)
        switch choices.number(0...37) {
        case 0...11: run(.modify(batch(key)), on: key)
        case 12, 13: run(.fetch(someIDs(key), desiredKeys: choices.oneIn(3) ? ["a", "of", "none"] : nil), on: key)
        case 14...16:
            let query = choices.query(in: zone)
            run(.query(query, choices.zones(zone), limit: choices.number(1...12), after: nil), on: key)
        case 17, 18: turnPage(key)
        case 19...21: readChanges(key)
        case 22: run(choices.oneIn(2) ? .zones : .subscriptions, on: key)
        case 23: run(.saveZones([zone, choices.zone(beside: zone, key.scope, oneIn: 1)]), on: key)
        case 24 where choices.oneIn(5): run(.deleteZone(zone), on: key)
        case 25, 26:
            if let subscription = choices.subscription(key.scope) { run(.saveSubscription(subscription), on: key) }
        case 27: run(.deleteSubscription("s\(choices.number(0...7))"), on: key)
        case 34...37: transact(key)
        case 28: watch(choices.query(in: zone), choices.zones(zone), key)
        default: readWatch(key)
        }
    }

    /// Asks for everything there is, and for all that is left to be told.
    func finish() {
        for key in keys {
            run(.zones, on: key)
            run(.subscriptions, on: key)
            for zone in DatabaseScene.zones {
                run(.fetch(DatabaseScene.names.map { Record.ID($0, zoneID: zone) }, desiredKeys: nil), on: key)
                for type in DatabaseScene.types {
                    run(.query(Query(type, sortedBy: [.ascending("a")]), .zone(zone), limit: 1000, after: nil), on: key)
                }
            }
            for position in memories[key, default: Memory()].watches.indices { readWatch(key, position) }
            for reader in DatabaseScene.zones.indices { while readChanges(key, reader) {} }
        }
    }

    /// Makes a call and writes down what came of it.
    @discardableResult
    private func run(_ operation: DatabaseOperation, on key: DatabaseKey, position: Int = 0) -> DatabaseOutcome {
        let (known, made) = log.counts(key, client: container.clientNumber)
        let outcome: DatabaseOutcome
        do throws(DatabaseError) {
            outcome = try perform(operation, on: container.database(with: key.scope), key, position)
        } catch {
            outcome = .failure(error.code)
        }
        note(operation, outcome, key, known: known, made: made)
        return outcome
    }

    /// Writes down a call with what it was told and where its commit is.
    private func note(
        _ operation: DatabaseOperation, _ outcome: DatabaseOutcome, _ key: DatabaseKey, known: Int, made: Int
    ) {
        let (commit, isOne) = log.commit(of: container.clientNumber, after: made)
        if !isOne { faults.append("one call made several commits") }
        steps.append(
            DatabaseStep(database: key, operation: operation, outcome: outcome, known: known, commit: commit))
    }

    /// Runs a transaction, whose reads are known when it has ended.
    private func transact(_ key: DatabaseKey) {
        let (known, made) = log.counts(key, client: container.clientNumber)
        var client = TransactionClient(user: user, choices: choices, memory: memories[key]?.records ?? [:])
        let (trace, outcome) = client.run(on: container.database(with: key.scope), key.scope)
        choices = client.choices
        note(.transact(trace), outcome, key, known: known, made: made)
    }

    private func perform(
        _ operation: DatabaseOperation, on database: Database, _ key: DatabaseKey, _ position: Int
    ) throws(DatabaseError) -> DatabaseOutcome {
        switch operation {
        case .modify(let request):
            let result = try database.modify(request)
            return .items(
                result.saves.map { outcome($0.id, $0.result, key) } + result.deletes.map { Self.outcome($0.1) })
        case .saveZones(let ids):
            let result = try database.modifyZones(saving: ids.map { RecordZone(id: $0) }, deleting: [])
            return .items(result.saves.map { Self.outcome($0.result.map { _ in }) })
        case .deleteZone(let id):
            let result = try database.modifyZones(saving: [], deleting: [id])
            return .items(result.deletes.map { Self.outcome($0.result) })
        case .saveSubscription(let subscription):
            let result = try database.modifySubscriptions(saving: [subscription], deletingIDs: [])
            return .items(result.saves.map { Self.outcome($0.result.map { _ in }) })
        case .deleteSubscription(let id):
            let result = try database.modifySubscriptions(saving: [], deletingIDs: [id])
            return .items(result.deletes.map { Self.outcome($0.result) })
        case .fetch(let ids, let desiredKeys):
            let results = try database.fetch(ids, desiredKeys: desiredKeys)
            return .items(ids.map { id in results[id].map { outcome(id, $0, key) } ?? .done })
        case .query(let query, let zones, let limit, let last):
            var cursor: Query.Cursor?
            if last != nil { cursor = memories[key]?.pages[position].cursor }
            let page = try database.find(query, in: zones, after: cursor, limit: limit)
            let records = try seen(page.matches)
            if let cursor = page.cursor, let last = records.last {
                memories[key, default: Memory()].pages.append((query, zones, cursor, last))
            }
            return .records(records, hasMore: page.cursor != nil)
        case .zoneChanges(let zoneID, let reader, _, let limit):
            return try zoneChanges(zoneID, reader, limit, database, key)
        case .databaseChanges(let reader, _, let limit):
            let token = memories[key]?.tokens[reader]
            memories[key]?.tokens[reader] = nil
            let changes = try database.zoneList(since: token, limit: limit)
            memories[key, default: Memory()].tokens[reader] = changes.changeToken
            return .names(
                changes.modifications.map(\.zoneName), deleted: changes.deletions.map(\.zoneName),
                hasMore: changes.moreComing)
        case .zones: return .names(try database.fetchAllZones().map(\.id.zoneName), deleted: [], hasMore: false)
        case .subscriptions:
            return .names(try database.fetchAllSubscriptions().map(\.id), deleted: [], hasMore: false)
        case .watch: return try steps(of: position, key)
        case .transact: return .failure(.internalError)
        }
    }

    private static func outcome(_ result: Result<Void, DatabaseError>) -> ItemOutcome {
        switch result {
        case .success: .done
        case .failure(let error): .failure(error.code)
        }
    }

    private func outcome(_ id: Record.ID, _ result: Result<Record, DatabaseError>, _ key: DatabaseKey) -> ItemOutcome {
        switch result {
        case .success(let record):
            memories[key, default: Memory()].records[id] = record
            return .record(SeenRecord(record, id: DatabaseModel.known(id, to: user)))
        case .failure(let error):
            if let server = error.serverRecord { memories[key, default: Memory()].records[id] = server }
            return .failure(error.code)
        }
    }

    private func seen(_ matches: [(Record.ID, Result<Record, DatabaseError>)]) throws(DatabaseError) -> [SeenRecord] {
        var records: [SeenRecord] = []
        for (id, result) in matches { records.append(SeenRecord(try result.get(), id: id)) }
        return records
    }

    // MARK: Batches

    private func batch(_ key: DatabaseKey) -> ModifyRequest {
        var request = ModifyRequest(
            policy: choices.pick([.ifServerRecordUnchanged, .changedKeys, .allKeys]), isAtomic: !choices.oneIn(3))
        let zone = choices.zone(key.scope)
        for _ in 0..<choices.number(choices.oneIn(4) ? 2...8 : 1...2) {
            let id = someID(key, choices.zone(beside: zone, key.scope, oneIn: 8))
            if choices.oneIn(4) {
                request.deletes.append(id)
            } else if choices.oneIn(40) || !request.saves.contains(where: { $0.id == id }) {
                request.saves.append(record(id, key))
            }
        }
        return request
    }

    /// An identifier, now and then with the user's own name for the owner of the zone.
    private func someID(_ key: DatabaseKey, _ zone: RecordZone.ID) -> Record.ID {
        let id = choices.id(in: zone)
        guard choices.oneIn(30) else { return id }
        return Record.ID(id.recordName, zoneID: RecordZone.ID(id.zoneID.zoneName, ownerName: user))
    }

    private func someIDs(_ key: DatabaseKey) -> [Record.ID] {
        let ids = (0..<choices.number(1...6)).map { _ in someID(key, choices.zone(key.scope)) }
        return Array(Set(ids))
    }

    /// A new record, or one that was seen before, with some fields changed.
    private func record(_ id: Record.ID, _ key: DatabaseKey) -> Record {
        let type = choices.oneIn(20) ? choices.pick(DatabaseScene.types) : choices.usualType(of: id.recordName)
        var record = Record(type: type, id: choices.oneIn(150) ? Record.ID("_bad", zoneID: id.zoneID) : id)
        if let known = memories[key]?.records[id], !choices.oneIn(6) { record = known }
        choices.change(&record)
        return record
    }

    // MARK: Pages and changes

    private func turnPage(_ key: DatabaseKey) {
        guard let pages = memories[key]?.pages, !pages.isEmpty else { return }
        let position = choices.number(0...pages.count - 1)
        let page = pages[position]
        run(
            .query(page.query, page.zones, limit: choices.number(1...12), after: page.last), on: key,
            position: position)
        memories[key]?.pages.remove(at: position)
        if let count = memories[key]?.pages.count, count > 6 { memories[key]?.pages.removeFirst() }
    }

    private func readChanges(_ key: DatabaseKey) {
        let reader = choices.number(0...DatabaseScene.zones.count)
        if choices.oneIn(25) { memories[key]?.tokens[reader] = nil }
        if reader == 0 {
            let isFirst = memories[key]?.tokens[reader] == nil
            run(.databaseChanges(reader: reader, isFirst: isFirst, limit: choices.number(1...4)), on: key)
        } else {
            readChanges(key, reader - 1, limit: choices.number(1...9))
        }
    }

    /// Reads on in the changes of a zone; false when there are no more.
    @discardableResult
    private func readChanges(_ key: DatabaseKey, _ zone: Int, limit: Int = 50) -> Bool {
        let isFirst = memories[key]?.tokens[zone + 1] == nil
        let outcome = run(
            .zoneChanges(DatabaseScene.zones[zone], reader: zone + 1, isFirst: isFirst, limit: limit), on: key)
        if case .changes(_, _, let hasMore) = outcome { return hasMore }
        return outcome == .failure(.changeTokenExpired)
    }

    private func zoneChanges(
        _ zoneID: RecordZone.ID, _ reader: Int, _ limit: Int, _ database: Database, _ key: DatabaseKey
    ) throws(DatabaseError) -> DatabaseOutcome {
        let token = memories[key]?.tokens[reader]
        memories[key]?.tokens[reader] = nil
        let changes = try database.zoneChanges(zoneID, since: token, limit: limit)
        memories[key, default: Memory()].tokens[reader] = changes.changeToken
        return .changes(
            try seen(changes.modifications.map { ($0.id, $0.result) }),
            deletions: changes.deletions.map { SeenDeletion(id: $0.recordID, type: $0.recordType) },
            hasMore: changes.moreComing)
    }

    // MARK: Live queries

    private func watch(_ query: Query, _ zones: QueryZones, _ key: DatabaseKey) {
        let reading = container.database(with: key.scope).watch(query, in: zones)
        memories[key, default: Memory()].watches.append(Watch(query: query, zones: zones, reading: reading))
        let position = (memories[key]?.watches.count ?? 1) - 1
        let outcome = run(.watch(query, zones, isFirst: true), on: key, position: position)
        if case .failure = outcome { memories[key]?.watches.removeLast() }
        if let count = memories[key]?.watches.count, count > 12 { memories[key]?.watches.removeFirst() }
    }

    private func readWatch(_ key: DatabaseKey) {
        guard let count = memories[key]?.watches.count, count > 0 else { return }
        readWatch(key, choices.number(0...count - 1))
    }

    private func readWatch(_ key: DatabaseKey, _ position: Int) {
        guard let watch = memories[key]?.watches[position] else { return }
        run(.watch(watch.query, watch.zones, isFirst: false), on: key, position: position)
    }

    /// Takes the steps of a live query that wait, and gives the list that they make.
    private func steps(of position: Int, _ key: DatabaseKey) throws(DatabaseError) -> DatabaseOutcome {
        guard var watch = memories[key]?.watches[position] else { return .failure(.internalError) }
        for change in try watch.reading.takeSteps() {
            if let fault = Self.apply(change, to: &watch.records) { faults.append(fault) }
        }
        memories[key]?.watches[position] = watch
        return .records(watch.records.map { SeenRecord($0, id: $0.id) }, hasMore: false)
    }

    /// Applies a step to a list; tells when the list is not one that it can follow on.
    private static func apply(_ change: QueryChange, to records: inout [Record]) -> String? {
        func holds(_ id: Record.ID, at position: Int) -> Bool {
            records.indices.contains(position) && records[position].id == id
        }
        switch change {
        case .initial(let all): records = all
        case .inserted(let record, let position):
            guard position <= records.count else { return "a record is inserted behind the end" }
            records.insert(record, at: position)
        case .updated(let record, let position):
            guard holds(record.id, at: position) else { return "another record is updated" }
            records[position] = record
        case .moved(let record, let from, let to):
            guard holds(record.id, at: from), to < records.count else { return "another record is moved" }
            records.remove(at: from)
            records.insert(record, at: to)
        case .removed(let id, let position):
            guard holds(id, at: position) else { return "another record is removed" }
            records.remove(at: position)
        }
        return nil
    }
}
