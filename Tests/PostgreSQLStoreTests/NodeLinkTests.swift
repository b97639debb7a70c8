// Records of spread zones that go with one of another node, or are below it.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct NodeLinkTests {
    /// A container on three servers, and names of records by node.
    private struct Scene {
        let place: NodePlace
        let container: Container
        let names: [[String]]
        var database: Database { container.publicDatabase }

        init(_ configuration: Configuration = Configuration()) throws {
            place = try NodePlace()
            container = try place.open(configuration)
            let nodes = try place.nodes(of: (0..<90).map { "n\($0)" })
            names = (0..<3).map { node in nodes.filter { $0.value == node }.keys.sorted() }
            try #require(names.allSatisfy { $0.count > 8 })
        }

        func save(_ records: Record...) throws -> [String: DatabaseError.Code] {
            try codes(ModifyRequest(saves: records, policy: .allKeys))
        }

        func delete(_ names: String...) throws -> [String: DatabaseError.Code] {
            try codes(ModifyRequest(deletes: names.map { Record.ID($0) }))
        }

        func codes(_ request: ModifyRequest) throws -> [String: DatabaseError.Code] {
            var codes: [String: DatabaseError.Code] = [:]
            for (item, error) in try database.modify(request).partialErrors {
                if case .record(let id) = item { codes[id.recordName] = error.code }
            }
            return codes
        }

        func present(_ names: [String]) throws -> [String] {
            let found = try database.fetch(names.map { Record.ID($0) })
            return names.filter { (try? found[Record.ID($0)]?.get()) != nil }
        }

        /// Rows that a statement counts on all servers.
        func count(_ text: String) throws -> [Int64] {
            try PostgreSQLNodes.shared().servers.map { server in
                let connection = try Connection(ConnectionString(server.address))
                let path = Statement.name(Layout.schemaName(of: place.identifier))
                try connection.run(Statement("SET search_path = \(path)"))
                return try connection.run(Statement("SELECT count(*) FROM \(text)")).int64(0, 0) ?? -1
            }
        }
    }

    private static func record(_ name: String, by owners: String..., below parent: String? = nil) -> Record {
        var record = Record(type: "H", id: Record.ID(name), fields: ["a": .int64(1)])
        for (number, owner) in owners.enumerated() {
            record["of\(number)"] = .reference(RecordReference(recordID: Record.ID(owner), action: .deleteSelf))
        }
        if let parent { record.setParent(Record.ID(parent)) }
        return record
    }

    @Test func holdersGoWithOwnersOfOtherNodes() throws {
        let scene = try Scene()
        defer { scene.container.close() }
        let (here, there, third) = (scene.names[0], scene.names[1], scene.names[2])
        #expect(try scene.save(Self.record(here[0], by: there[0])) == [here[0]: .referenceViolation])
        #expect(try scene.save(Self.record(there[0])).isEmpty)
        // A chain over three nodes and back, and one with two owners.
        #expect(try scene.save(Self.record(here[0], by: there[0])).isEmpty)
        #expect(try scene.save(Self.record(third[0], by: here[0]), Self.record(third[1], by: here[0])).isEmpty)
        #expect(try scene.save(Self.record(there[1], by: third[0], here[0])).isEmpty)
        #expect(try scene.save(Self.record(here[1], by: there[1]), Self.record(here[2])).isEmpty)
        let all = [here[0], here[1], here[2], there[0], there[1], third[0], third[1]]
        #expect(try scene.present(all) == all)
        #expect(try scene.count("held_link").reduce(0, +) == 6)
        #expect(try scene.delete(there[0]).isEmpty)
        #expect(try scene.present(all) == [here[2]])
        for table in ["held_link", "link_apart", "pending_deletion"] {
            #expect(try scene.count(table) == [0, 0, 0], "\(table)")
        }
    }

    @Test func linksFollowTheirRecords() throws {
        let scene = try Scene()
        defer { scene.container.close() }
        let (here, there, third) = (scene.names[0], scene.names[1], scene.names[2])
        #expect(try scene.save(Self.record(there[0]), Self.record(third[0])).isEmpty)
        #expect(try scene.save(Self.record(here[0], by: there[0])).isEmpty)
        // Another owner: the first one lets go.
        #expect(try scene.save(Self.record(here[0], by: third[0])).isEmpty)
        #expect(try scene.delete(there[0]).isEmpty)
        #expect(try scene.present([here[0]]) == [here[0]])
        #expect(try scene.count("link_apart") == [0, 0, 1])
        // The holder goes by itself, and comes again without an owner.
        #expect(try scene.delete(here[0]).isEmpty)
        #expect(try scene.count("link_apart") == [0, 0, 0])
        #expect(try scene.save(Self.record(here[0])).isEmpty)
        #expect(try scene.delete(third[0]).isEmpty)
        #expect(try scene.present([here[0]]) == [here[0]])
        // A save that is refused leaves nothing.
        #expect(try scene.save(Self.record(there[0])).isEmpty)
        var conflicting = ModifyRequest(saves: [Self.record(here[0], by: there[0])])
        conflicting.policy = .ifServerRecordUnchanged
        #expect(try scene.codes(conflicting) == [here[0]: .serverRecordChanged])
        #expect(try scene.count("link_apart") == [0, 0, 0])
        // In a transaction.
        try scene.database.writeNow { transaction in
            try transaction.save(Self.record(here[3], by: there[0]))
        }
        #expect(try scene.count("link_apart") == [0, 1, 0])
        try scene.database.writeNow { $0.deleteRecord(withID: Record.ID(there[0])) }
        #expect(try scene.present([here[3], there[0]]).isEmpty)
    }

    @Test func parentsStayWhileTheyHaveChildren() throws {
        let scene = try Scene()
        defer { scene.container.close() }
        let (here, there, third) = (scene.names[0], scene.names[1], scene.names[2])
        #expect(try scene.save(Self.record(here[0], below: there[0])) == [here[0]: .referenceViolation])
        // Parents and children of one batch, to and fro.
        let chain = [
            Self.record(here[0], below: there[0]), Self.record(there[0], below: here[1]), Self.record(here[1]),
            Self.record(third[0], below: here[0]),
        ]
        #expect(try scene.codes(ModifyRequest(saves: chain)).isEmpty)
        #expect(try scene.delete(there[0]) == [there[0]: .referenceViolation])
        #expect(try scene.delete(here[1], third[0]) == [here[1]: .referenceViolation])
        // An owner whose holder has a child elsewhere stays, too.
        #expect(try scene.save(Self.record(third[1])).isEmpty)
        #expect(try scene.save(Self.record(here[2], by: third[1])).isEmpty)
        #expect(try scene.save(Self.record(there[2], below: here[2])).isEmpty)
        #expect(try scene.delete(third[1]) == [third[1]: .referenceViolation])
        #expect(try scene.delete(third[1], there[2]).isEmpty)
        #expect(try scene.present([third[1], here[2], there[2]]).isEmpty)
        #expect(try scene.delete(here[1], here[0], there[0]).isEmpty)
        #expect(try scene.count("link_apart") == [0, 0, 0] && scene.count("pending_deletion") == [0, 0, 0])
    }

    @Test func recordsHaveSoManyHolders() throws {
        var configuration = Configuration()
        configuration.limits.ownersPerRecord = 3
        let scene = try Scene(configuration)
        defer { scene.container.close() }
        let (here, there, third) = (scene.names[0], scene.names[1], scene.names[2])
        #expect(try scene.save(Self.record(there[0])).isEmpty)
        #expect(try scene.save(Self.record(here[0], by: there[0]), Self.record(third[0], by: there[0])).isEmpty)
        #expect(try scene.save(Self.record(there[1], by: there[0])).isEmpty)
        for name in [here[1], third[1], there[2]] {
            #expect(try scene.save(Self.record(name, by: there[0])) == [name: .limitExceeded])
        }
        // Saved again they are no more than they were.
        #expect(try scene.save(Self.record(here[0], by: there[0])).isEmpty)
        // What a saver left behind does not count.
        try Self.run(scene, node: 1, "UPDATE link_apart SET mark = 7 WHERE holder = '\(here[0])'")
        try Self.run(scene, node: 0, "DELETE FROM held_link WHERE holder = '\(here[0])'")
        #expect(try scene.save(Self.record(there[2], by: there[0])).isEmpty)
    }

    /// Waits until something holds, five seconds at most.
    private static func wait(_ holds: () throws -> Bool) throws {
        for _ in 0..<250 {
            if try holds() { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    private static func run(_ scene: Scene, node: Int, _ statement: String) throws {
        let connection = try Connection(ConnectionString(PostgreSQLNodes.shared().servers[node].address))
        let path = Statement.name(Layout.schemaName(of: scene.place.identifier))
        try connection.run(Statement("SET search_path = \(path)"))
        try connection.run(Statement(statement))
    }

    /// What a process left undone that ended, whoever commits next does.
    @Test func othersFinishWhatEnded() throws {
        let scene = try Scene()
        defer { scene.container.close() }
        let (here, there) = (scene.names[0], scene.names[1])
        #expect(try scene.save(Self.record(there[0]), Self.record(there[1])).isEmpty)
        #expect(try scene.save(Self.record(here[0], by: there[0]), Self.record(here[1], below: there[1])).isEmpty)
        for name in there.prefix(2) {
            try Self.run(
                scene, node: 1,
                """
                WITH l AS (DELETE FROM link_apart WHERE target = '\(name)' RETURNING *), r AS (
                  DELETE FROM "r_H" WHERE _n = '\(name)')
                INSERT INTO pending_deletion
                SELECT zone, target, kind, holder, mark, now() - interval '2 minutes' FROM l
                """)
        }
        let other = try scene.place.open()
        defer { other.close() }
        for (_, result) in try other.publicDatabase.modify(ModifyRequest(saves: [Self.record(here[2])])).saves {
            _ = try result.get()
        }
        try Self.wait { try scene.count("pending_deletion") == [0, 0, 0] }
        #expect(try scene.present([here[0], here[1]]) == [here[1]])
        let child = try #require(try scene.database.fetch([Record.ID(here[1])])[Record.ID(here[1])]).get()
        #expect(child.parent == nil)
    }

    /// A target that goes between the look at it and the save, by a process that ends then: whoever saved looks again.
    @Test(arguments: [true, false])
    func targetsAreLookedForAgain(_ looks: Bool) throws {
        let scene = try Scene()
        defer { scene.container.close() }
        let (here, there) = (scene.names[0], scene.names[1])
        #expect(try scene.save(Self.record(there[0]), Self.record(there[1])).isEmpty)
        // The field is known before: otherwise the save would be tried once more, for all nodes to have it.
        #expect(try scene.save(Self.record(there[2], by: there[1])).isEmpty)
        let server = UnluckyServer(try scene.place.server(), looks: looks) {
            try Self.run(
                scene, node: 1,
                """
                WITH l AS (DELETE FROM link_apart WHERE target = '\(there[0])' RETURNING *), r AS (
                  DELETE FROM "r_H" WHERE _n = '\(there[0])')
                INSERT INTO pending_deletion SELECT zone, target, kind, holder, mark FROM l
                """)
        }
        let saver = try Container(
            identifier: scene.place.identifier, on: server, account: .localUser, configuration: Configuration())
        defer { saver.close() }
        server.begin()
        let made = try saver.publicDatabase.modify(ModifyRequest(saves: [Self.record(here[0], by: there[0])]))
        #expect(made.partialErrors.isEmpty && server.problems == [])
        #expect(try scene.present([there[0]]).isEmpty)
        #expect(try scene.present([here[0]]).isEmpty == looks, "the control has a record whose owner is gone")
    }

    /// Savers of holders and deleters of owners, at the same time: no record is left whose owner is gone.
    @Test func noHolderIsLeftBehind() throws {
        let scene = try Scene()
        defer { scene.container.close() }
        let owners = scene.names.flatMap { $0.prefix(3) }
        let holders = scene.names.flatMap { $0.dropFirst(3).prefix(4) }
        let others = try (0..<2).map { _ in try scene.place.open() }
        defer { for other in others { other.close() } }
        #expect(try scene.codes(ModifyRequest(saves: owners.map { Self.record($0) })).isEmpty)
        let codes = Mutex<Set<DatabaseError.Code>>([])
        let group = DispatchGroup()
        for (number, container) in ([scene.container] + others + [scene.container]).enumerated() {
            DispatchQueue.global().async(group: group) {
                var random = SplitMix64(seed: UInt64(number + 1))
                for _ in 0..<40 {
                    let owner = owners.randomElement(using: &random) ?? ""
                    let holder = holders.randomElement(using: &random) ?? ""
                    var request = ModifyRequest(policy: .allKeys)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: request.deletes = [Record.ID(owner)]
                    case 1: request.saves = [Self.record(owner)]
                    default: request.saves = [Self.record(holder, by: owner)]
                    }
                    do throws(DatabaseError) {
                        let errors = try container.publicDatabase.modify(request).partialErrors
                        codes.withLock { $0.formUnion(errors.values.map(\.code)) }
                    } catch { codes.withLock { _ = $0.insert(error.code) } }
                }
            }
        }
        group.wait()
        #expect(codes.withLock { $0.subtracting([.referenceViolation, .zoneBusy]) } == [])
        // What a client had no turn for it does soon.
        var lost = try Self.lost(scene, owners, holders)
        for _ in 0..<100 where !lost.isEmpty {
            Thread.sleep(forTimeInterval: 0.1)
            lost = try Self.lost(scene, owners, holders)
        }
        #expect(lost == [])
        #expect(try !scene.present(holders).isEmpty, "some holders are there")
    }

    /// The holders whose owner is gone.
    private static func lost(_ scene: Scene, _ owners: [String], _ holders: [String]) throws -> [String] {
        let found = try scene.database.fetch(holders.map { Record.ID($0) })
        let present = Set(try scene.present(owners))
        return holders.filter { name in
            guard let record = try? found[Record.ID(name)]?.get(), case .reference(let reference) = record["of0"] else {
                return false
            }
            return !present.contains(reference.recordID.recordName)
        }
    }
}

/// Passes calls on to a server. Before the second attempt at a commit is stored something happens.
private final class UnluckyServer: PassingServer {
    let base: any RecordServer
    /// Whether it tells savers that their targets are gone.
    private let looks: Bool
    private let accident: @Sendable () throws -> Void
    private let state = Mutex<(isBegun: Bool, attempts: Int, problems: [String])>((false, 0, []))

    init(_ base: any RecordServer, looks: Bool, _ accident: @escaping @Sendable () throws -> Void) {
        (self.base, self.looks, self.accident) = (base, looks, accident)
    }

    var problems: [String] { state.withLock { $0.problems } }

    func begin() { state.withLock { $0.isBegun = true } }

    func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        try base.write(origin, need) { moment, reading throws(DatabaseError) in
            let made = try body(moment, reading)
            let isSecond = state.withLock { state in
                if state.isBegun { state.attempts += 1 }
                return state.attempts == 2
            }
            if isSecond {
                do { try accident() } catch { state.withLock { $0.problems.append("\(error)") } }
            }
            return made
        }
    }

    func endedLinks(
        _ origin: DatabaseOrigin, of targets: Set<Record.ID>?
    ) throws(DatabaseError) -> [ServerLink] { looks ? try base.endedLinks(origin, of: targets) : [] }
}
