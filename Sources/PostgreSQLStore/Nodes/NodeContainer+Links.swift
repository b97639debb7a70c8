// Links between nodes: records that go with one of another node, or are below it.

package import RecordDatabase
package import RecordModel

/// What the nodes of targets know of the links of a commit that is being made.
struct LinkMarks {
    /// How long a link that is not held yet is relied on: nobody takes it for one that its saver left behind.
    private static let patience: Duration = .seconds(20)

    /// Links that nodes have for this commit.
    private var noted: [(link: ServerLink, date: ContinuousClock.Instant)] = []
    /// Targets that may have as many holders as they may have at all.
    var crowded: Set<Record.ID> = []
    /// Those that the commit holds, and those that it releases.
    var held: [ServerLink] = []
    var released: [ServerLink] = []

    mutating func note(_ links: [ServerLink]) {
        let now = ContinuousClock.now
        noted += links.map { ($0, now) }
    }

    /// A link with its mark, if its target's node has it.
    func marked(_ link: ServerLink) -> ServerLink? {
        let start = ContinuousClock.now - Self.patience
        return noted.last { $0.link.unmarked == link.unmarked && $0.date > start }?.link
    }

    /// The links that no record holds any more after the commit.
    var left: [ServerLink] {
        let kept = Set(held.map(\.key))
        return noted.map(\.link).filter { !kept.contains($0.key) } + released
    }

    /// The links of a commit that was not made.
    var all: [ServerLink] { noted.map(\.link) }
}

extension NodeContainer {
    // MARK: What a commit depends on

    /// Adds to what the node of a commit gives what others have of it: records, and who goes with those that may go.
    ///
    /// - Parameters:
    ///   - apart: Records of other nodes.
    ///   - crowded: Targets on other nodes whose holders are to be counted.
    func complete(
        _ moment: inout ServerMoment, _ need: ServerNeed, apart: [Record.ID], crowded: Set<Record.ID>,
        _ origin: DatabaseOrigin
    ) throws(DatabaseError) {
        if !apart.isEmpty || !crowded.isEmpty {
            var more = ServerNeed()
            (more.records, more.targets, more.zoneStates) = (apart, Array(crowded), .named([]))
            let found = try read(origin, more, beside: moment)
            moment.rows += found.rows
            moment.apart = Set(found.rows.map(\.id))
            moment.links += found.links
        }
        let open = moment.links.filter { $0.mark != nil }
        if open.isEmpty { return }
        moment.targetsApart = Set(open.map(\.target))
        if need.roots.isEmpty, !moment.isCrowded(need.holderLimit) { return }
        try follow(open, &moment, isDeleting: !need.roots.isEmpty, origin)
    }

    /// Leaves those links that records hold, with the links of the records that go with them. A child that may be
    /// about to be saved counts.
    private func follow(
        _ open: [ServerLink], _ moment: inout ServerMoment, isDeleting: Bool, _ origin: DatabaseOrigin
    ) throws(DatabaseError) {
        var (open, links) = (open, moment.links.filter { $0.mark == nil })
        var seen = Set(moment.links.map(\.key))
        var known: Set<Record.ID> = []
        while !open.isEmpty {
            var more = ServerNeed()
            (more.heldBy, more.zoneStates) = (Array(Set(open.map(\.holder))), .named([]))
            if isDeleting { more.roots = Array(Set(open.lazy.filter(\.isOwning).map(\.holder)).subtracting(known)) }
            known.formUnion(more.roots)
            let found = try read(origin, more, beside: moment)
            let held = Set(found.heldLinks.map(\.key))
            links += open.filter { held.contains($0.key) || !$0.isOwning && $0.isFresh }
            let new = found.links.filter { seen.insert($0.key).inserted }
            links += new.filter { $0.mark == nil }
            open = new.filter { $0.mark != nil }
        }
        moment.links = links
    }

    // MARK: Before and after a commit

