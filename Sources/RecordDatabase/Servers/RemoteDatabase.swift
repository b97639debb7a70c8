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
    var history: ChangeHistory { ChangeHistory(origin: origin, incarnation: server.incarnation) }

    func run<Outcome: Sendable>(
        _ body: @escaping @Sendable () throws(DatabaseError) -> Outcome
    ) async throws(DatabaseError) -> Outcome { try await remote.threads.perform(body) }

    /// What there is of the database by now.
    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        let moment = try server.read(origin, need)
        store.follow(moment)
        return moment
    }

    /// A caller with the rights that they have at a moment: another process may have given them other roles.
    func current(_ caller: Caller, at moment: ServerMoment) -> Caller {
        store.follow(moment)
        return caller.with(store.rights(of: caller.userName))
    }

    // MARK: Records

    func fetch(_ ids: [Record.ID], _ desiredKeys: [String]?, _ caller: Caller) throws(DatabaseError) -> FetchResults {
        var need = ServerNeed()
        let known = ids.map(caller.normalized)
        need.records = known
        need.zoneStates = .named(Set(known.map(\.zoneID)))
        let moment = try read(need)
        let records = FetchedRecords(
            snapshot: try moment.snapshot(), missing: moment.state().missingZones(of: known), schema: moment.schema,
            caller: current(caller, at: moment), scope: origin.scope)
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
        if let nodes = try nodes(of: request, caller) { return try modify(request, on: nodes, caller) }
        return try modifyTogether(request, caller)
    }

    /// Makes a batch of records that change together.
    func modifyTogether(_ request: ModifyRequest, _ caller: Caller) throws(DatabaseError) -> ModifyResult {
        var plan = BatchPlan(request, caller, origin: origin, assets: store.assets)
        defer { store.assets.release(plan.heldAssets) }
        plan.checkServedNames()
        try request.checkSize(bytes: plan.byteCount, caller.configuration.limits)
        // Bytes are on the server before the commit that names them.
        if !plan.heldAssets.isEmpty { try server.storeAssets(plan.heldAssets) }
        while true {
            let schema = store.schema.current
            let written = try server.write(origin, plan.need(schema)) { moment, reading throws(DatabaseError) in
                try write(plan, on: moment, reading, assuming: schema)
            }
            guard let result = written.result else {
                store.follow(written.schema)
                continue
            }
            finish(written)
            if written.commit != nil { endHolders(of: written.targets, caller) }
            return result
        }
    }

    /// Does what is due when a commit was stored: whatever it tells this process is told before the call returns.
    func finish(_ written: Written) {
        store.follow(written.schema)
        if let commit = written.commit { store.counters.count(commit) }
        if let told = written.told { remote.notices.follow(origin, told) }
    }

    /// What became of a batch; without a result where its rows were chosen by another schema. Targets are those of
    /// links between nodes that it makes, or that end.
    typealias Written = (
        result: ModifyResult?, commit: Commit?, schema: ContainerSchema, told: ToldCommit?, targets: Set<Record.ID>
    )

    private func write(
        _ plan: BatchPlan, on moment: ServerMoment, _ reading: any ServerReading, assuming schema: ContainerSchema
    ) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Written) {
        if plan.need(moment.schema).shares != plan.need(schema).shares {
            return (nil, (nil, nil, moment.schema, nil, []))
        }
        var (plan, moment) = (plan, moment)
        (plan.caller, plan.apart) = (current(plan.caller, at: moment), moment.apart)
        moment.rows += try plan.rivals(on: moment, reading)
        let base = try ServerGround.Base(moment, for: plan.sentBatch, of: plan.batchClient)
        if let batch = plan.sentBatch, base.state.repeats(batch, of: plan.batchClient) {
            return (nil, (plan.repeated(on: base.records, moment.schema), nil, moment.schema, nil, []))
        }
        let commit = plan.resolve(
            on: base.records, base.state, moment.schema, date: plan.caller.configuration.clock())
        guard !commit.isEmpty else { return (nil, (plan.result(commit), commit, moment.schema, nil, [])) }
        var stored = try base.stored(commit, for: self, reading)
        stored.batch?.client = plan.batchClient
        return (
            stored,
            (
                plan.result(commit), commit, commit.schema ?? moment.schema, stored.told(on: moment.node),
                try base.targetsApart(of: stored, in: self)
            )
        )
    }

    // MARK: Queries

    func pageSuspending(_ request: PageRequest, _ caller: Caller) async throws(DatabaseError) -> PageMatches {
        try await run { () throws(DatabaseError) in try page(request, caller) }
    }

    func page(_ request: PageRequest, _ caller: Caller) throws(DatabaseError) -> PageMatches {
        try withinTime(caller) { () throws(DatabaseError) in
            let found = try find(request, caller) { $0.page(request, caller.configuration.limits) }
            return try found?.page(request, self) ?? ([], nil)
        }
    }

    func count(_ request: PageRequest, _ caller: Caller) throws(DatabaseError) -> Int {
        try withinTime(caller) { () throws(DatabaseError) in
            let found = try find(request, caller) { query in
                var selection = query.selection(ofType: request.query.recordType)
                selection.counts = true
                return selection
            }
            guard let found else { return 0 }
            return try found.moment.countedRows + found.search(request, self).count()
        }
    }

    /// Runs a query for a page, or without a limit for all that it finds, and tells how.
    func explain(_ request: PageRequest, _ caller: Caller) throws(DatabaseError) -> QueryExplanation {
        try withinTime(caller) { () throws(DatabaseError) in
            let found = try find(request, caller) { query in
                var selection =
                    request.limit > 0
                    ? query.page(request, caller.configuration.limits)
                    : query.selection(ofType: request.query.recordType)
                selection.explains = true
                return selection
            }
            let moment: ServerMoment
            if let found { moment = found.moment } else { moment = try read(ServerNeed()) }
            let caller = current(caller, at: moment)
            let snapshot = DatabaseSnapshot(
                records: try moment.snapshot(), schema: moment.schema, caller: caller, scope: origin.scope)
            return try snapshot.records(ofType: request.query.recordType, in: request.zones, pushed: moment.pushed)
                .explanation(of: request.query)
        }
    }

    private func withinTime<Outcome>(
        _ caller: Caller, _ body: () throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        let time = caller.configuration.limits.queryTime
        return try QueryDeadline.run(within: time, failure: { DatabaseError(evaluation: $0) }, body)
    }

    /// Reads the rows that a query may find, all of it by one schema; `nil` where it can find nothing.
    private func find(
        _ request: PageRequest, _ caller: Caller, _ selection: (RemoteQuery) -> ServerSelection
    ) throws(DatabaseError) -> FoundRows? {
        let (zone, start) = (request.zones.zoneID(for: caller), ContinuousClock.now)
        while true {
            let schema = store.schema.current
            let caller = caller.with(store.rights(of: caller.userName))
            let (checked, bound): (CheckedQuery, BoundPredicate?)
            do throws(DatabaseError) {
                checked = try CheckedQuery(request, schema, caller, in: origin.scope)
                bound = try checked.check.bindReadable(request.query.predicate)
            } catch {
                // Another process may have taught the server the type or a field meanwhile.
                let moment = try read(ServerNeed())
                if moment.schema != schema || current(caller, at: moment).rights != caller.rights { continue }
                if let zone { _ = try moment.state().zone(zone) }
                throw error
            }
            guard let bound else {
                if let zone { _ = try read(ServerNeed()).state().zone(zone) }
                return nil
            }
            let query = RemoteQuery(checked: checked, predicate: bound, zone: zone)
            var need = ServerNeed()
            need.selection = selection(query)
            need.zoneStates = .named(Set([zone].compactMap(\.self)))
            let moment = try read(need)
            if moment.schema != schema || current(caller, at: moment).rights != caller.rights { continue }
            if let zone { _ = try moment.state().zone(zone) }
            return FoundRows(query: query, moment: moment, caller: caller, start: start)
        }
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
        need.zoneStates = .named([request.zoneID])
        let moment = try read(need)
        return try ZoneMoment(for: request, moment.state(), try moment.snapshot(), moment.schema, history).changes()
    }

    func zoneList(since token: ChangeToken?, limit: Int) throws(DatabaseError) -> DatabaseChanges {
        if server.nodeCount > 1 { return try zoneLists(since: token, limit: limit) }
        return try read(ServerNeed()).state().zoneHistory.changes(since: token, limit: limit, history)
    }

    // MARK: Zones

    func zones() throws(DatabaseError) -> [RecordZone] {
        let (state, shares) = try readZones()
        return state.zones.values.map { $0.zone.sharedAsWhole(in: shares) }
    }

    func zones(_ ids: [RecordZone.ID], _ caller: Caller) throws(DatabaseError) -> ZoneResults {
        let (state, shares) = try readZones()
        return state.zones(ids, caller).mapValues { $0.map { $0.sharedAsWhole(in: shares) } }
    }

    /// What is known of the zones, and the shares.
    private func readZones() throws(DatabaseError) -> (state: DatabaseState, shares: Snapshot) {
        var need = ServerNeed()
        if origin.scope == .private { need.shares = .all }
        let moment = try read(need)
        return (moment.state(), try moment.snapshot())
    }

    func modifyZonesSuspending(
        _ request: ZonesRequest, _ caller: Caller
    ) async throws(DatabaseError) -> ModifyZonesResult {
        try await run { () throws(DatabaseError) in try modifyZones(request, caller) }
    }

    func modifyZones(_ request: ZonesRequest, _ caller: Caller) throws(DatabaseError) -> ModifyZonesResult {
        var need = ServerNeed()
        need.zones = (request.saves.map(\.id) + request.deletes).map(caller.normalized)
        if origin.scope == .private { need.watchers = [] }
        let parts = try server.parts(of: need.zones, in: origin, isMaking: !request.saves.isEmpty)
        if parts.count > 1 { return try modifyZones(request, inParts: parts, caller) }
        let (result, told) = try server.write(origin, need) {
            moment, reading throws(DatabaseError) -> (commit: ServerCommit?, (ModifyZonesResult, ToldCommit?)) in
            let base = try ServerGround.Base(moment)
            var changes = ZoneModification(caller, origin, base.state)
            changes.isOnServer = true
            let result = changes.take(request)
            let commit = changes.commit
            let stored = commit.isEmpty ? nil : try base.stored(commit, for: self, reading)
            return (stored, (result, stored?.told(on: moment.node)))
        }
        if let told { remote.notices.follow(origin, told) }
        return result
    }
}

