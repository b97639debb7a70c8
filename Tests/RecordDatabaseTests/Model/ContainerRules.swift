// Containers, databases, accounts, user records.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct ContainerRules {
    static let rules: [Rule] = [
        Rule(1, text: "containers are apart") { world async throws in
            let other = try Container(identifier: "other", account: .user(World.alice))
            try await world.mine.put(record("r"))
            try await world.everyones.put(record("p"))
            #expect(!(await other.privateDatabase.has("r")))
            #expect(!(await other.publicDatabase.has("p")))
            await fails(.invalidArguments) { try Container(identifier: "") }
        },
        Rule(2, 3, text: "a database is one object of its container") { world async throws in
            for scope in DatabaseScope.allCases {
                #expect(world.alice.database(with: scope) === world.alice.database(with: scope))
                #expect(world.alice.database(with: scope).scope == scope)
            }
            #expect(world.alice.privateDatabase === world.alice.database(with: .private))
            #expect(DatabaseScope.allCases.map(\.rawValue) == [1, 2, 3])
        },
        Rule(4, 31, text: "private databases are apart") { world async throws in
            try await world.mine.put(record("r", ["of": "alice"]))
            #expect(!(await world.bob.privateDatabase.has("r")))
            try await world.bob.privateDatabase.put(record("r", ["of": "bob"]))
            try await world.everyones.put(record("r", ["of": "all"]))
            try await world.mine.put(record("r", in: world.zone, ["of": "zone"]))
            let mine = try await world.mine.record(for: Record.ID("r"))
            #expect(mine["of"] == "alice")
            await fails(.zoneNotFound) { try await world.bob.privateDatabase.recordZone(for: world.zone) }
        },
        Rule(5, 6, text: "all read the public database") { world async throws in
            try await world.everyones.put(record("r", ["a": 1]))
            for container in [world.bob, world.nobody] {
                #expect(try await container.publicDatabase.record(for: Record.ID("r"))["a"] == 1)
            }
        },
        Rule(7, text: "writing needs a user") { world async throws in
            let database = world.nobody.publicDatabase
            await fails(.notAuthenticated) { try await database.save(record("r")) }
            await fails(.notAuthenticated) { try await database.deleteRecord(withID: Record.ID("r")) }
            #expect(!(await world.everyones.has("r")))
        },
        Rule(8, 9, text: "a private database needs a user when it is used") { world async throws in
            let database = world.nobody.privateDatabase
            await fails(.notAuthenticated) { try await database.save(record("r")) }
            await fails(.notAuthenticated) { try await database.record(for: Record.ID("r")) }
            await fails(.notAuthenticated) { try await database.allRecordZones() }
            await fails(.notAuthenticated) { try await database.save(RecordZone(id: world.zone)) }
        },
        Rule(10, 11, text: "account states") { world async throws in
            let codes: [Account.Status: DatabaseError.Code] = [
                .couldNotDetermine: .notAuthenticated, .restricted: .notAuthenticated, .noAccount: .notAuthenticated,
                .temporarilyUnavailable: .accountTemporarilyUnavailable,
            ]
            #expect(Account.Status.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
            for (status, code) in codes {
                try world.bob.setAccount(.unavailable(status))
                #expect(await world.bob.accountStatus() == status)
                await fails(code) { try await world.bob.privateDatabase.allRecordZones() }
                await fails(code) { try await world.bob.publicDatabase.save(record("r")) }
                await fails(code) { try await world.bob.userRecordID() }
            }
            #expect(await world.alice.accountStatus() == .available)
        },
        Rule(12, text: "a change of the user is told once") { world async throws in
            var changes = world.alice.accountChanges.makeAsyncIterator()
            try world.alice.setAccount(.user(World.alice))
            try world.alice.setAccount(.none)
            try world.alice.setAccount(.user(World.bob))
            #expect(await changes.next() == .noAccount)
            #expect(await changes.next() == .available)
            #expect(await world.alice.accountStatus() == .available)
        },
        Rule(13, text: "a new user sees only their own data") { world async throws in
            try await world.mine.put(record("r"))
            try world.alice.setAccount(.user(World.bob))
            #expect(!(await world.mine.has("r")))
            try await world.mine.put(record("s"))
            try world.alice.setAccount(.user(World.alice))
            #expect(await world.mine.has("r"))
            #expect(!(await world.mine.has("s")))
        },
        Rule(14, 15, text: "the user's record ID") { world async throws in
            let first = try await world.alice.userRecordID()
            #expect(try await world.alice.userRecordID() == first)
            #expect(try await world.alice2.userRecordID() == first)
            #expect(try await world.bob.userRecordID() != first)
            await fails(.notAuthenticated) { try await world.nobody.userRecordID() }
        },
        Rule(16, 17, text: "user records") { world async throws in
            let id = try await world.alice.userRecordID()
            for database in [world.mine, world.everyones] {
                var user = try await database.record(for: id)
                #expect(user.type == "Users" && user.allKeys() == [] && user.id.zoneID == .default)
                user["nickname"] = "Al"
                _ = try await database.save(user)
                #expect(try await database.record(for: id)["nickname"] == "Al")
            }
        },
        Rule(18, text: "the fields of user records have one kind") { world async throws in
            var user = try await world.everyones.record(for: world.alice.userRecordID())
            user["f"] = "text"
            _ = try await world.everyones.save(user)
            var other = try await world.bob.publicDatabase.record(for: world.bob.userRecordID())
            other["f"] = 5
            let changed = other
            await fails(.invalidArguments) { try await world.bob.publicDatabase.save(changed) }
        },
        Rule(19, text: "user records are not made") { world async throws in
            for name in ["u", "_f00"] {
                await fails(.invalidArguments) { try await world.mine.save(record(name, type: "Users")) }
            }
        },
        Rule(21, 22, text: "public user records are read by all and written by their user") { world async throws in
            let id = try await world.alice.userRecordID()
            var user = try await world.bob.publicDatabase.record(for: id)
            user["x"] = 1
            let changed = user
            await fails(.permissionFailure) { try await world.bob.publicDatabase.save(changed) }
            await fails(.permissionFailure) { try await world.bob.publicDatabase.deleteRecord(withID: id) }
            await fails(.permissionFailure) { try await world.everyones.deleteRecord(withID: id) }
        },
        Rule(23, 24, 190, text: "only creators write public records") { world async throws in
            let made = try await world.everyones.put(record("r", ["a": 1]))[0]
            #expect(made.creatorUserRecordID?.recordName == World.alice)
            var changed = try await world.bob.publicDatabase.record(for: made.id)
            changed["a"] = 2
            let sent = changed
            await fails(.permissionFailure) { try await world.bob.publicDatabase.save(sent) }
            await fails(.permissionFailure) { try await world.bob.publicDatabase.deleteRecord(withID: made.id) }
            #expect(try await world.everyones.record(for: made.id) == made)
            let his = try await world.bob.publicDatabase.put(record("s"))[0]
            #expect(his.creatorUserRecordID?.recordName == World.bob)
        },
        Rule(25, text: "grants") { world async throws in
            try await world.everyones.put(record("r", ["a": 1]))
            var schema = world.alice.schema
            schema.recordTypes["T"]?.grants = [
                ContainerSchema.creatorRole: [.read], "editors": [.read, .write], "makers": [.create],
            ]
            try world.alice.setSchema(schema)
            let id = Record.ID("r")
            await fails(.permissionFailure) { try await world.bob.publicDatabase.record(for: id) }
            let mine = try await world.everyones.record(for: id)
            await fails(.permissionFailure) { try await world.everyones.save(mine) }
            await fails(.permissionFailure) { try await world.everyones.save(record("s")) }
            try world.alice.setRoles(["editors", "makers"], ofUser: World.bob)
            var changed = try await world.bob.publicDatabase.record(for: id)
            changed["a"] = 2
            _ = try await world.bob.publicDatabase.save(changed)
            try await world.bob.publicDatabase.put(record("s"))
        },
    ]

    @Test("Containers and accounts", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(World()) }
}
