// From a bound predicate to the rows where a server is certain of it, and those where it is possible.

package import PredicateSemantics
import PredicateSyntax
package import RecordModel
import TextAnalysis

/// Lowers predicates over the records of one type to conditions on their rows.
package struct Lowering: Sendable {
    /// How many references a path may go through.
    private static let maximumDepth = 3
    /// Values of a predicate that a server is told: beyond so many it is told nothing. A statement has room for
    /// 65,535, some of which are those of orders and places.
    static let maximumValueCount = 30_000

    let layout: ColumnLayout
    /// The zone that the rows are in; `nil` for any: then it is not certain which record a reference leads to.
    let zoneID: RecordZone.ID?
    /// Whether derived columns of texts were made by the same tables of Unicode as this process has.
    let knowsTexts: Bool
    /// Whether the records that references lead to are on the same server.
    let joinsReferences: Bool
    /// What is known of records on other servers that references lead to.
    let foundTargets: [TargetCondition: FoundTargets]
    /// All types: a reference may lead to a record of any.
    let types: [ColumnLayout]
    /// The column by which rows are given in order: the index of its order finds what its texts begin with, too.
    package var orderedBy: String?
    /// The name of the row in the statement.
    var alias = "r"
    private var depth = 0

    /// - Parameters:
    ///   - layout: The columns of the type.
    ///   - zoneID: The zone that the rows are in; `nil` for all zones of the database.
    ///   - types: The columns of all types of the schema.
    ///   - knowsTexts: Whether derived columns of texts were made by the same tables of Unicode as this process has.
    ///   - joinsReferences: Whether the records that references lead to are on the same server.
    ///   - foundTargets: What is known of them where they are not.
    package init(
        _ layout: ColumnLayout, zoneID: RecordZone.ID?, types: [ColumnLayout] = [], knowsTexts: Bool = true,
        joinsReferences: Bool = true, foundTargets: [TargetCondition: FoundTargets] = [:]
    ) {
        (self.joinsReferences, self.foundTargets) = (joinsReferences, foundTargets)
        (self.layout, self.zoneID, self.types, self.knowsTexts) = (layout, zoneID, types, knowsTexts)
    }

    /// A column of the row.
    func column(_ name: String) -> SQLText { "\(name: alias).\(name: name)" }

    /// The text of a field with all foldings of letters, or the texts of a list.
    func folded(_ field: FieldColumn) -> SQLText {
        field.isFolded ? "COALESCE(\(column(field.name + "~cd")), \(column(field.name)))" : column(field.name)
    }

    func present(_ field: FieldColumn) -> Condition { .holds("\(column(field.presence)) IS NOT NULL") }

    /// The row has none of the marks.
    func without(_ marks: RowMarks) -> Condition { .holds("\(column("_x")) & \(.int64(Int64(marks.rawValue))) = 0") }

    /// The row is looked at one by one.
    var isOdd: Condition { .holds(column("_odd")) }

    func column(of field: String) -> FieldColumn? { layout.fields[field] ?? ColumnLayout.system[field] }

    // MARK: Logic

    /// The rows where the predicate certainly holds, and those where it may.
    /// - Complexity: O(nodes and constants).
    package func bounds(_ predicate: BoundPredicate) -> Bounds {
        let bounds = lower(predicate.root)
        if bounds.valueCount <= Self.maximumValueCount { return bounds }
        return Bounds(.constant(false), .constant(true), mayFail: bounds.mayFail)
    }

    /// The smallest parts of a predicate that a server does not decide on every row, in their order.
    ///
    /// - Complexity: That of `bounds` for each level of the tree.
    package func undecided(_ predicate: BoundPredicate) -> [BoundNode] { undecided(predicate.root) }

    private func undecided(_ node: BoundNode) -> [BoundNode] {
        if lower(node).isExact { return [] }
        switch node {
        case .constant, .comparison: return [node]
        case .not(let inner): return undecided(inner)
        case .and(let terms), .or(let terms):
            // The server is told nothing of what is behind a part that may fail.
            let end = terms.firstIndex { lower($0).mayFail } ?? terms.endIndex - 1
            return terms[...end].flatMap { undecided($0) } + terms[(end + 1)...]
        }
    }

    func lower(_ node: BoundNode) -> Bounds {
        switch node {
        case .constant(let value): return Bounds(exact: .constant(value))
        case .not(let inner): return lower(inner).negated
        case .and(let terms):
            var (certain, possible): ([Condition], [Condition]) = ([], [])
            for term in terms {
                let bounds = lower(term)
                certain.append(bounds.certain)
                possible.append(bounds.possible)
                // No row may be kept from a part that fails by what follows it.
                if bounds.mayFail { return Bounds(.constant(false), .every(possible), mayFail: true) }
            }
            return Bounds(.every(certain), .every(possible))
        case .or(let terms):
            var (certain, possible): ([Condition], [Condition]) = ([], [])
            for term in terms {
                let bounds = lower(term)
                certain.append(bounds.certain)
                possible.append(bounds.possible)
                if bounds.mayFail { return Bounds(.some(certain), .constant(true), mayFail: true) }
            }
            return Bounds(.some(certain), .some(possible))
        case .comparison(let comparison): return lower(comparison)
        }
    }

    private func lower(_ comparison: BoundComparison) -> Bounds {
        if let bounds = elementCount(comparison) { return bounds }
        if comparison.canThrow { return Bounds(.constant(false), .constant(true), mayFail: true) }
        if let bounds = wholeArithmetic(comparison) ?? allElements(comparison) { return bounds }
        guard let constraint = comparison.constraint else { return .nothing }
        var bounds = lower(constraint.subject, constraint.requirement)
        if !constraint.isExact { bounds.certain = .constant(false) }
        return constraint.isNegated ? bounds.negated : bounds
    }

    // MARK: Requirements

    func lower(_ subject: FieldConstraint.Subject, _ requirement: FieldConstraint.Requirement) -> Bounds {
        if let others = layout.others { return lower(subject, requirement, among: others) }
        guard let field = subject.field?.name else { return words(requirement, of: nil) }
        if !subject.keys.isEmpty { return behindReference(subject, requirement) }
        if field == "recordName" || field == "recordID", !layout.names.contains(field) {
            return subject.isElementwise ? .nothing : identity(field, requirement)
        }
        guard let column = column(of: field) else { return .nothing }
        switch requirement {
        case .tokens, .tokenPrefix: return words(requirement, of: column)
        case .presence(let isWanted):
            if subject.isElementwise { return .nothing }
            let bounds = Bounds(exact: present(column))
            return isWanted ? bounds : bounds.negated
        default: break
        }
        if subject.isElementwise != column.isList { return column.isList ? .nothing : .superset(present(column)) }
        return column.isList ? elements(column, requirement) : value(column, requirement)
    }

    private func value(_ column: FieldColumn, _ requirement: FieldConstraint.Requirement) -> Bounds {
        switch column.kind {
        case .int64, .double, .date: number(column, requirement) ?? .superset(present(column))
        case .string: text(column, requirement)
        case .location: place(column, requirement)
        case .reference: reference(column, requirement)
        }
    }

    // MARK: References

    /// The names of those references that lead into the zone of the row, in all ways to write them; `nil` where those
    /// are not known.
    func names(_ values: [FieldValue], in zoneID: RecordZone.ID?) -> [String]? {
        var names: [String] = []
        for case .reference(let reference) in values where zoneID.map({ $0 == reference.recordID.zoneID }) ?? true {
            guard let ways = RawText.equivalents(of: reference.recordID.recordName) else { return nil }
            names += ways
        }
        return names
    }

    /// Bounds of a condition on names: which record of a name is meant is certain within one zone.
    ///
    /// - Parameter present: What holds where there is a name.
    private func named(
        _ values: [FieldValue], isOfUser: Bool, present: Condition, _ condition: ([String]) -> SQLText
    ) -> Bounds {
        guard let names = names(values, in: isOfUser ? .default : zoneID) else { return .superset(present) }
        if names.isEmpty { return .never }
        let bounds = Bounds(exact: condition(names))
        return zoneID == nil && !isOfUser ? .superset(bounds.possible) : bounds
    }

    func isAmong(_ column: SQLText, _ names: [String]) -> SQLText {
        names.count == 1 ? "\(column) = \(.text(names[0]))" : "\(column) = ANY(\(.texts(names)))"
    }

    private func reference(_ field: FieldColumn, _ requirement: FieldConstraint.Requirement) -> Bounds {
        let isOfUser = field.name == "_u0" || field.name == "_u1"
        switch requirement {
        case .equal(let value, _):
            return named([value], isOfUser: isOfUser, present: present(field)) { isAmong(column(field.name), $0) }
        case .membership(let values, _):
            return named(values, isOfUser: isOfUser, present: present(field)) { isAmong(column(field.name), $0) }
        default: return .superset(present(field))
        }
    }

    /// The record's own name and identifier.
    private func identity(_ field: String, _ requirement: FieldConstraint.Requirement) -> Bounds {
        let values: [FieldValue]
        switch requirement {
        case .equal(let value, let options) where options.isEmpty: values = [value]
        case .membership(let members, let options) where options.isEmpty: values = members
        default: return .nothing
        }
        if field == "recordID" {
            return named(values, isOfUser: false, present: .constant(true)) { isAmong(column("_n"), $0) }
        }
        // Names of records are ASCII.
        let names = values.compactMap { value -> String? in
            if case .string(let text) = value { SQLValue.name(TextFolding.fold(text, [])) } else { nil }
        }
        return names.isEmpty ? .never : Bounds(exact: isAmong(column("_n"), names))
    }

    /// Bounds of a condition on the names that references have, which need not be those of records.
    private func targetNames(_ values: [FieldValue], _ holder: FieldColumn) -> Bounds {
        var names: [String] = []
        for case .string(let text) in values {
            guard let ways = RawText.equivalents(of: text) else { return .superset(present(holder)) }
            names += ways
        }
        return names.isEmpty ? .never : Bounds(exact: isAmong(column(holder.name), names))
    }

    /// A condition on the record that a reference leads to, of whatever type it is.
    private func behindReference(
        _ subject: FieldConstraint.Subject, _ requirement: FieldConstraint.Requirement
    ) -> Bounds {
        guard let field = subject.field?.name, let holder = column(of: field), holder.kind == .reference,
            !holder.isList, !subject.isElementwise, let key = subject.keys.first
        else { return .nothing }
        if key == "recordName" {
            guard subject.keys.count == 1 else { return .nothing }
            switch requirement {
            case .equal(let value, let options) where options.isEmpty:
                return targetNames([value], holder)
            case .membership(let values, let options) where options.isEmpty:
                return targetNames(values, holder)
            default: return .nothing
            }
        }
        guard let path = path(subject, requirement) else { return .nothing }
        let bounds = joinsReferences ? joined(path.condition, path.key, holder) : named(path.condition, holder)
        return path.isNegated ? bounds.negated : bounds
    }

    /// What a path requires of the records behind its first reference; `nil` where the server does not look at them.
    func path(
        _ subject: FieldConstraint.Subject, _ requirement: FieldConstraint.Requirement
    ) -> (condition: TargetCondition, key: String, isNegated: Bool)? {
        // Users are in the default zone, whatever zone the record is in.
        guard let field = subject.field?.name, let holder = layout.fields[field], holder.kind == .reference,
            !holder.isList, !subject.isElementwise, depth < Self.maximumDepth, let key = subject.keys.first,
            ColumnLayout.system[key] == nil, !ColumnLayout.untold.contains(key)
        else { return nil }
        // A record that is not there has no value, as one without the field.
        var (wanted, isNegated) = (requirement, false)
        if case .presence(false) = requirement { (wanted, isNegated) = (.presence(true), true) }
        var rest = subject
        rest.field?.name = key
        rest.keys.removeFirst()
        return (TargetCondition(subject: rest, requirement: wanted), key, isNegated)
    }

    private func joined(_ condition: TargetCondition, _ key: String, _ holder: FieldColumn) -> Bounds {
        var (certain, possible): ([Condition], [Condition]) = ([], [])
        for type in types {
            if !type.names.contains(key) { continue }
            // Nothing is known of what has no column.
            if type.fields[key] == nil { return .nothing }
            let bounds = lowering(behind: type).lower(condition.subject, condition.requirement)
            certain.append(join(bounds.certain, holder, type))
            possible.append(bounds.possible == .constant(true) ? .constant(true) : join(bounds.possible, holder, type))
        }
        return Bounds(.some(certain), .some(possible))
    }

    func lowering(behind type: ColumnLayout) -> Lowering {
        var inner = Lowering(
            type, zoneID: zoneID, types: types, knowsTexts: knowsTexts, joinsReferences: joinsReferences,
            foundTargets: foundTargets)
        inner.depth = depth + 1
        inner.alias = "t\(inner.depth)"
        return inner
    }

    private func join(_ condition: Condition, _ holder: FieldColumn, _ type: ColumnLayout) -> Condition {
        if condition == .constant(false) { return condition }
        let target = "t\(depth + 1)"
        // All records of a zone of its own have one bucket. A cluster that distributes by buckets may join rows where
        // they are only if it is told so.
        let isTogether = zoneID.map { !$0.isDefault } ?? false
        let bucket: SQLText = isTogether ? " AND \(name: target)._b = \(column("_b"))" : ""
        return .holds(
            """
            EXISTS (SELECT 1 FROM \(name: type.table) \(name: target) WHERE \(name: target)._z = \(column("_z"))\
            \(bucket) AND \(name: target)._n = \(column(holder.name)) AND \(condition.text))
            """)
    }
}
