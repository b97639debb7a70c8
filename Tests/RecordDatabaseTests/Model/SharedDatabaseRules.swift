// What participants see of a share, and what they may do.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SharedDatabaseRules {
    static let rules: [Rule] = [
        Rule(348, text: "without shares the shared database is empty") { world async throws in
            #expect(try await world.bobs.allRecordZones().isEmpty)
            let changes = try await world.bobs.databaseChanges()
            #expect(changes.modifications.isEmpty && changes.deletions.isEmpty && !changes.moreComing)
            #expect(try await world.bobs.databaseChanges(since: changes.changeToken).changeToken == changes.changeToken)
            #expect(try await world.bobs.allSubscriptions().isEmpty)
            await fails(.zoneNotFound) { try await world.bobs.record(for: world.theirs("list")) }
            await fails(.notAuthenticated) { try await world.nobody.sharedDatabase.allRecordZones() }
        },
        Rule(349, 350, text: "a participant sees the owner's zone with what is shared") { world async throws in
            let share = try await world.acceptList()
            let zones = try await world.bobs.allRecordZones()
            #expect(zones.map(\.id) == [world.theirs] && zones[0].share == nil)
            #expect(try await world.bobs.recordZone(for: world.theirs) == zones[0])
            let names: Set = ["list", "milk", "bread", "note", share.id.recordName]
            #expect(try await world.seen() == names)
            await fails(.unknownItem) { try await world.bobs.record(for: world.theirs("other")) }
            await fails(.unknownItem) { try await world.bobs.record(for: world.theirs("none")) }
            // It is nobody's else, and not the participant's own.
            await fails(.zoneNotFound) { try await world.bobs.record(for: world.own("list")) }
            await fails(.zoneNotFound) { try await world.bob.privateDatabase.record(for: world.own("list")) }
            await fails(.zoneNotFound) { try await world.alice.sharedDatabase.record(for: world.theirs("list")) }
            let carol = try world.client("_ca401") { _ in }
            await fails(.zoneNotFound) { try await carol.sharedDatabase.record(for: world.theirs("list")) }
            // Of what comes below it later, too.
            var cheese = record("cheese", in: world.zone)
            cheese.setParent(world.own("bread"))
            try await world.mine.put(cheese)
            #expect(try await world.seen() == names.union(["cheese"]))
        },
        Rule(351, text: "of a zone that is shared as a whole all is seen") { world async throws in
            try await world.putList()
            var share = Share(zoneID: world.zone)
            try share.add(.init(userRecordID: .init(World.bob), permission: .readWrite))
            share = try #require(Share(try await world.mine.save(share.record)))
            let metadata = try await world.bob.shareMetadata(for: #require(share.url), fetchingRoot: true)
            #expect(metadata.rootRecordID == nil && metadata.rootRecord == nil)
            try await world.bob.accept(metadata)
            #expect(try await world.seen() == Set(World.listed.map(\.name)).union(["cloudkit.zoneshare"]))
            let zone = try await world.bobs.recordZone(for: world.theirs)
            #expect(zone.share?.recordID == world.theirs("cloudkit.zoneshare"))
            try await world.bobs.save(record("new", in: world.theirs))
            #expect(await world.mine.has("new", in: world.zone))
            let changes = try await world.bobs.recordZoneChanges(inZoneWith: world.theirs)
            try await world.bobs.deleteRecord(withID: world.theirs("note"))
            try await world.mine.deleteRecord(withID: world.own("other"))
            let later = try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, since: changes.changeToken)
            #expect(later.modifications.isEmpty)
            #expect(later.deletions.map(\.recordID) == [world.theirs("note"), world.theirs("other")])
        },
        Rule(352, text: "records name each other as the participant names them") { world async throws in
            try await world.putList()
            var milk = try await world.mine.record(for: world.own("milk"))
            milk["near"] = .reference(RecordReference(recordID: world.own("bread")))
            milk["all"] = .list([.reference(RecordReference(recordID: world.own("list")))])
            try await world.mine.put(milk)
            let share = try await world.shareList()
            try await world.bob.accept(world.bob.shareMetadata(for: #require(share.url)))
            milk = try await world.bobs.record(for: world.theirs("milk"))
            #expect(milk.id == world.theirs("milk") && milk.parent?.recordID == world.theirs("list"))
            #expect(milk["near"] == .reference(RecordReference(recordID: world.theirs("bread"))))
            #expect(milk["all"] == .list([.reference(RecordReference(recordID: world.theirs("list")))]))
            let list = try await world.bobs.record(for: world.theirs("list"))
            #expect(list.share?.recordID == world.theirs(share.id.recordName))
            // And may be saved as they are.
            milk["near"] = .reference(RecordReference(recordID: world.theirs("note")))
            let saved = try await world.bobs.put(milk, policy: .allKeys)[0]
            #expect(saved["near"] == milk["near"] && saved.parent == milk.parent)
            #expect(
                try await world.mine.record(for: world.own("milk"))["near"]
                    == .reference(RecordReference(recordID: world.own("note"))))
            let found = try await world.bobs.recordPage(
                matching: Query("T", "near == \(world.theirs("note"))"), in: .zone(world.theirs))
            #expect(found.matchResults.map(\.0) == [world.theirs("milk")])
        },
        Rule(353, text: "the shared database is queried zone by zone") { world async throws in
            try await world.acceptList()
            await fails(.invalidArguments) { try await world.bobs.recordPage(matching: Query("T"), in: .all) }
            await fails(.zoneNotFound) { try await world.bobs.recordPage(matching: Query("T"), in: .default) }
            let query = Query("T", "name != nil", sortedBy: [.ascending("name")])
            let page = try await world.bobs.recordPage(matching: query, in: .zone(world.theirs), resultsLimit: 3)
            #expect(page.matchResults.map(\.0.recordName) == ["bread", "list", "milk"])
            #expect(page.matchResults.allSatisfy { $0.0.zoneID == world.theirs })
            let rest = try await world.bobs.recordPage(after: #require(page.queryCursor))
            #expect(rest.matchResults.map(\.0.recordName) == ["note"] && rest.queryCursor == nil)
            let cursor = try #require(page.queryCursor)
            await fails(.invalidArguments) { try await world.mine.recordPage(after: cursor) }
            let none = try await world.bobs.recordPage(matching: Query("T", "name == 'other'"), in: .zone(world.theirs))
            #expect(none.matchResults.isEmpty)
        },
        Rule(354, text: "who may only read changes nothing") { world async throws in
            try await world.acceptList(.readOnly)
            var milk = try await world.bobs.record(for: world.theirs("milk"))
            milk["name"] = "oat milk"
            await fails(.permissionFailure) { [milk] in try await world.bobs.save(milk) }
            await fails(.permissionFailure) { try await world.bobs.deleteRecord(withID: world.theirs("note")) }
            var new = record("new", in: world.theirs)
            new.setParent(world.theirs("list"))
            await fails(.permissionFailure) { [new] in try await world.bobs.save(new) }
            #expect(try await world.mine.record(for: world.own("milk"))["name"] == .string("milk"))
        },
        Rule(355, text: "who may write saves below the root") { world async throws in
            let share = try await world.acceptList()
            var milk = try await world.bobs.record(for: world.theirs("milk"))
            milk["name"] = "oat milk"
            milk = try await world.bobs.save(milk)
            #expect(milk.lastModifiedUserRecordID?.recordName == World.bob && milk.id == world.theirs("milk"))
            #expect(milk.creatorUserRecordID?.recordName == World.alice)
            #expect(try await world.mine.record(for: world.own("milk"))["name"] == .string("oat milk"))
            // What is encrypted is for all who share.
            milk.encryptedValues["price"] = "1.20"
            try await world.bobs.save(milk)
            let price: String? = try await world.mine.record(for: world.own("milk")).encryptedValues["price"]
            #expect(price == "1.20")
            let told = try await world.bobs.recordZoneChanges(inZoneWith: world.theirs).modificationResultsByID
            #expect(try told[milk.id]?.get().encryptedValues["price"] == .string("1.20"))
            var new = record("new", in: world.theirs)
            await fails(.permissionFailure) { [new] in try await world.bobs.save(new) }
            new.setParent(world.theirs("other"))
            await fails(.permissionFailure) { [new] in try await world.bobs.save(new) }
            new.setParent(world.theirs("milk"))
            var newer = record("newer", in: world.theirs)
            newer.setParent(new.id)
            try await world.bobs.put(newer, new)
            #expect(try await world.mine.record(for: world.own("newer")).creatorUserRecordID?.recordName == World.bob)
            try await world.bobs.deleteRecord(withID: newer.id)
            #expect(!(await world.mine.has("newer", in: world.zone)))
            // Out of it nothing is moved, and what is outside is not touched.
            var note = try await world.bobs.record(for: world.theirs("note"))
            note.setParent(nil as Record.ID?)
            await fails(.permissionFailure) { [note] in try await world.bobs.save(note) }
            await fails(.permissionFailure) { try await world.bobs.save(record("other", in: world.theirs)) }
            try await world.bobs.deleteRecord(withID: world.theirs("other"))
            #expect(await world.mine.has("other", in: world.zone))
            // The root and the share are the owner's.
            try await world.mine.put(record("x", in: world.zone))
            await fails(.permissionFailure) { try await world.bobs.deleteRecord(withID: world.theirs("list")) }
            var seen = try #require(Share(try await world.bobs.record(for: world.theirs(share.id.recordName))))
            #expect(seen.currentUserParticipant?.permission == .readWrite)
            seen.title = "Mine"
            await fails(.permissionFailure) { [seen] in try await world.bobs.save(seen.record) }
            #expect(try await world.current(share).title == "Groceries")
        },
        Rule(356, text: "conflicts, and batches of several owners") { world async throws in
            try await world.acceptList()
            var milk = try await world.bobs.record(for: world.theirs("milk"))
            try await world.mine.save(world.mine.record(for: world.own("milk")))
            milk["name"] = "oat milk"
            let error = await fails(.serverRecordChanged) { [milk] in try await world.bobs.save(milk) }
            let server = try #require(error?.serverRecord)
            #expect(server.id == milk.id && server.parent == milk.parent && error?.clientRecord == milk)
            var merged = server
            merged["name"] = "oat milk"
            try await world.bobs.save(merged)
            let carol = try world.client("_ca401") { _ in }
            try await carol.privateDatabase.save(RecordZone(id: .init("C")))
            let root = record("r", in: .init("C"))
            var share = Share(root: root)
            try share.add(.init(userRecordID: .init(World.bob), permission: .readWrite))
            let saved = try await carol.privateDatabase.put(root, share.record)
            let url = try #require(Share(saved[1])?.url)
            try await world.bob.accept(world.bob.shareMetadata(for: url))
            let carols = RecordZone.ID("C", ownerName: "_ca401")
            #expect(try await world.bobs.allRecordZones().map(\.id) == [carols, world.theirs])
            let ids = [world.theirs("milk"), Record.ID("r", zoneID: carols), Record.ID("r", zoneID: .init("N"))]
            let fetched = try await world.bobs.records(for: ids)
            #expect(fetched[ids[0]]?.isSuccess == true && fetched[ids[1]]?.isSuccess == true)
            #expect(fetched[ids[2]]?.failure?.code == .zoneNotFound)
            var both = try ids.prefix(2).map { try #require(fetched[$0]).get() }
            for place in both.indices { both[place]["name"] = "both" }
            both.append(record("r", in: .init("N")))
            #expect(try world.bobs.outcomes(saving: both).values.compactMap(\.self) == [.zoneNotFound])
            #expect(try await carol.privateDatabase.record(for: root.id)["name"] == .string("both"))
            await fails(.permissionFailure) { try await world.bobs.save(RecordZone(id: carols)) }
        },
        Rule(357, text: "changes of what is shared, with tokens") { world async throws in
            let share = try await world.acceptList()
            let first = try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, resultsLimit: 2)
            #expect(first.modifications.count == 2 && first.moreComing)
            let rest = try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, since: first.changeToken)
            #expect(rest.modifications.count == 3 && !rest.moreComing && rest.deletions.isEmpty)
            var token = try recoded(rest.changeToken)
            try await world.mine.put(record("unseen", in: world.zone))
            try await world.mine.deleteRecord(withID: world.own("other"))
            var changes = try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, since: token)
            #expect(changes.modifications.isEmpty && changes.deletions.isEmpty)
            token = changes.changeToken
            try await world.mine.save(world.mine.record(for: world.own("bread")))
            try await world.mine.deleteRecord(withID: world.own("note"))
            changes = try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, since: token)
            #expect(changes.modifications.map(\.id) == [world.theirs("bread")])
            #expect(changes.deletions == [RecordDeletion(recordID: world.theirs("note"), recordType: "T")])
            token = changes.changeToken
            await fails(.invalidArguments) {
                try await world.mine.recordZoneChanges(inZoneWith: world.zone, since: token)
            }
            let own = try await world.mine.recordZoneChanges(inZoneWith: world.zone).changeToken
            await fails(.invalidArguments) {
                try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, since: own)
            }
            // Whoever has left begins again.
            try await world.bobs.deleteRecord(withID: world.theirs(share.id.recordName))
            await fails(.zoneNotFound) {
                try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, since: token)
            }
            try await world.bob.accept(world.bob.shareMetadata(for: #require(share.url)))
            await fails(.changeTokenExpired) {
                try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, since: token)
            }
        },
        Rule(358, text: "records come into a share and go out of it") { world async throws in
            try await world.acceptList()
            var changes = try await world.bobs.recordZoneChanges(inZoneWith: world.theirs)
            func next() async throws -> (saved: Set<String>, gone: Set<String>) {
                changes = try await world.bobs.recordZoneChanges(
                    inZoneWith: world.theirs, since: changes.changeToken, resultsLimit: 2)
                let saved = Set(changes.modifications.map(\.id.recordName))
                return (saved, Set(changes.deletions.map(\.recordID.recordName)))
            }
            // With all below them, which are not saved themselves.
            var milk = try await world.mine.record(for: world.own("milk"))
            milk.setParent(nil as Record.ID?)
            milk = try await world.mine.save(milk)
            #expect(try await next() == ([], ["milk", "note"]))
            await fails(.unknownItem) { try await world.bobs.record(for: world.theirs("note")) }
            try await world.mine.save(world.mine.record(for: world.own("note")))
            #expect(try await next() == ([], []))
            milk.setParent(world.own("bread"))
            milk = try await world.mine.save(milk)
            #expect(try await next() == (["milk", "note"], []))
            // There and back again between two looks.
            milk.setParent(world.own("other"))
            milk = try await world.mine.save(milk)
            milk.setParent(world.own("list"))
            milk = try await world.mine.save(milk)
            #expect(try await next() == (["milk", "note"], []))
            var other = try await world.mine.record(for: world.own("other"))
            other.setParent(world.own("list"))
            other = try await world.mine.save(other)
            #expect(try await next() == (["other"], []))
            // Into another share, and into one that is accepted later.
            other.setParent(nil as Record.ID?)
            other = try await world.mine.save(other)
            #expect(try await next() == ([], ["other"]))
            let second = try await world.shareList(root: "other")
            try await world.bob.accept(world.bob.shareMetadata(for: #require(second.url)))
            #expect(try await next() == (["other", second.id.recordName], []))
            milk.setParent(other.id)
            try await world.mine.save(milk)
            #expect(try await next() == (["milk", "note"], []))
            try await world.bobs.deleteRecord(withID: world.theirs(second.id.recordName))
            await fails(.changeTokenExpired) { _ = try await next() }
            let all = try await world.seen()
            #expect(all.isSuperset(of: ["list", "bread"]) && all.isDisjoint(with: ["other", "milk", "note"]))
        },
        Rule(359, text: "zones that came into sight, changed and went") { world async throws in
            var token = try await world.bobs.databaseChanges().changeToken
            let share = try await world.acceptList()
            func next() async throws -> (changed: [RecordZone.ID], gone: [RecordZone.ID]) {
                let changes = try await world.bobs.databaseChanges(since: recoded(token))
                token = changes.changeToken
                return (changes.modifications, changes.deletions)
            }
            #expect(try await next() == ([world.theirs], []))
            #expect(try await next() == ([], []))
            try await world.mine.put(record("unseen", in: world.zone))
            #expect(try await next() == ([], []))
            try await world.mine.save(world.mine.record(for: world.own("milk")))
            #expect(try await next() == ([world.theirs], []))
            try await world.mine.deleteRecord(withID: share.id)
            #expect(try await next() == ([], [world.theirs]))
            #expect(try await next() == ([], []))
            let mine = try await world.mine.databaseChanges().changeToken
            await fails(.invalidArguments) { try await world.bobs.databaseChanges(since: mine) }
            // With a limit.
            let second = try await world.shareList()
            try await world.bob.accept(world.bob.shareMetadata(for: #require(second.url)))
            try await world.mine.save(RecordZone(id: .init("Y")))
            var whole = Share(zoneID: .init("Y"))
            whole.publicPermission = .readOnly
            let url = try #require(Share(try await world.mine.save(whole.record))?.url)
            try await world.bob.accept(world.bob.shareMetadata(for: url))
            let page = try await world.bobs.databaseChanges(resultsLimit: 1)
            #expect(page.modifications.count == 1 && page.moreComing)
            let rest = try await world.bobs.databaseChanges(since: page.changeToken)
            #expect(Set(page.modifications + rest.modifications).count == 2 && !rest.moreComing)
        },
        Rule(360, text: "subscriptions to the shared database") { world async throws in
            let share = try await world.acceptList()
            let bob2 = try world.client(World.bob) { _ in }
            let reading = bob2.readNotifications()
            try await world.bobs.save(Subscription(databaseWithRecordType: nil, id: "database"))
            try await world.bobs.save(Subscription(zoneID: world.theirs, id: "zone"))
            var query = try Subscription(recordType: "T", predicate: "name == 'tea'", id: "query")
            query.notificationInfo = Subscription.NotificationInfo()
            query.notificationInfo?.desiredKeys = ["name"]
            try await world.bobs.save(query)
            await fails(.zoneNotFound) { try await world.bobs.save(Subscription(zoneID: world.zone)) }
            #expect(try await world.bobs.allSubscriptions().map(\.id) == ["database", "query", "zone"])
            #expect(try await world.bob.privateDatabase.allSubscriptions().isEmpty)
            func told() -> [String] {
                reading.takeWaiting().map { notification in
                    #expect(notification.databaseScope == .shared)
                    return notification.subscriptionID
                }.sorted()
            }
            try await world.mine.put(record("unseen", in: world.zone, ["name": "tea"]))
            #expect(told() == [])
            try await world.mine.save(world.mine.record(for: world.own("milk")))
            #expect(told() == ["database", "zone"])
            var tea = record("tea", in: world.zone, ["name": "tea"])
            tea.setParent(world.own("list"))
            try await world.mine.put(tea)
            let notices = reading.takeWaiting()
            #expect(notices.map(\.subscriptionID).sorted() == ["database", "query", "zone"])
            let found = try #require(notices.first { $0.subscriptionID == "query" })
            #expect(found.recordID == world.theirs("tea") && found.fields["name"] == .string("tea"))
            #expect(notices.first { $0.subscriptionID == "zone" }?.recordZoneID == world.theirs)
            // Out of sight is deleted.
            tea = try await world.mine.record(for: tea.id)
            tea.setParent(nil as Record.ID?)
            try await world.mine.put(tea)
            #expect(told() == ["database", "query", "zone"])
            try await world.bobs.deleteSubscription(withID: "zone")
            try await world.mine.deleteRecord(withID: share.id)
            #expect(told() == ["database"])
            try await world.mine.save(world.mine.record(for: world.own("milk")))
            #expect(told() == [])
        },
        Rule(361, text: "records are imported where they may be saved") { world async throws in
            try await world.acceptList()
            var milk = record("milk", in: world.theirs, ["name": "oat milk"])
            milk.setParent(world.theirs("list"))
            let unseen = record("unseen", in: world.theirs, ["name": "x"])
            let error = await #expect(throws: DatabaseError.self) {
                try await world.bobs.import(RecordSet(records: [milk, unseen]))
            }
            #expect(error?.partialErrors.keys.map { $0 } == [.record(unseen.id)])
            #expect(try await world.mine.record(for: world.own("milk"))["name"] == "oat milk")
        },
    ]

    @Test("Shared databases", arguments: rules)
    func show(_ rule: Rule) async throws { try await rule.show(World()) }
}
