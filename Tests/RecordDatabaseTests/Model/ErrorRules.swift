// Errors: their codes, what they carry, and the situations that only configuration brings about.

import Foundation
import Synchronization
import Testing

@testable import RecordDatabase

@Suite struct ErrorRules {
    private static let rawValues: [(Int, DatabaseError.Code)] = [
        (1, .internalError), (2, .partialFailure), (3, .networkUnavailable), (4, .networkFailure), (5, .badContainer),
        (6, .serviceUnavailable), (7, .requestRateLimited), (8, .missingEntitlement), (9, .notAuthenticated),
        (10, .permissionFailure), (11, .unknownItem), (12, .invalidArguments), (13, .resultsTruncated),
        (14, .serverRecordChanged), (15, .serverRejectedRequest), (16, .assetFileNotFound), (17, .assetFileModified),
        (18, .incompatibleVersion), (19, .constraintViolation), (20, .operationCancelled), (21, .changeTokenExpired),
        (22, .batchRequestFailed), (23, .zoneBusy), (24, .badDatabase), (25, .quotaExceeded), (26, .zoneNotFound),
        (27, .limitExceeded), (28, .userDeletedZone), (29, .tooManyParticipants), (30, .alreadyShared),
        (31, .referenceViolation), (32, .managedAccountRestricted), (33, .participantMayNeedVerification),
        (34, .serverResponseLost), (35, .assetNotAvailable), (36, .accountTemporarilyUnavailable),
        (37, .participantAlreadyInvited),
    ]

