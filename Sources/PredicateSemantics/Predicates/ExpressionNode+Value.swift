// Values in trees that programs build.

package import PredicateSyntax
package import RecordModel

extension ExpressionNode {
    /// The node of a value: its text where the language has one, else a placeholder whose argument is appended.
    ///
    /// Nodes must be made in the order of the canonical text.
    package init(value: FieldValue, arguments: inout [FieldValue]) {
        if let written = TreeRewriter.expression(value, .value) {
            self = written
        } else {
            self.init(.placeholder(Placeholder(index: arguments.count, kind: .value, text: "%@")))
            arguments.append(value)
        }
    }
}

extension RecordPredicate {
    /// The predicate's tree as part of one that is being built.
    ///
    /// - Throws: `RecordPredicateError` when the predicate comes from a malformed string literal.
    package func node(arguments: inout [FieldValue]) throws(RecordPredicateError) -> PredicateNode {
        var rewriter = TreeRewriter(arguments: self.arguments, kept: arguments)
        let node = rewriter.rewrite(try tree.root)
        arguments = rewriter.kept
        return node
    }
}
