// A syntax tree drawn with its branches, one node a line, with the place of each in the text.

/// A node of the drawing: what it is, where it is, what hangs below.
package struct SyntaxOutline: Sendable {
    /// What kind of node: an operator, `key`, `text` …
    package var kind: String
    /// The name or the value of a leaf.
    package var detail: String?
    package var span: SourceSpan
    package var children: [SyntaxOutline]

    private init(_ kind: String, _ detail: String? = nil, _ span: SourceSpan, _ children: [SyntaxOutline] = []) {
        self.kind = kind
        self.detail = detail
        self.span = span
        self.children = children
    }

    private init(_ kind: String, _ span: SourceSpan, _ children: [SyntaxOutline]) {
        self.init(kind, nil, span, children)
    }

    /// One line of a drawing.
    package struct Line: Sendable {
        /// The branches that lead to the node.
        package var branches: String
        /// Kind and detail.
        package var label: String
        /// The node's place, in Unicode scalars of the text.
        package var place: Range<Int>
    }

    /// The nodes from the top, each behind the branches that lead to it. Complexity: O(n) in the bytes of the text and
    /// the nodes, times the depth for the branches.
    package func lines(of text: String) -> [Line] {
        var lines: [Line] = []
        draw("", "", ScalarOffsets(text), into: &lines)
        return lines
    }

    private func draw(_ head: String, _ tail: String, _ offsets: ScalarOffsets, into lines: inout [Line]) {
        let label = kind + (detail.map { " \($0)" } ?? "")
        lines.append(Line(branches: head, label: label, place: offsets.range(of: span)))
        for (index, child) in children.enumerated() {
            let isLast = index == children.count - 1
            child.draw(tail + (isLast ? "└─ " : "├─ "), tail + (isLast ? "   " : "│  "), offsets, into: &lines)
        }
    }
}

extension SyntaxTree {
    /// One line for every node, drawn with branches, each with its place in the text in Unicode scalars from 0.
    public var treeDescription: String {
        SyntaxOutline(root).lines(of: text).map { line in
            "\(line.branches)\(line.label)  \(line.place.lowerBound)–\(line.place.upperBound)"
        }.joined(separator: "\n")
    }
}

/// Places in a text as Unicode scalars, for many spans: the text is counted once.
package struct ScalarOffsets: Sendable {
    /// Scalars before each byte; empty for ASCII, where both are the same.
    private var scalars: [Int] = []
    private let count: Int

    /// Counts a text. Complexity: O(bytes).
    package init(_ text: String) {
        count = text.utf8.count
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return }
        scalars.reserveCapacity(count + 1)
        var scalar = 0
        for byte in text.utf8 {
            scalars.append(scalar)
            if byte & 0xC0 != 0x80 { scalar += 1 }
        }
        scalars.append(scalar)
    }

    /// The scalars of a span of bytes; bytes beyond the text count as its end.
    package func range(of span: SourceSpan) -> Range<Int> {
        let start = offset(span.range.lowerBound)
        return start..<max(start, offset(span.range.upperBound))
    }

    private func offset(_ byte: Int) -> Int {
        let byte = min(max(0, byte), count)
        return scalars.isEmpty ? byte : scalars[byte]
    }
}

extension SyntaxOutline {
    /// The outline of a predicate.
    package init(_ node: PredicateNode) {
        switch node.kind {
        case .constant(let flag): self.init(flag ? "TRUEPREDICATE" : "FALSEPREDICATE", nil, node.span)
        case .not(let inner): self.init("NOT", node.span, [SyntaxOutline(inner)])
        case .and(let terms): self.init("AND", node.span, terms.map { SyntaxOutline($0) })
        case .or(let terms): self.init("OR", node.span, terms.map { SyntaxOutline($0) })
        case .comparison(let comparison):
            let quantifier = comparison.quantifier.map { $0.rawValue + " " } ?? ""
            self.init(
                quantifier + comparison.comparisonOperator.rawValue + comparison.options.suffix, node.span,
                [SyntaxOutline(comparison.lhs), SyntaxOutline(comparison.rhs)])
        }
    }

    /// The outline of a value.
    package init(_ node: ExpressionNode) {
        let span = node.span
        switch node.kind {
        case .literal(let literal): self.init(literal, span)
        case .key(let name): self.init("key", name, span)
        case .selfObject: self.init("SELF", nil, span)
        case .variable(let name): self.init("variable", "$\(name)", span)
        case .placeholder(let placeholder):
            self.init("argument", "\(placeholder.index + 1) \(placeholder.text)", span)
        case .path(let base, let steps):
            self.init("path", span, [SyntaxOutline(base)] + steps.map { SyntaxOutline($0) })
        case .aggregate(let elements): self.init("list", span, elements.map { SyntaxOutline($0) })
        case .unary(let prefix, let operand): self.init(prefix.rawValue, span, [SyntaxOutline(operand)])
        case .binary(let infix, let lhs, let rhs):
            self.init(infix.rawValue, span, [SyntaxOutline(lhs), SyntaxOutline(rhs)])
        case .function(let name, let operands):
            self.init("function", name.rawValue, span, operands.map { SyntaxOutline($0) })
        case .subquery(let collection, let variable, let predicate):
            self.init("SUBQUERY", "$\(variable)", span, [SyntaxOutline(collection), SyntaxOutline(predicate)])
        case .ternary(let condition, let then, let otherwise):
            self.init("TERNARY", span, [SyntaxOutline(condition), SyntaxOutline(then), SyntaxOutline(otherwise)])
        case .cast(let value, let type): self.init("CAST", span, [SyntaxOutline(value), SyntaxOutline(type)])
        }
    }

    private init(_ step: PathStep) {
        switch step.kind {
        case .key(let name): self.init("step", name, step.span)
        case .collectionOperator(let name): self.init("step", "@\(name.rawValue)", step.span)
        case .selfObject: self.init("step", "SELF", step.span)
        case .placeholder(let placeholder): self.init("argument", placeholder.text, step.span)
        case .index(let index): self.init("index", step.span, [SyntaxOutline(index)])
        case .first: self.init("index", "FIRST", step.span)
        case .last: self.init("index", "LAST", step.span)
        case .size: self.init("index", "SIZE", step.span)
        }
    }

    private init(_ literal: Literal, _ span: SourceSpan) {
        let kind =
            switch literal {
            case .null: "nil"
            case .bool(let flag): flag ? "TRUE" : "FALSE"
            case .integer: "integer"
            case .double: "double"
            case .string: "text"
            case .duration: "duration"
            }
        switch literal {
        case .null, .bool: self.init(kind, nil, span)
        case .integer, .double, .string, .duration: self.init(kind, Printer.text(of: literal), span)
        }
    }
}
