// The canonical text over several lines, for people: one term of a chain a line, brackets indented.

extension SyntaxTree {
    /// The canonical text on lines of at most `width` characters where it can be broken: connectives begin lines,
    /// chains in parentheses and long lists are indented by two. What fits on one line stays on one. The text parses
    /// back to an equal tree.
    package func formatted(width: Int = 80) -> String {
        var printer = PrettyPrinter(width: width)
        printer.print(root, indent: 0)
        return printer.lines.joined(separator: "\n")
    }
}

private struct PrettyPrinter {
    let width: Int
    /// The lines so far; the last one is still open.
    private(set) var lines = [""]

    init(width: Int) { self.width = width }

    mutating func print(_ node: PredicateNode, indent: Int) {
        var flat = Printer()
        flat.print(node)
        if fits(flat.text) { return append(flat.text) }
        switch node.kind {
        case .constant: append(flat.text)
        case .comparison(let comparison): print(comparison, indent: indent)
        case .not(let negated):
            append("NOT ")
            printTerm(negated, indent: indent)
        case .and(let terms): printChain(terms, "AND ", indent: indent)
        case .or(let terms): printChain(terms, "OR ", indent: indent)
        }
    }

    private mutating func printChain(_ terms: [PredicateNode], _ connective: String, indent: Int) {
        for (index, term) in terms.enumerated() {
            if index > 0 {
                breakLine(indent)
                append(connective)
            }
            printTerm(term, indent: indent)
        }
    }

    /// A term of a chain or of NOT: one that is a chain itself goes in parentheses.
    private mutating func printTerm(_ node: PredicateNode, indent: Int) {
        switch node.kind {
        case .and(let terms) where terms.count > 1, .or(let terms) where terms.count > 1:
            var flat = Printer()
            flat.print(node)
            if fits("(\(flat.text))") { return append("(\(flat.text))") }
            append("(")
            breakLine(indent + 2)
            print(node, indent: indent + 2)
            breakLine(indent)
            append(")")
        default: print(node, indent: indent)
        }
    }

    /// A comparison that is too long: a list on the right is broken between its elements.
    private mutating func print(_ comparison: Comparison, indent: Int) {
        guard case .aggregate(let elements) = comparison.rhs.kind, elements.count > 1 else {
            var flat = Printer()
            flat.print(PredicateNode(.comparison(comparison)))
            return append(flat.text)
        }
        var head = comparison
        head.rhs = ExpressionNode(.aggregate([]))
        var flat = Printer()
        flat.print(PredicateNode(.comparison(head)))
        append(String(flat.text.dropLast()))
        breakLine(indent + 2)
        for (index, element) in elements.enumerated() {
            var printer = Printer()
            printer.print(element)
            let text = printer.text + (index < elements.count - 1 ? "," : "")
            let isFirst = lines[lines.count - 1].utf8.count == indent + 2
            if !isFirst {
                if fits(" " + text) { append(" ") } else { breakLine(indent + 2) }
            }
            append(text)
        }
        breakLine(indent)
        append("}")
    }

    private func fits(_ text: String) -> Bool { lines[lines.count - 1].count + text.count <= width }

    private mutating func append(_ text: String) { lines[lines.count - 1] += text }

    private mutating func breakLine(_ indent: Int) { lines.append(String(repeating: " ", count: indent)) }
}
