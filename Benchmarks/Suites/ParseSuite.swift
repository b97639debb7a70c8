// `parse`: how many predicates a second become syntax trees.

import PredicateSyntax

/// Times the parser on ten typical predicates.
enum ParseSuite: Suite {
    static let name = "parse"
    static let summary = "[--budget MS]: parse ten typical predicates; each must print and parse back the same"
    /// What GNUstep base 1.28 does on the same ten together, on a machine of this kind.
    private static let gnustep = 108_008.0

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["budget"])
        let budget = Double(try options.count("budget", default: 300)) / 1000
        print(Machine.current().line)
        var table = TextTable(["predicate", "parses/s", "parses/CPU-s", "median ns", "min ns", "allocations", "runs"])
        func add(_ name: String, _ texts: [String]) throws -> Double {
            let time = try Measurement.of(budget: budget) {
                for text in texts { consume(try SyntaxTree(parsing: text)) }
            }
            let blocks = try allocations { for text in texts { consume(try SyntaxTree(parsing: text)) } }
            let each = Double(texts.count)
            table.add([
                name, (each / time.median).figure, (each / time.processor).figure,
                (time.median / each * 1e9).figure, (time.minimum / each * 1e9).figure, (Double(blocks) / each).figure,
                time.runs.separated,
            ])
            return each / time.processor
        }
        let texts = TypicalPredicate.all.map(\.text)
        for text in texts {
            let tree = try SyntaxTree(parsing: text)
            guard try SyntaxTree(parsing: tree.description) == tree else {
                throw WrongResult(description: "\(text) does not parse back from \(tree.description)")
            }
            _ = try add(text, [text])
        }
        let rate = try add("all ten together", texts)
        print(table.text)
        print("\((rate / gnustep).figure) times GNUstep 1.28 (\(gnustep.figure)/CPU-s, measured apart)")
    }
}
