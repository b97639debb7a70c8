// How tables that others made are found by their names, what names their records, and their groups.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct TableNameTests {
    private let address: String
    private let schemas = (0..<2).map { _ in "names " + UUID().uuidString }
    /// A name that a table has in both schemas, and no other one.
    private let both = "both " + UUID().uuidString

    init() throws {
        address = try PostgreSQLServer.shared().address
        let connection = try Connection(ConnectionString(address))
        let (first, second) = (Statement.name(schemas[0]), Statement.name(schemas[1]))
        try connection.run(
            [
                "CREATE SCHEMA \(first)", "CREATE SCHEMA \(second)",
                "CREATE TABLE \(first).\(Statement.name(both))(n int)",
                "CREATE TABLE \(second).\(Statement.name(both))(n int)",
                "CREATE TABLE \(first).letter(id int PRIMARY KEY, d float8, n int)",
                "CREATE TABLE \(first).\"Letter\"(n int)", "CREATE TABLE \(first).\"LETTER\"(n int)",
                "CREATE TABLE \(first).more(n int)",
                "INSERT INTO \(first).letter VALUES (7, '-0', 1), (8, 2, 1), (9, NULL, 2)",
            ].map { Statement($0) })
    }

    private func table(_ name: String) throws(DatabaseError) -> ServerTable {
        try ServerTable(named: name, at: address)
    }

    @Test("A table is the one of that name, before those in other letter case, of which one alone is meant")
    func letterCase() throws {
        #expect(try table(schemas[0] + ".letter").table.key == "id")
        #expect(try table(schemas[0] + ".Letter").table.name == "Letter")
        let error = #expect(throws: DatabaseError.self) { try table(schemas[0] + ".lettER") }
        #expect(error?.reason == "the database has 3 tables '\(schemas[0]).lettER'")
        let one = try table(schemas[0] + ".MORE")
        #expect(one.table.name == "more")
    }

    @Test("Tables of one name are told apart by their schemas, and a name of none is told with some of those there are")
    func failures() throws {
        let error = #expect(throws: DatabaseError.self) { try table(both) }
        #expect(error?.code == .invalidArguments && error?.reason == "the database has 2 tables '\(both)'")
        let names = schemas.sorted().map { "\($0).\(both)" }.joined(separator: ", ")
        #expect(error?.hint == "with its schema: \(names)")
        let none = "none " + UUID().uuidString
        let missing = #expect(throws: DatabaseError.self) { try table(none) }
        #expect(missing?.reason == "the database has no table '\(none)' that this user can see")
        #expect(missing?.hint?.hasPrefix("its tables are ") == true && missing?.hint?.hasSuffix(" …") == true)
    }

    @Test("Records have their names also where nobody looks at the column that names them")
    func recordNames() throws {
        var request = TableRequest("n == 2")
        request.columns = []
        let set = try table(schemas[0] + ".letter").rows(request).rest()
        #expect(set.count == 1 && set.recordName(at: 0) == "9")
    }

    @Test("Groups are told where the values are those of groups, and where there are some")
    func groups() throws {
        let letters = try table(schemas[0] + ".letter")
        #expect(try letters.rows(TableRequest("TRUEPREDICATE")).groups(by: "n")?.map(\.count) == [2, 1])
        #expect(try letters.rows(TableRequest("id < 9")).groups(by: "d") == nil, "zero is one value")
        #expect(try letters.rows(TableRequest("id == 8")).groups(by: "d")?.map(\.count) == [1])
        #expect(try letters.rows(TableRequest("id > 9")).groups(by: "n") == nil, "records tell that there is none")
    }
}
