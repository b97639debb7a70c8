// What changed in the shared database of a user since a moment.
//
// A user may see several shares of a zone, and come by them at different times. A token tells for each share how far
// its reader has come. What a reader was given and sees no more is a deletion.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore
import Synchronization

/// How far a reader of changes has come in one share.
struct SharePosition: Hashable, Sendable, Codable {
    /// The zone as the reader names it.
    let zoneID: RecordZone.ID
    /// Number of the change that made the zone.
    let made: Int64
    /// The name of the share, and the change by which the reader accepted it.
    let share: String
    let acceptance: Int64
    /// Number of the last change that the reader has seen.
    var position: Int64 = 0
    /// Deletions up to this change concern records that the reader was never given.
    var deletionsAfter: Int64

    /// Whether both are of one share that was accepted once.
    func continues(_ other: SharePosition) -> Bool {
        zoneID == other.zoneID && made == other.made && share == other.share && acceptance == other.acceptance
    }
}

extension SharedDatabase {
    func changesSuspending(
        _ request: ZoneChangesRequest, _ caller: Caller
    ) async throws(DatabaseError) -> RecordZoneChanges {
        try await performQuery { () throws(DatabaseError) in try changes(request, caller) }
    }

    func changes(_ request: ZoneChangesRequest, _ caller: Caller) throws(DatabaseError) -> RecordZoneChanges {
        let zoneID = request.requested
        guard let part = try part(of: zoneID) else { throw Self.missing(zoneID) }
        let known = caller.visiting(zoneID.ownerName).normalized(zoneID)
        let stretch = SharedStretch(positions: request.token?.shares ?? [], limit: request.limit)
        return try part.moment(for: userName, .changes(known, stretch)).changes(in: known, request, origin)
    }

    func zoneList(since token: ChangeToken?, limit: Int) throws(DatabaseError) -> DatabaseChanges {
        if let token, token.incarnation != store.incarnation { throw ChangeToken.ofOtherHistory }
        var positions = token?.shares ?? []
        var changed: [RecordZone.ID] = []
        var seen: Set<RecordZone.ID> = []
        var next: [[SharePosition]] = []
        for part in try parts() {
            let moment = try part.moment(for: userName, .shares)
            for zoneID in moment.access.zoneIDs.sorted(by: { $0.zoneName < $1.zoneName }) {
                let now = moment.starts(in: zoneID, known: positions)
                guard let named = now.first?.position.zoneID else { continue }
                seen.insert(named)
                let known = positions.filter { $0.zoneID == named }
                if try hasChanged(zoneID, now, known, part, moment) {
                    changed.append(named)
                    next.append(now.map { moment.finished($0.position) })
                }
            }
        }
        let lost = Set(positions.map(\.zoneID)).subtracting(seen).sorted {
            ($0.ownerName, $0.zoneName) < ($1.ownerName, $1.zoneName)
        }
        let deletions = Array(lost.prefix(limit))
        let modifications = Array(changed.prefix(limit - deletions.count))
        positions.removeAll { deletions.contains($0.zoneID) || modifications.contains($0.zoneID) }
        for zone in next.prefix(modifications.count) { positions += zone }
        var changes = DatabaseChanges(
            modifications: modifications, deletions: deletions, changeToken: makeToken(.database, positions))
        changes.moreComing = deletions.count + modifications.count < lost.count + changed.count
        return changes
    }

    /// Whether a reader is to be told of a zone of an owner.
    private func hasChanged(
        _ zoneID: RecordZone.ID, _ now: [SharedMoment.Start], _ known: [SharePosition], _ part: any SharingStoring,
        _ moment: SharedMoment
    ) throws(DatabaseError) -> Bool {
        guard known.count == now.count, now.allSatisfy({ start in known.contains(start.position) }) else { return true }
        if !moment.isTouched(zoneID, since: now) { return false }
        // A moment of shares has no graph of what is below what. One entry is enough.
        let later = try part.moment(for: userName, .changes(zoneID, SharedStretch(positions: known, limit: 1)))
        return later.hasEntries(later.starts(in: zoneID, known: known), in: zoneID)
    }

    private func makeToken(_ subject: ChangeToken.Subject, _ shares: [SharePosition]) -> ChangeToken {
        ChangeToken(incarnation: store.incarnation, origin: origin, subject: subject, shares: shares)
    }
}

/// What a participant sees of a database at one moment.
struct SharedMoment {
    let access: SharedAccess
    let schema: ContainerSchema
    /// The records of the database, or those of it that were needed.
    let snapshot: Snapshot
    private let owner: String
    private var incarnation: String?
    private let zones: [String: ZoneState]
    private let graph: ReferenceGraph
    private let lastChange: Int64
    private let userName: String
    /// Numbers of the last changes by then, node by node, of a database on servers.
    var versions: [Int32: Int64] = [:]

