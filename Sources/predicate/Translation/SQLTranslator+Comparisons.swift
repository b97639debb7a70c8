// Comparisons as conditions of SQL.

import PredicateSyntax
import RecordDatabase
import TextAnalysis

extension SQLTranslator {
    /// The condition of a comparison.
    mutating func condition(_ comparison: BoundComparison) throws(TranslationRejection) -> Condition {
        // Conditions within a side have options of their own.
        let outer = comparesCodePoints
        comparesCodePoints = comparison.options.contains(.normalized)
        defer { comparesCodePoints = outer }
        guard let quantifier = comparison.quantifier else {
            let lhs = try value(comparison.lhs)
            if let condition = try containment(lhs, comparison) { return condition }
            return try condition(lhs, try right(comparison), comparison)
        }
        guard case .field(let field) = comparison.lhs.kind else {
            throw rejection(comparison.lhs.span, "\(quantifier.rawValue) over what is no field")
        }
        let column = try column(field, comparison.lhs.span)
        let element = Value("e.value", comparison.lhs.type.element ?? .any, comparison.lhs.span, column: field.element)
        let test = try condition(element, try right(comparison), comparison)
        let rows = "SELECT 1 FROM \(database.elements(of: column)) WHERE "
        return switch quantifier {
        case .any: Condition("EXISTS (\(rows)\(test.text))", .atom)
        case .all: Condition("NOT EXISTS (\(rows)\(test.negated.text))")
        case .none: Condition("NOT EXISTS (\(rows)\(test.text))")
        }
    }

    /// The right side; a list is written by the operators that take one.
    private mutating func right(_ comparison: BoundComparison) throws(TranslationRejection) -> Value {
        try value(comparison.rhs)
    }

    private mutating func condition(
        _ lhs: Value, _ rhs: Value, _ comparison: BoundComparison
    ) throws(TranslationRejection) -> Condition {
        try check(options: comparison, lhs, rhs)
        switch comparison.comparisonOperator {
        case .equal: return try equality(lhs, rhs, isNegated: false)
        case .notEqual: return try equality(lhs, rhs, isNegated: true)
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            return try order(lhs, rhs, comparison.comparisonOperator)
        case .between: return try between(lhs, rhs)
        case .in: return try membership(lhs, rhs)
        case .contains, .beginsWith, .endsWith, .like: return try text(lhs, rhs, comparison)
        case .matches:
            throw rejection(comparison.operatorSpan, "regular expressions of ICU", hint: "LIKE has one")
        case .tokenMatches: throw rejection(comparison.operatorSpan, "searches for words")
        default:
            throw rejection(comparison.operatorSpan, comparison.comparisonOperator.rawValue)
        }
    }

    private func check(
        options comparison: BoundComparison, _ lhs: Value, _ rhs: Value
    ) throws(TranslationRejection) {
        let isTextual = [lhs, rhs].allSatisfy { $0.type.fits(.string) || $0.type.element?.fits(.string) == true }
        guard isTextual, !comparison.options.contains(.normalized), !comparison.options.isEmpty else { return }
        throw rejection(
            comparison.operatorSpan, "texts compared without regard to case, marks or locale, as Unicode defines them",
            hint: "compare with a column that holds the folded text; 'predicate tokens' shows what folding does")
    }

    // MARK: Equality and order

    private mutating func equality(
        _ lhs: Value, _ rhs: Value, isNegated: Bool
    ) throws(TranslationRejection) -> Condition {
        let (value, other) = lhs.constant == nil ? (lhs, rhs) : (rhs, lhs)
        if other.constant?.isNull == true { return Condition("\(value.text) IS \(isNegated ? "NOT " : "")NULL") }
        try checkScalar(value)
        guard let constant = other.constant else {
            try checkScalar(other)
            guard value.type.fits(other.type) else {
                let both = Condition("\(value.text) IS NULL AND \(other.text) IS NULL", .and)
                return isNegated ? both.negated : both
            }
            let isMixed = (value.column == .bool) != (other.column == .bool)
            let left = isMixed ? counted(value) : dated(value, other)
            let right = isMixed ? counted(other) : dated(other, value)
            return Condition(isNegated ? database.different(left, right) : database.equal(left, right))
        }
        guard value.type.fits(other.type), let fitting = fitting(constant, value) else { return Condition(isNegated) }
        let text = try self.constant(fitting, other.span)
        let left = dated(value, other)
        return Condition(isNegated ? database.different(left, text) : "\(left) = \(text)")
    }

