// Requests about zones that do not change together, as those of several nodes.

import RecordModel

extension RemoteDatabase {
    /// Makes a batch in parts, each about zones that change together. A part that the server cannot store fails with
    /// its items alone.
    func modify(
        _ request: ModifyRequest, inParts parts: [[RecordZone.ID]], _ caller: Caller
    ) throws(DatabaseError) -> ModifyResult {
        if request.isWhole {
            throw DatabaseError(
                .badDatabase, "zones on several nodes do not change together",
                hint: "use one call for each zone: predicate nodes tells where zones are")
        }
        try request.checkNames(caller.normalized)
        try request.checkSize(bytes: 0, caller.configuration.limits)
        var saved: [Record.ID: Result<Record, DatabaseError>] = [:]
        var deleted: [Record.ID: Result<Void, DatabaseError>] = [:]
        var (failure, isStored): (DatabaseError?, Bool) = (nil, false)
        for part in parts.map(Set.init) {
            var own = request
            own.saves = request.saves.filter { part.contains(caller.normalized($0.id).zoneID) }
            own.deletes = request.deletes.filter { part.contains(caller.normalized($0).zoneID) }
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
        for id in request.deletes { if let outcome = deleted[id] { result.deletes.append((id, outcome)) } }
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
