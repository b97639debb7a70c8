// The grammar against itself and against the parser.
import PredicateSyntax
import Testing
import _TestSupport

enum GrammarFile {
    static let path = "Grammar/PredicateFormat.ebnf"

    static func read() throws -> Grammar { try Grammar(reading: ProjectFiles.text(path)) }
}

/// The kind of error the parser reports for a text, `nil` if it parses.
private func rejection(of text: String) -> SyntaxError? {
    do throws(SyntaxError) {
        _ = try SyntaxTree(parsing: text)
        return nil
    } catch {
        return error
    }
}

@Suite struct GrammarTests {
    @Test func everyNameIsDefinedAndUsed() throws {
        let grammar = try GrammarFile.read()
        let used = Set(grammar.productions.values.flatMap(Grammar.references)).union(["predicate"])
        #expect(used == Set(grammar.names))
    }

    @Test func brokenNotationIsRejected() {
        let broken = [
            "a = ;", "a = 'x'", "a = ( 'x' ;", "a = 'x' ; a = 'y' ;", "= 'x' ;", "a = 'x", "(* open", "a 'x' ;",
        ]
        for text in broken {
            #expect(throws: Grammar.Failure.self, "\(text)") { try Grammar(reading: text) }
        }
    }

    /// Random sentences of the grammar parse, derive from it, and print as a text that parses to the same tree.
    @Test func sentencesOfTheGrammarParse() throws {
        let grammar = try GrammarFile.read()
        let recogniser = try Recogniser(grammar)
        var generator = SentenceGenerator(grammar, seed: 2026, excluding: ["methodCall"])
        var parsed = 0
        var semantic = 0
        for round in 0..<2000 {
            let text = generator.join(generator.tokens(budget: 22 + round % 20))
            do throws(SyntaxError) {
                let tree = try SyntaxTree(parsing: text)
                parsed += 1
                if round % 4 == 0 {
                    let again = try SyntaxTree(parsing: tree.description)
                    #expect(again == tree, "\(text) prints as \(tree.description)")
                }
            } catch {
                // The one rule beside the grammar that a random sentence can break: two bounds behind BETWEEN.
                if error.kind == .semantic, error.message.contains("BETWEEN") {
                    semantic += 1
                } else {
                    Issue.record("\(text): \(error)")
                }
            }
            if round % 8 == 0, text.utf8.count < 160 { #expect(recogniser.verdict(on: text) == .derives, "\(text)") }
        }
        #expect(parsed > 1900 && semantic < 100, "\(parsed) parsed, \(semantic) refused for their bounds")
    }

    /// Sentences with a token lost, doubled, swapped or exchanged: grammar and parser give the same verdict.
    @Test func spoiledSentencesGetTheSameVerdict() throws {
        let grammar = try GrammarFile.read()
        let recogniser = try Recogniser(grammar)
        var generator = SentenceGenerator(grammar, seed: 7, excluding: ["methodCall"])
        var counts = [false: 0, true: 0]
        var stock = ["AND", "(", ")", "{", "}", ",", "==", "1", "a", "NOT", "ANY", ".", "[", "]", "-", "IN", "#x", ":"]
        for _ in 0..<1200 {
            var tokens = generator.tokens(budget: 26)
            guard tokens.count < 60 else { continue }
            for _ in 0..<(generator.chance(70) ? 1 : 2) {
                let place = generator.pick(Array(tokens.indices))
                switch generator.pick([0, 1, 2, 3, 4]) {
                case 0 where tokens.count > 1: tokens.remove(at: place)
                case 1: tokens.insert(tokens[place], at: place)
                case 2: tokens.swapAt(place, generator.pick(Array(tokens.indices)))
                case 3: tokens[place] = generator.pick(stock)
                default: tokens.insert(generator.pick(stock), at: place)
                }
            }
            stock[generator.pick(Array(stock.indices))] = generator.pick(tokens)
            let text = tokens.joined(separator: " ")
            let verdict = recogniser.verdict(on: text)
            let error = rejection(of: text)
            if error?.kind == .semantic { continue }
            counts[error == nil, default: 0] += 1
            let parser = error?.description ?? "parses"
            #expect((verdict == .derives) == (error == nil), "\(text): grammar \(verdict), parser \(parser)")
        }
        #expect(counts.values.allSatisfy { $0 > 100 }, "\(counts)")
    }
}

@Suite struct CaseSyntaxTests {
    @Test func casesAreManyAndNamedOnce() throws {
        let cases = try ConformanceCase.all.get()
        #expect(cases.count > 1200)
        #expect(Set(cases.map(\.id)).count == cases.count)
        let wrong = cases.count { if case .error = $0.expectation { true } else { false } }
        #expect(wrong * 5 > cases.count * 2, "wrong input is a good part of the suite: \(wrong) of \(cases.count)")
    }

    /// Every case that gets past the parser derives from the grammar; every text the grammar refuses is refused by the
    /// parser, at the stated place.
    @Test func casesAgreeWithGrammarAndParser() throws {
        let recogniser = try Recogniser(try GrammarFile.read())
        var verdicts: [String: Recogniser.Verdict] = [:]
        for one in try ConformanceCase.all.get() {
            let verdict = verdicts[one.predicate] ?? recogniser.verdict(on: one.predicate)
            verdicts[one.predicate] = verdict
            let error = rejection(of: one.predicate)
            switch one.expectation {
            case .error(stage: "syntax", let offset):
                guard !one.isCloudKit else { continue }
                guard let error else {
                    Issue.record("\(one) parses")
                    continue
                }
                if let offset { #expect(scalarOffset(error, in: one.predicate) == offset, "\(one): \(error)") }
                let isBesideTheGrammar =
                    error.kind == .semantic || error.message.contains("FUNCTION") || error.message.contains("range")
                #expect(verdict != .derives || isBesideTheGrammar, "\(one): derives, but the parser says \(error)")
            case .error(stage: nil, _):
                // At any stage; but grammar and parser agree.
                if error?.kind != .semantic { #expect((verdict == .derives) == (error == nil), "\(one)") }
            default:
                #expect(error == nil, "\(one): \(String(describing: error))")
                #expect(verdict == .derives, "\(one): grammar \(verdict)")
            }
        }
    }

    @Test func canonicalForms() throws {
        var count = 0
        for one in try ConformanceCase.all.get() {
            guard case .parses(let format?) = one.expectation else { continue }
            count += 1
            let tree = try SyntaxTree(parsing: one.predicate)
            #expect(tree.description == format, "\(one)")
            #expect(try SyntaxTree(parsing: format) == tree, "\(one)")
        }
        #expect(count > 40)
    }

    private func scalarOffset(_ error: SyntaxError, in text: String) -> Int {
        let bytes = text.utf8.prefix(Int(error.span.lowerBound))
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.count
    }
}
