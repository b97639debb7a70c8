// Rows that are read at once for several commits that wait.

import RecordDatabase
import RecordModel

/// The records and zones that commits need, as they are after the commits that were made since.
struct ReadAhead: Sendable {
    private var base: MomentReader.Read
    private let records: Set<Record.ID>
    private let watchers: Set<String>?
    private let zones: ServerNeed.Zones
    /// Records that are others by now.
    private var changed: Set<Record.ID> = []
    /// Whether a commit did more than to save records.
    private var isOver = false

    init(_ read: MomentReader.Read, _ need: ServerNeed) {
        (base, records, watchers, zones) = (read, Set(need.records), need.watchers, need.zoneStates)
    }

    /// What the first of several commits needs, together with what others do; `nil` where it needs more than records.
    static func need(_ need: ServerNeed, _ others: [ServerNeed]) -> ServerNeed? {
        guard need.isOfRecordsAlone else { return nil }
        let suited = others.filter { $0.isOfRecordsAlone && $0.watchers == need.watchers }
        if suited.isEmpty { return nil }
        var all = need
        all.records = Array(Set(([need] + suited).flatMap { $0.records + $0.neighbours }))
        all.neighbours = []
        all.zoneStates = suited.reduce(need.zoneStates) { $0.union($1.zoneStates) }
        return all
    }

    /// What a commit needs; `nil` where that has to be read.
    func read(_ need: ServerNeed) -> MomentReader.Read? {
        guard !isOver, need.isOfRecordsAlone, need.watchers == watchers, zones.isSuperset(of: need.zoneStates)
        else { return nil }
        let ids = Set(need.records + need.neighbours)
        guard ids.isSubset(of: records), ids.isDisjoint(with: changed) else { return nil }
        var read = base
        read.moment.rows.removeAll { !ids.contains($0.id) }
        return read
    }

    /// Takes in what a commit changes.
    mutating func note(_ commit: ServerCommit) {
        guard commit.isPlain, commit.deletions.isEmpty, commit.batch == nil else {
            isOver = true
            return
        }
        (base.moment.lastChange, base.moment.lastDate) = (commit.lastChange, commit.date)
        var last: [String: Int64] = [:]
        for (row, _) in commit.saves {
            changed.insert(row.id)
            last[row.id.zoneID.zoneName] = max(last[row.id.zoneID.zoneName] ?? 0, row.change)
        }
        for (place, zone) in base.moment.zones.enumerated() {
            if let change = last[zone.name] { base.moment.zones[place] = zone.changed(change) }
        }
    }
}

extension ServerZone {
    fileprivate func changed(_ change: Int64) -> ServerZone {
        var zone = ServerZone(
            name: name, made: made, lastChange: change, forgottenThrough: forgottenThrough, clientToken: clientToken)
        (zone.movesForgottenThrough, zone.nodeChange) = (movesForgottenThrough, nodeChange)
        return zone
    }
}
