// Shares as rows: what finds them, who has accepted them, and what came into them or left.

package import RecordDatabase
package import RecordModel

extension CommitStatements {
    /// The statements about shares that are saved or gone, and about what came into shares or left them.
    func sharing() throws(DatabaseError) -> [Statement] {
        let gone = commit.deletions.filter { $0.type == NameRules.shareType }.map(\.id)
        var statements: [Statement] = []
        let changed = gone + commit.shares.map(\.id)
        if !changed.isEmpty {
            statements.append(
                Statement(
                    """
                    DELETE FROM participant p USING unnest($1::int4[], $2::text[]) w(z, n)
                    WHERE p.zone = w.z AND p.share = w.n
                    """, try keys(changed)))
        }
        if !gone.isEmpty {
            statements.append(
                Statement(
                    """
                    DELETE FROM share s USING unnest($1::int4[], $2::text[]) w(z, n)
                    WHERE s.zone = w.z AND s.name = w.n
                    """, try keys(gone)))
        }
        for share in commit.shares {
            let key: [Parameter] = [try number(share.id.zoneID), .text(share.id.recordName)]
            statements.append(
                Statement(
                    """
                    INSERT INTO share(zone, name, token) VALUES ($1, $2, $3)
                    ON CONFLICT (zone, name) DO UPDATE SET token = excluded.token
                    """, key + [.text(share.token)]))
            if share.participants.isEmpty { continue }
            statements.append(
                Statement(
                    "INSERT INTO participant(user_name, zone, share) SELECT u, $1, $2 FROM unnest($3::text[]) w(u)",
                    key + [.texts(share.participants)]))
        }
        return statements + (try moves())
    }

    private func moves() throws(DatabaseError) -> [Statement] {
        if commit.moves.isEmpty { return [] }
        func names(_ shares: [String?]) -> Parameter { .array(.texts, shares.map { .text($0) }) }
        var statements = [
            Statement(
                """
                INSERT INTO share_move(zone, name, change, type, from_share, to_share)
                SELECT * FROM unnest($1::int4[], $2::text[], $3::int8[], $4::text[], $5::text[], $6::text[])
                """,
                try keys(commit.moves.map(\.id)) + [
                    .int64s(commit.moves.map(\.change)), .texts(commit.moves.map(\.recordType)),
                    names(commit.moves.map(\.from)), names(commit.moves.map(\.to)),
                ])
        ]
        for zone in Set(commit.moves.map(\.id.zoneID)) where isTimeToForget {
            statements.append(
                Statement(
                    """
                    WITH kept AS (SELECT count(*) AS n FROM share_move WHERE zone = $1),
                    old AS (SELECT change FROM share_move WHERE zone = $1 AND (SELECT n FROM kept) - $2 > $2 / 2 + 1
                      ORDER BY change DESC OFFSET $2 LIMIT 1),
                    gone AS (DELETE FROM share_move WHERE zone = $1 AND change <= (SELECT change FROM old))
                    UPDATE zone SET moves_forgotten = (SELECT change FROM old)
                    WHERE number = $1 AND EXISTS (SELECT 1 FROM old)
                    """, [try number(zone), .int64(Int64(max(0, commit.deletionsKept)))]))
        }
        return statements
    }
}

extension MomentReader {
    /// The statements that give shares and the records of whole zones.
    func shareStatements(_ need: ServerNeed, _ types: [String]) -> [Statement] {
        var statements: [Statement] = []
        switch need.shares {
        case .all where types.contains(NameRules.shareType):
            statements.append(Statement(selection(of: NameRules.shareType, "z.database = $1"), [number]))
        case .named(let zones) where types.contains(NameRules.shareType):
            statements.append(Statement(selection(of: NameRules.shareType, Self.inZones), inZones(Array(zones))))
        default: break
        }
        if !need.wholeZones.isEmpty {
            let parameters = inZones(need.wholeZones)
            for type in types { statements.append(Statement(selection(of: type, Self.inZones), parameters)) }
        }
        return statements
    }

    private static let inZones = "z.database = $1 AND z.name = ANY($2)"

