// Edits of a predicate's top-level terms that leave the rest of its text as it was typed.

/// The terms that a predicate joins by `AND` at its top, and changes of them: text in, text out.
///
/// A predicate of another kind is one term. Positions are offsets of UTF-8 bytes.
package struct ClauseEditing {
    /// A term with its place, the parentheses around it included.
    package struct Clause: Sendable {
        package let node: PredicateNode
        package let range: Range<Int>
    }

    /// The predicate; empty for all records.
    package private(set) var text: String
    /// Its terms, in order.
    package private(set) var clauses: [Clause] = []
    private var root: PredicateNode?

    /// - Throws: `SyntaxError` for a text that is neither blank nor a predicate.
    package init(_ text: String) throws(SyntaxError) {
        self.text = text
        try read()
    }

    private mutating func read() throws(SyntaxError) {
        (root, clauses) = (nil, [])
        if text.utf8.allSatisfy({ $0 <= 0x20 }) { return }
        let tree = try SyntaxTree(parsing: text)
        root = tree.root
        let brackets = Brackets(text)
        if case .and(let terms) = tree.root.kind {
            clauses = terms.map { Clause(node: $0, range: brackets.around($0.span.range, in: tree.root.span.range)) }
        } else {
            let range = brackets.around(tree.root.span.range, in: 0..<text.utf8.count)
            clauses = [Clause(node: tree.root, range: range)]
        }
    }

    /// The text of a term.
    package func text(of clause: Clause) -> String {
        String(decoding: Array(text.utf8)[clause.range], as: UTF8.self)
    }

    private mutating func replace(_ range: Range<Int>, by new: String) throws(SyntaxError) {
        var bytes = Array(text.utf8)
        bytes.replaceSubrange(range, with: new.utf8)
        text = String(decoding: bytes, as: UTF8.self)
        try read()
    }

    // MARK: Terms

    /// Adds a term behind the others.
    /// - Throws: `SyntaxError` for a text that is no predicate.
    package mutating func append(_ clause: String) throws(SyntaxError) {
        let new = try Self.term(clause)
        switch root?.kind {
        case nil, .constant(true)?: try replace(0..<text.utf8.count, by: clause)
        case .or? where !clauses[0].isBracketed:
            try replace(clauses[0].range, by: "(" + text(of: clauses[0]) + ") AND " + new)
        case .and?, .or?, .comparison?, .not?, .constant?:
            let end = clauses[clauses.count - 1].range.upperBound
            try replace(end..<end, by: " AND " + new)
        }
    }

    /// Puts a term in the place of another.
    /// - Throws: `SyntaxError` for a text that is no predicate.
    package mutating func replaceClause(at index: Int, by clause: String) throws(SyntaxError) {
        guard clauses.indices.contains(index) else { return }
        try replace(clauses[index].range, by: try Self.term(clause))
    }

    /// Takes a term out; without any the text is empty.
    package mutating func removeClause(at index: Int) throws(SyntaxError) {
        guard clauses.indices.contains(index) else { return }
        if clauses.count == 1 { return try replace(0..<text.utf8.count, by: "") }
        let range =
            index == 0
            ? clauses[0].range.lowerBound..<clauses[1].range.lowerBound
            : clauses[index - 1].range.upperBound..<clauses[index].range.upperBound
        try replace(range, by: "")
    }

    /// A term as it appears between others: an `OR` gets parentheses.
    private static func term(_ clause: String) throws(SyntaxError) -> String {
        let editing = try ClauseEditing(clause)
        if case .or? = editing.root?.kind, !editing.clauses[0].isBracketed { return "(" + clause + ")" }
        return clause
    }

    // MARK: Conditions of a field

    /// What a click on a value means.
    package enum Toggle: Sendable {
        /// The field has the value, or one of those that were clicked.
        case equal
        /// The field has another value.
        case notEqual
    }

    /// Adds a condition on a field's value; where it is there already takes it out, and where the field has another
    /// value makes a list of both.
    ///
    /// - Parameters:
    ///   - field: A key path, as text of the language.
    ///   - value: An expression, as text of the language.
    ///   - isList: Whether the field's values are lists, one element of which is meant.
    /// - Throws: `SyntaxError` when the field or the value is no expression.
    package mutating func toggle(
        _ toggle: Toggle, _ field: String, _ value: String, isList: Bool
    ) throws(SyntaxError) {
        let word =
            switch toggle {
            case .equal: (isList ? "ANY " : "") + field + " == " + value
            case .notEqual: (isList ? "NONE " : "") + field + (isList ? " == " : " != ") + value
            }
        let single = try SyntaxTree(parsing: word).root
        if let known = clauses.firstIndex(where: { $0.node == single }) { return try removeClause(at: known) }
        guard toggle == .equal, case .comparison(let wanted) = single.kind else { return try append(word) }
        for (index, clause) in clauses.enumerated() {
            guard case .comparison(var comparison) = clause.node.kind, comparison.lhs == wanted.lhs,
                comparison.quantifier == wanted.quantifier, comparison.options.isEmpty
            else { continue }
            switch (comparison.comparisonOperator, comparison.rhs.kind) {
            case (.equal, .literal), (.equal, .cast), (.equal, .function):
                comparison.rhs = ExpressionNode(.aggregate([comparison.rhs, wanted.rhs]))
            case (.in, .aggregate(var elements)):
                if let known = elements.firstIndex(of: wanted.rhs) {
                    elements.remove(at: known)
                } else {
                    elements.append(wanted.rhs)
                }
                comparison.rhs = ExpressionNode(.aggregate(elements))
            default: continue
            }
            return try replaceList(comparison, at: index)
        }
        try append(word)
    }

    /// Whether a condition says that a field has a value: one that `toggle` would take out.
    package func contains(_ field: String, _ value: String, isList: Bool) -> Bool {
        guard let single = try? SyntaxTree(parsing: (isList ? "ANY " : "") + field + " == " + value).root,
            case .comparison(let wanted) = single.kind
        else { return false }
        return clauses.contains { clause in
            guard case .comparison(let comparison) = clause.node.kind, comparison.lhs == wanted.lhs,
                comparison.quantifier == wanted.quantifier, comparison.options == wanted.options,
                comparison.comparisonOperator == .in, case .aggregate(let elements) = comparison.rhs.kind
            else { return clause.node == single }
            return elements.contains(wanted.rhs)
        }
    }

    /// A list of one value is a comparison with it; one of none is no condition.
    private mutating func replaceList(_ comparison: Comparison, at index: Int) throws(SyntaxError) {
        var comparison = comparison
        guard case .aggregate(let elements) = comparison.rhs.kind else { return }
        if elements.isEmpty { return try removeClause(at: index) }
        comparison.comparisonOperator = elements.count == 1 ? .equal : .in
        if elements.count == 1 { comparison.rhs = elements[0] }
        try replaceClause(at: index, by: SyntaxTree(PredicateNode(.comparison(comparison))).description)
    }

    /// Puts a condition in the place of the one that has the same left side and operator: a range, or a distance. For
    /// calls of a function only the first argument counts, so that a circle replaces another around elsewhere.
    ///
    /// - Throws: `SyntaxError` for a text that is no predicate.
    package mutating func put(_ condition: String) throws(SyntaxError) {
        let node = try SyntaxTree(parsing: condition).root
        guard case .comparison(let wanted) = node.kind else { return try append(condition) }
        let known = clauses.firstIndex { clause in
            guard case .comparison(let comparison) = clause.node.kind,
                comparison.comparisonOperator == wanted.comparisonOperator
            else { return false }
            return Self.isSameSubject(comparison.lhs, wanted.lhs)
        }
        if let known { try replaceClause(at: known, by: condition) } else { try append(condition) }
    }

    private static let distances: [FunctionName] = [.distance, .distanceToLocation]

    private static func isSameSubject(_ a: ExpressionNode, _ b: ExpressionNode) -> Bool {
        if case .function(let first, let arguments) = a.kind, case .function(let second, let others) = b.kind {
            let areAlike = first == second || Self.distances.contains(first) && Self.distances.contains(second)
            return areAlike && arguments.first == others.first
        }
        return a == b
    }

    /// The field that a term is about, where that is one; for people.
    package static func field(of node: PredicateNode) -> String? {
        guard case .comparison(let comparison) = node.kind else { return nil }
        var subject = comparison.lhs
        if case .function(_, let arguments) = subject.kind, let first = arguments.first { subject = first }
        switch subject.kind {
        case .key, .path:
            var printer = Printer()
            printer.print(subject)
            return printer.text
        default: return nil
        }
    }
}

