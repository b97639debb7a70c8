// Values that one record of a database alone may have, on whichever node it is.
//
// A node checks its own records when it commits. For those of others there are claims: a value has its place on a node,
// which knows the records that have it. A commit looks there, under the lock of its own node, and is made where its
// record has a claim and no record of another node has one. A claim of a record is removed under the lock of that
// record's node alone, and only where the record does not have the value: so whoever has a value has a claim, and of
// two records on different nodes one at most is saved. A claim that its saver left behind is found to be nobody's.

import RecordDatabase
import RecordModel

extension NodeContainer {
    /// The node of a value: values are shared out as the records of the default zone are.
    private func byNode<Element>(
        _ elements: some Sequence<Element>, _ digest: (Element) -> [UInt8], _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> [(node: Int32, elements: [Element])] {
        let places = try placement.places(of: [.default], in: origin, placesDefaults: true)
        let numbers = places[.default]?.nodes ?? [0]
        let groups = Dictionary(grouping: elements) { element in
            let number = digest(element).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return numbers[Int(number % UInt64(numbers.count))]
        }
        return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// All claims of values.
    private func claims(
        of digests: Set<[UInt8]>, _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> [ValueClaim] {
        let parts = try byNode(digests, { $0 }, origin)
        return try SideBySide.run(parts) { [self] part throws(DatabaseError) in
            try node(part.node).call { container throws(DatabaseError) in
                try container.claims(of: Set(part.elements))
            }
        }.flatMap(\.self)
    }

    /// Adds claims of records that are stored, or about to be.
    func add(_ claims: some Collection<ValueClaim>, _ origin: DatabaseOrigin) throws(DatabaseError) {
        if claims.isEmpty { return }
        for (number, claims) in try byNode(claims, \.digest, origin) {
            try node(number).call { container throws(DatabaseError) in try container.add(claims) }
        }
    }

    private func remove(_ claims: [ValueClaim], _ origin: DatabaseOrigin) throws(DatabaseError) {
        if claims.isEmpty { return }
        for (number, claims) in try byNode(claims, \.digest, origin) {
            try node(number).call { container throws(DatabaseError) in try container.remove(claims) }
        }
    }

    // MARK: A commit

    /// The claims of a commit that it cannot rest on yet: its node does not know whether it may. Called under the lock
    /// of the node, whose own records were looked at.
    ///
    /// - Parameter earlier: Records of the node as they are before, as far as they were read.
    func unsettledClaims(
        of commit: ServerCommit, _ schema: ContainerSchema, at home: Int32, earlier: [Record.ID: ServerRow],
        _ marks: inout ClaimMarks, _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> [ValueClaim] {
        (marks.held, marks.left) = ([], [])
        guard schema.hasUniqueFields else { return [] }
        var wanted: Set<ValueClaim> = []
        for (row, isNew) in commit.saves {
            let now = row.claims(schema, in: origin)
            let before = isNew ? [] : earlier[row.id]?.claims(schema, in: origin) ?? []
            marks.held.formUnion(now)
            marks.left.formUnion(before.subtracting(now))
            wanted.formUnion(now.subtracting(before))
        }
        for deletion in commit.deletions {
            marks.left.formUnion(earlier[deletion.id]?.claims(schema, in: origin) ?? [])
        }
        if wanted.isEmpty { return [] }
        let found = try claims(of: Set(wanted.map(\.digest)), origin)
        let nodes = try placement.nodes(of: Set(found.map(\.holder)), in: origin)
        let others = Set(found.lazy.filter { nodes[$0.holder] != home }.map(\.digest))
        return wanted.subtracting(found).union(wanted.filter { others.contains($0.digest) }).sorted {
            ($0.holder.recordName, $0.holder.zoneID.zoneName) < ($1.holder.recordName, $1.holder.zoneID.zoneName)
        }
    }

    /// Looks which records of other nodes have values that records of a node are to have, and adds claims of those
    /// that nobody has. No lock is held.
    func settle(
        _ wanted: [ValueClaim], at home: Int32, _ marks: inout ClaimMarks, _ origin: DatabaseOrigin
    ) throws(DatabaseError) {
        let found = try claims(of: Set(wanted.map(\.digest)), origin)
        let nodes = try placement.nodes(of: Set(found.map(\.holder)), in: origin)
        let others = Dictionary(grouping: found.filter { nodes[$0.holder] != home }) { nodes[$0.holder] ?? 0 }
        var taken: Set<[UInt8]> = []
        for (number, claims) in others.sorted(by: { $0.key < $1.key }) {
            let held = try removeUnheld(claims, at: number, origin)
            for row in held.rows { marks.rivals[row.id] = row }
            taken.formUnion(held.claims.map(\.digest))
        }
        let free = wanted.filter { !taken.contains($0.digest) }
        try add(free, origin)
        marks.added.formUnion(free)
    }

    /// Removes the claims of records of a node that do not have the values.
    ///
    /// - Returns: The others, and the records.
    @discardableResult
    func removeUnheld(
        _ claims: some Collection<ValueClaim>, at number: Int32, _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> (claims: [ValueClaim], rows: [ServerRow]) {
        if claims.isEmpty { return ([], []) }
        var need = ServerNeed()
        need.records = Array(Set(claims.map(\.holder)))
        return try node(number).call { container throws(DatabaseError) in
            try container.write(origin, need) { moment, _ throws(DatabaseError) in
                var held: Set<ValueClaim> = []
                for row in moment.rows { held.formUnion(row.claims(moment.schema, in: origin)) }
                // Under the lock of the records: nobody is about to store one of the values.
                try remove(claims.filter { !held.contains($0) }, origin)
                let kept = claims.filter(held.contains)
                let holders = Set(kept.map(\.holder))
                return (nil, (Array(kept), moment.rows.filter { holders.contains($0.id) }))
            }
        }
    }
}
