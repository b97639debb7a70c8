// A database on a server: the rows that a call needs are fetched, and the rules of this module decide on them.

import FoundationEssentials
import PredicateSemantics
import QueryExecution
import RecordModel
import RecordStore

/// A database whose records are on a server.
struct RemoteDatabase: DatabaseStoring {
    let store: ContainerStore
    let remote: RemoteStore
    let origin: DatabaseOrigin

    var server: any RecordServer { remote.server }
    private var history: ChangeHistory { ChangeHistory(origin: origin, incarnation: server.incarnation) }

    func run<Outcome: Sendable>(
        _ body: @escaping @Sendable () throws(DatabaseError) -> Outcome
    ) async throws(DatabaseError) -> Outcome { try await remote.threads.perform(body) }

    /// What there is of the database by now.
    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        let moment = try server.read(origin, need)
        store.follow(moment.schema)
        return moment
    }

    // MARK: Records

    func fetch(_ ids: [Record.ID], _ desiredKeys: [String]?, _ caller: Caller) throws(DatabaseError) -> FetchResults {
        var need = ServerNeed()
        let known = ids.map(caller.normalized)
        need.records = known
        let moment = try read(need)
        let records = FetchedRecords(
            snapshot: try moment.snapshot(), missing: moment.state().missingZones(of: known), schema: moment.schema,
            caller: caller, scope: origin.scope)
        return records.results(ids, known, desiredKeys, readsFiles: true) ?? [:]
    }

    func fetchSuspending(
        _ ids: [Record.ID], _ desiredKeys: [String]?, _ caller: Caller
    ) async throws(DatabaseError) -> FetchResults {
        try await run { () throws(DatabaseError) in try fetch(ids, desiredKeys, caller) }
    }

    func modifySuspending(_ request: ModifyRequest, _ caller: Caller) async throws(DatabaseError) -> ModifyResult {
        try await run { () throws(DatabaseError) in try modify(request, caller) }
    }

    func modify(_ request: ModifyRequest, _ caller: Caller) throws(DatabaseError) -> ModifyResult {
        if request.saves.contains(where: { $0.changes.values.contains(where: \.holdsAssets) }) {
            throw DatabaseError(
                .badDatabase, "containers on servers do not take assets", hint: "store the bytes in a field of BYTES")
        }
        let plan = BatchPlan(request, caller, origin: origin, assets: store.assets)
        try request.checkSize(bytes: plan.byteCount, caller.configuration.limits)
        while true {
            let schema = store.schema.current
            let written = try server.write(origin, plan.need(schema)) { moment throws(DatabaseError) in
                try write(plan, on: moment, assuming: schema)
            }
            store.follow(written.schema)
            guard let result = written.result else { continue }
            if let commit = written.commit { store.counters.count(commit) }
            return result
        }
    }

    /// What became of a batch; without a result where its rows were chosen by another schema.
    private typealias Written = (result: ModifyResult?, commit: Commit?, schema: ContainerSchema)

    private func write(
        _ plan: BatchPlan, on moment: ServerMoment, assuming schema: ContainerSchema
    ) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Written) {
        if plan.need(moment.schema).wholeTypes != plan.need(schema).wholeTypes {
            return (nil, (nil, nil, moment.schema))
        }
        var plan = plan
        let state = moment.state(for: plan.sentBatch, of: plan.caller.client)
        let snapshot = try moment.snapshot()
        if let batch = plan.sentBatch, state.repeats(batch, of: plan.caller.client) {
            return (nil, (plan.repeated(on: snapshot), nil, moment.schema))
        }
        let commit = plan.resolve(
            on: snapshot, state, moment.schema, date: plan.caller.configuration.clock())
        let outcome: Written = (plan.result(commit), commit, commit.schema ?? moment.schema)
        return (commit.isEmpty ? nil : ServerCommit(commit, on: snapshot, state), outcome)
    }

    // MARK: Queries

    func pageSuspending(_ request: PageRequest, _ caller: Caller) async throws(DatabaseError) -> PageMatches {
        try await run { () throws(DatabaseError) in try page(request, caller) }
    }

    func page(_ request: PageRequest, _ caller: Caller) throws(DatabaseError) -> PageMatches {
        let time = caller.configuration.limits.queryTime
        return try QueryDeadline.run(
            within: time, failure: { DatabaseError(evaluation: $0) },
            { () throws(DatabaseError) in try boundPage(request, caller) })
    }

    private func boundPage(_ request: PageRequest, _ caller: Caller) throws(DatabaseError) -> PageMatches {
        let zone = request.zones.zoneID(for: caller)
        while true {
            let schema = store.schema.current
            let checked: CheckedQuery
            do throws(DatabaseError) {
                checked = try CheckedQuery(request, schema, caller)
            } catch {
                // Another process may have taught the server the type meanwhile.
                let moment = try read(ServerNeed())
                if moment.schema != schema { continue }
                if let zone { _ = try moment.state().zone(zone) }
                throw error
            }
            guard let bound = try bound(request, checked, in: zone) else { return ([], nil) }
            var need = ServerNeed()
            let pageSize = request.limit > 0 ? request.limit : caller.configuration.limits.pageSize
            need.selection = ServerSelection(
                type: request.query.recordType, zoneID: zone, predicate: bound,
                followsReferences: bound.followsReferences || checked.order.contains(where: \.readsOtherRecords),
                order: checked.order,
                start: request.cursor.map { .init(values: $0.position.values, zoneName: $0.position.zoneName) },
                // One more tells whether there is another page.
                limit: pageSize < .max ? pageSize + 1 : nil)
            let moment = try read(need)
            if moment.schema != schema { continue }
            if let zone { _ = try moment.state().zone(zone) }
            let search = Search(
                request, checked, predicate: .bound(bound),
                on: SearchMoment(origin: origin, snapshot: try moment.snapshot(), schema: schema), caller, store)
            return try search.run()
        }
    }

    /// The predicate with its fields; `nil` for a type that nobody saved. A zone that is not there comes first.
    private func bound(
        _ request: PageRequest, _ checked: CheckedQuery, in zone: RecordZone.ID?
    ) throws(DatabaseError) -> BoundPredicate? {
        let bound: BoundPredicate?
        do throws(DatabaseError) {
            bound = try checked.check.bind(request.query.predicate, in: origin.scope)
        } catch {
            if let zone { _ = try read(ServerNeed()).state().zone(zone) }
            throw error
        }
        if bound == nil, let zone { _ = try read(ServerNeed()).state().zone(zone) }
        return bound
    }

    // MARK: Changes

    func changesSuspending(
        _ request: ZoneChangesRequest, _ caller: Caller
    ) async throws(DatabaseError) -> RecordZoneChanges {
        try await run { () throws(DatabaseError) in try changes(request, caller) }
    }

    func changes(_ request: ZoneChangesRequest, _: Caller) throws(DatabaseError) -> RecordZoneChanges {
        var need = ServerNeed()
        let token = request.token
        need.changes = ServerChanges(
            zoneID: request.zoneID, position: token?.position ?? 0,
            deletionsAfter: token.map { max($0.position, $0.deletionsAfter) },
            limit: request.limit)
        let moment = try read(need)
        return try ZoneMoment(for: request, moment.state(), try moment.snapshot(), moment.schema, history).changes()
    }

    func zoneList(since token: ChangeToken?, limit: Int) throws(DatabaseError) -> DatabaseChanges {
        try read(ServerNeed()).state().zoneHistory.changes(since: token, limit: limit, history)
    }

    // MARK: Zones

    func zones() throws(DatabaseError) -> [RecordZone] { try read(ServerNeed()).state().zones.values.map(\.zone) }

    func zones(_ ids: [RecordZone.ID], _ caller: Caller) throws(DatabaseError) -> ZoneResults {
        try read(ServerNeed()).state().zones(ids, caller)
    }

    func modifyZonesSuspending(
        _ request: ZonesRequest, _ caller: Caller
    ) async throws(DatabaseError) -> ModifyZonesResult {
        try await run { () throws(DatabaseError) in try modifyZones(request, caller) }
    }

    func modifyZones(_ request: ZonesRequest, _ caller: Caller) throws(DatabaseError) -> ModifyZonesResult {
        try server.write(origin, ServerNeed()) { moment throws(DatabaseError) in
            let state = moment.state()
            var changes = ZoneModification(caller, origin, state)
            let result = changes.take(request)
            let commit = changes.commit
            return (commit.isEmpty ? nil : ServerCommit(commit, on: try moment.snapshot(), state), result)
        }
    }
}

extension BatchPlan {
    /// The rows that deciding on the batch needs.
    fileprivate func need(_ schema: ContainerSchema) -> ServerNeed {
        var need = ServerNeed()
        var (records, targets) = (Set(saves.map(\.id)), Set<Record.ID>())
        for item in saves {
            if item.setsParent, let parent = item.record.parent { records.insert(caller.normalized(parent.recordID)) }
            for value in item.values.values {
                value.forEachReference { reference in
                    let target = caller.normalized(reference.recordID)
                    records.insert(target)
                    if reference.action == .deleteSelf { targets.insert(target) }
                }
            }
            // What the type demands of values concerns the other records of the type.
            if isConstrained(by: schema) { need.wholeTypes.insert(item.record.type) }
        }
        need.targets = Array(targets)
        if !deletes.isEmpty { need.roots = deletes.map(\.id) + saves.map(\.id) }
        need.records = Array(records.union(deletes.map(\.id)))
        if let token = request.clientToken {
            need.batch = ServerBatch(client: caller.client, token: token, digest: sentBatch?.digest)
        }
        return need
    }
}