extension ClauseEditing.Clause {
    /// Whether parentheses are around the whole of it.
    fileprivate var isBracketed: Bool { range.lowerBound < node.span.range.lowerBound }
}

/// The places of parentheses and blanks in a predicate's text.
private struct Brackets {
    private let tokens: [LexicalToken]
    private let bytes: [UInt8]

    init(_ text: String) {
        tokens = LexicalToken.tokens(of: text)
        bytes = Array(text.utf8)
    }

    /// A range widened to the parentheses around it, as far as those are within another range.
    func around(_ range: Range<Int>, in outer: Range<Int>) -> Range<Int> {
        var range = range
        guard var first = tokens.firstIndex(where: { $0.range.lowerBound >= range.lowerBound }),
            var last = tokens.lastIndex(where: { $0.range.upperBound <= range.upperBound })
        else { return range }
        while first > 0, last + 1 < tokens.count {
            let (open, close) = (tokens[first - 1].range, tokens[last + 1].range)
            guard bytes[open.lowerBound] == UInt8(ascii: "("), bytes[close.lowerBound] == UInt8(ascii: ")"),
                open.count == 1, close.count == 1, open.lowerBound >= outer.lowerBound,
                close.upperBound <= outer.upperBound
            else { break }
            range = open.lowerBound..<close.upperBound
            (first, last) = (first - 1, last + 1)
        }
        return range
    }
}
