// Commits that read nodes with different schemas: they let go of their node until all have one schema again.

import Campaigns
import RecordModel
import Testing
import _TestSupport

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct NodeLevelTests {
    private static let origin = DatabaseOrigin(container: "c", scope: .private, user: "u")

    private static func record(_ name: String, by owner: String? = nil, below parent: String? = nil) -> Record {
        var record = Record(type: "H", id: Record.ID(name), fields: ["a": .int64(1)])
        if let owner { record["of"] = .reference(RecordReference(recordID: Record.ID(owner), action: .deleteSelf)) }
        if let parent { record.setParent(Record.ID(parent)) }
        return record
    }

    /// The numbers of the schemas that nodes have.
    private static func versions(_ place: NodePlace) throws -> [Int64?] {
        try place.onAll("SELECT schema_version FROM container").map { $0.int64(0, 0) }
    }

    /// Has the container grow by a field, as a process does that ends after the last node has it.
    private static func growByHalf(_ place: NodePlace, _ container: Container) throws {
        _ = try place.onAll("CREATE TABLE kept AS SELECT schema, schema_version FROM container")
        var schema = container.schema
        schema.recordTypes["H"]?.define("b", ContainerSchema.Field(.string))
        try container.setSchema(schema)
        for server in try PostgreSQLNodes.shared().servers.prefix(2) {
            let connection = try Connection(ConnectionString(server.address))
            let path = Statement.name(Layout.schemaName(of: place.identifier))
            try connection.run(Statement("SET search_path = \(path)"))
            try connection.run(Statement("UPDATE container SET (schema, schema_version) = (SELECT * FROM kept)"))
        }
    }

    @Test(
        "A commit whose targets are on nodes with different schemas is made when they have one again",
        arguments: [0, 1], [false, true])
    func commitsLetGo(_ home: Int, _ isTransaction: Bool) throws {
        let place = try NodePlace()
        let nodes = try place.nodes(of: (0..<90).map { "n\($0)" })
        let names = (0..<3).map { node in nodes.filter { $0.value == node }.keys.sorted() }
        try #require(names.allSatisfy { $0.count > 2 })
        let first = try place.open()
        defer { first.close() }
        // All fields are known before, and their tables are there.
        let targets = names.map { Self.record($0[0]) }
        let holder = Self.record(names[0][1], by: names[1][0], below: names[2][0])
        for records in [targets, [holder]] {
            let filled = try first.publicDatabase.modify(ModifyRequest(saves: records))
            #expect(filled.partialErrors.isEmpty, "\(filled.partialErrors)")
        }
        try Self.growByHalf(place, first)
        #expect(Set(try Self.versions(place)).count == 2)
        // Another process does not know yet that the tables have the field.
        let second = try place.open()
        defer { second.close() }
        let others = [0, 1, 2].filter { $0 != home }
        let saved = Self.record(names[home][2], by: names[others[0]][0], below: names[others[1]][0])
        if isTransaction {
            try second.publicDatabase.writeNow { transaction in
                try transaction.save(saved)
            }
        } else {
            let made = try second.publicDatabase.modify(ModifyRequest(saves: [saved]))
            #expect(made.partialErrors.isEmpty, "\(made.partialErrors)")
        }
        #expect(Set(try Self.versions(place)).count == 1)
        let list = Nodes(identifier: place.identifier, connectingTo: place.control.address)
        #expect(try list.check().map(\.problem) == [nil, nil, nil])
        _ = try #require(try second.publicDatabase.fetch([saved.id])[saved.id]).get()
        // They have the schema of the process that ended, not the one before.
        let third = try place.open()
        defer { third.close() }
        #expect(third.schema.recordTypes["H"]?.fields["b"] != nil)
    }

    @Test("A read beside a commit changes no schema, and tells that nodes have several")
    func readsBesideCommitsLevelNothing() throws {
        let place = try NodePlace()
        let opened = try NodeContainer.open(identifier: place.identifier, connectingTo: place.control.address)
        defer { opened.close() }
        let server = try #require(opened as? NodeContainer)
        try place.run("UPDATE container SET schema_version = schema_version + 1")
        let before = try Self.versions(place)
        let error = #expect(throws: DatabaseError.self) {
            let home = ServerMoment(schema: ContainerSchema())
            _ = try server.read(Self.origin, ServerNeed(), beside: home)
        }
        #expect(error == NodeContainer.mixedSchemas)
        #expect(try Self.versions(place) == before)
        // Whoever holds no node makes them the same.
        _ = try server.read(Self.origin, ServerNeed())
        #expect(Set(try Self.versions(place)).count == 1)
    }
}
