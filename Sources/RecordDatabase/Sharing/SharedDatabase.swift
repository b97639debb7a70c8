// The shared database of a user: what others share with them, where it is stored.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore
import Synchronization

/// The zones of other users of which one user sees something. It has no records of its own: those of a zone are in the
/// private database of its owner, and calls are carried out there, with what the user may see and do.
struct SharedDatabase: DatabaseStoring {
    let store: ContainerStore
    let userName: String

    var origin: DatabaseOrigin { DatabaseOrigin(container: store.identifier, scope: .shared, user: userName) }

    func run<Outcome: Sendable>(
        _ body: @escaping @Sendable () throws(DatabaseError) -> Outcome
    ) async throws(DatabaseError) -> Outcome {
        if let remote = store.remote { return try await remote.threads.perform(body) }
        return try body()
    }

    /// Runs a call that may take long, or wait for a server, on a thread that may.
    func perform<Outcome: Sendable>(
        _ body: @escaping @Sendable () throws(DatabaseError) -> Outcome
    ) async throws(DatabaseError) -> Outcome {
        if let remote = store.remote { return try await remote.threads.perform(body) }
        return try await BackgroundThread.perform(body)
    }

    /// As `perform`, for queries.
    func performQuery<Outcome: Sendable>(
        _ body: @escaping @Sendable () throws(DatabaseError) -> Outcome
    ) async throws(DatabaseError) -> Outcome {
        if let remote = store.remote { return try await remote.threads.perform(body) }
        return try await QueryThreads.shared.perform(body)
    }

    /// The database of the owner of a zone; `nil` for a zone that is not another user's.
    func part(of zoneID: RecordZone.ID) throws(DatabaseError) -> (any SharingStoring)? {
        let owner = zoneID.ownerName
        // No user has such a name, and no server takes it.
        if owner == userName || owner.utf8.contains(0) { return nil }
        if let remote = store.remote {
            let database = RemoteDatabase(store: store, remote: remote, origin: store.origin(owner))
            return try remote.server.isKnown(database.origin) ? database : nil
        }
        return store.knownPrivateDatabase(of: owner).map { LocalDatabase(store: store, stored: $0) }
    }

    /// The databases of all others that may share something with the user, in a fixed order.
    func parts() throws(DatabaseError) -> [any SharingStoring] {
        guard let remote = store.remote else {
            return store.otherPrivateDatabases(than: userName).map { LocalDatabase(store: store, stored: $0) }
        }
        return try remote.server.owners(ofSharesAcceptedBy: userName).map {
            RemoteDatabase(store: store, remote: remote, origin: store.origin($0))
        }
    }

    static func missing(_ zoneID: RecordZone.ID) -> DatabaseError {
        DatabaseError(
            .zoneNotFound, "no zone \(zoneID.zoneName) of that owner is shared with the user",
            hint: "zones of the shared database are named with their owner")
    }

    static var severalOwners: DatabaseError {
        DatabaseError(
            .invalidArguments, "records of several owners are not saved together",
            hint: "save those of each on their own")
    }

    /// Identifiers by the owners of their zones, in order of first mention.
    private func byOwner(_ zones: [RecordZone.ID]) -> [(owner: String, places: [Int])] {
        var (order, places): ([String], [String: [Int]]) = ([], [:])
        for (place, zone) in zones.enumerated() {
            if places[zone.ownerName] == nil { order.append(zone.ownerName) }
            places[zone.ownerName, default: []].append(place)
        }
        return order.map { ($0, places[$0] ?? []) }
    }

    // MARK: Records

    func fetch(_ ids: [Record.ID], _ desiredKeys: [String]?, _ caller: Caller) throws(DatabaseError) -> FetchResults {
        var results: FetchResults = [:]
        for (_, places) in byOwner(ids.map(\.zoneID)) {
            let wanted = places.map { ids[$0] }
            guard let first = wanted.first, let part = try part(of: first.zoneID) else {
                for id in wanted { results[id] = .failure(Self.missing(id.zoneID)) }
                continue
            }
            results.merge(try fetch(wanted, desiredKeys, caller, from: part)) { $1 }
        }
        return results
    }

    private func fetch(
        _ ids: [Record.ID], _ desiredKeys: [String]?, _ caller: Caller, from part: any SharingStoring
    ) throws(DatabaseError) -> FetchResults {
        let owner = part.origin.user ?? ""
        let caller = caller.visiting(owner)
        let known = ids.map(caller.normalized)
        let moment = try part.moment(for: userName, .records(known))
        let (snapshot, access) = (moment.snapshot, moment.access)
        let records = FetchedRecords(
            snapshot: snapshot, missing: [:], schema: moment.schema, caller: caller, scope: .private)
        var results = records.results(ids, known, desiredKeys, readsFiles: true) ?? [:]
        for (id, known) in zip(ids, known) {
            if access.grants(in: known.zoneID).isEmpty {
                results[id] = .failure(Self.missing(id.zoneID))
            } else if access.grant(for: known, in: snapshot) == nil {
                results[id] = .failure(DatabaseError(.unknownItem, "there is no record \(id.recordName)"))
            } else if let result = results[id] {
                results[id] = result.map { $0.seen(inZonesOf: owner, by: userName) }
            }
        }
        return results
    }

