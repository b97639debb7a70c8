// Zones: making, listing, deleting.

import FoundationEssentials
import QueryExecution
public import RecordModel
import RecordStore
import Synchronization

extension Database {
    /// All zones of the database, the default one first, then by name. The shared database has the zones of other users
    /// of which the current one sees something.
    ///
    /// - Throws: `DatabaseError`.
    public func allRecordZones() async throws(DatabaseError) -> [RecordZone] {
        let storing = try beginAllZones()
        return Self.ordered(try await storing.run { () throws(DatabaseError) in try storing.zones() })
    }

    /// The zone of an identifier, with its capabilities.
    ///
    /// - Throws: `DatabaseError` of code `zoneNotFound` when there is none.
    public func recordZone(for id: RecordZone.ID) async throws(DatabaseError) -> RecordZone {
        guard let result = try await recordZones(for: [id])[id] else {
            throw DatabaseError(.internalError, "a zone was lost")
        }
        return try result.get()
    }

    /// The zones of identifiers, each or an error.
    ///
    /// - Throws: `DatabaseError` for what is wrong with the call as a whole.
    public func recordZones(
        for ids: [RecordZone.ID]
    ) async throws(DatabaseError) -> [RecordZone.ID: Result<RecordZone, DatabaseError>] {
        let (caller, storing) = try begin(.fetchZones, itemCount: ids.count)
        return try await storing.run { () throws(DatabaseError) in try storing.zones(ids, caller) }
    }

    /// Makes a zone, unless it exists.
    ///
    /// - Returns: The zone with its capabilities.
    /// - Throws: `DatabaseError` of code `badDatabase` in the public database.
    @discardableResult
    public func save(_ zone: RecordZone) async throws(DatabaseError) -> RecordZone {
        guard let result = try await modifySuspending(saving: [zone], deleting: []).saves.first else {
            throw DatabaseError(.internalError, "a zone was lost")
        }
        return try result.result.get()
    }

    /// Deletes a zone with all of its records, for good.
    ///
    /// - Throws: `DatabaseError` of code `zoneNotFound`, and `invalidArguments` for the default zone.
    @discardableResult
    public func deleteRecordZone(withID id: RecordZone.ID) async throws(DatabaseError) -> RecordZone.ID {
        try await modifySuspending(saving: [], deleting: [id]).deletes.first?.result.get()
        return id
    }

    /// Deletes a zone as its user would in the settings of a system: later uses of it fail with `userDeletedZone` until
    /// it is saved again.
    ///
    /// - Throws: `DatabaseError` as `deleteRecordZone(withID:)`.
    public func purgeRecordZone(withID id: RecordZone.ID) async throws(DatabaseError) {
        try await modifySuspending(saving: [], deleting: [id], isPurging: true).deletes.first?.result.get()
    }

    /// Makes and deletes zones, each on its own.
    ///
    /// - Returns: What became of each.
    /// - Throws: `DatabaseError` for what is wrong with the call as a whole.
    public func modifyRecordZones(
        saving zones: [RecordZone], deleting ids: [RecordZone.ID]
    ) async throws(DatabaseError) -> (
        saveResults: [RecordZone.ID: Result<RecordZone, DatabaseError>],
        deleteResults: [RecordZone.ID: Result<Void, DatabaseError>]
    ) {
        let result = try await modifySuspending(saving: zones, deleting: ids)
        return (
            Dictionary(result.saves.map { ($0.id, $0.result) }) { $1 },
            Dictionary(result.deletes.map { ($0.id, $0.result) }) { $1 }
        )
    }
}

// MARK: On this thread

/// What became of each zone of a batch, in the order of the request.
package struct ModifyZonesResult: Sendable {
    package var saves: [(id: RecordZone.ID, result: Result<RecordZone, DatabaseError>)] = []
    package var deletes: [(id: RecordZone.ID, result: Result<Void, DatabaseError>)] = []
}

extension Database {
    /// As `allRecordZones()`.
    package func fetchAllZones() throws(DatabaseError) -> [RecordZone] {
        Self.ordered(try beginAllZones().zones())
    }

    private func beginAllZones() throws(DatabaseError) -> any DatabaseStoring {
        try client.storing(scope, try beginCall(.fetchZones))
    }

    private static func ordered(_ zones: [RecordZone]) -> [RecordZone] {
        zones.sorted { a, b in
            a.id.isDefault != b.id.isDefault
                ? a.id.isDefault : (a.id.zoneName, a.id.ownerName) < (b.id.zoneName, b.id.ownerName)
        }
    }

    /// As `recordZones(for:)`.
    package func fetchZones(
        _ ids: [RecordZone.ID]
    ) throws(DatabaseError) -> [RecordZone.ID: Result<RecordZone, DatabaseError>] {
        let (caller, storing) = try begin(.fetchZones, itemCount: ids.count)
        return try storing.zones(ids, caller)
    }

    /// As `modifyRecordZones(saving:deleting:)`.
    package func modifyZones(
        saving zones: [RecordZone], deleting ids: [RecordZone.ID], isPurging: Bool = false
    ) throws(DatabaseError) -> ModifyZonesResult {
        let (caller, storing) = try begin(.modifyZones, itemCount: zones.count + ids.count, isWriting: true)
        return try storing.modifyZones(ZonesRequest(saves: zones, deletes: ids, isPurging: isPurging), caller)
    }

