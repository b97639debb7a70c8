// The bytes of assets, in parts, and the records that name them.

import FoundationEssentials
import Glibc
import RecordDatabase
package import RecordModel

/// What the paths of assets are to this process, and to others: files of a folder here, digests on the server.
struct AssetPaths: Sendable {
    let folder: String

    /// The digest of an asset's bytes; an asset without a file has none.
    func digest(of asset: Asset) -> String {
        asset.path.hasPrefix(folder + "/") ? String(asset.path.dropFirst(folder.count + 1)) : asset.path
    }

    /// The path of a file.
    func path(of digest: String) -> String { digest.isEmpty ? "" : folder + "/" + digest }

    /// A value as the server has it.
    func stored(_ value: FieldValue) -> FieldValue { map(value) { Asset(path: digest(of: $0), size: $0.size) } }

    /// A value of the server as records have it.
    func read(_ value: FieldValue) -> FieldValue { map(value) { Asset(path: path(of: $0.path), size: $0.size) } }

    private func map(_ value: FieldValue, _ transform: (Asset) -> Asset) -> FieldValue {
        guard value.holdsAssets else { return value }
        return (try? value.mapAssets { asset throws(DatabaseError) in transform(asset) }) ?? value
    }

    /// The digests that a row names.
    func digests(of row: ServerRow) -> Set<String> {
        Set(
            row.fields.values.lazy.filter(\.holdsAssets).flatMap(\.assets).map { digest(of: $0) }.filter { !$0.isEmpty }
        )
    }
}

/// The assets of one commit: those that its records name from then on, and those that they named before.
struct CommitAssets {
    /// By record.
    private(set) var named: [(id: Record.ID, digest: String)] = []
    /// The records that named some, or do now.
    private(set) var holders: Set<Record.ID> = []
    private var earlier: Set<String> = []
    private let paths: AssetPaths

    /// Those of zones that are deleted are left to those who sweep.
    init(_ commit: ServerCommit, on moment: ServerMoment, _ paths: AssetPaths) {
        self.paths = paths
        let changed = Set(commit.saves.lazy.filter { !$0.isNew }.map(\.row.id) + commit.deletions.map(\.id))
        for row in moment.rows where changed.contains(row.id) {
            let digests = paths.digests(of: row)
            if digests.isEmpty { continue }
            holders.insert(row.id)
            earlier.formUnion(digests)
        }
        for (row, _) in commit.saves {
            let digests = paths.digests(of: row)
            if digests.isEmpty { continue }
            holders.insert(row.id)
            named += digests.sorted().map { (row.id, $0) }
        }
    }

    /// Looks up what records named whose rows the moment does not have: the body of a transaction read these by itself.
    ///
    /// - Parameter schema: The schema that the commit was made on.
    mutating func lookUp(
        _ commit: ServerCommit, _ read: MomentReader.Read, _ schema: ContainerSchema, on connection: Connection
    ) throws(CallError) {
        var types: [Record.ID: String] = [:]
        for save in commit.saves where !save.isNew { types[save.row.id] = save.row.type }
        for deletion in commit.deletions { types[deletion.id] = deletion.type }
        for row in read.moment.rows { types[row.id] = nil }
        let ids = types.filter { schema.recordTypes[$0.value]?.holdsAssets(in: nil) == true }.map(\.key)
        let places = ids.compactMap { id in read.zones[id.zoneID.zoneName].map { (id: id, zone: $0) } }
        if places.isEmpty { return }
        let found = try connection.call([
            Statement(
                """
                SELECT w.place, h.digest FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY w(z, n, place)
                JOIN asset_holder h ON h.zone = w.z AND h.name = w.n
                """,
                [
                    .int32s(places.map { Int32(truncatingIfNeeded: $0.zone) }), .texts(places.map(\.id.recordName)),
                ])
        ])[0]
        for row in 0..<found.count {
            guard let place = found.int64(row, 0).map({ Int($0) - 1 }), places.indices.contains(place),
                let digest = found.text(row, 1)
            else { throw MomentReader.damaged }
            holders.insert(places[place].id)
            earlier.insert(digest)
        }
    }

    /// Whether there is nothing to do.
    var isEmpty: Bool { named.isEmpty && holders.isEmpty && earlier.isEmpty }

    /// Takes the locks of the digests, and stores bytes that the server does not have by then, in the commit's
    /// transaction.
    mutating func prepare(on connection: Connection) throws(CallError) {
        let all = earlier.union(named.map(\.digest))
        if all.isEmpty { return }
        try connection.call([AssetBytes.lock(all)])
        for digest in try AssetBytes.missing(Set(named.map(\.digest)), connection) {
            try AssetBytes.insert(digest, fromFile: paths.path(of: digest), connection)
        }
    }

    /// The statements that note who names what, and delete the bytes that nobody names any more.
    ///
    /// - Parameter keys: The zones and names of records as parameters.
    func statements(
        _ keys: ([Record.ID]) throws(DatabaseError) -> [Parameter]
    ) throws(DatabaseError) -> [Statement] {
        var statements: [Statement] = []
        if !holders.isEmpty {
            statements.append(
                Statement(
                    """
                    DELETE FROM asset_holder h USING unnest($1::int4[], $2::text[]) w(z, n)
                    WHERE h.zone = w.z AND h.name = w.n
                    """, try keys(Array(holders))))
        }
        if !named.isEmpty {
            statements.append(
                Statement(
                    """
                    INSERT INTO asset_holder SELECT d, z, n FROM unnest($1::int4[], $2::text[], $3::text[]) w(z, n, d)
                    """,
                    try keys(named.map(\.id)) + [.texts(named.map(\.digest))]))
        }
        let gone = earlier.subtracting(named.map(\.digest))
        if !gone.isEmpty { statements.append(AssetBytes.removal(of: gone, "")) }
        return statements
    }
}

