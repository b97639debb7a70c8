// Where records are in shares before and after a batch.

import RecordColumns
import RecordModel
import RecordStore

/// The records and references that a batch is planned on.
struct SharingMoment {
    let snapshot: Snapshot
    let graph: ReferenceGraph

    init(_ snapshot: Snapshot, _ graph: ReferenceGraph) { (self.snapshot, self.graph) = (snapshot, graph) }
}

extension BatchPlan {
    /// The record above one after the batch.
    func parentAfter(_ id: Record.ID, _ moment: SharingMoment) -> Record.ID? {
        if let change = graph.changes[id] { return change.new.parent }
        return moment.snapshot.parent(of: id)
    }

    /// Fails shares and moved records by which a record would be in two shares.
    mutating func checkNesting(_ moment: SharingMoment) {
        let moved = graph.changes.contains { $0.value.old.parent != $0.value.new.parent }
        guard moved || saves.contains(where: { $0.isShare && $0.stored == nil }) else { return }
        let shares = sharesAfter(moment.snapshot)
        var roots: [Record.ID: Record.ID] = [:]
        for share in shares { if let root = share.root { roots[root] = share.id } }
        if roots.isEmpty { return }
        for (root, share) in roots {
            var (chain, next) = ([root], parentAfter(root, moment))
            while let current = next, !chain.contains(current) {
                chain.append(current)
                if let other = roots[current] {
                    failNested([share, other], chain)
                    break
                }
                next = parentAfter(current, moment)
            }
        }
    }

    /// Fails what puts a share into another one: a new share, or a record that was moved.
    private mutating func failNested(_ shares: [Record.ID], _ chain: [Record.ID]) {
        let error = DatabaseError(
            .alreadyShared, "a record would be part of two shares",
            hint: "share \(shares[0].recordName) or \(shares[1].recordName)")
        let index =
            saves.firstIndex { $0.failure == nil && $0.stored == nil && shares.contains($0.id) }
            ?? saves.firstIndex { $0.failure == nil && chain.contains($0.id) && graph.changes[$0.id] != nil }
        if let index { saves[index].failure = ItemFailure(error) }
    }

    // MARK: The commit

    /// Adds what follows for shares: their roots name them, participants leave, and records that come in or go out are
    /// remembered.
    ///
    /// - Parameter change: Number of the last change of the commit so far.
    func addSharing(to commit: inout Commit, _ moment: SharingMoment, _ change: Int64) {
        guard origin.scope == .private else { return }
        var change = change
        linkRoots(in: &commit, moment, &change)
        leave(in: &commit, moment.snapshot, &change)
        addMoves(to: &commit, moment, &change)
    }

    private func linkRoots(in commit: inout Commit, _ moment: SharingMoment, _ change: inout Int64) {
        var links: [(root: Record.ID, share: RecordReference?)] = []
        let gone = Set(deleted)
        for id in deleted {
            guard let root = moment.snapshot.share(id)?.rootID, !gone.contains(root) else { continue }
            links.append((root, nil))
        }
        for save in commit.saves where save.isNew && save.type == NameRules.shareType {
            guard case .reference(let root)? = save.fields[NameRules.ShareKey.root] else { continue }
            links.append((root.recordID, RecordReference(recordID: save.id)))
        }
        for (root, share) in links {
            if let position = commit.saves.firstIndex(where: { $0.id == root }) {
                commit.saves[position].share = .some(share)
            } else if let found = moment.snapshot.find(root) {
                change += 1
                commit.saves.append(
                    Commit.Save(
                        id: root, type: found.segment.recordType, fields: [:], isNew: false, change: change,
                        parent: nil, share: .some(share)))
            }
        }
    }

    private func leave(in commit: inout Commit, _ snapshot: Snapshot, _ change: inout Int64) {
        guard let userName = caller.userName else { return }
        for item in deletes where item.failure == nil && item.effect == .leaves {
            guard let share = snapshot.share(item.id) else { continue }
            change += 1
            commit.saves.append(share.save(share.participants(without: userName), change: change))
        }
    }

    private func addMoves(to commit: inout Commit, _ moment: SharingMoment, _ change: inout Int64) {
        let after = sharesAfter(moment.snapshot)
        // Those that begin or end with this batch have no participant who had to be told.
        let lasting = moment.snapshot.shares.filter { share in after.contains { $0.id == share.id } }
        var roots: [Record.ID: String] = [:]
        for share in lasting { if let root = share.rootID { roots[root] = share.id.recordName } }
        if roots.isEmpty { return }
        func share(of id: Record.ID, _ parent: (Record.ID) -> Record.ID?) -> String? {
            var (next, seen): (Record.ID?, Set<Record.ID>) = (id, [])
            while let current = next, seen.insert(current).inserted {
                if let share = roots[current] { return share }
                next = parent(current)
            }
            return nil
        }
        for deletion in commit.deletions {
            guard let from = share(of: deletion.id, { moment.snapshot.parent(of: $0) }) else { continue }
            commit.sharing.moves.append(
                ShareMove(
                    id: deletion.id, recordType: deletion.type, from: from, to: nil, change: deletion.change))
        }
        let gone = Set(deleted)
        for id in movedRecords(moment) where !gone.contains(id) {
            guard let found = moment.snapshot.find(id) else { continue }
            let from = share(of: id) { moment.snapshot.parent(of: $0) }
            let to = share(of: id) { parentAfter($0, moment) }
            if from == to { continue }
            change += 1
            commit.sharing.moves.append(
                ShareMove(id: id, recordType: found.segment.recordType, from: from, to: to, change: change))
        }
    }

    /// The stored records that are below another one after the batch, with all below them.
    private func movedRecords(_ moment: SharingMoment) -> [Record.ID] {
        var order = graph.changes.filter { $0.value.old.parent != $0.value.new.parent }.map(\.key)
            .sorted { $0.recordName < $1.recordName }
        var (seen, next) = (Set(order), 0)
        while next < order.count {
            let children = graph.children(of: order[next], in: moment.graph).sorted { $0.recordName < $1.recordName }
            for child in children where seen.insert(child).inserted { order.append(child) }
            next += 1
        }
        return order
    }
}

extension StoredShare {
    /// The share with other participants.
    func save(_ participants: [Share.Participant], change: Int64) -> Commit.Save {
        Commit.Save(
            id: id, type: NameRules.shareType,
            fields: [NameRules.ShareKey.participants: .list(participants.map { .string($0.text) })], isNew: false,
            change: change, parent: nil)
    }
}
