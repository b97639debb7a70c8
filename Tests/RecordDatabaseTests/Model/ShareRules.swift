// Shares: how they are made, who takes part, and how they end.

import Foundation
import Testing

@testable import RecordDatabase

extension World {
    /// The records of the scenes: a list with two entries, one of them with a note, and a record beside it.
    static let listed: [(name: String, parent: String?)] = [
        ("list", nil), ("milk", "list"), ("bread", "list"), ("note", "milk"), ("other", nil),
    ]

    /// The first user's zone as others name it.
    var theirs: RecordZone.ID { RecordZone.ID(zone.zoneName, ownerName: Self.alice) }
    /// A record of that zone as others name it.
    func theirs(_ name: String) -> Record.ID { Record.ID(name, zoneID: theirs) }
    func own(_ name: String) -> Record.ID { Record.ID(name, zoneID: zone) }
    /// What others share with the second user.
    var bobs: Database { bob.sharedDatabase }

    /// Saves the records of the scenes.
    func putList() async throws {
        let records = Self.listed.map { name, parent in
            var item = record(name, in: zone, ["name": .string(name)])
            item.setParent(parent.map(own))
            return item
        }
        _ = try await mine.modifyRecords(saving: records, deleting: [])
    }

    /// Shares the list with a user.
    @discardableResult
    func shareList(
        _ permission: Share.Permission = .readWrite, with user: String = bob, root: String = "list",
        publicly: Share.Permission = .none
    ) async throws -> Share {
        let root = try await mine.record(for: own(root))
        var share = Share(root: root)
        share.title = "Groceries"
        share.publicPermission = publicly
        if permission != .none { try share.add(.init(userRecordID: Record.ID(user), permission: permission)) }
        let results = try await mine.modifyRecords(saving: [root, share.record], deleting: []).saveResults
        let saved = try #require(results[share.id]).get()
        return try #require(Share(saved))
    }

