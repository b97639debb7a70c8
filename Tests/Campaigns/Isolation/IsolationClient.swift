// A client that does at random what clients do, and records what it saw.

import RecordDatabase
import RecordModel

/// Makes one call after another and records each.
struct IsolationClient: Sendable {
    private let number: Int
    private let database: Database
    private let recorder: HistoryRecorder
    private var random: SeededGenerator
    private var made = 0

    private static let keys = (0..<6).map { "key \($0)" }
    private static let type = "Item"

    init(number: Int, _ database: Database, _ recorder: HistoryRecorder, seed: UInt64) {
        (self.number, self.database, self.recorder) = (number, database, recorder)
        random = SeededGenerator(seed: seed &* 131 &+ UInt64(number))
    }

    private static func value(_ record: Record) -> Int64? {
        if case .int64(let value) = record["value"] { value } else { nil }
    }

    private static func observations(_ records: [Record]) -> [History.Observation] {
        records.map { History.Observation($0.id.recordName, value($0)) }
    }

    private func record(_ key: String, _ value: Int64) -> Record {
        Record(type: Self.type, id: Record.ID(key), fields: ["value": .int64(value)])
    }

    // MARK: Calls

    /// Makes the records that are there from the beginning.
    mutating func open() async {
        await save(Self.keys.map { record($0, recorder.newValue()) }, from: Self.keys.map { _ in nil })
    }

    /// Reads all records in one snapshot.
    mutating func readAll() async {
        do throws(DatabaseError) {
            let began = recorder.tick()
            let snapshot = try database.snapshot()
            let ended = recorder.tick()
            var step = History.Step(client: number, began: began, ended: ended)
            step.isWhole = true
            // Commits of others come between the queries of the snapshot.
            if random.oneIn(2) { await Task.yield() }
            for key in Self.keys.shuffled(using: &random).prefix(2) {
                step.seen.append(History.Observation(key, Self.value(try snapshot.record(for: Record.ID(key)))))
                await Task.yield()
            }
            step.seen += Self.observations(try Self.records(of: snapshot))
            await Task.yield()
            step.seen += Self.observations(try Self.records(of: snapshot, matching: "value >= 0"))
            recorder.add(step)
        } catch {
            recorder.add(fault: "client \(number) reads: \(error)")
        }
    }

    private static func records(
        of reader: some RecordReading, matching predicate: RecordPredicate = "TRUEPREDICATE"
    ) throws(DatabaseError) -> [Record] {
        do {
            return try reader.records(ofType: type, in: .all).records(matching: predicate)
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw DatabaseError(.internalError, "\(error)")
        }
    }

    /// Makes one call, or fetches records and saves them.
    mutating func step() async {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: await readAll()
        case 2, 3, 4: await change(Int.random(in: 1...2, using: &random))
        case 5:
            let key = recorder.racedKey()
            await save([record(key, recorder.newValue())], from: [nil])
        case 6:
            made += 1
            let key = "passing \(number).\(made)"
            recorder.addPassing(key)
            await save([record(key, recorder.newValue())], from: [nil])
        case 7: await transaction(deleting: recorder.passingKeys.randomElement(using: &random))
        default: await transaction(deleting: nil)
        }
    }

    /// Fetches records, and saves them changed if nobody else did meanwhile.
    private mutating func change(_ count: Int) async {
        var records: [Record] = []
        for key in Self.keys.shuffled(using: &random).prefix(count) {
            let began = recorder.tick()
            do throws(DatabaseError) {
                let record = try await database.record(for: Record.ID(key))
                var step = History.Step(client: number, began: began, ended: recorder.tick())
                step.seen = Self.observations([record])
                recorder.add(step)
                records.append(record)
            } catch {
                recorder.add(fault: "client \(number) fetches \(key): \(error)")
            }
        }
        if random.oneIn(3) { await Task.yield() }
        let bases = records.map(Self.value)
        for place in records.indices { records[place]["value"] = .int64(recorder.newValue()) }
        await save(records, from: bases)
    }

    private mutating func save(_ records: [Record], from bases: [Int64?]) async {
        let began = recorder.tick()
        var (outcome, seen) = (History.Outcome.done, [History.Observation]())
        do throws(DatabaseError) {
            _ = try await database.modifyTogether(saving: records, deleting: [], savePolicy: .ifServerRecordUnchanged)
        } catch {
            outcome = .rejected
            let errors = error.code == .partialFailure ? Array(error.partialErrors.values) : [error]
            for error in errors {
                if let stored = error.serverRecord {
                    seen += Self.observations([stored])
                } else {
                    recorder.add(fault: "client \(number) saves: \(error)")
                }
            }
        }
        var step = History.Step(client: number, began: began, ended: recorder.tick(), outcome: outcome, seen: seen)
        step.writes = zip(records, bases).map { record, base in
            History.Write(record.id.recordName, from: base, to: Self.value(record))
        }
        recorder.add(step)
    }

    // MARK: Transactions

    /// What a transaction saw and wrote.
    private struct Draft: Sendable {
        var seen: [History.Observation] = []
        var writes: [History.Write] = []
    }

    private struct Abandoned: Error {
        let draft: Draft
    }

    /// Reads some records and changes one of them by what it read.
    private mutating func transaction(deleting passing: String?) async {
        let keys = Array(Self.keys.shuffled(using: &random).prefix(3))
        let (isAbandoned, queries, new) = (random.oneIn(6), random.oneIn(2), recorder.newValue())
        let recorder = recorder
        let began = recorder.tick()
        var (outcome, draft) = (History.Outcome.done, Draft())
        do {
            draft = try await database.write { transaction in
                var draft = Draft()
                draft.seen += Self.observations(try keys.map { try transaction.record(for: Record.ID($0)) })
                if queries { draft.seen += Self.observations(try Self.records(of: transaction)) }
                var record = try transaction.record(for: Record.ID(keys[0]))
                draft.writes.append(History.Write(keys[0], from: Self.value(record), to: new))
                record["value"] = .int64(new)
                try transaction.save(record)
                if let passing, let value = try Self.value(ofPassing: passing, transaction) {
                    draft.seen.append(History.Observation(passing, value))
                    draft.writes.append(History.Write(passing, from: value, to: nil))
                    transaction.deleteRecord(withID: Record.ID(passing))
                }
                if queries, try !Self.records(of: transaction).contains(where: { Self.value($0) == new }) {
                    recorder.add(fault: "a transaction does not see what it saved: \(draft)")
                }
                if isAbandoned { throw Abandoned(draft: draft) }
                return draft
            }
        } catch let error as Abandoned {
            (outcome, draft) = (.abandoned, error.draft)
        } catch {
            recorder.add(fault: "client \(number) in a transaction: \(error)")
            outcome = .abandoned
        }
        recorder.add(
            History.Step(
                client: number, began: began, ended: recorder.tick(), outcome: outcome, seen: draft.seen,
                writes: draft.writes))
    }

    private static func value(
        ofPassing key: String, _ transaction: DatabaseTransaction
    ) throws(DatabaseError) -> Int64? {
        do throws(DatabaseError) {
            return value(try transaction.record(for: Record.ID(key)))
        } catch {
            if error.code == .unknownItem { return nil }
            throw error
        }
    }
}