    /// Divides the links of a commit into those of its node and those between nodes.
    ///
    /// - Parameter targets: Records of which other nodes have holders or children.
    /// - Returns: Links that the nodes of their targets have to have before.
    func divideLinks(
        of commit: inout ServerCommit, _ marks: inout LinkMarks, at home: Int32, targets: Set<Record.ID>,
        _ reading: any ServerReading, _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> [ServerLink] {
        commit.linksApart.ended = commit.deletions.map(\.id).filter(targets.contains)
        let ids = (commit.addedLinks + commit.removedLinks).lazy.map(\.target).filter(\.zoneID.isDefault)
        let nodes = try placement.nodes(of: Set(ids), in: origin)
        func isApart(_ link: ServerLink) -> Bool { nodes[link.target].map { $0 != home } ?? false }
        let (added, removed) = (commit.addedLinks.filter(isApart), commit.removedLinks.filter(isApart))
        commit.addedLinks.removeAll(where: isApart)
        commit.removedLinks.removeAll(where: isApart)
        marks.held = added.compactMap(marks.marked)
        if marks.held.count < added.count { return added.filter { marks.marked($0) == nil } }
        marks.released = []
        if !removed.isEmpty {
            var need = ServerNeed()
            (need.heldBy, need.zoneStates) = (Array(Set(removed.map(\.holder))), .named([]))
            let gone = Set(removed.map(\.unmarked))
            marks.released = try reading.read(need).heldLinks.filter { gone.contains($0.unmarked) }
        }
        (commit.linksApart.held, commit.linksApart.released) = (marks.held, marks.released)
        return []
    }

    /// Has the nodes of targets know of links whose holders are about to be saved. Targets that are gone, or have too
    /// many holders, get none: whoever decides on the commit finds that then.
    ///
    /// - Parameter limit: How many holders a record may have.
    func note(
        _ links: [ServerLink], _ marks: inout LinkMarks, limit: Int, _ origin: DatabaseOrigin
    ) throws(DatabaseError) {
        let marked = links.map { link in
            var link = link
            link.mark = .random(in: .min ... .max)
            return link
        }
        for (number, links) in try byNode(marked, origin) {
            var need = Self.need(toStore: links)
            need.records = Array(Set(links.map(\.target)))
            need.targets = need.records
            let made = try node(number).call { container throws(DatabaseError) in
                try container.write(origin, need) { moment, _ throws(DatabaseError) in
                    let found = Self.accepted(links, at: moment, limit)
                    var commit = ServerCommit(ofLinksAt: moment)
                    commit.linksApart.noted = found.accepted
                    return (found.accepted.isEmpty ? nil : commit, found)
                }
            }
            marks.note(made.accepted)
            marks.crowded.formUnion(made.crowded)
        }
    }

    /// What a commit to the node of their targets needs that stores links between nodes, or takes them away.
    private static func need(toStore links: [ServerLink]) -> ServerNeed {
        var need = ServerNeed()
        need.zoneStates = .named(Set(links.map(\.target.zoneID)))
        return need
    }

    private static func accepted(
        _ links: [ServerLink], at moment: ServerMoment, _ limit: Int
    ) -> (accepted: [ServerLink], crowded: Set<Record.ID>) {
        let present = Set(moment.rows.lazy.map(\.id))
        var holders: [Record.ID: Set<Record.ID>] = [:]
        for link in moment.links + links where link.isOwning { holders[link.target, default: []].insert(link.holder) }
        let crowded = Set(holders.lazy.filter { $0.value.count > limit }.map(\.key))
        let accepted = links.filter { present.contains($0.target) && !($0.isOwning && crowded.contains($0.target)) }
        return (accepted, crowded)
    }

    /// Has the nodes of targets forget links that no record holds, and tries until they have. Nobody depends on it: a
    /// link is looked for at its holder where it matters.
    func forget(_ links: [ServerLink], _ origin: DatabaseOrigin) {
        if links.isEmpty { return }
        do throws(DatabaseError) { try change(links, origin) { $0.forgotten = $1 } } catch {
            endings.run { [self] () throws(DatabaseError) in try change(links, origin) { $0.forgotten = $1 } }
        }
    }

    private func change(
        _ links: [ServerLink], _ origin: DatabaseOrigin, _ body: (inout LinksApart, [ServerLink]) -> Void
    ) throws(DatabaseError) {
        for (number, links) in try byNode(links, origin) {
            try node(number).call { container throws(DatabaseError) in
                try container.write(origin, Self.need(toStore: links)) { moment, _ throws(DatabaseError) in
                    var commit = ServerCommit(ofLinksAt: moment)
                    body(&commit.linksApart, links)
                    return (commit, ())
                }
            }
        }
    }

    /// Links by the nodes of their targets.
    private func byNode(
        _ links: [ServerLink], _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> [(node: Int32, links: [ServerLink])] {
        let nodes = try placement.nodes(of: Set(links.map(\.target)), in: origin)
        return Dictionary(grouping: links) { nodes[$0.target] ?? 0 }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }

    // MARK: When targets are gone

    package func endedLinks(
        _ origin: DatabaseOrigin, of targets: Set<Record.ID>?
    ) throws(DatabaseError) -> [ServerLink] {
        guard let targets else {
            // A node that is down keeps nobody from the links of others.
            return try SideBySide.run(nodes) { node throws(DatabaseError) in
                let found = try? node.call { container throws(DatabaseError) in
                    try container.endedLinks(origin, at: nil)
                }
                return found ?? []
            }.flatMap(\.self)
        }
        let nodes = try placement.nodes(of: targets, in: origin)
        let parts = Dictionary(grouping: targets) { nodes[$0] ?? 0 }.sorted { $0.key < $1.key }
        return try SideBySide.run(parts) { [self] part throws(DatabaseError) in
            try node(part.key).call { container throws(DatabaseError) in
                try container.endedLinks(origin, at: part.value)
            }
        }.flatMap(\.self)
    }

    package func forgetEnded(_ links: [ServerLink], _ origin: DatabaseOrigin) throws(DatabaseError) {
        if !links.isEmpty { try change(links, origin) { $0.settled = $1 } }
    }
}

extension ServerCommit {
    /// A commit that changes no record.
    init(ofLinksAt moment: ServerMoment) {
        self.init(userName: nil, client: 0, date: moment.lastDate, after: moment.lastChange, deletionsKept: 0)
    }
}

extension ServerMoment {
    /// Whether some record has as many holders as it may have, if all links are held.
    fileprivate func isCrowded(_ limit: Int) -> Bool {
        if links.count < limit { return false }
        var counts: [Record.ID: Int] = [:]
        for link in links where link.isOwning { counts[link.target, default: 0] += 1 }
        return counts.values.contains { $0 >= limit }
    }
}
