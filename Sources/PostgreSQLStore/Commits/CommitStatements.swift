// A commit as the statements that store it.

import FoundationEssentials
import RecordDatabase
import RecordModel
import RecordPushdown

/// The statements of one commit, but for the schema and the end of the transaction.
struct CommitStatements {
    let commit: ServerCommit
    /// What the commit was made on.
    let moment: ServerMoment
    /// The numbers of the zones that were needed by their names.
    let zones: [String: Int64]
    let database: Int32
    /// Whose the database is; empty for the public one.
    let owner: String
    let process: Int64
    let assets: CommitAssets
    let coding: RowCoding
    /// New records of one type that are copied, and not inserted, when there are so many.
    let copiesFrom: Int

    /// All statements, in their order.
    /// - Throws: `DatabaseError` for a record in a zone that the server does not have.
    func all(_ schema: ContainerSchema) throws(DatabaseError) -> [Statement] {
        var statements = zoneStatements()
        statements += try links(commit.removedLinks, isAdding: false)
        statements += try saves(schema)
        statements += try deletions()
        statements += try linksApart()
        statements += try links(commit.addedLinks, isAdding: true)
        statements += try sharing()
        statements += try touches()
        statements += try assets.statements { ids throws(DatabaseError) in try keys(ids) }
        statements += try subscriptions() + endedSharedSubscriptions() + notices()
        statements.append(
            Statement(
                """
                UPDATE database SET last_change = $2, last_date = $3, watch_version = watch_version + $4
                WHERE number = $1
                """,
                [
                    .int32(database), .int64(commit.lastChange), .double(commit.date.timeIntervalSinceReferenceDate),
                    .int64(commit.changesSubscriptions ? 1 : 0),
                ], keeping: .plan))
        if let batch = commit.batch {
            statements.append(
                Statement(
                    """
                    INSERT INTO batch(database, process, client, token, digest) VALUES ($1, $2, $3, $4, $5)
                    ON CONFLICT (database, process, client)
                    DO UPDATE SET token = excluded.token, digest = excluded.digest, used = now()
                    """,
                    [
                        .int32(database), .int64(process), .int64(Int64(batch.client)), .bytes(Array(batch.token)),
                        .text(batch.digest),
                    ], keeping: .plan))
        }
        return statements
    }

    static var missingZone: DatabaseError {
        DatabaseError(.internalError, "a record is in a zone that the server does not have")
    }

    func number(_ zoneID: RecordZone.ID) throws(DatabaseError) -> Parameter {
        guard let number = zones[zoneID.zoneName] else { throw Self.missingZone }
        return .int32(Int32(truncatingIfNeeded: number))
    }

    // MARK: Records

    /// The rows that are copied before the statements are run.
    func copies(_ schema: ContainerSchema) -> [CopiedRows] {
        let types = commit.copiedTypes(from: copiesFrom)
        if types.isEmpty { return [] }
        let new = Dictionary(grouping: commit.saves.lazy.filter(\.isNew).map(\.row), by: \.type)
        return types.sorted().map { CopiedRows(new[$0] ?? [], ofType: $0, schema, self) }
    }

    private func saves(_ schema: ContainerSchema) throws(DatabaseError) -> [Statement] {
        var statements: [Statement] = []
        let copied = commit.copiedTypes(from: copiesFrom)
        let inserted = commit.saves.filter { !$0.isNew || !copied.contains($0.row.type) }
        for (type, saves) in Dictionary(grouping: inserted, by: \.row.type).sorted(by: { $0.key < $1.key }) {
            let layout = Layout.columns(of: type, schema.recordTypes[type] ?? ContainerSchema.RecordType())
            statements.append(try insertion(saves.map(\.row), ofType: type, layout))
        }
        let told = commit.saves.lazy.filter(\.isNew).map(\.row.id).filter(Self.hasChanges)
        return statements + (try removal(of: Array(told), from: "tombstone", key: (zone: "zone", name: "name")))
    }

