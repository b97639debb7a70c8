// A predicate with open variables, bound as far as it can be: new values are put in their places, and nothing else is
// done again.

import PredicateSyntax
package import RecordModel

/// A bound predicate whose variables get values again and again.
package struct PredicateTemplate: Sendable {
    /// The predicate with its variables open.
    let open: BoundPredicate
    private let binder: Binder

    /// - Parameters:
    ///   - open: The predicate, bound by the binder without values for its variables.
    /// - Returns: `nil` when nothing is open, or a variable appears where its value decides more than an operand: in a
    ///   path, a SUBQUERY, a condition, or the words of a search.
    package init?(_ open: BoundPredicate, binder: Binder) {
        guard !open.openVariables.isEmpty,
            open.root.allComparisons({ $0.lhs.isFillable && $0.rhs.isFillable })
        else { return nil }
        (self.open, self.binder) = (open, binder)
    }

    /// What the binder makes of the predicate with these values.
    ///
    /// - Returns: `nil` when a variable has no value.
    /// - Throws: `BindingError` as the binder.
    /// - Complexity: O(nodes with variables).
    package func bound(_ variables: [String: FieldValue]) throws(BindingError) -> BoundPredicate? {
        for name in open.openVariables where variables[name] == nil { return nil }
        let filling = Filling(
            variables: variables,
            pass: BindingPass(arguments: [], variables: variables, schema: binder.schema, settings: binder.settings))
        for value in variables.values where !value.isNested(within: binder.settings.maximumDepth) { return nil }
        return BoundPredicate(
            root: try filling.node(open.root), names: open.names, usesContext: false, openVariables: [])
    }
}

/// The places of variables, filled with values.
private struct Filling {
    let variables: [String: FieldValue]
    let pass: BindingPass

    func node(_ node: BoundNode) throws(BindingError) -> BoundNode {
        switch node {
        case .constant: return node
        case .comparison(let comparison):
            return comparison.lhs.isOpen || comparison.rhs.isOpen ? try self.comparison(comparison) : node
        case .not(let inner):
            let filled = try self.node(inner)
            if case .constant(let value) = filled { return .constant(!value) }
            return .not(filled)
        case .and(let terms): return BindingPass.joined(try nodes(terms), deciding: false)
        case .or(let terms): return BindingPass.joined(try nodes(terms), deciding: true)
        }
    }

    private func nodes(_ nodes: [BoundNode]) throws(BindingError) -> [BoundNode] {
        var filled: [BoundNode] = []
        filled.reserveCapacity(nodes.count)
        for node in nodes { filled.append(try self.node(node)) }
        return filled
    }

    private func comparison(_ comparison: BoundComparison) throws(BindingError) -> BoundNode {
        var form = comparison.form
        (form.lhs, form.rhs) = (try operand(form.lhs), try operand(form.rhs))
        return try pass.compare(form)
    }

    private func operand(_ operand: Operand) throws(BindingError) -> Operand {
        guard operand.isOpen else { return operand }
        let span = operand.span
        switch operand.kind {
        case .variable(let name): return Operand(constant: variables[name] ?? .null, span: span)
        case .list(let members): return pass.list(try operands(members), span)
        case .unary(let operation, let base): return try pass.apply(operation, try self.operand(base), span)
        case .binary(let operation, let lhs, let rhs):
            return try pass.combine(operation, try self.operand(lhs), try self.operand(rhs), span)
        case .moved(let operation, let base, let length):
            return try pass.moved(operation, try self.operand(base), length, span)
        case .function(let name, let arguments): return try pass.call(name, on: try operands(arguments), span)
        case .cast(let value, let type): return try pass.cast(try self.operand(value), try self.operand(type), span)
        default: return operand
        }
    }

    private func operands(_ operands: [Operand]) throws(BindingError) -> [Operand] {
        var filled: [Operand] = []
        filled.reserveCapacity(operands.count)
        for operand in operands { filled.append(try self.operand(operand)) }
        return filled
    }
}

extension Operand {
    /// Whether a variable is part of the operand, for operands that can be filled.
    fileprivate var isOpen: Bool {
        if case .variable = kind { true } else { !allChildren { !$0.isOpen } }
    }

    /// Whether values of variables only fill operands, and nothing reads the clock or chance.
    fileprivate var isFillable: Bool {
        switch kind {
        case .element, .subquery, .ternary: false
        case .function(let name, _) where !name.isPure || name == .tokenize && isOpen: false
        case .path(let base, let steps)
        where base.isOpen || !steps.allSatisfy({ if case .key = $0.kind { true } else { false } }): false
        case .constant, .field, .selfObject, .allTokens, .variable, .list, .function, .unary, .binary, .moved, .cast,
            .path:
            allChildren(\.isFillable)
        }
    }
}
