// Which records have, or are about to have, a value that one alone may have: rows of the table `claim`.

import RecordDatabase
import RecordModel

/// That a record has a value, or several together, that no other may have, or is about to.
struct ValueClaim: Hashable, Sendable {
    /// What stands for the type, the fields and the values.
    let digest: [UInt8]
    let holder: Record.ID
}

extension ServerRow {
    /// The claims that the record rests on.
    func claims(_ schema: ContainerSchema, in origin: DatabaseOrigin) -> Set<ValueClaim> {
        Set(uniqueDigests(schema, in: origin).map { ValueClaim(digest: $0, holder: id) })
    }
}

/// What the claims of a commit that is being made have come to.
struct ClaimMarks {
    /// Those that were added for it.
    var added: Set<ValueClaim> = []
    /// Those that its records have, and those of values that they give up.
    var held: Set<ValueClaim> = []
    var left: Set<ValueClaim> = []
    /// Records of other nodes that have such values.
    var rivals: [Record.ID: ServerRow] = [:]

    /// Those that no record may have any more, where the commit was made or not.
    func released(isStored: Bool) -> Set<ValueClaim> { isStored ? left.union(added.subtracting(held)) : added }
}

extension PostgreSQLContainer {
    /// The claims of values.
    func claims(of digests: Set<[UInt8]>) throws(DatabaseError) -> [ValueClaim] {
        let select = Statement(
            "SELECT digest, zone, name FROM claim WHERE digest = ANY($1)",
            [.array(.bytesList, digests.map { .bytes($0) })])
        return try runAside(select) { rows throws(CallError) in
            var found: [ValueClaim] = []
            for row in 0..<rows.count {
                guard let digest = rows.bytes(row, 0), let zone = rows.text(row, 1), let name = rows.text(row, 2)
                else { throw MomentReader.damaged }
                found.append(ValueClaim(digest: digest, holder: Record.ID(name, zoneID: RecordZone.ID(zone))))
            }
            return found
        }
    }

    /// Adds claims, which count at once.
    func add(_ claims: [ValueClaim]) throws(DatabaseError) {
        try runAside(Self.addition(of: claims)) { _ throws(CallError) in }
    }

    /// The statement that adds claims.
    static func addition(of claims: [ValueClaim]) -> Statement {
        Statement("INSERT INTO claim SELECT * FROM \(unnested) ON CONFLICT DO NOTHING", parameters(claims))
    }

    /// Removes claims, at once.
    func remove(_ claims: [ValueClaim]) throws(DatabaseError) {
        try runAside(
            Statement(
                """
                DELETE FROM claim c USING \(Self.unnested) w(d, z, n)
                WHERE c.digest = w.d AND c.zone = w.z AND c.name = w.n
                """, Self.parameters(claims))
        ) { _ throws(CallError) in }
    }

    private static let unnested = "unnest($1::bytea[], $2::text[], $3::text[])"

    private static func parameters(_ claims: [ValueClaim]) -> [Parameter] {
        [
            .array(.bytesList, claims.map { .bytes($0.digest) }), .texts(claims.map(\.holder.zoneID.zoneName)),
            .texts(claims.map(\.holder.recordName)),
        ]
    }

    /// Runs a statement in a transaction of its own: whoever does so may have another one open, also here.
    private func runAside<Outcome>(
        _ statement: Statement, _ take: (RowSet) throws(CallError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        try retrying { () throws(CallError) in
            try withConnection(of: assetPool) { connection throws(CallError) in
                guard let rows = try connection.call([statement]).last else { throw MomentReader.damaged }
                return try take(rows)
            }
        }
    }
}