    func fetchSuspending(
        _ ids: [Record.ID], _ desiredKeys: [String]?, _ caller: Caller
    ) async throws(DatabaseError) -> FetchResults {
        try await perform { () throws(DatabaseError) in try fetch(ids, desiredKeys, caller) }
    }

    /// The parts of a batch, each of the records of one owner; `nil` for one of whom nothing is known.
    private func parts(
        of request: ModifyRequest, _ limits: Limits
    ) throws(DatabaseError) -> [(owner: String, part: (any SharingStoring)?, request: ModifyRequest)] {
        let zones = request.saves.map(\.id.zoneID) + request.deletes.map(\.zoneID)
        let owners = byOwner(zones)
        if request.isWhole, owners.count > 1 { throw Self.severalOwners }
        // Of a batch that is too large, no part is stored.
        if owners.count > 1 { try request.checkSize(bytes: request.byteCount, limits) }
        var parts: [(owner: String, part: (any SharingStoring)?, request: ModifyRequest)] = []
        for (owner, places) in owners {
            var part = request
            part.saves = places.filter { $0 < request.saves.count }.map { request.saves[$0] }
            part.deletes = places.filter { $0 >= request.saves.count }.map {
                request.deletes[$0 - request.saves.count]
            }
            let place = try places.first.flatMap { place throws(DatabaseError) in try self.part(of: zones[place]) }
            parts.append((owner, place, part))
        }
        return parts
    }

    private func failed(_ request: ModifyRequest, _ error: (RecordZone.ID) -> DatabaseError) -> ModifyResult {
        var result = ModifyResult()
        for record in request.saves { result.saves.append((record.id, .failure(error(record.id.zoneID)))) }
        for id in request.deletes { result.deletes.append((id, .failure(error(id.zoneID)))) }
        return result
    }

    /// What came of the part of an owner. What earlier parts saved stays: an error of the whole part is told of its
    /// items then.
    private func result(
        _ outcome: Result<ModifyResult?, DatabaseError>, of request: ModifyRequest, isFirst: Bool
    ) throws(DatabaseError) -> ModifyResult {
        switch outcome {
        case .success(let result): return result ?? failed(request, Self.missing)
        case .failure(let error):
            if isFirst { throw error }
            return failed(request) { _ in error }
        }
    }

    /// The results of the parts in the order of the request.
    private func joined(_ results: [(owner: String, result: ModifyResult)], _ request: ModifyRequest) -> ModifyResult {
        var saves: [Record.ID: Result<Record, DatabaseError>] = [:]
        var deletes: [Record.ID: Result<Void, DatabaseError>] = [:]
        for (owner, result) in results {
            for (id, outcome) in result.saves {
                saves[id] = outcome.map { $0.seen(inZonesOf: owner, by: userName) }
                    .mapError { $0.seen(inZonesOf: owner, by: userName) }
            }
            for (id, outcome) in result.deletes { deletes[id] = outcome }
        }
        var result = ModifyResult()
        for record in request.saves { if let outcome = saves[record.id] { result.saves.append((record.id, outcome)) } }
        var told: Set<Record.ID> = []
        for id in request.deletes where told.insert(id).inserted {
            if let outcome = deletes[id] { result.deletes.append((id, outcome)) }
        }
        return result
    }

    func modify(_ request: ModifyRequest, _ caller: Caller) throws(DatabaseError) -> ModifyResult {
        var results: [(owner: String, result: ModifyResult)] = []
        for (owner, part, request) in try parts(of: request, caller.configuration.limits) {
            let outcome = Result { () throws(DatabaseError) in try part?.modify(request, caller.visiting(owner)) }
            results.append((owner, try result(outcome, of: request, isFirst: results.isEmpty)))
        }
        return joined(results, request)
    }

    func modifySuspending(_ request: ModifyRequest, _ caller: Caller) async throws(DatabaseError) -> ModifyResult {
        if store.isRemote { return try await perform { () throws(DatabaseError) in try modify(request, caller) } }
        var results: [(owner: String, result: ModifyResult)] = []
        for (owner, part, request) in try parts(of: request, caller.configuration.limits) {
            let outcome: Result<ModifyResult?, DatabaseError>
            do throws(DatabaseError) {
                outcome = .success(try await part?.modifySuspending(request, caller.visiting(owner)))
            } catch {
                outcome = .failure(error)
            }
            results.append((owner, try result(outcome, of: request, isFirst: results.isEmpty)))
        }
        return joined(results, request)
    }

    // MARK: Queries

