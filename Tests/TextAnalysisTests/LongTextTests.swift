// Long texts: work on them looks at its deadline again and again, and comes to the same answer where it may go on.
import Deadlines
import Testing

@testable import TextAnalysis

/// An interruption as the error that it is.
private func told(_ interruption: Interruption) -> Interruption { interruption }

@Suite struct LongTextTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        /// Looks that the work takes at least: one for every so many bytes, or steps.
        let looks: Int
        let result: @Sendable () -> Int
        var testDescription: String { name }
    }

    private static let cyrillic = String(repeating: "привет мир ", count: 50_000)
    private static let plain = String(repeating: "aab ", count: 250_000)
    private static let circled = String(repeating: "x\u{20DD}", count: 100_000)

    static let cases = [
        Case(name: "folding", looks: 12) {
            PreparedNeedle("нет", options: [.caseInsensitive]).isContained(in: cyrillic) ? 1 : 0
        },
        Case(name: "matches between clusters", looks: 20) {
            PreparedNeedle("\u{20DD}", options: []).isContained(in: circled) ? 1 : 0
        },
        Case(name: "LIKE with many free places", looks: 100) {
            LikePattern("*" + String(repeating: "a?", count: 400) + "c*", options: []).matches(plain) ? 1 : 0
        },
        Case(name: "words of ASCII", looks: 12) { Tokenizer(options: []).terms(of: plain).count },
        Case(name: "folded words of ASCII", looks: 12) {
            Tokenizer(options: [.caseInsensitive]).terms(of: plain).count
        },
        Case(name: "words", looks: 12) { Tokenizer(options: [.caseInsensitive]).terms(of: cyrillic).count },
        Case(name: "backtracking", looks: 20) {
            let expression = try? RegularExpression("(a|ab|b| )*\\1c", options: [])
            return (try? expression?.matchesWhole(plain)).map { $0 ? 1 : 0 } ?? 2
        },
    ]

    @Test(arguments: cases) func looksWhileItWorks(_ work: Case) throws {
        // Counted looks stand for a clock: at whatever look the time is over, there is no answer.
        for looks in [0, 1, work.looks / 2, work.looks - 1] {
            #expect(throws: Interruption.timeLimit) {
                try Deadline.run(looks: looks, failure: told) { () throws(Interruption) in work.result() }
            }
        }
        let result = try Deadline.run(looks: .max, failure: told) { () throws(Interruption) in work.result() }
        #expect(result == work.result())
    }
}
