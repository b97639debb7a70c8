// A transaction of a client: what it read and changed, and what it must have read.

import PredicateSemantics
import RecordDatabase
import RecordModel

/// What a record of a transaction holds; metadata are made when it is stored.
struct HeldFields: Hashable, Sendable {
    let id: Record.ID
    let fields: [String: FieldValue]
}

/// What a transaction was given that read something, in the order of names.
enum ReadOutcome: Hashable, Sendable {
    case success([HeldFields])
    case failure(DatabaseError.Code)
}

/// One thing that a transaction read, with the changes that it had made before.
struct TransactionRead: Sendable {
    enum Subject: Sendable {
        case record(Record.ID)
        case records(type: String, RecordPredicate, QueryZones)
    }

    let subject: Subject
    /// What the transaction had changed by then.
    let request: ModifyRequest
    let outcome: ReadOutcome
}

/// What a transaction did until it was committed or given up.
struct TransactionTrace: Sendable {
    var reads: [TransactionRead] = []
    var request = ModifyRequest()
    /// Whether its body threw an error of its own at the end.
    var isAbandoned = false

    /// Takes in a save, which replaces an earlier one of the record.
    mutating func save(_ record: Record, _ user: String) {
        let id = DatabaseModel.known(record.id, to: user)
        if let place = request.saves.firstIndex(where: { DatabaseModel.known($0.id, to: user) == id }) {
            request.saves[place] = record
        } else {
            request.saves.append(record)
        }
    }

    /// Takes in a deletion, which takes back an earlier save.
    mutating func delete(_ id: Record.ID, _ user: String) {
        let id = DatabaseModel.known(id, to: user)
        request.saves.removeAll { DatabaseModel.known($0.id, to: user) == id }
        if !request.deletes.contains(id) { request.deletes.append(id) }
    }

    /// Whether a record can still be saved.
    func deletes(_ id: Record.ID, _ user: String) -> Bool {
        request.deletes.contains(DatabaseModel.known(id, to: user))
    }
}

/// Why a client gives a transaction up.
struct AbandonedTransaction: Error {}

extension DatabaseModel {
    /// What a transaction must come to; it meets the database at this one moment.
    ///
    /// - Returns: The outcome, what is committed, and what it read otherwise than it must.
    func predict(
        _ trace: TransactionTrace, by user: String, _ predicates: BoundPredicates
    ) -> (outcome: DatabaseOutcome, prediction: BatchPrediction, wrongReads: [String]) {
        let wrong = trace.reads.compactMap { fault(of: $0, user, predicates) }
        if trace.isAbandoned { return (.items([]), BatchPrediction(), wrong) }
        let prediction = predict(effective(trace.request), by: user)
        if let code = prediction.wholeFailure { return (.failure(code), BatchPrediction(), wrong) }
        return (.items([.done]), prediction, wrong)
    }

    /// The request without deletions of what is not there.
    private func effective(_ request: ModifyRequest) -> ModifyRequest {
        var request = request
        request.deletes.removeAll { records[$0] == nil }
        return request
    }

    /// What is wrong with what a transaction read; `nil` for nothing.
    private func fault(of read: TransactionRead, _ user: String, _ predicates: BoundPredicates) -> String? {
        let expected = expected(read, user, predicates)
        return read.outcome == expected
            ? nil : "the transaction read \(read.outcome), expected \(expected), of \(read.subject)"
    }

    private func expected(
        _ read: TransactionRead, _ user: String, _ predicates: BoundPredicates
    ) -> ReadOutcome {
        switch read.subject {
        case .record(let id):
            let known = Self.known(id, to: user)
            if read.request.deletes.contains(known) { return .failure(.unknownItem) }
            guard case .items(let items) = fetch([id], desiredKeys: nil, user), let item = items.first else {
                return .failure(.internalError)
            }
            switch item {
            case .record(let record):
                // What may not be read is told as that, also where it goes along.
                let goesAlong = goingAlong(effective(read.request), user).contains(known)
                return goesAlong
                    ? .failure(.unknownItem) : .success([HeldFields(id: known, fields: record.fields)])
            // A moment has no records of a zone that is not there, and gives no other error for it.
            case .failure(.zoneNotFound): return .failure(.unknownItem)
            case .failure(let code): return .failure(code)
            case .done: return .success([])
            }
        case .records(let type, let predicate, let zones):
            if !read.request.saves.isEmpty || !read.request.deletes.isEmpty {
                let prediction = predict(effective(read.request), by: user)
                if let code = prediction.wholeFailure { return .failure(code) }
                return after(prediction).held(type, predicate, zones, user, predicates)
            }
            return held(type, predicate, zones, user, predicates)
        }
    }

    /// The records that a request deletes, and those that go with them as it leaves their references.
    private func goingAlong(_ request: ModifyRequest, _ user: String) -> Set<Record.ID> {
        if request.deletes.isEmpty { return [] }
        var after = self
        for record in request.saves {
            let id = Self.known(record.id, to: user)
            var seen = records[id]?.seen ?? SeenRecord(Record(type: record.type, id: id), id: id)
            let changes = record.changes.mapValues { $0.known(to: user) }
            seen.fields = seen.fields.merging(changes) { $1 }.filter { !$0.value.isNull }
            after.records[id] = Stored(seen: seen, change: 0)
        }
        return request.deletes.reduce(into: []) { $0.formUnion(after.closure(of: Self.known($1, to: user))) }
    }

