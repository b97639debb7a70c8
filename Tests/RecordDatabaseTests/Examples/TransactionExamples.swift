// The examples of the article on concurrency and transactions, compiled and run.

import Foundation
import RecordDatabase
import Testing

struct TransactionExamples {
    struct NotEnough: Error {}

    private func bank() async throws -> Database {
        let bank = try Container(identifier: "bank").privateDatabase
        for (name, balance) in [("alice", 700), ("bob", 50), ("carol", 0)] as [(String, Int64)] {
            let fields: [String: FieldValue] = ["balance": .int64(balance), "status": "new"]
            try await bank.save(Record(type: "Account", id: Record.ID(name), fields: fields))
        }
        return bank
    }

    @Test func transfer() async throws {
        let bank = try await bank()
        let amount: Int64 = 100
        try await bank.write { transaction in
            var from = try transaction.record(for: Record.ID("alice"))
            var to = try transaction.record(for: Record.ID("bob"))
            guard case .int64(let saved) = from["balance"], case .int64(let owned) = to["balance"], saved >= amount
            else { throw NotEnough() }
            (from["balance"], to["balance"]) = (.int64(saved - amount), .int64(owned + amount))
            try transaction.save(from)
            try transaction.save(to)
        }
        #expect(try await bank.record(for: Record.ID("alice"))["balance"] == 600)
        #expect(try await bank.record(for: Record.ID("bob"))["balance"] == 150)
    }

    @Test func allThatMatch() async throws {
        let bank = try await bank()
        let counts = try await bank.write { transaction in
            let renamed = try transaction.updateAll("Account", where: "status == 'new'") { $0["status"] = "open" }
            let deleted = try transaction.deleteAll("Account", where: "balance == \(0)")
            return (renamed, deleted)
        }
        #expect(counts == (3, 1))
        #expect(try bank.snapshot().records(ofType: "Account").count(matching: "status == 'open'") == 2)
    }

    @Test func manyTasks() async throws {
        let bank = try await bank()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    _ = try await bank.write { transaction in
                        try transaction.updateAll("Account", where: "status == 'new'") { account in
                            account["balance"] = (account["balance"] ?? 0) + 1
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await bank.record(for: Record.ID("alice"))["balance"] == 716)
    }

    @Test func oneMoment() async throws {
        let bank = try await bank()
        let (count, rich) = try await bank.read { snapshot in
            let accounts = try snapshot.records(ofType: "Account")
            let rich = try accounts.records(matching: "balance > \(500)", sortedBy: [.descending("balance")])
            return (accounts.count, rich)
        }
        #expect(count == 3 && rich.map(\.id.recordName) == ["alice"])
    }
}
