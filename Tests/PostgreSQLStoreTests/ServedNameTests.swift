// Names with control characters: servers have all of them but those with U+0000.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct ServedNameTests {
    private static func reference(_ name: String) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID(name)))
    }

    private static func code<Value>(_ result: Result<Value, DatabaseError>) -> DatabaseError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test("A name with U+0000, and a reference to one, fails its item alone; in memory it is saved")
    func namesThatServersDoNotHave() throws {
        let (here, served) = (try Container(identifier: "names", account: .localUser), try ServerPlace().open())
        defer { served.close() }
        let name = "a\u{0}b"
        for (container, expected) in [(here, nil), (served, .invalidArguments)] as [(Container, DatabaseError.Code?)] {
            let database = container.privateDatabase
            let saves = [
                Record(type: "T", id: Record.ID("a"), fields: ["n": 1]),
                Record(type: "T", id: Record.ID(name), fields: ["n": 2]),
                Record(type: "T", id: Record.ID("b"), fields: ["n": 3, "of": Self.reference(name)]),
                Record(type: "T", id: Record.ID("c"), fields: ["n": 4, "friends": .list([Self.reference(name)])]),
            ]
            let saved = try database.modify(ModifyRequest(saves: saves, isAtomic: false)).saves
            #expect(saved.map { Self.code($0.result) } == [nil, expected, expected, expected])
            let zones = [RecordZone(id: RecordZone.ID("z\u{0}")), RecordZone(id: RecordZone.ID("z"))]
            let made = try database.modifyZones(saving: zones, deleting: []).saves
            #expect(made.map { Self.code($0.result) } == [expected, nil])
            let found = failure {
                try database.writeNow { try $0.save(Record(type: "T", id: Record.ID(name + "c"), fields: ["n": 5])) }
            }
            #expect(found.code == expected)
            let deleted = try database.modify(ModifyRequest(deletes: [Record.ID(name)])).deletes
            #expect(deleted.map { Self.code($0.result) } == [nil])
        }
    }

    @Test("Records whose names have other control characters are found by them, and pages go on behind them")
    func otherControlCharacters() throws {
        let container = try ServerPlace().open()
        defer { container.close() }
        let database = container.privateDatabase
        let names = ["a", "a\u{1}", "a\u{1}b", "a\u{2}", "b"]
        for name in names {
            let own = Self.reference(name)
            try database.save(
                Record(type: "T", id: Record.ID(name), fields: ["of": own, "friends": .list([own])]), on: container)
        }
        func find(_ predicate: RecordPredicate) throws -> [String] {
            try database.find(Query("T", predicate), in: .zone(.default)).matches.map(\.0.recordName)
        }
        for name in names {
            #expect(try find(RecordPredicate(format: "recordName == %@", arguments: [.string(name)])) == [name])
            for key in ["recordID", "of", "ANY friends"] {
                let predicate = try RecordPredicate(format: "\(key) == %@", arguments: [Self.reference(name)])
                #expect(try find(predicate) == [name], "\(key)")
            }
        }
        let query = Query("T", "TRUEPREDICATE", sortedBy: [SortKey(.recordName)])
        var (found, page): ([String], _) = ([], try database.find(query, in: .zone(.default), limit: 1))
        while true {
            found += page.matches.map(\.0.recordName)
            guard let cursor = page.cursor else { break }
            page = try database.find(after: cursor, limit: 1)
        }
        #expect(found == names)
    }
}
