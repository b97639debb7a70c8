// A live query of a zone that others delete while it begins.

import Campaigns
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct LiveZoneTests {
    private static let zone = RecordZone.ID("Z")

    /// It reads when it begins, and again before its first answer: what the zone was and what it is are both told.
    @Test func queriesOutliveTheirZones() throws {
        let place = try ServerPlace()
        let (server, container) = try place.open(behind: { InterruptedServer($0) })
        defer { container.close() }
        let database = container.privateDatabase
        _ = try database.modifyZones(saving: [RecordZone(id: Self.zone)], deleting: []).saves[0].result.get()
        let record = Record(type: "T", id: Record.ID("r", zoneID: Self.zone), fields: ["a": .int64(1)])
        _ = try database.modify(ModifyRequest(saves: [record])).saves[0].result.get()

        let reading = database.watch(Query("T"), in: .zone(Self.zone))
        let other = try place.open()
        server.afterNextSelection { [zone = Self.zone] () throws(DatabaseError) in
            try other.privateDatabase.modifyZones(saving: [], deleting: [zone]).deletes[0].result.get()
        }
        var records: [String] = []
        for step in try reading.takeSteps() {
            switch step {
            case .initial(let all): records = all.map(\.id.recordName)
            case .removed(let id, _): records.removeAll { $0 == id.recordName }
            default: Issue.record("\(step)")
            }
        }
        #expect(server.isInterrupted && records.isEmpty)
        // One that begins now has no zone, and one that goes on finds records of a zone of the name.
        let late = database.watch(Query("T"), in: .zone(Self.zone))
        #expect(failure { _ = try late.takeSteps() }.code == .zoneNotFound)
        _ = try database.modifyZones(saving: [RecordZone(id: Self.zone)], deleting: []).saves[0].result.get()
        _ = try database.modify(ModifyRequest(saves: [record])).saves[0].result.get()
        #expect(try reading.takeSteps().count == 1)
    }
}

/// Does something behind a read of records.
private final class InterruptedServer: PassingServer {
    typealias Interruption = @Sendable () throws(DatabaseError) -> Void

    let base: any RecordServer
    private let state = Mutex<(next: Interruption?, isDone: Bool)>((nil, false))

    init(_ base: any RecordServer) { self.base = base }

    var isInterrupted: Bool { state.withLock { $0.isDone } }

    func afterNextSelection(_ interruption: @escaping Interruption) { state.withLock { $0 = (interruption, false) } }

    func read(_ origin: DatabaseOrigin, _ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        let moment = try base.read(origin, need)
        if need.selection != nil,
            let next = state.withLock({ state in
                defer { if state.next != nil { state = (nil, true) } }
                return state.next
            })
        {
            try next()
        }
        return moment
    }
}