extension BatchPlan {
    /// The client as a server knows it: each part of a batch on one node is remembered by itself.
    var batchClient: Int { caller.client &+ request.part << 32 }

    /// The rows that deciding on the batch needs.
    func need(_ schema: ContainerSchema) -> ServerNeed {
        var need = ServerNeed()
        // Bytes of files take their time.
        need.isBrief = saves.count + deletes.count <= 100 && byteCount < 1 << 16 && heldAssets.isEmpty
        need.zones = request.zones(caller)
        // What else a batch changes is in the zones of its items, as references and parents are.
        // No zone has a name that is not ASCII, and such a one may be equal to one that is.
        need.zoneStates = .named(Set(need.zones.filter { $0.zoneName.utf8.allSatisfy { $0 < 0x80 } }))
        if origin.scope == .private { need.watchers = [] }
        need.changed = saves.map(\.id) + deletes.map(\.id)
        var (records, targets) = (Set(saves.map(\.id)), Set<Record.ID>())
        var neighbours: Set<Record.ID> = []
        for item in saves where item.failure == nil {
            // A parent in another zone fails the record, whether it is there or not.
            let parent = item.setsParent ? item.record.parent.map { caller.normalized($0.recordID) } : nil
            if let parent, parent.zoneID == item.id.zoneID { records.insert(parent) }
            for value in item.values.values {
                value.forEachReference { reference in
                    let target = caller.normalized(reference.recordID)
                    let isRequired = reference.action == .deleteSelf || caller.configuration.requiresReferenceTargets
                    // What need not be there may be where this commit cannot look.
                    if isRequired {
                        records.insert(target)
                    } else if target.zoneID == item.id.zoneID {
                        neighbours.insert(target)
                    }
                    if reference.action == .deleteSelf { targets.insert(target) }
                }
            }
        }
        addSharing(to: &need, schema)
        (need.targets, need.holderLimit) = (Array(targets), limits.ownersPerRecord)
        if !deletes.isEmpty { need.roots = deletes.map(\.id) + saves.map(\.id) }
        need.records = Array(records.union(deletes.map(\.id)))
        need.neighbours = Array(neighbours.subtracting(need.records))
        if let token = request.clientToken {
            need.batch = ServerBatch(client: batchClient, token: token, digest: sentBatch?.digest)
        }
        return need
    }

    /// Adds what tells which records are in which share, where that matters: for those who are not the owner, where
    /// shares are saved, and where records may come into one or leave it.
    private func addSharing(to need: inout ServerNeed, _ schema: ContainerSchema) {
        guard origin.scope == .private, isShared(by: schema) else { return }
        let moved = saves.filter(\.setsParent).map(\.id)
        guard concernsShares || !moved.isEmpty || !deletes.isEmpty else { return }
        need.shares = .named(Set(need.zones.filter { !$0.isDefault && $0.ownerName == RecordZone.ID.currentUserName }))
        need.leadsUp = true
        need.trees = moved.filter { !$0.zoneID.isDefault }
    }
}
