// Random trees print to text that parses back; random damage to texts never does more than an error.
import PredicateSyntax
import Testing

@Suite("Robustness")
struct RobustnessTests {
    @Test("Random trees: parse(print(t)) == t")
    func roundTrip() throws {
        for seed in UInt64(1)...3000 {
            var generator = RandomTree(seed: seed)
            let tree = SyntaxTree(generator.predicate(3))
            let again = try SyntaxTree(parsing: tree.text)
            #expect(again == tree, "seed \(seed): \(tree.text)\n\(again.text)")
            #expect(again.description == tree.text, "seed \(seed)")
            #expect(again.placeholders == tree.placeholders, "seed \(seed)")
            #expect(!again.treeDescription.isEmpty)
            try? again.validate(for: .cloudKit)
        }
    }

    @Test("Nodes that no text produces print as what they mean")
    func degenerate() throws {
        let yes = PredicateNode(.constant(true))
        let cases: [(PredicateNode, String)] = [
            (PredicateNode(.and([])), "TRUEPREDICATE"), (PredicateNode(.or([])), "FALSEPREDICATE"),
            (PredicateNode(.and([yes])), "TRUEPREDICATE"),
            (PredicateNode(.not(PredicateNode(.or([yes])))), "NOT TRUEPREDICATE"),
            (comparison(.literal(.double(.infinity))), "a == 1.0 / 0.0"),
            (comparison(.literal(.double(.nan))), "a == 0.0 / 0.0"),
            (comparison(.unary(.minus, ExpressionNode(.literal(.double(-.infinity))))), "a == -(-1.0 / 0.0)"),
            (comparison(.path(base: ExpressionNode(.key("b")), steps: [])), "a == b"),
        ]
        for (node, text) in cases {
            #expect(SyntaxTree(node).text == text)
            #expect(try SyntaxTree(parsing: text).description == text)
        }
    }

    private func comparison(_ kind: ExpressionNode.Kind) -> PredicateNode {
        PredicateNode(.comparison(Comparison(ExpressionNode(.key("a")), .equal, [], ExpressionNode(kind))))
    }

    @Test("Damaged texts give a tree or an error inside the text, and never trap")
    func mutations() throws {
        let texts = try fixture("valid.json", of: ValidCase.self).map { Array($0.predicate.unicodeScalars) }
        let splices = "()[]{}.,:=!<>&|*+-/~^%@#$?'\"\\;_ \t\n0123xXuUeE aANDé\u{301}日😀\u{0}\u{2019}\u{A0}"
            .unicodeScalars.map { $0 }
        var random = SeededGenerator(state: 20_250_601)
        for _ in 0..<8000 {
            var scalars = texts[Int.random(in: 0..<texts.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0...scalars.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0 where place < scalars.count: scalars.remove(at: place)
                case 1 where place < scalars.count:
                    scalars[place] = splices[Int.random(in: 0..<splices.count, using: &random)]
                case 2: scalars.removeSubrange(place...)
                case 3:
                    let other = texts[Int.random(in: 0..<texts.count, using: &random)]
                    scalars.insert(contentsOf: other.prefix(Int.random(in: 0...other.count, using: &random)), at: place)
                default: scalars.insert(splices[Int.random(in: 0..<splices.count, using: &random)], at: place)
                }
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars)
            check(text)
        }
    }

    private func check(_ text: String) {
        do {
            let tree = try SyntaxTree(parsing: text)
            let again = try SyntaxTree(parsing: tree.description)
            #expect(again == tree, "\(text)")
            try? tree.validate(for: .cloudKit)
        } catch {
            let length = text.utf8.count
            #expect(error.span.lowerBound >= 0 && error.span.lowerBound <= error.span.upperBound, "\(text)")
            #expect(error.span.upperBound <= length, "\(text)")
            let source = SourceText(text)
            #expect(!source.rendering(of: error, maximumColumns: 30).isEmpty)
            let scalar = source.scalarOffset(ofByte: Int(error.span.lowerBound))
            #expect(source.byteOffset(ofScalar: scalar) == Int(error.span.lowerBound), "\(text)")
        }
        _ = try? SyntaxTree.parseKeyPath(text)
    }
}