    /// The constant as a column of its type can equal it: a column of truth values of PostgreSQL takes no numbers.
    private func fitting(_ constant: FieldValue, _ value: Value) -> FieldValue? {
        let isTruth = value.column == .bool
        switch constant {
        case .bool(let flag):
            return isTruth || value.column == nil && database == .sqlite ? constant : .int64(flag ? 1 : 0)
        case .int64(let number):
            guard isTruth, database == .postgresql else { return constant }
            return number == 0 ? .bool(false) : number == 1 ? .bool(true) : nil
        case .double(let number):
            guard isTruth, database == .postgresql else { return constant }
            return number == 0 ? .bool(false) : number == 1 ? .bool(true) : nil
        default: return constant
        }
    }

    /// Text around a value that is compared with a date.
    private func dated(_ value: Value, _ other: Value) -> String {
        let isDate = value.type == .date || other.type == .date
        return isDate && !value.text.hasPrefix("julianday(") ? database.date(value.text) : value.text
    }

    /// A value as a number: PostgreSQL compares truth values with no number.
    private func counted(_ value: Value) -> String {
        value.column == .bool && database == .postgresql ? "\(value.text)::int" : value.text
    }

    private func checkScalar(_ value: Value) throws(TranslationRejection) {
        switch value.type {
        case .any, .null, .number, .string, .date: return
        default: throw rejection(value.span, "\(value.type.phrase) that is compared as a whole")
        }
    }

    private mutating func order(
        _ lhs: Value, _ rhs: Value, _ comparisonOperator: ComparisonOperator
    ) throws(TranslationRejection) -> Condition {
        let includesEqual = comparisonOperator == .lessThanOrEqual || comparisonOperator == .greaterThanOrEqual
        for (value, other) in [(lhs, rhs), (rhs, lhs)] where value.constant?.isNull == true {
            return includesEqual ? Condition("\(other.text) IS NULL") : Condition(false)
        }
        let isText = lhs.type == .string || rhs.type == .string
        let left = try side(lhs, rhs, isText: isText)
        let right = try side(rhs, lhs, isText: false)
        let condition = Condition("\(left) \(comparisonOperator.rawValue) \(right)")
        guard includesEqual, lhs.constant == nil, rhs.constant == nil else { return condition }
        return Condition("\(condition.text) OR (\(lhs.text) IS NULL AND \(rhs.text) IS NULL)", .or)
    }

    /// One side of an order.
    private mutating func side(_ value: Value, _ other: Value, isText: Bool) throws(TranslationRejection) -> String {
        try checkScalar(value)
        guard let constant = value.constant else {
            if value.column == .bool { return counted(value) }
            let text = dated(value, other)
            return isText ? database.ordered(text: text) : text
        }
        var ordered = constant
        if case .bool(let flag) = constant { ordered = .int64(flag ? 1 : 0) }
        let text = try self.constant(ordered, value.span)
        return isText ? database.ordered(text: text) : text
    }

    // MARK: Lists of constants

    private mutating func between(_ lhs: Value, _ rhs: Value) throws(TranslationRejection) -> Condition {
        guard case .list(let bounds) = rhs.constant, bounds.count == 2 else {
            throw rejection(rhs.span, "bounds that are not constant", hint: "write x >= low AND x <= high")
        }
        if bounds.contains(where: \.isNull) { return Condition(false) }
        let sides = bounds.map { Value(constant: $0, rhs.span) }
        let isText = sides.contains { $0.type == .string }
        let value = try side(lhs, sides[0], isText: isText)
        let low = try side(sides[0], lhs, isText: false)
        let high = try side(sides[1], lhs, isText: false)
        // Bounds in the wrong order are swapped.
        let isReversed = SortOrder.compare(bounds[0], bounds[1]) > 0
        if isReversed, usesParameters { throw rejection(rhs.span, "bounds in the wrong order", hint: "swap them") }
        return Condition("\(value) BETWEEN \(isReversed ? high : low) AND \(isReversed ? low : high)")
    }

