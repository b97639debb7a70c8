// Columns of tables that others made: nothing is derived from their texts, and their types are the server's.

import FoundationEssentials
import PredicateSemantics
import RecordModel

extension Lowering {
    /// A requirement on a field of a table that others made.
    func lower(
        _ subject: FieldConstraint.Subject, _ requirement: FieldConstraint.Requirement,
        among columns: [String: TableColumn]
    ) -> Bounds {
        guard let name = subject.field?.name, let column = columns[name] else { return .nothing }
        let isHere = Condition.holds("\(self.column(name)) IS NOT NULL")
        if case .presence(let isWanted) = requirement {
            guard !subject.isElementwise, subject.keys.isEmpty else { return .nothing }
            // Of JSON, null is no value either.
            let bounds = column.form == .json ? Bounds.superset(isHere) : Bounds(exact: isHere)
            return isWanted ? bounds : bounds.negated
        }
        guard subject.keys.isEmpty else { return .superset(isHere) }
        if case .list(let element) = column.form {
            return subject.isElementwise ? elements(of: column, element, requirement) : .nothing
        }
        return subject.isElementwise ? .superset(isHere) : value(of: column, requirement) ?? .superset(isHere)
    }

    private func value(of column: TableColumn, _ requirement: FieldConstraint.Requirement) -> Bounds? {
        let text = self.column(column.name)
        switch column.form {
        case .int64, .double: return layout.fields[column.name].flatMap { number($0, requirement) }
        case .bool:
            return number(NumberExpression(text: "\(text)::int::bigint", kind: .int64), requirement)
        case .real: return within(Self.single, text, requirement)
        case .numeric: return within(Self.decimal, text, requirement)
        case .day, .moment(hasZone: false): return within(Self.moment("timestamp"), text, requirement)
        case .moment(hasZone: true): return within(Self.moment("timestamptz"), text, requirement)
        case .text(let isBytewise):
            return RawText(text: "\(text)::text", isBytewise: isBytewise).bounds(requirement)
        case .uuid: return uuid(text, requirement)
        case .json, .bytes, .list: return nil
        }
    }

    private func uuid(_ column: SQLText, _ requirement: FieldConstraint.Requirement) -> Bounds? {
        let raw = RawText(text: "\(column)::text", isBytewise: true)
        let values: [FieldValue]
        switch requirement {
        case .equal(let value, let options) where options.isEmpty: values = [value]
        case .membership(let members, let options) where options.isEmpty: values = members
        default: return raw.bounds(requirement)
        }
        // Others than those that the server prints are equal to none.
        let texts = values.compactMap { value -> String? in
            guard case .string(let text) = value, let uuid = UUID(uuidString: text) else { return nil }
            return uuid.uuidString.lowercased() == text ? text : nil
        }
        return texts.isEmpty ? .never : Bounds(exact: "\(column) = ANY(\(.texts(texts))::uuid[])")
    }

    // MARK: Values that are not read as the server has them

    /// Constants of the server around a value: those below are surely less than what is read as the value, and those
    /// above surely more. `nil` where there is none.
    private typealias Margins = (_ value: FieldValue) -> (below: SQLText?, above: SQLText?)?

