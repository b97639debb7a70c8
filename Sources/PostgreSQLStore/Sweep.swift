// What nobody needs any more.

import RecordDatabase

/// What was deleted that nobody needed any more.
package struct Swept: Hashable, Sendable {
    /// What subscribers were told.
    package let notices: Int
    /// What tells that a commit was stored.
    package let commits: Int
    /// What tells that a batch was sent before.
    package let batches: Int
    /// Records of zones that were deleted.
    package let records: Int
    /// Assets that no record names.
    package let assets: Int

    package init(notices: Int, commits: Int, batches: Int, records: Int, assets: Int) {
        (self.notices, self.commits, self.batches, self.assets) = (notices, commits, batches, assets)
        self.records = records
    }
}

/// Deletes from a container's tables what nobody needs any more.
struct Sweep {
    let connection: Connection
    /// Whether others are to go on: looked at between transactions.
    var isToEnd: () -> Bool = { false }

    /// Digests that are looked at together.
    private static let portion = 500

    /// Whether nobody has swept within ten minutes: whoever is told so sweeps.
    static func isDue(_ connection: Connection) throws(ServerError) -> Bool {
        try connection.run(
            Statement("UPDATE sweep SET last = now() WHERE last < now() - interval '10 minutes' RETURNING 1")
        ).count > 0
    }

    /// Sweeps now.
    func run() throws(CallError) -> Swept {
        try connection.call([Statement("UPDATE sweep SET last = now()")])
        return try delete()
    }

    /// Deletes what was not used for so long. Who looks for the token of a commit does so for half a minute, and
    /// whoever listens reads notices every two seconds; a batch that is sent again later than this is taken for
    /// another one.
    private func delete() throws(CallError) -> Swept {
        let notices = try delete(from: "notice", unless: "made", within: "10 minutes")
        let commits = try delete(from: "client", unless: "used", within: "1 day")
        let batches = try delete(from: "batch", unless: "used", within: "30 days")
        // Those of deleted zones are unused before the rows of these are gone, which may take long.
        let assets = try removeAssets(olderThan: "1 hour").count
        let records = try DroppedZones(connection: connection, isToEnd: isToEnd).sweep()
        return Swept(notices: notices, commits: commits, batches: batches, records: records, assets: assets)
    }

    /// - Parameter age: As the server reads an interval.
    private func delete(from table: String, unless column: String, within age: String) throws(CallError) -> Int {
        let gone = try connection.call([
            Statement(
                """
                WITH gone AS (DELETE FROM \(table) WHERE \(column) < now() - $1::text::interval RETURNING 1)
                SELECT count(*) FROM gone
                """, [.text(age)])
        ])
        guard let count = gone.first?.int64(0, 0) else { throw MomentReader.damaged }
        return Int(count)
    }

    /// Deletes the bytes of assets that no record names.
    ///
    /// - Parameter age: How long ago they were stored, as the server reads an interval: a save may be about to name
    ///   others.
    /// - Returns: The digests.
    func removeAssets(olderThan age: String) throws(CallError) -> [String] {
        defer { connection.rollBack() }
        var (removed, last) = ([String](), "")
        repeat {
            let rows = try connection.call([
                Statement(
                    """
                    SELECT digest FROM asset a WHERE part = 0 AND digest > $1 AND made < now() - $2::text::interval
                    AND NOT \(AssetBytes.isNamed) ORDER BY digest LIMIT $3
                    """, [.text(last), .text(age), .int64(Int64(Self.portion))])
            ])
            guard let rows = rows.first, rows.count > 0 else { return removed }
            let digests = Set((0..<rows.count).compactMap { rows.text($0, 0) })
            last = digests.max() ?? last
            // Who names one by now has its lock, or had it.
            let gone = try connection.call([
                Statement("BEGIN"), AssetBytes.lock(digests),
                AssetBytes.removal(of: digests, " RETURNING digest, part"), Statement("COMMIT"),
            ])[2]
            removed += (0..<gone.count).filter { gone.int64($0, 1) == 0 }.compactMap { gone.text($0, 0) }
        } while !isToEnd()
        return removed
    }
}
