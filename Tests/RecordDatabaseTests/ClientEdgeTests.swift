// What a client may do and how often, what ends with it, and who waits for it.

import Foundation
import RecordModel
import Synchronization
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.mayDeadlock) struct ClientEdgeTests {
    // MARK: Rates

    /// How the clock goes on before a call, and how long the call has to wait; 0 when it is made.
    private static let calls: [(rate: Double, steps: [(advance: Double, wait: Double)])] = [
        // A clock that is set back gives and takes no calls; a long pause gives those of one second.
        (
            2,
            [
                (0, 0), (0, 0), (0, 0.5), (-100, 0.5), (0.25, 0.25), (0.25, 0), (0, 0.5), (100, 0), (0, 0), (0, 0.5),
            ]
        ),
        // Less than one each second: one may come at once.
        (0.5, [(0, 0), (0, 2), (1, 1), (1, 0), (100, 0), (0, 2)]), (0, [(0, 0), (0, 0), (0, 0)]),
    ]

    @Test(arguments: calls.indices) func callsOfASecond(_ index: Int) async throws {
        let (rate, steps) = Self.calls[index]
        let world = try await World()
        let client = try world.client(World.alice) { $0.limits.callsPerSecond = rate }.client
        for (number, step) in steps.enumerated() {
            world.clock.advance(step.advance)
            var wait: Duration?
            do throws(DatabaseError) {
                _ = try client.begin(DatabaseCall(kind: .query, scope: .public, itemCount: 0), needsUser: false)
            } catch {
                wait = error.retryAfter
            }
            #expect(wait == (step.wait == 0 ? nil : .seconds(step.wait)), "step \(number)")
        }
    }

    // MARK: Ends

    @Test func whatEndsWithAClient() async throws {
        let client = try await World().alice2.client
        let ended = Mutex<[String]>([])
        let kept = client.whenClosed { ended.withLock { $0.append("kept") } }
        let forgotten = client.whenClosed { ended.withLock { $0.append("forgotten") } }
        #expect(kept != forgotten)
        client.forget(forgotten)
        for _ in 0..<2 { client.close() }
        #expect(ended.withLock { $0 } == ["kept"])
        _ = client.whenClosed { ended.withLock { $0.append("late") } }
        #expect(ended.withLock { $0 } == ["kept", "late"])
    }

    /// What waits is given after the end, and nothing comes any more.
    @Test func queuesThatEnded() async {
        for isTaken in [false, true] {
            let queue = ReaderQueue([1])
            queue.update { $0.append(2) }
            queue.end()
            queue.update { $0.append(3) }
            if isTaken {
                #expect(queue.takeWaiting() == [1, 2])
            } else {
                #expect(await queue.next() == 1)
                #expect(await queue.next() == 2)
            }
            #expect(await queue.next() == nil)
        }
    }

    /// Of commits that changed nothing for it, a query that looks through references tells nothing.
    @Test func commitsOfOthers() async throws {
        let world = try await World { $0.limits.stepsWaiting = 0 }
        try await world.mine.put(record("one", ["a": 1]))
        let of = FieldValue.reference(RecordReference(recordID: Record.ID("one")))
        try await world.mine.put(record("car", ["of": of], type: "Car"))
        let reading = world.mine.watch(Query("Car", "of.a == 1"), in: .all)
        #expect(try reading.takeSteps().count == 1)
        try await world.mine.put(record("other", ["a": 1]))
        #expect(try reading.takeSteps() == [])
        // One step waits in any case.
        try await world.mine.put(record("bus", ["of": of], type: "Car"))
        guard case .inserted(let bus, at: _)? = try reading.takeSteps().first else {
            Issue.record("no step")
            return
        }
        #expect(bus.id.recordName == "bus")
    }

    // MARK: Rights

    private static let rights:
        [(user: String?, permission: ContainerSchema.Permission, creator: String?, type: String?, expected: Bool)] = [
            (nil, .read, nil, nil, true), (nil, .create, nil, nil, false), (nil, .write, nil, nil, false),
            (World.alice, .create, nil, nil, true), (World.alice, .write, World.alice, nil, true),
            (World.alice, .write, World.bob, nil, false), (World.alice, .write, nil, nil, false),
            // Of a type with grants of its own; the second user has a role.
            (nil, .read, nil, "T", false), (World.alice, .read, nil, "T", true),
            (World.alice, .create, nil, "T", false), (World.alice, .write, World.alice, "T", true),
            (World.bob, .read, nil, "T", true), (World.bob, .create, nil, "T", true),
            (World.bob, .write, World.alice, "T", false), (World.bob, .write, World.bob, "T", true),
        ]

    @Test func rightsOfUsersAndRoles() async throws {
        let world = try await World()
        let type = ContainerSchema.RecordType(grants: [
            ContainerSchema.userRole: [.read], ContainerSchema.creatorRole: [.write], "makers": [.create],
        ])
        try world.alice.setRoles(["makers"], ofUser: World.bob)
        for (user, permission, creator, name, expected) in Self.rights {
            let rights = world.alice.client.store.rights(of: user)
            let found = rights.permit(permission, type: name == nil ? nil : type, creator: creator)
            #expect(found == expected, "\(user ?? "nobody") \(permission) \(creator ?? "") \(name ?? "")")
        }
    }

    // MARK: Tokens

    /// A token is of one history, and of changes that the database has.
    @Test func tokensOfAHistory() {
        let origin = DatabaseOrigin(container: "test", scope: .private, user: "u")
        for (incarnation, position, deletionsAfter, isTaken) in [
            ("a", 8, 8, true), ("a", 9, 0, false), ("a", 0, 9, false), ("b", 1, 1, false), (nil, 1, 1, false),
        ] as [(String?, Int64, Int64, Bool)] {
            let token = ChangeToken(
                incarnation: incarnation, origin: origin, subject: .database, position: position,
                deletionsAfter: deletionsAfter)
            let error = Result { () throws(DatabaseError) in try token.check(isOf: "a", upTo: 8) }.failure
            #expect(error?.code == (isTaken ? nil : .changeTokenExpired))
        }
    }
}
