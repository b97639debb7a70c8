// The railroad drawing is the drawing of today's grammar.
import Testing
import _TestSupport

@Suite struct RailroadTests {
    /// FNV-1a of 64 bits, as `draw-railroad.py` writes it into the drawing.
    private func fingerprint(_ text: String) -> String {
        let value = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    @Test func drawingIsOfThisGrammar() throws {
        let drawing = try ProjectFiles.text("Grammar/railroad.svg")
        let hash = fingerprint(try ProjectFiles.text(GrammarFile.path))
        #expect(drawing.contains("data-grammar=\"\(hash)\""), "run python3 Grammar/draw-railroad.py")
        #expect(drawing.utf8.count < 300_000)
    }

    @Test func drawingNamesEveryProduction() throws {
        let drawing = try ProjectFiles.text("Grammar/railroad.svg")
        for name in try GrammarFile.read().names {
            #expect(drawing.contains("<g id=\"\(name)\">"), "\(name) is not drawn")
        }
    }
}