    /// - Parameter hasGraph: Whether it matters which records are below others.
    init(
        _ stored: StoredDatabase, _ userName: String, _ schema: ContainerSchema, _ incarnation: String?,
        hasGraph: Bool = true
    ) {
        (self.schema, self.incarnation, self.userName) = (schema, incarnation, userName)
        owner = stored.origin.user ?? ""
        (snapshot, access, zones, graph, lastChange) = stored.state.withLock { state in
            let snapshot = stored.records.snapshot
            let access = SharedAccess(of: userName, in: snapshot)
            // The references are of use only where something is seen.
            let graph = access.grants.isEmpty || !hasGraph ? ReferenceGraph() : state.references(of: snapshot, schema)
            return (snapshot, access, state.zones, graph, state.lastChange)
        }
    }

    /// What a participant sees of records and a state that nobody else sees yet, or that a server gave.
    init(_ records: Snapshot, _ state: DatabaseState, of owner: String, _ userName: String, _ schema: ContainerSchema) {
        (snapshot, self.schema, self.userName, self.owner) = (records, schema, userName, owner)
        access = SharedAccess(of: userName, in: records)
        (zones, graph, lastChange) = (state.zones, state.graph ?? ReferenceGraph(), state.lastChange)
    }

    /// The moment as one of a history of changes.
    func inHistory(of incarnation: String) -> SharedMoment {
        var moment = self
        moment.incarnation = incarnation
        return moment
    }

    /// The records, as the participant names them.
    var seen: Snapshot { snapshot.seen(by: access, inZonesOf: owner, graph) }

    /// A record, as the participant names it; nothing where it is not seen.
    func seen(_ id: Record.ID) -> Snapshot {
        guard access.grant(for: id, in: snapshot) != nil, case let address?? = snapshot.find([id]).first else {
            return Snapshot(joining: [])
        }
        return snapshot.restricted(to: [address]).seen(inZonesOf: owner)
    }

    /// The zones of which the participant sees something, as their owner names them.
    var sharedZones: [RecordZone] {
        access.zoneIDs.compactMap { zones[$0.zoneName]?.zone.sharedAsWhole(in: snapshot) }
    }

    /// The records of a zone that the participant sees; `nil` where that is nothing.
    func visible(in zoneID: RecordZone.ID) -> Snapshot? {
        access.grants(in: zoneID).isEmpty ? nil : snapshot.visible(to: access, in: zoneID, graph)
    }

    /// A share and how far its reader has come.
    typealias Start = (grant: SharedAccess.Grant, position: SharePosition)

    /// A record or a deletion to tell of.
    private enum Entry {
        case saved(RowAddress)
        case gone(Record.ID, type: String)
    }

    /// Where the reader goes on in each share of a zone; at the first record in one that is new to the reader.
    func starts(in zoneID: RecordZone.ID, known: [SharePosition]) -> [Start] {
        guard let zone = zones[zoneID.zoneName] else { return [] }
        return access.grants(in: zoneID).map { grant in
            let fresh = SharePosition(
                zoneID: zoneID.named(inZonesOf: owner), made: zone.made, share: grant.share.id.recordName,
                acceptance: grant.acceptance, deletionsAfter: zone.nodeChange ?? lastChange)
            return (grant, known.first { $0.continues(fresh) } ?? fresh)
        }
    }

    /// The position of a reader who has seen all there is.
    func finished(_ position: SharePosition) -> SharePosition {
        var finished = position
        let last = zones[position.zoneID.zoneName]?.nodeChange ?? lastChange
        (finished.position, finished.deletionsAfter) = (last, 0)
        return finished
    }

    /// Whether there was a change of a zone that a reader has not seen, whatever it was.
    func isTouched(_ zoneID: RecordZone.ID, since now: [Start]) -> Bool {
        guard let zone = zones[zoneID.zoneName] else { return false }
        return now.contains { zone.lastChange > $0.position.position }
    }

    /// Whether there is something to tell of a zone, or was before it was forgotten.
    func hasEntries(_ starts: [Start], in zoneID: RecordZone.ID) -> Bool {
        guard let zone = zones[zoneID.zoneName] else { return false }
        return starts.contains { hasForgotten($0.position, zone) } || !entries(of: starts, in: zone).isEmpty
    }

