// Requests about zones that do not change together, as those of several nodes.

import RecordModel

extension RemoteDatabase {
    /// The records of a batch by what changes together, in the order of the request.
    func parts(of request: ModifyRequest, _ caller: Caller) throws(DatabaseError) -> [Set<Record.ID>] {
        if server.nodeCount == 1 { return [] }
        let ids = (request.saves.map(\.id) + request.deletes).map(caller.normalized)
        let nodes = try server.nodes(of: Set(ids), in: origin)
        var (parts, order): ([Int32: Set<Record.ID>], [Int32]) = ([:], [])
        for id in ids {
            let node = nodes[id] ?? 0
            if parts[node] == nil { order.append(node) }
            parts[node, default: []].insert(id)
        }
        return order.compactMap { parts[$0] }
    }

    /// Fails records whose owners or parents are on other nodes: those do not delete together.
    func failApart(_ plan: inout BatchPlan) throws(DatabaseError) {
        if server.nodeCount == 1 { return }
        let links = plan.saves.indices.map { plan.owners($0).filter { $0.zoneID.isDefault } }
        var ids = Set(links.joined())
        if ids.isEmpty { return }
        ids.formUnion(plan.saves.map(\.id))
        let nodes = try server.nodes(of: ids, in: origin)
        for (index, owners) in zip(plan.saves.indices, links) where plan.saves[index].failure == nil {
            let id = plan.saves[index].id
            guard id.zoneID.isDefault, let owner = owners.first(where: { nodes[$0] != nodes[id] }) else { continue }
            plan.saves[index].failure = ItemFailure(
                DatabaseError(
                    .badDatabase,
                    "record \(id.recordName) and its owner or parent \(owner.recordName) are on different nodes, "
                        + "which do not delete together",
                    hint: "use a reference without an action, or a zone of their own, which is on one node"))
        }
    }

    /// Parts in an order in which records come before those that must find them, as far as there is one.
    private func inOrder(
        _ parts: [Set<Record.ID>], _ request: ModifyRequest, _ caller: Caller
    ) -> [Set<Record.ID>] {
        guard caller.configuration.requiresReferenceTargets else { return parts }
        var targets: [Record.ID: Set<Record.ID>] = [:]
        for record in request.saves {
            for value in record.fields.values {
                value.forEachReference { reference in
                    targets[caller.normalized(record.id), default: []].insert(caller.normalized(reference.recordID))
                }
            }
        }
        let saved = Set(request.saves.map { caller.normalized($0.id) })
        var (left, ordered) = (parts, [Set<Record.ID>]())
        while !left.isEmpty {
            let waiting = left.reduce(into: Set<Record.ID>()) { $0.formUnion($1) }.intersection(saved)
            let next = left.firstIndex { part in
                part.allSatisfy { targets[$0]?.subtracting(part).isDisjoint(with: waiting) ?? true }
            }
            ordered.append(left.remove(at: next ?? 0))
        }
        return ordered
    }

    /// Makes a batch in parts, each about records that change together. A part that the server cannot store fails with
    /// its items alone.
    func modify(
        _ request: ModifyRequest, inParts parts: [Set<Record.ID>], _ caller: Caller
    ) throws(DatabaseError) -> ModifyResult {
        if request.isWhole {
            throw DatabaseError(
                .badDatabase, "records on several nodes do not change together",
                hint: "use one call for each zone, and zones of their own for records that change together: "
                    + "predicate nodes tells where zones are")
        }
        try request.checkNames(caller.normalized)
        try request.checkSize(bytes: 0, caller.configuration.limits)
        var saved: [Record.ID: Result<Record, DatabaseError>] = [:]
        var deleted: [Record.ID: Result<Void, DatabaseError>] = [:]
        var (failure, isStored): (DatabaseError?, Bool) = (nil, false)
        for part in inOrder(parts, request, caller) {
            var own = request
            own.saves = request.saves.filter { part.contains(caller.normalized($0.id)) }
            own.deletes = request.deletes.filter { part.contains(caller.normalized($0)) }
            do throws(DatabaseError) {
                let result = try modify(own, caller)
                for (id, outcome) in result.saves { saved[id] = outcome }
                for (id, outcome) in result.deletes { deleted[id] = outcome }
                isStored = true
            } catch {
                guard error.isOfServer || error.code == .serverResponseLost else { throw error }
                for record in own.saves { saved[record.id] = .failure(error) }
                for id in own.deletes { deleted[id] = .failure(error) }
                failure = error
            }
        }
        if let failure, !isStored { throw failure }
        var result = ModifyResult()
        for record in request.saves { if let outcome = saved[record.id] { result.saves.append((record.id, outcome)) } }
        // A record that is named twice is deleted once.
        for id in request.deletes {
            if let outcome = deleted.removeValue(forKey: id) { result.deletes.append((id, outcome)) }
        }
        return result
    }

    /// Makes and deletes zones in parts, each of zones that change together.
    func modifyZones(
        _ request: ZonesRequest, inParts parts: [[RecordZone.ID]], _ caller: Caller
    ) throws(DatabaseError) -> ModifyZonesResult {
        var saved: [RecordZone.ID: Result<RecordZone, DatabaseError>] = [:]
        var deleted: [RecordZone.ID: Result<Void, DatabaseError>] = [:]
        for part in parts.map(Set.init) {
            let own = ZonesRequest(
                saves: request.saves.filter { part.contains($0.id) }, deletes: request.deletes.filter(part.contains),
                isPurging: request.isPurging)
            do throws(DatabaseError) {
                let result = try modifyZones(own, caller)
                for (id, outcome) in result.saves { saved[id] = outcome }
                for (id, outcome) in result.deletes { deleted[id] = outcome }
            } catch {
                guard error.isOfServer || error.code == .serverResponseLost else { throw error }
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

    /// Checks that no commit on one node depends on the records of others.
    /// - Throws: `DatabaseError` of code `badDatabase`.
    package func checkSuitsNodes() throws(DatabaseError) {
        for (name, type) in recordTypes.sorted(by: { $0.key < $1.key }) where !type.uniqueKeys.isEmpty {
            throw DatabaseError(
                .badDatabase, "type \(name) has UNIQUE fields, which several nodes do not check together",
                hint: "use the value as the record's name, which is unique in its zone")
        }
    }
}
