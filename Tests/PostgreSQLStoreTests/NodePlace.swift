// A container on several servers, for tests.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

/// A container on several servers.
struct NodePlace {
    let identifier = "nodes " + UUID().uuidString
    let control: PostgreSQLServer
    let nodeCount: Int

    /// - Parameter others: What leads to the other nodes.
    init(_ control: PostgreSQLServer, others: [String]) throws {
        (self.control, nodeCount) = (control, others.count + 1)
        let nodes = Nodes(identifier: identifier, connectingTo: control.address)
        for address in others { _ = try nodes.add(address) }
    }

    init() throws {
        let servers = try PostgreSQLNodes.shared().servers
        try self.init(servers[0], others: servers.dropFirst().map(\.address))
    }

    func server() throws -> any RecordServer {
        try NodeContainer.open(
            identifier: identifier, connectingTo: control.address, connectionCount: 4, copiesFrom: 3)
    }

    func open(_ configuration: Configuration = Configuration()) throws -> Container {
        try Container(identifier: identifier, on: server(), account: .localUser, configuration: configuration)
    }

    /// The nodes of the names of records of default zones.
    func nodes(of names: [String]) throws -> [String: Int32] {
        let server = try server()
        defer { server.close() }
        let origin = DatabaseOrigin(container: identifier, scope: .public, user: nil)
        let nodes = try server.nodes(of: Set(names.map { Record.ID($0) }), in: origin)
        return Dictionary(uniqueKeysWithValues: nodes.map { ($0.key.recordName, $0.value) })
    }

    /// Runs a statement on the control node as somebody who knows nothing of containers.
    @discardableResult
    func run(_ statement: String) throws -> RowSet { try run(statement, at: control.address) }

    /// Runs a statement on all shared servers.
    func onAll(_ statement: String) throws -> [RowSet] {
        try PostgreSQLNodes.shared().servers.map { try run(statement, at: $0.address) }
    }

    private func run(_ statement: String, at address: String) throws -> RowSet {
        let connection = try Connection(ConnectionString(address))
        try connection.run(Statement("SET search_path = \(Statement.name(Layout.schemaName(of: identifier)))"))
        return try connection.run(Statement(statement))
    }

    /// The node that each zone of the local user has its place on.
    func places() throws -> [String: Int64] {
        let user = try #require(Account.localUser.userName)
        let rows = try run("SELECT zone, node FROM place WHERE owner = '\(user)'")
        return Dictionary(
            uniqueKeysWithValues: (0..<rows.count).map { (rows.text($0, 0) ?? "", rows.int64($0, 1) ?? -1) })
    }

    /// Zones with a record each, until every node has one.
    func fill(_ container: Container) throws -> [Int64: RecordZone.ID] {
        let zones = (0..<24).map { RecordZone.ID("Z\($0)") }
        let database = container.privateDatabase
        let made = try database.modifyZones(saving: zones.map { RecordZone(id: $0) }, deleting: [])
        for (_, result) in made.saves { _ = try result.get() }
        for (number, zone) in zones.enumerated() {
            var record = Record(type: "T", id: Record.ID("r\(number)", zoneID: zone))
            record["a"] = .int64(Int64(number))
            try database.save(record, on: container)
        }
        var found: [Int64: RecordZone.ID] = [:]
        for (zone, node) in try places() where zone.hasPrefix("Z") { found[node] = RecordZone.ID(zone) }
        try #require(found.count == nodeCount)
        return found
    }
}

extension Database {
    func save(_ record: Record, on _: Container) throws {
        for (_, result) in try modify(ModifyRequest(saves: [record])).saves { _ = try result.get() }
    }

    func names(_ predicate: RecordPredicate = "TRUEPREDICATE", limit: Int = 100) throws -> [String] {
        var names: [String] = []
        var page = try find(Query("T", predicate, sortedBy: [.descending("a")]), in: .all, limit: limit)
        while true {
            names += page.matches.map(\.0.recordName)
            guard let cursor = page.cursor else { return names }
            page = try find(after: cursor, limit: limit)
        }
    }
}

/// The code and the words of the error that a call throws.
func failure(_ call: () throws -> Void) -> (code: DatabaseError.Code?, reason: String) {
    do {
        try call()
        return (nil, "")
    } catch let error as DatabaseError {
        return (error.code, error.reason)
    } catch {
        return (nil, "\(error)")
    }
}
