// Patterns on both sides of what an automaton holds: those beyond it are left to the ways that know no such limit.

import Testing

@testable import TextAnalysis

@Suite struct AutomatonLimitEdgesTests {
    private static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

    private func check(_ text: String, isRead: Bool) throws {
        let (shorter, longer) = (String(text.dropLast()), text + "a")
        let expression = try RegularExpression(text, options: [])
        #expect((expression.automaton != nil) == isRead)
        #expect(try expression.matchesWhole(text))
        #expect(try !expression.matchesWhole(shorter) && !expression.matchesWhole(longer))
        let pattern = LikePattern(text, options: [])
        let automaton = pattern.automaton
        #expect((automaton != nil) == isRead)
        #expect(pattern.matches(text) && !pattern.matches(shorter) && !pattern.matches(longer))
        guard let automaton else { return }
        #expect(automaton.matches(text.utf8.span) == true && automaton.matches(shorter.utf8.span) == false)
        #expect(automaton.matches(longer.utf8.span) == false)
    }

    /// 62 letters and what is between them make 66 classes, each letter of a pattern a state: 32,768 entries are held.
    @Test(arguments: [(400, true), (490, true), (500, false), (600, false), (1_500, false)])
    func manyDifferentLetters(count: Int, isRead: Bool) throws {
        let text = String((0..<count).map { Self.letters[$0 % Self.letters.count] })
        try check(text, isRead: isRead)
    }

    /// Of one letter a pattern may have some 2,000, a node each.
    @Test(arguments: [(2_000, true), (2_040, true), (2_050, false), (3_000, false)])
    func manyEqualLetters(count: Int, isRead: Bool) throws {
        try check(String(repeating: "a", count: count), isRead: isRead)
    }
}
