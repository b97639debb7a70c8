// Canonical text of what is written in other letters, and of nodes that only code builds.

import PredicateSyntax
import Testing

@Suite("Edges of the canonical text")
struct CanonicalEdgesTests {
    /// Behind an operator `#self` means the elements, in whatever letters; elsewhere it is a key.
    @Test(arguments: [
        ("g.@max.#SELF == 3", "g.@max.SELF == 3"), ("g.@max.#Self == 3", "g.@max.SELF == 3"),
        ("@min.#SELF == 3", "@min.SELF == 3"), ("g.#SELF == 3", "g.#SELF == 3"), ("#SELF == 3", "#SELF == 3"),
    ])
    func keysNamedSelf(text: String, canonical: String) throws {
        let tree = try SyntaxTree(parsing: text)
        #expect(tree.description == canonical)
        #expect(try SyntaxTree(parsing: canonical) == tree)
    }

    /// The language has no letters behind BETWEEN, so none are written.
    @Test func rangesHaveNoOptions() throws {
        let bounds = ExpressionNode(.aggregate([1, 2].map { ExpressionNode(.literal(.integer($0))) }))
        for options in [[], .caseInsensitive, [.normalized, .localeSensitive]] as [ComparisonOptions] {
            let comparison = Comparison(ExpressionNode(.key("a")), .between, options, bounds)
            let text = SyntaxTree(PredicateNode(.comparison(comparison))).text
            #expect(text == "a BETWEEN {1, 2}")
            #expect(syntaxError(text) == nil)
        }
    }
}
