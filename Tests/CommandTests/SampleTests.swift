// The sample application does the same against each product.

import Testing

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
}