    /// Inserts rows of one type, or puts them in place of those that are there.
    private func insertion(
        _ rows: [ServerRow], ofType type: String, _ layout: ColumnLayout
    ) throws(DatabaseError) -> Statement {
        var columns: [[Parameter]] = Array(repeating: [], count: 11)
        for row in rows {
            let values: [Parameter] = [
                .int16(Layout.bucket(of: row.id, owner: owner)), try number(row.id.zoneID),
                .text(row.id.recordName), .int64(row.change),
                .double(row.creationDate.timeIntervalSinceReferenceDate), .text(row.creator),
                .double(row.modificationDate.timeIntervalSinceReferenceDate), .text(row.lastModifier),
                .text(row.parent?.recordID.recordName), .text(row.share?.recordID.recordName),
                .bytes(try coding.bytes(of: row.fields)),
            ]
            for (index, value) in values.enumerated() { columns[index].append(value) }
        }
        let kinds: [Parameter.Kind] = [
            .int16s, .int32s, .texts, .int64s, .doubles, .texts, .doubles, .texts, .texts, .texts, .bytesList,
        ]
        let saved = SavedColumns(rows, layout)
        let types = saved.types.enumerated().map { "$\($0.offset + 12)::\($0.element)" }.joined(separator: ", ")
        let aliases = saved.types.indices.map { "v\($0)" }.joined(separator: ", ")
        let changes = saved.names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return Statement(
            """
            INSERT INTO \(Layout.table(of: type))(_b, _z, _n, _s, _c, _t0, _u0, _t1, _u1, _p, _h, _r,
            \(saved.names.joined(separator: ", ")))
            SELECT b, z, n, c, c, t0, u0, t1, u1, p, h, r, \(saved.expressions.joined(separator: ", "))
            FROM unnest($1::int2[], $2::int4[], $3::text[],
            $4::int8[], $5::float8[], $6::text[], $7::float8[], $8::text[], $9::text[], $10::text[], $11::bytea[],
            \(types)) w(b, z, n, c, t0, u0, t1, u1, p, h, r, \(aliases)) ON CONFLICT (_z, _n, _b) DO UPDATE SET
            _c = excluded._c, _t1 = excluded._t1, _u1 = excluded._u1, _p = excluded._p, _h = excluded._h,
            _r = excluded._r, \(changes)
            """, zip(kinds, columns).map { .array($0, $1) } + saved.parameters, keeping: .plan)
    }

    /// Zones and names of records.
    func keys(_ ids: [Record.ID]) throws(DatabaseError) -> [Parameter] {
        var zones: [Parameter] = []
        for id in ids { zones.append(try number(id.zoneID)) }
        return [.array(.int32s, zones), .texts(ids.map(\.recordName))]
    }

    /// Takes rows out of the table of a type.
    func removal(of ids: [Record.ID], ofType type: String) throws(DatabaseError) -> [Statement] {
        try removal(of: ids, from: Layout.table(of: type), key: (zone: "_z", name: "_n"))
    }

    private func removal(
        of ids: [Record.ID], from table: String, key: (zone: String, name: String)
    ) throws(DatabaseError) -> [Statement] {
        if ids.count > MomentReader.fewNames {
            return [
                Statement(
                    """
                    DELETE FROM \(table) r USING unnest($1::int4[], $2::text[]) w(z, n)
                    WHERE r.\(key.zone) = w.z AND r.\(key.name) = w.n
                    """, try keys(ids))
            ]
        }
        let text = "DELETE FROM \(table) WHERE \(key.zone) = $1 AND \(key.name) = ANY($2)"
        var statements: [Statement] = []
        for (zone, ids) in Dictionary(grouping: ids, by: \.zoneID) {
            statements.append(Statement(text, [try number(zone), .texts(ids.map(\.recordName))], keeping: .plan))
        }
        return statements
    }

    /// Whether the zone of a record lists its changes, so that it has tombstones: the default zone does not.
    private static func hasChanges(_ id: Record.ID) -> Bool { !id.zoneID.isDefault }

