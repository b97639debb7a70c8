// Paths through references of a custom zone, to few of many records.

import RecordDatabase
import RecordModel
import Testing

@Suite struct ZonePathTests {
    @Test(arguments: [RecordZone.ID.default, RecordZone.ID("Z")])
    func pathsLeadToRecordsOfTheirZone(_ zone: RecordZone.ID) throws {
        let database = try Container(identifier: "paths", account: .localUser).privateDatabase
        _ = try database.modifyZones(saving: [RecordZone(id: RecordZone.ID("Z"))], deleting: [])
        let owners = (0..<100).map { number in
            Record(type: "T", id: Record.ID("o\(number)", zoneID: zone), fields: ["n": .int64(Int64(number))])
        }
        let holders = (0..<300).map { number in
            let owner = RecordReference(recordID: Record.ID("o\(number % 100)", zoneID: zone))
            return Record(
                type: "T", id: Record.ID("h\(number)", zoneID: zone),
                fields: ["owner": .reference(owner), "n": .int64(-1)])
        }
        for (_, result) in try database.modify(ModifyRequest(saves: owners + holders)).saves { _ = try result.get() }
        let set = try RecordSet(records: owners + holders)
        #expect(try set.count(matching: "owner.n == 7") == 3)
        #expect(try set.group(by: ["n"], where: "owner.n == 8 OR owner.n == 9").map { $0.count } == [6])
        let query = Query("T", "owner.n == 7 OR owner.n == 9")
        for zones in [QueryZones.zone(zone), .all] {
            #expect(try database.countNow(query, in: zones) == 6)
            // Indexes are there from the second time on.
            #expect(try database.countNow(query, in: zones) == 6)
        }
    }
}