    static let rules: [Rule] = [
        Rule(325, text: "codes have CloudKit's numbers") { _ async throws in
            #expect(rawValues.map(\.1) == DatabaseError.Code.allCases)
            for (number, code) in rawValues { #expect(code.rawValue == number) }
        },
        Rule(326, text: "partial errors are those of the items that failed") { world async throws in
            let error = await fails(.partialFailure) {
                try await world.mine.modifyRecords(
                    saving: [record("good"), record("bad", in: .init("None"))], deleting: [])
            }
            #expect(
                error?.partialErrors.keys.sorted { "\($0)" < "\($1)" } == [.record(.init("bad", zoneID: .init("None")))]
            )
            #expect(error?.partialErrors.values.map(\.code) == [.zoneNotFound])
        },
        Rule(327, text: "what belongs to other codes is nil") { _ async throws in
            for (_, code) in rawValues {
                let error = DatabaseError(code, "reason", retryAfter: .seconds(3))
                #expect(error.serverRecord == nil && error.clientRecord == nil && error.ancestorRecord == nil)
                #expect(error.partialErrors.isEmpty)
                let waits: Set<DatabaseError.Code> = [.serviceUnavailable, .requestRateLimited, .zoneBusy]
                #expect(error.retryAfter == (waits.contains(code) ? .seconds(3) : nil))
            }
        },
        Rule(329, text: "reasons name what is at fault, and no values") { world async throws in
            let wrong = record("r", ["secretField": .double(.nan), "text": "secret value"])
            let error = await fails(.invalidArguments) { try await world.mine.save(wrong) }
            #expect(
                error?.reason.contains("secretField") == true
                    && "\(error ?? .init(.internalError, ""))".contains("secret value") == false)
            let limit = await fails(.limitExceeded) {
                try await world.mine.records(for: (0...400).map { Record.ID("r\($0)") })
            }
            #expect(limit?.reason.contains("400") == true)
        },
        Rule(322, 323, text: "a cancelled task does nothing") { world async throws in
            let database = world.mine
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                await fails(.operationCancelled) { try await database.save(record("r")) }
                await fails(.operationCancelled) { try await database.record(for: .init("r")) }
                await fails(.operationCancelled) { try await database.recordPage(matching: Query("T"), in: .default) }
            }
            task.cancel()
            await task.value
            #expect(!(await world.mine.has("r")))
        },
    ]

    @Test("Errors", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(World()) }

    @Test("Table 3: faults are injected before anything is done")
    func faults() async throws {
        for (_, code) in Self.rawValues {
            let calls = Mutex<[DatabaseCall]>([])
            let world = try await World()
            let client = try world.client(World.alice) { configuration in
                configuration.faults = { call in
                    calls.withLock { $0.append(call) }
                    return call.kind == .modifyRecords ? DatabaseError(code, "injected") : nil
                }
            }
            await fails(code) { try await client.privateDatabase.save(record("r")) }
            #expect(!(await client.privateDatabase.has("r")))
            #expect(calls.withLock { $0.map(\.kind) } == [.modifyRecords, .fetchRecords])
        }
    }

    @Test("Table 3: what configuration and other calls bring about")
    func situations() async throws {
        let world = try await World()
        let limited = try world.client(World.alice) { $0.limits.callsPerSecond = 2 }
        for _ in 0..<2 { _ = try await limited.privateDatabase.allRecordZones() }
        let error = await fails(.requestRateLimited) { try await limited.privateDatabase.allRecordZones() }
        #expect(error?.retryAfter == .milliseconds(500))
        world.clock.advance(0.5)
        _ = try await limited.privateDatabase.allRecordZones()
        let small = try world.client(World.alice) { $0.limits.bytesPerStore = 10_000 }
        await fails(.quotaExceeded) {
            try await small.privateDatabase.save(record("r", ["d": .data(Data(count: 20_000))]))
        }
        // Assets count, too, and what is refused leaves no file for good.
        let file = TemporaryFolder()
        try Data(count: 20_000).write(to: file.url)
        var heavy = record("heavy")
        heavy["file"] = FieldValue.asset(try Asset(fileURL: file.url))
        await fails(.quotaExceeded) { try await small.privateDatabase.save(heavy) }
        try await small.privateDatabase.put(record("light", ["n": 1]))
        #expect(await small.removeUnusedAssets() == 0)
        let hasty = try world.client(World.alice) { $0.limits.queryTime = .zero }
        try await world.mine.put(record("quick"))
        await fails(.limitExceeded) { try await hasty.privateDatabase.recordPage(matching: Query("T"), in: .default) }
        let patient = try world.client(World.alice) { $0.limits.queryTime = .seconds(1000) }
        #expect(
            try await patient.privateDatabase.recordPage(matching: Query("T"), in: .default).matchResults.count == 2)
        try await world.mine.purgeRecordZone(withID: world.zone)
        await fails(.userDeletedZone) { try await world.mine.record(for: .init("r", zoneID: world.zone)) }
        await fails(.userDeletedZone) { try await world.mine.save(record("r", in: world.zone)) }
        try await world.mine.save(RecordZone(id: world.zone))
        try await world.mine.put(record("r", in: world.zone))
        try await nothingIsShared(world)
        world.alice2.close()
        await fails(.badContainer) { try await world.mine2.allRecordZones() }
        let newer = Data(#"{"format": 99}"#.utf8)
        await fails(.incompatibleVersion) { try JSONDecoder().decode(ChangeToken.self, from: newer) }
        await fails(.incompatibleVersion) { try JSONDecoder().decode(Query.Cursor.self, from: newer) }
    }

    /// The shared database lists no zones and no changes of zones, and has none where a call names one.
    private func nothingIsShared(_ world: World) async throws {
        let shared = world.alice.sharedDatabase
        #expect(try await shared.allRecordZones().isEmpty)
        let changes = try await shared.databaseChanges()
        #expect(changes.modifications.isEmpty && changes.deletions.isEmpty && !changes.moreComing)
        #expect(try await shared.databaseChanges(since: changes.changeToken).changeToken == changes.changeToken)
        await fails(.invalidArguments) { try await world.mine.databaseChanges(since: changes.changeToken) }
        let mine = try await world.mine.databaseChanges()
        await fails(.invalidArguments) { try await shared.databaseChanges(since: mine.changeToken) }
        #expect(try await shared.recordZones(for: [world.zone])[world.zone]?.failure?.code == .zoneNotFound)
        await fails(.permissionFailure) { try await shared.save(RecordZone(id: world.zone)) }
        await fails(.zoneNotFound) { try await shared.save(record("r")) }
        await fails(.zoneNotFound) { try await shared.record(for: .init("r")) }
        await fails(.zoneNotFound) { try await shared.deleteRecord(withID: .init("r")) }
        await fails(.zoneNotFound) { try await shared.recordPage(matching: Query("T"), in: .zone(world.zone)) }
        await fails(.zoneNotFound) { try await shared.recordZoneChanges(inZoneWith: world.zone) }
        #expect(try await shared.allSubscriptions().isEmpty)
        await fails(.notAuthenticated) { try await world.nobody.sharedDatabase.allRecordZones() }
    }

    @Test func observersSeeCommitsInOrder() async throws {
        let world = try await World()
        struct Seen: Equatable {
            var saved: [String] = []
            var deleted: [String] = []
        }
        let seen = Mutex<[Seen]>([])
        let number = world.alice.client.store.events.add { event in
            var entry = Seen()
            for save in event.commit.saves {
                let (old, new) = (event.previous(save)?["n"] as Int?, event.saved(save)?["n"] as Int?)
                entry.saved.append("\(save.id.recordName) \(old ?? -1) \(new ?? -1)")
            }
            entry.deleted = event.commit.deletions.map {
                "\($0.id.recordName) \(event.deleted($0)?["n"] as Int? ?? -1)"
            }
            seen.withLock { $0.append(entry) }
        }
        let owner = FieldValue.reference(RecordReference("a", action: .deleteSelf))
        var saved = try await world.mine.put(record("a", ["n": 1]), record("b", ["n": 2, "to": owner]))[0]
        saved["n"] = 3
        try await world.mine.put(saved)
        await fails(.invalidArguments) { try await world.mine.save(record("c", ["n": "x"])) }
        try await world.mine.deleteRecord(withID: saved.id)
        world.alice.client.store.events.remove(number)
        try await world.mine.put(record("d"))
        #expect(
            seen.withLock { $0 } == [
                Seen(saved: ["a -1 1", "b -1 2"]), Seen(saved: ["a 1 3"]), Seen(deleted: ["a 3", "b 2"]),
            ])
    }
}
