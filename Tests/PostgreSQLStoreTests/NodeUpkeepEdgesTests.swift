// What nodes are told about, that reads beside a commit wait for nobody, and nodes that never get one schema.

import Campaigns
import Dispatch
import Foundation
import RecordModel
import Synchronization
import Testing
import _TestSupport

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct NodeUpkeepEdgesTests {
    private static let origin = DatabaseOrigin(container: "c", scope: .private, user: "u")

    private static func open(_ place: NodePlace, connectionCount: Int = 4) throws -> NodeContainer {
        try #require(
            try NodeContainer.open(
                identifier: place.identifier, connectingTo: place.control.address, connectionCount: connectionCount)
                as? NodeContainer)
    }

    /// What became of a call on a thread of its own.
    private final class Call: Sendable {
        let error = Mutex<(any Error)?>(nil)
        let done = DispatchSemaphore(value: 0)
    }

    /// What a call throws, or that it does not end; `nil` where it gives something.
    private static func failure(of body: @escaping @Sendable () throws -> Void) -> (any Error)? {
        let call = Call()
        Thread.detachNewThread {
            do { try body() } catch { call.error.withLock { $0 = error } }
            call.done.signal()
        }
        guard call.done.wait(timeout: .now() + .seconds(30)) == .success else {
            return DatabaseError(.internalError, "the call does not end")
        }
        return call.error.withLock { $0 }
    }

    @Test("Nodes are listed with their addresses, and with the zones that they have, also where they have none")
    func zoneCounts() throws {
        let place = try NodePlace()
        let nodes = Nodes(identifier: place.identifier, connectingTo: place.control.address)
        let empty = try nodes.list()
        #expect(empty.map(\.number) == [0, 1, 2] && empty.map(\.zoneCount) == [0, 0, 0])
        let others = try PostgreSQLNodes.shared().servers.dropFirst().map(\.address)
        #expect(empty.first?.connection == nil && empty.compactMap(\.connection) == others)
        #expect(empty.allSatisfy { $0.problem == nil && $0.warnings.isEmpty }, "nobody looked")
        let server = try Self.open(place)
        defer { server.close() }
        // By FNV-1a of scope, user and name, modulo 3: A and B on node 1, C on node 2.
        _ = try server.parts(of: ["A", "B", "C"].map { RecordZone.ID($0) }, in: Self.origin, isMaking: true)
        #expect(try nodes.list().map(\.zoneCount) == [0, 2, 1])
        // The default zone is on all of them.
        _ = try server.nodes(of: [EdgeCommits.id("a")], in: Self.origin)
        #expect(try nodes.list().map(\.zoneCount) == [1, 3, 2])
    }

    @Test("What a commit reads of other nodes waits for none of the connections that commits have")
    func readsAside() throws {
        let place = try NodePlace()
        let server = try Self.open(place, connectionCount: 1)
        defer { server.close() }
        let node = try server.node(1).call { container throws(DatabaseError) in container }
        // Another commit has the one connection of node 1.
        let failure = try node.withConnection { _ throws(CallError) in
            Self.failure {
                let home = ServerMoment(schema: ContainerSchema())
                _ = try server.read(Self.origin, ServerNeed(), beside: home)
            }
        }
        #expect(failure == nil)
        // It is there again for others.
        #expect(try node.read(Self.origin, ServerNeed()).rows.isEmpty)
    }

    @Test("Nodes that never get one schema are given up, and nothing is read of them")
    func schemasThatStayApart() throws {
        let place = try NodePlace()
        let server = try Self.open(place)
        defer { server.close() }
        // The control node keeps its number, whatever the others have.
        try place.run("CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'")
        try place.run("CREATE TRIGGER kept BEFORE UPDATE ON container FOR EACH ROW EXECUTE FUNCTION kept()")
        _ = try place.onAll("UPDATE container SET schema_version = schema_version + 1")
        let failure = Self.failure { _ = try server.read(Self.origin, ServerNeed()) }
        let error = try #require(failure as? DatabaseError)
        #expect(error == NodeContainer.mixedSchemas, "\(error)")
    }
}
