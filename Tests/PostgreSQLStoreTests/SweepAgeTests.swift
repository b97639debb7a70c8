// How old things have to be before a sweep takes them.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct SweepAgeTests {
    @Test("Notices are kept for ten minutes, assets for an hour, commits for a day, and batches for thirty days")
    func ages() throws {
        let place = try ServerPlace()
        try place.open().close()
        let ages = [
            ("notice", "9 minutes", "11 minutes"), ("asset", "59 minutes", "61 minutes"),
            ("client", "23 hours", "25 hours"), ("batch", "29 days", "31 days"),
        ]
        for (table, younger, older) in ages {
            for (number, age) in [(1, younger), (2, older)] {
                let date = "now() - interval '\(age)'"
                let values =
                    switch table {
                    case "notice": "1, 1000000, \(number), 'u', 1, 1, '', \(date)"
                    case "asset": "'d\(number)', 0, 'x', \(date)"
                    case "client": "\(number), '', 1, \(date)"
                    default: "1, \(number), 1, '', '', \(date)"
                    }
                try place.run("INSERT INTO \(table) VALUES (\(values))")
            }
        }
        var told: [Swept] = []
        try Nodes(identifier: place.identifier, connectingTo: place.server.address).sweep { told.append($1) }
        #expect(told == [Swept(notices: 1, commits: 1, batches: 1, records: 0, assets: 1)])
        for left in [
            "notice WHERE user_name = 'u' AND place = 1", "asset WHERE digest = 'd1'", "client WHERE number = 1",
            "batch WHERE process = 1",
        ] { #expect(try place.number("SELECT count(*) FROM \(left)") == 1, "\(left)") }
    }
}