/// Statements about the bytes of assets.
enum AssetBytes {
    /// Bytes of a part: what there is in memory at a time.
    private static let partSize = 1 << 20

    /// Makes commits that name a digest, and whoever removes its bytes, go one after another.
    static func lock(_ digests: Set<String>) -> Statement {
        Statement(
            """
            SELECT pg_advisory_xact_lock(hashtextextended(d, 5)) FROM (SELECT unnest($1::text[]) AS d ORDER BY 1) w
            """, [.texts(digests.sorted())])
    }

    /// The digests without bytes.
    static func missing(_ digests: Set<String>, _ connection: Connection) throws(CallError) -> [String] {
        let rows = try connection.call([
            Statement(
                """
                SELECT d FROM unnest($1::text[]) d
                WHERE NOT EXISTS (SELECT 1 FROM asset WHERE digest = d AND part = 0) ORDER BY d
                """, [.texts(digests)])
        ])
        guard let rows = rows.first else { return [] }
        return (0..<rows.count).compactMap { rows.text($0, 0) }
    }

    /// Whether a record names the bytes of the row `a`. Those of deleted zones do not count, which are there until
    /// somebody sweeps.
    static let isNamed = """
        EXISTS (SELECT 1 FROM asset_holder h JOIN zone z ON z.number = h.zone WHERE h.digest = a.digest)
        """

    /// Deletes the bytes of digests that no record names.
    static func removal(of digests: Set<String>, _ rest: String) -> Statement {
        Statement(
            "DELETE FROM asset a WHERE a.digest = ANY($1) AND NOT \(isNamed)\(rest)", [.texts(digests.sorted())])
    }

    /// Stores the bytes of a file, part by part, in the transaction that is open.
    static func insert(_ digest: String, fromFile path: String, _ connection: Connection) throws(CallError) {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw .database(DatabaseError(.assetNotAvailable, "the file of an asset was removed"))
        }
        defer { close(file) }
        var part: Int32 = 0
        repeat {
            guard let bytes = readPart(file) else {
                throw .database(DatabaseError(.assetNotAvailable, "the file of an asset cannot be read"))
            }
            // An empty file has one part.
            if part > 0, bytes.isEmpty { return }
            try connection.call([
                Statement(
                    "INSERT INTO asset(digest, part, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                    [.text(digest), .int32(part), .bytes(bytes)])
            ])
            if bytes.count < partSize { return }
            part += 1
        } while true
    }

    /// The next bytes of a file, fewer only at its end; `nil` where they cannot be read.
    private static func readPart(_ file: Int32) -> [UInt8]? {
        var isRead = true
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: partSize) { buffer, count in
            while count < partSize {
                // SAFETY: no more is read than the rest of the buffer holds.
                let more = unsafe read(file, buffer.baseAddress.map { unsafe $0 + count }, partSize - count)
                if more < 0, errno == EINTR { continue }
                if more <= 0 {
                    isRead = more == 0
                    return
                }
                count += more
            }
        }
        return isRead ? bytes : nil
    }
}

extension PostgreSQLContainer {
    package var assetFolder: String { assetPaths.folder }

    package func storeAssets(_ assets: [Asset]) throws(DatabaseError) {
        let digests = Set(assets.map { assetPaths.digest(of: $0) })
        try retrying { () throws(CallError) in
            try withConnection(of: assetPool) { connection throws(CallError) in
                defer { connection.rollBack() }
                for digest in try AssetBytes.missing(digests, connection) {
                    try connection.call([Statement("BEGIN")])
                    try AssetBytes.insert(digest, fromFile: assetPaths.path(of: digest), connection)
                    try connection.call([Statement("COMMIT")])
                }
            }
        }
    }

    package func readAsset(
        _ digest: String, _ take: ([UInt8]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> Bool {
        var part: Int32 = 0
        while true {
            let statement = Statement(
                "SELECT bytes FROM asset WHERE digest = $1 AND part = $2", [.text(digest), .int32(part)])
            let bytes = try retrying { () throws(CallError) in
                try withConnection(of: assetPool) { connection throws(CallError) in
                    try connection.call([statement]).first?.bytes(0, 0)
                }
            }
            guard let bytes else { return part > 0 }
            try take(bytes)
            part += 1
        }
    }

    package func assetsInUse(among digests: [String]) throws(DatabaseError) -> Set<String> {
        let statement = Statement(
            "SELECT a.digest FROM unnest($1::text[]) a(digest) WHERE \(AssetBytes.isNamed)", [.texts(digests)])
        return try retrying { () throws(CallError) in
            try withConnection(of: assetPool) { connection throws(CallError) in
                guard let rows = try connection.call([statement]).first else { return [] }
                return Set((0..<rows.count).compactMap { rows.text($0, 0) })
            }
        }
    }

    package func removeUnusedAssets() throws(DatabaseError) -> [String] {
        try retrying { () throws(CallError) in
            try withConnection(of: assetPool) { connection throws(CallError) in
                try Sweep(connection: connection).removeAssets(olderThan: "0 s")
            }
        }
    }
}
