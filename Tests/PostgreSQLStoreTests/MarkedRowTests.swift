// Rows with texts of which their columns do not tell all: these are looked at, whether they were inserted or copied.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct MarkedRowTests {
    @Test("A text is found as it was written, in new records that are copied or inserted", arguments: [1, 1_000])
    func textsAsTheyWereWritten(copiesFrom: Int) throws {
        let place = try ServerPlace()
        let container = try Container(
            identifier: place.identifier,
            on: PostgreSQLContainer(
                identifier: place.identifier, connectingTo: place.server.address, copiesFrom: copiesFrom),
            account: .localUser, configuration: Configuration())
        defer { container.close() }
        let database = container.privateDatabase
        let texts = ["\u{E9}", "e\u{301}", "a\u{0}b", "a"]
        let records = texts.enumerated().map { number, text in
            Record(
                type: "T", id: Record.ID("r\(number)"),
                fields: ["a": .int64(Int64(number)), "one": .string(text)])
        }
        for (_, saved) in try database.modify(ModifyRequest(saves: records)).saves { _ = try saved.get() }
        for (number, text) in texts.enumerated() {
            #expect(try database.names("one ==[n] \(text)") == ["r\(number)"], "\(number)")
        }
        #expect(try database.names("one LIKE 'a?b'") == ["r2"])
        #expect(try place.number("SELECT count(*) FROM \"r_T\" WHERE _odd") == 2)
        #expect(try place.number("SELECT count(*) FROM \"r_T\" WHERE _odd IS NULL") == 2)
    }
}