    private func deletions() throws(DatabaseError) -> [Statement] {
        if commit.deletions.isEmpty { return [] }
        var statements: [Statement] = []
        for (type, gone) in Dictionary(grouping: commit.deletions, by: \.type).sorted(by: { $0.key < $1.key }) {
            statements += try removal(of: gone.map(\.id), ofType: type)
        }
        let told = commit.deletions.filter { Self.hasChanges($0.id) }
        if told.isEmpty { return statements }
        statements.append(
            Statement(
                """
                INSERT INTO tombstone SELECT z, n, t, c FROM unnest($1::int4[], $2::text[], $3::text[], $4::int8[])
                w(z, n, t, c) ON CONFLICT (zone, name) DO UPDATE SET type = excluded.type, change = excluded.change
                """, try keys(told.map(\.id)) + [.texts(told.map(\.type)), .int64s(told.map(\.change))],
                keeping: .plan))
        for zone in Set(told.map(\.id.zoneID)) where isTimeToForget {
            statements.append(try forgetting(zone))
        }
        return statements
    }

    /// Deletions are counted now and then where many are kept.
    var isTimeToForget: Bool {
        commit.deletionsKept < 1_000 || commit.lastChange / 1_000 != moment.lastChange / 1_000
    }

    /// Forgets the oldest deletions of a zone beyond half as many again as it remembers.
    private func forgetting(_ zone: RecordZone.ID) throws(DatabaseError) -> Statement {
        let kept = Int64(max(0, commit.deletionsKept))
        return Statement(
            """
            WITH kept AS (SELECT count(*) AS n FROM tombstone WHERE zone = $1),
            old AS (SELECT change FROM tombstone WHERE zone = $1 AND (SELECT n FROM kept) - $2 > $2 / 2 + 1
              ORDER BY change DESC OFFSET $2 LIMIT 1),
            gone AS (DELETE FROM tombstone WHERE zone = $1 AND change <= (SELECT change FROM old))
            UPDATE zone SET forgotten = (SELECT change FROM old) WHERE number = $1 AND EXISTS (SELECT 1 FROM old)
            """, [try number(zone), .int64(kept)])
    }

    // MARK: References

    private func links(_ links: [ServerLink], isAdding: Bool) throws(DatabaseError) -> [Statement] {
        if links.isEmpty { return [] }
        let parameters =
            try keys(links.map(\.target)) + [
                .array(.int16s, links.map { .int16($0.isOwning ? 1 : 2) }), .texts(links.map(\.holder.recordName)),
            ]
        if isAdding {
            return [
                Statement(
                    """
                    INSERT INTO link SELECT z, t, k, h, y
                    FROM unnest($1::int4[], $2::text[], $3::int2[], $4::text[], $5::text[]) w(z, t, k, h, y)
                    ON CONFLICT DO NOTHING
                    """, parameters + [.texts(links.map(\.holderType))], keeping: .plan)
            ]
        }
        return [
            Statement(
                """
                DELETE FROM link l USING unnest($1::int4[], $2::text[], $3::int2[], $4::text[]) w(z, t, k, h)
                WHERE l.zone = w.z AND l.target = w.t AND l.kind = w.k AND l.holder = w.h
                """, parameters)
        ]
    }

    /// Links between nodes. Those to deleted records are kept until their holders are gone, too.
    func linksApart() throws(DatabaseError) -> [Statement] {
        let (links, own) = (commit.linksApart, ["kind", "holder", "mark"])
        var statements: [Statement] = []
        func add(_ text: String, _ links: [ServerLink]) throws(DatabaseError) {
            if !links.isEmpty { statements.append(Statement(text, try parameters(ofApart: links))) }
        }
        let rows = "unnest($1::int4[], $2::text[], $3::int2[], $4::text[], $5::int8[], $6::text[]) w(z, t, k, h, m, y)"
        let same =
            "l.zone = w.z AND l.target = w.t AND "
            + own.map { "l.\($0) = w.\($0.prefix(1))" }.joined(separator: " AND ")
        try add(
            """
            INSERT INTO link_apart(zone, target, kind, holder, holder_type, mark)
            SELECT z, t, k, h, y, m FROM \(rows)
            """, links.noted)
        try add("DELETE FROM link_apart l USING \(rows) WHERE \(same)", links.forgotten)
        // Nobody will hold a link again that nobody holds any more.
        try add("DELETE FROM pending_deletion l USING \(rows) WHERE \(same)", links.settled + links.forgotten)
        try add("DELETE FROM held_link l USING \(rows) WHERE \(same)", links.released)
        try add(
            """
            INSERT INTO held_link(zone, holder, target, kind, mark) SELECT z, h, t, k, m FROM \(rows)
            ON CONFLICT (zone, holder, target, kind) DO UPDATE SET mark = excluded.mark
            """, links.held)
        if !links.ended.isEmpty {
            statements.append(
                Statement(
                    """
                    WITH gone AS (DELETE FROM link_apart l USING unnest($1::int4[], $2::text[]) w(z, n)
                      WHERE l.zone = w.z AND l.target = w.n RETURNING l.zone, l.target, l.kind, l.holder, l.mark)
                    INSERT INTO pending_deletion(zone, target, kind, holder, mark) SELECT * FROM gone
                    """, try keys(links.ended)))
        }
        return statements
    }

