// Paths through references whose targets are on any server: their names are looked up before.

package import PredicateSemantics
import RecordModel

extension Lowering {
    /// The conditions about records that references lead to, those of longer paths before what they are parts of.
    ///
    /// - Returns: None where the references of rows are followed on the same server.
    package func targetConditions(_ predicate: BoundPredicate) -> [TargetCondition] {
        if joinsReferences { return [] }
        var found: [TargetCondition] = []
        collect(predicate.root, &found)
        return found
    }

    private func collect(_ node: BoundNode, _ found: inout [TargetCondition]) {
        switch node {
        case .constant: return
        case .not(let inner): collect(inner, &found)
        case .and(let terms), .or(let terms): for term in terms { collect(term, &found) }
        case .comparison(let comparison):
            guard !comparison.canThrow, let constraint = comparison.constraint else { return }
            collect(constraint.subject, constraint.requirement, &found)
        }
    }

    private func collect(
        _ subject: FieldConstraint.Subject, _ requirement: FieldConstraint.Requirement,
        _ found: inout [TargetCondition]
    ) {
        guard let path = path(subject, requirement) else { return }
        for type in types where type.names.contains(path.key) {
            lowering(behind: type).collect(path.condition.subject, path.condition.requirement, &found)
        }
        if !found.contains(path.condition) { found.append(path.condition) }
    }

    /// The bounds of a condition on the records of a type; `nil` where nothing is known of them.
    package func bounds(_ condition: TargetCondition, of type: ColumnLayout) -> Bounds? {
        guard let key = condition.subject.field?.name else { return nil }
        if !type.names.contains(key) { return .never }
        if type.fields[key] == nil { return nil }
        var inner = lowering(behind: type)
        inner.alias = "r"
        return inner.lower(condition.subject, condition.requirement)
    }

    /// Bounds by the names that were looked up; nothing where they were too many.
    func named(_ condition: TargetCondition, _ holder: FieldColumn) -> Bounds {
        guard let found = foundTargets[condition] else { return .nothing }
        func isOne(of names: [String]) -> Condition {
            if names.isEmpty { return .constant(false) }
            return .holds(isAmong(column(holder.name), names.flatMap { RawText.equivalents(of: $0) ?? [$0] }))
        }
        return Bounds(isOne(of: found.certain), isOne(of: found.possible))
    }
}