    /// Zones of others are none of this database.
    private func inZones(_ zones: [RecordZone.ID]) -> [Parameter] {
        let own = zones.filter { $0.isStorable && $0.ownerName == RecordZone.ID.currentUserName }
        return [number, .texts(own.map(\.zoneName))]
    }

    /// The statement that gives what is below records.
    func statement(forTrees roots: [Record.ID]) -> Statement {
        let roots = roots.filter(\.isStorable)
        return Statement(
            """
            WITH RECURSIVE below(zone, name) AS (
              SELECT z.number, w.n COLLATE "C" FROM unnest($1::text[], $2::text[]) w(n, z)
              JOIN zone z ON z.database = $3 AND z.name = w.z
              UNION SELECT l.zone, l.holder FROM link l JOIN below b ON l.zone = b.zone AND l.target = b.name
              WHERE l.kind = 2)
            SELECT z.name, l.target, l.kind, l.holder, l.holder_type, NULL::int8, false FROM below b
            JOIN link l ON l.zone = b.zone AND l.target = b.name AND l.kind = 2 JOIN zone z ON z.number = l.zone
            """, [.texts(roots.map(\.recordName)), .texts(roots.map(\.zoneID.zoneName)), number])
    }

    /// The statement that gives what came into shares and left them.
    func statement(forMoves zones: [RecordZone.ID]) -> Statement {
        Statement(
            """
            SELECT z.name, m.name, m.type, m.from_share, m.to_share, m.change FROM share_move m
            JOIN zone z ON z.number = m.zone WHERE \(Self.inZones) ORDER BY m.change
            """, inZones(zones))
    }

    static func moves(_ rows: RowSet) throws(CallError) -> [ShareMove] {
        var moves: [ShareMove] = []
        for row in 0..<rows.count {
            guard let zone = rows.text(row, 0), let name = rows.text(row, 1), let type = rows.text(row, 2),
                let change = rows.int64(row, 5)
            else { throw damaged }
            moves.append(
                ShareMove(
                    id: Record.ID(name, zoneID: RecordZone.ID(zone)), recordType: type, from: rows.text(row, 3),
                    to: rows.text(row, 4), change: change))
        }
        return moves
    }
}

extension PostgreSQLContainer {
    package func share(withToken token: String) throws(DatabaseError) -> (owner: String, id: Record.ID)? {
        if token.utf8.contains(0) { return nil }
        let statement = Statement(
            """
            SELECT d.owner, z.name, s.name FROM share s JOIN zone z ON z.number = s.zone
            JOIN database d ON d.number = z.database WHERE s.token = $1
            """, [.text(token)])
        guard let rows = try rows(statement), let owner = rows.text(0, 0), let zone = rows.text(0, 1),
            let name = rows.text(0, 2)
        else { return nil }
        return (owner, Record.ID(name, zoneID: RecordZone.ID(zone)))
    }

    package func sharers(of userName: String) throws(DatabaseError) -> [ServerSharer] {
        let statement = Statement(
            """
            SELECT d.owner, d.last_change FROM database d WHERE d.number IN (SELECT z.database FROM participant p
            JOIN zone z ON z.number = p.zone WHERE p.user_name = $1) ORDER BY d.owner
            """, [.text(userName)])
        guard let rows = try rows(statement) else { return [] }
        return (0..<rows.count).compactMap { row in
            guard let owner = rows.text(row, 0), let change = rows.int64(row, 1) else { return nil }
            return ServerSharer(owner: owner, lastChange: change)
        }
    }

    package func isKnown(_ origin: DatabaseOrigin) throws(DatabaseError) -> Bool {
        if knownNumber(of: origin) != nil { return true }
        let statement = Statement(
            "SELECT number FROM database WHERE scope = $1 AND owner = $2",
            [.int32(Int32(origin.scope.rawValue)), .text(origin.user ?? "")])
        return try rows(statement)?.int64(0, 0) != nil
    }

    private func rows(_ statement: Statement) throws(DatabaseError) -> RowSet? {
        try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in try connection.call([statement]).first }
        }
    }
}
