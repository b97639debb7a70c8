// Records that a call needs for several reasons: each is given once, in the order in which they were made.

import Campaigns
import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct RepeatedRowTests {
    @Test("A record that is named, of a type that is needed whole, and near another one is given once")
    func rowsComeOnce() throws {
        let place = try ServerPlace()
        let container = try place.open()
        defer { container.close() }
        for name in ["c", "a", "d", "b"] {
            try container.publicDatabase.save(
                Record(type: "T", id: Record.ID(name), fields: ["n": 1]), on: container)
        }
        let server = try PostgreSQLContainer(identifier: place.identifier, connectingTo: place.server.address)
        defer { server.close() }
        let origin = DatabaseOrigin(container: place.identifier, scope: .public, user: nil)
        func names(_ change: (inout ServerNeed) -> Void) throws -> [String] {
            var need = ServerNeed()
            change(&need)
            return try server.read(origin, need).rows.map(\.id.recordName)
        }
        #expect(try names { $0.records = ["b", "a"].map { Record.ID($0) } } == ["a", "b"])
        #expect(try names { $0.wholeTypes = ["T"] } == ["c", "a", "d", "b"])
        let all = try names {
            $0.records = ["b", "d", "b"].map { Record.ID($0) }
            $0.roots = [Record.ID("a")]
            $0.neighbours = [Record.ID("d")]
            $0.wholeTypes = ["T"]
        }
        #expect(all == ["c", "a", "d", "b"])
        #expect(try names { $0.records = [Record.ID("none")] } == [])
    }
}
