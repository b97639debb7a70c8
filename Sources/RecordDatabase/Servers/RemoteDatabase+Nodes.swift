// Requests about zones that do not change together, as those of several nodes.

import RecordModel

extension RemoteDatabase {
    /// The nodes of the records of a batch; `nil` where it is about one.
    func nodes(of request: ModifyRequest, _ caller: Caller) throws(DatabaseError) -> [Record.ID: Int32]? {
        if server.nodeCount == 1 { return nil }
        let nodes = try server.nodes(
            of: Set((request.saves.map(\.id) + request.deletes).map(caller.normalized)), in: origin)
        return Set(nodes.values).count > 1 ? nodes : nil
    }

    /// Makes a batch in parts, each about records of one node. A part that the server cannot store fails with its items
    /// alone, and so does any other once one was made.
    func modify(
        _ request: ModifyRequest, on nodes: [Record.ID: Int32], _ caller: Caller
    ) throws(DatabaseError) -> ModifyResult {
        if request.isWhole {
            throw DatabaseError(
                .badDatabase, "records on several nodes do not change together",
                hint: "use one call for each zone, and zones of their own for records that change together: "
                    + "predicate nodes tells where zones are")
        }
        try request.checkNames(caller.normalized)
        try request.checkSize(bytes: 0, caller.configuration.limits)
        let batch = BatchOverNodes(request, nodes, caller)
        var outcome = PartOutcome()
        for wave in batch.saves { try make(batch.parts(wave, outcome.partCounts), caller, &outcome) }
        // Children go before the records that they are below, wherever these are.
        var left = batch.deletes
        while !left.isEmpty {
            try make(batch.parts(left, outcome.partCounts), caller, &outcome)
            let next = outcome.blocked.intersection(left)
            if next == left { break }
            left = next
        }
        if let failure = outcome.failure, !outcome.isStored { throw failure }
        return outcome.result(request)
    }

    /// Makes parts side by side. A field that no record had has the type that the first part gives it: such parts are
    /// made one after another.
    private func make(
        _ parts: [ModifyRequest], _ caller: Caller, _ outcome: inout PartOutcome
    ) throws(DatabaseError) {
        let schema = store.schema.current
        let results: [PartResult]
        if parts.contains(where: { $0.teaches(schema) }) {
            results = parts.map { result(of: $0, caller) }
        } else {
            results = try SideBySide.run(parts) { part throws(DatabaseError) in result(of: part, caller) }
        }
        // Those that were made count, whatever became of the parts beside them.
        let areMade = results.map { (try? $0.get()) != nil }
        for isMade in [true, false] {
            for number in parts.indices where areMade[number] == isMade {
                try outcome.take(parts[number], results[number], caller)
            }
        }
    }

    private typealias PartResult = Result<ModifyResult, DatabaseError>

    private func result(of part: ModifyRequest, _ caller: Caller) -> PartResult {
        Result { () throws(DatabaseError) in try modifyTogether(part, caller) }
    }

    /// Makes and deletes zones in parts, each of zones that change together; they fail as those of batches do.
    func modifyZones(
        _ request: ZonesRequest, inParts parts: [[RecordZone.ID]], _ caller: Caller
    ) throws(DatabaseError) -> ModifyZonesResult {
        var saved: [RecordZone.ID: Result<RecordZone, DatabaseError>] = [:]
        var deleted: [RecordZone.ID: Result<Void, DatabaseError>] = [:]
        var isStored = false
        for part in parts.map(Set.init) {
            let own = ZonesRequest(
                saves: request.saves.filter { part.contains(caller.normalized($0.id)) },
                deletes: request.deletes.filter { part.contains(caller.normalized($0)) }, isPurging: request.isPurging)
            do throws(DatabaseError) {
                let result = try modifyZones(own, caller)
                for (id, outcome) in result.saves { saved[id] = outcome }
                for (id, outcome) in result.deletes { deleted[id] = outcome }
                isStored = true
            } catch {
                guard isStored || error.isOfServer || error.code == .serverResponseLost else { throw error }
                for zone in own.saves { saved[zone.id] = .failure(error) }
                for id in own.deletes { deleted[id] = .failure(error) }
            }
        }
        var result = ModifyZonesResult()
        for zone in request.saves { if let outcome = saved[zone.id] { result.saves.append((zone.id, outcome)) } }
        for id in request.deletes { if let outcome = deleted[id] { result.deletes.append((id, outcome)) } }
        return result
    }
}

extension RemoteDatabase {
    /// The zones that changed since a token, node by node: each node has numbers and a moment of its own.
    /// - Throws: `DatabaseError` of code `changeTokenExpired`, and where a node cannot be read.
    func zoneLists(since token: ChangeToken?, limit: Int) throws(DatabaseError) -> DatabaseChanges {
        guard token == nil || token?.nodes != nil, token?.incarnation == history.incarnation || token == nil else {
            throw ChangeToken.ofOtherHistory
        }
        var (positions, moreComing): ([NodePosition], Bool) = ([], false)
        var modifications: [RecordZone.ID] = []
        var deletions: [RecordZone.ID] = []
        var purges: [RecordZone.ID] = []
        var resets: [RecordZone.ID] = []
        for (node, moment) in try server.moments(origin) {
            store.follow(moment)
            let start = token?.nodes?.first { $0.node == node }.map { known in
                ChangeToken(
                    incarnation: history.incarnation, origin: origin, subject: .database, position: known.position,
                    deletionsAfter: known.deletionsAfter)
            }
            let left = max(0, limit - modifications.count - deletions.count)
            let part = try moment.state().zoneHistory.changes(since: start, limit: left, history)
            modifications += part.modifications
            deletions += part.deletions
            purges += part.purges
            resets += part.encryptedDataResets
            if part.moreComing { moreComing = true }
            positions.append(
                NodePosition(
                    node: node, position: part.changeToken.position, deletionsAfter: part.changeToken.deletionsAfter))
        }
        return DatabaseChanges(
            modifications: modifications, deletions: deletions, purges: purges, encryptedDataResets: resets,
            changeToken: ChangeToken(incarnation: history.incarnation, origin: origin, nodes: positions),
            moreComing: moreComing)
    }
}

extension ModifyRequest {
    /// The zones of the items, each once, in the order of the request.
    func zones(_ caller: Caller) -> [RecordZone.ID] {
        var zones: [RecordZone.ID] = []
        var seen: Set<RecordZone.ID> = []
        for id in saves.lazy.map(\.id) + deletes {
            let zone = caller.normalized(id).zoneID
            if seen.insert(zone).inserted { zones.append(zone) }
        }
        return zones
    }
}

extension ContainerSchema {
    /// The schema in place of another one, where there are no subscriptions.
    package func change(since earlier: ContainerSchema) -> ServerSchemaChange {
        if isOnlyLarger(than: earlier) { return ServerSchemaChange(schema: self, work: nil) }
        let demands = demands(since: earlier)
        return ServerSchemaChange(schema: self) { ground throws(DatabaseError) in try ground.check(demands) }
    }
}
