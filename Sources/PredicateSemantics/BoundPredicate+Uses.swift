// Which fields a predicate uses, and for what: what indexes a schema must offer.

package import PredicateSyntax
import RecordModel

/// A use of a field, or of all words of the record, in a bound predicate.
package struct FieldUse: Hashable, Sendable {
    /// What a value is used for.
    package enum Purpose: Hashable, Sendable {
        /// Its equality, its membership, its distance, or anything but its order.
        case value
        /// Its order: `<` and its kin, BETWEEN.
        case order
        /// Its words.
        case words
    }

    /// The field; `nil` for the words of all fields.
    package let name: String?
    package let purpose: Purpose
    package let span: SourceSpan
    /// Whether what lies behind its value is used, and that may be a reference to another record.
    package internal(set) var followsReferences = false
    /// Whether the value may be a reference.
    fileprivate let mayRefer: Bool

    fileprivate init(_ field: FieldReference, _ purpose: Purpose, _ span: SourceSpan) {
        (name, self.purpose, self.span) = (field.name, purpose, span)
        mayRefer =
            switch field.type {
            case .reference, .list(.reference), .list(nil), .any, .object, nil: true
            default: false
            }
    }

    fileprivate init(wordsAt span: SourceSpan) {
        (name, purpose, self.span, mayRefer) = (nil, .words, span, false)
    }
}

extension BoundPredicate {
    /// The uses of the record's own fields; those of records behind references are not among them.
    /// - Complexity: O(nodes).
    package var uses: [FieldUse] {
        var uses: [FieldUse] = []
        root.collect(into: &uses)
        return uses
    }

    /// Whether records behind references may decide whether a record matches. Complexity: O(nodes).
    package var followsReferences: Bool { root.followsValues || uses.contains(where: \.followsReferences) }

    /// The names of what may be read of records behind references; `nil` where they are computed record by record.
    ///
    /// Members of objects are among them, as nothing tells these from references before a record is there.
    /// - Complexity: O(nodes).
    package var namesBehindReferences: Set<String>? {
        guard followsReferences else { return [] }
        var names = PathNames()
        names.collect(root)
        return names.areKnown ? names.names : nil
    }
}

/// The names in the paths of a predicate, fields of its own record aside.
private struct PathNames {
    var names: Set<String> = []
    /// Whether no name is computed.
    var areKnown = true

    mutating func collect(_ node: BoundNode) {
        node.forEachComparison { comparison, _ in
            collect(comparison.lhs)
            collect(comparison.rhs)
        }
    }

    private mutating func collect(_ operand: Operand) {
        if case .path(_, let steps) = operand.kind { collect(steps) }
        _ = operand.allChildren {
            collect($0)
            return true
        } conditions: {
            collect($0)
            return true
        }
    }

    private mutating func collect(_ steps: [BoundStep]) {
        for step in steps {
            switch step.kind {
            case .key(let name): names.insert(name)
            case .collection(_, let argument): collect(argument)
            case .index(let index):
                switch index.kind {
                case .constant(.string(let name)): names.insert(name)
                case .constant: break
                default: areKnown = false
                }
            case .first, .last, .size: break
            }
        }
    }
}

extension BoundNode {
    fileprivate func collect(into uses: inout [FieldUse]) {
        forEachComparison { comparison, _ in
            let purpose = comparison.comparisonOperator.purpose
            comparison.lhs.collect(purpose, into: &uses)
            comparison.rhs.collect(purpose, into: &uses)
        }
    }

    /// Whether references that are no field's are followed: constants, and what variables may be.
    fileprivate var followsValues: Bool {
        var isFound = false
        forEachComparison { comparison, _ in
            isFound = isFound || comparison.lhs.followsValues || comparison.rhs.followsValues
        }
        return isFound
    }
}

extension Operand {
    fileprivate var followsValues: Bool {
        // Whether the value of the first operand within is looked into.
        var isFollowed =
            switch kind {
            case .path, .subquery: true
            default: false
            }
        return !allChildren { operand in
            defer { isFollowed = false }
            return !(isFollowed && operand.mayRefer) && !operand.followsValues
        } conditions: { condition in
            !condition.followsValues
        }
    }

    /// Whether the value may be a reference that is no field's, or hold one.
    private var mayRefer: Bool {
        switch kind {
        case .constant(let value): value.holdsReference
        case .variable: true
        default: !allChildren { !$0.mayRefer }
        }
    }
}

extension Operand {
    fileprivate func collect(_ purpose: FieldUse.Purpose, into uses: inout [FieldUse]) {
        // Whether the value of the first operand within is looked into.
        var isFollowed = false
        switch kind {
        case .field(let field): uses.append(FieldUse(field, purpose, span))
        case .selfObject, .allTokens: uses.append(FieldUse(wordsAt: span))
        case .path, .subquery: isFollowed = true
        case .constant, .element, .variable, .list, .function, .unary, .binary, .moved, .ternary, .cast: break
        }
        _ = allChildren { operand in
            let first = uses.count
            operand.collect(.value, into: &uses)
            for position in first..<uses.count where isFollowed && uses[position].mayRefer {
                uses[position].followsReferences = true
            }
            isFollowed = false
            return true
        } conditions: { condition in
            condition.collect(into: &uses)
            return true
        }
    }
}

extension FieldValue {
    /// Whether the value is a reference or holds one, however deep.
    var holdsReference: Bool {
        switch self {
        case .reference: true
        case .list(let elements), .set(let elements): elements.contains(where: \.holdsReference)
        case .object(let members): members.values.contains(where: \.holdsReference)
        default: false
        }
    }
}
