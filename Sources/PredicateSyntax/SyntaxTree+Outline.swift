// The tree as an indented outline, for people.

extension SyntaxTree {
    /// One line for every node, children indented under it, each with its bytes in the text.
    public var treeDescription: String {
        var outline = Outline()
        outline.add(root)
        return outline.lines.joined(separator: "\n")
    }
}

private struct Outline {
    var lines: [String] = []
    private var indent = 0

    private mutating func line(_ label: String, _ span: SourceSpan) {
        let place = span.upperBound > span.lowerBound ? "  [\(span.lowerBound)..<\(span.upperBound)]" : ""
        lines.append(String(repeating: "  ", count: indent) + label + place)
    }

    private mutating func nested(_ body: (inout Outline) -> Void) {
        indent += 1
        body(&self)
        indent -= 1
    }

    mutating func add(_ node: PredicateNode) {
        switch node.kind {
        case .constant(let value): line(value ? "TRUEPREDICATE" : "FALSEPREDICATE", node.span)
        case .not(let negated):
            line("NOT", node.span)
            nested { $0.add(negated) }
        case .and(let terms):
            line("AND", node.span)
            nested { for term in terms { $0.add(term) } }
        case .or(let terms):
            line("OR", node.span)
            nested { for term in terms { $0.add(term) } }
        case .comparison(let comparison):
            let quantifier = comparison.quantifier.map { $0.rawValue + " " } ?? ""
            let label = comparison.comparisonOperator.rawValue + comparison.options.letters
            line("comparison \(quantifier)\(label)", node.span)
            nested {
                $0.add(comparison.lhs)
                $0.add(comparison.rhs)
            }
        }
    }

    mutating func add(_ node: ExpressionNode) {
        var children: [ExpressionNode] = []
        switch node.kind {
        case .literal, .placeholder: line(Self.label(of: node), node.span)
        case .key: line("key " + Self.label(of: node), node.span)
        case .selfObject, .variable: line(Self.label(of: node), node.span)
        case .path(let base, let steps): return addPath(node, base, steps)
        case .aggregate(let elements):
            line("list of \(elements.count)", node.span)
            children = elements
        case .unary(let unaryOperator, let operand):
            line("unary \(unaryOperator.rawValue)", node.span)
            children = [operand]
        case .binary(let binaryOperator, let left, let right):
            line("binary \(binaryOperator.rawValue)", node.span)
            children = [left, right]
        case .function(let function, let arguments):
            line("function \(function.rawValue)", node.span)
            children = arguments
        case .cast(let value, let type):
            line("CAST", node.span)
            children = [value, type]
        case .subquery(let collection, let variable, let predicate):
            line("SUBQUERY $\(variable)", node.span)
            return nested {
                $0.add(collection)
                $0.add(predicate)
            }
        case .ternary(let condition, let first, let second):
            line("TERNARY", node.span)
            return nested {
                $0.add(condition)
                $0.add(first)
                $0.add(second)
            }
        }
        nested { for child in children { $0.add(child) } }
    }

    private mutating func addPath(_ node: ExpressionNode, _ base: ExpressionNode, _ steps: [PathStep]) {
        line("path", node.span)
        nested {
            $0.add(base)
            for step in steps {
                if case .index(let index) = step.kind {
                    $0.line("index", step.span)
                    $0.nested { $0.add(index) }
                } else {
                    $0.line(Self.label(of: step), step.span)
                }
            }
        }
    }

    private static func label(of node: ExpressionNode) -> String {
        var printer = Printer()
        printer.print(node)
        return printer.text
    }

    /// The step as printed behind nothing.
    private static func label(of step: PathStep) -> String {
        let path = label(of: ExpressionNode(.path(base: ExpressionNode(.key("x")), steps: [step])))
        return "step " + path.dropFirst()
    }
}