    func page(_ request: PageRequest, _ caller: Caller) throws(DatabaseError) -> PageMatches {
        guard let (search, owner) = try search(request, caller) else { return ([], nil) }
        let page = try search.run()
        return (
            page.matches.map { id, result in
                (id.named(inZonesOf: owner), result.map { $0.seen(inZonesOf: owner, by: userName) })
            }, page.cursor
        )
    }

    func count(_ request: PageRequest, _ caller: Caller) throws(DatabaseError) -> Int {
        try search(request, caller)?.search.count() ?? 0
    }

    /// A query on what the user may see of a zone, and the zone's owner; `nil` for one that can find nothing.
    private func search(
        _ request: PageRequest, _ caller: Caller
    ) throws(DatabaseError) -> (search: Search, owner: String)? {
        guard case .zone(let zoneID) = request.zones else {
            throw DatabaseError(
                .invalidArguments, "the shared database is queried zone by zone", hint: "name a zone with its owner")
        }
        guard let part = try part(of: zoneID) else { throw Self.missing(zoneID) }
        let owner = zoneID.ownerName
        let caller = caller.visiting(owner)
        let known = caller.normalized(zoneID)
        let shared = try part.moment(for: userName, .zone(known))
        guard let snapshot = shared.visible(in: known) else { throw Self.missing(zoneID) }
        let moment = SearchMoment(origin: origin, snapshot: snapshot, schema: shared.schema)
        return try store.search(request, caller, on: moment, in: .private).map { ($0, owner) }
    }

    func pageSuspending(_ request: PageRequest, _ caller: Caller) async throws(DatabaseError) -> PageMatches {
        try await performQuery { () throws(DatabaseError) in try page(request, caller) }
    }

    // MARK: Zones

    /// The zones of an owner of which the user sees something, as the user names them.
    private func zones(of part: any SharingStoring) throws(DatabaseError) -> [RecordZone] {
        guard let owner = part.origin.user else { return [] }
        return try part.moment(for: userName, .shares).sharedZones.map { zone in
            var seen = RecordZone(id: zone.id.named(inZonesOf: owner), capabilities: zone.capabilities)
            seen.share = zone.share.map { RecordReference(recordID: $0.recordID.named(inZonesOf: owner)) }
            return seen
        }
    }

    func zones() throws(DatabaseError) -> [RecordZone] {
        var found: [RecordZone] = []
        for part in try parts() { found += try zones(of: part) }
        return found
    }

    func zones(_ ids: [RecordZone.ID], _ caller: Caller) throws(DatabaseError) -> ZoneResults {
        var results: ZoneResults = [:]
        for id in ids {
            let all = try part(of: id).map { part throws(DatabaseError) in try zones(of: part) }
            let found = all?.first { $0.id == id }
            results[id] = found.map { .success($0) } ?? .failure(Self.missing(id))
        }
        return results
    }

    /// Zones are made by their owners. Deleting one leaves what is shared in it.
    func modifyZones(_ request: ZonesRequest, _ caller: Caller) throws(DatabaseError) -> ModifyZonesResult {
        var result = ModifyZonesResult()
        for zone in request.saves {
            let error = DatabaseError(
                .permissionFailure, "zones of the shared database are made by their owners")
            result.saves.append((zone.id, .failure(error)))
        }
        for id in request.deletes {
            do throws(DatabaseError) {
                try leave(id, caller)
                result.deletes.append((id, .success(())))
            } catch {
                result.deletes.append((id, .failure(error)))
            }
        }
        return result
    }

    private func leave(_ zoneID: RecordZone.ID, _ caller: Caller) throws(DatabaseError) {
        guard let part = try part(of: zoneID) else { throw Self.missing(zoneID) }
        let visitor = caller.visiting(zoneID.ownerName)
        let grants = try part.moment(for: userName, .shares).access.grants(in: visitor.normalized(zoneID))
        if grants.isEmpty { throw Self.missing(zoneID) }
        let result = try part.modify(
            ModifyRequest(deletes: grants.map { $0.share.id.named(inZonesOf: zoneID.ownerName) }), visitor)
        for (_, outcome) in result.deletes { try outcome.get() }
    }

    func modifyZonesSuspending(
        _ request: ZonesRequest, _ caller: Caller
    ) async throws(DatabaseError) -> ModifyZonesResult {
        try await perform { () throws(DatabaseError) in try modifyZones(request, caller) }
    }
}

extension RecordZone {
    /// The zone with the reference to its share, if it is shared as a whole.
    func sharedAsWhole(in snapshot: Snapshot) -> RecordZone {
        let id = Record.ID(NameRules.zoneShareName, zoneID: id)
        guard snapshot.share(id) != nil else { return self }
        var zone = self
        zone.share = RecordReference(recordID: id)
        return zone
    }
}

extension DatabaseState {
    /// The references of the records, read from them the first time.
    mutating func references(of snapshot: Snapshot, _ schema: ContainerSchema) -> ReferenceGraph {
        if let graph { return graph }
        let made = ReferenceGraph(of: snapshot, schema)
        graph = made
        return made
    }
}
