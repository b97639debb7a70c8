// Walks over the words of long texts that are told to stop: no later block of the text is read.

import Testing

@testable import TextAnalysis

@Suite("Walks over words that stop")
struct StoppedWalkEdgesTests {
    /// ASCII is folded 16 KiB at a time: each of these texts has more behind the last word that is wanted.
    @Test("No word is told behind the last one that is wanted", arguments: [1, 2, 100, 3_999])
    func noWordBehindTheLast(enough: Int) {
        let text = String(repeating: "Word ", count: 8_000)
        for options: TextOptions in [[], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive]] {
            var positions: [Int] = []
            Tokenizer(options: options).forEachToken(in: text.utf8.span) { _, _, position in
                positions.append(position)
                return positions.count < enough
            }
            #expect(positions == Array(0..<enough), "\(options)")
        }
    }
}