    /// Shares the list, and has the second user accept it.
    @discardableResult
    func acceptList(_ permission: Share.Permission = .readWrite) async throws -> Share {
        try await putList()
        let share = try await shareList(permission)
        try await bob.accept(bob.shareMetadata(for: #require(share.url)))
        return share
    }

    /// The share as its owner sees it now.
    func current(_ share: Share) async throws -> Share {
        try #require(Share(try await mine.record(for: share.id)))
    }

    /// The names of the records of their zone that the second user sees.
    func seen() async throws -> Set<String> {
        let changes = try await bobs.recordZoneChanges(inZoneWith: theirs)
        return Set(changes.modifications.map(\.id.recordName))
    }
}

@Suite struct ShareRules {
    static let rules: [Rule] = [
        Rule(330, 331, text: "a share is saved with its root, which names it") { world async throws in
            try await world.putList()
            let root = try await world.mine.record(for: world.own("list"))
            #expect(root.share == nil)
            let share = try await world.shareList()
            #expect(share.title == "Groceries" && share.rootRecordID == root.id)
            #expect(share.record.type == "cloudkit.share" && share.id.zoneID == world.zone)
            let url = try #require(share.url)
            #expect(url.absoluteString.hasPrefix("https://www.icloud.com/share/") && url.absoluteString.count > 50)
            let saved = try await world.mine.record(for: root.id)
            #expect(saved.share?.recordID == share.id && saved.recordChangeTag != root.recordChangeTag)
            #expect(try await world.mine.record(for: world.own("milk")).share == nil)
            // What it is stays, whatever is sent.
            var again = try await world.current(share)
            again.title = "Food"
            let changed = try #require(Share(try await world.mine.save(again.record)))
            #expect(changed.url == url && changed.title == "Food" && changed.participants == share.participants)
            #expect(try await world.mine.record(for: root.id).share?.recordID == share.id)
            #expect(try recoded(saved).share == saved.share)
        },
        Rule(332, text: "a share needs its root in the same batch") { world async throws in
            try await world.putList()
            let root = try await world.mine.record(for: world.own("list"))
            await fails(.invalidArguments) { try await world.mine.save(Share(root: root).record) }
            await fails(.invalidArguments) {
                try await world.mine.save(Record(type: Share.recordType, id: world.own("s")))
            }
            let elsewhere = Share(root: root, id: Record.ID("s", zoneID: .init("Y")))
            try await world.mine.save(RecordZone(id: .init("Y")))
            let results = try world.mine.outcomes(saving: [root, elsewhere.record])
            #expect(results["s"] == .some(.invalidArguments))
            // One batch may hold a new root and its share; a root that fails takes the share with it.
            let new = record("new", in: world.zone)
            try await world.mine.put(new, Share(root: new).record)
            let stale = record("bread", in: world.zone)
            let share = Share(root: stale, id: world.own("t"))
            let codes = try world.mine.outcomes(saving: [stale, share.record], atomically: true)
            #expect(codes["bread"] == .some(.serverRecordChanged) && codes["t"] == .some(.batchRequestFailed))
            let other = try await world.current(world.shareList())
            var moved = other.record
            moved["cloudkit.root"] = .reference(RecordReference(recordID: world.own("bread"), action: .deleteSelf))
            await fails(.invalidArguments) { try await world.mine.save(moved) }
        },
        Rule(333, text: "only custom zones of private databases are shared") { world async throws in
            let root = record("r")
            try await world.mine.put(root)
            let share = Share(root: root, id: .init("s"))
            let saved = try await world.mine.record(for: root.id)
            #expect(
                try world.mine.outcomes(saving: [saved, share.record]) == ["r": nil, "s": .invalidArguments])
            await fails(.invalidArguments) { try await world.mine.save(Share(zoneID: .default).record) }
            let everyones = record("e")
            let shared = Share(root: everyones, id: .init("p"))
            #expect(
                try world.everyones.outcomes(saving: [everyones, shared.record]) == ["e": nil, "p": .invalidArguments])
        },
        Rule(334, text: "a zone is shared as a whole, and names its share") { world async throws in
            try await world.putList()
            #expect(try await world.mine.recordZone(for: world.zone).share == nil)
            let share = try #require(Share(try await world.mine.save(Share(zoneID: world.zone).record)))
            #expect(share.id.recordName == "cloudkit.zoneshare" && share.rootRecordID == nil && share.url != nil)
            #expect(try await world.mine.recordZone(for: world.zone).share?.recordID == share.id)
            #expect(try await world.mine.allRecordZones().last?.share?.recordID == share.id)
            try await world.mine.deleteRecord(withID: share.id)
            #expect(try await world.mine.recordZone(for: world.zone).share == nil)
            await fails(.invalidArguments) {
                let root = try await world.mine.record(for: world.own("list"))
                let named = Share(root: root, id: world.own(Share.zoneShareName))
                return try await world.mine.save(named.record)
            }
        },
        Rule(335, text: "a record is part of one share") { world async throws in
            try await world.putList()
            try await world.shareList()
            func share(_ name: String) async throws -> DatabaseError.Code?? {
                let root = try await world.mine.record(for: world.own(name))
                return try world.mine.outcomes(saving: [root, Share(root: root, id: world.own("s")).record])["s"]
            }
            // Again, below what is shared, and the zone around it.
            #expect(try await share("list") == .some(.alreadyShared))
            #expect(try await share("note") == .some(.alreadyShared))
            await fails(.alreadyShared) { try await world.mine.save(Share(zoneID: world.zone).record) }
            #expect(try await share("other") == .some(nil))
            // Nor can a shared record be moved below another.
            var other = try await world.mine.record(for: world.own("other"))
            other.setParent(world.own("milk"))
            await fails(.alreadyShared) { [other] in try await world.mine.save(other) }
            var list = try await world.mine.record(for: world.own("list"))
            list.setParent(world.own("other"))
            await fails(.alreadyShared) { [list] in try await world.mine.save(list) }
            // Above what is shared.
            try await world.mine.save(RecordZone(id: .init("Y")))
            let top = record("top", in: .init("Y"))
            var below = record("below", in: .init("Y"))
            below.setParent(top.id)
            try await world.mine.put(top, below, Share(root: below).record)
            let saved = try await world.mine.record(for: top.id)
            #expect(
                try world.mine.outcomes(saving: [saved, Share(root: saved, id: .init("s", zoneID: .init("Y"))).record])[
                    "s"]
                    == .some(.alreadyShared))
        },
        Rule(336, 337, text: "participants: the owner, and those added, who are pending") { world async throws in
            try await world.putList()
            var share = try await world.shareList(.readOnly)
            #expect(share.owner.userRecordID.recordName == World.alice && share.owner.role == .owner)
            #expect(share.owner.acceptanceStatus == .accepted && share.owner.permission == .readWrite)
            #expect(share.currentUserParticipant == share.owner && share.participants.count == 2)
            let bob = try #require(share.participants.last)
            #expect(bob.role == .privateUser && bob.acceptanceStatus == .pending && bob.permission == .readOnly)
            #expect(try await world.alice.shareParticipant(forUserRecordID: .init(World.bob)).role == .privateUser)
            await fails(.unknownItem) { try await world.alice.shareParticipant(forUserRecordID: .init("_none")) }
            try await world.everyones.put(record("p"))
            await fails(.unknownItem) { try await world.alice.shareParticipant(forUserRecordID: .init("p")) }
            // Nobody accepts for another one, and the owner stays what they are.
            var forged = share.record
            forged["cloudkit.participants"] = .list(
                share.participants.map {
                    var participant = $0
                    participant.acceptanceStatus = .accepted
                    participant.acceptance = 1
                    if participant.role == .owner { participant.permission = .none }
                    return .string(participant.text)
                })
            share = try #require(Share(try await world.mine.save(forged)))
            #expect(share.owner.permission == .readWrite && share.participants.last?.acceptanceStatus == .pending)
            try share.setPermission(.readWrite, of: bob)
            share = try #require(Share(try await world.mine.save(share.record)))
            #expect(share.participants.last?.permission == .readWrite && share.participants.last?.id == bob.id)
            await fails(.invalidArguments) {
                var share = share
                return try share.setPermission(.readOnly, of: share.owner)
            }
            await fails(.invalidArguments) {
                var share = share
                return try share.setPermission(.unknown, of: bob)
            }
            var broken = share.record
            broken["cloudkit.participants"] = ["somebody"]
            await fails(.invalidArguments) { [broken] in try await world.mine.save(broken) }
        },
        Rule(338, text: "a user is invited once, and only so many are") { world async throws in
            try await world.putList()
            let share = try await world.shareList()
            await fails(.participantAlreadyInvited) {
                var share = share
                return try share.add(.init(userRecordID: .init(World.bob)))
            }
            // Two clients invite the same user.
            var stale = try await world.current(share)
            stale.participants = [stale.owner, .init(userRecordID: .init(World.bob))]
            await fails(.participantAlreadyInvited) { [stale] in
                try world.mine.modify(ModifyRequest(saves: [stale.record], policy: .changedKeys))
                    .saves[0].result.get()
            }
            var own = try await world.current(share)
            own.participants += [.init(userRecordID: .init(World.alice))]
            await fails(.participantAlreadyInvited) { [own] in try await world.mine.save(own.record) }
            let small = try world.client(World.alice) { $0.limits.participantsPerShare = 2 }
            var large = try await world.current(share)
            try large.add(.init(userRecordID: .init("_c")))
            await fails(.tooManyParticipants) { [large] in try await small.privateDatabase.save(large.record) }
            try await world.mine.save(large.record)
        },
        Rule(339, text: "a URL tells those who may accept a share") { world async throws in
            try await world.putList()
            let share = try await world.shareList(.readOnly)
            let url = try #require(share.url)
            let metadata = try await world.bob.shareMetadata(for: url, fetchingRoot: true)
            #expect(metadata.share.title == "Groceries" && metadata.ownerUserRecordID.recordName == World.alice)
            #expect(metadata.participantRole == .privateUser && metadata.participantStatus == .pending)
            #expect(metadata.participantPermission == .readOnly && metadata.containerIdentifier == "test")
            #expect(metadata.rootRecordID == world.theirs("list") && metadata.zoneID == world.theirs)
            #expect(metadata.rootRecord?["name"] == .string("list"))
            #expect(metadata.share.currentUserParticipant?.userRecordID.recordName == World.bob)
            #expect(try await world.alice2.shareMetadata(for: url).participantRole == .owner)
            let carol = try world.client("_ca401") { _ in }
            await fails(.participantMayNeedVerification) { try await carol.shareMetadata(for: url) }
            await fails(.participantMayNeedVerification) { try await carol.accept(metadata) }
            await fails(.notAuthenticated) { try await world.nobody.shareMetadata(for: url) }
            let unknown = try #require(URL(string: "https://www.icloud.com/share/none"))
            await fails(.unknownItem) { try await world.bob.shareMetadata(for: unknown) }
            let foreign = try #require(URL(string: "https://example.com/share/none"))
            await fails(.invalidArguments) { try await world.bob.shareMetadata(for: foreign) }
            let decorated = try #require(URL(string: url.absoluteString + "#Groceries"))
            #expect(try await world.bob.shareMetadata(for: decorated).share.id == metadata.share.id)
        },
        Rule(340, text: "a share is accepted once, not by its owner") { world async throws in
            try await world.putList()
            let share = try await world.shareList()
            let metadata = try await world.bob.shareMetadata(for: #require(share.url))
            let accepted = try await world.bob.accept(metadata)
            #expect(accepted.currentUserParticipant?.acceptanceStatus == .accepted)
            #expect(accepted.id == Record.ID(share.id.recordName, zoneID: world.theirs))
            let tag = try await world.current(share).record.recordChangeTag
            try await world.bob.accept(metadata)
            #expect(try await world.current(share).record.recordChangeTag == tag)
            #expect(try await world.current(share).participants.last?.acceptanceStatus == .accepted)
            await fails(.invalidArguments) {
                try await world.alice.accept(world.alice.shareMetadata(for: #require(share.url)))
            }
            try await world.mine.deleteRecord(withID: share.id)
            await fails(.unknownItem) { try await world.bob.accept(metadata) }
        },
        Rule(341, 342, text: "everyone with the URL, if the owner allows it") { world async throws in
            try await world.putList()
            var share = try await world.shareList(.none, publicly: .readOnly)
            let metadata = try await world.bob.shareMetadata(for: #require(share.url))
            #expect(metadata.participantRole == .publicUser && metadata.participantPermission == .readOnly)
            try await world.bob.accept(metadata)
            share = try await world.current(share)
            #expect(share.participants.last?.role == .publicUser && share.publicPermission == .readOnly)
            #expect(try await world.bobs.record(for: world.theirs("milk"))["name"] == .string("milk"))
            await fails(.permissionFailure) { try await world.bobs.save(world.bobs.record(for: world.theirs("milk"))) }
            share.publicPermission = .readWrite
            share = try #require(Share(try await world.mine.save(share.record)))
            try await world.bobs.save(world.bobs.record(for: world.theirs("milk")))
            // A participant who was added may do no less than everyone.
            try share.add(.init(userRecordID: .init("_ca401"), permission: .readOnly))
            share = try #require(Share(try await world.mine.save(share.record)))
            let carol = try world.client("_ca401") { _ in }
            let invited = try await carol.shareMetadata(for: #require(share.url))
            #expect(invited.participantRole == .privateUser && invited.participantPermission == .readWrite)
            // Back to those who were added.
            share = try await world.current(share)
            share.publicPermission = .none
            share = try #require(Share(try await world.mine.save(share.record)))
            #expect(share.participants.map(\.role) == [.owner, .privateUser])
            await fails(.zoneNotFound) { try await world.bobs.record(for: world.theirs("milk")) }
        },
        Rule(343, text: "a participant leaves by deleting the share") { world async throws in
            let share = try await world.acceptList(.readOnly)
            try await world.bobs.deleteRecord(withID: world.theirs(share.id.recordName))
            #expect(try await world.bobs.allRecordZones().isEmpty)
            let left = try await world.current(share)
            #expect(left.participants.last?.acceptanceStatus == .removed)
            #expect(try await world.mine.record(for: world.own("list")).share?.recordID == share.id)
            // One who was added may come back.
            try await world.bob.accept(world.bob.shareMetadata(for: #require(share.url)))
            #expect(await world.bobs.has("milk", in: world.theirs))
            try await world.bobs.deleteRecordZone(withID: world.theirs)
            await fails(.zoneNotFound) { try await world.bobs.recordZone(for: world.theirs) }
            #expect(await world.mine.has("milk", in: world.zone))
            // One who came by the URL is forgotten.
            var open = try await world.current(share)
            open.participants = [open.owner]
            open.publicPermission = .readOnly
            try await world.mine.save(open.record)
            try await world.bob.accept(world.bob.shareMetadata(for: #require(share.url)))
            try await world.bobs.deleteRecord(withID: world.theirs(share.id.recordName))
            #expect(try await world.current(share).participants.count == 1)
        },
        Rule(344, text: "who is taken away sees nothing") { world async throws in
            let share = try await world.acceptList()
            var current = try await world.current(share)
            try current.setPermission(.none, of: #require(current.participants.last))
            current = try #require(Share(try await world.mine.save(current.record)))
            await fails(.zoneNotFound) { try await world.bobs.record(for: world.theirs("milk")) }
            try current.setPermission(.readOnly, of: #require(current.participants.last))
            current = try #require(Share(try await world.mine.save(current.record)))
            #expect(await world.bobs.has("milk", in: world.theirs))
            current.remove(try #require(current.participants.last))
            try await world.mine.save(current.record)
            await fails(.zoneNotFound) { try await world.bobs.record(for: world.theirs("milk")) }
            await fails(.participantMayNeedVerification) {
                try await world.bob.shareMetadata(for: #require(share.url))
            }
        },
        Rule(345, 346, text: "a share ends when it, its root or its zone is deleted") { world async throws in
            let share = try await world.acceptList()
            let root = try await world.mine.record(for: world.own("list"))
            try await world.mine.deleteRecord(withID: share.id)
            let free = try await world.mine.record(for: root.id)
            #expect(free.share == nil && free.recordChangeTag != root.recordChangeTag)
            #expect(try await world.bobs.allRecordZones().isEmpty)
            await fails(.unknownItem) { try await world.bob.shareMetadata(for: #require(share.url)) }
            let second = try await world.shareList(root: "note")
            #expect(second.url != share.url)
            try await world.bob.accept(world.bob.shareMetadata(for: #require(second.url)))
            try await world.mine.deleteRecord(withID: world.own("note"))
            await fails(.unknownItem) { try await world.mine.record(for: second.id) }
            await fails(.zoneNotFound) { try await world.bobs.recordZone(for: world.theirs) }
            let third = try await world.shareList()
            try await world.bob.accept(world.bob.shareMetadata(for: #require(third.url)))
            try await world.mine.deleteRecordZone(withID: world.zone)
            await fails(.zoneNotFound) { try await world.bobs.record(for: world.theirs("milk")) }
            #expect(try await world.bobs.allRecordZones().isEmpty)
        },
        Rule(347, text: "shares have fields of their own") { world async throws in
            try await world.putList()
            var share = Share(rootRecordID: world.own("list"))
            share.title = "T"
            share.type = "com.example.list"
            share.thumbnailImageData = Data([1, 2])
            share["colour"] = "red"
            let root = try await world.mine.record(for: world.own("list"))
            try await world.mine.put(root, share.record)
            let saved = try await world.current(share)
            #expect(saved.title == "T" && saved.type == "com.example.list" && saved.thumbnailImageData == Data([1, 2]))
            #expect(saved["colour"] == .string("red"))
            await fails(.invalidArguments) {
                try await world.mine.save(record("r", in: world.zone, ["cloudkit.title": "T"]))
            }
            let found = try await world.mine.recordPage(
                matching: Query("cloudkit.share", "colour == 'red'"), in: .zone(world.zone))
            #expect(found.matchResults.map(\.0) == [share.id])
            let text = world.alice.schema.text
            #expect(try ContainerSchema(text: text) == world.alice.schema)
        },
    ]

    @Test("Shares", arguments: rules)
    func show(_ rule: Rule) async throws { try await rule.show(World()) }

    @Test func productionHasShares() async throws {
        let world = try await World()
        try await world.putList()
        let production = try world.client(World.alice) { $0.environment = .production }
        let database = production.privateDatabase
        #expect(try database.find(Query("cloudkit.share"), in: .zone(world.zone)).matches.isEmpty)
        let root = try await database.record(for: world.own("list"))
        try await database.put(root, Share(root: root).record)
    }
}