    /// As `modifyZones`, for a task, which is suspended meanwhile.
    package func modifySuspending(
        saving zones: [RecordZone], deleting ids: [RecordZone.ID], isPurging: Bool = false
    ) async throws(DatabaseError) -> ModifyZonesResult {
        let (caller, storing) = try begin(.modifyZones, itemCount: zones.count + ids.count, isWriting: true)
        return try await storing.modifyZonesSuspending(
            ZonesRequest(saves: zones, deletes: ids, isPurging: isPurging), caller)
    }
}

extension DatabaseState {
    /// The zones of identifiers, each or an error.
    func zones(_ ids: [RecordZone.ID], _ caller: Caller) -> ZoneResults {
        var results: ZoneResults = [:]
        for id in ids {
            do throws(DatabaseError) {
                results[id] = .success(try zone(caller.normalized(id)).zone)
            } catch {
                results[id] = .failure(error)
            }
        }
        return results
    }
}

extension LocalDatabase {
    func zones() throws(DatabaseError) -> [RecordZone] {
        stored.state.withLock { state in
            let snapshot = stored.records.snapshot
            return state.zones.values.map { $0.zone.sharedAsWhole(in: snapshot) }
        }
    }

    func zones(_ ids: [RecordZone.ID], _ caller: Caller) throws(DatabaseError) -> ZoneResults {
        stored.state.withLock { state in
            let snapshot = stored.records.snapshot
            return state.zones(ids, caller).mapValues { $0.map { $0.sharedAsWhole(in: snapshot) } }
        }
    }

    func modifyZonesSuspending(
        _ request: ZonesRequest, _ caller: Caller
    ) async throws(DatabaseError) -> ModifyZonesResult {
        try await BackgroundThread.perform { () throws(DatabaseError) in try modifyZones(request, caller) }
    }

    func modifyZones(_ request: ZonesRequest, _ caller: Caller) throws(DatabaseError) -> ModifyZonesResult {
        let result = try store.writing(to: [stored]) { group throws(DatabaseError) in
            var changes = ZoneModification(caller, stored.origin, try group.state(of: stored))
            let result = changes.take(request)
            if !changes.commit.isEmpty {
                try group.add(changes.commit, to: stored)
                try group.commit()
            }
            return result
        }
        store.events.deliver()
        store.checkpointIfNeeded()
        return result
    }
}

/// The zones that one call makes and deletes.
struct ZoneModification {
    let caller: Caller
    let scope: DatabaseScope
    let state: DatabaseState
    private(set) var commit: Commit
    /// Whether the zones are those of a server.
    var isOnServer = false
    /// The zones to save, also those that are there.
    private var saved: Set<RecordZone.ID> = []
    /// Number of the last change.
    private var change: Int64

    init(_ caller: Caller, _ origin: DatabaseOrigin, _ state: DatabaseState) {
        (self.caller, scope, self.state, change) = (caller, origin.scope, state, state.lastChange)
        commit = Commit(
            origin: origin, client: caller.client, userName: caller.userName,
            date: max(caller.configuration.clock(), state.lastDate))
    }

    /// Takes in what a call requests: what happened to each zone.
    mutating func take(_ request: ZonesRequest) -> ModifyZonesResult {
        var result = ModifyZonesResult()
        for zone in request.saves { result.saves.append((zone.id, save(zone))) }
        for id in request.deletes { result.deletes.append((id, delete(id, isPurging: request.isPurging))) }
        return result
    }

    private mutating func save(_ zone: RecordZone) -> Result<RecordZone, DatabaseError> {
        let id = caller.normalized(zone.id)
        do throws(DatabaseError) {
            try NameRules.check(id, maximumLength: caller.configuration.limits.nameLength)
            if isOnServer { try id.checkIsServed() }
            if id == .default { return .success(RecordZone(id: zone.id)) }
            try checkOwner(id)
        } catch {
            return .failure(error)
        }
        if saved.insert(id).inserted, state.zones[id.zoneName] == nil {
            change += 1
            commit.madeZones.append((id, change))
        }
        return .success(RecordZone(id: zone.id, capabilities: .ofCustomZones))
    }

    private mutating func delete(_ requested: RecordZone.ID, isPurging: Bool) -> Result<Void, DatabaseError> {
        let id = caller.normalized(requested)
        do throws(DatabaseError) {
            if id == .default {
                throw DatabaseError(.invalidArguments, "the default zone cannot be deleted", hint: "delete its records")
            }
            try checkOwner(id)
            if saved.contains(id) {
                throw DatabaseError(.invalidArguments, "the call both saves and deletes zone \(id.zoneName)")
            }
            // What was lost with its key is deleted by the application, too, before it is made again.
            if !state.resetZones.contains(id.zoneName) { _ = try state.zone(id) }
        } catch {
            return .failure(error)
        }
        if !commit.deletedZones.contains(where: { $0.id == id }) {
            change += 1
            commit.deletedZones.append((id, change, isPurging ? .purged : .deleted))
        }
        return .success(())
    }

    private func checkOwner(_ id: RecordZone.ID) throws(DatabaseError) {
        if scope == .public {
            throw DatabaseError(
                .badDatabase, "the public database has only the default zone", hint: "use the private database")
        }
        if id.ownerName != RecordZone.ID.currentUserName {
            throw DatabaseError(.permissionFailure, "the zone \(id.zoneName) belongs to another user")
        }
    }
}
