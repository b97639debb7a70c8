// How much a history keeps.

import LineEditing
import Testing

@Suite struct InputHistoryTests {
    @Test("A full history drops its oldest entry for a new one")
    func capacity() {
        var history = InputHistory(file: (0..<10_000).map { "e\($0)\n" }.joined())
        #expect(history.entries.count == 10_000)
        let isAdded = history.add("new")
        #expect(isAdded)
        #expect(history.entries.count == 10_000)
        #expect(history.entries.first == "e1" && history.entries.last == "new")
    }
}
