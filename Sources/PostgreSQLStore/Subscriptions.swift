// Subscriptions and notices as rows.

package import RecordDatabase
import RecordModel

extension CommitStatements {
    /// The statements that delete and save subscriptions.
    func subscriptions() throws(DatabaseError) -> [Statement] {
        let saved = commit.savedSubscriptions.map { ($0.userName, $0.subscription.id) }
        // One that is saved again takes the last place.
        let gone = commit.deletedSubscriptions.map { ($0.userName, $0.id) } + saved
        if gone.isEmpty { return [] }
        var statements = [
            Statement(
                """
                DELETE FROM subscription s USING unnest($2::text[], $3::bytea[]) w(u, i)
                WHERE s.database = $1 AND s.user_name = w.u AND s.id = w.i
                """,
                [.int32(database), .texts(gone.map(\.0)), .array(.bytesList, gone.map { .bytes(Array($0.1.utf8)) })])
        ]
        for subscription in commit.savedSubscriptions {
            statements.append(
                Statement(
                    "INSERT INTO subscription(database, user_name, id, content) VALUES ($1, $2, $3, $4)",
                    [
                        .int32(database), .text(subscription.userName),
                        .bytes(Array(subscription.subscription.id.utf8)), .bytes(try BinaryForm.bytes(subscription)),
                    ]))
        }
        return statements
    }

    /// The statements that delete subscriptions of others to their shared databases. These are locked by then.
    func endedSharedSubscriptions() -> [Statement] {
        let gone = commit.endedSharedSubscriptions
        if gone.isEmpty { return [] }
        let shared: Parameter = .int32(Int32(DatabaseScope.shared.rawValue))
        return [
            Statement(
                """
                DELETE FROM subscription s USING database d, unnest($2::text[], $3::bytea[]) w(u, i)
                WHERE d.scope = $1 AND d.owner = w.u AND s.database = d.number AND s.user_name = w.u AND s.id = w.i
                """,
                [
                    shared, .texts(gone.map(\.userName)),
                    .array(.bytesList, gone.map { .bytes(Array($0.id.utf8)) }),
                ]),
            Statement(
                "UPDATE database SET watch_version = watch_version + 1 WHERE scope = $1 AND owner = ANY($2)",
                [shared, .texts(Set(gone.map(\.userName)))]),
        ]
    }

    /// The statements that put what the commit tells into the outbox.
    func notices() throws(DatabaseError) -> [Statement] {
        if commit.notices.isEmpty { return [] }
        var contents: [Parameter] = []
        for notice in commit.notices { contents.append(.bytes(try BinaryForm.bytes(notice))) }
        return [
            Statement(
                """
                INSERT INTO notice(database, change, place, user_name, process, client, content)
                SELECT $1, $2, i, u, $3, $4, c FROM unnest($5::text[], $6::bytea[]) WITH ORDINALITY w(u, c, i)
                """,
                [
                    .int32(database), .int64(commit.lastChange), .int64(process), .int64(Int64(commit.client)),
                    .texts(commit.notices.map(\.userName)), .array(.bytesList, contents),
                ])
        ]
    }
}

extension MomentReader {
    /// The statement that gives the users with subscriptions to their shared database who see something of this one.
    func statement(forWatchersAnd others: Set<String>) -> Statement {
        Statement(
            """
            SELECT w.owner, w.watch_version FROM database w WHERE w.scope = $2 AND w.watch_version > 0
            AND (w.owner = ANY($3) OR w.owner IN (SELECT p.user_name FROM participant p
              JOIN zone z ON z.number = p.zone WHERE z.database = $1))
            """, [number, .int32(Int32(DatabaseScope.shared.rawValue)), .texts(others)])
    }

    static func watchers(_ rows: RowSet) throws(CallError) -> [String: Int64] {
        var watchers: [String: Int64] = [:]
        for row in 0..<rows.count {
            guard let user = rows.text(row, 0), let version = rows.int64(row, 1) else { throw damaged }
            watchers[user] = version
        }
        return watchers
    }

    /// The statements that give subscriptions, in order of saving, the last of them.
    static func statements(for subscribers: ServerNeed.Subscribers, of database: Parameter) -> [Statement] {
        let select = "SELECT content FROM subscription WHERE database = $1"
        switch subscribers {
        case .everyone: return [Statement(select + " ORDER BY number", [database])]
        case .user(let name):
            return [Statement(select + " AND user_name = $2 ORDER BY number", [database, .text(name)])]
        case .participant(let name, let isLocked):
            let key: [Parameter] = [.int32(Int32(DatabaseScope.shared.rawValue)), .text(name)]
            let database = "SELECT number FROM database WHERE scope = $1 AND owner = $2"
            let content = Statement(
                "SELECT content FROM subscription WHERE database = (\(database)) AND user_name = $2 ORDER BY number",
                key)
            return (isLocked ? [Statement(database + " FOR UPDATE", key)] : []) + [content]
        }
    }

    static func subscriptions(_ rows: RowSet) throws(CallError) -> [StoredSubscription] {
        var subscriptions: [StoredSubscription] = []
        for row in 0..<rows.count {
            guard let found = rows.bytes(row, 0).flatMap({ BinaryForm.value(StoredSubscription.self, $0) }) else {
                throw damaged
            }
            subscriptions.append(found)
        }
        return subscriptions
    }
}

extension PostgreSQLContainer {
    package func notices(
        _ origin: DatabaseOrigin, of users: Set<String>, on _: Int32, after place: NoticePlace,
        through end: Int64?, limit: Int
    ) throws(DatabaseError) -> (notices: [ServerNotice], end: Int64) {
        let number = try number(of: origin)
        let statement = Statement(
            """
            SELECT d.last_change, n.change, n.place, n.process, n.client, n.content FROM database d
            LEFT JOIN LATERAL (SELECT * FROM notice WHERE database = d.number AND (change, place) > ($2, $3)
              AND change <= COALESCE($4, d.last_change) AND user_name = ANY($5)
              ORDER BY change, place LIMIT $6) n ON true
            WHERE d.number = $1 ORDER BY n.change, n.place
            """,
            [
                .int32(number), .int64(place.change), .int32(place.number), end.map { .int64($0) } ?? .null(.int64),
                .texts(users), .int64(Int64(limit)),
            ])
        return try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in
                guard let rows = try connection.call([statement]).first, let last = rows.int64(0, 0) else {
                    throw MomentReader.damaged
                }
                return (try notices(rows), end ?? last)
            }
        }
    }

    private func notices(_ rows: RowSet) throws(CallError) -> [ServerNotice] {
        var notices: [ServerNotice] = []
        for row in 0..<rows.count where !rows.isNull(row, 1) {
            guard let change = rows.int64(row, 1), let place = rows.int64(row, 2), let sender = rows.int64(row, 3),
                let client = rows.int64(row, 4),
                let content = rows.bytes(row, 5).flatMap({ BinaryForm.value(NoticeContent.self, $0) })
            else { throw MomentReader.damaged }
            notices.append(
                ServerNotice(
                    content, at: NoticePlace(change: change, number: Int32(truncatingIfNeeded: place)),
                    by: sender == process ? Int(client) : nil))
        }
        return notices
    }
}
