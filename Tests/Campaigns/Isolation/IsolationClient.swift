// A client that does at random what clients do, and records what it saw.

import RecordDatabase
import RecordModel

/// Makes one call after another and records each.
struct IsolationClient: Sendable {
    /// What a client does wrong, so that the campaign shows that it finds it.
    enum Flaw: Sendable, CaseIterable {
        /// Saves do not fail where others were first.
        case savesOverOthers
        /// What is taken for one moment is two.
        case readsTwice
    }

    private let number: Int
    private let database: Database
    private let scene: IsolationScene
    private let recorder: HistoryRecorder
    private let flaw: Flaw?
    private var random: SeededGenerator
    private var made = 0

    init(
        number: Int, _ database: Database, _ scene: IsolationScene, _ recorder: HistoryRecorder, seed: UInt64,
        flaw: Flaw?
    ) {
        (self.number, self.database, self.scene, self.recorder) = (number, database, scene, recorder)
        self.flaw = flaw
        random = SeededGenerator(seed: seed &* 131 &+ UInt64(number))
    }

    // MARK: Calls

    /// Makes the records that are there from the beginning.
    mutating func open() async {
        for ids in scene.keys {
            await save(ids.map { IsolationScene.record($0, recorder.newValue()) }, from: ids.map { _ in nil })
        }
    }

