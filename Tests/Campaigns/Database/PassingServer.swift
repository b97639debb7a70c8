// A server before another one, for tests that look at its calls or change them.

package import RecordDatabase
package import RecordModel

/// Passes calls on to a server of records. Whoever conforms has their own way with some of them.
package protocol PassingServer: RecordServer {
    var base: any RecordServer { get }
}

extension PassingServer {
    package var incarnation: String { base.incarnation }
    package var callCount: Int { base.callCount }
    package var assetFolder: String { base.assetFolder }
    package var nodeCount: Int { base.nodeCount }
    package var nodeNumbers: [Int32] { base.nodeNumbers }

    package func storeAssets(_ assets: [Asset]) throws(DatabaseError) { try base.storeAssets(assets) }
    package func removeUnusedAssets() throws(DatabaseError) -> [String] { try base.removeUnusedAssets() }
    package func assetsInUse(among digests: [String]) throws(DatabaseError) -> Set<String> {
        try base.assetsInUse(among: digests)
    }
    package func readAsset(
        _ digest: String, _ take: ([UInt8]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> Bool { try base.readAsset(digest, take) }

    package func schema() throws(DatabaseError) -> ContainerSchema { try base.schema() }
    package func changeSchema(
        _ change: (ContainerSchema) throws(DatabaseError) -> ServerSchemaChange?
    ) throws(DatabaseError) { try base.changeSchema(change) }
    package func analyze(_ types: [String]) throws(DatabaseError) { try base.analyze(types) }
    package func encryptionKey(noting name: String?) throws(DatabaseError) -> String? {
        try base.encryptionKey(noting: name)
    }
    package func roles() throws(DatabaseError) -> [String: Set<String>] { try base.roles() }
    package func setRoles(_ roles: Set<String>, of userName: String) throws(DatabaseError) {
        try base.setRoles(roles, of: userName)
    }

    package func read(_ origin: DatabaseOrigin, _ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        try base.read(origin, need)
    }
    package func reading<Outcome>(
        _ origin: DatabaseOrigin, _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome { try base.reading(origin, body) }
    package func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome { try base.write(origin, need, body) }
    package func parts(
        of zones: [RecordZone.ID], in origin: DatabaseOrigin, isMaking: Bool
    ) throws(DatabaseError) -> [[RecordZone.ID]] { try base.parts(of: zones, in: origin, isMaking: isMaking) }
    package func nodes(
        of records: Set<Record.ID>, in origin: DatabaseOrigin
    ) throws(DatabaseError) -> [Record.ID: Int32] { try base.nodes(of: records, in: origin) }
    package func moments(
        _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> [(node: Int32, moment: ServerMoment)] { try base.moments(origin) }
    package func endedLinks(
        _ origin: DatabaseOrigin, of targets: Set<Record.ID>?
    ) throws(DatabaseError) -> [ServerLink] { try base.endedLinks(origin, of: targets) }
    package func forgetEnded(_ links: [ServerLink], _ origin: DatabaseOrigin) throws(DatabaseError) {
        try base.forgetEnded(links, origin)
    }

    package func notices(
        _ origin: DatabaseOrigin, of users: Set<String>, on node: Int32, after place: NoticePlace,
        through end: Int64?, limit: Int
    ) throws(DatabaseError) -> (notices: [ServerNotice], end: Int64) {
        try base.notices(origin, of: users, on: node, after: place, through: end, limit: limit)
    }
    package func watch(_ origin: DatabaseOrigin, _ tell: @escaping @Sendable () -> Void) -> Int {
        base.watch(origin, tell)
    }
    package func watch(
        _ origin: DatabaseOrigin, on node: Int32, _ tell: @escaping @Sendable () -> Void
    ) -> Int { base.watch(origin, on: node, tell) }
    package func share(withToken token: String) throws(DatabaseError) -> (owner: String, id: Record.ID)? {
        try base.share(withToken: token)
    }
    package func sharers(of userName: String) throws(DatabaseError) -> [ServerSharer] {
        try base.sharers(of: userName)
    }
    package func isKnown(_ origin: DatabaseOrigin) throws(DatabaseError) -> Bool { try base.isKnown(origin) }
    package func endWatching(_ number: Int) { base.endWatching(number) }
    package func close() { base.close() }
}