    private mutating func membership(_ lhs: Value, _ rhs: Value) throws(TranslationRejection) -> Condition {
        try checkScalar(lhs)
        guard let elements = rhs.constant.flatMap(Self.elements) else {
            throw rejection(rhs.span, "IN without a constant list")
        }
        var texts: [String] = []
        var types: Set<OperandType> = []
        for element in elements where !element.isNull {
            let member = Value(constant: element, rhs.span)
            guard lhs.type.fits(member.type), let fitting = fitting(element, lhs) else { continue }
            types.insert(member.type)
            texts.append(try constant(fitting, rhs.span))
        }
        if texts.isEmpty { return Condition(false) }
        guard types.count == 1, let type = types.first else {
            throw rejection(rhs.span, "a list of values of several kinds", hint: "join one list a kind by OR")
        }
        let value = dated(lhs, Value("", type, rhs.span))
        return Condition("\(value) IN (\(texts.joined(separator: ", ")))")
    }

    private static func elements(_ value: FieldValue) -> [FieldValue]? {
        switch value {
        case .list(let elements), .set(let elements): elements
        default: nil
        }
    }

    // MARK: Texts

    private mutating func text(
        _ lhs: Value, _ rhs: Value, _ comparison: BoundComparison
    ) throws(TranslationRejection) -> Condition {
        if rhs.constant?.isNull == true { return Condition(false) }
        guard lhs.constant == nil, case .string(let given) = rhs.constant else {
            throw rejection(
                comparison.span, "\(comparison.comparisonOperator.rawValue) with anything but a constant text")
        }
        let text = composed(given)
        if text.isEmpty, comparison.comparisonOperator != .like { return Condition(false) }
        if comparison.comparisonOperator == .like {
            let pattern = try constant(.string(database.pattern(text)), rhs.span)
            return Condition(database.matches(lhs.text, pattern))
        }
        let part = try constant(rhs.constant ?? .null, rhs.span)
        let count = text.unicodeScalars.count
        return switch comparison.comparisonOperator {
        case .beginsWith: Condition(database.begins(lhs.text, part, count))
        case .endsWith: Condition(database.ends(lhs.text, part, count))
        default: Condition(database.contains(lhs.text, part))
        }
    }

    /// `list CONTAINS x` and `x IN list` of a column that holds lists, and `'x' IN text`; `nil` for anything else.
    private mutating func containment(
        _ lhs: Value, _ comparison: BoundComparison
    ) throws(TranslationRejection) -> Condition? {
        let container: Operand
        let member: Operand
        switch comparison.comparisonOperator {
        case .contains: (container, member) = (comparison.lhs, comparison.rhs)
        case .in: (container, member) = (comparison.rhs, comparison.lhs)
        default: return nil
        }
        guard case .field(let field) = container.kind, let constant = member.constant else { return nil }
        let column = try column(field, container.span)
        switch container.type {
        case .list(let type):
            let element = Value("e.value", type, container.span, column: field.element)
            let value = Value(constant: constant, member.span)
            try check(options: comparison, element, value)
            if constant.isNull { return Condition(false) }
            let test = try equality(element, value, isNegated: false)
            return Condition("EXISTS (SELECT 1 FROM \(database.elements(of: column)) WHERE \(test.text))", .atom)
        case .string, .any:
            guard comparison.comparisonOperator == .in else { return nil }
            guard case .string(let text) = constant else { throw rejection(container.span, "IN without a known list") }
            if container.type == .any {
                throw rejection(
                    container.span, "IN where text and list are not told apart",
                    hint: "give records that have the field")
            }
            let value = Value(constant: constant, member.span)
            try check(options: comparison, Value(column, .string, container.span), value)
            if text.isEmpty { return Condition(false) }
            return Condition(database.contains(column, try self.constant(constant, member.span)))
        default: return nil
        }
    }
}

extension FieldReference {
    /// The type of a list field's elements.
    fileprivate var element: FieldType? { if case .list(let element) = type { element } else { nil } }
}