    /// Makes one call, or fetches records and saves them.
    mutating func step() async {
        let ids = random.pick(scene.keys)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: await readAll()
        case 1: await readSome()
        case 2, 3, 4: await change(Array(ids.shuffled(using: &random).prefix(random.oneIn(2) ? 1 : 2)))
        case 5:
            let raced = recorder.racedNumber()
            let id = Record.ID("race \(raced)", zoneID: scene.zone(raced))
            await save([IsolationScene.record(id, recorder.newValue())], from: [nil])
        case 6:
            made += 1
            let id = Record.ID("passing \(number).\(made)", zoneID: scene.zone(made))
            recorder.addPassing(id)
            await save([IsolationScene.record(id, recorder.newValue())], from: [nil])
        case 7: await transaction(ids, deletesPassing: true)
        default: await transaction(ids, deletesPassing: false)
        }
    }

    // MARK: Reading

    /// Makes a call that reads, and records what it saw.
    ///
    /// - Parameter body: Fills in what was seen.
    private func read(_ what: String, _ body: (inout History.Step) async throws -> Void) async {
        let began = recorder.tick()
        var step = History.Step(client: number, began: began, ended: began)
        do {
            try await body(&step)
            // A snapshot is of the moment at which it was given, also when it is read later.
            if step.ended == began { step.ended = recorder.tick() }
            recorder.add(step)
        } catch {
            recorder.add(fault: "client \(number) \(what): \(error)")
        }
    }

    /// Reads all records in one snapshot.
    mutating func readAll() async {
        let some = Array(scene.keys.joined().shuffled(using: &random).prefix(2))
        let (scene, database, recorder) = (scene, database, recorder)
        // Servers give no snapshot that is kept.
        if scene.serverCount > 0 || random.oneIn(3) {
            return await read("reads") { step in
                step.seen = try await database.read { snapshot in
                    try some.map { try scene.observation($0, IsolationScene.value(snapshot.record(for: $0))) }
                        + scene.records(of: snapshot) + scene.records(of: snapshot, matching: "value >= 0")
                }
                step.isWhole = true
            }
        }
        await read("reads a snapshot") { step in
            let snapshot = try database.snapshot()
            step.ended = recorder.tick()
            step.isWhole = true
            // Commits of others come between the queries of the snapshot.
            for id in some {
                await Task.yield()
                step.seen.append(try scene.observation(id, IsolationScene.value(snapshot.record(for: id))))
            }
            await Task.yield()
            step.seen += try scene.records(of: snapshot)
            await Task.yield()
            step.seen += try scene.records(of: snapshot, matching: "value >= 0")
        }
    }

    /// Fetches records together, or a page of a query.
    private mutating func readSome() async {
        let all = scene.keys.joined().shuffled(using: &random)
        let (scene, database) = (scene, database)
        // Of several servers a page is not of one moment each.
        if scene.serverCount < 2, random.oneIn(2) {
            return await read("reads a page") { step in
                let page = try await database.recordPage(matching: Query(IsolationScene.type), in: .all)
                step.seen = try scene.observations(page.matchResults.map { try $0.1.get() })
                step.isWhole = page.queryCursor == nil
            }
        }
        let times = flaw == .readsTwice ? 2 : 1
        await read("fetches") { step in
            for time in 1...times {
                if time > 1 { try await Task.sleep(for: .milliseconds(1)) }
                for (id, result) in try await database.records(for: all) {
                    step.seen.append(try scene.observation(id, IsolationScene.value(result.get())))
                }
            }
        }
    }

    // MARK: Saves

    /// Fetches records, and saves them changed if nobody else did meanwhile.
    private mutating func change(_ ids: [Record.ID]) async {
        var records: [Record] = []
        for id in ids {
            await read("fetches \(id.short)") { step in
                let record = try await database.record(for: id)
                step.seen = try scene.observations([record])
                records.append(record)
            }
        }
        if random.oneIn(3) { await Task.yield() }
        let bases = records.map(IsolationScene.value)
        for place in records.indices { records[place]["value"] = .int64(recorder.newValue()) }
        await save(records, from: bases)
    }

    private func save(_ records: [Record], from bases: [Int64?]) async {
        let began = recorder.tick()
        var step = History.Step(client: number, began: began, ended: began)
        do throws(DatabaseError) {
            step.writes = try zip(records, bases).map { record, base throws(DatabaseError) in
                try scene.write(record.id, from: base, to: IsolationScene.value(record))
            }
            let policy = flaw == .savesOverOthers ? SavePolicy.allKeys : .ifServerRecordUnchanged
            do throws(DatabaseError) {
                _ = try await database.modifyTogether(saving: records, deleting: [], savePolicy: policy)
            } catch {
                step.outcome = .rejected
                let errors = error.code == .partialFailure ? Array(error.partialErrors.values) : [error]
                for error in errors {
                    guard let stored = error.serverRecord else { throw error }
                    step.seen += try scene.observations([stored])
                }
            }
        } catch {
            recorder.add(fault: "client \(number) saves: \(error)")
        }
        step.ended = recorder.tick()
        recorder.add(step)
    }

    // MARK: Transactions

    /// What a transaction saw and wrote.
    private struct Draft: Sendable {
        var seen: [History.Observation] = []
        var writes: [History.Write] = []
        /// Whether all zones were looked through.
        var isWhole = false
    }

    private struct Abandoned: Error {
        let draft: Draft
    }

    /// What a transaction does.
    private struct Plan: Sendable {
        let keys: [Record.ID]
        let new: Int64
        /// The zones that are looked through, if any.
        let zones: QueryZones?
        let passing: Record.ID?
        let isAbandoned: Bool
    }

    /// Reads some records and changes one of them by what it read.
    private mutating func transaction(_ ids: [Record.ID], deletesPassing: Bool) async {
        let keys = Array(ids.shuffled(using: &random).prefix(3))
        let plan = Plan(
            keys: keys, new: recorder.newValue(), zones: random.oneIn(2) ? scene.zones(of: keys) : nil,
            passing: deletesPassing ? passing(beside: keys[0]) : nil, isAbandoned: random.oneIn(6))
        let (scene, recorder) = (scene, recorder)
        let began = recorder.tick()
        var (outcome, draft) = (History.Outcome.done, Draft())
        do {
            draft = try await database.write { transaction in
                try Self.run(plan, transaction, scene, recorder)
            }
        } catch let error as Abandoned {
            (outcome, draft) = (.abandoned, error.draft)
        } catch {
            recorder.add(fault: "client \(number) in a transaction: \(error)")
            outcome = .abandoned
        }
        var step = History.Step(client: number, began: began, ended: recorder.tick(), outcome: outcome)
        (step.seen, step.writes, step.isWhole) = (draft.seen, draft.writes, draft.isWhole)
        recorder.add(step)
    }

    /// A record that passes, on the server of another one.
    private mutating func passing(beside id: Record.ID) -> Record.ID? {
        let node = try? scene.node(of: id)
        return recorder.passing.filter { (try? scene.node(of: $0)) == node }.randomElement(using: &random)
    }

    private static func run(
        _ plan: Plan, _ transaction: DatabaseTransaction, _ scene: IsolationScene, _ recorder: HistoryRecorder
    ) throws -> Draft {
        var draft = Draft()
        draft.seen = try scene.observations(plan.keys.map { try transaction.record(for: $0) })
        if let zones = plan.zones {
            draft.seen += try scene.records(of: transaction, in: zones)
            draft.isWhole = zones == .all
        }
        let id = plan.keys[0]
        var record = try transaction.record(for: id)
        draft.writes.append(try scene.write(id, from: IsolationScene.value(record), to: plan.new))
        record["value"] = .int64(plan.new)
        try transaction.save(record)
        if let passing = plan.passing, let value = try value(ofPassing: passing, transaction) {
            draft.seen.append(try scene.observation(passing, value))
            draft.writes.append(try scene.write(passing, from: value, to: nil))
            transaction.deleteRecord(withID: passing)
        }
        if let zones = plan.zones, zones == .all || zones == .zone(id.zoneID),
            try !scene.records(of: transaction, in: zones).contains(where: { $0.value == plan.new })
        {
            recorder.add(fault: "a transaction does not see what it saved: \(draft)")
        }
        if plan.isAbandoned { throw Abandoned(draft: draft) }
        return draft
    }

    private static func value(
        ofPassing id: Record.ID, _ transaction: DatabaseTransaction
    ) throws(DatabaseError) -> Int64? {
        do throws(DatabaseError) {
            return IsolationScene.value(try transaction.record(for: id))
        } catch {
            if error.code == .unknownItem { return nil }
            throw error
        }
    }
}
