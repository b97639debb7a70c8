// Records that go with one of another node, or are below it.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore
import Synchronization

extension ServerGround.Base {
    /// The targets of links between nodes that a commit makes, and those that it deletes.
    ///
    /// Who saves a record looks at its target again, and who deletes one at its holders: one of the two sees the other.
    func targetsApart(of commit: ServerCommit, in database: RemoteDatabase) throws(DatabaseError) -> Set<Record.ID> {
        if database.server.nodeCount == 1 { return [] }
        let deleted = moment.targetsApart.intersection(commit.deletions.map(\.id))
        let added = Set(commit.addedLinks.lazy.map(\.target).filter(\.zoneID.isDefault))
        if added.isEmpty { return deleted }
        let nodes = try database.server.nodes(of: added, in: database.origin)
        return deleted.union(added.filter { nodes[$0] != moment.node })
    }
}

extension RemoteDatabase {
    /// Has records go with those that they held on to on other nodes, after a commit. What a node does not do now is
    /// done soon, or by whoever commits later.
    func endHolders(of targets: Set<Record.ID>, _ caller: Caller) {
        if server.nodeCount == 1 { return }
        if !targets.isEmpty {
            let left = end(of: targets, caller)
            if !left.isEmpty { remote.leftHolders.add(self, left, caller) }
        }
        remote.leftHolders.atMostOnceAMinute(origin) { _ = end(of: nil, caller) }
    }

    /// - Parameter targets: Records that were deleted; `nil` for all that were a minute ago.
    /// - Returns: Those among them, and among the records that went with them, that have to be looked at again.
    fileprivate func end(of targets: Set<Record.ID>?, _ caller: Caller) -> Set<Record.ID> {
        var (next, known, isDone) = (targets, targets ?? [], true)
        repeat {
            do throws(DatabaseError) {
                let links = try server.endedLinks(origin, of: next)
                let nodes = try server.nodes(of: Set(links.map(\.holder)), in: origin)
                next = []
                for (_, links) in Dictionary(grouping: links, by: { nodes[$0.holder] ?? 0 }) {
                    do throws(DatabaseError) { next?.formUnion(try end(links, caller)) } catch { isDone = false }
                }
            } catch {
                (next, isDone) = ([], false)
            }
            known.formUnion(next ?? [])
        } while next?.isEmpty == false
        return isDone ? [] : known
    }

    /// Deletes the holders of links to deleted records, and takes their parents from children, where they still have
    /// the link. A link without its holder is forgotten after a minute: until then somebody may be about to save it.
    ///
    /// - Parameter links: Their holders are on one node.
    /// - Returns: Records that were deleted, of which other nodes have holders.
    private func end(_ links: [ServerLink], _ caller: Caller) throws(DatabaseError) -> Set<Record.ID> {
        var need = ServerNeed()
        need.changed = Array(Set(links.map(\.holder)))
        (need.roots, need.records, need.heldBy) = (need.changed, need.changed, need.changed)
        need.zoneStates = .named(Set(need.changed.map(\.zoneID)))
        typealias Ended = (held: Set<ServerLink>, written: Written, next: Set<Record.ID>)
        let ended = try server.write(origin, need) {
            moment, reading throws(DatabaseError) -> (commit: ServerCommit?, outcome: Ended) in
            let held = Set(moment.heldLinks.map(\.key)).intersection(links.map(\.key))
            let base = try ServerGround.Base(moment)
            var plan = BatchPlan(
                request(ending: held, on: base.records), caller, origin: origin, assets: store.assets)
            (plan.followsTargets, plan.apart) = (true, moment.apart)
            let commit = plan.resolve(
                on: base.records, base.state, moment.schema, date: caller.configuration.clock())
            guard !commit.isEmpty else { return (nil, (held, (nil, nil, moment.schema, nil, []), [])) }
            let stored = try base.stored(commit, for: self, reading)
            let next = moment.targetsApart.intersection(stored.deletions.map(\.id))
            return (stored, (held, (nil, commit, moment.schema, stored.told(on: moment.node), []), next))
        }
        finish(ended.written)
        try server.forgetEnded(links.filter { ended.held.contains($0.key) || !$0.isFresh }, origin)
        return ended.next
    }

    private func request(ending links: Set<ServerLink>, on records: Snapshot) -> ModifyRequest {
        var request = ModifyRequest(policy: .changedKeys)
        request.isLimited = false
        request.deletes = Array(Set(links.lazy.filter(\.isOwning).map(\.holder)))
        for id in Set(links.lazy.filter { !$0.isOwning }.map(\.holder)).subtracting(request.deletes) {
            guard let found = records.find(id) else { continue }
            var record = Record(type: found.segment.recordType, id: id)
            record.setParent(nil)
            request.saves.append(record)
        }
        return request
    }
}

/// What of records that have to go with others is not done yet. May be used from any thread.
final class LeftHolders: Sendable {
    private struct Left: Sendable {
        let database: RemoteDatabase
        let targets: Set<Record.ID>
        let caller: Caller
    }

    private static let pause: Duration = .seconds(60)
    /// Databases that are remembered at most.
    private static let capacity = 10_000

    private let left = Mutex<[Left]>([])
    private let work = WokenWork(pause: 0)
    /// When this process last looked for what others left, by database.
    private let looks = Mutex<[DatabaseOrigin: ContinuousClock.Instant]>([:])

    /// Has records looked at again until it is done.
    func add(_ database: RemoteDatabase, _ targets: Set<Record.ID>, _ caller: Caller) {
        left.withLock { $0.append(Left(database: database, targets: targets, caller: caller)) }
        work.wake { [self] in attempt() }
    }

    /// Does work on a thread of its own, unless it was done within a minute.
    func atMostOnceAMinute(_ origin: DatabaseOrigin, _ work: @escaping @Sendable () -> Void) {
        let now = ContinuousClock.now
        let isDue = looks.withLock { looks in
            if let last = looks[origin], now - last < Self.pause { return false }
            if looks.count >= Self.capacity { looks = [:] }
            looks[origin] = now
            return true
        }
        if isDue { _ = BackgroundThread.run(work) }
    }

    /// Ends all of it.
    func end() {
        work.end()
        left.withLock { $0 = [] }
    }

    private func attempt() -> WokenWork.Outcome {
        let taken = left.withLock { left in
            defer { left = [] }
            return left
        }
        let open = taken.compactMap { item in
            let targets = item.database.end(of: item.targets, item.caller)
            return targets.isEmpty ? nil : Left(database: item.database, targets: targets, caller: item.caller)
        }
        left.withLock { $0 += open }
        return open.isEmpty ? .done : .again
    }
}
