// Snapshots, live queries and transactions of the shared database.

import Foundation
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.mayDeadlock) struct SharedMomentRules {
    static let rules: [Rule] = [
        Rule(362, text: "a snapshot of the shared database is what all others share at one moment") {
            world async throws in
            #expect(try world.bobs.snapshot().records(ofType: "T").count == 0)
            let share = try await world.acceptList()
            try await world.putNear()
            let carols = try await world.shareOfCarol()
            let snapshot = try world.bobs.snapshot()
            let all = try snapshot.records(ofType: "T")
            let names = try all.records(matching: "name != nil", sortedBy: [.ascending("recordName")]).map(\.id)
            #expect(names == [world.theirs("bread"), world.theirs("list"), world.theirs("milk"), world.theirs("note")])
            #expect(all.count == 5)
            #expect(all.ordinals(ofType: "T").contains { all.recordID(at: $0) == Record.ID("r", zoneID: carols) })
            #expect(try snapshot.records(ofType: "T", in: .zone(carols)).count == 1)
            #expect(try snapshot.records(ofType: "T", in: .zone(world.zone)).count == 0)
            // References lead where the participant sees something, under the names that the participant knows.
            #expect(try all.count(matching: "near.name == 'bread'") == 1)
            #expect(try all.count(matching: "near == \(world.theirs("bread"))") == 1)
            #expect(try all.count(matching: "near == \(world.own("bread"))") == 0)
            #expect(try all.count(matching: "hidden.name == 'other'") == 0)
            #expect(try all.count(matching: "ANY many == \(world.theirs("list"))") == 1)
            #expect(try all.count(matching: "parent == \(world.theirs("list"))") == 2)
            #expect(try all.count(matching: "creatorUserRecordID == \(Record.ID(World.alice))") == 4)
            // Records are those that fetching gives.
            for name in ["milk", share.id.recordName] {
                let fetched = try await world.bobs.record(for: world.theirs(name))
                let read = try snapshot.record(for: world.theirs(name))
                #expect(read == fetched && read.encryptedValues.stored == fetched.encryptedValues.stored)
            }
            let seen = try #require(Share(try snapshot.record(for: world.theirs(share.id.recordName))))
            #expect(seen.currentUserParticipant?.userRecordID.recordName == World.bob)
            #expect(throws: DatabaseError.self) { try snapshot.record(for: world.theirs("other")) }
            #expect(throws: DatabaseError.self) { try snapshot.record(for: world.own("milk")) }
            // A file that is gone fails its record only.
            let scratch = try AssetRules.Scratch()
            var note = try await world.mine.record(for: world.own("note"))
            note["file"] = .asset(try Asset(fileURL: scratch.file("a", Data("a".utf8))))
            let file: Asset = try #require(try await world.mine.save(note)["file"])
            let later = try world.bobs.snapshot()
            try world.loseBytes(file)
            await fails(.assetNotAvailable) { try later.record(for: world.theirs("note")) }
            #expect(try later.record(for: world.theirs("milk")).id == world.theirs("milk"))
            #expect(try snapshot.record(for: world.theirs("note"))["file"] == nil)
            // What happens later does not change it.
            try await world.mine.deleteRecord(withID: share.id)
            #expect(try snapshot.records(ofType: "T").count == 5)
            #expect(try await world.bobs.read { try $0.records(ofType: "T").count } == 1)
            await fails(.notAuthenticated) { try await world.nobody.sharedDatabase.read { _ in 0 } }
        },
        Rule(363, text: "a live query follows what is shared, and access to it") { world async throws in
            try await world.putList()
            let query = Query("T", "name != 'bread'", sortedBy: [.ascending("name")])
            let everywhere = world.bobs.watch(query, in: .all)
            var mirror = LiveQueryTests.Mirror()
            func now() throws -> [String] {
                for step in try everywhere.takeSteps() { mirror.apply(step) }
                return mirror.records.map(\.id.recordName)
            }
            #expect(try now() == [])
            let missing = world.bobs.watch(query, in: .zone(world.theirs))
            #expect(throws: DatabaseError.self) { try missing.takeSteps() }
            let share = try await world.shareList()
            #expect(try now() == [])
            // Access begins.
            try await world.bob.accept(world.bob.shareMetadata(for: #require(share.url)))
            #expect(try now() == ["list", "milk", "note"])
            #expect(mirror.records.map(\.id.zoneID) == Array(repeating: world.theirs, count: 3))
            let ofZone = world.bobs.watch(query, in: .zone(world.theirs))
            #expect(try ofZone.takeSteps().count == 1)
            // Records come into the share and go out of it with what is above them.
            var milk = try await world.mine.record(for: world.own("milk"))
            milk.setParent(nil as Record.ID?)
            milk = try await world.mine.save(milk)
            #expect(try now() == ["list"])
            #expect(try ofZone.takeSteps().count == 2)
            milk.setParent(world.own("list"))
            milk["name"] = "a"
            try await world.mine.save(milk)
            #expect(try now() == ["milk", "list", "note"])
            // Of what is not shared nothing is told.
            try await world.mine.put(record("unseen", in: world.zone, ["name": "x"]))
            #expect(try everywhere.takeSteps().isEmpty)
            // Access ends, and begins again.
            try await world.bobs.deleteRecord(withID: world.theirs(share.id.recordName))
            #expect(try now() == [])
            try await world.bob.accept(world.bob.shareMetadata(for: #require(share.url)))
            #expect(try now().count == 3)
            try await world.mine.deleteRecordZone(withID: world.zone)
            #expect(try now() == [])
            #expect(try ofZone.takeSteps().last.map { if case .removed = $0 { true } else { false } } == true)
        },
        Rule(364, text: "what is observed is read again after changes of what is shared") { world async throws in
            try await world.putList()
            let carol = try world.client("_ca401") { _ in }
            var counts = world.bobs.observe { try $0.records(ofType: "T").count }.makeAsyncIterator()
            #expect(try await counts.next() == 0)
            var steps = world.bobs.changes(matching: Query("T", "name == 'tea'"), in: .all).makeAsyncIterator()
            guard case .initial(let none)? = try await steps.next() else { throw DatabaseError.cancelled }
            #expect(none.isEmpty)
            let share = try await world.shareList()
            try await world.bob.accept(world.bob.shareMetadata(for: #require(share.url)))
            #expect(try await counts.next() == 4)
            _ = try await world.shareOfCarol(carol)
            #expect(try await counts.next() == 5)
            var tea = record("tea", in: world.zone, ["name": "tea"])
            tea.setParent(world.own("list"))
            try await world.mine.put(tea)
            #expect(try await counts.next() == 6)
            guard case .inserted(let found, 0)? = try await steps.next() else { throw DatabaseError.cancelled }
            #expect(found.id == world.theirs("tea"))
            try await world.mine.deleteRecord(withID: share.id)
            #expect(try await counts.next() == 1)
            guard case .removed(world.theirs("tea"), 0)? = try await steps.next() else { throw DatabaseError.cancelled }
        },
        Rule(365, text: "a transaction of a participant saves what the participant may") { world async throws in
            let share = try await world.acceptList(.readOnly)
            @Sendable func write(_ body: @escaping @Sendable (DatabaseTransaction) throws -> Void) async throws {
                try await world.bobs.write(body)
            }
            @Sendable func rename(_ name: String) -> @Sendable (DatabaseTransaction) throws -> Void {
                { transaction in
                    var item = try transaction.record(for: world.theirs(name))
                    item["name"] = "mine"
                    try transaction.save(item)
                }
            }
            await fails(.permissionFailure) { try await write(rename("milk")) }
            await fails(.permissionFailure) { try await write { $0.deleteRecord(withID: world.theirs("note")) } }
            var changed = try await world.current(share)
            changed.remove(try #require(changed.participants.first { $0.role != .owner }))
            changed = try #require(Share(try await world.mine.save(changed.record)))
            try changed.add(.init(userRecordID: .init(World.bob), permission: .readWrite))
            try await world.mine.save(changed.record)
            // Who was taken away sees nothing until the share is accepted again.
            await fails(.unknownItem) { try await write(rename("milk")) }
            await fails(.zoneNotFound) { try await write { try $0.save(record("new", in: world.theirs)) } }
            try await world.bob.accept(world.bob.shareMetadata(for: #require(share.url)))
            try await write(rename("milk"))
            let saved = try await world.mine.record(for: world.own("milk"))
            #expect(saved["name"] == "mine" && saved.lastModifiedUserRecordID?.recordName == World.bob)
            await fails(.unknownItem) { try await write(rename("other")) }
            await fails(.permissionFailure) { try await write { try $0.save(record("new", in: world.theirs)) } }
            await fails(.permissionFailure) { try await write { try $0.save(record("other", in: world.theirs)) } }
            await fails(.permissionFailure) { try await write { $0.deleteRecord(withID: world.theirs("list")) } }
            await fails(.permissionFailure) { try await write(rename(share.id.recordName)) }
            await fails(.zoneNotFound) { try await write { try $0.save(record("new", in: world.zone)) } }
            await fails(.zoneNotFound) {
                try await write { try $0.save(record("new", in: .init("Z", ownerName: "_nobody"))) }
            }
            // Nothing is said about what is not seen.
            try await write { $0.deleteRecord(withID: world.theirs("other")) }
            #expect(await world.mine.has("other", in: world.zone))
            // Leaving is a change like others.
            try await write { transaction in
                try rename("bread")(transaction)
                transaction.deleteRecord(withID: world.theirs(share.id.recordName))
            }
            #expect(try await world.bobs.allRecordZones().isEmpty)
            #expect(try await world.mine.record(for: world.own("bread"))["name"] == "mine")
        },
        Rule(366, text: "a transaction in the shared database counts all or not at all") { world async throws in
            let share = try await world.acceptList()
            struct Stop: Error {}
            await #expect(throws: Stop.self) {
                try await world.bobs.write { transaction in
                    try transaction.updateAll("T") { $0["name"] = "x" }
                    throw Stop()
                }
            }
            let stale = try await world.bobs.record(for: world.theirs("milk"))
            try await world.mine.save(world.mine.record(for: world.own("milk")))
            // Of the two only the one that others changed has failed.
            let error = await fails(.serverRecordChanged) {
                try await world.bobs.write { transaction -> Void in
                    try transaction.updateAll("T", where: "name == 'bread'") { $0["name"] = "x" }
                    var milk = stale
                    milk["name"] = "x"
                    try transaction.save(milk)
                }
            }
            #expect(error?.serverRecord?.id == world.theirs("milk"))
            #expect(error?.serverRecord?.parent?.recordID == world.theirs("list"))
            #expect(try await world.mine.read { try $0.records(ofType: "T").count(matching: "name == 'x'") } == 0)
            // Many writers, none of whom loses what another one did.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for database in [world.bobs, world.mine, world.bobs, world.mine] {
                    let milk = database.scope == .shared ? world.theirs("milk") : world.own("milk")
                    group.addTask {
                        for _ in 0..<10 {
                            try await database.write { transaction in
                                var record = try transaction.record(for: milk)
                                record["count"] = (record["count"] ?? 0) + 1
                                try transaction.save(record)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await world.mine.record(for: world.own("milk"))["count"] == .int64(40))
            // A share that is ended meanwhile ends behind the transaction.
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            async let written: Void = world.bobs.write { transaction in
                begin.finish()
                Thread.sleep(forTimeInterval: 0.02)
                try transaction.updateAll("T", where: "name == 'bread'") { $0["name"] = "last" }
            }
            for await _ in begun {}
            try await world.mine.deleteRecord(withID: share.id)
            try await written
            #expect(try await world.mine.record(for: world.own("bread"))["name"] == "last")
            #expect(try await world.bobs.allRecordZones().isEmpty)
        },
        Rule(367, text: "a transaction is of one owner's records, and sees what it changed") { world async throws in
            try await world.acceptList()
            let carols = try await world.shareOfCarol()
            try await world.bobs.write { transaction in
                // Read is what all share, changed what one of them does.
                #expect(try transaction.records(ofType: "T").count == 5)
                var tea = record("tea", in: world.theirs, ["name": "tea"])
                tea.setParent(world.theirs("milk"))
                tea["near"] = .reference(RecordReference(recordID: world.theirs("bread")))
                try transaction.save(tea)
                #expect(try transaction.records(ofType: "T").count(matching: "near.name == 'bread'") == 1)
                transaction.deleteRecord(withID: world.theirs("note"))
                let names = try transaction.records(ofType: "T", in: .zone(world.theirs))
                    .records(matching: "name != nil", sortedBy: [.ascending("name")]).map(\.id)
                #expect(names == ["bread", "list", "milk", "tea"].map(world.theirs))
                #expect(try transaction.records(ofType: "T", in: .zone(carols)).count == 1)
                // What goes out of the share is gone.
                #expect(throws: DatabaseError.self) { try transaction.record(for: world.theirs("note")) }
            }
            let stored = try await world.mine.record(for: world.own("tea"))
            #expect(stored["near"] == .reference(RecordReference(recordID: world.own("bread"))))
            #expect(stored.creatorUserRecordID?.recordName == World.bob)
            #expect(!(await world.mine.has("note", in: world.zone)))
            await fails(.invalidArguments) {
                try await world.bobs.write { transaction -> Void in
                    for id in [world.theirs("milk"), Record.ID("r", zoneID: carols)] {
                        var record = try transaction.record(for: id)
                        record["name"] = "both"
                        try transaction.save(record)
                    }
                }
            }
            #expect(try await world.bobs.read { try $0.count(ofType: "T", matching: "name == 'both'") } == 0)
        },
    ]

    @Test("Moments of shared databases", arguments: rules)
    func show(_ rule: Rule) async throws { try await rule.show(World()) }
}

extension World {
    /// Gives the milk references, of which one leads out of the share, and a secret.
    fileprivate func putNear() async throws {
        var milk = try await mine.record(for: own("milk"))
        milk["near"] = .reference(RecordReference(recordID: own("bread")))
        milk["hidden"] = .reference(RecordReference(recordID: own("other")))
        milk["many"] = .list([.reference(RecordReference(recordID: own("list")))])
        milk.encryptedValues["price"] = "1.20"
        try await mine.put(milk)
    }

    /// Has a third user share a record `r` with the second one, who accepts it.
    ///
    /// - Returns: The zone as the second user names it.
    @discardableResult
    func shareOfCarol(_ known: Container? = nil) async throws -> RecordZone.ID {
        let carol = try known ?? client("_ca401") { _ in }
        // Named as the first user's, so that nothing but the owner tells them apart.
        try await carol.privateDatabase.save(RecordZone(id: zone))
        let root = record("r", in: zone)
        var share = Share(root: root)
        try share.add(.init(userRecordID: .init(Self.bob), permission: .readWrite))
        let saved = try await carol.privateDatabase.put(root, share.record)
        try await bob.accept(bob.shareMetadata(for: #require(Share(saved[1])?.url)))
        return RecordZone.ID(zone.zoneName, ownerName: "_ca401")
    }
}