    /// The column's value compared with margins around the constants.
    private func within(
        _ margins: Margins, _ column: SQLText, _ requirement: FieldConstraint.Requirement
    ) -> Bounds? {
        func beyond(_ bound: FieldConstraint.Bound, isAbove: Bool) -> Bounds? {
            guard let (below, above) = margins(bound.value) else { return nil }
            let (wide, narrow) = isAbove ? (below, above) : (above, below)
            func condition(_ end: SQLText) -> Condition {
                .holds(isAbove ? "\(column) >= \(end)" : "\(column) <= \(end)")
            }
            return Bounds(
                narrow.map(condition) ?? .constant(false),
                wide.map(condition) ?? .holds("\(column) IS NOT NULL"))
        }
        func among(_ values: [FieldValue]) -> Bounds? {
            var possible: [Condition] = []
            for value in values {
                let bound = FieldConstraint.Bound(value, isInclusive: true)
                guard let lower = beyond(bound, isAbove: true), let upper = beyond(bound, isAbove: false) else {
                    return nil
                }
                possible.append(.every([lower.possible, upper.possible]))
            }
            return .superset(.some(possible))
        }
        switch requirement {
        case .equal(let value, _): return among([value])
        // Of many values the conditions would be longer than what they save.
        case .membership(let values, _) where values.count <= 100: return among(values)
        case .range(let lower, let upper, _):
            var (certain, possible): ([Condition], [Condition]) = ([], [])
            for (bound, isAbove) in [(lower, true), (upper, false)] {
                guard let bound else { continue }
                guard let bounds = beyond(bound, isAbove: isAbove) else { return nil }
                certain.append(bounds.certain)
                possible.append(bounds.possible)
            }
            return Bounds(.every(certain), .every(possible))
        default: return nil
        }
    }

    /// Fractions of 32 bits are read by their shortest texts, which are in their order.
    private static func single(_ value: FieldValue) -> (below: SQLText?, above: SQLText?)? {
        guard let double = value.number?.asDouble, !double.isNaN else { return nil }
        let nearest = Float(double)
        func constant(_ number: Float) -> SQLText? { number.isFinite ? "\(.double(Double(number)))" : nil }
        return (constant(nearest.nextDown), constant(nearest.nextUp))
    }

    /// Decimal numbers are read as the nearest doubles, or exactly: between the neighbours of a double there is all
    /// that is read as it.
    private static func decimal(_ value: FieldValue) -> (below: SQLText?, above: SQLText?)? {
        guard let double = value.number?.asDouble, double.isFinite else { return nil }
        func constant(_ number: Double) -> SQLText? {
            number.isFinite ? "\(.text(number.description))::numeric" : nil
        }
        return (constant(double.nextDown), constant(double.nextUp))
    }

    /// Microseconds are read as seconds: a whole second around a moment covers what that rounds.
    private static func moment(_ type: SQLText) -> Margins {
        return { value in
            guard case .date(let date) = value, abs(date.timeIntervalSinceReferenceDate) < 1e12 else { return nil }
            let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
            func constant(_ seconds: Double) -> SQLText? {
                guard let text = RFC3339.format(seconds), !text.hasPrefix("0000") else { return nil }
                return "\(.text(text))::\(type)"
            }
            return (constant(seconds - 1), constant(seconds + 2))
        }
    }

    // MARK: Elements

    /// Some element of an array meets the requirement. Arrays may have missing elements and several dimensions: what
    /// the server finds is never certain.
    private func elements(
        of column: TableColumn, _ element: TableColumn.Form, _ requirement: FieldConstraint.Requirement
    ) -> Bounds {
        let list = self.column(column.name)
        let some = Bounds.superset(.holds("cardinality(\(list)) > 0"))
        let values: [FieldValue]
        switch requirement {
        case .equal(let value, _): values = [value]
        case .membership(let members, _): values = members
        default: return some
        }
        // Elements of arrays with several dimensions are lists themselves.
        if values.contains(where: { if case .list = $0 { true } else { false } }) { return some }
        switch element {
        case .int64:
            let members = values.compactMap { NumberExpression.value($0, as: .int64) }
            if members.isEmpty { return .superset(.constant(false)) }
            return .superset(.holds("\(list)::int8[] && \(NumberExpression.list(members))"))
        case .text(isBytewise: true):
            var texts: [String] = []
            for value in values {
                guard case .string(let text) = value else { continue }
                guard requirement.textOptions.isEmpty, let equal = RawText.equivalents(of: text) else { return some }
                texts += equal
            }
            if texts.isEmpty { return .superset(.constant(false)) }
            return .superset(.holds("\(list)::text[] && \(.texts(texts))"))
        default: return some
        }
    }
}
