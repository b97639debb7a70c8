// What nobody needs any more.

import RecordDatabase

/// Deletes from a container's tables what nobody needs any more.
struct Sweep {
    let connection: Connection

    /// Digests that are looked at together.
    private static let portion = 500

    /// How long what is deleted was not used by then, as the server reads intervals. Who looks for the token of a
    /// commit does so for half a minute, and whoever listens reads notices every two seconds; a batch that is sent
    /// again later than this is taken for another one.
    private static let ages = [
        (table: "client", column: "used", age: "1 day"), ("notice", "made", "10 minutes"), ("batch", "used", "30 days"),
    ]

    /// Sweeps, unless some process did within ten minutes.
    func runIfDue() throws(ServerError) {
        let due = try connection.run(
            Statement("UPDATE sweep SET last = now() WHERE last < now() - interval '10 minutes' RETURNING 1"))
        if due.count == 0 { return }
        for (table, column, age) in Self.ages {
            try connection.run(
                Statement("DELETE FROM \(table) WHERE \(column) < now() - $1::text::interval", [.text(age)]))
        }
        do throws(CallError) {
            _ = try removeAssets(olderThan: "1 hour")
        } catch {
            if case .server(let failure) = error { throw failure }
        }
    }

    /// Deletes the bytes of assets that no record names.
    ///
    /// - Parameter age: How long ago they were stored, as the server reads an interval: a save may be about to name
    ///   others.
    /// - Returns: The digests.
    func removeAssets(olderThan age: String) throws(CallError) -> [String] {
        defer { connection.rollBack() }
        var (removed, last) = ([String](), "")
        while true {
            let rows = try connection.call([
                Statement(
                    """
                    SELECT digest FROM asset a WHERE part = 0 AND digest > $1 AND made < now() - $2::text::interval
                    AND NOT EXISTS (SELECT 1 FROM asset_holder h WHERE h.digest = a.digest) ORDER BY digest LIMIT $3
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
        }
    }
}
