// What is left of a list of steps that fails.

import Testing

@testable import Campaigns

@Suite struct ShortestTraceTests {
    @Test(
        "Only what the failure needs is left",
        arguments: [
            [7], [0, 999], [3, 4, 5], [0, 1, 500, 501, 998, 999], Array(stride(from: 0, to: 1000, by: 100)),
        ])
    func needed(_ needed: [Int]) {
        var attempts = 0
        let shortest = ShortestTrace.of(Array(0..<1000), attempts: 2000) { steps in
            attempts += 1
            return Set(needed).isSubset(of: steps)
        }
        #expect(shortest == needed)
        #expect(attempts < 600)
    }

    @Test("No more attempts are made than allowed, and what they found counts")
    func attempts() {
        var attempts = 0
        let shortest = ShortestTrace.of(Array(0..<1000), attempts: 5) { steps in
            attempts += 1
            return steps.contains(10)
        }
        #expect(attempts == 5)
        #expect(shortest.contains(10) && shortest.count < 1000)
    }

    @Test("A single step stays") func single() { #expect(ShortestTrace.of([1]) { _ in true } == [1]) }
}
