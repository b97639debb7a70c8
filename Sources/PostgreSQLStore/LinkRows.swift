// References that matter when records are deleted, as rows of the server.

import RecordDatabase
import RecordModel

/// The statements that give links, and what they give.
enum LinkRows {
    private static let columns = "z.name, l.target, l.kind, l.holder"

    /// The links to records, to those that would go with them, and so on, and the owning ones to some more.
    static func statement(
        fromRoots roots: [Record.ID], andTargets targets: [Record.ID], _ database: Parameter
    ) -> Statement {
        let named = "unnest($3::text[], $4::text[]) w(n, z) JOIN zone z ON z.database = $5 AND z.name = w.z"
        let (near, apart) = (
            "\(columns), l.holder_type, NULL::int8, false", "\(columns), l.holder_type, l.mark, \(isFresh)"
        )
        return Statement(
            """
            WITH RECURSIVE gone(zone, name) AS (
              SELECT z.number, w.n COLLATE "C" FROM unnest($1::text[], $2::text[]) w(n, z)
              JOIN zone z ON z.database = $5 AND z.name = w.z
              UNION SELECT l.zone, l.holder FROM link l JOIN gone g ON l.zone = g.zone AND l.target = g.name
              WHERE l.kind = 1)
            SELECT \(near) FROM gone g
            JOIN link l ON l.zone = g.zone AND l.target = g.name JOIN zone z ON z.number = l.zone
            UNION SELECT \(apart) FROM gone g
            JOIN link_apart l ON l.zone = g.zone AND l.target = g.name JOIN zone z ON z.number = l.zone
            UNION SELECT \(near) FROM \(named) JOIN link l ON l.zone = z.number AND l.target = w.n AND l.kind = 1
            UNION SELECT \(apart) FROM \(named) JOIN link_apart l ON l.zone = z.number AND l.target = w.n AND l.kind = 1
            """,
            [
                .texts(roots.map(\.recordName)), .texts(roots.map(\.zoneID.zoneName)),
                .texts(targets.map(\.recordName)), .texts(targets.map(\.zoneID.zoneName)), database,
            ])
    }

    /// Whether the saver of a link's holder may be at work.
    private static let isFresh = "l.made > now() - interval '1 minute'"

    /// The links of records to those of other nodes.
    static func statement(heldBy holders: [Record.ID], _ database: Parameter) -> Statement {
        let holders = holders.filter(\.isStorable)
        return Statement(
            """
            SELECT \(columns), '', l.mark, false FROM unnest($1::text[], $2::text[]) w(n, z)
            JOIN zone z ON z.database = $3 AND z.name = w.z JOIN held_link l ON l.zone = z.number AND l.holder = w.n
            """, [.texts(holders.map(\.recordName)), .texts(holders.map(\.zoneID.zoneName)), database])
    }

    /// The links to records that were deleted; to whichever where none is named, but those of the last minute.
    static func statement(endedAt targets: [Record.ID]?, _ database: Parameter) -> Statement {
        let from = "FROM pending_deletion l JOIN zone z ON z.number = l.zone AND z.database = $1"
        guard let targets else {
            return Statement(
                "SELECT \(columns), '', l.mark, false \(from) WHERE NOT \(isFresh) ORDER BY l.made LIMIT 1000",
                [database])
        }
        return Statement(
            """
            SELECT \(columns), '', l.mark, \(isFresh) \(from)
            JOIN unnest($2::text[], $3::text[]) w(n, z) ON w.z = z.name AND w.n = l.target
            """, [database, .texts(targets.map(\.recordName)), .texts(targets.map(\.zoneID.zoneName))])
    }

    /// The links that rows are.
    static func links(_ rows: RowSet) throws(CallError) -> [ServerLink] {
        var links: [ServerLink] = []
        for row in 0..<rows.count {
            guard let zone = rows.text(row, 0), let target = rows.text(row, 1), let kind = rows.int64(row, 2),
                let holder = rows.text(row, 3), let type = rows.text(row, 4), let isFresh = rows.bool(row, 6)
            else { throw MomentReader.damaged }
            let zoneID = RecordZone.ID(zone)
            links.append(
                ServerLink(
                    target: Record.ID(target, zoneID: zoneID), holder: Record.ID(holder, zoneID: zoneID),
                    holderType: type, isOwning: kind == 1, mark: rows.int64(row, 5), isFresh: isFresh))
        }
        return links
    }
}

extension PostgreSQLContainer {
    /// The links between nodes whose targets were deleted here.
    ///
    /// - Parameter targets: Those that are meant; `nil` for all that were a minute ago.
    func endedLinks(_ origin: DatabaseOrigin, at targets: [Record.ID]?) throws(DatabaseError) -> [ServerLink] {
        let number = try number(of: origin)
        return try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in
                let statement = LinkRows.statement(endedAt: targets, .int32(number))
                guard let rows = try connection.call([statement]).first else { throw MomentReader.damaged }
                return try LinkRows.links(rows)
            }
        }
    }
}
