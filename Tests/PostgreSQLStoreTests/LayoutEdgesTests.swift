// Names of schemas, tables, indexes and buckets, and commits that wait for their turns. No server is needed.

import Foundation
import RecordModel
import Synchronization
import Testing

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite struct LayoutEdgesTests {
    @Test("Names are those of the container and of the type, as far as the server has room for them")
    func names() {
        let x60 = String(repeating: "x", count: 60)
        #expect(Layout.schemaName(of: x60) == x60 && Layout.schemaName(of: "").isEmpty)
        #expect(Layout.schemaName(of: x60 + "x") == "container_1ae3f15d5cfaefb7")
        #expect(Layout.schemaName(of: "pg_x") == "container_d0952d0dcf120c07" && Layout.schemaName(of: "pgx") == "pgx")
        let t58 = String(repeating: "T", count: 58)
        #expect(Layout.table(of: t58) == "\"r_\(t58)\"" && Layout.table(of: "a\"b") == "\"r_a\"\"b\"")
        #expect(Layout.table(of: t58 + "T") == "\"r_" + String(repeating: "T", count: 40) + "_5cd04805a2408873\"")
    }

    @Test("Records have buckets by FNV-1a, of the name in a default zone, else of owner and zone")
    func buckets() {
        // Vectors that the authors of the hash give.
        #expect(Layout.hash("") == 0xcbf2_9ce4_8422_2325 && Layout.hash("a") == 0xaf63_dc4c_8601_ec8c)
        let buckets: [(name: String, zone: String?, owner: String, bucket: Int16)] = [
            ("a", nil, "", 140), ("a", nil, "u", 140), ("b", nil, "u", 421), ("a", "A", "u", 765),
            ("b", "A", "u", 765), ("a", "B", "u", 484), ("a", "A", "", 276),
        ]
        for (name, zone, owner, bucket) in buckets {
            #expect(Layout.bucket(of: EdgeCommits.id(name, zone), owner: owner) == bucket, "\(name), \(zone ?? "")")
        }
    }

    @Test("A type has a table, a column for each field, and the indexes that the fields are marked for")
    func definitions() {
        let type = ContainerSchema.RecordType(fields: [
            "s": ContainerSchema.Field(.string), "n": ContainerSchema.Field(.int64, indexes: []),
            "d": ContainerSchema.Field(.double, indexes: .sortable),
        ])
        let definition = Layout.definition(ofType: "T", type)
        #expect(definition.tables.count == 5 && definition.tables[0].hasPrefix("CREATE TABLE IF NOT EXISTS \"r_T\"("))
        let columns = [
            "\"d~d\" float8", "\"n~i\" bigint", "\"s~s\" text COLLATE \"C\"", "\"s~s~cd\" text COLLATE \"C\"",
        ]
        #expect(
            Array(definition.tables.dropFirst()) == columns.map { "ALTER TABLE \"r_T\" ADD COLUMN IF NOT EXISTS \($0)" }
        )
        let names = ["T.c", "T.s", "T.o", "T.p", "T.w", "T.d~d.q", "T.s~s.q", "T.s~s.s"]
        #expect(definition.indexes.count == names.count)
        for (index, name) in zip(definition.indexes, names) {
            #expect(index.hasPrefix("INDEX IF NOT EXISTS \"\(name)\" ON \"r_T\""), "\(index)")
        }
        #expect(definition.indexes[0].hasSuffix("(_z, _c) WHERE _z > 0"))
        #expect(definition.trigrams.count == 1)
        #expect(definition.trigrams.first?.hasPrefix("INDEX IF NOT EXISTS \"T.s~s.t\" ON \"r_T\" USING gin ((") == true)
        #expect(definition.all == definition.tables + definition.indexes + definition.trigrams)
        // Words have an index where some field is searched for them.
        let plain = ContainerSchema.RecordType(fields: ["s": ContainerSchema.Field(.string, indexes: .queryable)])
        let unsearched = Layout.definition(ofType: "T", plain)
        #expect(!unsearched.indexes.contains { $0.contains("\"T.w\"") } && unsearched.trigrams.isEmpty)
    }

    @Test("Types and their columns come in the order of their names")
    func order() {
        let schema = ContainerSchema(recordTypes: [
            "c": ContainerSchema.RecordType(), "a": ContainerSchema.RecordType(), "b": ContainerSchema.RecordType(),
            "d": ContainerSchema.RecordType(),
        ])
        #expect(Layout.columns(schema).map(\.table) == ["r_Users", "r_a", "r_b", "r_c", "r_d"])
        #expect(Layout.definitions(schema).map(\.type) == ["Users", "a", "b", "c", "d"])
    }

    @Test("Names of indexes that are too long stand for the type and the field")
    func longIndexes() {
        let t61 = String(repeating: "T", count: 61)
        let short = Layout.definition(ofType: t61, ContainerSchema.RecordType()).indexes
        #expect(short.first?.hasPrefix("INDEX IF NOT EXISTS \"\(t61).c\" ON ") == true)
        let long = Layout.definition(ofType: t61 + "T", ContainerSchema.RecordType()).indexes
        #expect(long.first?.hasPrefix("INDEX IF NOT EXISTS \"ic_2e1b04a894fdc5ef\" ON ") == true)
        #expect(long.dropFirst().first?.hasPrefix("INDEX IF NOT EXISTS \"is_2e1b04a894fdc5ef\" ON ") == true)
    }

    // MARK: Turns

    /// What became of commits that wait on threads of their own.
    private final class Waiting: Sendable {
        let turns = CommitTurns()
        let parts = Mutex<[String: String]>([:])

        static func name(_ part: CommitTurn.Part) -> String {
            switch part {
            case .leads: "leads"
            case .joins: "joins"
            case .isAlone: "alone"
            }
        }

        /// Has a commit wait in database 1, and returns when it does.
        func add(_ name: String) {
            let count = turns.needs(in: 1).count
            Thread.detachNewThread { [self] in
                let part = try? turns.wait(CommitTurn(ServerNeed()), in: 1)
                parts.withLock { $0[name] = part.map(Self.name) ?? "error" }
            }
            while turns.needs(in: 1).count == count { usleep(500) }
        }

        func part(_ name: String) -> String {
            while true {
                if let part = parts.withLock({ $0[name] }) { return part }
                usleep(500)
            }
        }

        func first() throws -> String { Self.name(try turns.wait(CommitTurn(ServerNeed()), in: 1)) }
    }

    @Test("The first commit of a database leads, and the next one when it ends; all are alone where it could not begin")
    func turns() throws {
        let waiting = Waiting()
        let turns = waiting.turns
        #expect(turns.needs(in: 1).isEmpty && turns.next(in: 1) == nil)
        #expect(try waiting.first() == "leads")
        #expect(turns.needs(in: 1).isEmpty && turns.next(in: 1) == nil)
        #expect(try Waiting.name(turns.wait(CommitTurn(ServerNeed()), in: 2)) == "leads", "another database")
        for name in ["a", "b", "c"] { waiting.add(name) }
        #expect(turns.needs(in: 1).count == 3 && turns.needs(in: 2).isEmpty)
        turns.endLead(in: 1, isLost: false)
        #expect(waiting.part("a") == "leads")
        #expect(turns.needs(in: 1).count == 2 && waiting.parts.withLock { $0.count } == 1)
        turns.endLead(in: 1, isLost: true)
        #expect(waiting.part("b") == "alone" && waiting.part("c") == "alone")
        #expect(try waiting.first() == "leads", "nobody does by then")
        turns.endLead(in: 1, isLost: false)
        #expect(try waiting.first() == "leads")
    }

    @Test("A commit is told how its transaction ended")
    func ends() {
        let turn = CommitTurn(ServerNeed())
        turn.tell(.stored)
        if case .stored = turn.waitForEnd() {} else { Issue.record("it was stored") }
    }
}
