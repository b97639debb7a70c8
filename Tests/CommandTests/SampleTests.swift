// The sample application does the same against each product.

import CloudKitCompat
import RecordDatabase
import Testing

@testable import todo
@testable import todo_cloudkit

struct SampleTests {
    @Test("The to-do list prints its day", arguments: ["todo", "todo-cloudkit"])
    func day(program: String) throws {
        let run = try CommandRun(program: program)
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(
            run.lines == [
                "to do: apples, bread, milk", "to do: apples, bread", "changed: oat milk (done)",
                "deleted: 3 items with their list",
            ])
    }

    /// More items than a page has.
    @Test func longLists() async throws {
        let titles = (100..<350).map { "item \($0)" }
        let lists = try await todo.TodoLists(Container(identifier: "example.todo"))
        let items = try await lists.openItems(of: lists.add("Long", items: titles))
        #expect(items.map { $0["title"] ?? "" } == titles)
        try await lists.finish(#require(items.last))
        #expect(try await lists.openItems(of: lists.add("Other", items: [])).isEmpty)

        let cloudKit = try await todo_cloudkit.TodoLists(CKContainer(identifier: "example.long"))
        let found = try await cloudKit.openItems(of: cloudKit.add("Long", items: titles))
        #expect(found.map { $0["title"] ?? "" } == titles)
    }
}