    /// The database with what a batch does to it.
    private func after(_ prediction: BatchPrediction) -> DatabaseModel {
        var after = self
        for id in prediction.deleted { after.records[id] = nil }
        for save in prediction.saved {
            var seen = records[save.id]?.seen ?? SeenRecord(Record(type: save.type, id: save.id), id: save.id)
            (seen.fields, seen.parent) = (save.fields, save.parent)
            after.records[save.id] = Stored(seen: seen, change: 0)
        }
        return after
    }

    private func held(
        _ type: String, _ predicate: RecordPredicate, _ zones: QueryZones, _ user: String,
        _ predicates: BoundPredicates
    ) -> ReadOutcome {
        if key.scope == .public, type == "Diary" { return .failure(.permissionFailure) }
        var visible = self
        // In a set of the public database no reference leads to a diary.
        if key.scope == .public { visible.records = records.filter { $0.value.seen.type != "Diary" } }
        let records = visible.result(Query(type, predicate), zones, user, predicates)
        return .success(records.map { HeldFields(id: $0.id, fields: $0.fields) }.sorted())
    }
}

extension BatchPrediction {
    /// The error of a batch that counts as a whole; what fails only for the sake of others does not count.
    var wholeFailure: DatabaseError.Code? {
        if let error { return error }
        let failures = (saves + deletes).compactMap(\.self).filter { $0 != .batchRequestFailed }
        return failures.count > 1 ? .partialFailure : failures.first
    }
}

extension Sequence where Element == HeldFields {
    /// In the order of names and zones.
    func sorted() -> [HeldFields] {
        sorted { ($0.id.recordName, $0.id.zoneID.zoneName) < ($1.id.recordName, $1.id.zoneID.zoneName) }
    }
}

// MARK: Clients

/// Runs transactions as random choices say, and writes down what they read.
struct TransactionClient {
    let user: String
    var choices: DatabaseChoices
    /// Records as they were seen before.
    let memory: [Record.ID: Record]

    /// - Returns: What was done, and what became of it.
    mutating func run(
        on database: Database, _ scope: DatabaseScope
    ) -> (trace: TransactionTrace, outcome: DatabaseOutcome) {
        var trace = TransactionTrace()
        let zone = choices.zone(scope)
        do {
            try database.writeNow { transaction in
                trace = TransactionTrace()
                for _ in 0..<choices.number(1...6) {
                    try part(transaction, choices.zone(beside: zone, scope, oneIn: 1), &trace)
                }
                if choices.oneIn(6) {
                    trace.isAbandoned = true
                    throw AbandonedTransaction()
                }
            }
            return (trace, .items([.done]))
        } catch is AbandonedTransaction {
            return (trace, .items([]))
        } catch let error as DatabaseError {
            return (trace, .failure(error.code))
        } catch {
            return (trace, .failure(.internalError))
        }
    }

    private mutating func part(
        _ transaction: DatabaseTransaction, _ zone: RecordZone.ID, _ trace: inout TransactionTrace
    ) throws {
        let id = choices.id(in: zone)
        switch choices.number(0...9) {
        case 0...2 where !trace.deletes(id, user): try change(id, transaction, &trace)
        case 3...4 where !trace.deletes(id, user):
            var record = memory[id] ?? Record(type: choices.usualType(of: id.recordName), id: id)
            choices.change(&record)
            try transaction.save(record)
            trace.save(record, user)
        case 5:
            transaction.deleteRecord(withID: id)
            trace.delete(id, user)
        case 6, 7: _ = read(id, transaction, &trace)
        default: find(zone, transaction, &trace)
        }
    }

    /// Changes a record as it is now.
    private mutating func change(
        _ id: Record.ID, _ transaction: DatabaseTransaction, _ trace: inout TransactionTrace
    ) throws {
        guard var record = read(id, transaction, &trace) else { return }
        choices.change(&record)
        try transaction.save(record)
        trace.save(record, user)
    }

    /// Reads a record; what the transaction saves itself is not written down: it is that, as it was saved.
    private func read(
        _ id: Record.ID, _ transaction: DatabaseTransaction, _ trace: inout TransactionTrace
    ) -> Record? {
        let known = DatabaseModel.known(id, to: user)
        let isOwn = trace.request.saves.contains { DatabaseModel.known($0.id, to: user) == known }
        let result = Result { () throws(DatabaseError) in try transaction.record(for: id) }
        if !isOwn {
            let outcome: ReadOutcome =
                switch result {
                case .success(let record): .success([HeldFields(id: known, fields: record.fields)])
                case .failure(let error): .failure(error.code)
                }
            trace.reads.append(TransactionRead(subject: .record(id), request: trace.request, outcome: outcome))
        }
        return try? result.get()
    }

    private mutating func find(
        _ zone: RecordZone.ID, _ transaction: DatabaseTransaction, _ trace: inout TransactionTrace
    ) {
        let zones = choices.staysInZone ? .zone(zone) : choices.zones(zone)
        let type = choices.pick(DatabaseScene.types)
        let number = Int64(choices.number(0...5))
        let predicate: RecordPredicate = choices.oneIn(3) ? "TRUEPREDICATE" : "a > \(number)"
        let outcome: ReadOutcome
        do {
            let records = try transaction.records(ofType: type, in: zones).records(matching: predicate)
            outcome = .success(records.map { HeldFields(id: $0.id, fields: $0.fields) }.sorted())
        } catch {
            outcome = .failure((error as? DatabaseError)?.code ?? .internalError)
        }
        trace.reads.append(
            TransactionRead(
                subject: .records(type: type, predicate, zones), request: trace.request, outcome: outcome))
    }
}
