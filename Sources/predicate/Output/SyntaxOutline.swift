// A syntax tree drawn with its branches, one node a line, with the place of each in the text.

import RecordDatabase

/// A node of the drawing: what it is, where it stands, what hangs below.
struct SyntaxOutline {
    /// What kind of node: an operator, `key`, `text` …
    var kind: String
    /// The name or the value of a leaf.
    var detail: String?
    var span: SourceSpan
    var children: [SyntaxOutline]

    init(_ kind: String, _ detail: String? = nil, _ span: SourceSpan, _ children: [SyntaxOutline] = []) {
        self.kind = kind
        self.detail = detail
        self.span = span
        self.children = children
    }

    /// The outline as JSON: `kind`, `value`, `start` and `end` in Unicode scalars, `children`.
    func json(_ source: SourceText) -> JSONValue {
        var members = [JSONValue.Member(key: "kind", value: .string(kind))]
        if let detail { members.append(JSONValue.Member(key: "value", value: .string(detail))) }
        let range = span.range
        members.append(
            JSONValue.Member(key: "start", value: .int64(Int64(source.scalarOffset(ofByte: range.lowerBound)))))
        members.append(
            JSONValue.Member(key: "end", value: .int64(Int64(source.scalarOffset(ofByte: range.upperBound)))))
        if !children.isEmpty {
            members.append(JSONValue.Member(key: "children", value: .array(children.map { $0.json(source) })))
        }
        return .object(members)
    }

    /// The drawing, ending in a line break; places are 0-based Unicode scalars.
    func text(of source: String, style: Style) -> String {
        var text = ""
        let offsets = SourceText(source)
        draw(head: "", tail: "", offsets, style, into: &text)
        return text
    }

    private func draw(head: String, tail: String, _ source: SourceText, _ style: Style, into text: inout String) {
        let start = source.scalarOffset(ofByte: span.range.lowerBound)
        let end = source.scalarOffset(ofByte: span.range.upperBound)
        text += style.dim(head) + kind + (detail.map { " \($0)" } ?? "") + style.dim("  \(start)–\(end)") + "\n"
        for (index, child) in children.enumerated() {
            let isLast = index == children.count - 1
            child.draw(
                head: tail + (isLast ? "└─ " : "├─ "), tail: tail + (isLast ? "   " : "│  "), source, style, into: &text
            )
        }
    }
}

extension SyntaxOutline {
    /// The outline of a predicate.
    init(_ node: PredicateNode) {
        switch node.kind {
        case .constant(let flag): self.init(flag ? "TRUEPREDICATE" : "FALSEPREDICATE", node.span)
        case .not(let inner): self.init("NOT", node.span, [SyntaxOutline(inner)])
        case .and(let terms): self.init("AND", node.span, terms.map { SyntaxOutline($0) })
        case .or(let terms): self.init("OR", node.span, terms.map { SyntaxOutline($0) })
        case .comparison(let comparison):
            let quantifier = comparison.quantifier.map { $0.rawValue + " " } ?? ""
            let options = Self.letters(comparison.options)
            self.init(
                quantifier + comparison.comparisonOperator.rawValue + options, node.span,
                [SyntaxOutline(comparison.lhs), SyntaxOutline(comparison.rhs)])
        }
    }

    private static func letters(_ options: ComparisonOptions) -> String {
        let letters: [(ComparisonOptions, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
            (.phrase, "p"),
        ]
        let given = letters.filter { options.contains($0.0) }.map(\.1).joined()
        return given.isEmpty ? "" : "[\(given)]"
    }

    /// The outline of a value.
    init(_ node: ExpressionNode) {
        let span = node.span
        switch node.kind {
        case .literal(let literal): self.init(literal, span)
        case .key(let name): self.init("key", name, span)
        case .selfObject: self.init("SELF", span)
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
        switch literal {
        case .null: self.init("nil", span)
        case .bool(let flag): self.init(flag ? "TRUE" : "FALSE", span)
        case .integer(let number): self.init("integer", String(number), span)
        case .double(let number): self.init("double", String(number), span)
        case .string(let text): self.init("text", JSONValue.string(text).text, span)
        }
    }

    private init(_ kind: String, _ span: SourceSpan, _ children: [SyntaxOutline] = []) {
        self.init(kind, nil, span, children)
    }
}
