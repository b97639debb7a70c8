// Databases on servers as those use them with whom something of them is shared.

import FoundationEssentials
import RecordModel
import RecordStore

extension RemoteDatabase: SharingStoring {
    func moment(for userName: String, _ part: SharedPart) throws(DatabaseError) -> SharedMoment {
        if !part.hasGraph { return try moment(try read(Self.need(part)), userName) }
        guard case .all = part else { return try members(of: part, userName) }
        let versions = try versions()
        var moment = try members(of: part, userName)
        moment.versions = versions
        return moment
    }

    func isCurrent(_ moment: SharedMoment) throws(DatabaseError) -> Bool { try versions() == moment.versions }

    /// Numbers of the last changes by now, node by node.
    private func versions() throws(DatabaseError) -> [Int32: Int64] {
        Dictionary(try server.moments(origin).map { ($0.node, $0.moment.lastChange) }) { $1 }
    }

    /// What a user sees of rows.
    func moment(_ moment: ServerMoment, _ userName: String) throws(DatabaseError) -> SharedMoment {
        SharedMoment(
            try moment.snapshot(), moment.state(), of: origin.user ?? "", userName, moment.schema
        ).inHistory(of: server.incarnation)
    }

    private func members(of part: SharedPart, _ userName: String) throws(DatabaseError) -> SharedMoment {
        try server.reading(origin) { first, reading throws(DatabaseError) in
            store.follow(first)
            return try moment(try rows(of: part, for: userName, reading), userName)
        }
    }

    /// The shares, then the records that those give sight of, all of one moment.
    func rows(
        of part: SharedPart, for userName: String, _ reading: any ServerReading
    ) throws(DatabaseError) -> ServerMoment {
        var known = try reading.read(Self.need(part))
        if !part.hasGraph { return known }
        let seen = try moment(known, userName)
        if !seen.access.grants.isEmpty { known.add(try reading.read(Self.need(part, seen))) }
        return known
    }

    /// What is needed first.
    private static func need(_ part: SharedPart) -> ServerNeed {
        var need = ServerNeed()
        switch part {
        case .shares, .all: need.shares = .all
        case .records(let ids):
            need.shares = .named(Set(ids.map(\.zoneID)))
            (need.records, need.leadsUp) = (ids, true)
        case .zone(let zoneID), .changes(let zoneID, _): need.shares = .named([zoneID])
        }
        return need
    }

    /// What gives the records that a user sees.
    private static func need(_ part: SharedPart, _ seen: SharedMoment) -> ServerNeed {
        var need = ServerNeed()
        need.moves = Array(seen.access.zoneIDs)
        for grant in seen.access.grants {
            if let root = grant.rootID {
                need.trees.append(root)
            } else if case .changes(let zoneID, let stretch) = part {
                // A zone is shared as a whole, or its records are.
                let start = seen.starts(in: zoneID, known: stretch.positions).first?.position
                let position = start?.position ?? 0
                need.changes = ServerChanges(
                    zoneID: zoneID, position: position, deletionsAfter: max(position, start?.deletionsAfter ?? 0),
                    limit: stretch.limit)
            } else {
                need.wholeZones.append(grant.zoneID)
            }
        }
        return need
    }

    func accept(_ acceptance: ShareAcceptance) throws(DatabaseError) -> Record? {
        typealias Accepted = (record: Record?, commit: Commit?, schema: ContainerSchema, told: ToldCommit?)
        var need = ServerNeed()
        need.records = [acceptance.shareID]
        (need.changed, need.zones) = (need.records, [acceptance.shareID.zoneID])
        need.watchers = [acceptance.userName]
        let accepted = try server.write(origin, need) {
            moment, reading throws(DatabaseError) -> (commit: ServerCommit?, outcome: Accepted) in
            let base = try ServerGround.Base(moment)
            guard let commit = try acceptance.commit(on: base.records, base.state) else {
                return (nil, (base.records.share(acceptance.shareID)?.record, nil, moment.schema, nil))
            }
            let stored = try base.stored(commit, for: self, reading)
            var after = moment
            after.rows = stored.saves.map(\.row)
            let record = try after.snapshot().share(acceptance.shareID)?.record
            return (stored, (record, commit, moment.schema, stored.told(on: moment.node)))
        }
        finish((nil, accepted.commit, accepted.schema, accepted.told, []))
        return accepted.record
    }
}

extension ServerMoment {
    /// Adds what else was read at the moment.
    fileprivate mutating func add(_ more: ServerMoment) {
        let known = Set(rows.map(\.id))
        rows += more.rows.filter { !known.contains($0.id) }
        links += more.links
        (moves, deletions) = (more.moves, more.deletions)
    }
}

extension ContainerStore {
    /// The share that a URL leads to.
    func share(
        withToken token: String, on remote: RemoteStore
    ) throws(DatabaseError) -> (database: any SharingStoring, owner: String, share: StoredShare)? {
        guard let (owner, id) = try remote.server.share(withToken: token) else { return nil }
        let database = RemoteDatabase(store: self, remote: remote, origin: origin(owner))
        var need = ServerNeed()
        need.records = [id]
        // It may be gone by now.
        guard let share = try database.read(need).snapshot().share(id), share.token == token else { return nil }
        return (database, owner, share)
    }
}
