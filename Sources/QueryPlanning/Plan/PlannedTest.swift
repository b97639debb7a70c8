// A test of a plan, and why it is there.

package import PredicateSemantics

/// A test of a plan, with the parts of the predicate for which it reads rows because no index serves them.
package struct PlannedTest: Sendable {
    package let test: RowTest
    /// None for a test of what an index found, or one that is cheaper than an index that is there.
    package let unserved: [UnservedPart]

    package init(_ test: RowTest, unserved: [UnservedPart] = []) {
        self.test = test
        // Members are rows that are there already: none is read.
        if case .member = test { self.unserved = [] } else { self.unserved = unserved }
    }

    /// Decides parts of a predicate, all of which hold, by the evaluator.
    static func evaluate(_ nodes: [BoundNode], _ reason: UnservedPart.Reason) -> PlannedTest {
        PlannedTest(
            .evaluate(nodes.count == 1 ? nodes[0] : .and(nodes)),
            unserved: nodes.map { UnservedPart(node: $0, reason: reason) })
    }
}

/// A part of a predicate that is decided row by row.
package struct UnservedPart: Sendable {
    package enum Reason: Sendable {
        /// No index serves such a condition, or none that is there.
        case noIndex
        /// It may fail, so it runs exactly where the evaluator would run it.
        case mayFail
        /// It depends on chance, or on variables that get their values later.
        case context
    }

    package let node: BoundNode
    package let reason: Reason
}