    /// The records saved and gone since the positions, by the numbers of their changes.
    ///
    /// - Complexity: O(records of the shares + deletions that the zone remembers).
    private func entries(of starts: [Start], in zone: ZoneState) -> [(change: Int64, entry: Entry)] {
        var entries: [(change: Int64, entry: Entry)] = []
        var gone: [String: (change: Int64, type: String)] = [:]
        var present: Set<String> = []
        for (grant, start) in starts {
            let isWhole = grant.rootID == nil
            let moves = isWhole ? (in: [:], out: [:]) : zone.moves.last(of: start.share)
            for address in grant.members(in: snapshot, graph) {
                let segment = snapshot.segments[address.segment].segment
                let name = segment.names.string(address.row)
                if !isWhole { present.insert(name) }
                let change = max(segment.change(address.row) ?? 0, moves.in[name]?.change ?? 0)
                if change > start.position { entries.append((change, .saved(address))) }
            }
            let known = max(start.position, start.deletionsAfter)
            if isWhole {
                for deletion in zone.deletions(after: known, limit: .max) {
                    gone[deletion.recordName] = (deletion.change, deletion.recordType)
                }
            }
            for (name, move) in moves.out where move.change > known {
                gone[name] = (max(move.change, gone[name]?.change ?? 0), move.recordType)
            }
        }
        for (name, deletion) in gone where !present.contains(name) {
            entries.append((deletion.change, .gone(Record.ID(name, zoneID: zone.id), type: deletion.type)))
        }
        return entries.sorted { $0.change < $1.change }
    }

    /// The changes of a zone.
    /// - Throws: `DatabaseError` of codes `zoneNotFound`, `invalidArguments` and `changeTokenExpired`.
    func changes(
        in zoneID: RecordZone.ID, _ request: ZoneChangesRequest, _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> RecordZoneChanges {
        let known = try positions(of: request, origin)
        let starts = starts(in: zoneID, known: known)
        guard let zone = zones[zoneID.zoneName], !starts.isEmpty else {
            throw SharedDatabase.missing(request.requested)
        }
        guard known.allSatisfy({ old in starts.contains { $0.position.continues(old) } }) else {
            throw DatabaseError(
                .changeTokenExpired, "the user sees less of the zone than before",
                hint: "drop what is cached and start without a token")
        }
        if known.contains(where: { hasForgotten($0, zone) }) {
            throw DatabaseError(
                .changeTokenExpired, "the deletions since the token are no longer known",
                hint: "drop what is cached and start without a token")
        }
        let entries = entries(of: starts, in: zone)
        let page = entries.prefix(request.limit)
        let isLast = page.count == entries.count
        let positions = starts.map { start -> SharePosition in
            if isLast { return finished(start.position) }
            var position = start.position
            position.position = max(position.position, page.last?.change ?? 0)
            return position
        }
        return changes(page.map(\.entry), request, isLast: isLast) {
            ChangeToken(
                incarnation: incarnation, origin: origin, subject: .zone(request.requested, made: zone.made),
                shares: positions)
        }
    }

    /// Whether deletions that a reader has not seen may be forgotten.
    private func hasForgotten(_ reader: SharePosition, _ zone: ZoneState) -> Bool {
        let forgotten =
            reader.share == NameRules.zoneShareName ? zone.forgottenThrough : zone.moves.forgottenThrough
        return max(reader.position, reader.deletionsAfter) < forgotten
    }

    private func positions(
        of request: ZoneChangesRequest, _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> [SharePosition] {
        guard let token = request.token else { return [] }
        guard token.origin == origin, case .zone(request.requested, _) = token.subject else {
            throw DatabaseError(.invalidArguments, "the token is of another zone or database")
        }
        try token.check(isOf: incarnation, upTo: lastChange)
        return token.shares ?? []
    }

    private func changes(
        _ entries: [Entry], _ request: ZoneChangesRequest, isLast: Bool, _ token: () -> ChangeToken
    ) -> RecordZoneChanges {
        var rows = ResultRows(snapshot, desiredKeys: request.desiredKeys)
        var opener = RecordOpener(request.keys)
        var changes = RecordZoneChanges(changeToken: token())
        changes.moreComing = !isLast
        for entry in entries {
            switch entry {
            case .saved(let address):
                let segment = snapshot.segments[address.segment].segment
                let id = Record.ID(segment.names.string(address.row), zoneID: request.requested)
                let version = rows.version(segment: address.segment, row: address.row)
                let result = Database.result(id, version, schema.recordTypes[segment.recordType]?.facts, &opener)
                changes.modifications.append((id, result.map { $0.seen(inZonesOf: owner, by: userName) }))
            case .gone(let id, let type):
                changes.deletions.append(
                    RecordDeletion(recordID: id.named(inZonesOf: owner), recordType: type))
            }
        }
        return changes
    }
}
