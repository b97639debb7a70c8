// The parts of an operand: the one place that says which operands are within which.

package import PredicateSyntax

extension Operand {
    /// Whether a test holds of every operand directly within, from left to right and up to the first where it does not.
    ///
    /// The indexes of a path are among them, those of a collection operator's argument too.
    /// - Parameter conditions: Whether it holds of a predicate directly within: of a SUBQUERY, or of a condition.
    func allChildren(
        _ holds: (Operand) -> Bool, conditions: (BoundNode) -> Bool = { _ in true }
    ) -> Bool {
        switch kind {
        case .constant, .field, .selfObject, .allTokens, .element, .variable: true
        case .path(let base, let steps): holds(base) && steps.allIndexes(holds)
        case .list(let operands), .function(_, let operands): operands.allSatisfy(holds)
        case .unary(_, let operand), .moved(_, let operand, _): holds(operand)
        case .binary(_, let lhs, let rhs), .cast(let lhs, let rhs): holds(lhs) && holds(rhs)
        case .subquery(let collection, _, let predicate): holds(collection) && conditions(predicate)
        case .ternary(let condition, let then, let otherwise):
            conditions(condition) && holds(then) && holds(otherwise)
        }
    }

    /// Whether one of some functions is called, however deep.
    package func calls(_ names: Set<FunctionName>) -> Bool {
        if case .function(let name, _) = kind, names.contains(name) { return true }
        return !allChildren {
            !$0.calls(names)
        } conditions: { condition in
            var isCalled = false
            condition.forEachComparison { comparison, _ in
                isCalled = isCalled || comparison.lhs.calls(names) || comparison.rhs.calls(names)
            }
            return !isCalled
        }
    }

    /// The field that the operand reads, where it is the only one: what is read apart from constants is one field, or
    /// keys behind it.
    ///
    /// - Parameters:
    ///   - field: The field met so far; it is set to the first one.
    ///   - leaf: The field that an operand without operands of its own reads, or a path; `nil` where it reads more.
    /// - Returns: Whether no operand reads another field, or more than fields.
    package func reads(only field: inout FieldReference?, _ leaf: (Operand) -> FieldReference?) -> Bool {
        switch kind {
        case .constant: return true
        case .list, .function, .unary, .binary, .moved, .cast: return allChildren { $0.reads(only: &field, leaf) }
        case .field, .path:
            guard let found = leaf(self) else { return false }
            if let field { return field.slot == found.slot }
            field = found
            return true
        case .selfObject, .allTokens, .element, .variable, .subquery, .ternary: return false
        }
    }
}

extension [BoundStep] {
    fileprivate func allIndexes(_ holds: (Operand) -> Bool) -> Bool {
        allSatisfy { step in
            switch step.kind {
            case .index(let index): holds(index)
            case .collection(_, let argument): argument.allIndexes(holds)
            case .key, .first, .last, .size: true
            }
        }
    }
}