    private func parameters(ofApart links: [ServerLink]) throws(DatabaseError) -> [Parameter] {
        try keys(links.map(\.target)) + [
            .array(.int16s, links.map { .int16($0.isOwning ? 1 : 2) }), .texts(links.map(\.holder.recordName)),
            .int64s(links.map { $0.mark ?? 0 }), .texts(links.map(\.holderType)),
        ]
    }

    // MARK: Zones

    private func zoneStatements() -> [Statement] {
        var statements: [Statement] = []
        for zone in commit.deletedZones {
            // One that went with its key is deleted once more.
            if let number = zones[zone.name] {
                statements += Self.removal(ofZone: Int32(truncatingIfNeeded: number))
            }
            statements.append(
                Statement(
                    """
                    INSERT INTO gone_zone VALUES ($1, $2, $3, $4) ON CONFLICT (database, name)
                    DO UPDATE SET change = excluded.change, reason = excluded.reason
                    """,
                    [
                        .int32(database), .text(zone.name), .int64(zone.change),
                        .int16(Int16(zone.reason.rawValue)),
                    ]))
        }
        for zone in commit.madeZones {
            let key: [Parameter] = [.int32(database), .text(zone.name)]
            statements.append(Statement("DELETE FROM gone_zone WHERE database = $1 AND name = $2", key))
            statements.append(
                Statement(
                    """
                    INSERT INTO zone(number, database, name, made, last_change)
                    VALUES (nextval('zone_number'), $1, $2, $3, $3)
                    """, key + [.int64(zone.change)]))
        }
        return statements
    }

    /// Takes a zone away with its shares, whose URLs may come back with a backup. Its other rows are of no zone then,
    /// however many they are: see `DroppedZones`.
    private static func removal(ofZone number: Int32) -> [Statement] {
        [
            "DELETE FROM share WHERE zone = $1", "DELETE FROM participant WHERE zone = $1",
            """
            WITH gone AS (DELETE FROM zone WHERE number = $1 RETURNING number)
            INSERT INTO dropped_zone(number) SELECT number FROM gone
            """,
        ].map { Statement($0, [.int32(number)]) }
    }

    /// Notes the last change of each zone, and the client's token.
    private func touches() throws(DatabaseError) -> [Statement] {
        var last: [RecordZone.ID: Int64] = [:]
        for (row, _) in commit.saves { last[row.id.zoneID] = max(last[row.id.zoneID] ?? 0, row.change) }
        for deletion in commit.deletions {
            last[deletion.id.zoneID] = max(last[deletion.id.zoneID] ?? 0, deletion.change)
        }
        for move in commit.moves { last[move.id.zoneID] = max(last[move.id.zoneID] ?? 0, move.change) }
        var statements: [Statement] = []
        for (zone, change) in last where !zone.isDefault {
            statements.append(
                Statement(
                    "UPDATE zone SET last_change = $2, client_token = COALESCE($3, client_token) WHERE number = $1",
                    [try number(zone), .int64(change), .bytes(commit.batch.map { Array($0.token) })],
                    keeping: .plan))
        }
        return statements
    }
}
